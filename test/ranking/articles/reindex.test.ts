import { describe, expect, test } from 'vitest';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { parseLink } from '../../../src/ranking/links/parse.ts';
import { reindexLinks } from '../../../src/ranking/articles/reindex.ts';
import { findByLink, freeLink } from '../../../src/ranking/links/reservations.ts';
import { removeArticle, restoreArticle } from '../../../src/ranking/articles/removed.ts';
import { idAt, NOON, post, RUST, useRanking } from '../test-ranking.ts';

const setup = useRanking();

/** Posted under the rules of an earlier version, which took a link as it was. */
function postAsOnce(guild: string, link: string, other: { listed?: boolean; atMs?: number } = {}) {
  const { listed = true, atMs = NOON } = other;
  const linkName = listed ? link : `${RUST} ${link}`;
  return post(setup.ranking, guild, { id: idAt(atMs), link, linkName, listed });
}

function canonical(link: string): string {
  const parsed = parseLink(link);
  return parsed.status === 'accepted' ? parsed.canonical : link;
}

function find(guild: string, link: string): Promise<string | null> {
  return findByLink(setup.ranking, guild, canonical(link));
}

describe('indexing links anew', () => {
  test('indexing links anew finds what was posted under other rules by today’s', async () => {
    const guild = setup.newGuild();
    const id = await postAsOnce(guild, 'http://www.youtube.com/watch?v=dQw4w9WgXcQ&t=3');
    expect(await find(guild, 'https://youtu.be/dQw4w9WgXcQ')).toBeNull();
    expect(await reindexLinks(setup.ranking, guild)).toBe(1);
    expect(await find(guild, 'https://youtu.be/dQw4w9WgXcQ')).toBe(id);
  });

  test('links are indexed anew once for each version of the rules', async () => {
    const guild = setup.newGuild();
    await postAsOnce(guild, 'http://a.example/?b=1');
    await reindexLinks(setup.ranking, guild);
    await postAsOnce(guild, 'http://a.example/?b=2');
    expect(await reindexLinks(setup.ranking, guild)).toBe(0);
  });

  test('indexing links anew leaves the name to the older where two have become one link', async () => {
    const guild = setup.newGuild();
    const newer = await postAsOnce(guild, 'https://twitter.com/a/status/1', { atMs: NOON + 1000 });
    const older = await postAsOnce(guild, 'https://x.com/a/status/1');
    await reindexLinks(setup.ranking, guild);
    expect(await find(guild, 'https://x.com/a/status/1')).toBe(older);
    await deleteArticle(setup.ranking, guild, newer);
    expect(await find(guild, 'https://x.com/a/status/1')).toBe(older);
    await deleteArticle(setup.ranking, guild, older);
    expect(await find(guild, 'https://x.com/a/status/1')).toBeNull();
    const { links } = guildKeys(setup.ranking, guild);
    expect(await setup.ranking.redis.hlen(links)).toBe(0);
  });

  test('indexing links anew knows the older by its time, also where its id is the shorter one', async () => {
    const guild = setup.newGuild();
    const newer = await postAsOnce(guild, 'https://twitter.com/a/status/1');
    const older = await postAsOnce(guild, 'https://x.com/a/status/1', { atMs: Date.UTC(2021, 0) });
    expect(older.length).toBeLessThan(newer.length);
    await reindexLinks(setup.ranking, guild);
    expect(await find(guild, 'https://x.com/a/status/1')).toBe(older);
  });

  test('indexing links anew keeps the names of a hidden channel apart', async () => {
    const guild = setup.newGuild();
    const id = await postAsOnce(guild, 'http://a.example/', { listed: false });
    await reindexLinks(setup.ranking, guild);
    expect(await find(guild, 'http://a.example/')).toBeNull();
    const name = `${RUST} ${canonical('http://a.example/')}`;
    expect(await findByLink(setup.ranking, guild, name)).toBe(id);
  });

  test('indexing links anew does not take back a link that was freed', async () => {
    const guild = setup.newGuild();
    const link = 'http://a.example/?utm_source=b';
    const id = await postAsOnce(guild, link);
    await freeLink(setup.ranking, { guild, linkName: link, article: id });
    await reindexLinks(setup.ranking, guild);
    expect(await find(guild, link)).toBeNull();
  });

  test('indexing links anew goes for removed articles as well, which come back under today’s name', async () => {
    const guild = setup.newGuild();
    const id = await postAsOnce(guild, 'http://a.example/');
    await removeArticle(setup.ranking, guild, id, NOON);
    await reindexLinks(setup.ranking, guild);
    expect(await find(guild, 'http://a.example/')).toBeNull();
    expect(await restoreArticle(setup.ranking, guild, id, true)).toEqual({ status: 'restored' });
    expect(await find(guild, 'http://a.example/')).toBe(id);
  });

  test('an interrupted indexing of links is finished by the next start', async () => {
    const guild = setup.newGuild();
    await postAsOnce(guild, 'http://a.example/1/');
    expect(await reindexLinks(setup.ranking, guild, AbortSignal.abort())).toBe(0);
    expect(await reindexLinks(setup.ranking, guild)).toBe(1);
    expect(await find(guild, 'https://a.example/1')).not.toBeNull();
  });
});

import { expect, test } from 'vitest';
import { postArticle, deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import {
  findByLink,
  linkHashOf,
  releaseLink,
  reserveLink,
} from '../../../src/ranking/links/reservations.ts';
import { anArticle, dump, NOON, useRanking } from '../test-ranking.ts';

const setup = useRanking();
const linkName = 'https://example.com/a';
const first = '500000000000000001';
const second = '500000000000000002';
const third = '500000000000000003';

test('a link is reserved by one interaction, which may ask again', async () => {
  const { ranking } = setup;
  const link = { guild: setup.newGuild(), linkName };
  expect(await reserveLink(ranking, { ...link, by: first }, NOON)).toEqual({ status: 'reserved' });
  expect(await reserveLink(ranking, { ...link, by: first }, NOON)).toEqual({ status: 'reserved' });
  expect(await reserveLink(ranking, { ...link, by: second }, NOON + 59_999)).toEqual({
    status: 'posting',
  });
  // What is never posted is swept.
  const { postings } = guildKeys(ranking, link.guild);
  expect(await ranking.redis.ttl(postings)).toBeGreaterThan(3600);
});

test('a reservation of a minute ago tells who held it, and one takes it over', async () => {
  const { ranking } = setup;
  const link = { guild: setup.newGuild(), linkName };
  await reserveLink(ranking, { ...link, by: first }, NOON);
  const later = NOON + 60_000;
  const expired = { status: 'expired', by: first };
  const mine = { ...link, by: second };
  const other = { ...link, by: third };
  expect(await reserveLink(ranking, mine, later)).toEqual(expired);
  expect(await reserveLink(ranking, other, later)).toEqual(expired);
  const [a, b] = await Promise.all([
    reserveLink(ranking, { ...mine, from: first }, later),
    reserveLink(ranking, { ...other, from: first }, later),
  ]);
  expect([a, b]).toEqual([{ status: 'reserved' }, { status: 'posting' }]);
});

test('a released link can be reserved again, and only its holder releases it', async () => {
  const { ranking } = setup;
  const link = { guild: setup.newGuild(), linkName };
  await reserveLink(ranking, { ...link, by: first }, NOON);
  await releaseLink(ranking, { ...link, by: second });
  expect(await reserveLink(ranking, { ...link, by: second }, NOON)).toEqual({ status: 'posting' });
  await releaseLink(ranking, { ...link, by: first });
  expect(await dump(ranking, link.guild)).toEqual({});
  expect(await reserveLink(ranking, { ...link, by: second }, NOON)).toEqual({ status: 'reserved' });
});

test('a damaged reservation counts as none', async () => {
  const { ranking } = setup;
  const link = { guild: setup.newGuild(), linkName };
  await ranking.redis.hset(guildKeys(ranking, link.guild).postings, linkHashOf(linkName), 'damage');
  expect(await reserveLink(ranking, { ...link, by: first }, NOON)).toEqual({ status: 'reserved' });
});

test('a posted link is known until its article is removed', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  const article = anArticle(guild, { linkName });
  const link = { guild, linkName };
  await reserveLink(ranking, { ...link, by: first }, NOON);
  await postArticle(ranking, article);
  expect(await findByLink(ranking, guild, linkName)).toBe(article.id);
  expect(Object.keys(await dump(ranking, guild))).not.toContain('postings');
  const known = { status: 'known', article: article.id };
  expect(await reserveLink(ranking, { ...link, by: second }, NOON)).toEqual(known);
  await deleteArticle(ranking, guild, article.id);
  expect(await findByLink(ranking, guild, linkName)).toBeNull();
  expect(await reserveLink(ranking, { ...link, by: second }, NOON)).toEqual({ status: 'reserved' });
});

test('fifty members who post one link in one instant get one reservation', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      reserveLink(ranking, { guild, linkName, by: `5000000000000000${i + 10}` }, NOON),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'reserved')).toHaveLength(1);
  expect(outcomes.filter(({ status }) => status === 'posting')).toHaveLength(49);
});

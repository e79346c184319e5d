import { storeKeys } from '../../../src/redis/store-keys.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { exportGuild } from '../../../src/backup/guild-file/export.ts';
import { writeBlock } from '../../../src/community/blocks.ts';
import { readDigest } from '../../../src/digests/stored-digests.ts';
import {
  type Edition,
  readEdition,
  writeEdition,
  zEdition,
} from '../../../src/editions/stored-editions.ts';
import { postArticle } from '../../../src/ranking/articles/articles.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { writePreview } from '../../../src/ranking/articles/previews.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { restored } from '../../backup/guild-file/guild-files.ts';
import { type DigestScene, SIX, startDigestScene } from '../digest-scene.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

const MARK = 12;
const picture = 'https://example.com/a.png';

/** Posts articles for which these vote besides their poster, each a little older than the one before. */
async function postWithVotes(
  titles: string[],
  voters: string[][],
  newestMs = SIX - HOUR_MS,
): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, title] of titles.entries()) {
    const [article = ''] = await scene.postArticles([title], newestMs - at, 1);
    ids.push(article);
    await vote(article, voters[at] ?? []);
  }
  return ids;
}

async function vote(article: string, by: string[]): Promise<void> {
  for (const member of by) {
    const of = { guild: scene.guild, article, member, vote: 'up' as const };
    await setVote(scene.context.ranking, of, scene.clock.now());
  }
}

/** Posts an edition whose articles have these voters, the best first, and says how its picture is shown. */
async function pictureOf(voters: string[][]): Promise<'large' | 'small'> {
  const { ranking } = scene.context;
  await setScale(ranking, scene.guild, { mark: MARK });
  await scene.setUp('daily', {});
  const titles = voters.map((_, at) => `Article ${at}`);
  const [best = ''] = await postWithVotes(titles, voters);
  // Some words are blocked, and not those of what Discord found.
  const by = { posting: true, voting: false, reason: '', by: '1', sinceMs: 0, untilMs: null };
  const subject = { kind: 'words', words: 'blocked words' } as const;
  await writeBlock(scene.context.store, scene.guild, { subject, ...by });
  await writePreview(ranking, scene.guild, best, { picture, description: 'What it is about' });
  scene.goTo(SIX);
  await scene.tick();
  const [embed] = scene.posted()[0]!.embeds;
  expect(embed?.description).toContain('What it is about');
  expect(embed?.title).toMatch(/^Article 0/);
  const shown = { large: embed?.image?.url, small: embed?.thumbnail?.url };
  expect(Object.values(shown).filter((url) => url !== undefined)).toEqual([picture]);
  return shown.large === undefined ? 'small' : 'large';
}

/** Members whose ids begin with the same digit. */
const members = (count: number, first = 1) =>
  Array.from({ length: count }, (_, at) => `${first}${String(at).padStart(17, '0')}`);

test.each<[string, string[][], 'large' | 'small']>([
  ['is interesting, whatever others are', [members(MARK), members(MARK - 2, 2)], 'large'],
  ['has half the mark from most of the voters', [members(MARK / 2 - 1), members(2)], 'large'],
  ['has less than half the mark, though from all', [members(MARK / 2 - 2)], 'small'],
  [
    'has half the mark, and most voted for others',
    [members(6), members(5, 2), members(4, 3)],
    'small',
  ],
])('the picture of an edition’s best that %s', async (_, voters, size) => {
  expect(await pictureOf(voters)).toBe(size);
});

test('after a restore an edition lists nothing that one listed before, and what rose since', async () => {
  const { ranking, store } = scene.context;
  const { guild } = scene;
  await scene.setUp('daily', { count: 2 });
  const titles = ['Listed', 'Too', 'Not yet'];
  const [first = ''] = await postWithVotes(titles, [members(3), members(2), members(1)]);
  scene.goTo(SIX);
  await scene.tick();
  expect(scene.titles()).toEqual([['Listed', 'Too']]);
  let file = '';
  for await (const line of exportGuild({ ranking, store }, guild, SIX)) file += line;
  await scene.redis.flush();
  expect(await readDigest(store, guild, 'daily')).toBeNull();
  await restored({ ranking, store }, file, { now: SIX + HOUR_MS });
  await scene.redis.redis.set(storeKeys(store, guild).complete, SIX + HOUR_MS);
  await vote(first, members(20, 2));
  scene.goTo(SIX + DAY_MS);
  await scene.runDigest();
  const [, second] = scene.posted();
  expect(scene.titles()[1]).toEqual(['Not yet']);
  expect(second?.embeds[1]?.description).toMatch(/^\*\*Still rising\*\*\n\[Listed\]/);
  expect(second?.embeds[1]?.description).toContain('(+20)');
});

/** `Hello`, of a member who has posted nothing before, for which three vote. */
async function postOfNewcomer(
  atMs: number,
  { host, home } = { host: 'example.com', home: scene.sandbox.channels.general.id },
): Promise<void> {
  const id = scene.sandbox.world.snowflake(atMs);
  const link = `https://${host}/${id}`;
  const of = { guild: scene.guild, id, title: 'Hello', link, linkName: link, listed: true };
  const tally = { up: 4, down: 0, closed: false };
  const poster = scene.sandbox.members[3] ?? '';
  await postArticle(scene.context.ranking, { ...of, poster, home, tally });
}

test('the channel and the site that all articles of an edition have are said once, and not of one alone, nor where a section differs', async () => {
  const { general, ai } = scene.sandbox.channels;
  const [host, home] = ['example.com', general.id];
  const said = async (titles: string[], newcomer?: { host: string; home: string }) => {
    await scene.clear();
    await scene.setUp('daily', { count: 2 });
    await postWithVotes(titles, [members(9), members(8)]);
    if (newcomer) await postOfNewcomer(SIX - HOUR_MS, newcomer);
    scene.goTo(SIX);
    await scene.runDigest();
    const { embeds } = scene.posted()[0]!;
    const text = embeds.map(({ description }) => description).join('\n');
    expect(text.includes('[Hello]')).toBe(newcomer !== undefined);
    return [
      text.includes(translate('en', 'digest.all.from', { host })),
      text.includes(translate('en', 'digest.all.in', { channel: `<#${home}>` })),
    ];
  };
  const two = ['Best', 'Second'];
  expect(await said(['Best'])).toEqual([false, false]);
  expect(await said(two)).toEqual([true, true]);
  expect(await said(two, { host, home })).toEqual([true, true]);
  expect(await said(two, { host, home: ai.id })).toEqual([true, false]);
  expect(await said(two, { host: 'other.example', home })).toEqual([false, true]);
});

test('what stood in a section of an edition stands in none of the next', async () => {
  await scene.setUp('daily', { count: 1 });
  const editionOf = async (title: string, atMs: number) => {
    await postWithVotes([title], [members(9)], atMs - HOUR_MS);
    scene.goTo(atMs);
    await scene.runDigest();
    const edition = scene.posted().at(-1)!;
    return [edition.embeds[0]?.title, JSON.stringify(edition.embeds).includes('[Hello]')];
  };
  await postOfNewcomer(SIX - HOUR_MS);
  expect(await editionOf('Best', SIX)).toEqual(['Best', true]);
  expect(await editionOf('Next', SIX + DAY_MS)).toEqual(['Next', false]);
});

test('the best of a week are in no other section of its edition, and not said again where its list has them all', async () => {
  const sunday = Date.UTC(2027, 2, 14, 18);
  const weekIn = async (count: number) => {
    await scene.clear();
    await scene.setUp('daily', { count: 1 });
    scene.goTo(sunday - DAY_MS);
    const [rose = ''] = await postWithVotes(['Rose'], [members(3)], sunday - DAY_MS - HOUR_MS);
    await scene.runDigest();
    await scene.setUp('daily', { count });
    await vote(rose, members(20, 2));
    await postWithVotes(['Best'], [members(9)], sunday - HOUR_MS);
    await postOfNewcomer(sunday - HOUR_MS);
    scene.goTo(sunday);
    await scene.runDigest();
    const text = scene
      .posted()
      .at(-1)!
      .embeds.map(({ description }) => description)
      .join('\n');
    return text.match(/\*\*[A-Z][a-z ]+\*\*|\[(?:Rose|Best|Hello)\]/g);
  };
  expect(await weekIn(1)).toEqual(['**Best of the week**', '[Rose]', '[Best]', '[Hello]']);
  expect(await weekIn(2)).toEqual([
    '[Hello]',
    '**Best of the week**',
    '[Rose]',
    '[Best]',
    '[Hello]',
  ]);
  await scene.clear();
  await scene.setUp('daily', {});
  await postWithVotes(['One', 'Two'], [members(9), members(8)], sunday - HOUR_MS);
  scene.goTo(sunday);
  await scene.runDigest();
  const said = JSON.stringify(scene.posted()[0]?.embeds);
  expect(said).toContain('[Two]');
  expect(said).not.toContain('Best of the week');
});

test('an edition tells of what rose by a tenth of the ★ threshold since one listed it, and of nothing that rose less', async () => {
  const { ranking } = scene.context;
  await setScale(ranking, scene.guild, { mark: 50 });
  await scene.setUp('daily', {});
  const [more = '', less = ''] = await postWithVotes(
    ['Rose', 'Rose less'],
    [members(2), members(1)],
  );
  scene.goTo(SIX);
  await scene.tick();
  await vote(more, members(5, 2));
  await vote(less, members(4, 3));
  await postWithVotes(['Fresh'], [members(1, 4)], SIX + HOUR_MS);
  scene.goTo(SIX + DAY_MS);
  await scene.tick();
  const [, second] = scene.posted();
  expect(scene.titles()[1]).toEqual(['Fresh']);
  const lines = second!.embeds.flatMap(({ description = '' }) => description.split('\n'));
  const at = lines.indexOf('**Still rising**');
  expect(lines.slice(at + 1, at + 4)).toEqual([
    expect.stringContaining('[Rose]'),
    expect.stringContaining('(+5)'),
    '',
  ]);
});

test('what was blocked after it was posted is in no part of an edition', async () => {
  const { store } = scene.context;
  const { guild } = scene;
  await scene.setUp('daily', { count: 2 });
  // The last edition of a week, with its best three.
  scene.goTo(Date.UTC(2027, 2, 14, 18));
  const titles = ['Blocked words', 'Best', 'Second', 'Third'];
  const voters = [members(9), members(8), members(7), members(6)];
  const [, best = ''] = await postWithVotes(titles, voters, scene.clock.now() - HOUR_MS);
  const description = 'A page about BLOCKED words.';
  await writePreview(scene.context.ranking, guild, best, { description });
  const by = { posting: true, voting: false, reason: '', by: '1', sinceMs: 0, untilMs: null };
  await writeBlock(store, guild, { subject: { kind: 'words', words: 'blocked words' }, ...by });
  await scene.runDigest();
  const [message] = scene.posted();
  expect(scene.titles()).toEqual([['Best', 'Second']]);
  const text = JSON.stringify(message);
  expect(text).toContain('**Best of the week**');
  expect(text).toContain('Third');
  expect(text).not.toContain('Blocked words');
  expect(text).not.toContain('A page about');
});

test.each<[string, { date?: string } & Partial<Edition>, boolean]>([
  ['shown after an edition by hand alone', { date: '2027-03-14T18:30Z' }, true],
  ['shown after an edition without articles', { articles: [] }, true],
  ['not shown after an edition of the schedule', {}, false],
])('the best of a week that ended without an edition are %s', async (_, since, isShown) => {
  const { store } = scene.context;
  const sunday = Date.UTC(2027, 2, 14, 18);
  const { date = '2027-03-15', ...more } = since;
  await scene.setUp('daily', { count: 1 });
  await postWithVotes(['Best', 'Second'], [members(9), members(8)], sunday - HOUR_MS);
  const edition = zEdition.parse({
    articles: [{ id: scene.guild, net: 1, replies: 0 }],
    postedAtMs: sunday + DAY_MS,
    fromMs: sunday,
    channel: scene.channel,
    isPublic: true,
    ...more,
  });
  await writeEdition(store, scene.guild, { name: 'daily', date }, edition);
  scene.goTo(sunday + 2 * DAY_MS);
  await scene.runDigest();
  expect(JSON.stringify(scene.posted()[0]?.embeds).includes('**Best of the week**')).toBe(isShown);
});

test('an edition is not led by the spoiler that has most votes', async () => {
  await scene.setUp('daily', {});
  await postWithVotes(['||It was him||', 'Second'], [members(3), members(2)]);
  scene.goTo(SIX);
  await scene.tick();
  const [edition] = scene.posted();
  expect(edition?.embeds[0]?.title).toBe('Second');
  expect(edition?.embeds[1]?.description).toContain('[Spoiler]');
});

test('an edition without articles is the quiet sentence alone, and as such it is stored', async () => {
  const { store } = scene.context;
  await scene.setUp('daily', { postEmpty: true, selection: 'interesting' });
  await postWithVotes(['A first post, which is not interesting'], [members(3)]);
  scene.goTo(SIX);
  await scene.tick();
  expect(scene.posted().map(({ embeds }) => embeds)).toEqual([[]]);
  const date = new Date(SIX).toISOString().slice(0, 10);
  const stored = await readEdition(store, scene.guild, { name: 'daily', date });
  expect(stored).toMatchObject({ articles: [], firstPosts: [], day: { articles: 1 } });
});

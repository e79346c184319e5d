import { describe, expect, test } from 'vitest';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { retitleArticle } from '../../src/ranking/articles/edit.ts';
import { removeArticle, restoreArticle } from '../../src/ranking/articles/removed.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { comparedWith, isRare } from '../../src/ranking/subjects/in-common.ts';
import { type About, wordsIn } from '../../src/ranking/subjects/subject-words.ts';
import {
  findEarlier,
  indexAll,
  indexArticle,
  isIndexed,
} from '../../src/ranking/subjects/subjects.ts';
import type { Article } from '../../src/ranking/row.ts';
import { NOON, idAt, post, useRanking } from './test-ranking.ts';

const about = (title: string, link = 'https://a.example/', description = ''): About => ({
  title,
  link,
  description,
});
const elsewhere = (title: string, description = '') =>
  about(title, 'https://b.example/', description);
/** As many articles have a word, or are of a section, as is said; of others two. */
const having = (of: Record<string, number>) => ({
  articles: 100,
  of: (term: string) => of[term] ?? 2,
});

/** Whichever of them is compared with the other. */
const bothWays = (one: About, other: About, of: Record<string, number>) => [
  comparedWith(one, having(of))(other),
  comparedWith(other, having(of))(one),
];

describe('two articles are about the same', () => {
  test.each<[why: string, one: About, other: About, of?: Record<string, number>]>([
    ['with two rare words in both titles', about('Wombat burrow'), elsewhere('Burrow of a wombat')],
    [
      'with one in both, and one in a title and a description',
      about('Okapi of the Ituri'),
      elsewhere('Okapi', 'Seen in the Ituri'),
    ],
    [
      'of one project in a forge',
      about('One', 'https://github.com/axolotl/regrow/releases/2'),
      about('Other', 'https://github.com/axolotl/regrow'),
    ],
    [
      'of one owner there, with a word in both titles',
      about('Burrow', 'https://github.com/wombat/x'),
      about('Burrow', 'https://github.com/wombat/y'),
    ],
    [
      'of one section of a site, with a word in both titles',
      about('Burrow', 'https://a.example/one/two/x'),
      about('Burrow', 'https://a.example/one/two/y'),
    ],
    [
      'with the name of their site in both titles',
      about('DuckDB one', 'https://duckdb.org/x'),
      about('DuckDB other', 'https://duckdb.org/y'),
    ],
    [
      'with a site’s name of two words at the end of both, at different sites',
      about('Grids – Wombat Okapi'),
      elsewhere('Maps – Wombat Okapi'),
    ],
  ])('%s', (_, one, other, of = {}) => {
    const [there, back] = bothWays(one, other, of);
    expect(there).toBeGreaterThan(0);
    expect(back).toBeCloseTo(there!);
  });

  test.each<[why: string, one: About, other: About, of?: Record<string, number>]>([
    ['with one word alone', about('Wombat burrow'), elsewhere('Wombat')],
    ['with one word twice in a title', about('Wombat, wombat'), elsewhere('Wombat, wombat')],
    [
      'with one word in a title and its description',
      about('Wombat', 'https://a.example/', 'A wombat'),
      elsewhere('Wombat'),
    ],
    [
      'with a second word in the descriptions alone',
      about('Okapi', 'https://a.example/', 'Ituri'),
      elsewhere('Okapi', 'Ituri'),
    ],
    [
      'with two words that stand in a title of one and a description of the other',
      about('Okapi Ituri'),
      elsewhere('Else', 'Okapi Ituri'),
    ],
    [
      'with a second word that many have',
      about('Wombat burrow'),
      elsewhere('Wombat burrow'),
      { burrow: 9 },
    ],
    [
      'of a project that many are of',
      about('One', 'https://github.com/axolotl/regrow/releases/2'),
      about('Other', 'https://github.com/axolotl/regrow'),
      { '//github.com/axolotl/regrow': 9 },
    ],
    [
      'of one owner in a forge, with the owner’s name in both titles',
      about('Wombat one', 'https://github.com/wombat/x'),
      about('Wombat other', 'https://github.com/wombat/y'),
    ],
    [
      'of one section of a site that is no forge',
      about('One', 'https://a.example/one/two/x'),
      about('Other', 'https://a.example/one/two/y'),
    ],
    [
      'of one site, with a word in both titles that is not its name',
      about('Burrow', 'https://duckdb.org/x'),
      about('Burrow', 'https://duckdb.org/y'),
    ],
    [
      'of one site, with its name in one title alone',
      about('DuckDB', 'https://duckdb.org/x'),
      about('Other', 'https://duckdb.org/y', 'DuckDB'),
    ],
    [
      'with the name of their site at the end of both titles',
      about('Grids – Wombat Okapi', 'https://a.example/x'),
      about('Maps – Wombat Okapi', 'https://a.example/y'),
    ],
  ])('not %s', (_, one, other, of = {}) => {
    expect(bothWays(one, other, of)).toEqual([null, null]);
  });

  test.each([
    [0, 100, false],
    [8, 100, true],
    [9, 100, false],
    [20, 20_000, true],
    [21, 20_000, false],
    [40, 1_000_000, true],
    [41, 1_000_000, false],
  ])('a word that %i of %i articles have is rare: %s', (count, articles, rare) => {
    expect(isRare(count, articles)).toBe(rare);
  });

  test('numbers and versions are no words of a subject, and names with signs in them are', () => {
    const words = wordsIn('v2 10th 4k 2026 x86 C++ asp.net').map(({ word }) => word);
    expect(words).toEqual(['x86', 'c++', 'aspnet']);
  });
});

describe('the index of subjects', () => {
  const setup = useRanking();
  const needs = () => ({ ranking: setup.ranking, subjectOf: ({ title }: Article) => title });
  const signal = new AbortController().signal;
  const titled = (guild: string, title: string, at: number, up = 1) =>
    post(setup.ranking, guild, {
      title,
      id: idAt(NOON + at * 1000),
      tally: { up, down: 0, closed: true },
    });

  test('of a word that very many have, it keeps those that came last, and finds none of them by it', async () => {
    const guild = setup.newGuild();
    const { subjectWords } = guildKeys(setup.ranking, guild);
    const having = async () => (await setup.ranking.redis.hget(subjectWords, 'burrow'))?.split(' ');
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) ids.push(await titled(guild, 'Burrow', n));
    await indexAll(needs(), guild, signal);
    expect((await having())?.toSorted()).toEqual(ids.toSorted());
    const further: string[] = [];
    for (let n = 40; n < 43; n += 1) {
      const id = await titled(guild, 'Burrow', n);
      await indexArticle(needs(), guild, id);
      further.push(id);
    }
    const kept = await having();
    expect(kept).toHaveLength(41);
    expect(kept?.slice(-3)).toEqual(further);
  });

  test('those with more votes come first of what is as much alike, then the newer', async () => {
    const guild = setup.newGuild();
    const [older, newer, voted] = [
      await titled(guild, 'Wombat burrow', 1),
      await titled(guild, 'Wombat burrow', 2),
      await titled(guild, 'Wombat burrow', 0, 5),
    ];
    const own = await titled(guild, 'Burrow of a wombat', 3);
    await titled(guild, 'Wombat burrow', 4, 9);
    await indexAll(needs(), guild, signal);
    const find = async (accept: (article: Article) => boolean) =>
      (await findEarlier(needs(), guild, own, accept)).map(({ id }) => id);
    expect(await find(() => true)).toEqual([voted, newer, older]);
    expect(await find(({ up }) => up === 1)).toEqual([newer, older]);
  });

  test('what may not be told of takes no room from what may', async () => {
    const guild = setup.newGuild();
    const told = await titled(guild, 'Wombat burrow', 0);
    for (let n = 1; n <= 12; n += 1) {
      await titled(guild, n % 2 === 0 ? 'Wombat burrow' : 'Okapi ituri', n);
    }
    const own = await titled(guild, 'Wombat burrow, okapi ituri', 13);
    await indexAll(needs(), guild, signal);
    const found = await findEarlier(needs(), guild, own, ({ id }) => id === told);
    expect(found.map(({ id }) => id)).toEqual([told]);
  });

  test('it says whether each article is in it, and is made anew by other rules', async () => {
    const guild = setup.newGuild();
    const { redis } = setup.ranking;
    const { subjects, subjectWords, texts } = guildKeys(setup.ranking, guild);
    const [one, other] = [await titled(guild, 'Wombat', 0), await titled(guild, 'Okapi', 1)];
    expect(await isIndexed(setup.ranking, guild)).toBe(false);
    await indexAll(needs(), guild, signal);
    expect(await isIndexed(setup.ranking, guild)).toBe(true);
    await redis.hset(subjects, 'rules', 'of before');
    await redis.hset(subjectWords, 'of-before', one);
    expect(await isIndexed(setup.ranking, guild)).toBe(false);
    await indexAll(needs(), guild, signal);
    expect(await redis.hexists(subjectWords, 'of-before')).toBe(0);
    // What is gone is found by nothing, whoever took it.
    await redis.hdel(texts, other);
    await indexAll(needs(), guild, signal);
    expect(await redis.hgetall(subjectWords)).toEqual({ wombat: one, '//example.com': one });
    await retitleArticle(setup.ranking, { guild, article: one, title: 'Tapir' });
    await indexArticle(needs(), guild, one);
    expect(await redis.hgetall(subjectWords)).toEqual({ tapir: one, '//example.com': one });
    // Nor does a word stay of what was removed.
    await removeArticle(setup.ranking, guild, one, NOON);
    expect(await redis.exists(subjectWords)).toBe(0);
    await restoreArticle(setup.ranking, guild, one, true);
    await indexArticle(needs(), guild, one);
    expect(await redis.hget(subjectWords, 'tapir')).toBe(one);
    await deleteArticle(setup.ranking, guild, one);
    expect(await redis.exists(subjectWords)).toBe(0);
    expect(await redis.hkeys(subjects)).toEqual(['rules']);
  });
});

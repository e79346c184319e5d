import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { readArticle, readArticles } from '../../../src/ranking/articles/articles.ts';
import { checkGuild } from '../../../src/ranking/articles/check.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import {
  endRescoring,
  isRescoring,
  readMark,
  readScale,
  setScale,
} from '../../../src/ranking/articles/mark.ts';
import { SCORE_VERSION, SPANS, TEXTBOOK } from '../../../src/ranking/rules.ts';
import { scripts } from '../../../src/ranking/scripts.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { inconsistencies } from '../consistency.ts';
import { AI, idAt, member, NOON, post, useRanking } from '../test-ranking.ts';

const setup = useRanking();

async function fill(guild: string, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      post(setup.ranking, guild, {
        id: idAt(NOON + i * 1000),
        listed: i % 10 !== 0,
        groups: i % 3 === 0 ? [AI] : [],
      }),
    ),
  );
}

test('the mark is 200 until the guild says otherwise', async () => {
  const guild = setup.newGuild();
  expect(await readMark(setup.ranking, guild)).toBe(200);
  await setScale(setup.ranking, guild, { mark: 200 });
  await setScale(setup.ranking, guild, { mark: 12 });
  expect(await readMark(setup.ranking, guild)).toBe(12);
});

test('the span is a day until the guild says otherwise, and each stays when the other moves', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  expect(await readScale(ranking, guild)).toEqual({ mark: 200, spanDays: 1, isLimited: true });
  await setScale(ranking, guild, { spanDays: 5 });
  await setScale(ranking, guild, { mark: 12 });
  expect(await readScale(ranking, guild)).toMatchObject({ mark: 12, spanDays: 5 });
  await setScale(ranking, guild, { spanDays: 2 });
  expect(await readScale(ranking, guild)).toMatchObject({ mark: 12, spanDays: 2 });
  // Also when both move at once.
  await Promise.all([
    setScale(ranking, guild, { mark: 30 }),
    setScale(ranking, guild, { spanDays: 3 }),
  ]);
  expect(await readScale(ranking, guild)).toMatchObject({ mark: 30, spanDays: 3 });
});

test('a longer span lets votes outweigh more days, in every list and for later votes', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  await setScale(ranking, guild, { mark: 20 });
  const tally = { up: 22, down: 0, closed: true };
  const voted = await post(ranking, guild, { id: idAt(NOON), groups: [AI], tally });
  const newer = await post(ranking, guild, { id: idAt(NOON + 3 * DAY_MS), groups: [AI] });
  const order = async (group: string | null) => {
    const list = { guild, group, order: 'score', page: 1, pageSize: 9 } as const;
    return (await listArticles(ranking, list)).articles.map(({ id }) => id);
  };
  expect(await order(null)).toEqual([newer, voted]);
  await setScale(ranking, guild, { spanDays: 5 });
  for (const group of [null, AI]) expect(await order(group)).toEqual([voted, newer]);
  const ballot = { guild, article: newer, member: member(1), vote: 'up' } as const;
  await setVote(ranking, ballot, NOON + 3 * DAY_MS);
  expect(await inconsistencies(ranking, guild)).toEqual([]);
});

test('the score in Redis is to the digit that of TypeScript, below, at and above the limit', async () => {
  const { ranking } = setup;
  const scales = fc.record({
    mark: fc.integer({ min: 1, max: 2000 }),
    spanDays: fc.constantFrom(...SPANS),
    isLimited: fc.boolean(),
  });
  const around = fc.record({
    marks: fc.constantFrom(0, 1, 2, 3),
    more: fc.integer({ min: -2, max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(scales, fc.array(around, { minLength: 8 }), async (scale, nets) => {
      const guild = setup.newGuild();
      await setScale(ranking, guild, scale);
      const posted = nets.map(({ marks, more }, i) => {
        const net = marks * scale.mark + more;
        const tally = { up: Math.max(net, 1), down: Math.max(1 - net, 0), closed: i % 2 === 0 };
        return post(ranking, guild, { id: idAt(NOON + i * 1000), tally });
      });
      for (const id of await Promise.all(posted)) {
        const article = (await readArticle(ranking, guild, id))!;
        const stored = await ranking.redis.zscore(guildKeys(ranking, guild).score, id);
        expect(Number(stored)).toBe(article.score);
        const lifted = Math.min(article.up - article.down, scale.isLimited ? 2 * scale.mark : 1e9);
        const seconds = article.postedAtMs / 1000 + (scale.spanDays * 86_400 * lifted) / scale.mark;
        expect(article.score).toBeCloseTo(seconds, 3);
      }
    }),
    { numRuns: 40 },
  );
});

test('the textbook has no limit: 500 votes are worth 432 seconds each', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const id = await post(ranking, guild, { tally: { up: 500, down: 0, closed: true } });
  const score = async () => Number(await ranking.redis.zscore(guildKeys(ranking, guild).score, id));
  expect(await score()).toBe(NOON / 1000 + 2 * 86_400);
  await setScale(ranking, guild, TEXTBOOK);
  expect(await score()).toBe(NOON / 1000 + 500 * 432);
  await setScale(ranking, guild, { isLimited: true });
  expect(await score()).toBe(NOON / 1000 + 2 * 86_400);
});

test('articles with the scores of an earlier version are scored anew once', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const { redis } = ranking;
  const [, id = ''] = await fill(guild, 30);
  const keys = guildKeys(ranking, guild);
  // As that version left them, with a span that is none any more.
  await redis.hset(keys.articles, { mark: 12, span: '0.125' });
  await redis.zadd(keys.score, 1, id);
  await setScale(ranking, guild, { isLimited: true });
  expect(await readScale(ranking, guild)).toEqual({ mark: 12, spanDays: 1, isLimited: true });
  expect(await inconsistencies(ranking, guild)).toEqual([]);
  const placing = vi.spyOn(scripts, 'rankArticles');
  await setScale(ranking, guild, { isLimited: true });
  expect(placing).not.toHaveBeenCalled();
  await redis.hset(keys.articles, { scored: 'another' });
  await setScale(ranking, guild, { isLimited: true });
  expect(placing).toHaveBeenCalled();
});

test.each([0, 0.5, 4, 8, 1.5])('%d days are no span', async (days) => {
  const change = setScale(setup.ranking, setup.newGuild(), { spanDays: days as never });
  await expect(change).rejects.toThrow('no span');
});

test.each([0, -1, 1.5, Number.NaN])(
  '%d cannot be the number of votes that makes an article interesting',
  async (mark) => {
    await expect(setScale(setup.ranking, setup.newGuild(), { mark })).rejects.toThrow('no mark');
  },
);

test('a new mark re-scores every article while votes arrive', async () => {
  const guild = setup.newGuild();
  const articles = await fill(guild, 600);
  const progress = { done: false };
  const change = setScale(setup.ranking, guild, { mark: 3 }).then(() => (progress.done = true));
  let votes = 0;
  while (!progress.done) {
    const article = articles[(votes * 7) % articles.length]!;
    const ballot = { guild, article, member: member(votes % 9), vote: 'up' } as const;
    await setVote(setup.ranking, ballot, NOON + 2_000_000);
    votes++;
  }
  await change;
  expect(votes).toBeGreaterThan(3);
  expect(await inconsistencies(setup.ranking, guild)).toEqual([]);
});

test('a re-scoring that was interrupted is finished by a check', async () => {
  const guild = setup.newGuild();
  await fill(guild, 700);
  const keys = guildKeys(setup.ranking, guild);
  const { redis } = setup.ranking;
  // What a process does that dies before its first step.
  await redis.set(keys.rescoring, '5 7');
  await redis.hset(keys.articles, { mark: 5, span: 7 });
  expect(await inconsistencies(setup.ranking, guild)).not.toEqual([]);
  expect(await checkGuild(setup.ranking, guild, [])).toMatchObject({ misplaced: 0, broken: 0 });
  expect(await inconsistencies(setup.ranking, guild)).toEqual([]);
  expect(await isRescoring(setup.ranking, guild)).toBe(false);
});

test('a re-scoring that ends leaves what says that a newer one still goes on', async () => {
  const keys = guildKeys(setup.ranking, setup.newGuild());
  const { redis } = setup.ranking;
  const state = () => Promise.all([redis.get(keys.rescoring), redis.hget(keys.articles, 'scored')]);
  await redis.set(keys.rescoring, '5 7 true');
  for (const older of ['3 1 true', null]) {
    await endRescoring(setup.ranking, keys, older);
    expect(await state()).toEqual(['5 7 true', null]);
  }
  await endRescoring(setup.ranking, keys, '5 7 true');
  expect(await state()).toEqual([null, SCORE_VERSION]);
});

test('a lower mark makes articles interesting, a higher one takes it back', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild, { tally: { up: 20, down: 3, closed: false } });
  const list = { guild, order: 'interesting', page: 1, pageSize: 10 } as const;
  const shown = async () =>
    (await readList(setup.ranking, list, NOON)).articles.map(({ id, interesting }) => [
      id,
      interesting,
    ]);
  expect(await shown()).toEqual([]);
  await setScale(setup.ranking, guild, { mark: 20 });
  expect(await shown()).toEqual([[article, true]]);
  await setScale(setup.ranking, guild, { mark: 21 });
  expect(await shown()).toEqual([]);
});

test('a stored mark or span that is none counts as the default', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  await setup.ranking.redis.hset(guildKeys(setup.ranking, guild).articles, {
    mark: 'many',
    span: '4',
  });
  const ballots = [1, 2].map((n) => ({ guild, article, member: member(n), vote: 'up' as const }));
  await setVote(setup.ranking, ballots[0]!, NOON);
  await Promise.all(ballots.map((ballot) => setVote(setup.ranking, ballot, NOON)));
  await post(setup.ranking, guild);
  const list = { guild, order: 'score', page: 1, pageSize: 2 } as const;
  const { articles } = await listArticles(setup.ranking, list);
  expect(articles.map(({ up, score }) => [up, score])).toEqual([
    [3, NOON / 1000 + 3 * 432],
    [1, NOON / 1000 + 432],
  ]);
  await setScale(setup.ranking, guild, { mark: 5 });
  expect(await readMark(setup.ranking, guild)).toBe(5);
});

test('a closed article keeps its ★, or stays without, whatever the mark becomes', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  await setScale(ranking, guild, { mark: 5 });
  const [best, worse] = [
    await post(ranking, guild, { tally: { up: 8, down: 0, closed: false } }),
    await post(ranking, guild, { tally: { up: 4, down: 0, closed: false } }),
  ];
  for (const id of [best, worse]) await closeArticle(ranking, guild, id);
  for (const mark of [20, 3]) {
    await setScale(ranking, guild, { mark });
    expect(await interestingOf(guild)).toEqual([best]);
    const articles = await readArticles(ranking, guild, [best, worse]);
    expect(articles.map((article) => article?.interesting)).toEqual([true, false]);
  }
  expect(await inconsistencies(ranking, guild)).toEqual([]);
});

test('an article that comes in closed keeps its ★, or has it by the mark of now', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  await setScale(ranking, guild, { mark: 5 });
  const starred = await post(ranking, guild, {
    tally: { up: 3, down: 0, closed: true, starred: true },
  });
  const best = await post(ranking, guild, { tally: { up: 5, down: 0, closed: true } });
  await post(ranking, guild, { tally: { up: 4, down: 0, closed: true } });
  expect((await interestingOf(guild)).sort()).toEqual([starred, best].sort());
  expect(await inconsistencies(ranking, guild)).toEqual([]);
});

async function interestingOf(guild: string): Promise<string[]> {
  const list = { guild, order: 'interesting', page: 1, pageSize: 25 } as const;
  return (await readList(setup.ranking, list, NOON)).articles.map(({ id }) => id);
}

test.each([1, 2, 3])(
  'what a process leaves that dies before write %i of a new mark, the same change finishes',
  async (dies) => {
    const guild = setup.newGuild();
    const { ranking } = setup;
    const ids = await fill(guild, 20);
    for (const n of [1, 2, 3]) {
      const vote = { guild, article: ids[0] ?? '', member: member(n), vote: 'up' as const };
      await setVote(ranking, vote, NOON);
    }
    let writes = 0;
    const redis = new Proxy(ranking.redis, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (name !== 'set' && name !== 'hset')
          return typeof found === 'function' ? found.bind(target) : found;
        return async (...args: unknown[]) => {
          writes += 1;
          if (writes === dies) throw new Error('The process died.');
          return (found as (...given: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    await setScale({ ...ranking, redis }, guild, { mark: 5 }).catch(() => {});
    await setScale(ranking, guild, { mark: 5 });
    expect(await inconsistencies(ranking, guild)).toEqual([]);
    expect(await isRescoring(ranking, guild)).toBe(false);
  },
);

import { expect, test } from 'vitest';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { setChannelScales } from '../../../src/ranking/lists/channel-scales.ts';
import {
  fitChannelScales,
  fittedChannelMark,
  fittedChannelSpan,
} from '../../../src/ranking/articles/fit-channel.ts';
import { readScale, setScale } from '../../../src/ranking/articles/mark.ts';
import { listArticles, readPosition, walkList } from '../../../src/ranking/lists/ranked.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import { TopLists } from '../../../src/ranking/lists/top-lists.ts';
import { type Scale, scoreOf } from '../../../src/ranking/rules.ts';
import { secondsOf, type Snowflake } from '../../../src/runtime/snowflake.ts';
import { AI, GAMES, idAt, NOON, post, RUST, useRanking } from '../test-ranking.ts';

const setup = useRanking();
const DAY = 86_400_000;
const OWN: Scale = { mark: 5, spanDays: 7, isLimited: true };

/** A channel of articles of which each has some votes. The first is the newest. */
async function channelOf(ups: readonly number[], apartMs = DAY / 3) {
  const guild = setup.newGuild();
  await setScale(setup.ranking, guild, { mark: 50, spanDays: 1, isLimited: true });
  const ids: Snowflake[] = [];
  for (const [at, up] of ups.entries()) {
    const id = idAt(NOON - at * apartMs);
    ids.push(await post(setup.ranking, guild, { id, tally: { up, down: 0, closed: false } }));
  }
  return { guild, ids };
}

const byOwn = (ids: readonly Snowflake[], ups: readonly number[]) => {
  const score = new Map(
    ids.map((id, at) => [id, scoreOf({ up: ups[at]!, down: 0 }, secondsOf(id), OWN)]),
  );
  return ids.toSorted((a, b) => score.get(b)! - score.get(a)! || (a < b ? 1 : -1));
};

async function idsOf(
  guild: Snowflake,
  order: 'score' | 'score-asc',
  page: number,
  pageSize: number,
) {
  const list = { guild, group: RUST, order, page, pageSize };
  const { articles } = await readList(setup.ranking, list, NOON);
  return articles.map(({ id }) => id);
}

test('a channel with a scale of its own lists its articles by it, while the guild’s list stays', async () => {
  const ups = [1, 1, 2, 9, 1, 1];
  const { guild, ids } = await channelOf(ups);
  expect(await idsOf(guild, 'score', 1, 10)).toEqual(ids);
  await setChannelScales(setup.ranking, guild, new Map([[RUST, OWN]]));
  expect(await idsOf(guild, 'score', 1, 10)).toEqual(byOwn(ids, ups));
  expect(byOwn(ids, ups)[0]).toBe(ids[3]);
  const all = await listArticles(setup.ranking, { guild, order: 'score', page: 1, pageSize: 10 });
  expect(all.articles.map(({ id }) => id)).toEqual(ids);
  // ★ is the guild's.
  expect(all.articles.some(({ interesting }) => interesting)).toBe(false);
});

test('all pages of a channel’s own list hold each article once, whatever their size and direction', async () => {
  const ups = Array.from({ length: 230 }, (_, at) => 1 + ((at * 7919) % 13));
  const { guild, ids } = await channelOf(ups);
  await setChannelScales(setup.ranking, guild, new Map([[RUST, OWN]]));
  const whole = [...byOwn(ids.slice(0, 200), ups), ...ids.slice(200)];
  for (const pageSize of [1, 10, 37, 200, 500]) {
    const pages = Math.min(Math.ceil(230 / pageSize) + 1, 25);
    for (const order of ['score', 'score-asc'] as const) {
      const wanted = order === 'score' ? whole : whole.toReversed();
      const shown: Snowflake[] = [];
      for (let page = 1; page <= pages; page += 1)
        shown.push(...(await idsOf(guild, order, page, pageSize)));
      expect(shown).toEqual(wanted.slice(0, pages * pageSize));
    }
  }
  const walked: Snowflake[] = [];
  for await (const articles of walkList(
    setup.ranking,
    { guild, group: RUST, order: 'score' },
    1000,
  )) {
    walked.push(...articles.map(({ id }) => id));
  }
  expect(walked).toEqual(whole);
  const lists = new TopLists(setup.ranking, { now: () => NOON });
  const page = await lists.page({ guild, group: RUST, order: 'score', page: 3, pageSize: 10 });
  lists.stop();
  expect(page.articles.map(({ id }) => id)).toEqual(whole.slice(20, 30));
  expect(page.total).toBe(230);
  for (const at of [0, 3, 199, 200, 229]) {
    const list = { guild, group: RUST, order: 'score' } as const;
    expect(await readPosition(setup.ranking, list, whole[at]!)).toEqual({
      position: at + 1,
      of: 230,
    });
  }
  // In a guild without a limit, an article’s place is that in the guild’s order.
  await setScale(setup.ranking, guild, { mark: 5, isLimited: false });
  const list = { guild, group: RUST, order: 'score' } as const;
  const { articles } = await listArticles(setup.ranking, { ...list, page: 1, pageSize: 500 });
  for (const at of [0, 199, 200, 229]) {
    const position = await readPosition(setup.ranking, list, articles[at]!.id);
    expect(position).toEqual({ position: at + 1, of: 230 });
  }
});

test('an article whose row is damaged keeps none of a channel’s own list from its place', async () => {
  const ups = [1, 1, 2, 9, 1, 1];
  const { guild, ids } = await channelOf(ups);
  await setChannelScales(setup.ranking, guild, new Map([[RUST, OWN]]));
  const { articles } = guildKeys(setup.ranking, guild);
  await setup.ranking.redis.hset(articles, { [ids[0]!]: 'no row', [ids[4]!]: 'no row' });
  const whole = byOwn(ids, ups).filter((id) => id !== ids[0] && id !== ids[4]);
  expect(await idsOf(guild, 'score', 1, 4)).toEqual(whole);
  const list = { guild, group: RUST, order: 'score' } as const;
  expect(await readPosition(setup.ranking, list, ids[0]!)).toBeNull();
  expect(await readPosition(setup.ranking, list, whole[3]!)).toMatchObject({ position: 4 });
});

test('a channel’s mark moves by a step a night, and goes at once where the channel had none', () => {
  const guild = { mark: 3, spanDays: 1, isLimited: true } as const;
  const votes = { closed: Array<number>(60).fill(90), inVoting: [], members: 400 };
  expect(fittedChannelMark(OWN, guild, votes)).toBe(8);
  expect(fittedChannelMark(null, guild, votes)).toBe(80);
});

test('a channel of fewer than ten articles in 30 days has no order of its own', () => {
  const guild = { mark: 50, spanDays: 1, isLimited: true } as const;
  expect(fittedChannelSpan(null, guild, { articles: 9, days: 30 })).toBeNull();
  expect(fittedChannelSpan(null, guild, { articles: 10, days: 30 })).toBe(7);
});

test('a channel’s span does not waver between two steps that fit almost as well', () => {
  const guild = { mark: 50, spanDays: 1, isLimited: true } as const;
  // Nearer to 7 days than to 5, by a little.
  const posting = { articles: 149, days: 30 };
  expect(fittedChannelSpan(null, guild, posting)).toBe(7);
  expect(fittedChannelSpan({ ...guild, spanDays: 5 }, guild, posting)).toBe(5);
});

test('a guild without a limit, as the textbook has none, gives no channel an order of its own', async () => {
  const { guild, ids } = await channelOf([1, 1, 9]);
  await setChannelScales(setup.ranking, guild, new Map([[RUST, OWN]]));
  expect(await idsOf(guild, 'score', 1, 10)).not.toEqual(ids);
  await setScale(setup.ranking, guild, { mark: 200, isLimited: false });
  expect(await idsOf(guild, 'score', 1, 10)).toEqual(ids);
});

test('a channel gets its own scale where it posts clearly less than its guild, and loses it where it does not', async () => {
  const ups = Array.from({ length: 60 }, (_, at) => (at % 15 === 0 ? 9 : 1));
  const { guild } = await channelOf(ups);
  const scale = await readScale(setup.ranking, guild);
  const options = { scale, isFixed: false, groups: [RUST, AI], members: 400, now: NOON };
  const own = () =>
    setup.ranking.redis.hgetall(
      `frontpage:${setup.ranking.applicationId}:{${guild}}:channel-scales`,
    );
  await fitChannelScales(setup.ranking, guild, options);
  // Sixty in twenty days, of which one in fifteen has nine votes.
  expect(await own()).toEqual({ [RUST]: '8 7' });
  // One that fits no more changes.
  await setChannelScales(setup.ranking, guild, new Map([[RUST, { ...OWN, mark: 8, spanDays: 5 }]]));
  await fitChannelScales(setup.ranking, guild, options);
  expect(await own()).toEqual({ [RUST]: '8 7' });
  // One that is no group any more has none.
  const left = new Map([RUST, GAMES].map((group) => [group, { ...OWN, mark: 8 }]));
  await setChannelScales(setup.ranking, guild, left);
  await fitChannelScales(setup.ranking, guild, options);
  expect(await own()).toEqual({ [RUST]: '8 7' });
  await fitChannelScales(setup.ranking, guild, { ...options, scale: { ...scale, spanDays: 7 } });
  expect(await own()).toEqual({});
  await fitChannelScales(setup.ranking, guild, options);
  await fitChannelScales(setup.ranking, guild, { ...options, isFixed: true });
  expect(await own()).toEqual({});
});

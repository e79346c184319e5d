import { afterAll, beforeAll } from 'vitest';
import { type NewArticle, postArticle } from '../../src/ranking/articles/articles.ts';
import { compareListing } from '../../src/ranking/articles/groups.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { openRanking, type Ranking } from '../../src/ranking/ranking.ts';
import { type Snowflake, snowflakeAt } from '../../src/runtime/snowflake.ts';
import { mastersOf, startTestCluster } from '../fixtures/cluster.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

export const APPLICATION = '1100000000000000001';
export const POSTER = '200000000000000001';
export const RUST = '300000000000000001';
export const AI = '300000000000000002';
export const GAMES = '300000000000000003';
/** The instant at which tests begin: 2026-03-01T12:00:00Z. */
export const NOON = 1_772_366_400_000;
export const WEEK = 604_800_000;

type TestRanking = {
  server: Pick<TestRedis, 'redis' | 'url' | 'stop'>;
  ranking: Ranking;
  /** A guild that no other test knows. */
  newGuild(): Snowflake;
};

/** A private Redis for the tests of one file: one server, or a cluster where TEST_REDIS says so. */
export function useRanking(): TestRanking {
  const setup = {} as TestRanking;
  let guilds = 0;
  beforeAll(async () => {
    setup.server = await (process.env['TEST_REDIS'] === 'cluster'
      ? startTestCluster()
      : startTestRedis());
    setup.ranking = openRanking({ redis: setup.server.redis, applicationId: APPLICATION });
    setup.newGuild = () => String(400_000_000_000_000_000n + BigInt(++guilds));
  });
  afterAll(() => setup.server?.stop());
  return setup;
}

let idsDrawn = 0;

/** A snowflake of a millisecond, different at each call. The ids of one millisecond are in no order. */
export function idAt(ms: number): Snowflake {
  idsDrawn += 1;
  // An odd factor meets each of the 2 ** 22 ids of a millisecond once.
  return String(BigInt(snowflakeAt(ms)) + BigInt((idsDrawn * 1_664_525) % 2 ** 22));
}

export function member(n: number): Snowflake {
  return String(900_719_925_474_099_300n + BigInt(n));
}

/** An article posted at noon by the poster in #rust, unless said otherwise. */
export function anArticle(guild: Snowflake, other: Partial<NewArticle> = {}): NewArticle {
  const id = other.id ?? idAt(NOON);
  const link = `https://example.com/${id}`;
  return {
    guild,
    id,
    title: `Article ${id}`,
    link,
    linkName: link,
    poster: POSTER,
    home: RUST,
    listed: true,
    ...other,
  };
}

export async function post(
  ranking: Ranking,
  guild: Snowflake,
  other: Partial<NewArticle> = {},
): Promise<Snowflake> {
  const article = anArticle(guild, other);
  const outcome = await postArticle(ranking, article);
  if (outcome.status !== 'posted') throw new Error(`not posted: ${outcome.status}`);
  return article.id;
}

/** Every key that begins with a guild's tag, wherever it is. */
export async function keysOf(ranking: Ranking, tag: string): Promise<string[]> {
  const found = await Promise.all(mastersOf(ranking.redis).map((node) => node.keys(`${tag}*`)));
  return found.flat().toSorted();
}

/** Everything that Redis holds for a guild, in a form that two states can be compared in. */
export async function dump(ranking: Ranking, guild: Snowflake): Promise<Record<string, unknown>> {
  const tag = guildKeys(ranking, guild).articles.slice(0, -'articles'.length);
  const keys = await keysOf(ranking, tag);
  const all: Record<string, unknown> = {};
  for (const key of keys) {
    const type = await ranking.redis.type(key);
    const name = key.slice(tag.length);
    if (type === 'zset') all[name] = await ranking.redis.zrange(key, '0', '-1', 'WITHSCORES');
    else if (type === 'set') all[name] = (await ranking.redis.smembers(key)).toSorted();
    else if (type === 'hash') {
      // The version counts how often changes were told, which is no state of the game.
      const fields = Object.entries(await ranking.redis.hgetall(key)).filter(
        ([field]) => field !== 'version',
      );
      if (fields.length > 0)
        all[name] = fields.map(([field, value]) => `${field} ${value}`).toSorted();
    } else throw new Error(`${key} is a ${type}`);
  }
  return all;
}

/** Shows or hides one home channel, as when its permissions change. */
export async function setListed(
  ranking: Ranking,
  { guild, home, listed }: { guild: Snowflake; home: Snowflake; listed: boolean },
): Promise<void> {
  await compareListing(ranking, guild, () => listed, { only: home });
}

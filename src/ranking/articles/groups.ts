import { scanSortedSet } from '../../redis/scan.ts';
import { deleteArticle } from './articles.ts';
import { changeArticle } from './edit.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { MAX_GROUPS } from '../rules.ts';
import { listingOf } from '../row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';

/** Adds an article to a group or removes it from one. */
export function changeGroup(
  ranking: Ranking,
  { guild, article, group }: { guild: Snowflake; article: Snowflake; group: Snowflake },
  change: 'add' | 'remove',
) {
  const args = [change, group, MAX_GROUPS] as const;
  return changeArticle(ranking, guild, article, scripts.changeGroup, 'changed', ...args);
}

/** Articles that one step changes, approximately. */
const STEP = 100;

/**
 * Adds the articles of a home channel to the guild's lists or removes them, after the channel's
 * visibility to @everyone changed. Does nothing if the last finished walk over them was for this state.
 * Bounded steps; idempotent: repeat an interrupted call to finish it.
 */
export async function setListed(
  ranking: Ranking,
  { guild, home, listed }: { guild: Snowflake; home: Snowflake; listed: boolean },
): Promise<void> {
  const { redis, changes } = ranking;
  const keys = guildKeys(ranking, guild);
  const listing = listingOf(listed);
  if ((await redis.hget(keys.listed, home)) === listing) return;
  await redis.hdel(keys.listed, home);
  await inSteps(ranking, keys.ofGroup('time', home), (article) =>
    scripts.setHome(redis, ...keys.ofScripts, article, home, listing, home),
  );
  await redis.hset(keys.listed, home, listing);
  changes.note(guild);
}

/**
 * Removes the group of a deleted channel: articles with this home group are deleted, the others leave
 * the group. Bounded steps; idempotent.
 */
export async function removeGroup(
  ranking: Ranking,
  guild: Snowflake,
  channel: Snowflake,
): Promise<void> {
  const keys = guildKeys(ranking, guild);
  await inSteps(ranking, keys.ofGroup('time', channel), async (article) => {
    const { status } = await changeGroup(ranking, { guild, article, group: channel }, 'remove');
    if (status === 'home') await deleteArticle(ranking, guild, article);
  });
  await ranking.redis.hdel(keys.listed, channel);
}

/** Visits the articles of a ranking in bounded steps, some of them twice. */
async function inSteps(
  { redis }: Ranking,
  key: string,
  visit: (article: Snowflake) => Promise<unknown>,
): Promise<void> {
  for await (const found of scanSortedSet(redis, key, STEP)) await Promise.all(found.map(visit));
}

/** The groups with articles, each with their number. */
export async function countByGroup(
  ranking: Ranking,
  guild: Snowflake,
  groups: readonly Snowflake[],
): Promise<Map<Snowflake, number>> {
  const keys = guildKeys(ranking, guild);
  const counts = await Promise.all(
    groups.map((group) => ranking.redis.zcard(keys.ofGroup('time', group))),
  );
  return new Map(
    groups.map((group, at) => [group, counts[at]!] as const).filter(([, count]) => count > 0),
  );
}

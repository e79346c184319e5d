import { readFields, scanHash, scanSortedSet } from '../../redis/scan.ts';
import { deleteArticle, scanIds } from './articles.ts';
import { changeArticle } from './edit.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { MAX_GROUPS } from '../rules.ts';
import { decodeRow, listingOf } from '../row.ts';
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

export type CompareOptions = {
  /** The home channel whose articles are compared. Default: all of the guild. */
  only?: Snowflake | null;
  /** Whether a channel is deleted for certain. Default: none is. Asked once for each channel. */
  isGone?: (channel: Snowflake) => Promise<boolean>;
};

/**
 * Compares the articles of a guild, or of one home channel, with who may view their home channels, and
 * adds those that differ to the guild's lists or removes them. Takes articles out of further groups that are
 * gone (`isGone`). Returns how many differed. `isListed` is asked again in each step, because a channel can change
 * during the walk.
 * Bounded steps; idempotent: repeat an interrupted call to finish it.
 */
export async function compareListing(
  ranking: Ranking,
  guild: Snowflake,
  isListed: (home: Snowflake) => boolean,
  { only = null, isGone = async () => false }: CompareOptions = {},
): Promise<number> {
  const { redis, changes } = ranking;
  const keys = guildKeys(ranking, guild);
  const pages =
    only === null
      ? scanIds(ranking, keys.articles)
      : scanSortedSet(redis, keys.ofGroup('time', only), STEP);
  let different = 0;
  const known = new Map<Snowflake, Promise<boolean>>();
  for await (const ids of pages) {
    const rows = [...(await readFields(redis, keys.articles, ids))];
    const wrong = rows.flatMap(([id, text]) => {
      const row = decodeRow(id, text);
      const [home = ''] = row?.groups ?? [];
      const isAsked = row !== null && (only === null || home === only);
      return isAsked && row.listed !== isListed(home) ? [{ id, home }] : [];
    });
    for (let i = 0; i < wrong.length; i += STEP) {
      const changed = wrong.slice(i, i + STEP).map(({ id, home }) => {
        const listing = listingOf(isListed(home));
        return scripts.setHome(redis, ...keys.ofScripts, id, home, listing, home);
      });
      await Promise.all(changed);
    }
    different += wrong.length;
    for (const [id, text] of rows) {
      const [, ...further] = decodeRow(id, text)?.groups ?? [];
      for (const group of further) {
        const gone = known.get(group) ?? isGone(group);
        known.set(group, gone);
        if (!(await gone)) continue;
        await changeGroup(ranking, { guild, article: id, group }, 'remove');
        different += 1;
      }
    }
  }
  if (different > 0) changes.note(guild);
  return different;
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
}

/**
 * Deletes the articles whose messages were in deleted channels, whatever their groups are now: they may have
 * been moved. Reads all rows of the guild, in bounded steps; idempotent.
 */
export async function deleteArticlesIn(
  ranking: Ranking,
  guild: Snowflake,
  isDeleted: (channel: Snowflake) => boolean,
): Promise<void> {
  for await (const [id, text] of scanHash(ranking.redis, guildKeys(ranking, guild).articles)) {
    const row = decodeRow(id, text);
    if (row !== null && isDeleted(row.channel)) await deleteArticle(ranking, guild, id);
  }
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

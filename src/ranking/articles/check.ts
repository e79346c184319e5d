import { findWrongTypes } from '../../redis/store-keys.ts';
import { nullIfWrongType } from '../../redis/errors.ts';
import { type GuildKeys, guildKeys, guildKeyTypes, type RankingName } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { scanSet, scanSortedSet } from '../../redis/scan.ts';
import { scripts } from '../scripts.ts';
import { decodeArticle } from '../row.ts';
import { isMark, SCALE_FIELDS, spanOf, TEXTBOOK, VOTING_OPEN_MS } from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scanIds } from './articles.ts';
import { endRescoring, rankArticles } from './mark.ts';

/** The rankings that a group has. */
const OF_GROUP = ['score', 'time', 'votes'] as const satisfies RankingName[];

/** The fields of `articles` that are no articles. */
const FIELDS = [...SCALE_FIELDS, 'scored', 'version'] as const;

/** The keys that say what the articles are. The others can be made from them. */
const OF_ARTICLES: ReadonlySet<string> = new Set([
  'articles',
  'texts',
] satisfies (keyof GuildKeys)[]);

/** How the keys of a guild disagree. */
type Damage = {
  /** Keys of a wrong type, and `mark` or `span` if it is none. They were deleted, except `articles` and `texts`. */
  wrongTypes: string[];
  /** Articles that a ranking or the open ones lacked. They were put there by their rows. */
  misplaced: number;
  /** Articles without a readable row or text. */
  broken: number;
  /** How many more articles the guild's lists have than there are rows. */
  rowless: number;
  /** No article can be read, as after an eviction of their rows, which also hold the mark. */
  isGone: boolean;
};

/**
 * Compares a guild's rankings and indexes with its rows, and puts into them what is missing. Articles that cannot be
 * read stay until `deleteUnreadable`.
 * Bounded steps; while nothing is wrong, it writes nothing. `channels`: the guild's, whose lists can be of a wrong type.
 */
export async function checkGuild(
  ranking: Ranking,
  guild: Snowflake,
  channels: Iterable<Snowflake>,
): Promise<Damage> {
  const keys = guildKeys(ranking, guild);
  const { redis } = ranking;
  const wrong = await findWrongTypes(redis, keys, guildKeyTypes);
  for (const name of wrong) if (!OF_ARTICLES.has(name)) await redis.unlink(keys[name]);
  if (wrong.some((name) => OF_ARTICLES.has(name))) {
    return { wrongTypes: wrong, misplaced: 0, broken: 0, rowless: 0, isGone: true };
  }
  const wrongTypes = [...wrong, ...(await deleteWrongFields(ranking, keys))];
  const rescoring = await redis.get(keys.rescoring);
  const found = await checkArticles(ranking, keys);
  const { whole } = found;
  let { misplaced } = found;
  if (found.isRefused) {
    await groupsWithLists(ranking, keys, channels);
    misplaced += (await checkArticles(ranking, keys)).misplaced;
  }
  const broken = found.broken.size;
  const rowless = await countRowless(ranking, keys);
  const isGone = whole === 0 && (broken > 0 || rowless > 0);
  await endRescoring(ranking, keys, rescoring);
  if (misplaced > 0) ranking.changes.note(guild);
  return { wrongTypes, misplaced, broken, rowless, isGone };
}

/**
 * Deletes the articles that cannot be read, and takes them out of the lists, which keep all others. Afterwards nothing
 * tells of them: note before this that they are to be read from Discord. `channels`: the guild's, whose lists can have
 * them. Bounded steps.
 */
export async function deleteUnreadable(
  ranking: Ranking,
  guild: Snowflake,
  channels: Iterable<Snowflake>,
): Promise<void> {
  const keys = guildKeys(ranking, guild);
  const { redis } = ranking;
  for (const name of await findWrongTypes(redis, keys, guildKeyTypes)) {
    await redis.unlink(keys[name]);
  }
  const groups = await groupsWithLists(ranking, keys, channels);
  for (const key of [keys.articles, keys.texts]) {
    for await (const ids of scanIds(ranking, key)) {
      await deleteFrom(ranking, keys, groups, (await sortIds(ranking, keys, ids)).broken);
    }
  }
  if ((await countRowless(ranking, keys)) > 0) await deleteRowless(ranking, keys, groups);
  ranking.changes.note(guild);
}

/**
 * Whether the numbers of entries of a guild's keys fit, as they do not after an eviction of a key that was
 * written again. One round trip, however many articles there are. The lists by votes and of groups have
 * no such number. `unlinked`: how many articles have no link in the index. It grows by one when a link is
 * posted again, and by more when the index is damaged.
 */
export async function compareEntries(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<{ fit: boolean; unlinked: number }> {
  const keys = guildKeys(ranking, guild);
  const openFrom = Math.ceil((now - VOTING_OPEN_MS) / 1000);
  const entries = await countEntries(ranking, keys, openFrom);
  const { rows, texts, links, scores, times, voting, open } = entries;
  // No comparison holds for the NaN of a key of a wrong type.
  const fit = rows === texts && links >= 0 && scores === times && scores <= texts && voting <= open;
  return { fit, unlinked: texts - links };
}

/** `voting`: the articles of the guild's list posted since `openFrom`, in seconds. */
async function countEntries({ redis }: Ranking, keys: GuildKeys, openFrom = 0) {
  const replies = await redis
    .multi()
    .hmget(keys.articles, ...FIELDS)
    .hlen(keys.articles)
    .hlen(keys.texts)
    .hlen(keys.links)
    .zcard(keys.score)
    .zcard(keys.time)
    .zcount(keys.time, openFrom, '+inf')
    .scard(keys.open)
    .exec();
  const [[, others] = [], ...counted] = replies ?? [];
  const counts = counted.map(([error, reply]) => (error ? Number.NaN : Number(reply)));
  const [fields = 0, texts = 0, links = 0, scores = 0, times = 0, voting = 0, open = 0] = counts;
  const noRows = Array.isArray(others) ? others.filter((value) => value !== null).length : 0;
  return { rows: fields - noRows, texts, links, scores, times, voting, open };
}

/** How many more articles the guild's lists have than there are rows. Hidden articles are in neither list. */
async function countRowless(ranking: Ranking, keys: GuildKeys): Promise<number> {
  const { rows, scores, times } = await countEntries(ranking, keys);
  return Math.max(0, scores - rows, times - rows);
}

async function deleteWrongFields({ redis }: Ranking, keys: GuildKeys): Promise<string[]> {
  const wrong: string[] = [];
  // The version is counted up with every change.
  const fields = ['version', 'mark', 'span'] as const;
  const [version = null, mark = null, span = null] = await redis.hmget(keys.articles, ...fields);
  if (version !== null && !/^\d{1,15}$/.test(version)) await redis.hdel(keys.articles, 'version');
  if (mark !== null && !isMark(mark)) {
    await redis.hdel(keys.articles, 'mark');
    wrong.push('mark');
  }
  if (span !== null && spanOf(span) === undefined) {
    await redis.hdel(keys.articles, 'span');
    wrong.push('span');
  }
  return wrong;
}

/**
 * Finds the articles that cannot be read, and puts the others where they are missing, all in one walk.
 * `isRefused`: a ranking has a wrong type.
 */
async function checkArticles(ranking: Ranking, keys: GuildKeys) {
  const found = { whole: 0, broken: new Set<Snowflake>(), misplaced: 0, isRefused: false };
  for (const key of [keys.articles, keys.texts]) {
    for await (const ids of scanIds(ranking, key)) {
      const { whole, broken } = await sortIds(ranking, keys, ids);
      for (const id of broken) found.broken.add(id);
      // The first of the two walks has found all that have a row.
      if (key === keys.texts) continue;
      found.whole += whole.length;
      const misplaced = await rankArticles(ranking, keys, whole).catch(nullIfWrongType);
      found.misplaced += misplaced ?? 0;
      found.isRefused ||= misplaced === null;
    }
  }
  return found;
}

/** Those of some articles that can be read, and those that cannot, without what was deleted meanwhile. */
async function sortIds({ redis }: Ranking, keys: GuildKeys, ids: readonly Snowflake[]) {
  const sorted: { whole: Snowflake[]; broken: Snowflake[] } = { whole: [], broken: [] };
  if (ids.length === 0) return sorted;
  const replies = await redis
    .multi()
    .hmget(keys.articles, ...ids)
    .hmget(keys.texts, ...ids)
    .exec();
  const [rows, texts] = (replies ?? []).map(([, values]) => values as (string | null)[]);
  for (const [i, id] of ids.entries()) {
    const [row, text] = [rows?.[i] ?? null, texts?.[i] ?? null];
    if (row === null && text === null) continue;
    sorted[decodeArticle(id, row, text, TEXTBOOK) ? 'whole' : 'broken'].push(id);
  }
  return sorted;
}

/** The groups among these channels that have lists. Those of a wrong type are deleted. */
async function groupsWithLists(
  { redis }: Ranking,
  keys: GuildKeys,
  channels: Iterable<Snowflake>,
): Promise<Snowflake[]> {
  const found = await Promise.all(
    [...channels].map(async (group) => {
      const lists = OF_GROUP.map((name) => keys.ofGroup(name, group));
      const types = await Promise.all(lists.map((list) => redis.type(list)));
      const wrong = lists.filter((_, i) => types[i] !== 'none' && types[i] !== 'zset');
      if (wrong.length > 0) await redis.unlink(...wrong);
      return types.includes('zset') ? group : [];
    }),
  );
  return found.flat();
}

/** Articles times groups that one step goes through: about a millisecond of the server's time. */
const STEP = 100;

async function deleteFrom(
  { redis }: Ranking,
  keys: GuildKeys,
  groups: readonly Snowflake[],
  ids: readonly Snowflake[],
): Promise<void> {
  const step = Math.ceil(STEP / (groups.length + 1));
  for (let i = 0; i < ids.length; i += step) {
    const some = ids.slice(i, i + step);
    await scripts.deleteUnreadable(redis, ...keys.ofScripts, groups.join(' '), ...some);
  }
}

/** Deletes the articles that only lists name. */
async function deleteRowless(
  ranking: Ranking,
  keys: GuildKeys,
  groups: readonly Snowflake[],
): Promise<void> {
  const { redis } = ranking;
  const ofGroups = groups.flatMap((group) => OF_GROUP.map((name) => keys.ofGroup(name, group)));
  const lists = [...keys.rankings, ...ofGroups].map((list) => scanSortedSet(redis, list));
  for (const pages of [...lists, scanSet(redis, keys.open)]) {
    for await (const ids of pages) {
      const rows = ids.length > 0 ? await redis.hmget(keys.articles, ...ids) : [];
      const rowless = ids.filter((_, i) => rows[i] === null);
      await deleteFrom(ranking, keys, groups, rowless);
    }
  }
}

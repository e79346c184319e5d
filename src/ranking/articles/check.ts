import { findWrongTypes } from '../../redis/store-keys.ts';
import { nullIfWrongType } from '../../redis/errors.ts';
import { type GuildKeys, guildKeys, guildKeyTypes } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { decodeArticle } from '../row.ts';
import { isMark, SCALE_FIELDS, spanOf, TEXTBOOK, VOTING_OPEN_MS } from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scanIds } from './articles.ts';
import { endRescoring, rankArticles } from './mark.ts';

/** The fields of `articles` that are no articles. */
const FIELDS = [...SCALE_FIELDS, 'scored', 'version'] as const;

/** How the keys of a guild disagree. */
type Damage = {
  /** Keys of a wrong type, and `mark` or `span` if it is none. They were deleted. */
  wrongTypes: string[];
  /** Articles that a ranking or the open ones lacked. They were put there by their rows. */
  misplaced: number;
  /** Articles without a readable row or text. They were deleted, and have to be read from Discord. */
  broken: number;
  /** No article can be read, as after an eviction of their rows, which also hold the mark. */
  isGone: boolean;
};

/**
 * Compares a guild's rankings and indexes with its rows, and repairs what does not fit.
 * Bounded steps; while nothing is wrong, it writes nothing. `channels`: the guild's, whose lists can name
 * articles of which no row is left.
 */
export async function checkGuild(
  ranking: Ranking,
  guild: Snowflake,
  channels: Iterable<Snowflake>,
): Promise<Damage> {
  const keys = guildKeys(ranking, guild);
  const wrongTypes = await deleteWrongTypes(ranking, keys);
  const rescoring = await ranking.redis.get(keys.rescoring);
  const first = await checkArticles(ranking, keys);
  const { broken } = first;
  let { misplaced } = first;
  const { rows, scores, times } = await countEntries(ranking, keys);
  // Hidden articles are in neither list.
  const hasOthers = Math.max(scores, times) > rows;
  const isGone = first.whole === 0 && (broken > 0 || hasOthers);
  if (broken > 0 || first.isRefused || hasOthers) {
    // Only the rows of the broken articles said where these stood.
    await deleteRankings(ranking, keys, channels);
    misplaced += (await checkArticles(ranking, keys)).misplaced;
  }
  await endRescoring(ranking, keys, rescoring);
  if (broken > 0 || misplaced > 0 || isGone) ranking.changes.note(guild);
  return { wrongTypes, misplaced, broken, isGone };
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

async function deleteWrongTypes({ redis }: Ranking, keys: GuildKeys): Promise<string[]> {
  const unreadable = await findWrongTypes(redis, keys, guildKeyTypes);
  for (const name of unreadable) await redis.unlink(keys[name]);
  const wrong: string[] = [...unreadable];
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
 * Deletes the articles that cannot be read, and puts the others where they are missing, all in one walk.
 * `isRefused`: a ranking has a wrong type.
 */
async function checkArticles(ranking: Ranking, keys: GuildKeys) {
  const found = { whole: 0, broken: 0, misplaced: 0, isRefused: false };
  for (const key of [keys.articles, keys.texts]) {
    for await (const ids of scanIds(ranking, key)) {
      const { whole, broken } = await sortIds(ranking, keys, ids);
      await deleteBroken(ranking, keys, broken);
      found.broken += broken.length;
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

async function deleteBroken(
  { redis }: Ranking,
  keys: GuildKeys,
  ids: readonly Snowflake[],
): Promise<void> {
  if (ids.length === 0) return;
  await redis.hdel(keys.articles, ...ids);
  await redis.hdel(keys.texts, ...ids);
  await redis.srem(keys.open, ...ids);
  await redis.unlink(...ids.flatMap((id) => [keys.voters(id), keys.older(id)]));
}

async function deleteRankings(
  { redis }: Ranking,
  { interesting, open, rankings }: GuildKeys,
  channels: Iterable<Snowflake>,
): Promise<void> {
  await redis.unlink(interesting, open);
  for (const suffix of ['', ...[...channels].map((channel) => `:${channel}`)]) {
    await redis.unlink(...rankings.map((key) => key + suffix));
  }
}

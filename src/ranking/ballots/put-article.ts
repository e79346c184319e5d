import { guildKeys } from '../keys.ts';
import { setVote } from './votes.ts';
import type { Voter } from './voters.ts';
import { linkHashOf, linkNames } from '../links/reservations.ts';
import type { Ranking } from '../ranking.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { type NewArticle, postArticle } from '../articles/articles.ts';
import { lockArticle } from '../articles/edit.ts';
import { removeArticle } from '../articles/removed.ts';
import { scripts } from '../scripts.ts';

/** An article from another source, such as a message or a file. */
export type KnownArticle = Omit<NewArticle, 'linkName'> & {
  /** The voters of an open article, without the poster. */
  voters?: ReadonlyMap<Snowflake, Voter>;
  locked?: boolean;
  /** The time of its removal; absent: it is not removed. */
  removedAtMs?: number;
  /** Its poster removed it, not a moderator. */
  own?: boolean;
};

/** Votes that one step writes, so that no other client waits long. */
const STEP = 500;

/**
 * Puts an article with its votes into the ranking. Its link gets the first of `names` that no other
 * article has. The row of an existing article stays unchanged, so an interrupted call can be repeated.
 */
export async function putArticle(
  ranking: Ranking,
  article: KnownArticle,
  names: readonly string[] = linkNames(article),
): Promise<{ status: 'posted' | 'known' | 'duplicate' }> {
  const { voters, locked, removedAtMs, own, ...plain } = article;
  const { guild, id } = plain;
  for (const linkName of names) {
    // Keep a removed article out of the guild's lists until the step below removes it.
    const listed = plain.listed && removedAtMs === undefined;
    const { status } = await postArticle(ranking, { ...plain, listed, linkName });
    if (status === 'duplicate') continue;
    // The time is before the closing time, since votes after it are refused even if not yet frozen.
    const at = snowflakeTimeMs(id) + VOTING_OPEN_MS - 1;
    const ballots = [...(voters ?? [])].map(([member, voter]) => ({ member, ...voter }));
    for (let i = 0; i < ballots.length; i += STEP) {
      const some = ballots.slice(i, i + STEP);
      await Promise.all(some.map((one) => setVote(ranking, { guild, article: id, ...one }, at)));
    }
    if (locked) await lockArticle(ranking, { guild, article: id, locked });
    if (removedAtMs !== undefined) await putRemoved(ranking, article, removedAtMs, own);
    return { status };
  }
  return { status: 'duplicate' };
}

/** An undo of the removal uses the article's first link name, so the row gets the hash of that one. */
async function putRemoved(
  ranking: Ranking,
  article: KnownArticle,
  atMs: number,
  own: boolean | undefined,
): Promise<void> {
  const { guild, id } = article;
  await removeArticle(ranking, guild, id, atMs, own);
  const { ofScripts } = guildKeys(ranking, guild);
  const linkHashes = linkNames(article).map(linkHashOf);
  await scripts.reindexLink(ranking.redis, ...ofScripts, id, ...linkHashes);
}

import type { Kind } from '../due/kind.ts';
import { fault } from '../runtime/log.ts';
import { isOutage } from '../redis/errors.ts';
import { readArticle, readArticles } from '../ranking/articles/articles.ts';
import { articlesInVoting, articlesToClose, closeArticle } from '../ranking/articles/closing.ts';
import { LAST_RECOUNT_MS, VOTING_OPEN_MS } from '../ranking/rules.ts';
import { MINUTE_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { recountArticles } from './recount/recount-guild.ts';
import type { RecountNeeds } from './recount-needs.ts';

export interface ClosingNeeds extends RecountNeeds {
  /** Notes whose votes on an article came early, before its voters are deleted. */
  personal: { noteEarlyVotes(guild: Snowflake, article: Snowflake): Promise<void> };
}

/** The most articles that one run closes; the next goes on. */
const AT_ONCE = 200;

/** What is due at the closing time of a guild's oldest open article. */
export function closingKind(needs: ClosingNeeds): Kind {
  return {
    name: 'close',
    sideBySide: 8,
    async standing(guild) {
      const atMs = await nextClosingMs(needs, guild);
      return atMs === null ? [] : [{ row: 'close', atMs }];
    },
    run: async ({ guild }) => ({ atMs: await closeDueArticles(needs, guild) }),
  };
}

/**
 * Closes the articles that have reached their closing time: a last recount, then the votes are frozen, and the
 * script that freezes them plans that the message shows the result. A recount that fails is retried for a day.
 * The bot's own 👎 goes with the voting. Returns when articles are to be closed next (ms); null: none is open.
 */
export async function closeDueArticles(
  needs: ClosingNeeds,
  guild: Snowflake,
): Promise<number | null> {
  const { ranking, clock, log, ownReactions, stopping } = needs;
  const now = clock.now();

  /** Before the article closes: nobody looks at its reactions after that. */
  async function endOwn(id: Snowflake): Promise<void> {
    const article = await readArticle(ranking, guild, id);
    if (article?.down !== 0) return;
    const { channel, signs } = article;
    await ownReactions.end({ guild, channel, article: id, signs });
  }

  /** Damage there keeps no article open. */
  async function noteEarly(id: Snowflake): Promise<void> {
    try {
      await needs.personal.noteEarlyVotes(guild, id);
    } catch (error) {
      if (isOutage(error)) throw error;
      log.info({ ...fault(error), guild, article: id }, 'Early votes could not be noted.');
    }
  }

  const due = await articlesToClose(ranking, guild, now);
  // Many that cannot be read stop no others.
  const isLast = (id: Snowflake) => Number(needs.unread.has(id));
  const ids = due.toSorted((a, b) => isLast(a) - isLast(b)).slice(0, AT_ONCE);
  if (ids.length === 0) return nextClosingMs(needs, guild);
  const articles = (await readArticles(ranking, guild, ids)).filter((one) => one !== null);
  const inTime = articles.filter(({ closesAtMs }) => now - closesAtMs <= LAST_RECOUNT_MS);
  const report = await recountArticles(needs, guild, inTime, { full: true });
  const waiting = new Set([...report.unread, ...report.unsettled, ...report.hidden]);
  // If the article of an id is missing, closing only takes the id out of the list.
  const ready = ids.filter((id) => !waiting.has(id));
  await Promise.all(ready.map(endOwn));
  let closed = 0;
  for (const id of ready) {
    if (stopping.aborted) break;
    try {
      await noteEarly(id);
      const { status } = await closeArticle(ranking, guild, id);
      if (status === 'closed') closed += 1;
    } catch (error) {
      if (isOutage(error)) throw error;
      ranking.onDamaged(guild);
      log.info({ ...fault(error), guild, article: id }, 'An article could not be closed.');
    }
  }
  if (closed > 0) log.info({ guild, closed }, 'Voting has ended.');
  if (closed > 0 && due.length > ids.length) return now;
  return nextClosingMs(needs, guild);
}

/** What is open after its closing time could not be closed, and is tried again a minute later. */
async function nextClosingMs(
  { ranking, clock }: RecountNeeds,
  guild: Snowflake,
): Promise<number | null> {
  const oldest = (await articlesInVoting(ranking, guild)).at(-1);
  if (oldest === undefined) return null;
  const closesAtMs = snowflakeTimeMs(oldest) + VOTING_OPEN_MS;
  return closesAtMs > clock.now() ? closesAtMs : clock.now() + MINUTE_MS;
}

import { fault } from '../runtime/log.ts';
import { isOutage } from '../redis/errors.ts';
import { readArticle, readArticles } from '../ranking/articles/articles.ts';
import { articlesToClose, closeArticle } from '../ranking/articles/closing.ts';
import { FINAL_AFTER_MS, LAST_RECOUNT_MS } from '../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { recountArticles } from './recount/compare.ts';
import type { RecountNeeds } from './recount-needs.ts';

/** The most articles that one call closes; the next minute continues. */
const AT_ONCE = 200;

/**
 * Closes the articles that have reached their closing time: a last recount, then the message shows the
 * result, then the votes are frozen. So an article is open until its message shows the result. A
 * recount or message that fails is retried for a day. The bot's own 👎 goes with the voting.
 */
export async function closeDueArticles(needs: RecountNeeds, guild: Snowflake): Promise<void> {
  const { ranking, clock, log, messageUpdates, ownReactions, stopping } = needs;
  const now = clock.now();
  const isOverdue = (id: Snowflake) => now - snowflakeTimeMs(id) > FINAL_AFTER_MS;

  /** Whether the article can be closed: its message shows the result, or a day has passed. */
  async function showResult(id: Snowflake): Promise<boolean> {
    try {
      const outcome = await messageUpdates.show(guild, id, { closed: true });
      const article = await readArticle(ranking, guild, id);
      // Before the article closes: nobody looks at its reactions after that.
      if (article?.down === 0) {
        await ownReactions.end({ guild, channel: article.channel, article: id });
      }
      return outcome === 'shown' || isOverdue(id);
    } catch (error) {
      if (isOutage(error) || stopping.aborted) throw error;
      log.info({ ...fault(error), guild, article: id }, 'A result could not be shown.');
      return isOverdue(id);
    }
  }

  const due = await articlesToClose(ranking, guild, now);
  // If Discord refused to edit an article's message, the article waits for at most a day.
  const possible = due.filter((id) => isOverdue(id) || !messageUpdates.isResting(id));
  // Many that cannot be read stop no others.
  const isLast = (id: Snowflake) => Number(needs.unread.has(id));
  const ids = possible.toSorted((a, b) => isLast(a) - isLast(b)).slice(0, AT_ONCE);
  if (ids.length === 0) return;
  const found = (await readArticles(ranking, guild, ids)).filter((one) => one !== null);
  const limited = found.filter((one) => !isOverdue(one.id) && messageUpdates.isLimited(one));
  const articles = found.filter((one) => !limited.includes(one));
  const inTime = articles.filter(({ closesAtMs }) => now - closesAtMs <= LAST_RECOUNT_MS);
  const report = await recountArticles(needs, guild, inTime, { full: true });
  const waiting = limited.map(({ id }) => id);
  const left = new Set([...report.unread, ...report.unsettled, ...report.hidden, ...waiting]);
  // If the article of an id is missing, closing only takes the id out of the list.
  const ready = ids.filter((id) => !left.has(id));
  const isShown = await Promise.all(ready.map(showResult));
  let closed = 0;
  for (const id of ready.filter((_, i) => isShown[i])) {
    if (stopping.aborted) break;
    try {
      const { status } = await closeArticle(ranking, guild, id);
      if (status === 'closed') closed += 1;
    } catch (error) {
      if (isOutage(error)) throw error;
      ranking.suspects.add(guild);
      log.info({ ...fault(error), guild, article: id }, 'An article could not be closed.');
    }
  }
  if (closed > 0) log.info({ guild, closed }, 'Voting has ended.');
}

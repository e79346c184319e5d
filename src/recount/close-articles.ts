import { fault } from '../log.ts';
import { isOutage } from '../redis/errors.ts';
import { type Article, readArticle, readArticles } from '../ranking/articles/articles.ts';
import { articlesToClose, closeArticle } from '../ranking/articles/closing.ts';
import { FINAL_AFTER_MS, LAST_RECOUNT_MS } from '../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../ranking/snowflake.ts';
import { recountArticles } from './compare.ts';
import type { App, RecountParts } from '../app.ts';

/** The most articles that one call closes; the next minute continues. */
const AT_ONCE = 200;

/**
 * Closes the articles that have reached their closing time: a last recount, then the message shows the
 * result, then the votes are frozen. So an article is open until its message shows the result. A
 * recount or message that fails is retried for a day. The bot's own 👎 goes with the voting. Returns
 * the number of closed articles.
 */
export async function closeDueArticles(app: RecountParts, guild: Snowflake): Promise<number> {
  const { ranking, clock } = app;
  const now = clock.now();
  const waiting = await articlesToClose(ranking, guild, now);
  const ids = waiting.filter((id) => isTurn(app, id, now)).slice(0, AT_ONCE);
  if (ids.length === 0) return 0;
  const articles = await readArticles(ranking, guild, ids);
  const due = articles.filter((article) => article !== null);
  const ready = await recounted(app, guild, due, now);
  // If the article of an id is missing, closing only takes the id out of the list.
  const lost = ids.filter((_, i) => articles[i] === null);
  const shown = await Promise.all(ready.map((id) => showResult(app, guild, id, now)));
  let closed = 0;
  for (const id of [...ready.filter((_, i) => shown[i]), ...lost]) {
    if (app.stopping.aborted) break;
    const { status } = await closeArticle(ranking, guild, id);
    if (status === 'closed') closed += 1;
  }
  if (closed > 0) app.log.info({ guild, closed }, 'Voting has ended.');
  return closed;
}

/** If Discord refused to edit an article's message, the article waits for at most a day. */
function isTurn(
  { messageUpdates }: Pick<App, 'messageUpdates'>,
  id: Snowflake,
  now: number,
): boolean {
  return isOverdue(id, now) || !messageUpdates.isResting(id);
}

function isOverdue(id: Snowflake, now: number): boolean {
  return now - snowflakeTimeMs(id) > FINAL_AFTER_MS;
}

/** Whether the article can be closed: its message shows the result, or a day has passed. */
async function showResult(
  app: Pick<App, 'log' | 'messageUpdates' | 'ownReactions' | 'ranking' | 'stopping'>,
  guild: Snowflake,
  id: Snowflake,
  now: number,
): Promise<boolean> {
  try {
    const outcome = await app.messageUpdates.show(guild, id, { closed: true });
    const article = await readArticle(app.ranking, guild, id);
    // Before the article closes: nobody looks at its reactions after that.
    if (article?.down === 0) {
      await app.ownReactions.end({ guild, channel: article.channel, article: id });
    }
    return outcome === 'shown' || isOverdue(id, now);
  } catch (error) {
    if (isOutage(error) || app.stopping.aborted) throw error;
    app.log.info({ ...fault(error), guild, article: id }, 'A result could not be shown.');
    return isOverdue(id, now);
  }
}

/** Returns the articles whose tally is final. */
async function recounted(
  app: RecountParts,
  guild: Snowflake,
  due: readonly Article[],
  now: number,
): Promise<Snowflake[]> {
  const inTime = due.filter(({ closesAtMs }) => now - closesAtMs <= LAST_RECOUNT_MS);
  const report = await recountArticles(app, guild, inTime, { full: true });
  const left = new Set([...report.unread, ...report.hidden]);
  return due.filter(({ id }) => !left.has(id)).map(({ id }) => id);
}

import type { App } from '../app.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { articlesToClose, closeArticle } from '../ranking/articles/closing.ts';
import { sweepHiddenReactions } from '../ranking/ballots/hidden-reactions.ts';
import { LAST_RECOUNT_MS } from '../ranking/rules.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { markStale } from '../ranking/articles/stale-messages.ts';
import { record } from './guild.ts';
import { recountArticles } from './compare.ts';

/** So many at a time; after a long absence the next minute goes on. */
const atOnce = 200;

/**
 * Closes the articles that have reached their closing time: a last recount, then the votes are
 * frozen and the message says so. What cannot be recounted is tried again for a day.
 * Returns how many were closed.
 */
export async function closeDueArticles(app: App, guild: Snowflake): Promise<number> {
  const { ranking, clock } = app;
  const now = clock.now();
  const ids = await articlesToClose(ranking, guild, now, atOnce);
  if (ids.length === 0) return 0;
  const articles = await readArticles(ranking, guild, ids);
  const due = articles.filter((article) => article !== null && article.closesAtMs <= now);
  const ready = [...(await recounted(app, guild, due as Article[], now))];
  // An id without an article only has to leave the list.
  const lost = ids.filter((_, i) => articles[i] === null);
  let closed = 0;
  for (const id of [...ready, ...lost]) {
    if (app.stopping.aborted) break;
    // First, so that the message says so also when this process ends right after.
    if (!lost.includes(id)) await markStale(ranking, guild, id, now);
    const { status } = await closeArticle(ranking, guild, id);
    if (status !== 'closed') continue;
    closed += 1;
    app.messageUpdates.note(guild, id);
  }
  await sweepHiddenReactions(ranking, guild);
  if (closed > 0) app.log.info({ guild, closed }, 'Voting has ended.');
  return closed;
}

/** Those whose tally is final. */
async function recounted(
  app: App,
  guild: Snowflake,
  due: readonly Article[],
  now: number,
): Promise<Snowflake[]> {
  const inTime = due.filter(({ closesAtMs }) => now - closesAtMs <= LAST_RECOUNT_MS);
  const report = await recountArticles(app, guild, inTime, { full: true });
  record(app, report);
  const left = new Set([...report.unread, ...report.hidden]);
  return due.filter(({ id }) => !left.has(id)).map(({ id }) => id);
}

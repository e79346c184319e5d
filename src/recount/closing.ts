import type { Bot } from '../discord/bot.ts';
import { judgeVoters } from '../discord/judging.ts';
import { isOutage } from '../discord/outage.ts';
import { fault } from '../log.ts';
import { type Article, readArticles } from '../voting/articles.ts';
import { articlesToClose, closeArticle } from '../voting/closing.ts';
import { sweepOffsets } from '../voting/offsets.ts';
import { LAST_RECOUNT_MS } from '../voting/rules.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import { markUnshown } from '../voting/unshown.ts';
import { record } from './guild.ts';
import { recountArticles } from './recount.ts';

/** So many at a time; after a long absence the next minute goes on. */
const atOnce = 200;

/**
 * Closes the articles that have reached their closing time: a last recount, then the votes are
 * frozen and the message says so. What cannot be recounted is tried again for a day.
 * Returns how many were closed.
 */
export async function closeDueArticles(bot: Bot, guild: Snowflake): Promise<number> {
  const { ranking, clock } = bot;
  const now = clock.now();
  const ids = await articlesToClose(ranking, guild, now, atOnce);
  if (ids.length === 0) return 0;
  const articles = await readArticles(ranking, guild, ids);
  const due = articles.filter((article) => article !== null && article.closesAtMs <= now);
  const ready = [...(await recounted(bot, guild, due as Article[], now))];
  // An id without an article only has to leave the list.
  const lost = ids.filter((_, i) => articles[i] === null);
  let closed = 0;
  for (const id of [...ready, ...lost]) {
    if (bot.stopping.aborted) break;
    // First, so that the message says so also when this process ends right after.
    if (!lost.includes(id)) await markUnshown(ranking, guild, id, now);
    const { status } = await closeArticle(ranking, guild, id);
    if (status !== 'closed') continue;
    closed += 1;
    bot.edits.note(guild, id);
  }
  await sweepOffsets(ranking, guild);
  if (closed > 0) bot.log.info({ guild, closed }, 'Voting has ended.');
  return closed;
}

/** Those whose tally is final. */
async function recounted(
  bot: Bot,
  guild: Snowflake,
  due: readonly Article[],
  now: number,
): Promise<Snowflake[]> {
  const inTime = due.filter(({ closesAtMs }) => now - closesAtMs <= LAST_RECOUNT_MS);
  const report = await recountArticles(bot, guild, inTime, { full: true });
  record(bot, report);
  await judged(bot, guild, inTime);
  const left = new Set([...report.unread, ...report.hidden]);
  return due.filter(({ id }) => !left.has(id)).map(({ id }) => id);
}

/** By the roles that voters have at the end. Where Discord does not tell them, the last night's hold. */
async function judged(bot: Bot, guild: Snowflake, articles: readonly Article[]): Promise<void> {
  const ids = articles.map(({ id }) => id);
  try {
    if (ids.length > 0) await judgeVoters(bot, guild, ids);
  } catch (error) {
    if (isOutage(error) || bot.stopping.aborted) throw error;
    bot.log.info({ ...fault(error), guild }, 'Voters could not be judged at the end of voting.');
  }
}

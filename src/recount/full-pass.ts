import type { Bot } from '../discord/bot.ts';
import { type Article, readArticles } from '../voting/articles.ts';
import { openArticles } from '../voting/closing.ts';
import { readOffsets } from '../voting/offsets.ts';
import { type Snowflake } from '../voting/snowflake.ts';
import { record } from './guild.ts';
import { recountArticles } from './recount.ts';
import type { Report } from './report.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** From 01:00 to 05:00 UTC, and what is left then within half an hour's rate. */
const nightFromMs = 3_600_000;
const nightMs = 4 * 3_600_000;
const fewestMinutes = 30;

/** What this process tried in a night: what cannot be read then waits for the next. */
const tried = new WeakMap<Bot, { nightMs: number; articles: Set<Snowflake> }>();

/**
 * One minute's share of the nightly full pass, which reads all lists of all open articles and so
 * finds the swaps that counts hide. Null where nothing is left of this night.
 */
export async function fullPassStep(bot: Bot, guild: Snowflake): Promise<Report | null> {
  const { ranking, clock } = bot;
  const now = clock.now();
  const startMs = nightStartMs(now);
  const known = tried.get(bot);
  const seen = known?.nightMs === startMs ? known.articles : new Set<Snowflake>();
  tried.set(bot, { nightMs: startMs, articles: seen });
  const ids = (await openArticles(ranking, guild)).filter((id) => !seen.has(id));
  const offsets = await readOffsets(ranking, guild, ids);
  const unread = ids.filter((_, i) => (offsets[i]?.readAtMs ?? 0) < startMs);
  const articles = (await readArticles(ranking, guild, unread)).filter(
    (one): one is Article => one !== null && one.postedAtMs < startMs && now < one.closesAtMs,
  );
  if (articles.length === 0) return null;
  const minutesLeft = Math.max(fewestMinutes, (startMs + nightMs - now) / minuteMs);
  const share = articles.slice(0, Math.ceil(articles.length / minutesLeft));
  for (const { id } of share) seen.add(id);
  const report = await recountArticles(bot, guild, share, { full: true });
  record(bot, report);
  return report;
}

/** The last 01:00 UTC. */
function nightStartMs(now: number): number {
  return Math.floor((now - nightFromMs) / dayMs) * dayMs + nightFromMs;
}

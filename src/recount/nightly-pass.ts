import { DAY_MS, HOUR_MS, MINUTE_MS } from '../clock.ts';
import type { RecountParts } from './recount-parts.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { openArticles } from '../ranking/articles/closing.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { recountArticles } from './compare.ts';
import type { Report } from './reactions/report.ts';

/** From 01:00 to 05:00 UTC. */
export const NIGHT_FROM_MS = HOUR_MS;
export const NIGHT_MS = 4 * HOUR_MS;

/**
 * Runs one minute's share of the nightly full pass. The pass reads all lists of all open articles,
 * which finds swapped votes that equal counts hide. Returns null outside the night and after the pass.
 */
export async function fullPassStep(app: RecountParts, guild: Snowflake): Promise<Report | null> {
  const { ranking, clock, recountState } = app;
  const now = clock.now();
  const startMs = nightStartMs(now);
  const minutesLeft = (startMs + NIGHT_MS - now) / MINUTE_MS;
  if (minutesLeft <= 0) return null;
  if (recountState.fullPass.nightMs !== startMs) {
    recountState.fullPass = { nightMs: startMs, tried: new Set() };
  }
  const { tried } = recountState.fullPass;
  const ids = (await openArticles(ranking, guild)).filter((id) => !tried.has(id));
  const articles = (await readArticles(ranking, guild, ids)).filter(
    (one): one is Article => one !== null && one.postedAtMs < startMs && now < one.closesAtMs,
  );
  if (articles.length === 0) return null;
  const share = articles.slice(0, Math.ceil(articles.length / Math.max(1, minutesLeft)));
  for (const { id } of share) tried.add(id);
  return recountArticles(app, guild, share, { full: true });
}

/** The last 01:00 UTC. */
function nightStartMs(now: number): number {
  return Math.floor((now - NIGHT_FROM_MS) / DAY_MS) * DAY_MS + NIGHT_FROM_MS;
}

import { type REST, RESTEvents } from 'discord.js';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

const LONG_MS = 30_000;

/**
 * Logs until when Discord, or Cloudflare in front of it, refuses all requests: discord.js waits without
 * a word. An answer that names a bucket is about the limit of a single route, and is not logged.
 */
export function tellLongWaits(rest: REST, clock: Clock, log: Log): void {
  let toldUntilMs = 0;
  rest.on(RESTEvents.Response, (_, { status, headers }) => {
    const waitMs = Number(headers.get('retry-after')) * 1000;
    const untilMs = clock.now() + waitMs;
    const isOfAll = status === 429 && !headers.has('x-ratelimit-bucket');
    if (!isOfAll || !(waitMs >= LONG_MS) || untilMs < toldUntilMs + LONG_MS) return;
    toldUntilMs = untilMs;
    const at = new Date(untilMs).toISOString().slice(0, 19);
    log.warn(
      `Discord takes no requests of this bot, or of this machine's address, until ${at} UTC, since there were too many. Frontpage waits; do not start it again and again.`,
    );
  });
}

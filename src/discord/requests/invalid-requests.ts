import type { Client, REST } from 'discord.js';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { remember } from '../remember.ts';
import { onAnswer } from './rest-hooks.ts';

/** After this many refused answers in `WINDOW_MS`, requests that can wait stop. */
export const REFUSED_IN_GUILD = 100;
const REFUSED_IN_ALL = 5000;
const WINDOW_MS = 600_000;
/** The number of channels whose guild is remembered while their requests are under way. */
const PLACES_AT_MOST = 10_000;

/** Counts the answers that Discord counts. The result says whether what can wait must stop in a guild. */
export function countRefusedAnswers(
  client: Client,
  log: Log,
): (place: { guild: Snowflake; channel: Snowflake }) => boolean {
  const guildOf = new Map<Snowflake, Snowflake>();
  const counts = new Map<Snowflake, number>();
  let all = 0;
  let windowMs = performance.now();

  onAnswer(client.rest, ({ status, headers }, url) => {
    // Without a time, such as from Cloudflare, discord.js would ask again at once, and again.
    if (status === 429 && !headers.has('retry-after')) headers.set('retry-after', '60');
    if (isInvalid(status, headers)) count(guildOfAddress(url));
  });

  function turnWindow(): void {
    if (performance.now() - windowMs < WINDOW_MS) return;
    windowMs = performance.now();
    all = 0;
    counts.clear();
  }

  function count(guild: Snowflake | undefined): void {
    turnWindow();
    all += 1;
    if (guild === undefined) return;
    const refused = (counts.get(guild) ?? 0) + 1;
    counts.set(guild, refused);
    if (refused === REFUSED_IN_GUILD) {
      log.warn({ guild }, 'Discord refuses too much in a guild: what can wait stops there.');
    }
  }

  function guildOfAddress(url: string): Snowflake | undefined {
    const [, kind, id = ''] = /\/(channels|guilds)\/(\d+)/.exec(url) ?? [];
    if (kind !== 'channels') return kind && id;
    const channel = client.channels.cache.get(id);
    return channel && 'guildId' in channel ? (channel.guildId ?? undefined) : guildOf.get(id);
  }

  return ({ guild, channel }) => {
    turnWindow();
    remember(guildOf, channel, guild, PLACES_AT_MOST);
    const refused = counts.get(guild) ?? 0;
    return refused >= REFUSED_IN_GUILD || (refused > 0 && all >= REFUSED_IN_ALL);
  };
}

/** Whether Discord counts the answer. It does not count a 429 of a limit that bots share. */
function isInvalid(status: number, headers: Headers): boolean {
  if (status === 429) return headers.get('x-ratelimit-scope') !== 'shared';
  return status === 401 || status === 403;
}

const LONG_MS = 30_000;

/**
 * Logs until when Discord, or Cloudflare in front of it, refuses all requests: discord.js waits without
 * a word. An answer that names a bucket is about the limit of a single route, and is not logged.
 */
export function tellLongWaits(rest: REST, clock: Clock, log: Log): void {
  let toldUntilMs = 0;
  onAnswer(rest, ({ status, headers }) => {
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

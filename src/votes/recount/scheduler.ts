import { beginSpread } from '../../runtime/begin-spread.ts';
import { pauseAfter } from '../../runtime/retry.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { withLease } from '../../redis/lease.ts';
import { isOutage, openWarnings, type Warn } from '../../redis/errors.ts';
import { articlesInVoting } from '../../ranking/articles/closing.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { closeDueArticles } from '../close-articles.ts';
import { recountGuild, recountArticlesInVoting } from './compare.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import type { Reactions } from '../events/reactions.ts';

/**
 * Where something happened, the gateway may have dropped other events in silence. A look at the counts
 * costs a request for each 100 messages between the channel's open articles.
 */
const LOOK_EVERY_MS = 300_000;
export interface RecountPauses {
  /** Before the first try, since a session begins with a burst of events and may end at once (ms). */
  firstMs: number;
  /** Between tries, to which the first grows (ms). */
  longestMs: number;
}

const USUAL_PAUSES: RecountPauses = {
  firstMs: 1500,
  // A channel that refuses (403) rests for a minute, and must be counted within a minute after that.
  longestMs: 15_000,
};
/** What Discord fails to answer, while it answers else, is tried at that pace for two minutes … */
const PACED_TRIES = 8;
/** … and for half an hour in all, with pauses that double. Then it waits for the hourly look. */
const TRIES_AT_MOST = 14;

/** The night is from 01:00 to 05:00 UTC. */
export const NIGHT_FROM_MS = HOUR_MS;
export const NIGHT_MS = 4 * HOUR_MS;

export interface Recounts {
  /** Recounts a guild soon. Several calls before it starts cause one recount. */
  soon(guild: Snowflake): void;
  /** Call it once a minute: it closes articles, and runs the hourly recount and the nightly pass. */
  tick(): Promise<void>;
}

export interface RecountsNeeds extends RecountNeeds {
  /** They tell of missed events, and of the channels where something happened. */
  reactions: Reactions;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

/** What a recount could not do. `articles`: to be tried again; undefined: all of the guild. */
type Left = {
  articles: readonly Snowflake[] | undefined;
  /** The number of them of which Discord was asked in vain. */
  unanswered: number;
};

/**
 * Recounts guilds whose events the bot may have missed: after a fresh session or an outage of Discord,
 * which make a guild available again, and after an outage of Redis. A resumed session missed no events.
 */
export function followRecounts(needs: RecountsNeeds, pauses = USUAL_PAUSES): Recounts {
  const { client, clock, log, reactions, stopping } = needs;
  const warn = openWarnings(log);
  /** The last request for a recount of each guild, until it ends well. */
  const requests = new Map<Snowflake, { isBegun: boolean }>();
  /** The times of each guild's last looks (by the bot's clock). */
  const looks = new Map<Snowflake, { allMs: number; activeMs: number }>();
  const fullPassStep = openFullPass(needs);
  /** Discord's answers of any kind but faults of its servers. */
  let answers = 0;
  client.rest.on('response', (_, { status }) => {
    if (status < 500) answers += 1;
  });

  function soon(guild: Snowflake): void {
    if (stopping.aborted || requests.get(guild)?.isBegun === false) return;
    const request = { isBegun: false };
    requests.set(guild, request);
    const work = async (): Promise<void> => {
      let left: Left = { articles: undefined, unanswered: 0 };
      let failed = 0;
      for (let tries = 1; failed < TRIES_AT_MOST; tries += 1) {
        const slower = 2 ** Math.max(0, failed - PACED_TRIES);
        await pause(pauseAfter(tries, pauses) * slower, undefined, { signal: stopping });
        // A newer request has a turn of its own.
        if (requests.get(guild) !== request) return;
        request.isBegun = true;
        const { unanswered } = left;
        const answersBefore = answers;
        left = await recountLeft(needs, warn, guild, left.articles);
        if (left.articles?.length === 0) break;
        // In an outage there is no answer at all, and everything must be right soon after it.
        const isStuck = left.unanswered > 0 && left.unanswered === unanswered;
        if (!isStuck) failed = 0;
        else if (answers > answersBefore) failed += 1;
      }
      if (requests.get(guild) === request) requests.delete(guild);
    };
    needs.hold(work().catch(() => {})); // The pause ends with the bot.
  }

  reactions.onMissed(soon);

  /** Compares the counts: of all channels each hour, and in between where something happened. */
  async function compareCounts(guild: Snowflake): Promise<void> {
    const now = clock.now();
    const last = looks.get(guild) ?? { allMs: now, activeMs: now };
    looks.set(guild, last);
    if (Math.abs(now - last.activeMs) < LOOK_EVERY_MS) return;
    last.activeMs = now;
    const channels = reactions.active.get(guild) ?? new Set();
    reactions.active.delete(guild);
    const isHour = Math.abs(now - last.allMs) >= HOUR_MS;
    if (isHour) last.allMs = now;
    if (!isHour && channels.size === 0) return;
    const { unsettled } = await recountGuild(needs, guild, isHour ? {} : { channels });
    if (unsettled.length > 0) soon(guild);
  }

  async function runMinute(guild: Snowflake): Promise<void> {
    const closing = () =>
      withLease(needs, { guild, work: 'closing' }, () => closeDueArticles(needs, guild));
    // What fails for one of them stops no other.
    for (const step of [closing, () => fullPassStep(guild), () => compareCounts(guild)]) {
      try {
        await step();
      } catch (error) {
        if (stopping.aborted) return;
        warn(error, { guild }, 'Closing articles or recounting failed; it is retried in a minute.');
        if (isOutage(error)) return;
      }
    }
  }

  return {
    soon,
    async tick(): Promise<void> {
      const available = client.guilds.cache.filter((guild) => guild.available);
      // A guild that waits for Discord's limits does not delay the others.
      await beginSpread([...available.keys()], stopping, runMinute);
    },
  };
}

/** Recounts these articles, or all, and says which are left. */
async function recountLeft(
  needs: RecountsNeeds,
  warn: Warn,
  guild: Snowflake,
  articles: readonly Snowflake[] | undefined,
): Promise<Left> {
  // When an unavailable guild returns, it is recounted.
  const isAvailable = needs.client.guilds.cache.get(guild)?.available === true;
  if (!isAvailable) return { articles: [], unanswered: 0 };
  try {
    const only = articles && { articles };
    const report = await recountGuild(needs, guild, { afterGap: true, ...only });
    const { unread, refused, unsettled } = report;
    return { articles: [...unread, ...unsettled], unanswered: unread.length - refused.length };
  } catch (error) {
    if (!needs.stopping.aborted) warn(error, { guild }, 'A recount failed, and is tried again.');
    return { articles, unanswered: 0 };
  }
}

/** Runs one minute's share of the nightly full pass, which finds swapped votes that equal counts hide. */
function openFullPass(needs: RecountNeeds): (guild: Snowflake) => Promise<void> {
  /** The articles that were tried. If one could not be read, it waits for the next night. */
  let night = { startMs: 0, tried: new Set<Snowflake>() };
  return async (guild) => {
    const now = needs.clock.now();
    // The last 01:00 UTC.
    const startMs = Math.floor((now - NIGHT_FROM_MS) / DAY_MS) * DAY_MS + NIGHT_FROM_MS;
    const minutesLeft = (startMs + NIGHT_MS - now) / MINUTE_MS;
    if (minutesLeft <= 0) return;
    if (night.startMs !== startMs) night = { startMs, tried: new Set() };
    const { tried } = night;
    const ids = (await articlesInVoting(needs.ranking, guild)).filter(
      (id) => !tried.has(id) && snowflakeTimeMs(id) < startMs,
    );
    if (ids.length === 0) return;
    const articles = ids.slice(0, Math.ceil(ids.length / Math.max(1, minutesLeft)));
    for (const id of articles) tried.add(id);
    await recountArticlesInVoting(needs, guild, { articles, full: true });
  };
}

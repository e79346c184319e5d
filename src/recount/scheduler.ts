import type { RunningApp } from '../app.ts';
import { withLease } from '../redis/lease.ts';
import { openWarnings } from '../redis/errors.ts';
import { fault } from '../log.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { closeDueArticles } from './close-articles.ts';
import { fullPassStep } from './nightly-pass.ts';
import { recountGuild } from './guild.ts';

export type Recounts = {
  /** Call it once a minute: it closes articles, and runs the hourly recount and the nightly pass. */
  tick(): Promise<void>;
  /** Recounts a guild soon. Several calls before it starts cause one recount. */
  soon(guild: Snowflake): void;
};

const hourMs = 3_600_000;
/**
 * Where something happened, the gateway may have dropped other events in silence. A look at the counts
 * costs a request for each 100 messages between the channel's open articles.
 */
const lookEveryMs = 300_000;
const longestRetryMs = 600_000;

/** `settleMs` is a delay, because a session begins with a burst of guilds and may end at once. */
const usualPace = { settleMs: 1500, firstRetryMs: 5000 };

type Plan = {
  timer: NodeJS.Timeout | undefined;
  running: boolean;
  /** Another recount was requested while this one ran. */
  again: boolean;
  /** Events may be missing since the last whole recount. */
  afterGap: boolean;
  failures: number;
  /** The time of its last end, by the bot's clock. */
  doneAtMs: number;
  /** The time of the last look at the channels in which something happened. */
  lookedAtMs: number;
};

/**
 * Recounts guilds whose events the bot may have missed: all guilds after a fresh READY, and a guild
 * that became available again. A resumed session has missed no events.
 */
export function followRecounts(
  running: RunningApp,
  { settleMs, firstRetryMs } = usualPace,
): Recounts {
  const { app, reactions } = running;
  const { client, clock, log, stopping } = app;
  const warn = openWarnings(log);
  const plans = new Map<Snowflake, Plan>();
  stopping.addEventListener('abort', () => {
    for (const plan of plans.values()) clearTimeout(plan.timer);
  });

  function planOf(guild: Snowflake): Plan {
    const plan = plans.get(guild) ?? {
      timer: undefined,
      running: false,
      again: false,
      afterGap: false,
      failures: 0,
      doneAtMs: clock.now(),
      lookedAtMs: clock.now(),
    };
    plans.set(guild, plan);
    return plan;
  }

  /** A recount of a guild whose events may be missing. */
  function soon(guild: Snowflake): void {
    planOf(guild).afterGap = true;
    schedule(guild);
  }

  function schedule(guild: Snowflake, inMs = settleMs): void {
    const plan = planOf(guild);
    if (stopping.aborted) return;
    if (plan.running) {
      plan.again = true;
      return;
    }
    clearTimeout(plan.timer);
    plan.timer = setTimeout(() => running.hold(run(guild, plan)), inMs);
  }

  async function run(guild: Snowflake, plan: Plan): Promise<void> {
    plan.running = true;
    plan.again = false;
    const { afterGap } = plan;
    plan.afterGap = false;
    let whole = false;
    try {
      // An unavailable guild shows no channels. GUILD_CREATE announces its return.
      if (client.guilds.cache.get(guild)?.available !== true) whole = true;
      else whole = (await recountGuild(app, guild, { afterGap })).unread.length === 0;
    } catch (error) {
      if (!stopping.aborted) log.warn({ ...fault(error), guild }, 'A recount failed.');
    }
    plan.running = false;
    plan.doneAtMs = clock.now();
    plan.failures = whole ? 0 : plan.failures + 1;
    if (!whole) plan.afterGap ||= afterGap;
    if (plan.again) schedule(guild);
    else if (!whole)
      schedule(guild, Math.min(firstRetryMs * 2 ** (plan.failures - 1), longestRetryMs));
  }

  function on(event: 'READY' | 'GUILD_CREATE', handle: (packet: { id?: string }) => void): void {
    client.ws.on(event as never, (packet: { id?: string }) => {
      if (!stopping.aborted) handle(packet);
    });
  }
  function all(): void {
    for (const guild of client.guilds.cache.keys()) soon(guild);
  }
  on('READY', all);
  on('GUILD_CREATE', ({ id }) => {
    if (id !== undefined) soon(id);
  });
  all();

  async function lookAtActive(guild: Snowflake): Promise<void> {
    const plan = planOf(guild);
    const channels = reactions.active.get(guild);
    if (!channels || Math.abs(clock.now() - plan.lookedAtMs) < lookEveryMs) return;
    reactions.active.delete(guild);
    plan.lookedAtMs = clock.now();
    await recountGuild(app, guild, { channels });
  }

  async function runMinute(guild: Snowflake): Promise<void> {
    try {
      if (Math.abs(clock.now() - planOf(guild).doneAtMs) >= hourMs) schedule(guild);
      await lookAtActive(guild);
      await withLease(app, { guild, work: 'closing' }, () => closeDueArticles(app, guild));
      await withLease(app, { guild, work: 'full-pass' }, () => fullPassStep(app, guild));
    } catch (error) {
      if (stopping.aborted) return;
      warn(error, { guild }, 'Closing articles or recounting failed; it is retried in a minute.');
    }
  }

  return {
    soon,
    async tick() {
      for (const guild of reactions.missed) soon(guild);
      reactions.missed.clear();
      const available = client.guilds.cache.filter((guild) => guild.available);
      // In parallel, so that a guild that waits for Discord's limits does not delay the others.
      await Promise.all([...available.keys()].map(runMinute));
    },
  };
}

import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import type { App } from '../../app.ts';
import {
  beginImport,
  type Counts,
  moveImport,
  noCounts,
  noteImport,
  type Plan,
  readImport,
} from '../../records/imports.ts';
import { isListed } from '../../discord/visibility.ts';
import { snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { withLease } from '../../redis/lease.ts';
import { type Holder, holderOf, judge } from './judging.ts';
import { hasVotes } from './votes.ts';
import { placesOf, readUp } from './walk.ts';

export type LookOutcome =
  | { status: 'looked'; run: string; counts: Counts }
  /** Another import of this guild, or its dry run, is under way. */
  | { status: 'held' }
  /** Somebody ended it, or another one began. */
  | { status: 'cancelled' };

/** Told after each page: up to when the present channel or thread is read. */
export type LookStep = { run: string; counts: Counts; upToMs: number };

/**
 * The dry run: reads the history as the import would, and says what would become of it. It writes
 * nothing but what it counts. Throws `NotReadable` where Discord does not let us read.
 */
export async function lookAtHistory(
  app: App,
  guild: Guild,
  group: NonThreadGuildBasedChannel,
  plan: Plan,
  onStep: (step: LookStep) => void,
): Promise<LookOutcome> {
  const { store, clock } = app;
  return withLease<LookOutcome>(app, { guild: guild.id, work: 'import' }, async (held) => {
    const { lease } = held;
    try {
      // It may be waiting for its turn, such as after a restart.
      if ((await readImport(store, guild.id))?.phase === 'running') return { status: 'held' };
      const run = await beginImport(store, guild.id, plan, clock.now());
      const counts = noCounts();
      const taking = openNames(app, guild, run);
      for (const place of await placesOf(app, guild, group)) {
        for await (const page of readUp(app, guild.id, place, plan, undefined)) {
          held.signal.throwIfAborted();
          const rules = await app.rules.read(guild.id);
          for (const message of page) {
            const judging = { app, run, rules, group, holder: taking.holder };
            const verdict = await judge(judging, message);
            counts.messages += 1;
            counts[verdict.is === 'wanted' ? 'imported' : verdict.is] += 1;
            if (verdict.is !== 'wanted') continue;
            if (hasVotes(message)) counts.voted += 1;
            const postedAtMs = snowflakeTimeMs(verdict.found.id);
            taking.take(verdict.name, postedAtMs, isListed(group));
          }
          const noted = await noteImport(store, guild.id, lease, { counts }, clock.now());
          if (noted.status === 'lost' || noted.phase !== 'looking') return { status: 'cancelled' };
          const upToMs = snowflakeTimeMs(page.at(-1)?.id ?? place.channel);
          onStep({ run, counts, upToMs });
        }
      }
      await noteImport(store, guild.id, lease, { counts }, clock.now());
      const move = { run, from: 'looking', to: 'looked' } as const;
      const { status } = await moveImport(store, guild.id, move, clock.now());
      return status === 'moved' ? { status: 'looked', run, counts } : { status: 'cancelled' };
    } catch (error) {
      if (held.lost()) return { status: 'cancelled' };
      throw error;
    }
  });
}

/** The index of links as it would be by now. */
function openNames(app: App, guild: Guild, run: string) {
  const taken = new Map<string, Holder>();
  return {
    holder: async (name: string): Promise<Holder | null> =>
      taken.get(name) ?? holderOf(app, guild.id, run, name),
    take(name: string, postedAtMs: number, listed: boolean): void {
      taken.set(name, { article: null, postedAtMs, listed, ours: true });
    },
  };
}

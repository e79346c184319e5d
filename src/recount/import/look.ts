import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import {
  beginImport,
  type Counts,
  moveImport,
  noCounts,
  noteImport,
  type Plan,
  readImport,
} from '../../records/history/imports.ts';
import { isListed } from '../../discord/access/visibility.ts';
import { snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { withLease } from '../../redis/lease.ts';
import { type Holder, holderOf, decide } from './decide.ts';
import type { UnreadPlace } from '../history/unread.ts';
import { hasVotes } from './votes.ts';
import { walkGroup } from './walk-group.ts';
import type { RecountParts } from '../recount-parts.ts';

export type LookOutcome =
  | { status: 'looked'; run: string; counts: Counts; unread: UnreadPlace[] }
  /** The bot may not read the channel. */
  | { status: 'unreadable' }
  /** Another import of this guild, or its dry run, is under way. */
  | { status: 'held' }
  /** Somebody ended it, or began another one. */
  | { status: 'cancelled' };

/** Reported after each page, with the time up to which the present channel or thread is read. */
type LookStep = { run: string; counts: Counts; upToMs: number };

/** Somebody ended the dry run, or began another one. */
class Cancelled extends Error {}

/**
 * The dry run: reads the history as the import would, and counts what each message would become. It
 * writes only these counts.
 */
export async function lookAtHistory(
  app: RecountParts,
  guild: Guild,
  group: NonThreadGuildBasedChannel,
  plan: Plan,
  onStep: (step: LookStep) => void,
): Promise<LookOutcome> {
  const { store, clock } = app;
  return withLease<LookOutcome>(app, { guild: guild.id, work: 'import' }, async (held) => {
    const { lease } = held;
    try {
      // A running import may hold no lease for a moment, such as after a restart.
      if ((await readImport(store, guild.id))?.phase === 'running') return { status: 'held' };
      const run = await beginImport(store, guild.id, plan, clock.now());
      const counts = noCounts();
      /** The links that would be imported up to here. */
      const taken = new Map<string, Holder>();
      const holder = async (name: string): Promise<Holder | null> =>
        taken.get(name) ?? holderOf(app, guild.id, name);
      let upToMs = plan.fromMs;
      const note = async (unread: readonly UnreadPlace[] = []): Promise<void> => {
        const noted = await noteImport(store, guild.id, lease, { counts, unread }, clock.now());
        if (noted.status === 'lost' || noted.phase !== 'looking') throw new Cancelled();
      };
      const unread = await walkGroup(app.requests, guild, group, plan, {
        cursors: new Map(),
        signal: held.signal,
        async handle(messages) {
          const rules = await app.rules.read(guild.id);
          for (const message of messages) {
            const context = { app, run, rules, group, holder };
            const decision = await decide(context, message);
            counts.messages += 1;
            counts[decision.is === 'wanted' ? 'imported' : decision.is] += 1;
            upToMs = snowflakeTimeMs(message.id);
            if (decision.is !== 'wanted') continue;
            if (hasVotes(message)) counts.voted += 1;
            const postedAtMs = snowflakeTimeMs(message.id);
            taken.set(decision.name, { article: null, postedAtMs, listed: isListed(group) });
          }
        },
        async note() {
          await note();
          onStep({ run, counts, upToMs });
        },
      });
      if (unread === null) return { status: 'unreadable' };
      await note(unread);
      const move = { run, from: 'looking', to: 'looked' } as const;
      const { status } = await moveImport(store, guild.id, move, clock.now());
      return status === 'moved'
        ? { status: 'looked', run, counts, unread }
        : { status: 'cancelled' };
    } catch (error) {
      if (held.lost() || error instanceof Cancelled) return { status: 'cancelled' };
      throw error;
    }
  });
}

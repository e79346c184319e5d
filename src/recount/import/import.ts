import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { ChannelRefused } from '../../discord/requests/queue.ts';
import type { App } from '../../app.ts';
import { groupOf } from '../../discord/visibility.ts';
import {
  END,
  type ImportState,
  moveImport,
  noteImport,
  readImport,
} from '../../records/imports.ts';
import type { Lease } from '../../redis/lease.ts';
import { readRebuildStates } from '../../records/rebuilds.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { withLease, LeaseLost } from '../../redis/lease.ts';
import { importMessage } from './article.ts';
import { followDeletions } from './deletions.ts';
import { NotReadable, placesOf, readUp } from './walk.ts';

export type ImportOutcome =
  | { status: 'finished' | 'cancelled'; state: ImportState }
  /** The channel may not be read (any more). It is tried again each minute. */
  | { status: 'unreadable'; state: ImportState }
  /** Another process is at it. */
  | { status: 'held' }
  /** There is nothing to go on with. */
  | { status: 'unneeded' };

const noteEveryMs = 2000;

/**
 * Goes on with the guild's import where it stands, until its end. Whichever process asks first does
 * it. Each message is one article or none, however often it is read: its id is the article's, and its
 * link can be only one article's.
 */
export async function runImport(
  app: App,
  guild: Guild,
  onStep: (state: ImportState) => void = () => {},
): Promise<ImportOutcome> {
  const { store } = app;
  return withLease<ImportOutcome>(app, { guild: guild.id, work: 'import' }, async (held) => {
    const { lease } = held;
    try {
      const state = await readImport(store, guild.id);
      if (state?.phase !== 'running') return { status: 'unneeded' };
      // Without the whole ranking nobody can tell what is a duplicate.
      const [ranked] = await readRebuildStates(store, [guild.id]);
      if (!ranked?.born) return { status: 'held' };
      const group = groupIn(guild, state.plan.channel);
      if (group === null) return await giveUp(app, guild.id, state);
      const { signal } = held;
      return await goOn({ app, guild, group, lease, state, signal, step: onStep, notedMs: 0 });
    } catch (error) {
      if (held.lost() || error instanceof LeaseLost) return { status: 'held' };
      throw error;
    }
  });
}

/** The channel was deleted. */
async function giveUp(app: App, guild: Snowflake, state: ImportState): Promise<ImportOutcome> {
  const move = { run: state.run, from: 'running', to: 'cancelled' } as const;
  await moveImport(app.store, guild, move, app.clock.now());
  state.phase = 'cancelled';
  return { status: 'cancelled', state };
}

function groupIn(guild: Guild, channel: Snowflake): NonThreadGuildBasedChannel | null {
  const found = guild.channels.cache.get(channel);
  return found ? groupOf(found) : null;
}

type Work = {
  app: App;
  guild: Guild;
  group: NonThreadGuildBasedChannel;
  lease: Lease;
  state: ImportState;
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
  step(state: ImportState): void;
  /** When it was last noted how far it is. */
  notedMs: number;
};

async function goOn(work: Work): Promise<ImportOutcome> {
  const { app, guild, group, state } = work;
  const deletions = followDeletions(app.client, guild.id);
  try {
    for (const place of await placesOf(app, guild, group)) {
      const cursor = state.cursors.get(place.channel);
      if (cursor === END) continue;
      for await (const page of readUp(app, guild.id, place, state.plan, cursor)) {
        for (const [n, message] of page.entries()) {
          work.signal.throwIfAborted();
          const taking = { app, guild: guild.id, group, run: state.run, deletions };
          const fate = await importMessage(taking, message);
          state.counts.messages += 1;
          state.counts[fate] += 1;
          // Reactions take their time, and whoever cancels does not want to wait for a page.
          const isDue = performance.now() - work.notedMs > noteEveryMs;
          if (!isDue && n < page.length - 1) continue;
          if ((await note(work, place.channel, message.id)) === 'cancelled') return ended(work);
          work.step(state);
        }
      }
      if ((await note(work, place.channel, END)) === 'cancelled') return ended(work);
    }
  } catch (error) {
    const isRefused = error instanceof NotReadable || error instanceof ChannelRefused;
    if (isRefused) return { status: 'unreadable', state };
    throw error;
  } finally {
    deletions.end();
  }
  const move = { run: state.run, from: 'running', to: 'finished' } as const;
  const { status } = await moveImport(app.store, guild.id, move, app.clock.now());
  if (status === 'stale') return ended(work);
  state.phase = 'finished';
  app.log.info({ guild: guild.id, ...state.counts }, 'The history of a channel is imported.');
  return { status: 'finished', state };
}

async function note(work: Work, place: Snowflake, cursor: string): Promise<'noted' | 'cancelled'> {
  const { app, guild, lease, state } = work;
  work.notedMs = performance.now();
  const { counts } = state;
  const now = app.clock.now();
  const noted = await noteImport(app.store, guild.id, lease, { place, cursor, counts }, now);
  if (noted.status === 'lost') throw new LeaseLost('The import went to another process.');
  return noted.phase === 'running' ? 'noted' : 'cancelled';
}

function ended({ state }: Work): ImportOutcome {
  state.phase = 'cancelled';
  return { status: 'cancelled', state };
}

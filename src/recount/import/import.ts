import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { groupOf } from '../../discord/access/visibility.ts';
import {
  type ImportState,
  moveImport,
  noteImport,
  readImport,
} from '../../records/history/imports.ts';
import type { Lease } from '../../redis/lease.ts';
import { readRebuildStates } from '../../records/history/rebuilds.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { withLease, LeaseLost } from '../../redis/lease.ts';
import { importMessage } from './import-article.ts';
import { type Reading, walkGroup } from './walk-group.ts';
import type { App } from '../../app.ts';
import type { RecountParts } from '../recount-parts.ts';

type ImportOutcome =
  | { status: 'finished' | 'cancelled'; state: ImportState }
  /** The bot may not read the channel. The import is retried each minute. */
  | { status: 'unreadable'; state: ImportState }
  /** Another process runs the import, or the guild's ranking is not rebuilt yet. */
  | { status: 'held' }
  /** No import is under way. */
  | { status: 'unneeded' };

const NOTE_EVERY_MS = 2000;

/**
 * Continues the guild's import where it stands, until its end. The first process that asks runs it.
 * Each message becomes at most one article, however often it is read: the article has the message's
 * id, and a link can belong to one article only.
 */
export async function runImport(
  app: RecountParts,
  guild: Guild,
  onStep: (state: ImportState) => void = () => {},
): Promise<ImportOutcome> {
  const { store } = app;
  return withLease<ImportOutcome>(app, { guild: guild.id, work: 'import' }, async (held) => {
    const { lease } = held;
    try {
      const state = await readImport(store, guild.id);
      if (state?.phase !== 'running') return { status: 'unneeded' };
      // Duplicates can be recognized only if the ranking is complete.
      const [ranked] = await readRebuildStates(store, [guild.id]);
      if (!ranked?.complete) return { status: 'held' };
      const group = groupIn(guild, state.plan.channel);
      if (group === null) return await giveUp(app, guild.id, state);
      const { signal } = held;
      return await goOn({ app, guild, group, lease, state, signal, step: onStep });
    } catch (error) {
      if (held.lost() || error instanceof LeaseLost) return { status: 'held' };
      throw error;
    }
  });
}

/** Cancels the import of a channel that was deleted. */
async function giveUp(
  app: Pick<App, 'store' | 'clock'>,
  guild: Snowflake,
  state: ImportState,
): Promise<ImportOutcome> {
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
  app: RecountParts;
  guild: Guild;
  group: NonThreadGuildBasedChannel;
  lease: Lease;
  state: ImportState;
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
  step(state: ImportState): void;
};

/** Somebody ended the import. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

async function goOn(work: Work): Promise<ImportOutcome> {
  const { app, guild, group, state } = work;
  try {
    const unread = await walkGroup(app.requests, guild, group, state.plan, openReading(work));
    if (unread === null) return { status: 'unreadable', state };
    state.unread = unread;
    await note(work, { unread });
  } catch (error) {
    if (error instanceof Cancelled) return ended(work);
    throw error;
  }
  const move = { run: state.run, from: 'running', to: 'finished' } as const;
  const { status } = await moveImport(app.store, guild.id, move, app.clock.now());
  if (status === 'stale') return ended(work);
  state.phase = 'finished';
  const fields = { guild: guild.id, ...state.counts, unread: state.unread };
  app.log.info(fields, 'The history of a channel is imported.');
  return { status: 'finished', state };
}

/** Imports the messages one by one. */
function openReading(work: Work): Reading {
  const { app, guild, group, state, signal } = work;
  const { cursors, counts, run } = state;
  let notedMs = 0;
  const noteAt = async (place: Snowflake, cursor: string): Promise<void> => {
    notedMs = performance.now();
    await note(work, { place, cursor });
    work.step(state);
  };
  return {
    cursors,
    signal,
    async handle(messages, { channel }) {
      // A message can be deleted before its turn: then the event finds no article to delete.
      const all = messages.map((message) => ({
        message,
        events: app.concurrentVotes.begin(message.id),
      }));
      try {
        for (const { message, events } of all) {
          signal.throwIfAborted();
          const fate = await importMessage({ app, guild: guild.id, group, run, events }, message);
          counts.messages += 1;
          counts[fate] += 1;
          // Reading reactions takes long, so notice a cancellation before the page ends.
          if (performance.now() - notedMs > NOTE_EVERY_MS) await noteAt(channel, message.id);
        }
      } finally {
        for (const { events } of all) events.end();
      }
    },
    note: noteAt,
  };
}

/** Throws `LeaseLost` if another process runs the import, and `Cancelled` if somebody ended it. */
async function note(
  { app, guild, lease, state }: Work,
  at: { place?: Snowflake; cursor?: string; unread?: readonly Snowflake[] },
): Promise<void> {
  const { counts } = state;
  const noted = await noteImport(app.store, guild.id, lease, { counts, ...at }, app.clock.now());
  if (noted.status === 'lost') throw new LeaseLost('The import went to another process.');
  if (noted.phase !== 'running') throw new Cancelled('Somebody ended the import.');
}

function ended({ state }: Work): ImportOutcome {
  state.phase = 'cancelled';
  return { status: 'cancelled', state };
}

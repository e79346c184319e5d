import type { APIMessage, Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { groupOf, isListed } from '../../discord/access/visibility.ts';
import { type LogChannelParts, writeToLogChannel } from '../../discord/requests/log-channel.ts';
import {
  beginImport,
  type Fate,
  type ImportState,
  moveImport,
  noteImport,
  type Plan,
  readImport,
} from '../../records/history/imports.ts';
import type { Lease } from '../../redis/lease.ts';
import { readRebuildStates } from '../../records/history/rebuilds.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { withLease, LeaseLost } from '../../redis/lease.ts';
import { oldestFirst, readPlaces } from '../history/places.ts';
import { type UnreadPlace, unreadPlaceOf } from '../history/unread.ts';
import { type Walk, walkHistory } from '../history/walk-history.ts';
import type { RecountParts } from '../recount-parts.ts';
import type { ConcurrentEvents } from '../../voting/concurrent-votes.ts';
import { decide, type Holder, holderOf } from './decide.ts';
import { hasVotes, importMessage } from './import-article.ts';
import { endShown } from './progress-text.ts';

export type ImportOutcome =
  /** The phase says how it ended. */
  | { status: 'ended'; state: ImportState }
  /** The bot may not read the channel. An import is retried each minute. */
  | { status: 'unreadable' }
  /** Another import of this guild is under way, or the guild's ranking is not rebuilt yet. */
  | { status: 'held' }
  /** No import is under way. */
  | { status: 'unneeded' };

/** Called after each page, with the time up to which the present channel or thread is read. */
type OnStep = (state: ImportState, upToMs: number) => void;

const NOTE_EVERY_MS = 2000;

/**
 * The dry run: reads the history as the import would, and counts what each message would become. It
 * writes only these counts.
 */
export async function lookAtHistory(
  app: RecountParts,
  guild: Guild,
  group: NonThreadGuildBasedChannel,
  plan: Plan,
  onStep: OnStep,
): Promise<ImportOutcome> {
  const { store, clock } = app;
  return underLease(app, guild, async (held) => {
    // A running import may hold no lease for a moment, such as after a restart.
    if ((await readImport(store, guild.id))?.phase === 'running') return { status: 'held' };
    const state = await beginImport(store, guild.id, plan, clock.now());
    const { run, counts } = state;
    /** The links that would be imported up to here. */
    const taken = new Map<string, Holder>();
    const holder = async (name: string) => taken.get(name) ?? holderOf(app, guild.id, name);
    const take = async (message: APIMessage): Promise<Fate> => {
      const rules = await app.rules.read(guild.id);
      const decision = await decide({ app, run, rules, group, holder }, message);
      if (typeof decision === 'string') return decision;
      if (hasVotes(message)) counts.voted += 1;
      const postedAtMs = snowflakeTimeMs(message.id);
      taken.set(decision.name, { article: null, postedAtMs, listed: isListed(group) });
      return 'imported';
    };
    return goThrough({ app, guild, group, state, ...held, take, onStep }, 'looked');
  });
}

/**
 * Continues the guild's import where it stands, until its end. The first process that asks runs it.
 * Each message becomes at most one article, however often it is read: the article has the message's
 * id, and a link can belong to one article only.
 */
export async function runImport(
  app: RecountParts & LogChannelParts,
  guild: Guild,
  onStep: OnStep = () => {},
): Promise<ImportOutcome> {
  const { store, clock, log } = app;
  return underLease(app, guild, async (held) => {
    const state = await readImport(store, guild.id);
    if (state?.phase !== 'running') return { status: 'unneeded' };
    // Duplicates can be recognized only if the ranking is complete.
    const [ranked] = await readRebuildStates(store, [guild.id]);
    if (!ranked?.complete) return { status: 'held' };
    const channel = guild.channels.cache.get(state.plan.channel);
    const group = channel ? groupOf(channel) : null;
    if (group === null) {
      // The channel was deleted.
      await moveImport(store, guild.id, state, 'cancelled', clock.now());
      return { status: 'ended', state: { ...state, phase: 'cancelled' } };
    }
    const take = (message: APIMessage, events: ConcurrentEvents): Promise<Fate> =>
      importMessage({ app, guild: guild.id, group, run: state.run, events }, message);
    const running: Running = { app, guild, group, state, ...held, take, onStep };
    const outcome = await goThrough(running, 'finished');
    if (outcome.status === 'ended' && outcome.state.phase === 'finished') {
      const fields = { guild: guild.id, ...state.counts, unread: state.unread };
      log.info(fields, 'The history of a channel is imported.');
      // An import can take hours, and its command's answer cannot be edited any more then.
      await writeToLogChannel(app, guild.id, (locale) => {
        return { content: endShown(locale, state).content };
      });
    }
    return outcome;
  });
}

type Held = {
  lease: Lease;
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
};

function underLease(
  app: RecountParts,
  guild: Guild,
  act: (held: Held) => Promise<ImportOutcome>,
): Promise<ImportOutcome> {
  return withLease<ImportOutcome>(app, { guild: guild.id, work: 'import' }, async (held) => {
    const { lease, signal } = held;
    try {
      return await act({ lease, signal });
    } catch (error) {
      if (held.lost() || error instanceof LeaseLost) return { status: 'held' };
      throw error;
    }
  });
}

type Running = Held & {
  app: RecountParts;
  guild: Guild;
  group: NonThreadGuildBasedChannel;
  state: ImportState;
  /** `events`: what happened to the message since it was read. */
  take(message: APIMessage, events: ConcurrentEvents): Promise<Fate>;
  onStep: OnStep;
};

/** Somebody ended the import, or began another dry run. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Reads the history to its end, and moves on to the next phase. */
async function goThrough(running: Running, to: 'looked' | 'finished'): Promise<ImportOutcome> {
  const { app, guild, state } = running;
  try {
    const unread = await readGroup(running);
    if (unread === null) return { status: 'unreadable' };
    state.unread = unread;
    await note(running);
    const { status } = await moveImport(app.store, guild.id, state, to, app.clock.now());
    state.phase = status === 'moved' ? to : 'cancelled';
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    state.phase = 'cancelled';
  }
  return { status: 'ended', state };
}

/**
 * Reads the history of the group with its threads, the oldest messages first, because a link belongs to
 * the first message that has it. Returns what the bot may not read, or null if that is the group itself.
 */
async function readGroup(running: Running): Promise<UnreadPlace[] | null> {
  const { app, guild, group, state, signal } = running;
  const { cursors, counts, plan } = state;
  const { requests, concurrentVotes } = app;
  let notedMs = 0;
  let upToMs = plan.fromMs;
  const noteAt = async (place: Snowflake, cursor: string): Promise<void> => {
    notedMs = performance.now();
    // A dry run that was interrupted begins anew.
    await note(running, state.phase === 'running' ? { place, cursor } : null);
    running.onStep(state, upToMs);
  };
  const walk: Walk = {
    requests,
    range: { fromMs: plan.fromMs, untilMs: plan.untilMs, order: 'oldest first' },
    sideBySide: 1,
    cursors,
    signal,
    async handle(messages, { channel }) {
      // A message can be deleted before its turn: then the event finds no article to delete.
      const events = messages.map(({ id }) => concurrentVotes.begin(id));
      try {
        for (const [i, message] of messages.entries()) {
          signal.throwIfAborted();
          const fate = await running.take(message, events[i]!);
          counts.messages += 1;
          counts[fate] += 1;
          upToMs = snowflakeTimeMs(message.id);
          // Reading reactions takes long, so notice a cancellation before the page ends.
          if (performance.now() - notedMs > NOTE_EVERY_MS) await noteAt(channel, message.id);
        }
      } finally {
        for (const one of events) one.end();
      }
    },
    note: noteAt,
  };
  const { places, unread } = await readPlaces(requests, guild, [group], 0);
  const refused = (await walkHistory(walk, oldestFirst(places))).map(({ channel }) => channel);
  if (!mayReadHistory(group) || refused.includes(group.id)) return null;
  return [...unread, ...refused.map((channel) => unreadPlaceOf(group.id, channel))];
}

/** Throws `LeaseLost` if another process runs the import, and `Cancelled` if somebody ended it. */
async function note(
  { app, guild, lease, state }: Running,
  read: { place: Snowflake; cursor: string } | null = null,
): Promise<void> {
  const { store, clock } = app;
  const noted = await noteImport(store, guild.id, lease, state, clock.now(), read);
  if (noted.status === 'lost') throw new LeaseLost('The import went to another process.');
  if (noted.phase !== state.phase) throw new Cancelled('Somebody ended the import.');
}

import type { APIMessage, Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { groupOf, isListed } from '../../discord/access/visibility.ts';
import { type LogChannelParts, writeToLogChannel } from '../../discord/requests/log-channel.ts';
import {
  beginImport,
  type Counts,
  endImport,
  type Fate,
  type ImportState,
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
import type { App } from '../../app.ts';
import type { RecountParts } from '../recount-parts.ts';
import type { ConcurrentEvents } from '../../voting/concurrent-votes.ts';
import { decide, type Holder, holderOf } from './decide.ts';
import { hasVotes, importMessage } from './import-article.ts';
import { endShown, type Looked } from './progress-text.ts';

type ImportOutcome =
  /** The phase says how it ended. */
  | { status: 'ended'; state: ImportState }
  /** The bot may not read the channel. An import is retried each minute. */
  | { status: 'unreadable' }
  /** Another import of this guild is under way, or the guild's ranking is not rebuilt yet. */
  | { status: 'held' }
  /** No import is under way. */
  | { status: 'unneeded' };

const NOTE_EVERY_MS = 2000;

/**
 * The dry run: reads the history as the import would, and counts in `counts` what each message would
 * become. Null if the bot may not read the channel. It writes nothing.
 */
export async function lookAtHistory(
  app: RecountParts,
  guild: Guild,
  look: Pick<Reading, 'group' | 'plan' | 'counts' | 'signal'>,
  onStep: (upToMs: number) => void,
): Promise<Looked | null> {
  const { group, counts } = look;
  /** The links that would be imported up to here. */
  const taken = new Map<string, Holder>();
  const holder = async (name: string) => taken.get(name) ?? holderOf(app, guild.id, name);
  const take = async (message: APIMessage): Promise<Fate> => {
    const rules = await app.rules.read(guild.id);
    const decision = await decide({ app, run: null, rules, group, holder }, message);
    if (typeof decision === 'string') return decision;
    if (hasVotes(message)) counts.voted += 1;
    const postedAtMs = snowflakeTimeMs(message.id);
    taken.set(decision.name, { article: null, postedAtMs, listed: isListed(group) });
    return 'imported';
  };
  const note = (upToMs: number) => Promise.resolve(onStep(upToMs));
  const unread = await readGroup({ app, guild, ...look, cursors: new Map(), take, note });
  return unread && { counts, unread };
}

/**
 * Continues the guild's import where it stands, until its end, or begins one with this plan. The first
 * process that asks runs it. Each message becomes at most one article, however often it is read: the
 * article has the message's id, and a link can belong to one article only.
 */
export async function runImport(
  app: RecountParts & LogChannelParts,
  guild: Guild,
  onStep: (state: ImportState) => void = () => {},
  plan?: Plan,
): Promise<ImportOutcome> {
  return withLease<ImportOutcome>(app, { guild: guild.id, work: 'import' }, async (held) => {
    try {
      return await runUnderLease(app, guild, held, onStep, plan);
    } catch (error) {
      if (held.lost() || error instanceof LeaseLost) return { status: 'held' };
      throw error;
    }
  });
}

type Held = {
  lease: Lease;
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
};

async function runUnderLease(
  app: RecountParts & LogChannelParts,
  guild: Guild,
  held: Held,
  onStep: (state: ImportState) => void,
  plan: Plan | undefined,
): Promise<ImportOutcome> {
  const before = await readImport(app.store, guild.id);
  const running = before?.phase === 'running' ? before : null;
  if (running && plan) return { status: 'held' };
  if (!running && !plan) return { status: 'unneeded' };
  // Duplicates can be recognized only if the ranking is complete.
  const [ranked] = await readRebuildStates(app.store, [guild.id]);
  if (!ranked?.complete) return { status: 'held' };
  const state = running ?? (await beginImport(app.store, guild.id, plan!));
  const channel = guild.channels.cache.get(state.plan.channel);
  const group = channel ? groupOf(channel) : null;
  // The channel was deleted.
  if (group === null) return end(app, guild, state, 'cancelled');
  const outcome = await goThrough(app, guild, { group, state, held, onStep });
  if (outcome.status === 'ended' && outcome.state.phase === 'finished') {
    const fields = { guild: guild.id, ...state.counts, unread: state.unread };
    app.log.info(fields, 'The history of a channel is imported.');
    // An import can take hours, and its command's answer cannot be edited any more then.
    await writeToLogChannel(app, guild.id, (locale) => {
      return { content: endShown(locale, state).content };
    });
  }
  return outcome;
}

/** Somebody ended the import. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Reads the history to its end, makes articles, and notes the progress. */
async function goThrough(
  app: RecountParts,
  guild: Guild,
  running: {
    group: NonThreadGuildBasedChannel;
    state: ImportState;
    held: Held;
    onStep: (state: ImportState) => void;
  },
): Promise<ImportOutcome> {
  const { group, state, held, onStep } = running;
  const take = (message: APIMessage, events: ConcurrentEvents): Promise<Fate> =>
    importMessage({ app, guild: guild.id, group, run: state.run, events }, message);
  /** Throws `LeaseLost` if another process runs the import, and `Cancelled` if somebody ended it. */
  async function note(read?: { place: Snowflake; cursor: string }): Promise<void> {
    const noted = await noteImport(app.store, guild.id, held.lease, state, app.clock.now(), read);
    if (noted.status === 'lost') throw new LeaseLost('The import went to another process.');
    if (noted.phase !== 'running') throw new Cancelled('Somebody ended the import.');
    onStep(state);
  }
  const noteAt: Reading['note'] = (_, read) => note(read);
  const { signal } = held;
  try {
    const unread = await readGroup({ app, guild, group, ...state, signal, take, note: noteAt });
    if (unread === null) return { status: 'unreadable' };
    state.unread = unread;
    await note();
    return await end(app, guild, state, 'finished');
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    return { status: 'ended', state: { ...state, phase: 'cancelled' } };
  }
}

async function end(
  { store }: Pick<App, 'store'>,
  guild: Guild,
  state: ImportState,
  phase: 'finished' | 'cancelled',
): Promise<ImportOutcome> {
  const { status } = await endImport(store, guild.id, phase);
  state.phase = status === 'ended' ? phase : 'cancelled';
  return { status: 'ended', state };
}

type Reading = {
  app: RecountParts;
  guild: Guild;
  group: NonThreadGuildBasedChannel;
  plan: Plan;
  counts: Counts;
  cursors: Map<Snowflake, string>;
  signal: AbortSignal;
  /** `events`: what happened to the message since it was read. */
  take(message: APIMessage, events: ConcurrentEvents): Promise<Fate>;
  /** Called after each page and within long ones, with the time up to which the place is read. */
  note(upToMs: number, read: { place: Snowflake; cursor: string }): Promise<void>;
};

/**
 * Reads the history of the group with its threads, the oldest messages first, because a link belongs to
 * the first message that has it. Returns what the bot may not read, or null if that is the group itself.
 */
async function readGroup(reading: Reading): Promise<UnreadPlace[] | null> {
  const { app, guild, group, plan, counts, cursors, signal } = reading;
  const { requests, concurrentVotes } = app;
  let notedMs = 0;
  let upToMs = plan.fromMs;
  const noteAt = async (place: Snowflake, cursor: string): Promise<void> => {
    notedMs = performance.now();
    await reading.note(upToMs, { place, cursor });
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
          const fate = await reading.take(message, events[i]!);
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

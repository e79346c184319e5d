import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import { writeToLogChannel } from '../../community/admin-messages.ts';
import { fault } from '../../runtime/log.ts';
import {
  endImport,
  FATES,
  importsUnderWay,
  type ImportState,
  noteImport,
  readImport,
} from './stored-imports.ts';
import { readRebuildState } from '../rebuild/stored-rebuilds.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { withLease } from '../../redis/lease.ts';
import {
  oldestFirst,
  findChannels,
  type UnreadChannel,
  unreadChannelOf,
  unreadText,
} from '../walk/channels.ts';
import { type Walk, walkHistory } from '../walk/walk-history.ts';
import { importMessage } from './import-message.ts';
import { translate } from '../../text/catalogue.ts';
import type { HistoryNeeds } from '../needs.ts';

type ImportOutcome =
  /** The phase says how it ended. */
  | { status: 'ended'; state: ImportState }
  /** The bot may not read the channel. The import is retried each minute. */
  | { status: 'unreadable' }
  /** Another process runs it, the guild's ranking is not rebuilt yet, or no import is under way. */
  | { status: 'held' };

/**
 * Continues the imports of all guilds: those whose process ended, and those that wait for a permission.
 * Call it at the start and once a minute.
 */
export async function continueImports(
  app: HistoryNeeds & { hold: (work: Promise<unknown>) => void },
): Promise<void> {
  const { client, store, log, stopping } = app;
  if (stopping.aborted || !app.messageContent) return;
  const guilds = client.guilds.cache.filter(({ available }) => available);
  for (const id of await importsUnderWay(store, [...guilds.keys()])) {
    const work = runImport(app, guilds.get(id)!).catch((error: unknown) => {
      if (stopping.aborted) return;
      log.warn({ ...fault(error), guild: id }, 'An import is tried again in a minute.');
    });
    app.hold(work);
  }
}

/**
 * Continues the guild's import where it stands, until its end. The first process that asks runs it. Each
 * message becomes at most one article, however often it is read: the article has the message's id, and a
 * link can belong to one article only.
 */
export async function runImport(
  app: HistoryNeeds,
  guild: Guild,
  onStep: (state: ImportState) => void = () => {},
): Promise<ImportOutcome> {
  return withLease<ImportOutcome>(app, { guild: guild.id, work: 'import' }, async (held) => {
    const { store, log } = app;
    const state = await readImport(store, guild.id);
    // Duplicates can be recognized only if the ranking is complete.
    const ranked = await readRebuildState(store, guild.id);
    if (state?.phase !== 'running' || !ranked.complete) return { status: 'held' };
    const channel = guild.channels.cache.get(state.plan.channel);
    const group = channel ? groupOf(channel) : null;
    const note = async (cursor?: Record<Snowflake, string>): Promise<void> => {
      state.phase = await noteImport(store, guild.id, held, state, cursor);
      if (state.phase !== 'running') throw new Cancelled('Somebody ended the import.');
      onStep(state);
    };
    try {
      // The channel was deleted.
      if (group === null) throw new Cancelled('There is nothing to read.');
      const unread = await readGroup(app, group, state, { signal: held.signal, note });
      if (unread === null) return { status: 'unreadable' };
      state.unread = unread;
      await note();
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      await endImport(store, guild.id, 'cancelled');
      return { status: 'ended', state: { ...state, phase: 'cancelled' } };
    }
    const { status } = await endImport(store, guild.id, 'finished');
    state.phase = status === 'ended' ? 'finished' : 'cancelled';
    const fields = { guild: guild.id, ...state.counts, unread: state.unread };
    log.info(fields, 'The history of a channel is imported.');
    // An import can take hours, and its command's answer cannot be edited any more then.
    await writeToLogChannel(app, guild.id, (locale) => ({ content: endText(locale, state) }));
    return { status: 'ended', state };
  });
}

class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/**
 * Reads the history of the group with its threads, the oldest messages first, because a link belongs to
 * the first message that has it. Returns what the bot may not read, or null if that is the group itself.
 * `note` is called after each message, since reading its reactions can take long.
 */
async function readGroup(
  app: HistoryNeeds,
  group: NonThreadGuildBasedChannel,
  { plan, counts, cursors }: ImportState,
  running: { signal: AbortSignal; note: (cursor: Record<Snowflake, string>) => Promise<void> },
): Promise<UnreadChannel[] | null> {
  const { signal, note } = running;
  const walk: Walk = {
    requests: app.requests,
    range: { order: 'oldest first', fromMs: plan.fromMs, untilMs: plan.untilMs },
    sideBySide: 1,
    cursors,
    signal,
    async handle(messages, { channel }) {
      // A message can be deleted before its turn: then the event finds no article to delete.
      const events = messages.map(({ id }) => app.seen.watch(id));
      try {
        for (const [i, message] of messages.entries()) {
          signal.throwIfAborted();
          counts[await importMessage(app, group, message, events[i]!)] += 1;
          counts.messages += 1;
          await note({ [channel]: message.id });
        }
      } finally {
        for (const one of events) one.end();
      }
    },
    note: (channel, cursor) => note({ [channel]: cursor }),
  };
  const { channels, unread } = await findChannels(app.requests, group.guild, [group], 0);
  const refused = (await walkHistory(walk, oldestFirst(channels))).map(({ channel }) => channel);
  if (!mayReadHistory(group) || refused.includes(group.id)) return null;
  return [...unread, ...refused.map((channel) => unreadChannelOf(group.id, channel))];
}

export function progressText(locale: string | null, { plan, counts }: ImportState): string {
  const { messages, imported } = counts;
  return translate(locale, 'import.running', { channel: `<#${plan.channel}>`, messages, imported });
}

/** How an import ended, with what it left out and why. */
export function endText(
  locale: string | null,
  { phase, plan, counts, unread }: ImportState,
): string {
  const { messages, imported } = counts;
  const values = { channel: `<#${plan.channel}>`, messages, imported };
  const skipped = FATES.filter((fate) => fate !== 'imported').filter((fate) => counts[fate] > 0);
  const channels = unreadText(locale, unread);
  return [
    translate(locale, phase === 'finished' ? 'import.finished' : 'import.cancelled', values),
    ...skipped.map(
      (fate) => `- ${translate(locale, `import.fate.${fate}`, { count: counts[fate] })}`,
    ),
    ...(skipped.length === 0 ? [`- ${translate(locale, 'import.fate.none')}`] : []),
    ...(unread.length > 0 ? [translate(locale, 'import.unread', { channels })] : []),
  ].join('\n');
}

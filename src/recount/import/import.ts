import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { ChannelRefused } from '../../discord/background-requests.ts';
import type { Bot } from '../../discord/bot.ts';
import { groupOf } from '../../discord/visibility.ts';
import { END, type ImportState, moveImport, noteImport, readImport } from '../../store/imports.ts';
import type { Lease } from '../../store/leases.ts';
import { readRebuildStates } from '../../store/rebuilds.ts';
import type { Snowflake } from '../../voting/snowflake.ts';
import { alone, LeaseLost } from '../../discord/held-lease.ts';
import { takeInWritten } from './article.ts';
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
  bot: Bot,
  guild: Guild,
  onStep: (state: ImportState) => void = () => {},
): Promise<ImportOutcome> {
  const { store } = bot;
  return alone<ImportOutcome>(bot, { guild: guild.id, work: 'import' }, async (held) => {
    const { lease } = held;
    try {
      const state = await readImport(store, guild.id);
      if (state?.phase !== 'running') return { status: 'unneeded' };
      // Without the whole ranking nobody can tell what is a duplicate.
      const [ranked] = await readRebuildStates(store, [guild.id]);
      if (!ranked?.born) return { status: 'held' };
      const group = groupIn(guild, state.plan.channel);
      if (group === null) return await giveUp(bot, guild.id, state);
      const { signal } = held;
      return await goOn({ bot, guild, group, lease, state, signal, step: onStep, notedMs: 0 });
    } catch (error) {
      if (held.lost() || error instanceof LeaseLost) return { status: 'held' };
      throw error;
    }
  });
}

/** The channel was deleted. */
async function giveUp(bot: Bot, guild: Snowflake, state: ImportState): Promise<ImportOutcome> {
  const move = { run: state.run, from: 'running', to: 'cancelled' } as const;
  await moveImport(bot.store, guild, move, bot.clock.now());
  state.phase = 'cancelled';
  return { status: 'cancelled', state };
}

function groupIn(guild: Guild, channel: Snowflake): NonThreadGuildBasedChannel | null {
  const found = guild.channels.cache.get(channel);
  return found ? groupOf(found) : null;
}

type Work = {
  bot: Bot;
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
  const { bot, guild, group, state } = work;
  const deletions = followDeletions(bot.client, guild.id);
  try {
    for (const place of await placesOf(bot, guild, group)) {
      const cursor = state.cursors.get(place.channel);
      if (cursor === END) continue;
      for await (const page of readUp(bot, guild.id, place, state.plan, cursor)) {
        for (const [n, message] of page.entries()) {
          work.signal.throwIfAborted();
          const taking = { bot, guild: guild.id, group, run: state.run, deletions };
          const fate = await takeInWritten(taking, message);
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
  const { status } = await moveImport(bot.store, guild.id, move, bot.clock.now());
  if (status === 'stale') return ended(work);
  state.phase = 'finished';
  bot.log.info({ guild: guild.id, ...state.counts }, 'The history of a channel is imported.');
  return { status: 'finished', state };
}

async function note(work: Work, place: Snowflake, cursor: string): Promise<'noted' | 'cancelled'> {
  const { bot, lease, state } = work;
  work.notedMs = performance.now();
  const { run, counts } = state;
  const noted = await noteImport(bot.store, lease, { run, place, cursor, counts }, bot.clock.now());
  if (noted.status === 'lost') throw new LeaseLost('The import went to another process.');
  return noted.phase === 'running' ? 'noted' : 'cancelled';
}

function ended({ state }: Work): ImportOutcome {
  state.phase = 'cancelled';
  return { status: 'cancelled', state };
}

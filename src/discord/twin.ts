import { type Client, MessageType } from 'discord.js';
import { z } from 'zod';
import { type Clock, HOUR_MS } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { emitMetric } from '../runtime/metrics.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import { onPacket } from './gateway/packets.ts';
import { remember } from './remember.ts';

export interface TwinNeeds {
  /** Its requests are what this process does, and its events tell of what any process did. */
  client: Client;
  /** The bot's own user. */
  self: Snowflake;
  /** Discord's time. */
  clock: Clock;
  /** Says once an hour that there is another one. */
  log: Log;
}

/**
 * Another program with this bot's token and other data, such as a second copy with a Redis of its own: each is told
 * of all that happens, either answers, and what a member sets lands in one of them. Discord tells neither of it.
 */
export interface Twin {
  /** Call it when Discord says that an interaction was answered before. */
  noteAnswered(interaction: Snowflake): void;
  /** Judges what nobody here did. `isShared`: another process with the same data may have done it. */
  judge(isShared: boolean): void;
  /** When the last thing was done that no process with this data did (ms); null: nothing was. */
  seenAtMs(): number | null;
}

const zSent = z.object({
  id: zSnowflake,
  channel_id: zSnowflake,
  guild_id: zSnowflake,
  author: z.object({ id: zSnowflake }),
  type: z.literal([MessageType.Default, MessageType.Reply]),
  // An answer to an interaction has it: whether that is ours, Discord's answer to us says.
  webhook_id: z.undefined().optional(),
});

const REMEMBERED = 10_000;
/** A process with the same data tells of itself every ten seconds. */
const JUDGED_AFTER_MS = 15_000;
const SAID_EVERY_MS = HOUR_MS;

export function openTwin({ client, self, clock, log }: TwinNeeds): Twin {
  /** Channel → messages that were sent there, or may have been, and that no event told of yet. */
  const sent = new Map<Snowflake, number>();
  /** Interaction → how often this process answered it: a repeated answer meets the first one. */
  const answers = new Map<Snowflake, number>();
  /** The gateway may tell twice of a message. */
  const told = new Map<Snowflake, true>();
  const unexplained: { what: 'answer' | 'message'; atMs: number }[] = [];
  let seenAtMs: number | null = null;
  let saidAtMs = -Infinity;

  const { options } = client.rest;
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = (url, init) => {
    const [, channel] = /\/channels\/(\d+)\/messages$/.exec(url) ?? [];
    const [, interaction] = /\/interactions\/(\d+)\/[^/]+\/callback/.exec(url) ?? [];
    if (init.method === 'POST' && channel !== undefined)
      remember(sent, channel, (sent.get(channel) ?? 0) + 1, REMEMBERED);
    if (interaction !== undefined)
      remember(answers, interaction, (answers.get(interaction) ?? 0) + 1, REMEMBERED);
    return makeRequest(url, init);
  };

  function note(what: 'answer' | 'message'): void {
    if (unexplained.length < REMEMBERED) unexplained.push({ what, atMs: clock.now() });
  }

  onPacket(client, 'MESSAGE_CREATE', zSent, ({ id, author, channel_id: channel }) => {
    // The first message of a thread that was made with it has the thread's id.
    if (author.id !== self || told.has(id) || id === channel) return;
    remember(told, id, true, REMEMBERED);
    const ours = sent.get(channel) ?? 0;
    if (ours > 1) sent.set(channel, ours - 1);
    else if (ours === 1) sent.delete(channel);
    else note('message');
  });

  return {
    noteAnswered(interaction) {
      if (answers.get(interaction) === 1) note('answer');
    },
    judge(isShared) {
      const now = clock.now();
      const due = unexplained.filter(({ atMs }) => now - atMs >= JUDGED_AFTER_MS);
      unexplained.splice(0, due.length);
      const last = due.at(-1);
      if (isShared || last === undefined) return;
      seenAtMs = last.atMs;
      for (const { what } of due) emitMetric('twin', { what });
      if (now - saidAtMs < SAID_EVERY_MS) return;
      saidAtMs = now;
      const about = { answers: due.filter(({ what }) => what === 'answer').length, of: due.length };
      log.error(
        about,
        'Another program with this bot’s token and other data answers members, too: settings and posts land in either. Stop one of them, or reset the token.',
      );
    },
    seenAtMs: () => seenAtMs,
  };
}

import type { APIMessage } from 'discord.js';
import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import { NotDiscord } from '../api-errors.ts';

const zEmbed = z.looseObject({
  url: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
});
const zEmoji = z.looseObject({ id: z.string().nullish(), name: z.string().nullish() });

/**
 * What is read of messages. Discord may add anything, so that the rest is not looked at. Other servers that
 * speak its API have null for a thread that is not there.
 */
const zMessage = z.looseObject({
  id: zSnowflake,
  channel_id: zSnowflake,
  author: z.looseObject({ id: zSnowflake }),
  content: z.string(),
  type: z.int(),
  embeds: z.array(zEmbed),
  reactions: z.array(z.looseObject({ emoji: zEmoji, count: z.number() })).optional(),
  message_snapshots: z
    .array(
      z.looseObject({
        message: z.looseObject({ content: z.string(), embeds: z.array(zEmbed) }).optional(),
      }),
    )
    .optional(),
  thread: z.looseObject({ id: zSnowflake }).nullish(),
});
const zPage = z.array(z.unknown());
const zNamed = z.looseObject({ id: zSnowflake });

/** A page of messages. `broken`: those that have another form than Discord's, and stop no others. */
export type MessagePage = { messages: APIMessage[]; broken: Snowflake[]; length: number };

/** Reads a list of messages. Throws `NotDiscord` if it is none. */
export function readPage(answer: unknown): MessagePage {
  const page = zPage.safeParse(answer);
  if (!page.success) throw new NotDiscord('The answer is no list of messages.');
  const messages = page.data.filter(isMessage);
  const broken = page.data
    .filter((one) => !isMessage(one))
    .flatMap((one) => zNamed.safeParse(one).data?.id ?? []);
  // Nobody could tell where the next page begins.
  if (page.data.length > 0 && messages.length + broken.length === 0) {
    throw new NotDiscord('The messages have another form than Discord’s.');
  }
  return { messages, broken, length: page.data.length };
}

/** Reads one message. Throws `NotDiscord` if it has another form than Discord's. */
export function readOne(answer: unknown): APIMessage {
  if (!isMessage(answer)) throw new NotDiscord('The message has another form than Discord’s.');
  return answer;
}

function isMessage(value: unknown): value is APIMessage {
  return zMessage.safeParse(value).success;
}

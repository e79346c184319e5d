import { posterIn, titleIn } from './text.ts';
import type { Message } from '../../../discord-box/src/model/message.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Snowflake } from '../../../discord-box/src/model/snowflakes.ts';

/** These functions read the bot's messages and reactions, and nothing else. */

export function* messagesOf(world: World): Generator<Message> {
  for (const channel of world.channels.values()) yield* channel.messages.values();
}

export function messageOf(world: World, id: Snowflake): Message | undefined {
  for (const message of messagesOf(world)) if (message.id === id) return message;
  return undefined;
}

export function isArticle(message: Message, botId: Snowflake): boolean {
  return message.authorId === botId && titleIn(message.content) !== null;
}

/** A digest's message with articles, which no command asked for. */
export function isEdition(message: Message, botId: Snowflake): boolean {
  return (
    message.authorId === botId &&
    message.guildId !== null &&
    message.interaction === null &&
    message.content.startsWith('## ') &&
    message.embeds.length > 0
  );
}

export function groupCount({ content }: Message): number {
  return (
    content
      .split('\n')
      .at(-1)
      ?.match(/<#\d+>/g)?.length ?? 0
  );
}

/**
 * Whether a tally fits the reactions. Each member has one vote. If a member shows both reactions, because
 * the bot may not remove one, either may be the vote.
 */
export function isTallyOf(
  message: Message,
  botId: Snowflake,
  { up, down }: { up: number; down: number },
): boolean {
  const poster = posterIn(message.content);
  const voters = (emoji: string): Set<Snowflake> => {
    const { normal = [], burst = [] } = message.reactions.get(emoji) ?? {};
    return new Set([...normal, ...burst].filter((user) => user !== botId && user !== poster));
  };
  const [ups, downs] = [voters('👍'), voters('👎')];
  const all = new Set([...ups, ...downs]).size;
  return up - 1 + down === all && up - 1 <= ups.size && down <= downs.size;
}

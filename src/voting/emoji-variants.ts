import { type APIMessage, type APIUser, type Client, DiscordAPIError, Routes } from 'discord.js';
import { fault, type Log } from '../log.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { OwnMessages } from '../discord/access/own-messages.ts';
import type { Refusals } from '../discord/requests/refusals.ts';
import { directionOf, emojiOf } from '../discord/packets.ts';
import { type MemberReaction, reactionKey } from './gateway-event.ts';

type Spelling = { emoji: string; burst: boolean };

/**
 * A member can show one vote in several variants: each skin tone is a separate emoji, and super
 * reactions are a separate list. After a removal, another variant may remain, so Discord is asked.
 */
export type EmojiVariants = {
  added(reaction: MemberReaction, spelling: Spelling): void;
  removed(reaction: MemberReaction, spelling: Spelling): void;
  /** The emoji of one direction that have been seen on an article, the plain one first. */
  spellings(article: Snowflake, direction: Direction): string[];
  stop(): Promise<void>;
};

/** The number of articles with variants that are remembered. For older ones, only a recount helps. */
const remembered = 1000;
const waitingAtMost = 1000;

export function openEmojiVariants(options: {
  client: Client;
  ownMessages: OwnMessages;
  refusals: Refusals;
  log: Log;
  /** Called if the member still shows another variant of the reaction. */
  onStillShown: (reaction: MemberReaction) => void;
}): EmojiVariants {
  const { client, ownMessages, refusals, log, onStillShown } = options;
  const seen = new Map<Snowflake, Set<string>>();
  /** Removed reactions to look up. A newer event of the same reaction replaces or cancels the entry. */
  const doubtful = new Map<string, MemberReaction>();
  let working: Promise<void> | undefined;
  let stopped = false;

  function note(article: Snowflake, spelling: Spelling): void {
    if (isPlain(spelling)) return;
    const emojis = seen.get(article) ?? new Set();
    seen.delete(article);
    seen.set(article, emojis.add(spelling.emoji));
    if (seen.size > remembered) seen.delete(seen.keys().next().value ?? '');
  }

  async function work(): Promise<void> {
    for (let next = first(); next; next = first()) {
      const [key, reaction] = next;
      try {
        await refusals.demand(reaction, 'GET');
        const shown = await isShown(client, ownMessages, reaction);
        // An event during the read is newer than the result.
        if (doubtful.get(key) !== reaction) continue;
        doubtful.delete(key);
        if (shown) onStillShown(reaction);
      } catch (error) {
        if (doubtful.get(key) === reaction) doubtful.delete(key);
        const isRefused = error instanceof DiscordAPIError && error.status === 403;
        if (isRefused) await refusals.add(reaction, 'GET');
        log.info(
          { ...fault(error), article: reaction.article },
          'A list of reactions could not be read.',
        );
      }
    }
  }

  function first(): [string, MemberReaction] | undefined {
    return stopped ? undefined : doubtful.entries().next().value;
  }

  return {
    added(reaction, spelling) {
      note(reaction.article, spelling);
      doubtful.delete(reactionKey(reaction));
    },
    removed(reaction, spelling) {
      const doubt = !isPlain(spelling) || seen.has(reaction.article);
      note(reaction.article, spelling);
      if (!doubt || stopped || doubtful.size >= waitingAtMost) return;
      doubtful.set(reactionKey(reaction), reaction);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    spellings(article, direction) {
      const others = [...(seen.get(article) ?? [])].filter(
        (emoji) => directionOf(emoji) === direction,
      );
      return [...new Set([emojiOf[direction], ...others])];
    },
    async stop() {
      stopped = true;
      await working;
    },
  };
}

function isPlain({ emoji, burst }: Spelling): boolean {
  return !burst && (emoji === emojiOf.up || emoji === emojiOf.down);
}

async function isShown(
  client: Client,
  ownMessages: OwnMessages,
  reaction: MemberReaction,
): Promise<boolean> {
  const { channel, article, member, direction } = reaction;
  await ownMessages.demandChannel(reaction);
  const message = (await client.rest.get(Routes.channelMessage(channel, article))) as APIMessage;
  if (!ownMessages.see(message)) return false;
  for (const { emoji, count_details: counts, count } of message.reactions ?? []) {
    if (emoji.id || !emoji.name || directionOf(emoji.name) !== direction) continue;
    const lists = [
      ...((counts?.normal ?? count) > 0 ? [0] : []),
      ...((counts?.burst ?? 0) > 0 ? [1] : []),
    ];
    for (const type of lists) {
      // Lists are ordered by id, so the member is first after the id one lower.
      const users = (await client.rest.get(
        Routes.channelMessageReaction(channel, article, encodeURIComponent(emoji.name)),
        {
          query: new URLSearchParams({
            type: String(type),
            limit: '1',
            after: String(BigInt(member) - 1n),
          }),
        },
      )) as APIUser[];
      if (users[0]?.id === member) return true;
    }
  }
  return false;
}

import { type APIUser, type Client, Routes } from 'discord.js';
import { fault, type Log } from '../log.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { MemberReaction } from './gateway-event.ts';

/**
 * Checks members whose event did not say whether they are bots. Their reactions count at once, because
 * votes never wait for a fetch. Then Discord is asked once per member, and a bot's vote is undone.
 */
export type BotCheck = {
  /** Whether an earlier check found that the member is a bot. */
  isBot(member: Snowflake): boolean;
  reacted(reaction: MemberReaction): void;
  stop(): Promise<void>;
};

const rememberedAtMost = 10_000;
const waitingAtMost = 1000;

export function openBotCheck(options: {
  client: Client;
  log: Log;
  onBot: (reaction: MemberReaction) => void;
}): BotCheck {
  const { client, log, onBot } = options;
  const bots = new Map<Snowflake, boolean>();
  /** The members to check, with their reactions in the meantime. */
  const waiting = new Map<Snowflake, MemberReaction[]>();
  let working: Promise<void> | undefined;
  let stopped = false;

  function remember(member: Snowflake, isBot: boolean): void {
    bots.set(member, isBot);
    if (bots.size > rememberedAtMost) bots.delete(bots.keys().next().value ?? '');
  }

  async function work(): Promise<void> {
    for (const [member] of waiting) {
      if (stopped) return;
      try {
        const { bot = false } = (await client.rest.get(Routes.user(member))) as APIUser;
        remember(member, bot);
        if (bot) waiting.get(member)?.forEach(onBot);
      } catch (error) {
        log.info(
          fault(error),
          'A voter could not be checked for being a bot; a recount will check.',
        );
      }
      waiting.delete(member);
    }
  }

  return {
    isBot: (member) => bots.get(member) === true,
    reacted(reaction) {
      const { member } = reaction;
      const known = waiting.get(member);
      if (known) known.push(reaction);
      // Beyond the limit, only a recount finds bots.
      if (known || bots.has(member) || waiting.size >= waitingAtMost || stopped) return;
      waiting.set(member, [reaction]);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async stop() {
      stopped = true;
      await working;
    },
  };
}

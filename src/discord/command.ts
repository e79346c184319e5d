import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  MessageComponentInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { Bot } from './bot.ts';

/**
 * A slash command. It lives in a file of `commands/` that is named after it, and needs no other
 * registration. It answers through `answer()`, which knows of the two seconds' budget.
 */
export type Command = {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** It writes nothing, so with Redis away there is nothing to confirm. */
  readOnly?: boolean;
  run(interaction: GuildCommand, bot: Bot): Promise<void>;
  /** Answers with at most 25 choices. An answer binds nobody: `run` validates again. */
  complete?(interaction: GuildCompletion, bot: Bot): Promise<Choice[]>;
  /** A button or select of this command: custom ids are `<command>|<argument>|…`. */
  component?(interaction: GuildComponent, args: string[], bot: Bot): Promise<void>;
};

export type Choice = { name: string; value: string | number };

export type GuildCommand = ChatInputCommandInteraction<'cached'>;
export type GuildCompletion = AutocompleteInteraction<'cached'>;
export type GuildComponent = MessageComponentInteraction<'cached'>;

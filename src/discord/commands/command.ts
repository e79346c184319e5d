import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  CommandInteraction,
  MessageComponentInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import type { App } from '../../app.ts';

/**
 * A slash command or a message command. It is in a file of `commands/` with its name, in lower case
 * and with dashes for spaces, and needs no other registration. It answers through `answer()`, which
 * respects the budget of 2 s.
 */
export type Command = {
  data: RESTPostAPIApplicationCommandsJSONBody;
  run?(interaction: GuildCommand, app: App): Promise<void>;
  /** Runs a message command. */
  runOnMessage?(interaction: GuildMessageCommand, app: App): Promise<void>;
  /** Returns at most 25 choices. Members can send other values, so `run` validates again. */
  complete?(interaction: GuildCompletion, app: App): Promise<Choice[]>;
  /** A button or select of this command: custom ids are `<file name>|<argument>|…`. */
  component?(interaction: GuildComponent, args: string[], app: App): Promise<void>;
  /** Runs when a member sends a form that this command opened with `openForm()`. */
  form?(interaction: GuildForm, args: string[], app: App): Promise<void>;
  /** Runs in the bot's direct messages. Without it, the command works only in guilds. */
  direct?: {
    run(interaction: DirectCommand, app: App): Promise<void>;
    component?(interaction: DirectComponent, args: string[], app: App): Promise<void>;
  };
};

export type Choice = { name: string; value: string | number };

export type GuildCommand = ChatInputCommandInteraction<'cached'>;
export type GuildCompletion = AutocompleteInteraction<'cached'>;
export type GuildComponent = MessageComponentInteraction<'cached'>;
export type GuildMessageCommand = MessageContextMenuCommandInteraction<'cached'>;
export type GuildForm = ModalSubmitInteraction<'cached'>;
export type DirectCommand = ChatInputCommandInteraction;
export type DirectComponent = MessageComponentInteraction;

export type Answerable = CommandInteraction | MessageComponentInteraction | ModalSubmitInteraction;

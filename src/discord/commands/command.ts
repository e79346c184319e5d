import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  MessageComponentInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import type { App } from '../../app.ts';

/**
 * A slash command or a message command. It lives in a file of `commands/` that is named after it, in
 * lower case and with dashes for spaces, and needs no other registration. It answers through
 * `answer()`, which knows of the two seconds' budget.
 */
export type Command = {
  data: RESTPostAPIApplicationCommandsJSONBody;
  /** It, or these of its subcommands, write nothing: with Redis away there is nothing to confirm. */
  readOnly?: true | readonly string[] | ((interaction: GuildCommand | DirectCommand) => boolean);
  run?(interaction: GuildCommand, app: App): Promise<void>;
  /** A message command's turn. */
  runOnMessage?(interaction: GuildMessageCommand, app: App): Promise<void>;
  /** Answers with at most 25 choices. An answer binds nobody: `run` validates again. */
  complete?(interaction: GuildCompletion, app: App): Promise<Choice[]>;
  /** A button or select of this command: custom ids are `<file name>|<argument>|…`. */
  component?(interaction: GuildComponent, args: string[], app: App): Promise<void>;
  /** A form that this command opened with `openForm()`, and a member sent. */
  form?(interaction: GuildForm, args: string[], app: App): Promise<void>;
  /** What it does in the bot's direct messages; without this, it works in guilds alone. */
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

/** Everything that a member can be answered. */
export type Answerable =
  | DirectCommand
  | DirectComponent
  | MessageContextMenuCommandInteraction
  | ModalSubmitInteraction
  | GuildCommand
  | GuildComponent
  | GuildMessageCommand
  | GuildForm;

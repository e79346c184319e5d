import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  CommandInteraction,
  MessageComponentInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  RESTPostAPIApplicationCommandsJSONBody,
  UserContextMenuCommandInteraction,
} from 'discord.js';

/**
 * A slash command or a message command. It is in a file of `commands/` with its name, in lower case
 * and with dashes for spaces, and needs no other registration. It answers through `answer()`, which
 * respects the budget of 2 s. `Bot`: the features that commands call into.
 */
export type Command<Bot> = {
  data: RESTPostAPIApplicationCommandsJSONBody;
  /**
   * It, or this use of it, only shows something, or is a member's right over the own data. Everything
   * else is refused to members who may only read now (see `requireActive`).
   */
  reads?: true | ((interaction: Answerable) => boolean);
  run?(interaction: GuildCommand, bot: Bot): Promise<void>;
  /** Runs a message command. */
  runOnMessage?(interaction: GuildMessageCommand, bot: Bot): Promise<void>;
  /** Runs a command on a member, from their *Apps* menu. */
  runOnMember?(interaction: GuildMemberCommand, bot: Bot): Promise<void>;
  /** Returns at most 25 choices. Members can send other values, so `run` validates again. */
  complete?(interaction: GuildCompletion, bot: Bot): Promise<Choice[]>;
  /** A button or select of this command: custom ids are `<file name>|<argument>|…`. */
  component?(interaction: GuildComponent, args: string[], bot: Bot): Promise<void>;
  /** Runs when a member sends a form that this command opened with `openForm()`. */
  form?(interaction: GuildForm, args: string[], bot: Bot): Promise<void>;
  /** Runs in the bot's direct messages. Without it, the command works only in guilds. */
  direct?: {
    run(interaction: DirectCommand, bot: Bot): Promise<void>;
    component?(interaction: DirectComponent, args: string[], bot: Bot): Promise<void>;
  };
};

export type Choice = { name: string; value: string | number };

export type GuildCommand = ChatInputCommandInteraction<'cached'>;
export type GuildCompletion = AutocompleteInteraction<'cached'>;
export type GuildComponent = MessageComponentInteraction<'cached'>;
export type GuildMessageCommand = MessageContextMenuCommandInteraction<'cached'>;
export type GuildMemberCommand = UserContextMenuCommandInteraction<'cached'>;
export type GuildForm = ModalSubmitInteraction<'cached'>;
export type DirectCommand = ChatInputCommandInteraction;
export type DirectComponent = MessageComponentInteraction;

export type Answerable = CommandInteraction | MessageComponentInteraction | ModalSubmitInteraction;

/** The commands by the names of their files. */
export type Commands<Bot> = ReadonlyMap<string, Command<Bot>>;

/** Loads every file of the folder as a command. Throws if a file is not a command with the file's name. */
export async function loadCommands<Bot>(folder: string): Promise<Commands<Bot>> {
  const commands = new Map<string, Command<Bot>>();
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort()) {
    const path = join(folder, file);
    const { default: command } = (await import(pathToFileURL(path).href)) as {
      default?: Command<Bot>;
    };
    const name = basename(file, '.ts');
    if (command?.data?.name === undefined || fileNameOf(command.data.name) !== name) {
      throw new Error(`${path} must export by default a command whose data.name is ${name}.`);
    }
    commands.set(name, command);
  }
  return commands;
}

/** Message commands have capitals, spaces and marks in their names: *Why this rank?* is `why-this-rank`. */
export function fileNameOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
}

import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType as Type,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { MAX_TITLE_LENGTH } from '../../text/clean.ts';
import {
  channelOption,
  choiceOption,
  completedOption,
  localized,
} from '../../discord/commands/localized.ts';

export const MAX_REASON_LENGTH = 200;
export const MAX_BLOCK_DAYS = 3650;
export const BLOCK_SCOPES = ['both', 'post', 'vote'] as const;

const article: APIApplicationCommandBasicOption = completedOption('command.mod.option.article');
const reason: APIApplicationCommandBasicOption = {
  type: Type.String,
  max_length: MAX_REASON_LENGTH,
  ...localized('command.mod.option.reason'),
};
const channel: APIApplicationCommandBasicOption = {
  ...channelOption('command.mod.option.channel'),
  required: true,
};
const title: APIApplicationCommandBasicOption = {
  type: Type.String,
  required: true,
  max_length: MAX_TITLE_LENGTH,
  ...localized('command.mod.option.title'),
};
const block: APIApplicationCommandBasicOption = completedOption('command.mod.option.block');
const entry: APIApplicationCommandBasicOption = completedOption('command.mod.option.entry');

const subcommands = {
  remove: [article, reason],
  restore: [article, reason],
  lock: [article, reason],
  unlock: [article, reason],
  move: [article, channel, reason],
  retitle: [article, title, reason],
  block: [
    { type: Type.User, ...localized('command.mod.option.member') },
    { type: Type.String, max_length: 200, ...localized('command.mod.option.origin') },
    choiceOption('command.mod.option.what', BLOCK_SCOPES, (what) => `mod.what.${what}`),
    {
      type: Type.Integer,
      min_value: 1,
      max_value: MAX_BLOCK_DAYS,
      ...localized('command.mod.option.days'),
    },
    reason,
  ],
  unblock: [block, reason],
  blocks: [],
  log: [],
  undo: [entry, reason],
} satisfies Record<string, APIApplicationCommandBasicOption[]>;

export type ModSubcommand = keyof typeof subcommands;

export const modData: RESTPostAPIChatInputApplicationCommandsJSONBody = {
  ...localized('command.mod'),
  default_member_permissions: String(PermissionFlagsBits.ManageMessages),
  options: (Object.keys(subcommands) as ModSubcommand[]).map(
    (name): APIApplicationCommandSubcommandOption => ({
      type: Type.Subcommand,
      options: subcommands[name],
      ...localized(`command.mod.${name}`),
    }),
  ),
};

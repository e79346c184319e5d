import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType as Type,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { MAX_ORIGIN_LENGTH } from '../../records/blocks.ts';
import { MAX_TITLE_LENGTH } from '../../text/clean.ts';
import {
  channelOption,
  choiceOption,
  completedOption,
  localized,
  numberOption,
  subcommand,
  textOption,
} from '../../discord/commands/localized.ts';

export const MAX_REASON_LENGTH = 200;
export const MAX_BLOCK_DAYS = 3650;
export const BLOCK_SCOPES = ['both', 'post', 'vote'] as const;

const article = completedOption('command.mod.option.article');
const reason = textOption('command.mod.option.reason', { max_length: MAX_REASON_LENGTH });
const channel = { ...channelOption('command.mod.option.channel'), required: true };
const title = textOption('command.mod.option.title', {
  required: true,
  max_length: MAX_TITLE_LENGTH,
});
const block = completedOption('command.mod.option.block');

const subcommands = {
  remove: [article, reason],
  restore: [article, reason],
  lock: [article, reason],
  unlock: [article, reason],
  move: [article, channel, reason],
  retitle: [article, title, reason],
  block: [
    { type: Type.User, ...localized('command.mod.option.member') },
    textOption('command.mod.option.site', { max_length: MAX_ORIGIN_LENGTH }),
    choiceOption('command.mod.option.what', BLOCK_SCOPES, (what) => `mod.what.${what}`),
    numberOption('command.mod.option.days', 1, MAX_BLOCK_DAYS),
    reason,
  ],
  unblock: [block, reason],
  blocks: [],
  log: [],
} satisfies Record<string, APIApplicationCommandBasicOption[]>;

export type ModSubcommand = keyof typeof subcommands;

export const modData: RESTPostAPIChatInputApplicationCommandsJSONBody = {
  ...localized('command.mod'),
  default_member_permissions: String(PermissionFlagsBits.ManageMessages),
  options: (Object.keys(subcommands) as ModSubcommand[]).map((name) =>
    subcommand(`command.mod.${name}`, subcommands[name]),
  ),
};

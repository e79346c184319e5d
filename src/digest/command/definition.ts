import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType as Type,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { choiceOption, localized } from '../../discord/commands/localized.ts';
import { MOST_ARTICLES, MOST_VOTES, SELECTIONS } from '../../records/digests/digest.ts';
import { DIGEST_CHANNEL_TYPES } from '../posting/channel.ts';
import { EVERY, RESETS } from './apply-options.ts';

const SUBCOMMANDS = ['set', 'show', 'now', 'preview', 'off'] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

const name: APIApplicationCommandBasicOption = {
  ...localized('command.digest.option.name'),
  type: Type.String,
  max_length: 32,
  autocomplete: true,
};

const settings: APIApplicationCommandBasicOption[] = [
  {
    ...localized('command.digest.option.channel'),
    type: Type.Channel,
    channel_types: [...DIGEST_CHANNEL_TYPES],
  },
  { ...localized('command.digest.option.time'), type: Type.String, max_length: 10 },
  { ...localized('command.digest.option.timezone'), type: Type.String, autocomplete: true },
  {
    ...localized('command.digest.option.count'),
    type: Type.Integer,
    min_value: 1,
    max_value: MOST_ARTICLES,
  },
  name,
  choiceOption('command.digest.option.every', EVERY, (every) => `digest.every.${every}`),
  { ...localized('command.digest.option.days'), type: Type.String, max_length: 100 },
  { ...localized('command.digest.option.source'), type: Type.String, max_length: 1000 },
  choiceOption('command.digest.option.selection', SELECTIONS, (by) => `digest.selection.${by}`),
  {
    ...localized('command.digest.option.minimum'),
    type: Type.Integer,
    min_value: 0,
    max_value: MOST_VOTES,
  },
  { ...localized('command.digest.option.role'), type: Type.Role },
  { ...localized('command.digest.option.silent'), type: Type.Boolean },
  { ...localized('command.digest.option.thread'), type: Type.Boolean },
  { ...localized('command.digest.option.empty'), type: Type.Boolean },
  choiceOption('command.digest.option.reset', RESETS, (reset) => `digest.reset.${reset}`),
];

/** Discord hides it from members who may not manage the server; the command itself checks again. */
export const digestData: RESTPostAPIChatInputApplicationCommandsJSONBody = {
  ...localized('command.digest'),
  contexts: [InteractionContextType.Guild],
  default_member_permissions: String(PermissionFlagsBits.ManageGuild),
  options: SUBCOMMANDS.map(subcommand),
};

function subcommand(each: Subcommand): APIApplicationCommandSubcommandOption {
  const options = each === 'set' ? settings : [name];
  return { ...localized(`command.digest.${each}`), type: Type.Subcommand, options };
}

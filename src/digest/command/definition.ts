import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType as Type,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import {
  choiceOption,
  localized,
  numberOption,
  subcommand,
  textOption,
} from '../../discord/commands/localized.ts';
import { MOST_ARTICLES, SELECTIONS } from '../../records/digests/digest-settings.ts';
import { DIGEST_CHANNEL_TYPES } from '../posting/channel.ts';
import { EVERY, RESETS } from './apply-options.ts';

const SUBCOMMANDS = ['set', 'show', 'now', 'preview', 'off'] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

const name = textOption('command.digest.option.name', { max_length: 32, autocomplete: true });

const settings: APIApplicationCommandBasicOption[] = [
  {
    ...localized('command.digest.option.channel'),
    type: Type.Channel,
    channel_types: [...DIGEST_CHANNEL_TYPES],
  },
  textOption('command.digest.option.time', { max_length: 10 }),
  textOption('command.digest.option.timezone', { autocomplete: true }),
  numberOption('command.digest.option.count', 1, MOST_ARTICLES),
  name,
  choiceOption('command.digest.option.every', EVERY, (every) => `digest.every.${every}`),
  textOption('command.digest.option.days', { max_length: 100 }),
  textOption('command.digest.option.source', { max_length: 1000 }),
  choiceOption('command.digest.option.selection', SELECTIONS, (by) => `digest.selection.${by}`),
  { ...localized('command.digest.option.role'), type: Type.Role },
  { ...localized('command.digest.option.empty'), type: Type.Boolean },
  choiceOption('command.digest.option.reset', RESETS, (reset) => `digest.reset.${reset}`),
];

/** Discord hides it from members who may not manage the server; the command itself checks again. */
export const digestData: RESTPostAPIChatInputApplicationCommandsJSONBody = {
  ...localized('command.digest'),
  contexts: [InteractionContextType.Guild],
  default_member_permissions: String(PermissionFlagsBits.ManageGuild),
  options: SUBCOMMANDS.map((each) =>
    subcommand(`command.digest.${each}`, each === 'set' ? settings : [name]),
  ),
};

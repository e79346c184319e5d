import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandStringOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  type LocalizationMap,
} from 'discord.js';
import { GROUP_OPTION_TYPES } from '../access/visibility.ts';
import {
  FALLBACK_LOCALE,
  isKey,
  type Key,
  languages,
  translate,
  type Value,
} from '../../text/catalogue.ts';
import type { GuildCommand } from './command.ts';

type Named = { [K in Key]: K extends `${infer Name}.description` ? Name : never }[Key];

/** The name and description of a command or option in every language, for its deployment. */
export function localized(named: Named) {
  return {
    ...localizedName(`${named}.name` as Key),
    ...inEveryLanguage('description', `${named}.description` as Key),
  };
}

/** Only the name: message commands have no description. */
export function localizedName(key: Key) {
  return inEveryLanguage('name', key);
}

export function subcommand(
  named: Named,
  options: APIApplicationCommandBasicOption[] = [],
): APIApplicationCommandSubcommandOption {
  return { type: ApplicationCommandOptionType.Subcommand, ...localized(named), options };
}

export function textOption(
  named: Named,
  more: { max_length?: number; required?: boolean; autocomplete?: true } = {},
): APIApplicationCommandStringOption {
  const type = ApplicationCommandOptionType.String;
  return { type, ...localized(named), ...more };
}

export function numberOption(
  named: Named,
  min_value: number,
  max_value: number,
): APIApplicationCommandBasicOption {
  const type = ApplicationCommandOptionType.Integer;
  return { type, min_value, max_value, ...localized(named) };
}

/** An option for a group: `groupOption` reads its value. */
export function channelOption(named: Named) {
  return {
    type: ApplicationCommandOptionType.Channel as const,
    channel_types: GROUP_OPTION_TYPES,
    ...localized(named),
  };
}

/** A required text that is chosen by completion, such as an article by its title. */
export function completedOption(named: Named): APIApplicationCommandStringOption {
  return textOption(named, { required: true, autocomplete: true });
}

/** An option with a few choices, each by the words of its key. Other programs rely on the values. */
export function choiceOption<T extends string>(
  named: Named,
  values: readonly T[],
  keyOf: (value: T) => Key,
) {
  return {
    type: ApplicationCommandOptionType.String as const,
    choices: values.map((value) => ({ ...localizedName(keyOf(value)), value })),
    ...localized(named),
  };
}

/**
 * The name of an option as Discord shows it to its member, such as `título`: the texts of a command lie
 * below its own name, its subcommand's, or `option`.
 */
export function optionText(
  { commandName, options }: Pick<GuildCommand, 'commandName' | 'options'>,
  option: string,
): Value {
  const places = [`${options.getSubcommand(false)}.${option}`, `option.${option}`, option];
  const key = places.map((place) => `command.${commandName}.${place}.name`).find(isKey);
  return key === undefined ? option : (locale) => translate(locale, key);
}

/** Discord shows the English text where a language lacks one. */
function inEveryLanguage<Field extends 'name' | 'description'>(field: Field, key: Key) {
  const others = [...languages].filter(([locale]) => locale !== FALLBACK_LOCALE);
  const translated = others.flatMap(([locale, { [key]: text }]) => (text ? [[locale, text]] : []));
  return {
    [field]: translate(FALLBACK_LOCALE, key),
    [`${field}_localizations`]: Object.fromEntries(translated) as LocalizationMap,
  } as Record<Field, string> & Record<`${Field}_localizations`, LocalizationMap>;
}

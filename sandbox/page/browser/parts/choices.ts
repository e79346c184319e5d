import { actors, type Component, isThread, nameOf, type Option, state } from '../state/state.ts';
import { say } from '../state/words.ts';

export type Choice = { label: string; value: string; description?: string; default?: boolean };

const people = (): Choice[] =>
  actors().map(({ user }) => ({ label: nameOf(user.id), value: user.id }));
const roles = (): Choice[] => state.guild.roles.map(({ id, name }) => ({ label: name, value: id }));

function channels(types: number[] | undefined): Choice[] {
  return state.channels
    .filter(({ name, type }) => name && (!types?.length || types.includes(type)))
    .map((channel) => ({
      label: `${isThread(channel) ? '› ' : '#'}${channel.name}`,
      value: channel.id,
    }));
}

/** The options of a select, with the chosen ones marked. */
export function selectOptions(part: Component): Choice[] {
  const chosen = new Set(part.default_values?.map(({ id }) => id));
  return offered(part).map((choice) =>
    chosen.has(choice.value) ? { ...choice, default: true } : choice,
  );
}

function offered(part: Component): Choice[] {
  switch (part.type) {
    case 5:
      return people();
    case 6:
      return roles();
    case 8:
      return channels(part.channel_types);
    default:
      return part.options ?? [];
  }
}

/** What can be chosen for a command's option; undefined where anything can be typed. */
export function optionChoices(option: Option, locale: string): Choice[] | undefined {
  if (option.choices !== undefined && option.choices.length > 0) {
    return option.choices.map((choice) => ({
      label: choice.name_localizations?.[locale] ?? choice.name,
      value: String(choice.value),
    }));
  }
  switch (option.type) {
    case 5:
      return [
        { label: say('yes'), value: 'true' },
        { label: say('no'), value: 'false' },
      ];
    case 6:
      return people();
    case 7:
      return channels(option.channel_types);
    case 8:
      return roles();
    default:
      return undefined;
  }
}

import {
  ApplicationCommandOptionType as Type,
  ApplicationCommandType,
} from 'discord-api-types/v10';
import type { Fault } from '../compare.ts';

type Texts = Record<string, string | null> | null;
type Named = { name: string; name_localizations?: Texts };
type Choice = Named & { value: string | number };
type Option = Named & {
  type: Type;
  description: string;
  choices?: Choice[] | null;
  options?: Option[] | null;
  min_value?: number | null;
  max_value?: number | null;
  min_length?: number | null;
  max_length?: number | null;
};
export type Command = {
  type?: ApplicationCommandType | null;
  description?: string | null;
  options?: Option[] | null;
};

const GROUPS: Type[] = [Type.Subcommand, Type.SubcommandGroup];

export function* commandFaults(command: Command, path: string): Iterable<Fault> {
  const { type, description, options } = command;
  const isMenu = type === ApplicationCommandType.User || type === ApplicationCommandType.Message;
  if (isMenu) {
    if (description) yield { path: `${path}.description`, why: 'is not for a context menu' };
    if (options?.length) yield { path: `${path}.options`, why: 'are not for a context menu' };
    return;
  }
  if (!description?.trim()) yield { path: `${path}.description`, why: 'is blank' };
  yield* optionsFaults(options ?? [], `${path}.options`);
}

function* optionsFaults(options: Option[], path: string): Iterable<Fault> {
  const groups = options.filter(({ type }) => GROUPS.includes(type)).length;
  if (groups > 0 && groups < options.length) yield { path, why: 'mixes subcommands and options' };
  yield* twiceFaults(options, path);
  for (const [index, option] of options.entries()) {
    yield* optionFaults(option, `${path}[${index}]`);
  }
}

function* optionFaults(option: Option, path: string): Iterable<Fault> {
  const { type, description, options, choices } = option;
  if (!description.trim()) yield { path: `${path}.description`, why: 'is blank' };
  if (type === Type.SubcommandGroup && !options?.length) {
    yield { path: `${path}.options`, why: 'must have a subcommand' };
  }
  yield* optionsFaults(options ?? [], `${path}.options`);
  if ((option.min_value ?? -Infinity) > (option.max_value ?? Infinity)) {
    yield { path: `${path}.min_value`, why: 'is above max_value' };
  }
  if ((option.min_length ?? 0) > (option.max_length ?? Infinity)) {
    yield { path: `${path}.min_length`, why: 'is above max_length' };
  }
  yield* choicesFaults(type, choices ?? [], `${path}.choices`);
}

function* choicesFaults(type: Type, choices: Choice[], path: string): Iterable<Fault> {
  yield* twiceFaults(choices, path);
  const names = choices.map(({ name }) => name);
  for (const [index, { name, value }] of choices.entries()) {
    const at = `${path}[${index}]`;
    yield* choiceFaults({ name, value }, at);
    if (names.indexOf(name) < index) yield { path: `${at}.name`, why: 'is another choice’s name' };
    if (type === Type.Integer && !Number.isInteger(value)) {
      yield { path: `${at}.value`, why: 'must be a whole number' };
    }
  }
}

/** Of a command's choice, or of one that completes what a member types. */
export function* choiceFaults({ name, value }: Choice, path: string): Iterable<Fault> {
  if (!name.trim()) yield { path: `${path}.name`, why: 'is blank' };
  if (value === '') yield { path: `${path}.value`, why: 'is empty' };
}

/** In one language. */
function* twiceFaults(named: Named[], path: string): Iterable<Fault> {
  const seen = new Set<string>();
  for (const [index, { name_localizations }] of named.entries()) {
    for (const [locale, name] of Object.entries(name_localizations ?? {})) {
      const key = `${locale} ${name}`;
      if (name !== null && seen.has(key)) {
        const at = `${path}[${index}].name_localizations.${locale}`;
        yield { path: at, why: 'is another one’s name in that language' };
      }
      seen.add(key);
    }
  }
}

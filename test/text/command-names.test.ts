import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCommands } from '../../src/discord/commands/command.ts';
import { settingNames } from '../../src/community/settings.ts';
import { limits } from '../../src/discord/limits.ts';
import { optionText } from '../../src/discord/commands/localized.ts';
import { languages, translate } from '../../src/text/catalogue.ts';

type Localized = Partial<Record<string, string | null>> | null;
type Named = {
  name: string;
  description?: string;
  description_localizations?: Localized;
  choices?: { name: string; value: string | number; name_localizations?: Localized }[];
  type?: number;
  name_localizations?: Localized;
  options?: Named[];
};

const commands = await loadCommands(join(import.meta.dirname, '../../commands'));
const all = [...commands.values()].map(({ data }) => data as Named);
const locales = [...languages.keys()];

const named = (one: Named, locale: string) => one.name_localizations?.[locale] ?? one.name;
const subcommandsOf = ({ options = [] }: Named) => options.filter(({ type }) => type === 1);

test.each(locales)(
  'no two commands, subcommands or options are called the same in %s',
  (locale) => {
    const expectDistinct = (siblings: readonly Named[]): void => {
      const names = siblings.map((one) => named(one, locale));
      expect(names).toEqual([...new Set(names)]);
      for (const { options = [] } of siblings) expectDistinct(options);
    };
    expectDistinct(all);
  },
);

const lengthOf = (text: string) => text.length;

test.each(locales)('every name and description keeps to Discord’s limits in %s', (locale) => {
  const faults: string[] = [];
  /** Discord counts the names, descriptions and choices of a command together: 8 000 at most. */
  const look = (one: Named): number => {
    const name = named(one, locale);
    const description = one.description_localizations?.[locale] ?? one.description ?? '';
    const isTyped = one.description !== undefined && one.description !== '';
    const isName = isTyped
      ? /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(name) && name === name.toLowerCase()
      : lengthOf(name) >= 1 && lengthOf(name) <= 32;
    if (!isName) faults.push(`no name: ${name}`);
    if (lengthOf(description) > 100) faults.push(`too long: ${description}`);
    let sum = lengthOf(name) + lengthOf(description);
    for (const choice of one.choices ?? []) {
      const shown = choice.name_localizations?.[locale] ?? choice.name;
      if (lengthOf(shown) < 1 || lengthOf(shown) > 100) faults.push(`no choice: ${shown}`);
      sum += lengthOf(shown) + lengthOf(String(choice.value));
    }
    return sum + (one.options ?? []).reduce((all, option) => all + look(option), 0);
  };
  for (const one of all) if (look(one) > 8000) faults.push(`too much in all: ${one.name}`);
  expect(faults).toEqual([]);
});

test.each(locales)('a choice has words, and not its code, in %s', (locale) => {
  const codesIn = ({ choices = [], options = [] }: Named): string[] => [
    ...choices
      .filter((one) => (one.name_localizations?.[locale] ?? one.name) === one.value)
      .map(({ name }) => name),
    ...options.flatMap(codesIn),
  ];
  expect(all.flatMap(codesIn)).toEqual([]);
});

test.each(locales)('a text calls each command what members type in %s', (locale) => {
  const subcommands = new Map(all.map((one) => [named(one, locale), subcommandsOf(one)]));
  const isKnown = (command: string, next: string): boolean =>
    subcommands.has(command) &&
    subcommands.get(command)!.every((one) => one.name !== next || named(one, locale) === next);
  const wrong = Object.entries(languages.get(locale)!).flatMap(([key, text]) =>
    [...text.matchAll(/(?<![\p{L}\d:/<.])\/(\p{L}[\p{L}-]*)(?: (\p{L}+))?/gu)]
      .filter(([, command = '', next = '']) => !isKnown(command, next))
      .map(([found]) => `${key}: ${found}`),
  );
  expect(wrong).toEqual([]);
});

test.each(locales)('a refusal calls every option as Discord shows it in %s', (locale) => {
  const wrong = all.flatMap((command) => {
    const subcommands = subcommandsOf(command);
    const places = subcommands.length > 0 ? subcommands : [command];
    return places.flatMap((place) => {
      const getSubcommand = () => (place === command ? null : place.name);
      const asked = { commandName: command.name, options: { getSubcommand } };
      return (place.options ?? []).filter((option) => {
        const text = optionText(asked as unknown as Parameters<typeof optionText>[0], option.name);
        return typeof text !== 'function' || text(locale) !== named(option, locale);
      });
    });
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test.each(locales)(
  'the first line about a setting fits into the list of settings in %s',
  (locale) => {
    const long = settingNames
      .map((name) => translate(locale, `settings.about.${name}`).split('\n', 1)[0]!)
      .filter((line) => line.length > limits.selectOptionLength);
    expect(long).toEqual([]);
  },
);

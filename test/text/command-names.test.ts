import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCommands } from '../../src/discord/commands/load.ts';
import { languages } from '../../src/text/catalogue.ts';

type Named = {
  name: string;
  type?: number;
  name_localizations?: Partial<Record<string, string | null>> | null;
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

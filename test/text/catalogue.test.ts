import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Locale } from 'discord.js';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import schema from '../../docs/language.schema.json' with { type: 'json' };
import en from '../../src/text/en.json' with { type: 'json' };
import { type Key, languageOf, languages, translate } from '../../src/text/catalogue.ts';

const root = join(import.meta.dirname, '../..');
const keys = Object.keys(en) as Key[];
const others = [...languages].filter(([locale]) => locale !== 'en');

/** These are kept together with English. Another language may be begun with a few texts. */
const COMPLETE = ['de', 'es-ES', 'fr', 'ja', 'pt-BR', 'zh-CN'];

type Elements = ReturnType<IntlMessageFormat['getAst']>;

/** The names of a message's placeholders, those within plurals too. */
function placeholders(message: string): string[] {
  const names = new Set<string>();
  const visit = (elements: Elements): void => {
    for (const element of elements) {
      if ('options' in element) {
        for (const option of Object.values(element.options)) visit(option.value);
      }
      // The parser's type of a literal is 0, which has no name here.
      if ('value' in element && Boolean(element.type)) names.add(element.value);
    }
  };
  visit(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return [...names].sort();
}

/** The options of each plural in a message, those within others too. */
function pluralsIn(message: string): string[][] {
  const found: string[][] = [];
  const visit = (elements: Elements): void => {
    for (const element of elements) {
      if (!('options' in element)) continue;
      if ('pluralType' in element) found.push(Object.keys(element.options));
      for (const option of Object.values(element.options)) visit(option.value);
    }
  };
  visit(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return found;
}

/** The names of placeholders in a message that show a value: alone, as a number or in a plural. */
function numbersOf(message: string): string[] {
  const parsed = new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst();
  return parsed.flatMap((element) =>
    'value' in element && Boolean(element.type) && (!('options' in element) || 'offset' in element)
      ? [element.value]
      : [],
  );
}

/** Placeholders that count something: every name that stands in a plural of some text. */
const COUNTS = [
  ...new Set(
    [...languages.values()].flatMap((messages) =>
      Object.values(messages).flatMap((message) =>
        [...message.matchAll(/\{(\w+), plural/g)].map(([, name = '']) => name),
      ),
    ),
  ),
];
/** Here the number is a limit of ours, or the words after it are the same for one and for many. */
const NEVER_ONE = new Set([
  'data.fault.lines',
  'digest.crowded',
  'digest.show.week',
  'import.fate.bot',
  'import.fate.duplicate',
  'import.fate.linkless',
  'import.fate.refused',
  'import.fate.removed',
  'import.fate.unwanted',
  'mod.block.full',
  'mod.more',
  'search.empty.newest',
  'why.score.text',
]);

const isForm = (name: string, forms: readonly string[]) =>
  name.startsWith('=') || forms.includes(name);

/** The words of a text, in which a placeholder is one. */
function wordsOf(text: string): string[] {
  const flat = text.replace(/\{[^{}]*\}/g, 'x');
  return flat === text ? text.split(/\s+/) : wordsOf(flat);
}

function source(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'))
    .join('\n');
}

describe('the catalogue', () => {
  test('the catalogue has languages of Discord, which docs/translating.md lists', () => {
    const ofDiscord = ['en', ...Object.values(Locale)] as string[];
    expect([...languages.keys()].filter((locale) => !ofDiscord.includes(locale))).toEqual([]);
    const document = readFileSync(join(root, 'docs/translating.md'), 'utf8');
    const [, languagesPart = ''] = document.split('## The languages');
    const listed = [...languagesPart.matchAll(/`([\w-]+)`/g)].map(([, locale = '']) => locale);
    expect(listed.sort()).toEqual([...languages.keys()].sort());
  });

  // A text of more is read by nobody. Other languages take up to a quarter more words for the same.
  test.each([...languages])(
    'no text of the catalogue has more than 40 words in %s',
    (locale, messages) => {
      const most = locale === 'en' ? 40 : 50;
      const long = Object.entries(messages).filter(([, text]) => wordsOf(text).length > most);
      expect(long.map(([key]) => key)).toEqual([]);
    },
  );

  test.each(COMPLETE)('the catalogue has every text of English in %s', (locale) => {
    const has = new Set(Object.keys(languages.get(locale)!));
    expect(keys.filter((key) => !has.has(key))).toEqual([]);
  });

  test.each([...languages])('the catalogue keeps to its schema in %s', (_, messages) => {
    const zSchema = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    expect(zSchema.safeParse(messages).error?.issues ?? []).toEqual([]);
  });

  test.each(others)(
    'the catalogue has the keys and placeholders of English in %s',
    (_, messages) => {
      for (const [key, message] of Object.entries(messages)) {
        expect(keys).toContain(key);
        expect([key, placeholders(message)]).toEqual([key, placeholders(en[key as Key])]);
      }
    },
  );

  test.each([...languages])(
    'the catalogue has the plural forms of the language in %s',
    (locale, messages) => {
      const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
      for (const [key, message] of Object.entries(messages)) {
        // Other forms may fall back to other, but one thing is never "1 things".
        const hasOne = pluralsIn(en[key as Key]).some((english) => english.includes('one'));
        const needsOne = hasOne && forms.includes('one');
        for (const options of pluralsIn(message)) {
          const wrong = options.filter((name) => !isForm(name, forms));
          const lacksOne = needsOne && !options.includes('one') && !options.includes('=1');
          expect([key, wrong, lacksOne]).toEqual([key, [], false]);
        }
      }
    },
  );

  test.each([...languages])(
    'the catalogue writes every number as one does in %s',
    (locale, messages) => {
      const wrong: string[] = [];
      for (const [key, message] of Object.entries(messages)) {
        for (const count of [0, 1, 2, 5, 1234, 1_000_000]) {
          const values = Object.fromEntries(placeholders(message).map((name) => [name, count]));
          const text = translate(locale, key as Key, values);
          const number = new Intl.NumberFormat(locale).format(count);
          // One and none may be a word of their own, and a choice of words shows no number.
          const isWritten = count < 2 || text.includes(number) || numbersOf(message).length === 0;
          const isBare = number !== String(count) && text.includes(String(count));
          const marks = text.replaceAll('-# ', '').replace(/#\p{L}+/gu, '');
          if (!isWritten || isBare || /[{}#]/.test(marks)) {
            wrong.push(`${key}: ${text}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test.each([...languages])(
    'the catalogue says of a number in %s how many of what, also where it is one',
    (locale, messages) => {
      const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
      if (!forms.includes('one')) return;
      const wrong = Object.entries(messages).filter(([, message]) =>
        COUNTS.some((name) => new RegExp(`\\{${name}(, number)?\\} \\p{L}`, 'u').test(message)),
      );
      expect(wrong.map(([key]) => key).filter((key) => !NEVER_ONE.has(key))).toEqual([]);
    },
  );

  test('the catalogue is never asked for a text with placeholders without their values', () => {
    const text = source('src') + source('commands');
    const bare = [...text.matchAll(/translate\(\s*[\w.?]+,\s*'([^']+)',?\s*\)/g)];
    expect(bare.length).toBeGreaterThan(50);
    const wrong = bare.filter(([, key = '']) => placeholders(en[key as Key]).length > 0);
    expect(wrong.map(([call]) => call)).toEqual([]);
    for (const key of keys.filter((name) => /^command\..+\.(name|description)$/.test(name))) {
      expect([key, placeholders(en[key])]).toEqual([key, []]);
    }
  });

  test('the catalogue has no key that nothing uses', () => {
    const text = source('src') + source('commands');
    const isUsed = (name: string) =>
      text.includes(`'${name}'`) || text.includes(`\`${name.replace(/[^.]+$/, '')}\${`);
    const unused = keys.filter((key) => {
      // words('command.post.link') stands for its name and description.
      const named = /^(.+)\.(?:name|description)$/.exec(key)?.[1];
      return !isUsed(key) && !(named !== undefined && isUsed(named));
    });
    expect(unused).toEqual([]);
  });

  test('the catalogue answers every locale, in another region’s language or in English', () => {
    expect(languageOf('zh-CN')).toBe('zh-CN');
    expect(languageOf('zh-TW')).toBe('zh-CN');
    expect(languageOf('en-GB')).toBe('en');
    expect(languageOf('lt')).toBe('en');
    expect(languageOf(null)).toBe('en');
  });

  test('the catalogue never parses what stands in a value', () => {
    const text = translate('en', 'post.duplicate', { message: "{x} <b> '{'" });
    expect(text).toContain("{x} <b> '{'");
  });

  test('a text has the plural form of its language for each count', () => {
    const values = { page: 1, pages: 1 };
    expect(translate('en', 'top.footer', { ...values, total: 1 })).toContain('1 article');
    expect(translate('en', 'top.footer', { ...values, total: 2 })).toContain('2 articles');
  });
});

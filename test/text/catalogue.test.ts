import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import en from '../../src/text/en.json' with { type: 'json' };
import { type Key, languageOf, languages, translate } from '../../src/text/catalogue.ts';

const root = join(import.meta.dirname, '../..');
const keys = Object.keys(en) as Key[];
const others = [...languages].filter(([locale]) => locale !== 'en');

type Elements = ReturnType<IntlMessageFormat['getAst']>;

/** The names of a message's placeholders, those within plurals too. */
function placeholders(message: string): string[] {
  const names = new Set<string>();
  const look = (elements: Elements): void => {
    for (const element of elements) {
      if ('options' in element) {
        for (const option of Object.values(element.options)) look(option.value);
      }
      // The parser's type of a literal is 0, which has no name here.
      if ('value' in element && Boolean(element.type)) names.add(element.value);
    }
  };
  look(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return [...names].sort();
}

function source(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !(folder === 'src' && file.startsWith('text')))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'))
    .join('\n');
}

describe('the catalogue', () => {
  test('has English and 简体中文', () => {
    expect([...languages.keys()].sort()).toEqual(['en', 'zh-CN']);
  });

  test.each(others)('has the same keys in %s', (_, messages) => {
    expect(Object.keys(messages).sort()).toEqual([...keys].sort());
  });

  test.each(others)('has the same placeholders in %s', (_, messages) => {
    for (const key of keys)
      expect([key, placeholders(messages[key] ?? '')]).toEqual([key, placeholders(en[key])]);
  });

  test('has no key that nothing uses', () => {
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

  test('answers every locale, in another region’s language or in English', () => {
    expect(languageOf('zh-CN')).toBe('zh-CN');
    expect(languageOf('zh-TW')).toBe('zh-CN');
    expect(languageOf('en-GB')).toBe('en');
    expect(languageOf('fr')).toBe('en');
    expect(languageOf(null)).toBe('en');
  });

  test('never parses what stands in a value', () => {
    const text = translate('en', 'post.duplicate', { message: "{x} <b> '{'" });
    expect(text).toContain("{x} <b> '{'");
  });

  test('counts in words', () => {
    const values = { page: 1, pages: 1 };
    expect(translate('en', 'top.footer', { ...values, total: 1 })).toContain('1 article');
    expect(translate('en', 'top.footer', { ...values, total: 2 })).toContain('2 articles');
  });
});

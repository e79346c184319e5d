import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { languages } from '../../src/text/catalogue.ts';

/**
 * The rules of docs/glossary.md that a test can hold. The words that are not used, and their languages, are
 * read from its tables.
 */
const page = readFileSync(join(import.meta.dirname, '../../docs/glossary.md'), 'utf8');
const locales = [...languages.keys()];

/** The rows of the table below a heading, without its head. */
function tableOf(heading: string): string[][] {
  const [, part = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = part.split('\n## ');
  const rows = table.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Stands for what has no spelling of its own: a command, a link, code. */
const CODE = '\ue000';

type Text = { key: string; text: string };

/** A language's texts. The names of commands are what members type, and no sentences. */
function textsOf(locale: string): Text[] {
  return Object.entries(languages.get(locale)!)
    .filter(([key]) => !/^command\..+\.name$/.test(key))
    .map(([key, text]) => ({ key, text }));
}

/** The texts without commands, links, code and the forms of ICU, in which a language's rules do not hold. */
function sentencesOf(locale: string): Text[] {
  const commands = Object.entries(languages.get(locale)!)
    .filter(([key]) => /^command\.[\w-]+(\.[\w-]+)?\.name$/.test(key))
    .map(([, name]) => name)
    .sort((a, b) => b.length - a.length);
  const command = new RegExp(`/(?:${commands.join('|')})(?: (?:${commands.join('|')}))?`, 'gu');
  return textsOf(locale).map(({ key, text }) => ({
    key,
    text: text
      .replace(command, CODE)
      .replace(/→ [^\s。，：；、!?.;:）)]+(?: les listes| listas| lists| aufbauen)?/gu, `→ ${CODE}`)
      .replace(/<?https?:\/\/[^\s>]+>?|\?order=time|(?:node|npm) [\w./ -]+(?:--[\w-]+)?/gu, CODE)
      .replace(/\{\w+, (?:plural|select), /gu, '')
      .replace(/\{\w+(?:, number)?\}/gu, '{}')
      .replace(/\b(?:one|other|many|=\d|\w+) \{/gu, '{'),
  }));
}

/** What a pattern finds, each with its text's key. */
function found(locale: string, pattern: RegExp): string[] {
  return sentencesOf(locale).flatMap(({ key, text }) =>
    [...text.matchAll(pattern)].map(([match]) => `${key}: ${match}`),
  );
}

test('the page of words has every language of the catalogue', () => {
  const addressed = tableOf('Form of address').map(([locale]) => locale);
  expect(new Set(addressed)).toEqual(new Set(locales));
  const [head = ''] = page.split('## Things\n')[1]!.trim().split('\n');
  const named = head.split('|').slice(1, -1);
  expect(new Set(named.map((cell) => cell.trim()))).toEqual(new Set(locales));
  for (const row of tableOf('Things'))
    expect([row[0], row.length]).toEqual([row[0], locales.length]);
});

test.each(locales)('no text in %s has a word that is not used', (locale) => {
  const words = tableOf('Words that are not used')
    .filter(([language]) => language === locale)
    .flatMap(([, not = '']) => not.split(', '));
  expect(words.length).toBeGreaterThan(0);
  const isLatin = !/^(?:ja|zh)/.test(locale);
  const any = words.join('|');
  const pattern = isLatin
    ? new RegExp(
        `(?<![\\p{L}-])(?:${any})(?![\\p{L}-])`,
        locale === 'fr' || locale === 'de' ? 'gu' : 'giu',
      )
    : new RegExp(any, 'gu');
  expect(found(locale, pattern)).toEqual([]);
});

test.each(locales)('a text in %s has typographic marks', (locale) => {
  // In a message, '{' escapes.
  expect(found(locale, /"|(?<!\w)'(?!\{)|\p{L}'\p{L}|\.\.\.|……/gu)).toEqual([]);
});

test('a text in Deutsch says du, and never Sie', () => {
  // At a sentence's start, Sie can be she.
  expect(found('de', /(?<![.:!?„\n*] |^|[„\n])\b(?:Sie|Ihnen|Ihr|Ihre[mnrs]?)\b/gmu)).toEqual([]);
  const toAll = found('de', /\b(?:euch|euer|eure[mnrs]?)\b/giu).map((one) => one.split(':')[0]);
  expect(toAll.filter((key) => !key?.startsWith('setup.welcome'))).toEqual([]);
});

test('a text in Deutsch has its own quotation marks', () => {
  expect(found('de', /”|‚|«|»|(?<!„[^“]*)“/gu)).toEqual([]);
});

const countOf = (text: string, sign: string) => text.split(sign).length - 1;

test('a text in Español opens what it closes', () => {
  expect(found('es-ES', /“|”|„/gu)).toEqual([]);
  const unpaired = sentencesOf('es-ES').filter(
    ({ text }) =>
      countOf(text, '?') !== countOf(text, '¿') || countOf(text, '!') !== countOf(text, '¡'),
  );
  expect(unpaired.map(({ key }) => key)).toEqual([]);
});

test('a text in Français has no-break spaces before its double signs and inside its quotation marks', () => {
  expect(
    found('fr', /[^\u00a0\u202f][;?!»]|[^\u00a0\u202f]:(?=[\s*]|$)|«[^\u00a0\u202f]/gmu),
  ).toEqual([]);
  expect(found('fr', /“|”|„/gu)).toEqual([]);
});

test('a text in 日本語 has full-width signs, and spaces only where they stand', () => {
  const own = '[\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Han}]';
  expect(found('ja', new RegExp(`${own}[,;!?()]|[,;!?(]${own}`, 'gu'))).toEqual([]);
  // What a member types, such as 15 or 9時, has a space on both sides.
  const typed =
    /^(?:invalid\.day|digest\.invalid\.time|command\.digest\.option\.days|post\.refused\.space)/;
  const spaced = found('ja', new RegExp(`${own} (?:\\d|Frontpage|Discord|Web)`, 'gu'));
  expect(spaced.filter((one) => !typed.test(one))).toEqual([]);
  const before = found('ja', new RegExp(`(?:\\d|Frontpage|Discord|Web) ${own}`, 'gu'));
  expect(before.filter((one) => !typed.test(one))).toEqual([]);
  expect(found('ja', /[。、] |[！？] (?!\S*\})/gu)).toEqual([]);
  expect(found('ja', /お[^。、「」]{1,8}ください/gu)).toEqual([]);
});

test('a text in 简体中文 has full-width signs, and a space beside Latin letters and digits alone', () => {
  expect(found('zh-CN', /\p{sc=Han}[,;:!?()]|[,;!?(]\p{sc=Han}/gu)).toEqual([]);
  expect(found('zh-CN', /\p{sc=Han} \p{sc=Han}/gu)).toEqual([]);
  expect(found('zh-CN', /[，。：；（）？！、] | [，。：；（）？！、”]|“ /gu)).toEqual([]);
  // 上午9点 is what a member types.
  const glued = found('zh-CN', /\p{sc=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{sc=Han}/gu);
  expect(glued.filter((one) => !/(?:午9|9点)$/.test(one))).toEqual([]);
});

test.each(locales)('a permission is called what Discord calls it in %s', (locale) => {
  const own = languages.get(locale)!;
  const permissions = Object.entries(languages.get('en')!).filter(([key]) =>
    /^permission\.[A-Z]/.test(key),
  );
  const wrong = textsOf('en').flatMap(({ key, text }) =>
    permissions
      // Connect is a verb as well.
      .filter(
        ([name, words]) =>
          !key.startsWith('permission.') && name !== 'permission.Connect' && text.includes(words),
      )
      .filter(([name]) => !own[key as keyof typeof own]?.includes(own[name as keyof typeof own]!))
      .map(([name]) => `${key}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

test.each(locales)('a text leads to the button that is there in %s', (locale) => {
  const own = languages.get(locale)! as Record<string, string>;
  const en = languages.get('en')! as Record<string, string>;
  const buttons = Object.keys(en).filter((key) => key.startsWith('frontpage.button.'));
  const wrong = textsOf('en').flatMap(({ key, text }) =>
    buttons
      .filter((button) => text.includes(`→ ${en[button]!}`))
      .filter((button) => !own[key]?.includes(`→ ${own[button]!}`))
      .map((button) => `${key}: ${button}`),
  );
  expect(wrong).toEqual([]);
});

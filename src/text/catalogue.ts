import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { z } from 'zod';
import type en from './en.json';

export type Key = keyof typeof en;
/**
 * A value that is a translated text may be a function of the locale. A number is written as the language
 * writes it, such as 1,234; one that is a code, such as Discord's 50013, is given as a text.
 */
export type Value = string | number | ((locale: string) => string);
export type Values = Record<string, Value>;

/** A language is one file of this folder, named after its locale. */
const languageFile = /^([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\.json$/;
const zMessages = z.record(z.string(), z.string());
export const FALLBACK_LOCALE = 'en';

/** A message that a language lacks is shown in English. */
type Messages = { readonly [K in Key]?: string };

/** Locale, written as Discord writes it, to its messages. */
export const languages: ReadonlyMap<string, Messages> = readLanguages();
const formats = new Map<string, IntlMessageFormat>();
const numberFormats = new Map(
  [...languages.keys()].map((language) => [language, new Intl.NumberFormat(language)]),
);

type Elements = ReturnType<IntlMessageFormat['getAst']>;

/**
 * The message in the language of a Discord locale, or of another region of it, or in English.
 * Messages are ICU: values are never parsed.
 */
export function translate(
  locale: string | null | undefined,
  key: Key,
  values: Values = {},
): string {
  const language = languageOf(locale);
  const prepared = Object.entries(values).flatMap(([name, value]): [string, string | number][] => {
    const ready = typeof value === 'function' ? value(language) : value;
    return [
      [name, ready],
      [writtenName(name), typeof ready === 'number' ? numberText(language, ready) : ready],
    ];
  });
  return String(formatFor(language, key).format(Object.fromEntries(prepared)));
}

/** "1,234", or as the language writes it. */
export function numberText(locale: string | null | undefined, value: number): string {
  return numberFormats.get(languageOf(locale))!.format(value);
}

/** The name of a value where it stands alone, and no plural form depends on it. */
function writtenName(name: string): string {
  return `${name} written`;
}

/** Every `{name}` of a message reads the value as it is written, those within plurals too. */
function withWrittenNames(elements: Elements): Elements {
  return elements.map((element) => {
    if ('options' in element) {
      const options = Object.entries(element.options).map(([form, option]) => [
        form,
        { ...option, value: withWrittenNames(option.value) },
      ]);
      return { ...element, options: Object.fromEntries(options) };
    }
    // The parser's type of a literal is 0. A number or a date has a style.
    const isBare = 'value' in element && Boolean(element.type) && !('style' in element);
    return isBare ? { ...element, value: writtenName(element.value) } : element;
  });
}

export function isKey(name: string): name is Key {
  return Object.hasOwn(languages.get(FALLBACK_LOCALE) ?? {}, name);
}

export function languageName(locale: string): string {
  return translate(locale, 'language.own');
}

export function languageOf(locale: string | null | undefined): string {
  if (!locale) return FALLBACK_LOCALE;
  if (languages.has(locale)) return locale;
  const base = locale.split('-')[0];
  return [...languages.keys()].find((known) => known.split('-')[0] === base) ?? FALLBACK_LOCALE;
}

function formatFor(language: string, key: Key): IntlMessageFormat {
  const id = `${language} ${key}`;
  let format = formats.get(id);
  if (!format) {
    const message = languages.get(language)?.[key] ?? languages.get(FALLBACK_LOCALE)?.[key] ?? key;
    // Mentions such as <@1> are no tags.
    const parsed = new IntlMessageFormat(message, language, undefined, { ignoreTag: true });
    format = new IntlMessageFormat(withWrittenNames(parsed.getAst()), language);
    formats.set(id, format);
  }
  return format;
}

function readLanguages(): Map<string, Messages> {
  const read = new Map<string, Messages>();
  for (const file of readdirSync(import.meta.dirname).sort()) {
    const locale = languageFile.exec(file)?.[1];
    if (locale === undefined) continue;
    const json: unknown = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'));
    read.set(locale, zMessages.parse(json));
  }
  return read;
}

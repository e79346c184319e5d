import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import type en from './en.ts';

type English = typeof en;
export type Key = keyof English;
/** A value that is a translated text may be a function of the locale. */
export type Value = string | number | ((locale: string) => string);
export type Values = Record<string, Value>;
/** A message with placeholders cannot be translated without values. */
export type Arguments<K extends Key> = English[K] extends `${string}{${string}`
  ? [values: Values]
  : [];

/** A language is one file of this folder, named after its locale in lower case. */
const languageFile = /^([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\.ts$/;
export const fallbackLocale = 'en';

/** Locale, written as Discord writes it, to its messages. */
export const languages: ReadonlyMap<string, Record<Key, string>> = await readLanguages();
const formats = new Map<string, IntlMessageFormat>();

/**
 * The message in the language of a Discord locale, or of another region of it, or in English.
 * Messages are ICU: what stands in a value is never parsed.
 */
export function translate<K extends Key>(
  locale: string | null | undefined,
  key: K,
  ...[values]: Arguments<K>
): string {
  const language = languageOf(locale);
  return String(formatFor(language, key).format(resolved(values, language)));
}

export function languageOf(locale: string | null | undefined): string {
  if (!locale) return fallbackLocale;
  if (languages.has(locale)) return locale;
  const base = locale.split('-')[0];
  return [...languages.keys()].find((known) => known.split('-')[0] === base) ?? fallbackLocale;
}

function formatFor(language: string, key: Key): IntlMessageFormat {
  const id = `${language} ${key}`;
  let format = formats.get(id);
  if (!format) {
    const message = languages.get(language)?.[key] ?? key;
    // Mentions such as <@1> are no tags.
    format = new IntlMessageFormat(message, language, undefined, { ignoreTag: true });
    formats.set(id, format);
  }
  return format;
}

function resolved(values: Values | undefined, locale: string): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [
      name,
      typeof value === 'function' ? value(locale) : value,
    ]),
  );
}

async function readLanguages(): Promise<Map<string, Record<Key, string>>> {
  const read = new Map<string, Record<Key, string>>();
  for (const file of readdirSync(import.meta.dirname).sort()) {
    const name = languageFile.exec(file)?.[1];
    if (name === undefined || file === 'catalogue.ts') continue;
    const language = (await import(join(import.meta.dirname, file))) as {
      default: Record<Key, string>;
    };
    read.set(Intl.getCanonicalLocales(name)[0] ?? name, language.default);
  }
  return read;
}

import { Locale } from 'discord-api-types/rest';

/** The language of a Discord client in a browser of a language: the same, or the nearest that Discord has. */
export function knownLocale(wished: string): string {
  const known: string[] = Object.values(Locale);
  const inLanguage = (one: string): boolean => one.split('-')[0] === wished.split('-')[0];
  // Of the two Chinese ones, the page has this one.
  if (inLanguage(Locale.ChineseCN)) return Locale.ChineseCN;
  return known.includes(wished) ? wished : (known.find(inLanguage) ?? Locale.EnglishUS);
}

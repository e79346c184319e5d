import { languageOf, languages } from '../text/catalogue.ts';

/** The language that a visitor asked for, or prefers, or else that of the guild. */
export function languageFor(
  asked: string | undefined,
  accepted: string | undefined,
  guildLocale: string,
): string {
  if (asked !== undefined && languages.has(asked)) return asked;
  for (const range of (accepted ?? '').split(',')) {
    const wanted = range.split(';')[0]?.trim() ?? '';
    const base = wanted.split('-')[0]?.toLowerCase();
    for (const known of languages.keys()) if (known.split('-')[0] === base) return known;
  }
  return languageOf(guildLocale);
}

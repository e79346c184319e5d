import type { Context } from 'hono';
import { languageOf, languages } from '../text/catalogue.ts';

/** The language that a visitor asked for, or prefers, or else that of the guild. */
export function languageFor({ req }: Context, guildLocale: string): string {
  const { lang = '' } = req.query();
  if (languages.has(lang)) return lang;
  for (const range of (req.header('accept-language') ?? '').split(',')) {
    const [base] = range
      .trim()
      .toLowerCase()
      .split(/[-;\s]/);
    for (const known of languages.keys()) if (known.split('-')[0] === base) return known;
  }
  return languageOf(guildLocale);
}

import { languageOf, languages } from '../text/catalogue.ts';
import type { WebOrder } from './view.ts';

/** The texts that name the orders in `/top` as well. */
export const ORDER_TEXTS = {
  score: 'top.order.score-desc',
  time: 'top.order.time-desc',
  interesting: 'top.order.interesting',
  front: 'top.order.front',
  votes: 'top.order.votes',
} as const satisfies Record<WebOrder, string>;

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

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../clock.ts';
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

const ages = new Map<string, Intl.RelativeTimeFormat>();

export function age(language: string, atMs: number, now: number): string {
  let format = ages.get(language);
  if (!format)
    ages.set(language, (format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })));
  const agoMs = Math.max(0, now - atMs);
  if (agoMs >= DAY_MS) return format.format(-Math.floor(agoMs / DAY_MS), 'day');
  if (agoMs >= HOUR_MS) return format.format(-Math.floor(agoMs / HOUR_MS), 'hour');
  return format.format(-Math.floor(agoMs / MINUTE_MS), 'minute');
}

import { languageOf, languages, translate } from '../../text/catalogue.ts';
import type { Article } from '../../ranking/articles/articles.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How each language calls itself. */
export const languageNames: ReadonlyMap<string, string> = new Map(
  [...languages.keys()].map((language) => [
    language,
    language.startsWith('zh')
      ? '中文'
      : (new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language),
  ]),
);

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

/** How long voting is open still, in the coarsest unit that says something. */
export function timeLeft(language: string, { closesAtMs, closed }: Article, now: number): string {
  const leftMs = closesAtMs - now;
  if (closed || leftMs <= 0) return translate(language, 'web.closed');
  const count = (unitMs: number) => ({ count: Math.floor(leftMs / unitMs) });
  if (leftMs >= DAY_MS) return translate(language, 'web.left.days', count(DAY_MS));
  if (leftMs >= HOUR_MS) return translate(language, 'web.left.hours', count(HOUR_MS));
  return translate(language, 'web.left.minutes', { count: Math.ceil(leftMs / MINUTE_MS) });
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

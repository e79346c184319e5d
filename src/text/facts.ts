/** Facts of an article as every list shows them: in Discord, on the web and in feeds. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import { languageOf, languages, numberText } from './catalogue.ts';
import { shownHost, titleOfLink } from './clean.ts';
import { linkKind } from './link-kind.ts';

type Tally = { up: number; down: number };

/** Net votes as a list says them, and in brackets those that came since some time. */
export function votesText(
  locale: string | null,
  net: number,
  gained: number | null = null,
): string {
  const votes = netVotesText(locale, { up: net, down: 0 });
  return gained === null ? votes : `${votes} (+${numberText(locale, gained)})`;
}

export function netVotesText(locale: string | null, { up, down }: Tally): string {
  return `${up >= down ? '▲' : '▼'} ${numberText(locale, Math.abs(up - down))}`;
}

const MAX_HOST_LENGTH = 60;

/** A link's host. Of a long one the start is cut, because its end shows the owner. */
export function shortHost(link: string): string {
  const host = shownHost(new URL(link).host.replace(/^www\./, ''));
  return host.length <= MAX_HOST_LENGTH ? host : `…${host.slice(1 - MAX_HOST_LENGTH)}`;
}

/** Every list shows as much of a title. */
const SHOWN_OF_TITLE = 29;

/**
 * The host to show with a title. Null if the title is the link's own address or the host itself, which shows
 * it already. With a space in it, the end of an address could pass for the host.
 */
export function hostBeside({ title, link }: { title: string; link: string }): string | null {
  const host = shortHost(link);
  // Its name is a word, which shows no address.
  if (linkKind({ title, link }) !== null) return host;
  const isAddress = title === titleOfLink(link) && !title.includes(' ');
  const isHost = title.toLowerCase() === host;
  return (isAddress || isHost) && new URL(link).host.length <= SHOWN_OF_TITLE ? null : host;
}

const units = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const;
const ageFormats = formatsOf('long');
const narrowFormats = formatsOf('narrow');
/** For these, the narrow style writes "-4 h", and "vor 4 m" for minutes. */
const shortFormats = formatsOf('short', ['fr', 'de']);

function formatsOf(style: 'long' | 'short' | 'narrow', of: Iterable<string> = languages.keys()) {
  return new Map(
    [...of].map((language) => [language, new Intl.RelativeTimeFormat(language, { style })]),
  );
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** Each is made once, which takes longer than a line of a list. The options are few, and so are zones. */
export function dateFormat(
  locale: string | null,
  options: Intl.DateTimeFormatOptions & { timeZone: string },
): Intl.DateTimeFormat {
  const language = languageOf(locale);
  const key = [language, ...Object.entries(options).flat()].join(' ');
  let format = dateFormats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(language, options);
    dateFormats.set(key, format);
  }
  return format;
}

/** "3 hours ago", in the greatest unit that fits; "1 minute ago" for anything younger. */
export function ageText(locale: string | null, atMs: number, now: number): string {
  const { value, unit } = ageOf(atMs, now);
  return ageFormats.get(languageOf(locale))!.format(value, unit);
}

/** The same as short as it reads well, for a line of many facts: "3h ago". */
export function shortAgeText(locale: string | null, atMs: number, now: number): string {
  const { value, unit } = ageOf(atMs, now);
  // A letter for a month is also one for a minute or a metre.
  if (unit === 'month' || unit === 'year') return ageText(locale, atMs, now);
  const language = languageOf(locale);
  return (shortFormats.get(language) ?? narrowFormats.get(language)!).format(value, unit);
}

function ageOf(atMs: number, now: number) {
  const agoMs = Math.max(MINUTE_MS, now - atMs);
  const [unit, ms] = units.find(([, least]) => agoMs >= least) ?? (['minute', MINUTE_MS] as const);
  return { value: -Math.floor(agoMs / ms), unit };
}

/** "5 days", "12 hours", "90 minutes": in the greatest unit of which there is a whole number. */
export function spanText(locale: string | null, days: number): string {
  const format = { style: 'unit', unit: 'day', unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(languageOf(locale), format).format(days);
}

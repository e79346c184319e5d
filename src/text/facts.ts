/** Facts of an article as every list shows them: in Discord, on the web and in feeds. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import { languageOf, languages, numberText } from './catalogue.ts';
import { shownHost, titleOfLink } from './clean.ts';

type Tally = { up: number; down: number };

export function netVotesText(locale: string | null, { up, down }: Tally): string {
  return `${up >= down ? '▲' : '▼'} ${numberText(locale, Math.abs(up - down))}`;
}

const MAX_HOST_LENGTH = 60;

/** A link's host. Of a long one the start is cut, because its end shows the owner. */
function shortHost(link: string): string {
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
  const [unit, number] = (
    [
      ['day', days],
      ['hour', days * 24],
    ] as const
  ).find(([, count]) => Number.isInteger(count)) ?? ['minute', days * 24 * 60];
  const format = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(languageOf(locale), format).format(number);
}

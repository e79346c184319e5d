/** Facts of an article as every list shows them: in Discord, on the web and in feeds. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import { languageOf, languages } from './catalogue.ts';
import { shownHost, titleOfLink } from './clean.ts';

export function netVotesText({ up, down }: { up: number; down: number }): string {
  return up >= down ? `▲ ${up - down}` : `▼ ${down - up}`;
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
 * The host to show with a title. Null if the title is the link's own address, which shows it already.
 * With a space in it, the end of an address could pass for the host.
 */
export function hostBeside({ title, link }: { title: string; link: string }): string | null {
  const isAddress = title === titleOfLink(link) && !title.includes(' ');
  return isAddress && new URL(link).host.length <= SHOWN_OF_TITLE ? null : shortHost(link);
}

const units = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const;
const ageFormats = new Map(
  [...languages.keys()].map((language) => [language, new Intl.RelativeTimeFormat(language)]),
);

const dayFormats = new Map(
  [...languages.keys()].map((language) => [
    language,
    new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'long' }),
  ]),
);

/** "5 days". */
export function daysText(locale: string | null, days: number): string {
  return dayFormats.get(languageOf(locale))!.format(days);
}

/** "3 hours ago", in the greatest unit that fits; "1 minute ago" for anything younger. */
export function ageText(locale: string | null, atMs: number, now: number): string {
  const agoMs = Math.max(MINUTE_MS, now - atMs);
  const [unit, ms] = units.find(([, least]) => agoMs >= least) ?? ['minute', MINUTE_MS];
  return ageFormats.get(languageOf(locale))!.format(-Math.floor(agoMs / ms), unit);
}

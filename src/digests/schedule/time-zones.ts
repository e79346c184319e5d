import { readFileSync } from 'node:fs';
import { rawTimeZones } from '@vvo/tzdb';
import { z } from 'zod';
import type { Choice } from '../../discord/commands/command.ts';
import { languageOf, languages } from '../../text/catalogue.ts';
import { isTimeZone } from '../digest-settings.ts';
import { wallTime } from '../../runtime/wall-time.ts';
import { ABBREVIATIONS, ALIASES, MAINLANDS } from './zone-names.ts';

/** The zones that are offered before the member types. */
const common = [
  'UTC',
  'America/Los_Angeles',
  'America/New_York',
  'America/Sao_Paulo',
  'Europe/London',
  'Europe/Berlin',
  'Africa/Lagos',
  'Asia/Kolkata',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Sydney',
];
/**
 * Zones by offsets that are no whole hours, in minutes: a place that keeps the offset all year where there
 * is one, since older versions of Node know no zone such as `+05:30`.
 */
const PLACES_BY_OFFSET: Readonly<Record<number, string>> = {
  [-570]: 'Pacific/Marquesas',
  [-210]: 'America/St_Johns',
  210: 'Asia/Tehran',
  270: 'Asia/Kabul',
  330: 'Asia/Kolkata',
  345: 'Asia/Kathmandu',
  390: 'Asia/Yangon',
  525: 'Australia/Eucla',
  570: 'Australia/Darwin',
  630: 'Australia/Lord_Howe',
  765: 'Pacific/Chatham',
};
/** The zones of most who speak a language of Discord's, by its locale or its language, the first most of all. */
const ZONES_BY_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  bg: ['Europe/Sofia'],
  cs: ['Europe/Prague'],
  da: ['Europe/Copenhagen'],
  de: ['Europe/Berlin'],
  el: ['Europe/Athens'],
  'en-GB': ['Europe/London'],
  'en-US': ['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
  'es-419': ['America/Mexico_City', 'America/Bogota', 'America/Argentina/Buenos_Aires'],
  'es-ES': ['Europe/Madrid'],
  fi: ['Europe/Helsinki'],
  fr: ['Europe/Paris', 'America/Toronto'],
  hi: ['Asia/Kolkata'],
  hr: ['Europe/Zagreb'],
  hu: ['Europe/Budapest'],
  id: ['Asia/Jakarta'],
  it: ['Europe/Rome'],
  ja: ['Asia/Tokyo'],
  ko: ['Asia/Seoul'],
  lt: ['Europe/Vilnius'],
  nl: ['Europe/Amsterdam'],
  no: ['Europe/Oslo'],
  pl: ['Europe/Warsaw'],
  'pt-BR': ['America/Sao_Paulo'],
  ro: ['Europe/Bucharest'],
  ru: ['Europe/Moscow'],
  'sv-SE': ['Europe/Stockholm'],
  th: ['Asia/Bangkok'],
  tr: ['Europe/Istanbul'],
  uk: ['Europe/Kyiv'],
  vi: ['Asia/Ho_Chi_Minh'],
  'zh-CN': ['Asia/Shanghai'],
  'zh-TW': ['Asia/Taipei'],
};
/** What a server's language is as long as nobody chooses one. */
const UNCHOSEN_LANGUAGE = 'en-US';
const CHOICES_AT_MOST = 25;
const TYPED_AT_MOST = 200;
const ASKED_AT_MOST = 5;

type NamedZone = {
  zone: string;
  /** ISO 3166; null for UTC. */
  country: string | null;
  /** In the spelling in which they are compared. */
  cities: readonly string[];
  countries: readonly string[];
};

/** The zone that a text means; or those that it can mean, none where it means nothing. */
export type ReadZone = { zone: string } | { zone: null; similar: readonly string[] };

let remembered: readonly NamedZone[] | undefined;

/** The zones with the names that people give each, made at the first use: 100 ms that a start does not need. */
function zones(): readonly NamedZone[] {
  remembered ??= makeZones();
  return remembered;
}

function makeZones(): NamedZone[] {
  const ids = [
    ...rawTimeZones.map(({ name }) => name),
    ...Object.keys(ALIASES),
    ...Intl.supportedValuesOf('timeZone'),
  ].filter((id) => (id.includes('/') || id === 'UTC') && isTimeZone(id));
  const byPlace = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    const place = new Intl.DateTimeFormat('en', { timeZone: id }).resolvedOptions().timeZone;
    byPlace.set(place, [...(byPlace.get(place) ?? []), id]);
  }
  // Runtimes and CLDR list some zones under an earlier name.
  return [...byPlace].map(([place, [zone = place, ...others]]) =>
    zoneWithNames(zone, [place, ...others]),
  );
}

function zoneWithNames(zone: string, others: readonly string[]): NamedZone {
  const ids = [zone, ...others];
  const known =
    rawTimeZones.find(({ name }) => ids.includes(name)) ??
    rawTimeZones.find(({ group }) => group.some((name) => ids.includes(name)));
  const country = known?.countryCode ?? null;
  const names = [
    ...ids.flatMap((id) => [id, lastPart(id)]),
    ...Object.values(cities).flatMap((named) => ids.flatMap((id) => named[id] ?? [])),
    ...(known?.name === zone ? known.mainCities : []),
    ...ids.flatMap((id) => ALIASES[id]?.split(', ') ?? []),
  ];
  return {
    zone,
    country,
    cities: [...new Set(names.map(spelling))],
    countries: country === null ? [] : countryNames(country),
  };
}

/** By language, and then by zone: what CLDR calls its city where that is not the zone's own name. */
const cities = z
  .record(z.string(), z.record(z.string(), z.string()))
  .parse(JSON.parse(readFileSync(new URL('cities.json', import.meta.url), 'utf8')));

function lastPart(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1);
}

function countryNames(country: string): string[] {
  const names = [...languages.keys()].map((locale) => countryName(country, locale));
  return [...new Set(names.map(spelling))];
}

const displayNames = new Map<string, Intl.DisplayNames>();

function countryName(country: string, locale: string): string {
  const language = languageOf(locale);
  const known = displayNames.get(language) ?? new Intl.DisplayNames(language, { type: 'region' });
  displayNames.set(language, known);
  return known.of(country) ?? country;
}

/** The zone that a text means, or null. */
export function zoneNamed(text: string): string | null {
  return readZone(text).zone;
}

/**
 * Reads a zone as people name it: a zone's own name in any spelling; a city or a country in one of our
 * languages; an abbreviation; an offset from UTC. A city comes before a country of that name. A text that can
 * mean several places, or is only near a name, is read as none, with what is similar.
 */
export function readZone(text: string): ReadZone {
  // A choice is shown with its country and its present time.
  const typed = text
    .slice(0, TYPED_AT_MOST)
    .replace(/\(\d{1,2}:\d{2}\)$/, '')
    .trim();
  const sought = spelling(typed).replace(AROUND_PLACE, '');
  const offset = zoneOfOffset(sought);
  if (offset !== undefined) return offset === null ? none() : { zone: offset };
  if (typed.includes('/') && isTimeZone(typed)) return { zone: properName(typed) };
  const readings: (() => readonly string[])[] = [
    () => ABBREVIATIONS.get(sought) ?? [],
    () => namedZones(sought),
    () => zonesOfCountry(sought),
    () => zonesOfCityInCountry(typed),
    // `Muenchen`, as Germans type it where they lack the letter.
    () => namedZones(sought.replace(/([aou])e/g, '$1')),
    () => zonesCalled(typed),
  ];
  for (const read of readings) {
    const found = read();
    const [zone, ...more] = found;
    if (zone === undefined) continue;
    return more.length === 0 ? { zone } : none(found);
  }
  // `Portland, Oregon`: only the city is known, and `Paris, Texas` is not the one in France.
  const [city = '', ...behind] = sought.split(', ');
  const inPart = behind.length > 0 ? namedZones(city) : [];
  if (inPart.length > 0) return none(inPart);
  return none(zonesWhere(({ cities: names }) => names.some((name) => isMisspelt(sought, name))));
}

/** What people say around a place: `London time`, `heure de Paris`. */
const AROUND_PLACE = /^(?:hora de |heure d[e'] ?|horario de )| (?:time|zeit)$/;

function namedZones(sought: string): string[] {
  return zonesWhere(({ cities: names }) => names.includes(sought));
}

/** Zones whose time has a name of its own, such as Eastern Time. */
const NAMED_TIMES = [
  ...common,
  ...'America/Chicago America/Denver America/Halifax Europe/Athens Europe/Lisbon Europe/Moscow'.split(
    ' ',
  ),
  ...'Africa/Nairobi Africa/Johannesburg Asia/Seoul Asia/Singapore Pacific/Auckland'.split(' '),
];
const TIME_WORD = /time|zeit|hora|heure|時|时/;
let rememberedTimes: ReadonlyMap<string, string> | undefined;

/** The zone whose time CLDR calls so in one of our languages: `Central European Time`, `日本標準時`. */
function zonesCalled(typed: string): string[] {
  // Formats are slow to make, and most misspelt cities are no such name.
  if (!TIME_WORD.test(typed.toLowerCase())) return [];
  rememberedTimes ??= new Map(
    NAMED_TIMES.flatMap((zone) =>
      [...languages.keys()].flatMap((locale) =>
        (['long', 'longGeneric'] as const).map((style): [string, string] => [
          timeName(zone, locale, style),
          zone,
        ]),
      ),
    ),
  );
  const zone = rememberedTimes.get(spelling(typed));
  return zone === undefined ? [] : [zone];
}

function timeName(zone: string, locale: string, timeZoneName: 'longGeneric' | 'long'): string {
  const format = new Intl.DateTimeFormat(languageOf(locale), { timeZone: zone, timeZoneName });
  const named = format.formatToParts(Date.UTC(2026, 0, 1));
  const name = named.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return spelling(name);
}

function none(similar: readonly string[] = []): ReadZone {
  return { zone: null, similar: similar.slice(0, ASKED_AT_MOST) };
}

function zonesWhere(isWanted: (zone: NamedZone) => boolean): string[] {
  return zones()
    .filter(isWanted)
    .map(({ zone }) => zone);
}

/** All zones of a country, or the one in which nearly all of its people live. */
function zonesOfCountry(sought: string): string[] {
  const found = zones().filter(({ countries }) => countries.includes(sought));
  const mainland = MAINLANDS[found[0]?.country ?? ''];
  if (mainland !== undefined) return [mainland];
  const main = found.filter(({ zone }) => rawTimeZones.some(({ name }) => name === zone));
  return (main.length > 0 ? main : found).map(({ zone }) => zone);
}

/** `Berlin, Germany`, as choices are shown. */
function zonesOfCityInCountry(typed: string): string[] {
  const comma = typed.lastIndexOf(', ');
  if (comma < 0) return [];
  const [city, country] = [spelling(typed.slice(0, comma)), spelling(typed.slice(comma + 2))];
  return zonesWhere(
    ({ cities: names, countries }) => names.includes(city) && countries.includes(country),
  );
}

/** A zone's name with its own capitals, though older runtimes take any. */
function properName(zone: string): string {
  const sought = spelling(zone);
  const ids = [...rawTimeZones.map(({ name }) => name), ...Intl.supportedValuesOf('timeZone')];
  return (
    ids.find((id) => spelling(id) === sought) ??
    zone.replace(/^etc\/gmt/i, 'Etc/GMT').replace(/^etc\/utc$/i, 'UTC')
  );
}

/** `UTC+8`, `gmt -03:00`, `+05:30`, `UTC−3`; null for an offset that no place has, undefined for other texts. */
function zoneOfOffset(text: string): string | null | undefined {
  const [, sign, hours = '', minutes = '0', part = '0'] =
    /^(?:utc|gmt)? ?([+-]) ?(\d{1,2})(?::?([0-5]\d)|\.(25|5|75))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const offset =
    (Number(hours) * 60 + Number(minutes) + Number(`0.${part}`) * 60) * (sign === '-' ? -1 : 1);
  if (offset % 60 !== 0) return PLACES_BY_OFFSET[offset] ?? null;
  if (offset === 0) return 'UTC';
  // The names of fixed offsets have the sign the wrong way round.
  const zone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset) / 60}`;
  return isTimeZone(zone) ? zone : null;
}

/**
 * A zone as people read it: its place in their language. The names of fixed offsets have the sign the wrong
 * way round.
 */
export function zoneText(zone: string, locale: string): string {
  const fixed = /^Etc\/GMT([+-])(\d+)$/.exec(zone);
  if (fixed !== null) {
    return fixed[2] === '0' ? 'UTC' : `UTC${fixed[1] === '+' ? '−' : '+'}${fixed[2]}`;
  }
  const place = zones().find((each) => each.zone === zone || each.cities.includes(spelling(zone)));
  const named = cities[languageOf(locale).split('-', 1)[0]!] ?? {};
  const ids = [zone, ...(place === undefined ? [] : formerNames(place))];
  const city = ids.map((id) => named[id]).find((name) => name !== undefined);
  return city ?? lastPart(zone).replaceAll('_', ' ');
}

/** The ids among a zone's names, such as `asia/calcutta`, as the lists of cities spell them. */
function formerNames({ cities: names }: NamedZone): string[] {
  return Object.keys(cities['ja'] ?? {}).filter((id) => names.includes(spelling(id)));
}

/** With the country where that helps to tell it: `Berlin, Germany`. */
function choiceText(zone: string, locale: string): string {
  const country = zones().find((each) => each.zone === zone)?.country ?? null;
  const place = zoneText(zone, locale);
  return country === null ? place : `${place}, ${countryName(country, locale)}`;
}

/** Who chooses a zone: in a server with a language, and with one's own. */
type Asker = { locale: string; guild: { preferredLocale: string } };

/** The zones of most who speak the server's language, or else the asker's. */
function homeZones({ locale, guild }: Asker): readonly string[] {
  const { preferredLocale } = guild;
  const home = preferredLocale === UNCHOSEN_LANGUAGE ? locale : preferredLocale;
  return ZONES_BY_LANGUAGE[home] ?? [];
}

/** The zone in which most would want a new digest. */
export function homeZone(asker: Asker): string {
  return homeZones(asker)[0] ?? 'UTC';
}

/**
 * Zones to choose from, with their present time. Those whose city begins with the text come first; without a text,
 * those of the server's language.
 */
export function zoneChoices(text: string, asker: Asker, now: number): Choice[] {
  const { locale } = asker;
  const sought = spelling(text);
  const abbreviated = ABBREVIATIONS.get(sought) ?? [];
  const matching = zones()
    .map((each) => ({ zone: each.zone, rank: rankOf(each, sought) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .map(({ zone }) => zone);
  const found = [...new Set([...abbreviated, ...matching])];
  // A fixed offset such as GMT+8 is in no list.
  const read = found.length === 0 ? readZone(text) : null;
  const named = read === null ? [] : read.zone === null ? read.similar : [read.zone];
  const usual = new Set([...homeZones(asker), ...common]);
  return (sought === '' ? [...usual] : [...found, ...named])
    .slice(0, CHOICES_AT_MOST)
    .map((zone) => ({
      name: `${choiceText(zone, locale)} (${wallTime(zone, now).time})`,
      value: zone,
    }));
}

const NO_MATCH = 8;
const parts = (name: string) => name.split(/[/ ]/);

/** A city before a country, a whole name before its beginning, and a near one last. */
function rankOf({ zone, country, cities: names, countries }: NamedZone, sought: string): number {
  const isMainland = MAINLANDS[country ?? ''] === zone ? 0 : 0.5;
  if (names.includes(sought)) return 0;
  if (countries.includes(sought)) return 1 + isMainland;
  if (names.some((name) => name.startsWith(sought))) return 2;
  if (names.some((name) => parts(name).some((part) => part.startsWith(sought)))) return 3;
  if (countries.some((name) => name.startsWith(sought))) return 4 + isMainland;
  const isWithin = (name: string) =>
    name.includes(sought) || parts(name).join(' ').includes(sought);
  if (names.some(isWithin)) return 5;
  return names.some((name) => isMisspelt(sought, name)) ? 6 : NO_MATCH;
}

/** Whether one letter is missing, added or wrong, or two have changed places. From five letters on. */
function isMisspelt(typed: string, name: string): boolean {
  if (Math.min(typed.length, name.length) < 5 || Math.abs(typed.length - name.length) > 1) {
    return false;
  }
  let start = 0;
  while (start < typed.length && typed[start] === name[start]) start += 1;
  const [rest, wanted] = [typed.slice(start), name.slice(start)];
  return (
    rest.slice(1) === wanted.slice(1) ||
    rest.slice(1) === wanted ||
    rest === wanted.slice(1) ||
    (rest.slice(2) === wanted.slice(2) && rest[0] === wanted[1] && rest[1] === wanted[0])
  );
}

/** Letters that no normal form takes apart. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  ß: 'ss',
  đ: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
};

/** In lower case, without accents, with one sign for each dash, apostrophe and space. */
function spelling(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFKC')
      .trim()
      .toLowerCase()
      .replace(/[łøßđıæœ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
      // Katakana as hiragana.
      .replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60))
      .replace(/[\s_]+/g, ' ')
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/[’‘ʼ]/g, "'")
      .replace(/(时间|时区|時間)$/, '')
  );
}

import { rawTimeZones } from '@vvo/tzdb';
import type { Choice } from '../../discord/commands/command.ts';
import { isTimeZone } from '../digest-settings.ts';
import { ALIASES } from './zone-aliases.ts';
import { wallTime } from './slots.ts';

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

/** The zones with the names that people give each. Older runtimes list some under an earlier name. */
const zones = [
  ...new Set([
    ...Intl.supportedValuesOf('timeZone'),
    ...rawTimeZones.map(({ name }) => name),
    ...Object.keys(ALIASES),
  ]),
]
  .filter(isTimeZone)
  .sort()
  .map((zone) => ({ zone, names: [...new Set(namesOf(zone).map(spelling))] }));

function namesOf(zone: string): string[] {
  const city = zone.slice(zone.lastIndexOf('/') + 1);
  const known = rawTimeZones.find(({ name }) => name === zone);
  const shares = rawTimeZones.filter(({ countryName }) => countryName === known?.countryName);
  return [
    zone,
    city,
    ...(known?.mainCities ?? []),
    ...(known && shares.length === 1 ? [known.countryName] : []),
    ...(ALIASES[zone]?.split(', ') ?? []),
  ];
}

/**
 * Returns the zone that a text names: by its name in any spelling, by a city or a country with one zone, in
 * English or Chinese, also with a letter wrong; or by its offset from UTC. Null if there is none.
 */
export function zoneNamed(text: string): string | null {
  // A choice is shown with its present time.
  const sought = spelling(
    text
      .trim()
      .replace(/\(\d{1,2}:\d{2}\)$/, '')
      .trim(),
  );
  const named = zones.find(({ names }) => names.includes(sought));
  if (named !== undefined) return named.zone;
  const offset = zoneOfOffset(sought);
  if (offset !== undefined) return offset;
  if (isTimeZone(text.trim())) return text.trim();
  const similar = zones.filter(({ names }) => names.some((name) => isMisspelt(sought, name)));
  return similar.length === 1 ? similar[0]!.zone : null;
}

/** `UTC+8`, `gmt -03:00`, `+05:30`, `UTC−3`; null for an offset that no place has, undefined for other texts. */
function zoneOfOffset(text: string): string | null | undefined {
  const [, sign, hours = '', minutes = '0'] =
    /^(?:utc|gmt)? ?([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  if (offset % 60 !== 0) return PLACES_BY_OFFSET[offset] ?? null;
  if (offset === 0) return 'UTC';
  // The names of fixed offsets have the sign the wrong way round.
  const zone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset) / 60}`;
  return isTimeZone(zone) ? zone : null;
}

/** A zone's name as people read it: the names of fixed offsets have the sign the wrong way round. */
export function zoneText(zone: string): string {
  return zone.replace(/^Etc\/GMT([+-])(\d+)$/, (_, sign: string, hours: string) =>
    hours === '0' ? 'UTC' : `UTC${sign === '+' ? '−' : '+'}${hours}`,
  );
}

/** Zones to choose from, with their present time. Those whose city begins with the text come first. */
export function zoneChoices(text: string, now: number): Choice[] {
  const sought = spelling(text);
  const matching = zones
    .map(({ zone, names }) => ({
      zone,
      rank: Math.min(...names.map((name) => rankOf(name, sought))),
    }))
    .filter(({ rank }) => rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .map(({ zone }) => zone);
  // A fixed offset such as GMT+8 is in no list.
  const named = matching.length === 0 ? zoneNamed(text) : null;
  const offered = named === null ? matching : [named];
  return (sought === '' ? common : offered).map((zone) => ({
    name: `${zoneText(zone)} (${wallTime(zone, now).time})`,
    value: zone,
  }));
}

/** 4: the name does not match. */
function rankOf(name: string, sought: string): number {
  if (name.startsWith(sought)) return 0;
  if (name.split(/[/ ]/).some((part) => part.startsWith(sought))) return 1;
  if (name.includes(sought) || name.replaceAll('/', ' ').includes(sought)) return 2;
  return isMisspelt(sought, name) ? 3 : 4;
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

/** In lower case, without accents, with one sign for each dash and space. */
function spelling(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/(时间|时区)$/, '');
}

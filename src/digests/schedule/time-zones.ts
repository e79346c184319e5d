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
/** The names that people give each zone, its own first. Older runtimes list some under an earlier name. */
const known = Object.keys(ALIASES).filter(isTimeZone);
const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), ...known])].sort().map((zone) => {
  const city = zone.slice(zone.lastIndexOf('/') + 1);
  return { zone, names: [zone, city, ...(ALIASES[zone]?.split(', ') ?? [])].map(spelling) };
});

/**
 * Returns the zone that a text names, by its name in any spelling or by a city, in English or Chinese,
 * also with a letter wrong; null if none.
 */
export function zoneNamed(text: string): string | null {
  const sought = spelling(text);
  const named = zones.find(({ names }) => names.includes(sought));
  if (named !== undefined) return named.zone;
  const plain = text.trim();
  const [, sign, hours = ''] = /^(?:utc|gmt)?\s*([+-])0?(\d{1,2})(?::?00)?$/i.exec(plain) ?? [];
  const exact = sign === undefined ? plain : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
  if (isTimeZone(exact)) return exact;
  const similar = zones.filter(({ names }) => names.some((name) => isMisspelt(sought, name)));
  return similar.length === 1 ? similar[0]!.zone : null;
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

function spelling(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .replace(/(时间|时区)$/, '');
}

import type { Choice } from '../../discord/commands/command.ts';
import { isTimeZone } from '../../records/digests/digest.ts';
import { wallTime } from './wall-time.ts';

/** UTC, and names in use today that older runtimes list under an earlier one. */
const unlisted = [
  'UTC',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
];
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
const zones = [
  ...new Set([...Intl.supportedValuesOf('timeZone'), ...unlisted.filter(isTimeZone)]),
].sort();

/** Returns the zone that a text names, by its name in any spelling or by its city; null if none. */
export function zoneNamed(text: string): string | null {
  const sought = spelling(text);
  const named =
    zones.find((zone) => spelling(zone) === sought) ??
    zones.find((zone) => spelling(cityOf(zone)) === sought);
  if (named !== undefined) return named;
  const plain = text.trim();
  return isTimeZone(plain) ? plain : null;
}

/** Returns zones to choose from, with their present time. Zones whose city begins with the text come first. */
export function zoneChoices(text: string, now: number): Choice[] {
  const sought = spelling(text);
  const matching = zones
    .map((zone) => ({ zone, rank: rankOf(zone, sought) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ zone }) => zone);
  return (sought === '' ? common : matching)
    .slice(0, 25)
    .map((zone) => ({ name: `${zone} (${wallTime(zone, now).time})`, value: zone }));
}

function rankOf(zone: string, sought: string): number {
  const name = spelling(zone);
  if (spelling(cityOf(zone)).startsWith(sought)) return 0;
  if (name.split(/[/ ]/).some((part) => part.startsWith(sought))) return 1;
  return name.includes(sought) || name.replaceAll('/', ' ').includes(sought) ? 2 : 3;
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1);
}

function spelling(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, ' ');
}

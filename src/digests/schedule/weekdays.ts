import { DAY_MS } from '../../runtime/clock.ts';
import { languages } from '../../text/catalogue.ts';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];

/** Names of ISO weekdays in every language, long and short, in lower case. */
const known = new Map(
  [...languages.keys()].flatMap((locale) =>
    (['long', 'short', 'narrow'] as const).flatMap((style) => {
      const names = WEEKDAYS.map((weekday) => plain(nameOf(locale, weekday, style)));
      // One letter is another day in another language, and T is Tuesday or Thursday: ignore these.
      const isLetter = names.some((name) => /^\p{sc=Latin}$/u.test(name));
      const distinct = new Set(names).size === names.length;
      return distinct && !isLetter ? names.map((name, at): [string, number] => [name, at + 1]) : [];
    }),
  ),
);

/** Parses ISO weekdays from a text such as `mon, thu`, `周一、周四` or `1 4`; null if it is none. */
export function parseWeekdays(text: string): number[] | null {
  const found = plain(text)
    .split(/[\s,，、;/]+/)
    .filter((part) => part !== '')
    .map(weekdayNamed);
  if (found.length === 0 || found.includes(null)) return null;
  return WEEKDAYS.filter((weekday) => found.includes(weekday));
}

export function weekdayNames(locale: string, weekdays: readonly number[]): string {
  const names = weekdays.map((weekday) => nameOf(locale, weekday, 'long'));
  return new Intl.ListFormat(locale).format(names);
}

function weekdayNamed(name: string): number | null {
  if (/^[1-7]$/.test(name)) return Number(name);
  return known.get(name) ?? null;
}

/** Without the dots of short names such as `lun.`, and without the `-feira` of Portuguese. */
function plain(text: string): string {
  return text.toLowerCase().replace(/\.|-feira/g, '');
}

function nameOf(locale: string, weekday: number, style: 'long' | 'short' | 'narrow'): string {
  const monday = Date.UTC(2024, 0, 1);
  return new Intl.DateTimeFormat(locale, { weekday: style, timeZone: 'UTC' }).format(
    monday + (weekday - 1) * DAY_MS,
  );
}

import { DAY_MS } from '../../runtime/clock.ts';
import { languageOf, languages } from '../../text/catalogue.ts';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];

/** Words for several days, as `plain` writes them. */
const SETS: readonly [words: string, days: readonly number[]][] = [
  [
    'weekdays|weekday|workdays|workday|working days|business days|wochentags|unter der woche|' +
      'arbeitstage|werktags|entre semana|dias laborables|laborables|dias habiles|jours ouvres|' +
      'jours ouvrables|en semaine|la semaine|dias uteis|dia util|durante a semana|平日|工作日',
    [1, 2, 3, 4, 5],
  ],
  ['mwf', [1, 3, 5]],
  ['tth|tuth', [2, 4]],
  ['l-v|l a v', [1, 2, 3, 4, 5]],
  [
    'weekends|weekend|wochenende|wochenenden|am wochenende|fin de semana|fines de semana|week-end|' +
      'week-ends|fim de semana|fins de semana|finais de semana|final de semana|週末|周末',
    [6, 7],
  ],
  [
    'daily|every day|everyday|all days|taglich|jeden tag|alle tage|cada dia|todos los dias|' +
      'diariamente|tous les jours|chaque jour|todos os dias|todo dia|毎日|每天|每日',
    WEEKDAYS,
  ],
];

/** Names besides those that `Intl` knows: further short forms, plurals, and days by their bare sign. */
const FURTHER_NAMES: readonly string[] = [
  'mons|lu|montags|lundis|segundas|segunda|2a|月曜|礼拜一|周一|禮拜一|週一',
  'tues|ma|dienstags|mardis|tercas|terca|3a|火曜|礼拜二|周二|禮拜二|週二',
  'weds|me|mittwochs|mercredis|quartas|quarta|4a|水曜|礼拜三|周三|禮拜三|週三',
  'thur|thurs|ju|je|donnerstags|jeudis|quintas|quinta|5a|木曜|礼拜四|周四|禮拜四|週四',
  'fris|vi|ve|freitags|vendredis|sextas|sexta|6a|金曜|礼拜五|周五|禮拜五|週五',
  'sats|samstags|sonnabend|sonnabends|samedis|sabados|土曜|礼拜六|周六|禮拜六|週六',
  'suns|sonntags|dimanches|domingos|日曜|礼拜日|礼拜天|星期天|周日|周天|禮拜日|禮拜天|週日',
];

const BETWEEN = 'to|through|thru|until|till|bis|a|al|au|ate|ao';
const BETWEEN_SIGNS = String.raw`-|~|〜|\.\.|から|到|至`;
/** What stands between and around days without a meaning of its own. */
const AROUND =
  `and|und|y|e|et|on|from|every|each|von|vom|am|jeden|de|del|desde|cada|los|el|` +
  'einschließlich|einschliesslich|inklusive|inclusive|inclus|du|des|le|les|tous|chaque|da|das|as|aos|toda|todas';

/** ISO weekdays by every name, in every language, long, short and narrow. */
const known = new Map<string, readonly number[]>([
  ...[...languages.keys()].flatMap(namesIn),
  ...FURTHER_NAMES.flatMap((names, at) =>
    names.split('|').flatMap((name) => [entry(name, at + 1), entry(`${name}s`, at + 1)]),
  ),
  ...WEEKDAYS.map((day): [string, number[]] => [String(day), [day]]),
  ...SETS.flatMap(([words, days]) =>
    words.split('|').map((word): [string, readonly number[]] => [word, days]),
  ),
]);

function namesIn(locale: string): [string, readonly number[]][] {
  return (['long', 'short', 'narrow'] as const).flatMap((style) => {
    const names = WEEKDAYS.map((weekday) => plain(nameOf(locale, weekday, style)));
    // One letter is another day in another language, and T is Tuesday or Thursday: ignore these.
    const isLetter = names.some((name) => /^\p{sc=Latin}$/u.test(name));
    const isDistinct = new Set(names).size === names.length;
    if (!isDistinct || isLetter) return [];
    return names.flatMap((name, at) =>
      style === 'long' ? [entry(name, at + 1), entry(`${name}s`, at + 1)] : [entry(name, at + 1)],
    );
  });
}

function entry(name: string, day: number): [string, readonly number[]] {
  return [name, [day]];
}

/** A name that is written in letters ends where they end; Chinese and Japanese signs need no space. */
const whole = (words: string) => `(?:${words})(?![\\p{sc=Latin}\\p{N}])`;
const names = [...known.keys()].sort((a, b) => b.length - a.length).join('|');
const day = new RegExp(whole(names), 'yu');
const between = new RegExp(`(?:${BETWEEN_SIGNS}|${whole(BETWEEN)})`, 'yu');
const around = new RegExp(
  `(?:[\\s,，、;/&+・·.]+|と|まで|毎週|和|与|及|每周|每週|每个|每|${whole(AROUND)})`,
  'yu',
);

/**
 * Parses ISO weekdays from a text as people write it in our languages, such as `mon, thu`, `Mo–Fr`,
 * `lunes a viernes`, `月・木`, `工作日` or `1 4`; null if it is none. A range may pass the end of a week.
 */
export function parseWeekdays(text: string): number[] | null {
  const read = plain(text);
  const found = new Set<number>();
  let last: number | null = null;
  let isRange = false;
  for (let at = 0; at < read.length; ) {
    const named = matchAt(day, read, at);
    if (named !== null) {
      const days = known.get(named) ?? [];
      const [first = 0] = days;
      for (const each of isRange && last !== null ? range(last, first) : days) found.add(each);
      last = days.length === 1 ? first : null;
      isRange = false;
      at += named.length;
      continue;
    }
    const joined = last === null || isRange ? null : matchAt(between, read, at);
    const skipped = joined ?? matchAt(around, read, at);
    if (skipped === null) return null;
    if (joined !== null) isRange = true;
    at += skipped.length;
  }
  if (isRange || found.size === 0) return null;
  return WEEKDAYS.filter((weekday) => found.has(weekday));
}

function matchAt(expression: RegExp, text: string, at: number): string | null {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? null;
}

function range(from: number, to: number): number[] {
  const length = (to - from + 7) % 7;
  return Array.from({ length: length + 1 }, (_, step) => ((from - 1 + step) % 7) + 1);
}

export function weekdayNames(locale: string, weekdays: readonly number[]): string {
  const named = weekdays.map((weekday) => nameOf(locale, weekday, 'long'));
  return new Intl.ListFormat(languageOf(locale)).format(named);
}

/** Without accents, the dots of short names such as `lun.`, and the `-feira` of Portuguese; one kind of dash. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/(?<=\p{L})\.(?!\.)|-feiras?/gu, '')
    .trim();
}

function nameOf(locale: string, weekday: number, style: 'long' | 'short' | 'narrow'): string {
  const monday = Date.UTC(2024, 0, 1);
  return new Intl.DateTimeFormat(languageOf(locale), { weekday: style, timeZone: 'UTC' }).format(
    monday + (weekday - 1) * DAY_MS,
  );
}

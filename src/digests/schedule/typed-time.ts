import { zTime } from '../digest-settings.ts';

/** Hours after a word for the time of day. `night`: twelve is midnight, and the first hours are early. */
type DayPart = 'before-noon' | 'after-noon' | 'night';

/** As `plain()` writes them: without accents, in lower case. */
const DAY_PARTS: Readonly<Record<DayPart, string>> = {
  'before-noon':
    'a|am|a m|in the morning|du matin|de la manana|de la madrugada|da manha|da madrugada|morgens|vormittags|fruh|上午|早上|早晨|凌晨|清晨|午前|朝|朝の',
  'after-noon':
    "p|pm|p m|in the afternoon|in the evening|de l'apres-midi|du soir|de la tarde|da tarde|nachmittags|abends|下午|傍晚|中午|午後|夕方|夕方の",
  night: 'at night|de la nuit|de la noche|da noite|nachts|晚上|夜里|半夜|深夜|夜|夜の',
};

const NAMED: Readonly<Record<string, string>> = {
  '12:00': 'noon|midday|midi|mediodia|meio-dia|mittag|mittags|中午|正午',
  '00:00': 'midnight|minuit|medianoche|meia-noite|mitternacht|mitternachts|午夜|半夜|真夜中|零时',
};

const SPOKEN_BEFORE = /^(?:at|um|gegen|a las?|al|as|a|ao|vers)\s+(?=\S)/;
const two = (number: number): string => String(number).padStart(2, '0');
const parts = (Object.entries(DAY_PARTS) as [DayPart, string][])
  .flatMap(([part, words]) => words.split('|').map((word) => ({ part, word })))
  // The longest first, so that no word is found within another.
  .sort((a, b) => b.word.length - a.word.length);

/**
 * Reads a time of day as people write it in the seven languages, such as `9:00`, `9pm`, `17h42`, `0900`,
 * `21 Uhr 30`, `下午3点半`, `午後9時` and `mediodía`. Returns HH:MM, or undefined if it is none.
 */
export function readTime(typed: string): string | undefined {
  const text = plain(typed);
  for (const [time, names] of Object.entries(NAMED)) {
    if (names.split('|').includes(text)) return time;
  }
  const { part, rest } = takeDayPart(text);
  const clock = readClock(rest);
  if (clock === null) return undefined;
  const hour = part === null ? clock.hour : hourOfDay(clock.hour, part);
  return zTime.safeParse(`${two(hour)}:${two(clock.minute)}`).data;
}

/** Narrow signs, lower case, no accents, plain spaces: `９：００ ｐ．ｍ．` reads `9:00 p m`. */
function plain(typed: string): string {
  return typed
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/’/g, "'")
    .replace(/(?<=[ap])\.\s*m\b\.?/, 'm')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(SPOKEN_BEFORE, '');
}

function takeDayPart(text: string): { part: DayPart | null; rest: string } {
  for (const { part, word } of parts) {
    const isAround = text.startsWith(word) || text.endsWith(word);
    if (!isAround) continue;
    const rest = text.startsWith(word) ? text.slice(word.length) : text.slice(0, -word.length);
    // A digit on its other side: `a` is the end of `9a`, and not of another word.
    if (/^[ ,]*\d.*$/.test(rest)) return { part, rest: rest.trim().replace(/^,\s*/, '') };
  }
  return { part: null, rest: text };
}

const HOUR_SIGN = "(?:h(?:eures?|oras?|rs?)?|horas?|uhr|点钟|点|點|时|時|o'clock)";
const clockForms = [
  /^(?<hour>\d{1,2})(?:[:.](?<minute>\d{2})(?:\s*(?:uhr|h))?)?$/,
  /^(?<hour>\d{1,2})(?<minute>\d{2})$/,
  new RegExp(
    `^(?<hour>\\d{1,2})\\s*${HOUR_SIGN}\\s*(?:(?<minute>\\d{1,2})\\s*(?:分|m|min)?|(?<half>半))?$`,
  ),
];

function readClock(text: string): { hour: number; minute: number } | null {
  for (const form of clockForms) {
    const found = form.exec(text)?.groups;
    if (!found) continue;
    const minute = found['half'] === undefined ? Number(found['minute'] ?? 0) : 30;
    return { hour: Number(found['hour']), minute };
  }
  return null;
}

/** A written 13 to 23 is what it says, whatever stands beside it. */
function hourOfDay(hour: number, part: DayPart): number {
  if (hour > 12) return hour;
  switch (part) {
    case 'before-noon':
      return hour % 12;
    case 'after-noon':
      return (hour % 12) + 12;
    case 'night':
      return hour === 12 || hour < 5 ? hour % 12 : hour + 12;
    default:
      return part satisfies never;
  }
}

import { DAY_MS } from '../runtime/clock.ts';
import { languageOf, translate } from '../text/catalogue.ts';
import { isSpoiler } from '../text/clean.ts';
import { dateFormat } from '../text/facts.ts';
import { titleText } from '../text/title-link.ts';
import { type Edition, isByHand } from './stored-editions.ts';

/** The usual name of a digest by its rhythm. */
const USUAL = { day: 'daily', week: 'weekly', month: 'monthly' };

/**
 * A digest's name as a person says it: the usual ones are translated, and `rust-news` is "Rust news". With its
 * rhythm, a digest of a usual name is called by it: `daily` comes weekly once a manager chose that.
 */
export function titleOf(locale: string, given: string, every?: keyof typeof USUAL): string {
  const isUsual = Object.values(USUAL).includes(given);
  const name = isUsual && every !== undefined ? USUAL[every] : given;
  const words = name.replaceAll('-', ' ');
  const said = words.charAt(0).toLocaleUpperCase(languageOf(locale)) + words.slice(1);
  return translate(locale, 'digest.show.title', { name, said });
}

type Of = { name: string; date: string; edition: Pick<Edition, 'days'> };

/**
 * "Daily digest · November 21, 2026", "Weekly digest · December 14 to 20, 2026", "Monthly digest · December 2026".
 * An edition outside the schedule that covers one day has its hour, too.
 */
export function editionTitle(locale: string, { name, date, edition }: Of): string {
  const year = 'numeric';
  const when =
    edition.days === null ? dayText(locale, date, { year }) : daysText(locale, edition.days, true);
  return `${titleOf(locale, name, rhythmOf(edition))} · ${when}`;
}

/**
 * How often a digest came, as far as an edition of it tells. Of one day, it can also be the edition of a digest that
 * comes on some weekdays.
 */
export function rhythmOf({ days }: Pick<Edition, 'days'>): 'week' | 'month' | undefined {
  if (days === null) return undefined;
  return Date.parse(days.to) - Date.parse(days.from) > 14 * DAY_MS ? 'month' : 'week';
}

/**
 * The same as it stands above an edition, of which everybody knows the year: "Daily digest · Saturday, November 21".
 * `every`: the digest's rhythm, where it is known.
 */
export function editionHeading(
  locale: string,
  { name, date, edition, every = rhythmOf(edition) }: Of & { every?: keyof typeof USUAL },
): string {
  const weekday = 'long';
  const when =
    edition.days === null ? dayText(locale, date, { weekday }) : daysText(locale, edition.days);
  return `${titleOf(locale, name, every)} · ${when}`;
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

function dayText(locale: string, date: string, parts: Intl.DateTimeFormatOptions): string {
  const clock = isByHand(date) ? CLOCK : {};
  return written(locale, date, { ...parts, month: 'long', day: 'numeric', ...clock });
}

/** A whole month is its name. */
function daysText(
  locale: string,
  { from, to }: NonNullable<Edition['days']>,
  hasYear = false,
): string {
  const isSame = from.slice(0, 7) === to.slice(0, 7);
  const [lastDay] = new Date(Date.UTC(Number(to.slice(0, 4)), Number(to.slice(5, 7)), 0))
    .toISOString()
    .split('T');
  if (isSame && from.endsWith('-01') && to === lastDay) {
    return written(locale, from, { month: 'long', ...(hasYear ? { year: 'numeric' } : {}) });
  }
  const [first, last] = [dayParts(locale, from), dayParts(locale, to)];
  const days = translate(locale, 'edition.days', {
    from: isSame && !first.isMonthFirst ? first.day : first.text,
    to: isSame && last.isMonthFirst ? last.day : last.text,
  });
  return hasYear ? translate(locale, 'edition.year', { when: days, year: to.slice(0, 4) }) : days;
}

/** "December 14" and its "14"; in German "14. Dezember" and its "14.". */
function dayParts(locale: string, date: string) {
  const format = dateFormat(locale, { month: 'long', day: 'numeric', timeZone: 'UTC' });
  const parts = format.formatToParts(Date.parse(date));
  const at = parts.findIndex(({ type }) => type === 'day');
  const [sign = ''] = /^\S*/.exec(parts[at + 1]?.value ?? '') ?? [];
  return {
    text: parts.map(({ value }) => value).join(''),
    day: `${parts[at]!.value}${sign}`,
    isMonthFirst: parts.findIndex(({ type }) => type === 'month') < at,
  };
}

/** A date has no zone, and is written as it stands. */
function written(locale: string, date: string, parts: Intl.DateTimeFormatOptions): string {
  return dateFormat(locale, { ...parts, timeZone: 'UTC' }).format(Date.parse(date));
}

/**
 * An edition's best title, and how many more articles it has, the same wherever it is named. A spoiler is not
 * named while anything else is there. `write`: the title as it stands there. Null: nothing is left of the edition.
 */
export function editionHeadline<T extends { article: { title: string; link: string } }>(
  locale: string,
  articles: readonly T[],
  write: (title: string, best: T) => string = (title) => title,
): string | null {
  const [first] = articles;
  const best = articles.find(({ article }) => !isSpoiler(article.title)) ?? first;
  if (best === undefined) return null;
  const title = write(titleText(best.article, locale), best);
  return translate(locale, 'digest.opening', { title, more: articles.length - 1 });
}

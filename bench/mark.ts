import { fittedMark, markByMembers } from '../src/ranking/articles/fit-mark.ts';
import { LIMIT, type Scale, scoreOf, VOTING_OPEN_MS, weightOf } from '../src/ranking/rules.ts';
import { highest, normal, poisson, randomFrom } from './random.ts';
import type { Row } from './table.ts';

const HOUR_SECONDS = 3600;
const OPEN_HOURS = VOTING_OPEN_MS / 3_600_000;
const DAYS = 90;
/** The nightly mark looks at articles that closed in this number of days. */
const WINDOW_DAYS = 30;
const COMMUNITIES = [12, 30, 300, 3000, 30_000];

/** The share of voters who come on a day, and the number of members for each voter. */
const VISITS_A_DAY = 0.3;
const MEMBERS_PER_VOTER = 3;
/** The articles that a visitor sees: the first page, and the newest. */
const FRONT_SHOWN = 20;
const NEWEST_SHOWN = 20;
const DOWN_SHARE = 0.1;

type Simulated = { hour: number; quality: number; up: number; down: number; aheadAtHour: number };

type Fit = {
  /**
   * The median article of the best 5 % outranks every article without votes that was posted up to so
   * many days after it, once its votes are in.
   */
  outranksDays: number;
  /**
   * Its age when it last stood before an article just posted. Nothing is wanted here: it needs the
   * mark's votes within a day, and in a community of 30, where nine people come on a day, an article
   * collects its votes over the week. A mark that gave a day there would star half of the articles.
   */
  leadsForDays: number;
  /** The share of articles that were interesting when they closed, after the mark had settled. */
  share: number;
  fittedOnDay: number;
  movesAfter: number;
  /** The share of the articles of the first 20 days that were interesting when they closed. */
  earlyShare: number;
  mark: number;
};

/** Simulates communities of several sizes hour by hour, to check the interesting mark. */
export async function measureMark(): Promise<Row[]> {
  return COMMUNITIES.flatMap((voters) => {
    const { outranksDays, leadsForDays, share, earlyShare, ...rest } = simulate(voters);
    const { fittedOnDay, movesAfter, mark } = rest;
    const of = `${voters} voters`;
    return [
      row(`${of}: the best 5 % outrank empty ones posted so many days later`, outranksDays, {
        at: `mark ${mark}`,
      }),
      row(`${of}: age in days until which they stand before one just posted`, leadsForDays, {
        at: '',
      }),
      row(`${of}: interesting`, 100 * share, { at: '3 to 8 %', unit: '%' }),
      row(`${of}: interesting of the first 20 days`, 100 * earlyShare, { at: '', unit: '%' }),
      row(`${of}: days until the mark fits`, fittedOnDay, {
        at: '',
        limits: { atLeast: 30, aim: 21 },
      }),
      row(`${of}: moves in the other ${DAYS - fittedOnDay} days`, movesAfter, {
        at: '',
        limits: { atLeast: 5, aim: 3 },
      }),
    ];
  });
}

function row(
  what: string,
  result: number,
  { at, unit = '', limits }: { at: string; unit?: Row['unit']; limits?: Row['limits'] },
): Row {
  return { what, of: at, result, unit, ...(limits ? { limits } : {}) };
}

/** The same community in every run, since the seed is the same. */
export function simulate(voters: number): Fit {
  const random = randomFrom(voters);
  const members = voters * MEMBERS_PER_VOTER;
  const articlesPerHour = (0.3 * voters ** 0.75) / 24;
  let mark = markByMembers(members);
  let open: Simulated[] = [];
  const closed: { day: number; up: number; mark: number; article: Simulated }[] = [];
  let fittedOnDay = -1;
  let movesAfter = 0;
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    const rhythm = 1 + 0.8 * Math.sin((2 * Math.PI * (hour % 24)) / 24);
    for (let n = poisson(articlesPerHour * rhythm, random); n > 0; n -= 1) {
      const quality = Math.min(0.8, 0.05 * Math.exp(normal(random)));
      open.push({ hour, quality, up: 1, down: 0, aheadAtHour: hour });
    }
    vote(open, { visits: ((voters * VISITS_A_DAY) / 24) * rhythm, mark, voters, random });
    const hourOfWeight = weightOf(aDay(mark)) / HOUR_SECONDS;
    for (const article of open) {
      const ahead = hourOfWeight * Math.min(article.up - article.down - 1, LIMIT * mark);
      if (hour - article.hour < ahead) article.aheadAtHour = hour;
    }
    const day = Math.floor(hour / 24);
    for (const article of open.filter(({ hour: at }) => hour - at >= OPEN_HOURS)) {
      closed.push({ day, up: article.up, mark, article });
    }
    open = open.filter(({ hour: at }) => hour - at < OPEN_HOURS);
    if (hour % 24 !== 3) continue;
    const window = closed.filter((each) => each.day > day - WINDOW_DAYS);
    const ups = window.map(({ up }) => up);
    const inVoting = open.map(({ up }) => up);
    const next = fittedMark(mark, { closed: ups, inVoting, members });
    if (fittedOnDay >= 0 && next !== mark) movesAfter += 1;
    // Fitted: there is enough to judge by, and nothing to move.
    if (fittedOnDay < 0 && ups.length >= 30 && next === mark) fittedOnDay = day;
    mark = next;
  }
  const after = closed.filter(({ article }) => article.hour >= fittedOnDay * 24);
  const best = after.toSorted((a, b) => b.up - a.up).slice(0, Math.ceil(after.length / 20));
  // An article without votes has its poster's up vote.
  const outranks = best.map((one) =>
    Math.min((one.article.up - one.article.down - 1) / one.mark, LIMIT),
  );
  const leads = best.map(({ article }) => (article.aheadAtHour - article.hour) / 24);
  return {
    outranksDays: median(outranks),
    leadsForDays: median(leads),
    share: shareOf(after),
    fittedOnDay,
    movesAfter,
    earlyShare: shareOf(closed.filter(({ article }) => article.hour < 20 * 24)),
    mark,
  };
}

function shareOf(articles: readonly { up: number; mark: number }[]): number {
  return articles.filter(({ up, mark }) => up >= mark).length / articles.length;
}

function aDay(mark: number): Scale {
  return { mark, spanDays: 1, isLimited: true };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** One hour's visitors look at the first page and the newest, and vote as the quality is. */
function vote(
  open: Simulated[],
  given: { visits: number; mark: number; voters: number; random: () => number },
): void {
  const { visits, mark, voters, random } = given;
  const scale = aDay(mark);
  const score = (article: Simulated) => scoreOf(article, article.hour * HOUR_SECONDS, scale);
  const front = highest(open, score, FRONT_SHOWN);
  const shown = [...front, ...open.slice(-NEWEST_SHOWN)];
  for (const article of new Set(shown)) {
    // A member who has voted on the article does not vote again.
    const left = 1 - (article.up + article.down) / voters;
    const votes = poisson(Math.max(0, visits * article.quality * left), random);
    for (let n = 0; n < votes; n += 1) {
      if (random() < DOWN_SHARE) article.down += 1;
      else article.up += 1;
    }
  }
}

import { pathToFileURL } from 'node:url';
import { fittedMark, markByMembers } from '../src/ranking/articles/fit-mark.ts';
import { fittedSpan } from '../src/ranking/articles/fit-span.ts';
import { type Scale, scoreOf, TEXTBOOK } from '../src/ranking/rules.ts';
import { highest, normal, poisson, randomFrom } from './random.ts';

/**
 * What readers gain from the front page: communities are simulated hour by hour under three rules, with the
 * same articles. Prints a table for `README.md`.
 */

const RULES = ['fitted mark, a day', 'textbook', 'fitted mark and span'] as const;
type Rule = (typeof RULES)[number];

const ARTICLES_A_DAY = [3, 6, 10, 22, 120, 700];
const DAYS = 80;
/** The mark needs closed articles, so what comes before is not measured. */
const MEASURED_FROM_DAY = 38;
const OPEN_HOURS = 7 * 24;
/** Older articles are not on any page. */
const LISTED_HOURS = 30 * 24;
const PAGE = 10;
/** The hours after which a reader comes again. */
const READERS = [8, 24, 72];

/** As in `mark.ts`: what a visitor sees besides the page, and how many come and vote. */
const SHOWN = 20;
const VISITS_A_DAY = 0.3;
const MEMBERS_PER_VOTER = 3;
const DOWN_SHARE = 0.1;

type Post = {
  hour: number;
  seconds: number;
  quality: number;
  up: number;
  down: number;
  wasOnPage: boolean;
};

export type Result = {
  scale: Scale;
  moves: number;
  /** What a reader gains, of the best possible, by the hours between visits. */
  gains: number[];
  /** Kendall's tau of the page's order against net votes and against newness. */
  tauVotes: number;
  tauNewness: number;
  /** Of the ten: nobody but the poster voted on them. */
  unvoted: number;
  /** Of the best 5 %: never among the ten. */
  missed: number;
};

/** The same articles for every rule, since the seed is the same. */
export function simulateReaders(articlesADay: number, rule: Rule): Result {
  const random = randomFrom(articlesADay);
  // As in `mark.ts`, where 0.3 × voters^0.75 articles are posted a day.
  const voters = Math.max(12, Math.round((articlesADay / 0.3) ** (4 / 3)));
  const members = voters * MEMBERS_PER_VOTER;
  const arrivals = arrivalsOf(articlesADay, random);
  let scale: Scale = rule === 'textbook' ? TEXTBOOK : { mark: markByMembers(members), spanDays: 1 };
  let moves = 0;
  let listed: Post[] = [];
  const closed: { day: number; up: number }[] = [];
  const all: Post[] = [];
  const seen = READERS.map(() => ({ page: new Set<Post>(), oracle: new Set<Post>() }));
  const gained = READERS.map(() => ({ page: 0, oracle: 0 }));
  const pages = { count: 0, tauVotes: 0, tauNewness: 0, unvoted: 0 };
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    const isMeasured = hour >= MEASURED_FROM_DAY * 24;
    for (const post of arrivals[hour]!) {
      listed.push(post);
      if (isMeasured) all.push(post);
    }
    for (const post of listed) {
      if (hour - post.hour === OPEN_HOURS) closed.push({ day: Math.floor(hour / 24), up: post.up });
    }
    listed = listed.filter((post) => hour - post.hour < LISTED_HOURS);
    const now = scale;
    const front = highest(listed, (post) => scoreOf(post, post.seconds, now), SHOWN);
    const rhythm = rhythmOf(hour);
    vote(new Set([...front, ...listed.slice(-SHOWN)]), {
      hour,
      visits: ((voters * VISITS_A_DAY) / 24) * rhythm,
      voters,
      random,
    });
    const page = front.slice(0, PAGE);
    for (const post of page) post.wasOnPage = true;
    if (isMeasured) {
      for (const [at, every] of READERS.entries()) {
        // Readers come at hours that differ from community to community and from visit to visit.
        if ((hour + articlesADay) % every !== 0) continue;
        const recent = listed.filter((post) => hour - post.hour < OPEN_HOURS);
        const best = highest(
          recent.filter((post) => !seen[at]!.oracle.has(post)),
          ({ quality }) => quality,
          PAGE,
        );
        gained[at]!.oracle += read(seen[at]!.oracle, best);
        gained[at]!.page += read(seen[at]!.page, page);
      }
      if (hour % 6 === 0) {
        pages.count += 1;
        pages.tauVotes += tau(page.map(({ up, down }) => up - down));
        pages.tauNewness += tau(page.map(({ seconds }) => seconds));
        pages.unvoted += page.filter(({ up, down }) => up === 1 && down === 0).length;
      }
    }
    if (hour % 24 !== 3 || rule === 'textbook') continue;
    const next = fit(scale, { rule, listed, closed, members, hour });
    if (isMeasured && (next.mark !== scale.mark || next.spanDays !== scale.spanDays)) moves += 1;
    scale = next;
  }
  const ended = all.filter((post) => DAYS * 24 - post.hour >= OPEN_HOURS);
  const best = highest(ended, ({ quality }) => quality, Math.ceil(ended.length / 20));
  return {
    scale,
    moves,
    gains: gained.map(({ page, oracle }) => page / oracle),
    tauVotes: pages.tauVotes / pages.count,
    tauNewness: pages.tauNewness / pages.count,
    unvoted: pages.unvoted / pages.count,
    missed: best.filter((post) => !post.wasOnPage).length / best.length,
  };
}

function rhythmOf(hour: number): number {
  return 1 + 0.8 * Math.sin((2 * Math.PI * (hour % 24)) / 24);
}

function arrivalsOf(articlesADay: number, random: () => number): Post[][] {
  return Array.from({ length: DAYS * 24 }, (_, hour) =>
    Array.from({ length: poisson((articlesADay / 24) * rhythmOf(hour), random) }, () => ({
      hour,
      seconds: hour * 3600 + Math.floor(random() * 3600),
      quality: Math.min(0.8, 0.05 * Math.exp(normal(random))),
      up: 1,
      down: 0,
      wasOnPage: false,
    })),
  );
}

/** One hour's visitors vote on what is shown, as the quality is. A member votes once. */
function vote(
  shown: ReadonlySet<Post>,
  given: { hour: number; visits: number; voters: number; random: () => number },
): void {
  const { hour, visits, voters, random } = given;
  for (const post of shown) {
    if (hour - post.hour >= OPEN_HOURS) continue;
    const left = 1 - (post.up + post.down) / voters;
    for (let n = poisson(Math.max(0, visits * post.quality * left), random); n > 0; n -= 1) {
      if (random() < DOWN_SHARE) post.down += 1;
      else post.up += 1;
    }
  }
}

/** A night's look, as the bot's. */
function fit(
  scale: Scale,
  given: {
    rule: Rule;
    listed: readonly Post[];
    closed: readonly { day: number; up: number }[];
    members: number;
    hour: number;
  },
): Scale {
  const { rule, listed, closed, members, hour } = given;
  const day = hour / 24;
  const ups = closed.filter((one) => one.day > day - 30).map(({ up }) => up);
  const posting = { articles: listed.length, days: Math.max(1, Math.min(30, day)) };
  return {
    mark: fittedMark(scale.mark, { ups, members }),
    spanDays: rule === 'fitted mark, a day' ? 1 : fittedSpan(scale.spanDays, posting),
  };
}

/** The worth of what is read for the first time. */
function read(seen: Set<Post>, shown: readonly Post[]): number {
  let worth = 0;
  for (const post of shown) {
    if (!seen.has(post)) worth += post.quality;
    seen.add(post);
  }
  return worth;
}

/** Kendall's tau-b of values against their order: 1 if each is greater than all behind it. */
export function tau(values: readonly number[]): number {
  let sum = 0;
  let pairs = 0;
  let untied = 0;
  for (let i = 0; i < values.length; i += 1) {
    for (let j = i + 1; j < values.length; j += 1) {
      pairs += 1;
      sum += Math.sign(values[i]! - values[j]!);
      if (values[i] !== values[j]) untied += 1;
    }
  }
  return untied === 0 ? 0 : sum / Math.sqrt(pairs * untied);
}

function table(): string {
  const lines = ARTICLES_A_DAY.flatMap((articlesADay) =>
    RULES.map((rule) => {
      const { scale, moves, gains, tauVotes, tauNewness, unvoted, missed } = simulateReaders(
        articlesADay,
        rule,
      );
      const cells = [
        String(articlesADay),
        rule,
        `${scale.mark}, ${scale.spanDays} d`,
        ...gains.map((gain) => gain.toFixed(2)),
        tauVotes.toFixed(2),
        tauNewness.toFixed(2),
        unvoted.toFixed(1),
        `${(100 * missed).toFixed(0)} %`,
        String(moves),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  const heads = [
    'articles a day',
    'rule',
    'mark, span',
    ...READERS.map((hours) => `every ${hours} h`),
    'tau: votes',
    'tau: newness',
    'unvoted of ten',
    'best 5 % missed',
    'moves',
  ];
  return [`| ${heads.join(' | ')} |`, `|${' --- |'.repeat(heads.length)}`, ...lines].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(table());

import { pathToFileURL } from 'node:url';
import { fittedMark, markByMembers } from '../src/ranking/articles/fit-mark.ts';
import { fittedSpan } from '../src/ranking/articles/fit-span.ts';
import { type Scale, scoreOf, TEXTBOOK, VOTING_OPEN_MS } from '../src/ranking/rules.ts';
import { HOUR_MS } from '../src/runtime/clock.ts';
import { spanText } from '../src/text/facts.ts';
import { highest, normal, poisson, randomFrom } from './random.ts';
import { isMissed, type Limits } from './table.ts';

/**
 * What readers gain from the front page: communities are simulated hour by hour under three rules, with the
 * same articles, and with three kinds of voters. Prints a table for `README.md`; arguments are the articles a
 * day, which are all by default. What misses its limit is bold.
 */

const RULES = ['textbook', 'fitted, no limit', 'fitted'] as const;
type Rule = (typeof RULES)[number];

/**
 * `looking again`: as in `mark.ts`, a visitor sees the page and the newest, and who has not voted may vote at
 * the next visit; the worth of articles is lognormal.
 * `deciding once`: a member decides at first sight, mostly in the channel, where the newest are seen most, and
 * on the page less the lower an article stands; the worth has a heavy tail.
 * `reading the page`: the same, but mostly on the page.
 */
export const VOTERS = ['looking again', 'deciding once', 'reading the page'] as const;
export type Voters = (typeof VOTERS)[number];

const ARTICLES_A_DAY = [3, 6, 10, 16, 22, 58, 120, 250, 700];
/** Results are the mean of so many communities. */
const COMMUNITIES = 4;
const DAYS = 80;
/** The mark needs closed articles, so what comes before is not measured. */
const MEASURED_FROM_DAY = 38;
export const OPEN_HOURS = VOTING_OPEN_MS / HOUR_MS;
/** Older articles are not on any page. */
const LISTED_HOURS = 37 * 24;
/** As many as the bot looks at. */
const SAMPLED = 10_000;
const PAGE = 10;
/** The hours after which a reader comes again. */
const READERS = [8, 24, 72];

/** What a member who decides once reads of the channels' newest, and of the page: the first, and of each next. */
const SCROLLED = 40;
const SEES = {
  'deciding once': { channel: [0.9, 0.93], page: [0.25, 0.9] },
  'reading the page': { channel: [0.25, 0.9], page: [0.9, 0.93] },
} as const;

/** As in `mark.ts`: what a visitor sees besides the page, and how many come and vote. */
const SHOWN = 20;
const VISITS_A_DAY = 0.3;
const MEMBERS_PER_VOTER = 3;
const DOWN_SHARE = 0.1;

export type Post = {
  hour: number;
  seconds: number;
  quality: number;
  up: number;
  down: number;
  /** Members who have decided, where they decide once. */
  seen: number;
  wasOnPage: boolean;
};

export type Result = {
  scale: Scale;
  moves: number;
  /** What a reader gains, of the best possible, by the hours between visits. */
  gains: number[];
  /** What the page is worth to who comes once, against the ten best of the last day. */
  once: number;
  /** Kendall's tau of the page's order against net votes and against newness. */
  tauVotes: number;
  tauNewness: number;
  /** Of the ten: nobody but the poster voted on them. */
  unvoted: number;
  /** Of the best 5 %: never among the ten. */
  missed: number;
};

/** What there is at the end of an hour, the oldest first. */
export type Hour = { hour: number; listed: readonly Post[]; scale: Scale };

/** The same articles for every rule, since the seed is the same. */
export function simulateReaders(
  articlesADay: number,
  {
    rule,
    voting,
    seed,
    judging = 0,
    look,
  }: {
    rule: Rule;
    voting: Voters;
    seed: number;
    /** The share of visitors who also open *Needs a vote*. */
    judging?: number;
    look?: (at: Hour) => void;
  },
): Result {
  const random = randomFrom(articlesADay + 1000 * seed);
  // As in `mark.ts`, where 0.3 × voters^0.75 articles are posted a day.
  const voters = Math.max(12, Math.round((articlesADay / 0.3) ** (4 / 3)));
  const members = voters * MEMBERS_PER_VOTER;
  const arrivals = arrivalsOf(articlesADay, voting, random);
  let scale: Scale =
    rule === 'textbook'
      ? TEXTBOOK
      : { mark: markByMembers(members), spanDays: 1, isLimited: rule === 'fitted' };
  let moves = 0;
  let listed: Post[] = [];
  const all: Post[] = [];
  const seen = READERS.map(() => ({ page: new Set<Post>(), oracle: new Set<Post>() }));
  const gained = READERS.map(() => ({ page: 0, oracle: 0 }));
  const pages = { count: 0, worth: 0, best: 0, tauVotes: 0, tauNewness: 0, unvoted: 0 };
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    const isMeasured = hour >= MEASURED_FROM_DAY * 24;
    for (const post of arrivals[hour]!) {
      listed.push(post);
      if (isMeasured) all.push(post);
    }
    listed = listed.filter((post) => hour - post.hour < LISTED_HOURS);
    const now = scale;
    const front = highest(listed, (post) => scoreOf(post, post.seconds, now), SHOWN);
    const visits = ((voters * VISITS_A_DAY) / 24) * rhythmOf(hour);
    const visitors = { hour, visits, voters, random };
    if (voting === 'looking again') vote(new Set([...front, ...listed.slice(-SHOWN)]), visitors);
    else decide(SEES[voting], { front, newest: listed.slice(-SCROLLED) }, visitors);
    const needing = listed
      .filter((post) => hour - post.hour < OPEN_HOURS && post.up === 1 && post.down === 0)
      .slice(0, PAGE);
    const judges = { hour, visits: visits * judging, voters, random };
    // Without judges, the same chances as before decide.
    if (judging > 0 && voting === 'looking again') vote(new Set(needing), judges);
    else if (judging > 0) decide(SEES['reading the page'], { front: needing, newest: [] }, judges);
    if (isMeasured) look?.({ hour, listed, scale });
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
        const ofToday = listed.filter((post) => hour - post.hour < 24);
        pages.worth += worthOf(page);
        pages.best += worthOf(highest(ofToday, ({ quality }) => quality, PAGE));
        pages.tauVotes += tau(page.map(({ up, down }) => up - down));
        pages.tauNewness += tau(page.map(({ seconds }) => seconds));
        pages.unvoted += page.filter(({ up, down }) => up === 1 && down === 0).length;
      }
    }
    if (hour % 24 !== 3 || rule === 'textbook') continue;
    const next = fit(scale, { listed, members, hour });
    if (isMeasured && (next.mark !== scale.mark || next.spanDays !== scale.spanDays)) moves += 1;
    scale = next;
  }
  const ended = all.filter((post) => DAYS * 24 - post.hour >= OPEN_HOURS);
  const best = highest(ended, ({ quality }) => quality, Math.ceil(ended.length / 20));
  return {
    scale,
    moves,
    gains: gained.map(({ page, oracle }) => page / oracle),
    once: pages.worth / pages.best,
    tauVotes: pages.tauVotes / pages.count,
    tauNewness: pages.tauNewness / pages.count,
    unvoted: pages.unvoted / pages.count,
    missed: best.filter((post) => !post.wasOnPage).length / best.length,
  };
}

function rhythmOf(hour: number): number {
  return 1 + 0.8 * Math.sin((2 * Math.PI * (hour % 24)) / 24);
}

function arrivalsOf(articlesADay: number, voting: Voters, random: () => number): Post[][] {
  return Array.from({ length: DAYS * 24 }, (_, hour) =>
    Array.from({ length: poisson((articlesADay / 24) * rhythmOf(hour), random) }, () => ({
      hour,
      seconds: hour * 3600 + Math.floor(random() * 3600),
      quality: qualityOf(voting, random),
      up: 1,
      down: 0,
      seen: 1,
      wasOnPage: false,
    })),
  );
}

/** The probability that a member who sees the article votes. */
function qualityOf(voting: Voters, random: () => number): number {
  if (voting === 'looking again') return Math.min(0.8, 0.05 * Math.exp(normal(random)));
  return Math.min(0.7, 0.02 * (1 - random()) ** (-1 / 1.3));
}

type Visitors = { hour: number; visits: number; voters: number; random: () => number };

/** One hour's visitors vote on what is shown, as the quality is. A member votes once. */
function vote(shown: ReadonlySet<Post>, { hour, visits, voters, random }: Visitors): void {
  for (const post of shown) {
    if (hour - post.hour >= OPEN_HOURS) continue;
    const left = 1 - (post.up + post.down) / voters;
    for (let n = poisson(Math.max(0, visits * post.quality * left), random); n > 0; n -= 1) {
      if (random() < DOWN_SHARE) post.down += 1;
      else post.up += 1;
    }
  }
}

/** One hour's visitors decide on what they see for the first time: on the page, and in the channels. */
function decide(
  { channel, page }: (typeof SEES)[keyof typeof SEES],
  { front, newest }: { front: readonly Post[]; newest: readonly Post[] },
  { hour, visits, voters, random }: Visitors,
): void {
  const missedBy = new Map<Post, number>();
  for (const [at, post] of front.entries()) missedBy.set(post, 1 - page[0] * page[1] ** at);
  for (const [at, post] of newest.toReversed().entries()) {
    missedBy.set(post, (missedBy.get(post) ?? 1) * (1 - channel[0] * channel[1] ** at));
  }
  for (const [post, missed] of missedBy) {
    if (hour - post.hour >= OPEN_HOURS) continue;
    const left = voters - post.seen;
    const deciding = poisson(Math.max(0, visits * (1 - missed) * (left / voters)), random);
    const decided = Math.min(left, deciding);
    post.seen += decided;
    for (let n = poisson(decided * post.quality, random); n > 0; n -= 1) {
      if (random() < DOWN_SHARE) post.down += 1;
      else post.up += 1;
    }
  }
}

/** A night's look, as the bot's. */
function fit(
  scale: Scale,
  given: { listed: readonly Post[]; members: number; hour: number },
): Scale {
  const { listed, members, hour } = given;
  const ups = (isClosed: boolean) =>
    listed
      .filter((post) => hour - post.hour >= OPEN_HOURS === isClosed)
      .slice(-SAMPLED)
      .map(({ up }) => up);
  const posted = listed.filter((post) => hour - post.hour < 30 * 24).length;
  const posting = { articles: posted, days: Math.max(1, Math.min(30, hour / 24)) };
  return {
    ...scale,
    mark: fittedMark(scale.mark, { closed: ups(true), inVoting: ups(false), members }),
    spanDays: fittedSpan(scale.spanDays, posting),
  };
}

function worthOf(posts: readonly Post[]): number {
  return posts.reduce((sum, { quality }) => sum + quality, 0);
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

function table(rates: readonly number[]): string {
  const heads = [
    'articles a day',
    'rule',
    'mark, span',
    ...READERS.map((hours) => `every ${hours} h`),
    'once',
    'tau: votes',
    'tau: newness',
    'unvoted of ten',
    'best 5 % missed',
    'moves',
  ];
  return VOTERS.map((voting) => {
    const lines = rates.flatMap((rate) => RULES.map((rule) => lineOf(rate, { rule, voting })));
    return [`Voters ${voting}:\n`, row(heads), `|${' --- |'.repeat(heads.length)}`, ...lines].join(
      '\n',
    );
  }).join('\n\n');
}

/** What the rule of the bot has to reach: the daily gain, and the page's order against votes. */
function limitsOf(articlesADay: number, voting: Voters): { daily?: Limits; tauVotes?: Limits } {
  if (articlesADay >= 58 && articlesADay <= 250) return { daily: { atLeast: 0.65, aim: 0.7 } };
  const isThird = voting === 'reading the page';
  if (isThird && (articlesADay === 16 || articlesADay === 22)) {
    return { daily: { atLeast: 0.55, aim: 0.6 } };
  }
  if (articlesADay !== 6) return {};
  const tauVotes = voting === 'deciding once' ? { tauVotes: { atLeast: 0.33, aim: 0.38 } } : {};
  return { daily: { atLeast: 0.88, aim: 0.9 }, ...tauVotes };
}

function lineOf(articlesADay: number, { rule, voting }: { rule: Rule; voting: Voters }): string {
  const results = Array.from({ length: COMMUNITIES }, (_, seed) =>
    simulateReaders(articlesADay, { rule, voting, seed }),
  );
  const mean = (of: (result: Result) => number) =>
    results.reduce((sum, result) => sum + of(result), 0) / results.length;
  const { daily, tauVotes } = rule === 'fitted' ? limitsOf(articlesADay, voting) : {};
  const shown = (of: (result: Result) => number, digits: number, limits?: Limits) => {
    const text = mean(of).toFixed(digits);
    if (limits === undefined) return text;
    const isBelow = isMissed({ result: mean(of), limits });
    return isBelow ? `**${text}** (≥ ${limits.atLeast})` : `${text} (≥ ${limits.atLeast})`;
  };
  const { mark, spanDays } = results[0]!.scale;
  return row([
    String(articlesADay),
    rule,
    `${mark}, ${spanText('en-US', spanDays)}`,
    ...READERS.map((hours, at) =>
      shown(({ gains }) => gains[at]!, 2, hours === 24 ? daily : undefined),
    ),
    shown(({ once }) => once, 2),
    shown((result) => result.tauVotes, 2, tauVotes),
    shown(({ tauNewness }) => tauNewness, 2),
    shown(({ unvoted }) => unvoted, 1),
    `${shown(({ missed }) => 100 * missed, 0)} %`,
    shown(({ moves }) => moves, 0),
  ]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const rates = process.argv.slice(2).map(Number);
  console.log(table(rates.length > 0 ? rates : ARTICLES_A_DAY));
}

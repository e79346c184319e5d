import { pathToFileURL } from 'node:url';
import { scoreOf, type Scale } from '../src/ranking/rules.ts';
import {
  type Hour,
  OPEN_HOURS,
  type Post,
  simulateReaders,
  VOTERS,
  type Voters,
} from './readers.ts';
import { highest } from './random.ts';

/**
 * What a daily digest of ten articles chooses, in the communities that `readers.ts` simulates: all rules see the
 * same articles and votes. Prints a table for `README.md`; arguments are the articles a day, which are all by default.
 */

/**
 * `window`: what was posted since the last edition, by net votes, as it was until 0.2. The others: what is in voting
 * and no edition listed.
 */
const RULES = ['window', 'votes', 'score'] as const;
type Rule = (typeof RULES)[number];

const ARTICLES_A_DAY = [3, 10, 22, 58, 250];
const COMMUNITIES = 4;
const LISTED = 10;
const AT_HOUR = 9;
const DAY = 24;

type Choice = {
  editions: number;
  /** Editions whose first article has fewer net votes than one in voting that no edition listed. */
  beaten: number;
  /** Of each day's best three by their votes at the end, of those that may be listed, what no edition listed. */
  missed: number;
  /** The mean age of what an edition lists, in hours, and the share that is older than two days. */
  ageHours: number;
  old: number;
  /** What its readers get, of the worth of as many best articles. */
  worth: number;
};

function netOf({ up, down }: Post): number {
  return up - down;
}

function isBacked({ up, down }: Post): boolean {
  return up - 1 > down;
}

function worthOf(posts: readonly Post[]): number {
  return posts.reduce((sum, { quality }) => sum + quality, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function percent(value: number): string {
  return `${Math.round(100 * value)} %`;
}

export class Digest {
  readonly #rule: Rule;
  readonly #listed = new Set<Post>();
  readonly #seen = new Set<Post>();
  /** What was posted before had its editions before. */
  #sinceHour: number | null = null;
  #ages: number[] = [];
  #editions = 0;
  #beaten = 0;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  /** Returns the edition of this hour, if one lists anything. */
  look({ hour, listed, scale }: Hour): readonly Post[] {
    this.#sinceHour ??= hour;
    const since = this.#sinceHour;
    for (const post of listed) if (post.hour >= since) this.#seen.add(post);
    if (hour % DAY !== AT_HOUR) return [];
    const open = listed.filter(
      (post) => post.hour >= since && hour - post.hour < OPEN_HOURS && !this.#listed.has(post),
    );
    const chosen = this.#choose(open, hour, scale);
    const [best] = chosen;
    if (best === undefined) return [];
    this.#editions += 1;
    for (const post of chosen) {
      this.#listed.add(post);
      this.#ages.push(hour - post.hour);
    }
    const left = open.filter((post) => !this.#listed.has(post));
    if (left.some((post) => netOf(post) > netOf(best))) this.#beaten += 1;
    return chosen;
  }

  #choose(open: readonly Post[], hour: number, scale: Scale): Post[] {
    const inWindow = (post: Post) => hour - post.hour < DAY && post.up > 1 && post.up >= post.down;
    const from = open.filter(this.#rule === 'window' ? inWindow : isBacked);
    const by = this.#rule === 'score' ? (post: Post) => scoreOf(post, post.seconds, scale) : netOf;
    // Of equals, the newest: they come last.
    return highest(from.toReversed(), by, LISTED);
  }

  choice(lastHour: number): Choice {
    const ended = [...this.#seen].filter((post) => lastHour - post.hour >= OPEN_HOURS);
    const days = byDay(ended);
    const best = [...days.values()].flatMap((posts) => highest(posts.filter(isBacked), netOf, 3));
    const oracle = highest([...this.#seen], ({ quality }) => quality, this.#listed.size);
    return {
      editions: this.#editions,
      beaten: this.#beaten / this.#editions,
      missed: mean(best.map((post) => Number(!this.#listed.has(post)))),
      ageHours: mean(this.#ages),
      old: mean(this.#ages.map((hours) => Number(hours >= 2 * DAY))),
      worth: worthOf([...this.#listed]) / worthOf(oracle),
    };
  }
}

/** By the edition that is the first after it. */
function byDay(posts: readonly Post[]): Map<number, Post[]> {
  const days = new Map<number, Post[]>();
  for (const post of posts) {
    const day = Math.floor((post.hour - AT_HOUR) / DAY);
    days.set(day, [...(days.get(day) ?? []), post]);
  }
  return days;
}

export function simulateEditions(
  articlesADay: number,
  { voting, seed }: { voting: Voters; seed: number },
): Record<Rule, Choice> {
  const digests = RULES.map((rule) => [rule, new Digest(rule)] as const);
  let lastHour = 0;
  const look = (at: Hour) => {
    lastHour = at.hour;
    for (const [, digest] of digests) digest.look(at);
  };
  simulateReaders(articlesADay, { rule: 'fitted', voting, seed, look });
  const choices = digests.map(([rule, digest]) => [rule, digest.choice(lastHour)]);
  return Object.fromEntries(choices) as Record<Rule, Choice>;
}

const HEADS = [
  'articles a day',
  'rule',
  'editions led by fewer votes than an unlisted one',
  'best three of a day never listed',
  'mean age',
  'older than two days',
  'worth of the best',
];

function table(rates: readonly number[]): string {
  return VOTERS.map((voting) => {
    const lines = rates.flatMap((rate) => linesOf(rate, voting));
    return [`Voters ${voting}:\n`, row(HEADS), `|${' --- |'.repeat(HEADS.length)}`, ...lines].join(
      '\n',
    );
  }).join('\n\n');
}

function linesOf(rate: number, voting: Voters): string[] {
  const all = Array.from({ length: COMMUNITIES }, (_, seed) =>
    simulateEditions(rate, { voting, seed }),
  );
  return RULES.map((rule) => {
    const meanOf = (of: (choice: Choice) => number) =>
      mean(all.map((choices) => of(choices[rule])));
    return row([
      String(rate),
      rule,
      percent(meanOf(({ beaten }) => beaten)),
      percent(meanOf(({ missed }) => missed)),
      `${meanOf(({ ageHours }) => ageHours).toFixed(0)} h`,
      percent(meanOf(({ old }) => old)),
      meanOf(({ worth }) => worth).toFixed(2),
    ]);
  });
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const rates = process.argv.slice(2).map(Number);
  console.log(table(rates.length > 0 ? rates : ARTICLES_A_DAY));
}

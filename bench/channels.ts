import { pathToFileURL } from 'node:url';
import { fittedChannelMark, fittedChannelSpan } from '../src/ranking/articles/fit-channel.ts';
import { type Scale, scoreOf } from '../src/ranking/rules.ts';
import {
  type Hour,
  OPEN_HOURS,
  type Post,
  simulateReaders,
  tau,
  VOTERS,
  type Voters,
} from './readers.ts';
import { highest, randomFrom } from './random.ts';

/**
 * The own list of a slow channel in a busy guild, in the communities that `readers.ts` simulates: by the guild's
 * scale, by that with the channel's own span, and by the channel's own scale, which is the bot's. Prints a table
 * for `README.md`; arguments are the articles a day of the guild, which are all by default.
 */

const RULES = ['guild', 'own span', 'own scale'] as const;
type Rule = (typeof RULES)[number];

const GUILD_ARTICLES_A_DAY = [58, 120];
const CHANNEL_ARTICLES_A_DAY = [3, 6, 15];
/** The share of the guild's votes that a channel's articles get: all, or of one in eight members. */
const AUDIENCES = [1, 1 / 8];
const COMMUNITIES = 4;
const PAGE = 10;
const DAY_HOURS = 24;
/** As in `readers.ts`. */
const LISTED_HOURS = 37 * DAY_HOURS;

type Own = { post: Post; up: number; down: number; knownUp: number; knownDown: number };
type Sums = { votes: number; newness: number; gain: number };

/** Some of a guild's articles, and some of their votes. */
class Channel {
  readonly #share: number;
  readonly #audience: number;
  readonly #random: () => number;
  readonly #drawn = new WeakSet<Post>();
  #own: Own[] = [];
  readonly #readBy = new Map(RULES.map((rule) => [rule, new Set<Own>()]));
  readonly #best = new Set<Own>();
  readonly sums = new Map<Rule, Sums>(
    RULES.map((rule) => [rule, { votes: 0, newness: 0, gain: 0 }]),
  );
  bestGain = 0;
  looks = 0;
  scale: Scale | null = null;

  constructor(share: number, audience: number, seed: number) {
    this.#share = share;
    this.#audience = audience;
    this.#random = randomFrom(seed);
  }

  look({ hour, listed, scale }: Hour): void {
    for (const post of listed) {
      if (this.#drawn.has(post)) continue;
      this.#drawn.add(post);
      if (this.#random() >= this.#share) continue;
      this.#own.push({ post, up: 1, down: 0, knownUp: 1, knownDown: 0 });
    }
    this.#own = this.#own.filter(({ post }) => hour - post.hour < LISTED_HOURS);
    for (const own of this.#own) {
      for (; own.knownUp < own.post.up; own.knownUp += 1) own.up += this.#counts();
      for (; own.knownDown < own.post.down; own.knownDown += 1) own.down += this.#counts();
    }
    if (hour % DAY_HOURS !== 9 || this.#own.length < 2 * PAGE) return;
    this.#night(hour, scale);
    this.#read(hour, scale);
  }

  #counts(): number {
    return this.#random() < this.#audience ? 1 : 0;
  }

  #night(hour: number, guild: Scale): void {
    const ups = (isClosed: boolean) =>
      this.#own
        .filter(({ post }) => hour - post.hour >= OPEN_HOURS === isClosed)
        .map(({ up }) => up);
    const recent = this.#own.filter(({ post }) => hour - post.hour < 30 * DAY_HOURS);
    const days = Math.max(1, (hour - recent[0]!.post.hour) / DAY_HOURS);
    const posting = { articles: recent.length, days };
    const spanDays = fittedChannelSpan(this.scale, guild, posting);
    if (spanDays === null) return void (this.scale = null);
    const votes = { closed: ups(true), inVoting: ups(false), members: 100 };
    const mark = fittedChannelMark(this.scale, guild, votes);
    this.scale = { mark, spanDays, isLimited: true };
  }

  #read(hour: number, guild: Scale): void {
    this.looks += 1;
    const unread = this.#own.filter(
      (own) => hour - own.post.hour < OPEN_HOURS && !this.#best.has(own),
    );
    for (const own of highest(unread, ({ post }) => post.quality, PAGE)) {
      this.#best.add(own);
      this.bestGain += own.post.quality;
    }
    const own = this.scale ?? guild;
    const scales = { guild, 'own span': { ...guild, spanDays: own.spanDays }, 'own scale': own };
    for (const rule of RULES) {
      const score = (one: Own) => scoreOf(one, one.post.seconds, scales[rule]);
      const page = highest(this.#own, score, PAGE);
      const sums = this.sums.get(rule)!;
      sums.votes += tau(page.map(({ up, down }) => up - down));
      sums.newness += tau(page.map(({ post }) => post.seconds));
      const read = this.#readBy.get(rule)!;
      for (const one of page) {
        if (!read.has(one)) sums.gain += one.post.quality;
        read.add(one);
      }
    }
  }
}

function linesOf(articlesADay: number, voting: Voters): string[] {
  const cases = CHANNEL_ARTICLES_A_DAY.flatMap((rate) =>
    AUDIENCES.map((audience) => ({ rate, audience })),
  ).map((of) => ({ ...of, channels: [] as Channel[] }));
  for (let seed = 0; seed < COMMUNITIES; seed += 1) {
    for (const { rate, audience, channels } of cases) {
      channels.push(new Channel(rate / articlesADay, audience, 100 * seed + rate));
    }
    const look = (at: Hour) => {
      for (const { channels } of cases) channels.at(-1)!.look(at);
    };
    simulateReaders(articlesADay, { rule: 'fitted', voting, seed, look });
  }
  return cases.flatMap(({ rate, audience, channels }) =>
    RULES.map((rule) => {
      const mean = (of: (sums: Sums, channel: Channel) => number) =>
        channels.reduce((sum, one) => sum + of(one.sums.get(rule)!, one), 0) / channels.length;
      return row([
        String(articlesADay),
        String(rate),
        audience === 1 ? 'all' : 'one in eight',
        rule,
        mean(({ votes }, { looks }) => votes / looks).toFixed(2),
        mean(({ newness }, { looks }) => newness / looks).toFixed(2),
        mean(({ gain }, { bestGain }) => gain / bestGain).toFixed(2),
      ]);
    }),
  );
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

const HEADS = ['guild', 'channel', 'voters', 'scale', 'tau: votes', 'tau: newness', 'every 24 h'];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const given = process.argv.slice(2).map(Number);
  for (const voting of VOTERS) {
    console.log(`\nVoters ${voting}:\n\n${row(HEADS)}\n|${' --- |'.repeat(HEADS.length)}`);
    for (const rate of given.length > 0 ? given : GUILD_ARTICLES_A_DAY) {
      console.log(linesOf(rate, voting).join('\n'));
    }
  }
}

import * as fc from 'fast-check';
import { postArticle, readArticle, deleteArticle } from '../../src/ranking/articles/articles.ts';
import { eraseVotes } from '../../src/ranking/ballots/of-member.ts';
import { closeArticle } from '../../src/ranking/articles/closing.ts';
import { changeGroup } from '../../src/ranking/articles/groups.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { type Span, SPANS } from '../../src/ranking/rules.ts';
import { lockArticle, moveArticle } from '../../src/ranking/articles/edit.ts';
import type { Ranking } from '../../src/ranking/ranking.ts';
import { removeArticle, restoreArticle } from '../../src/ranking/articles/removed.ts';
import type { Direction, Vote } from '../../src/ranking/row.ts';
import type { Snowflake } from '../../src/runtime/snowflake.ts';
import {
  setVote,
  clearReactions,
  opposite,
  recordReaction,
} from '../../src/ranking/ballots/votes.ts';
import {
  AI,
  anArticle,
  GAMES,
  idAt,
  member,
  NOON,
  POSTER,
  RUST,
  setListed,
  WEEK,
} from './test-ranking.ts';

/** What can happen in a guild. Articles, members and channels are numbers of small pools. */
export type Event =
  | { kind: 'post'; article: number; home: number; group: number }
  | { kind: 'vote'; article: number; who: number; vote: Vote }
  | { kind: 'crowd'; article: number; vote: Vote }
  | { kind: 'react'; article: number; who: number; direction: Direction; shown: boolean }
  | { kind: 'set'; article: number; who: number; vote: Vote; older: boolean }
  | { kind: 'clear'; article: number }
  | { kind: 'group'; article: number; group: number; into: boolean }
  | { kind: 'list'; home: number; listed: boolean }
  | { kind: 'close'; article: number }
  | { kind: 'late vote'; article: number; who: number; vote: Vote }
  | { kind: 'scale'; mark: number; spanDays: Span }
  | { kind: 'delete'; article: number }
  | { kind: 'remove'; article: number }
  | { kind: 'restore'; article: number; listed: boolean }
  | { kind: 'move'; article: number; home: number; listed: boolean }
  | { kind: 'lock'; article: number; locked: boolean }
  | { kind: 'erase'; who: number };

const ARTICLES = 6;
const CHANNELS = [RUST, AI, GAMES];
/** The first is the poster. */
const FEW = [POSTER, ...Array.from({ length: 5 }, (_, i) => member(i))];
/** Ids of every length. */
const CROWD = Array.from({ length: 40 }, (_, i) => String(10n ** BigInt(i % 20) + BigInt(i)));
const MEMBERS = [...FEW, ...CROWD];

const article = fc.nat(ARTICLES - 1);
const who = fc.nat(FEW.length - 1);
const channel = fc.nat(CHANNELS.length - 1);
const direction = fc.constantFrom<Direction>('up', 'down');
const vote = fc.constantFrom<Vote>('up', 'down', 'none');

export const anEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      article,
      home: channel,
      group: channel,
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('vote' as const), article, who, vote }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crowd' as const), article, vote }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('react' as const),
      article,
      who,
      direction,
      shown: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      article,
      who,
      vote,
      older: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), article }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('group' as const),
      article,
      group: channel,
      into: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      home: channel,
      listed: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), article }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('late vote' as const), article, who, vote }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('scale' as const),
      mark: fc.integer({ min: 1, max: 5 }),
      spanDays: fc.constantFrom(...SPANS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), article }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), article }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('restore' as const),
      article,
      listed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      article,
      home: channel,
      listed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('lock' as const), article, locked: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase' as const), who }) },
);

export const someEvents = fc.array(anEvent, { minLength: 1, maxLength: 80, size: 'max' });

/** Of those that one script answers, so that they can all be sent in one turn of the event loop. */
const AT_ONCE = new Set<Event['kind']>([
  'post',
  'vote',
  'crowd',
  'react',
  'set',
  'close',
  'delete',
  'remove',
  'move',
  'clear',
]);
export const someEventsOfATurn = someEvents.map((events) =>
  events.filter((event) => AT_ONCE.has(event.kind)),
);

/** The names that the pools' numbers stand for in one run. */
type Cast = {
  guild: Snowflake;
  articles: Snowflake[];
};

export function newCast(guild: Snowflake): Cast {
  return {
    guild,
    articles: Array.from({ length: ARTICLES }, (_, i) => idAt(NOON + i * 400_000)),
  };
}

export async function play(ranking: Ranking, cast: Cast, event: Event) {
  const { guild, articles } = cast;
  const id = 'article' in event ? articles[event.article]! : '';
  const ballot = { guild, article: id, member: 'who' in event ? MEMBERS[event.who]! : '' };
  switch (event.kind) {
    case 'post': {
      const groups = [CHANNELS[event.group]!];
      return postArticle(ranking, anArticle(guild, { id, home: CHANNELS[event.home]!, groups }));
    }
    case 'vote':
      return setVote(ranking, { ...ballot, vote: event.vote }, NOON);
    case 'crowd':
      return Promise.all(
        CROWD.map((member) => setVote(ranking, { ...ballot, member, vote: event.vote }, NOON)),
      );
    case 'late vote':
      return setVote(ranking, { ...ballot, vote: event.vote }, NOON + WEEK + 10_000_000);
    case 'react':
      return recordReaction(
        ranking,
        { ...ballot, direction: event.direction, shown: event.shown },
        NOON,
      );
    case 'set':
      return setVote(ranking, { ...ballot, vote: event.vote, older: event.older }, NOON);
    case 'clear':
      return clearReactions(ranking, { guild, article: id }, NOON);
    case 'group': {
      const place = { guild, article: id, group: CHANNELS[event.group]! };
      return changeGroup(ranking, place, event.into ? 'add' : 'remove');
    }
    case 'list':
      return setListed(ranking, { guild, home: CHANNELS[event.home]!, listed: event.listed });
    case 'close':
      return closeArticle(ranking, guild, id);
    case 'scale':
      return setScale(ranking, guild, { mark: event.mark, spanDays: event.spanDays });
    case 'delete':
      return deleteArticle(ranking, guild, id);
    case 'remove':
      return removeArticle(ranking, guild, id, NOON);
    case 'restore':
      return restoreArticle(ranking, guild, id, event.listed);
    case 'move': {
      const { listed } = event;
      const home = CHANNELS[event.home]!;
      return moveArticle(ranking, { guild, article: id, home, listed });
    }
    case 'lock':
      return lockArticle(ranking, { guild, article: id, locked: event.locked });
    case 'erase':
      return eraseVotes(ranking, guild, ballot.member);
  }
}

type Row = {
  groups: string[];
  shows: Map<number, Direction[]>;
  listed: boolean;
  locked: boolean;
  removed: boolean;
} & ({ closed: false } | { closed: true; up: number; down: number });

/**
 * The rules of the game once more, as plainly as can be: what each member shows is a list of
 * reactions in the order in which they came, and the vote is the last.
 */
export class Model {
  readonly rows = new Map<number, Row>();

  play(event: Event): void {
    if (event.kind === 'scale') return;
    if (event.kind === 'list') {
      for (const row of this.rows.values()) {
        if (row.groups[0] === CHANNELS[event.home] && !row.removed) row.listed = event.listed;
      }
      return;
    }
    if (event.kind === 'erase') {
      for (const row of this.rows.values()) row.shows.delete(event.who);
      return;
    }
    if (event.kind === 'crowd') {
      for (const i of CROWD.keys()) this.play({ ...event, kind: 'vote', who: FEW.length + i });
      return;
    }
    const row = this.rows.get(event.article);
    if (event.kind === 'post') {
      const groups = [...new Set([CHANNELS[event.home]!, CHANNELS[event.group]!])];
      if (!row) {
        this.rows.set(event.article, {
          groups,
          shows: new Map(),
          listed: true,
          locked: false,
          removed: false,
          closed: false,
        });
      }
      return;
    }
    if (!row) return;
    if (event.kind === 'restore' && row.removed) {
      row.removed = false;
      row.listed = event.listed;
    }
    if (row.removed && event.kind !== 'delete') return;
    if (event.kind === 'restore') return;
    if (event.kind === 'remove') row.removed = true;
    else if (event.kind === 'lock') {
      if (!row.closed) row.locked = event.locked;
    } else if (event.kind === 'move') {
      const [, ...others] = row.groups;
      const home = CHANNELS[event.home]!;
      row.groups = [home, ...others.filter((group) => group !== home)];
      row.listed = event.listed;
    } else if (event.kind === 'delete') this.rows.delete(event.article);
    else if (event.kind === 'group') this.#regroup(row, CHANNELS[event.group]!, event.into);
    else if (event.kind === 'close' && !row.closed) {
      const { up, down } = this.tally(row);
      this.rows.set(event.article, { ...row, up, down, closed: true, locked: false });
    } else if (!row.closed && !row.locked && event.kind !== 'close' && event.kind !== 'late vote') {
      this.#vote(row, event);
    }
  }

  tally(row: Row): { up: number; down: number } {
    if (row.closed) return { up: row.up, down: row.down };
    const votes = [...row.shows.values()].map((shown) => shown.at(-1));
    return {
      up: 1 + votes.filter((vote) => vote === 'up').length,
      down: votes.filter((vote) => vote === 'down').length,
    };
  }

  #regroup(row: Row, group: string, into: boolean): void {
    if (row.groups[0] === group) return;
    if (!into) row.groups = row.groups.filter((other) => other !== group);
    else if (row.listed && !row.groups.includes(group)) row.groups.push(group);
  }

  #vote(row: Row, event: Extract<Event, { kind: 'vote' | 'react' | 'set' | 'clear' }>): void {
    const { shows } = row;
    if (event.kind === 'clear') {
      for (const who of shows.keys()) shows.set(who, []);
      return;
    }
    if (event.who === 0) return;
    const shown = shows.get(event.who) ?? [];
    if (event.kind === 'react') {
      const { direction } = event;
      if (!event.shown)
        shows.set(
          event.who,
          shown.filter((shownOne) => shownOne !== direction),
        );
      else if (!shown.includes(direction)) shows.set(event.who, [...shown, direction]);
    } else if (event.kind === 'set') {
      const { vote, older } = event;
      if (vote === 'none') shows.set(event.who, []);
      else shows.set(event.who, older ? [opposite(vote), vote] : [vote]);
    } else shows.set(event.who, event.vote === 'none' ? [] : [event.vote]);
  }

  /** What `readArticle` should tell of each article. */
  async differences(ranking: Ranking, { guild, articles }: Cast): Promise<string[]> {
    const differences: string[] = [];
    for (const [i, id] of articles.entries()) {
      const row = this.rows.get(i);
      const wanted = row &&
        !row.removed && {
          ...this.tally(row),
          groups: row.groups,
          closed: row.closed,
          locked: row.locked,
          listed: row.listed,
        };
      const article = await readArticle(ranking, guild, id);
      const found = article && {
        up: article.up,
        down: article.down,
        groups: article.groups,
        closed: article.closed,
        locked: article.locked,
        listed: article.listed,
      };
      const [a, b] = [JSON.stringify(found ?? null), JSON.stringify(wanted || null)];
      if (a !== b) differences.push(`article ${i} is ${a}, in the model ${b}`);
    }
    return differences;
  }
}

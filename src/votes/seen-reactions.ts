import { remember } from '../discord/remember.ts';
import { directionOf, hasSkinTone } from '../discord/vote-emoji.ts';
import { THUMBS } from '../ranking/vote-signs.ts';
import type { Direction } from '../ranking/row.ts';
import { opposite } from '../ranking/ballots/votes.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import type { GatewayEvent, ReactionEvent } from './events/gateway-events.ts';
import type { Both } from './recount/counts.ts';
import { MINUTE_MS } from '../runtime/clock.ts';

/**
 * What this process has seen of the reactions under articles, besides the votes in the ranking. All of it
 * can be lost: without it a recount reads more lists, and a vote may be wrong until the next one.
 */
export interface SeenReactions {
  /**
   * Records an event when it arrives, before it is written to the ranking. Events and the repairs of a
   * recount are written on the same connection, in order. So either the repair sees the record, or the
   * vote is written after the repair: the live event wins in both cases.
   */
  hear(event: GatewayEvent): void;
  /** Collects the events on an article from now on, for a recount whose data may be older than they. */
  watch(article: Snowflake): Watch;
  /** Whether a recount reads the article now. */
  isWatched(article: Snowflake): boolean;
  /**
   * The members of whom an event of the last moments says otherwise than these lists. Answers of Discord
   * may lag behind its gateway, and the gateway behind its answers.
   */
  unsettledMembers(article: Snowflake, lists: readonly ListedMembers[]): ReadonlySet<Snowflake>;
  /** Whether the article's reactions were cleared in the last moments. */
  wasJustCleared(article: Snowflake): boolean;
  /** Whether the message was deleted, as far as this process remembers. */
  wasDeleted(article: Snowflake): boolean;
  /** Call it when a session with the gateway begins anew (ms). What happened before it was not heard. */
  beginSession(nowMs: number): void;
  /** Whether a session began so lately that Discord's answers may be from before it. */
  hasJustBegun(): boolean;
  /**
   * Which of both reactions the member added last; null if the process cannot know. In the first moments of a
   * session, a reaction of which it was not told was there before: another process may have heard of it, and
   * written it late.
   */
  lastAdded(article: Snowflake, member: Snowflake): Direction | null;
  /** How long an answer of Discord may lag behind its gateway (ms). */
  readonly lagMs: number;
  /**
   * Notes a list's or an event's emoji. Returns whether other variants of it may be shown under the article, by the
   * member if that is known.
   */
  noteVariant(of: Variant): boolean;
  /** The emoji of one direction that were noted under an article: a plain 👍 or 👎 alone is not. */
  variants(article: Snowflake, direction: Direction): string[];
  /** What the last reading of the article's lists says about the next comparison of counts. */
  lastReading(article: Snowflake): LastReading;
  /** Stores what a reading says, for the next comparison of counts. */
  noteReading(article: Snowflake, reading: LastReading): void;
}

/** The events on an article since `watch`. Call `end` when they matter no more. */
export type Watch = {
  /** Members who voted, repeated a vote, or took one back. */
  readonly members: ReadonlySet<Snowflake>;
  /** Reactions were cleared or the message was deleted, so earlier reads are invalid. */
  readonly isCleared: boolean;
  end(): void;
};

/** A reaction as it is shown: of what direction it is, its article's signs say. */
type Variant = {
  article: Snowflake;
  member?: Snowflake;
  direction: Direction;
  emoji: string;
  burst: boolean;
};

/** The members who show one variant, by one list of Discord. */
export type ListedMembers = { emoji: string; burst: boolean; members: ReadonlySet<Snowflake> };

export type LastReading =
  /**
   * Discord's counts above the ranking's: bots, the poster, and members whose votes do not count. While
   * that stays the same, the lists need not be read again.
   */
  | { kind: 'compared'; above: Both }
  /** An event could not be written, so the lists must be read, whatever the counts are. */
  | { kind: 'missed event' }
  /** New votes wait for a setting, so the lists must be read. */
  | { kind: 'waiting' }
  /** A member shows both reactions and has no vote: whichever is taken back makes the lists be read. */
  | { kind: 'undecided' };

/** Nothing is known of the article, so its counts are expected to be the ranking's. */
const UNREAD: LastReading = { kind: 'compared', above: { up: 0, down: 0 } };

/** The number of articles with variants or other signs that are remembered. For older ones, only a recount helps. */
const VARIANTS_AT_MOST = 5000;
/** Beyond this, the nightly pass finds votes that equal counts hide. */
const READINGS_AT_MOST = 10_000;
/** Some seconds of a very busy process. */
const MEMBERS_AT_MOST = 20_000;
const DELETIONS_AT_MOST = 10_000;

/** What was told of one member under one article. */
type Told = {
  /** When the last event came (ms of the process). */
  atMs: number;
  /** The variants: shown or taken back. */
  shown: Map<string, { direction: Direction; is: boolean }>;
  /** The directions that were added, the last one at the end. */
  added: Direction[];
  /** When the last one was added (ms). */
  addedAtMs: number;
};

/**
 * So long after a session began, a reaction that was not heard of is rather an older one than one that the
 * gateway lost. The first look has written all older ones to the ranking by then.
 */
const FIRST_MOMENTS_MS = MINUTE_MS;

export function openSeenReactions(lagMs: number): SeenReactions {
  const watches = openWatches();
  const told = openTold(lagMs);
  const variants = openVariants();
  return {
    lagMs,
    ...watches,
    ...told,
    hear(event) {
      watches.hear(event);
      told.hear(event);
    },
    noteVariant(of) {
      const isOther = showsOther(told.ofMember(of.article, of.member), of);
      return variants.noteVariant(of) || isOther;
    },
    variants: variants.variants,
    ...openReadings(),
  };
}

function openWatches() {
  const watches = new Map<Snowflake, Set<{ members: Set<Snowflake>; isCleared: boolean }>>();

  function hear(event: GatewayEvent): void {
    for (const watch of watches.get(event.article) ?? []) {
      switch (event.kind) {
        case 'reaction':
          watch.members.add(event.member);
          break;
        case 'clear':
        case 'removal':
          watch.isCleared = true;
          break;
        default:
          event satisfies never;
      }
    }
  }

  function watch(article: Snowflake): Watch {
    const all = watches.get(article) ?? new Set();
    const begun = { members: new Set<Snowflake>(), isCleared: false };
    watches.set(article, all.add(begun));
    return Object.assign(begun, {
      end() {
        all.delete(begun);
        if (all.size === 0 && watches.get(article) === all) watches.delete(article);
      },
    });
  }

  return { hear, watch, isWatched: (article: Snowflake): boolean => watches.has(article) };
}

function openTold(lagMs: number) {
  /** Articles with recent events, and members in each, are at the end. */
  const told = new Map<Snowflake, Map<Snowflake, Told>>();
  let toldMembers = 0;
  const clearedAtMs = new Map<Snowflake, number>();
  const deleted = new Map<Snowflake, true>();
  let sessionBeganMs = Number.NEGATIVE_INFINITY;
  /** The same by the process's own time. */
  let heardFromMs = Number.NEGATIVE_INFINITY;

  function keep(event: GatewayEvent & ReactionEvent): void {
    const { article, member, direction, shown, emoji, burst } = event;
    const members = told.get(article) ?? new Map<Snowflake, Told>();
    told.delete(article);
    told.set(article, members);
    const before = members.get(member);
    if (!before) toldMembers += 1;
    const now: Told = before ?? { atMs: 0, shown: new Map(), added: [], addedAtMs: 0 };
    now.atMs = performance.now();
    now.shown.set(variantOf(emoji, burst), { direction, is: shown });
    const others = now.added.filter((one) => one !== direction);
    const isStill = variantsOf(now, direction).some(({ is }) => is);
    if (shown) now.addedAtMs = event.atMs;
    // What was taken back may be added again unseen, and then it is the newer one.
    now.added = shown ? [...others, direction] : isStill ? now.added : others;
    members.delete(member);
    members.set(member, now);
    if (toldMembers > MEMBERS_AT_MOST) forgetOldest();
  }

  function forgetOldest(): void {
    const [[article, members] = []] = told;
    if (article === undefined || members === undefined) return;
    const [first] = members.keys();
    if (told.size > 1 || first === undefined) forget(article);
    else if (members.delete(first)) toldMembers -= 1;
  }

  function forget(article: Snowflake): void {
    toldMembers -= told.get(article)?.size ?? 0;
    told.delete(article);
  }

  return {
    hear(event: GatewayEvent): void {
      const { article } = event;
      switch (event.kind) {
        case 'reaction':
          return keep(event);
        case 'clear':
          forget(article);
          return remember(clearedAtMs, article, performance.now(), READINGS_AT_MOST);
        case 'removal':
          forget(article);
          return remember(deleted, article, true, DELETIONS_AT_MOST);
        default:
          return event satisfies never;
      }
    },
    unsettledMembers(article: Snowflake, lists: readonly ListedMembers[]): Set<Snowflake> {
      const fromMs = performance.now() - lagMs;
      const listed = new Map(
        lists.map(({ emoji, burst, members }) => [variantOf(emoji, burst), members]),
      );
      const unsettled = [...(told.get(article) ?? [])].filter(
        ([member, { atMs, shown }]) =>
          atMs > fromMs &&
          [...shown].some(
            ([variant, { is }]) => is !== (listed.get(variant)?.has(member) ?? false),
          ),
      );
      return new Set(unsettled.map(([member]) => member));
    },
    ofMember: (article: Snowflake, member = '') => told.get(article)?.get(member),
    wasJustCleared: (article: Snowflake): boolean =>
      performance.now() - (clearedAtMs.get(article) ?? -Infinity) < lagMs,
    wasDeleted: (article: Snowflake): boolean => deleted.has(article),
    beginSession(nowMs: number): void {
      sessionBeganMs = nowMs;
      heardFromMs = performance.now();
    },
    hasJustBegun: (): boolean => performance.now() - heardFromMs < lagMs,
    lastAdded: (article: Snowflake, member: Snowflake): Direction | null =>
      lastAddedOf(told.get(article)?.get(member), article, sessionBeganMs),
  };
}

function lastAddedOf(
  of: Told | undefined,
  article: Snowflake,
  sessionBeganMs: number,
): Direction | null {
  const [first, second] = of?.added ?? [];
  if (of === undefined || first === undefined) return null;
  if (second !== undefined) return second;
  // What was taken back may be added again unseen.
  const wasOtherTold = variantsOf(of, opposite(first)).length > 0;
  const isOfFirstMoments =
    snowflakeTimeMs(article) < sessionBeganMs &&
    of.addedAtMs >= sessionBeganMs &&
    of.addedAtMs < sessionBeganMs + FIRST_MOMENTS_MS;
  return isOfFirstMoments && !wasOtherTold ? first : null;
}

function openVariants(): Pick<SeenReactions, 'noteVariant' | 'variants'> {
  const seen = new Map<Snowflake, Map<string, Direction>>();
  return {
    noteVariant({ article, emoji, burst, direction }) {
      const isThumb = emoji === THUMBS.up || emoji === THUMBS.down;
      const known = seen.get(article);
      if (isThumb && !burst && known === undefined) return false;
      const emojis = known ?? new Map<string, Direction>();
      remember(seen, article, emojis.set(emoji, direction), VARIANTS_AT_MOST);
      // 👍 and 👎 count beside an article's own signs, and every emoji in any skin tone.
      const isOwnSign = !hasSkinTone(emoji) && directionOf(emoji) === null;
      const hasOthers = [...emojis].some(([other, of]) => other !== emoji && of === direction);
      return hasOthers || !(isThumb || isOwnSign) || burst;
    },
    variants(article, direction) {
      const found = [...(seen.get(article) ?? [])];
      return found.flatMap(([emoji, of]) => (of === direction ? [emoji] : []));
    },
  };
}

function openReadings(): Pick<SeenReactions, 'lastReading' | 'noteReading'> {
  const readings = new Map<Snowflake, LastReading>();
  return {
    lastReading: (article) => readings.get(article) ?? UNREAD,
    noteReading(article, reading) {
      readings.delete(article);
      const isUsual =
        reading.kind === 'compared' && reading.above.up === 0 && reading.above.down === 0;
      if (!isUsual) remember(readings, article, reading, READINGS_AT_MOST);
    },
  };
}

/** Whether the member was seen to add another variant of the same direction, and not to take it back. */
function showsOther(told: Told | undefined, { direction, emoji, burst }: Variant): boolean {
  return [...(told?.shown ?? [])].some(
    ([variant, one]) =>
      one.is && one.direction === direction && variant !== variantOf(emoji, burst),
  );
}

/** What was told of the variants of one direction. */
function variantsOf({ shown }: Told, direction: Direction): { is: boolean }[] {
  return [...shown.values()].filter((variant) => variant.direction === direction);
}

function variantOf(emoji: string, burst: boolean): string {
  return burst ? `${emoji} burst` : emoji;
}

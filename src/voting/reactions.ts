import type { TaskQueue } from '../discord/requests/tasks.ts';
import type { Client } from 'discord.js';
import type { PendingPosts } from '../articles/posting/pending.ts';
import { remember } from '../discord/remember.ts';
import type { Log } from '../log.ts';
import { emitMetric } from '../metrics.ts';
import { deleteArticle } from '../ranking/articles/articles.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { isOutage, openWarnings } from '../redis/errors.ts';
import type { ConcurrentVotes } from './concurrent-votes.ts';
import { followGatewayEvents, type GatewayEvent } from './gateway-events.ts';
import { type EventWriterParts, openEventWriter } from './write-event.ts';

export type Reactions = {
  /** Ignores new events, and resolves when no write is in flight. */
  stop(): Promise<void>;
  /** Writes an event, as one of the gateway. Events reach Redis in the order of the calls. */
  handle(event: GatewayEvent): void;
  /** Has an article's lists read by a recount of its guild, which is repeated until they can be. */
  miss(guild: Snowflake, article: Snowflake): void;
  /** Calls back for a guild that needs a recount, because events were not written or may be lost. */
  onMissed(listener: (guild: Snowflake) => void): void;
  /** The channels of each guild with events since the last comparison of counts, which deletes them. */
  active: Map<Snowflake, Set<Snowflake>>;
};

/** After a failover, the new Redis server may lack the last writes that the old one confirmed. */
const UNSAFE_MS = 60_000;
/** Beyond this, the nightly pass finds votes that equal counts hide. */
const UNCOUNTED_AT_MOST = 10_000;

type ReactionsParts = EventWriterParts & {
  client: Client;
  self: Snowflake;
  log: Log;
  tasks: TaskQueue;
  pendingPosts: PendingPosts;
  concurrentVotes: ConcurrentVotes;
  /** Gets NaN for the articles of events that could not be written, so that their lists are read. */
  uncounted: Map<Snowflake, Record<Direction, number>>;
};

/**
 * Writes the gateway's events about votes to the ranking, in their order. Events that cannot be written
 * are not kept: a recount reads from Discord what they were about.
 */
export function openReactions(parts: ReactionsParts): Reactions {
  const { client, ranking, clock, log, tasks, pendingPosts, concurrentVotes, uncounted } = parts;
  const writeEvent = openEventWriter(parts);
  const warn = openWarnings(log);
  const listeners: ((guild: Snowflake) => void)[] = [];
  const active = new Map<Snowflake, Set<Snowflake>>();
  /** The time of each guild's last event (ms of the process). */
  const lastEventAtMs = new Map<Snowflake, number>();
  const writing = new Set<Promise<void>>();
  /** Since when Redis has been away (ms of the process); null: it is there. */
  let awaySinceMs: number | null = null;
  let stopped = false;

  function handle(event: GatewayEvent): void {
    if (stopped) return;
    // Record the vote before writing it, or a recount may overwrite it.
    concurrentVotes.record(event);
    lastEventAtMs.set(event.guild, performance.now());
    active.set(event.guild, (active.get(event.guild) ?? new Set()).add(event.channel));
    const work = write(event)
      .catch((error: unknown) => failed(error, event))
      .finally(() => writing.delete(work));
    writing.add(work);
  }

  async function write(event: GatewayEvent): Promise<void> {
    let { status } = await writeEvent(event);
    // An event can arrive before its article is committed. Then write it again after the commit.
    const commit = status === 'unknown' ? pendingPosts.underWay(event.channel) : null;
    if (commit) {
      await commit;
      ({ status } = await writeEvent(event));
    }
    const seconds = (clock.now() - event.atMs) / 1000;
    emitMetric('event', { kind: event.kind, outcome: status, seconds });
    // Other outcomes need no write, which Redis may still refuse.
    if (status === 'counted' || status === 'deleted') isBack();
  }

  function failed(error: unknown, event: GatewayEvent): void {
    const { guild, article, kind } = event;
    miss(guild, article);
    // A recount reads open articles alone.
    if (kind === 'removal') {
      tasks.add(`deletion of ${article}`, () => deleteArticle(ranking, guild, article));
    }
    if (!isOutage(error)) {
      ranking.suspects.add(guild);
      warn(error, { guild, kind }, 'An event could not be written: its guild is recounted.');
      return;
    }
    if (awaySinceMs !== null) return;
    awaySinceMs = performance.now();
    log.warn('Redis is away: votes of this time are read from Discord when it is back.');
  }

  function isBack(): void {
    if (awaySinceMs === null) return;
    const unsafeFromMs = awaySinceMs - UNSAFE_MS;
    awaySinceMs = null;
    log.info('Redis is back: the guilds with events since then are recounted.');
    for (const [guild, atMs] of lastEventAtMs) if (atMs > unsafeFromMs) recount(guild);
  }

  function miss(guild: Snowflake, article: Snowflake): void {
    remember(uncounted, article, { up: Number.NaN, down: Number.NaN }, UNCOUNTED_AT_MOST);
    recount(guild);
  }

  function recount(guild: Snowflake): void {
    for (const listener of listeners) listener(guild);
  }

  followGatewayEvents(client, parts, handle);
  // A server that restarted may lack writes that it confirmed before, of other guilds too.
  ranking.redis.on('ready', isBack);

  return {
    handle,
    miss,
    onMissed: (listener) => void listeners.push(listener),
    active,
    async stop() {
      stopped = true;
      ranking.redis.off('ready', isBack);
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

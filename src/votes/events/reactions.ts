import { emitMetric } from '../../runtime/metrics.ts';
import { deleteArticle } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isOutage, openWarnings } from '../../redis/errors.ts';
import { followGatewayEvents, type GatewayEvent } from './gateway-events.ts';
import { openSignsOfArticles } from './signs-of-articles.ts';
import { type EventNeeds, mayBePosted, openEventWriter } from './write-event.ts';

/** After a failover, the new Redis server may lack the last writes that the old one confirmed. */
const UNSAFE_MS = 60_000;

/** Takes in the gateway's events about votes. */
export interface Reactions {
  /** Ignores new events, and resolves when no write is in flight. */
  stop(): Promise<void>;
  /** Writes an event, as one of the gateway. Events reach Redis in the order of the calls. */
  handle(event: GatewayEvent): void;
  /** Has an article's lists read by a recount of its guild, which is repeated until they can be. */
  miss(guild: Snowflake, article: Snowflake): void;
  /** Calls back for a guild that needs a recount, because events were not written or may be lost. */
  onMissed(listener: (guild: Snowflake) => void): void;
  /** Calls back for the first event in a guild since its channels were taken. */
  onActive(listener: (guild: Snowflake) => void): void;
  /** The channels of a guild with events since the last call. */
  takeActive(guild: Snowflake): ReadonlySet<Snowflake>;
  /** Gives channels back that were taken and could not be counted. */
  giveBackActive(guild: Snowflake, channels: ReadonlySet<Snowflake>): void;
}

/**
 * Writes the gateway's events about votes to the ranking, in their order. Events that cannot be written
 * are not stored: a recount reads from Discord what they were about.
 */
export function openReactions(needs: EventNeeds): Reactions {
  const { ranking, clock, log, tasks, pendingPosts, seen } = needs;
  const signs = openSignsOfArticles(needs);
  const writeEvent = openEventWriter(needs);
  const warn = openWarnings(log);
  const listeners: ((guild: Snowflake) => void)[] = [];
  const { note: noteActive, ...active } = openActive();
  /** The time of each guild's last event (ms of the process). */
  const lastEventAtMs = new Map<Snowflake, number>();
  const writing = new Set<Promise<void>>();
  /** Since when Redis has been away (ms of the process); null: it is there. */
  let awaySinceMs: number | null = null;
  let stopped = false;

  function handle(event: GatewayEvent): void {
    if (stopped) return;
    // Record the vote before writing it, or a recount may overwrite it.
    seen.hear(event);
    lastEventAtMs.set(event.guild, performance.now());
    noteActive(event);
    const work = write(event)
      .catch((error: unknown) => failed(error, event))
      .finally(() => writing.delete(work));
    writing.add(work);
  }

  async function write(event: GatewayEvent): Promise<void> {
    // An event can arrive before its article is committed. Later ones on the article wait behind it: the
    // lists of reactions would not tell which of a member's two is newer.
    const commit = pendingPosts.commitOf(event.channel, event.article);
    if (commit) await commit;
    const { status } = await writeEvent(event);
    const seconds = (clock.now() - event.atMs) / 1000;
    emitMetric('event', { kind: event.kind, outcome: status, seconds });
    // Other outcomes need no write, which Redis may still refuse.
    if (status === 'counted' || status === 'deleted') isBack();
  }

  /** Without its article's signs, nobody knows whether a reaction is a vote. */
  const notRead = (error: unknown, { guild, article }: Pick<GatewayEvent, 'guild' | 'article'>) =>
    failed(error, { guild, article, kind: 'reaction' });

  /** Its signs come with the article. */
  function unknown(of: Pick<GatewayEvent, 'guild' | 'channel' | 'article' | 'atMs'>): void {
    if (!mayBePosted(of)) return;
    noteActive(of);
    seen.noteReading(of.article, { kind: 'missed event' });
  }

  type Failed = Pick<GatewayEvent, 'guild' | 'article' | 'kind'>;
  function failed(error: unknown, { guild, article, kind }: Failed): void {
    miss(guild, article);
    // A recount reads open articles alone.
    if (kind === 'removal') {
      tasks.add(`deletion of ${article}`, () => deleteArticle(ranking, guild, article));
    }
    if (!isOutage(error)) {
      ranking.onDamaged(guild);
      warn(error, { guild, kind }, 'An event could not be written: its guild is recounted.');
      return;
    }
    if (awaySinceMs !== null) return;
    awaySinceMs = performance.now();
    log.warn('Redis is away: votes of this time are read from Discord when it is back.');
  }

  /**
   * Another node of a cluster may lack writes that its master confirmed, of other guilds too, and no connection tells of
   * that. `AfterLoss` follows a server that comes back.
   */
  function isBack(): void {
    if (awaySinceMs === null) return;
    const unsafeFromMs = awaySinceMs - UNSAFE_MS;
    awaySinceMs = null;
    log.info('Redis is back: the guilds with events since then are recounted.');
    for (const [guild, atMs] of lastEventAtMs) if (atMs > unsafeFromMs) recount(guild);
  }

  function miss(guild: Snowflake, article: Snowflake): void {
    seen.noteReading(article, { kind: 'missed event' });
    recount(guild);
  }

  function recount(guild: Snowflake): void {
    for (const listener of listeners) listener(guild);
  }

  followGatewayEvents({ ...needs, signs }, handle, { failed: notRead, unknown });

  return {
    ...active,
    handle,
    miss,
    onMissed: (listener) => void listeners.push(listener),
    async stop() {
      await signs.settled();
      stopped = true;
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

/** Notes the channels of each guild in which something happens. */
function openActive() {
  const active = new Map<Snowflake, Set<Snowflake>>();
  const listeners: ((guild: Snowflake) => void)[] = [];
  return {
    note: ({ guild, channel }: Pick<GatewayEvent, 'guild' | 'channel'>): void => {
      const channels = active.get(guild);
      active.set(guild, (channels ?? new Set()).add(channel));
      if (channels === undefined) for (const listener of listeners) listener(guild);
    },
    onActive: (listener: (guild: Snowflake) => void): void => void listeners.push(listener),
    takeActive: (guild: Snowflake): ReadonlySet<Snowflake> => {
      const channels = active.get(guild) ?? new Set();
      active.delete(guild);
      return channels;
    },
    giveBackActive: (guild: Snowflake, channels: ReadonlySet<Snowflake>): void => {
      if (channels.size === 0) return;
      active.set(guild, new Set([...(active.get(guild) ?? []), ...channels]));
    },
  };
}

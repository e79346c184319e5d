import { setTimeout as pause } from 'node:timers/promises';
import { type Client, DiscordAPIError, RateLimitError, Routes } from 'discord.js';
import type { Clock } from '../clock.ts';
import { fault, type Log } from '../log.ts';
import { type Article, readArticle } from '../ranking/articles/articles.ts';
import { removalOf } from '../records/audit-log.ts';
import { isImported } from '../records/imported.ts';
import type { Store } from '../redis/store.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { readRemoved } from '../ranking/articles/removed.ts';
import { type Snowflake, snowflakeTimeMs } from '../ranking/snowflake.ts';
import { markUpdated, markStale, readStale } from '../ranking/articles/stale-messages.ts';
import { openArchivedThreads } from './archived-threads.ts';
import { articleMessage } from './message.ts';
import { type RequestQueue, ChannelRefused } from '../discord/requests/queue.ts';
import { type GuildRules, languageOfGuild } from '../eligibility/guild-rules.ts';
import { removedMessage } from './removed-message.ts';

type Shown = Article & { removed?: true };

/** Shows tallies in the articles' messages. */
export type MessageUpdates = {
  /** The article's tally changed, or its votes were frozen: its message is edited soon. */
  note(guild: Snowflake, article: Snowflake): void;
  /** Takes over what another process left behind, or what an archived thread held up. */
  takeOver(guild: Snowflake): Promise<void>;
  stop(): Promise<void>;
};

/** Votes come in bursts: an edit waits a little for the others. */
const settleMs = 1000;
const everyMs = 10_000;
/** Discord allows few edits of messages that are older than an hour (30046), and does not say how few. */
const oldAfterMs = 3_600_000;
const oldEveryMs = 30_000;
const oldInChannelEveryMs = 4000;
/** Whoever noted it first is given so long. */
const leftBehindMs = 60_000;
const retryMs = 15_000;
const remembered = 2000;

const unknownChannel = 10_003;
const unknownMessage = 10_008;
const threadArchived = 50_083;

/**
 * Edits are coalesced: at most one in ten seconds an article, and the last state always arrives. What
 * is not shown yet is noted in Redis, so that another process shows it when this one ends.
 * An archived thread is left as it is: its articles wait until somebody opens it again.
 */
export function openMessageUpdates(options: {
  client: Client;
  ranking: Ranking;
  store: Store;
  requests: RequestQueue;
  rules: GuildRules;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
}): MessageUpdates {
  const { client, ranking, store, requests, rules, clock, log, stopping } = options;
  /** What is to be shown; `changed` while it is being shown. */
  const pending = new Map<Snowflake, { timer: NodeJS.Timeout; changed: boolean }>();
  const editedAtMs = new Map<Snowflake, number>();
  /** The last edit in a channel, of old messages and of others: they go one after the other. */
  const lanes = new Map<string, Promise<unknown>>();
  const working = new Set<Promise<void>>();
  const archived = openArchivedThreads({
    client,
    requests,
    onOpened: (guild) => {
      takeOver(guild, clock.now()).catch(() => {
        // The next minute tries again.
      });
    },
  });

  function schedule(guild: Snowflake, article: Snowflake, inMs: number): void {
    if (stopping.aborted) return;
    const timer = setTimeout(() => {
      const work = show(guild, article).finally(() => working.delete(work));
      working.add(work);
    }, inMs);
    pending.set(article, { timer, changed: false });
  }

  function isOld(article: Snowflake): boolean {
    return clock.now() - snowflakeTimeMs(article) > oldAfterMs;
  }

  function restMs(article: Snowflake): number {
    const nextMs = (editedAtMs.get(article) ?? -Infinity) + (isOld(article) ? oldEveryMs : everyMs);
    return Math.max(settleMs, nextMs - performance.now());
  }

  async function show(guild: Snowflake, id: Snowflake): Promise<void> {
    const entry = pending.get(id);
    if (!entry) return;
    let outcome: 'shown' | 'waits' | 'failed' = 'failed';
    try {
      const article = await readShown(guild, id);
      outcome = article
        ? await inLane(article, () => {
            entry.changed = false;
            return edit(guild, id);
          })
        : 'shown';
      if (outcome === 'shown' && !entry.changed) await markUpdated(ranking, guild, id);
    } catch (error) {
      if (stopping.aborted) return;
      log.info({ ...fault(error), article: id }, 'A tally could not be shown yet.');
    }
    pending.delete(id);
    if (outcome === 'failed') schedule(guild, id, retryMs);
    else if (outcome === 'shown' && entry.changed) note(guild, id);
  }

  async function inLane<T>({ channel, id }: Article, work: () => Promise<T>): Promise<T> {
    const old = isOld(id);
    const key = `${channel}:${old ? 'old' : 'new'}`;
    const turn = (lanes.get(key) ?? Promise.resolve()).then(work);
    const lane = turn
      .catch(() => {})
      .then(() => (old ? pause(oldInChannelEveryMs, undefined, { signal: stopping }) : undefined))
      .catch(() => {})
      .then(() => {
        if (lanes.get(key) === lane) lanes.delete(key);
      });
    lanes.set(key, lane);
    return turn;
  }

  /** What is shown is read now: while the article waited for its turn, it may have changed again. */
  async function edit(guild: Snowflake, id: Snowflake): Promise<'shown' | 'waits'> {
    const article = await readShown(guild, id);
    // A member's own message shows nothing of ours.
    if (!article || (await isImported(store, guild, id))) return 'shown';
    const place = { guild, channel: article.channel };
    const of = client.guilds.cache.get(guild);
    if (of === undefined) return 'waits';
    const locale = languageOfGuild(await rules.read(guild), of);
    try {
      if (await archived.hold(guild, article)) return 'waits';
      const body = await bodyOf(guild, article, locale);
      await requests.patch(place, Routes.channelMessage(article.channel, id), body);
      remember(id);
      return 'shown';
    } catch (error) {
      if (error instanceof ChannelRefused) return 'waits';
      if (error instanceof RateLimitError)
        await pause(error.retryAfter, undefined, { signal: stopping });
      if (!(error instanceof DiscordAPIError)) throw error;
      if (Number(error.code) === threadArchived) {
        archived.add(article.channel);
        return 'waits';
      }
      const gone = [unknownChannel, unknownMessage].includes(Number(error.code));
      // An embed that Discord refuses today it refuses tomorrow.
      if (!gone) log.warn({ ...fault(error), article: id }, 'A tally cannot be shown.');
      return 'shown';
    }
  }

  /** A removed article still has a message, which shows that. */
  async function readShown(guild: Snowflake, id: Snowflake): Promise<Shown | null> {
    const article = await readArticle(ranking, guild, id);
    if (article) return article;
    const removed = await readRemoved(ranking, guild, id);
    return removed && { ...removed.article, removed: true };
  }

  async function bodyOf(guild: Snowflake, article: Shown, locale: string | null): Promise<object> {
    if (article.removed) return removedMessage(await removalOf(store, guild, article.id), locale);
    const { embeds } = articleMessage(article, locale);
    return { embeds, allowed_mentions: { parse: [] } };
  }

  function remember(article: Snowflake): void {
    editedAtMs.delete(article);
    editedAtMs.set(article, performance.now());
    if (editedAtMs.size > remembered) editedAtMs.delete(editedAtMs.keys().next().value ?? '');
  }

  function note(guild: Snowflake, article: Snowflake): void {
    const entry = pending.get(article);
    if (entry) {
      entry.changed = true;
      return;
    }
    schedule(guild, article, restMs(article));
    markStale(ranking, guild, article, clock.now()).catch(() => {
      // Only a restart would need it, and a recount sees it then.
    });
  }

  async function takeOver(guild: Snowflake, until = clock.now() - leftBehindMs): Promise<void> {
    for (const article of await readStale(ranking, guild, until)) {
      if (!pending.has(article)) schedule(guild, article, restMs(article));
    }
  }

  return {
    note,
    takeOver: (guild) => takeOver(guild),
    async stop() {
      for (const { timer } of pending.values()) clearTimeout(timer);
      await Promise.allSettled(working);
    },
  };
}

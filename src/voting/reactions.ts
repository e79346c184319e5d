import type { Client } from 'discord.js';
import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import { fault, type Log } from '../log.ts';
import { emitMetric } from '../metrics.ts';
import { isOutage } from '../redis/errors.ts';
import { deleteArticle, readArticle } from '../ranking/articles/articles.ts';
import { removeGroup } from '../ranking/articles/groups.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import {
  clearDirection,
  clearReactions,
  showReaction,
  type VoteOutcome,
} from '../ranking/ballots/votes.ts';
import { openVoteLimit } from './vote-limit.ts';
import type { OwnReactions } from '../articles/messages/own-reactions.ts';
import type { TaskQueue } from '../discord/requests/tasks.ts';
import { remember } from '../discord/remember.ts';
import { mayVote } from '../eligibility/rules.ts';
import type { GuildRules } from '../eligibility/guild-rules.ts';
import type { GatewayEvent } from './gateway-event.ts';
import type { TakenAwayReactions } from './taken-away-reactions.ts';
import {
  directionOf,
  zChannelDelete,
  zMessageDelete,
  zMessageDeleteBulk,
  zReactionAdd,
  zReactionRemove,
  zReactionRemoveAll,
  zReactionRemoveEmoji,
  zThreadDelete,
} from '../discord/gateway/packets.ts';
import type { PendingPosts } from '../articles/posting/pending.ts';
import { removeThread } from '../articles/deleted-threads.ts';
import type { EmojiVariants } from './emoji-variants.ts';
import type { ConcurrentVotes } from './concurrent-votes.ts';

export type Reactions = {
  /** Ignores new events, and resolves when no write is in flight. */
  stop(): Promise<void>;
  /** Handles an event in its turn, as one of the gateway. */
  handle(event: GatewayEvent): void;
  /** Calls back for a guild that needs a recount, because events were not written or may be lost. */
  onMissed(listener: (guild: Snowflake) => void): void;
  /** The channels of each guild with events since the last comparison of counts, which deletes them. */
  active: Map<Snowflake, Set<Snowflake>>;
};

/** After a failover, the new Redis server may lack the last writes that the old one confirmed. */
const unsafeMs = 60_000;
/** Beyond this, the nightly pass finds votes that equal counts hide. */
const unwrittenAtMost = 10_000;

/**
 * Takes reactions and deletions from the gateway's raw packets, in their order. Each is one call to the
 * ranking. The call is issued before the next packet is handled, so the order stays: nothing here waits
 * for a fetch. The packets are raw because discord.js drops removals by users that it has not seen and
 * all events in threads that it has not cached, and costs twice as much.
 */
export function openReactions(options: {
  client: Client;
  ranking: Ranking;
  rules: GuildRules;
  clock: Clock;
  log: Log;
  self: Snowflake;
  pendingPosts: PendingPosts;
  takenAwayReactions: TakenAwayReactions;
  emojiVariants: EmojiVariants;
  tasks: TaskQueue;
  concurrentVotes: ConcurrentVotes;
  ownReactions: OwnReactions;
  /** Takes the articles of events that could not be written, for the recount. */
  unwritten: Map<Snowflake, true>;
  /** Members of an article who show both reactions, and nobody knows the newer one. */
  undecided: ReadonlyMap<Snowflake, ReadonlySet<Snowflake>>;
  /** Reads the lists of an article's reactions, and repairs its votes. */
  recount: (guild: Snowflake, article: Snowflake) => Promise<unknown>;
}): Reactions {
  const { client, ranking, rules, clock, log, self, pendingPosts } = options;
  const { takenAwayReactions, emojiVariants, tasks, concurrentVotes, ownReactions } = options;
  const { unwritten, undecided } = options;
  const isBeyondLimit = openVoteLimit();
  const listeners: ((guild: Snowflake) => void)[] = [];
  const active = new Map<Snowflake, Set<Snowflake>>();
  /** The time of each guild's last event (ms of the process). */
  const lastEventAtMs = new Map<Snowflake, number>();
  const writing = new Set<Promise<void>>();
  /** Since when Redis has been away (ms of the process); null: it is there. */
  let awaySinceMs: number | null = null;
  let stopped = false;

  function miss(guild: Snowflake): void {
    for (const listener of listeners) listener(guild);
  }

  function handle(event: GatewayEvent): void {
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
    let { status } = await writeToRanking(event);
    // An event can arrive before its article is committed. Then write it again after the commit.
    const commit = status === 'unknown' ? pendingPosts.underWay(event.channel) : null;
    if (commit) {
      await commit;
      ({ status } = await writeToRanking(event));
    }
    const seconds = (clock.now() - event.atMs) / 1000;
    emitMetric('event', { kind: event.kind, outcome: status, seconds });
    // Other outcomes need no write, which Redis may still refuse.
    if (status === 'counted' || status === 'deleted') isBack();
  }

  function isBack(): void {
    if (awaySinceMs === null) return;
    const unsafeFromMs = awaySinceMs - unsafeMs;
    awaySinceMs = null;
    log.info('Redis is back: the guilds with events since then are recounted.');
    for (const [guild, atMs] of lastEventAtMs) if (atMs > unsafeFromMs) miss(guild);
  }

  /** The event is not kept: a recount reads from Discord what it was about. */
  function failed(error: unknown, event: GatewayEvent): void {
    const { guild, article, kind } = event;
    miss(guild);
    // A recount reads open articles alone.
    if (kind === 'removal') {
      tasks.add(`deletion of ${article}`, () => deleteArticle(ranking, guild, article));
    } else remember(unwritten, article, true, unwrittenAtMost);
    if (!isOutage(error)) {
      ranking.suspects.add(guild);
      const fields = { ...fault(error), guild, article, kind };
      log.error(fields, 'An event could not be written: its guild is recounted.');
      return;
    }
    if (awaySinceMs !== null) return;
    awaySinceMs = performance.now();
    log.warn('Redis is away: votes of this time are read from Discord when it is back.');
  }

  async function writeToRanking(event: GatewayEvent): Promise<{ status: string }> {
    const { guild, article, atMs } = event;
    if (event.kind === 'removal') return deleteArticle(ranking, guild, article);
    if (event.kind === 'clear') return clear(event);
    // Only a guild's first event waits for its rules. Later events do not wait, so their order stays.
    const rulesNow = rules.known(guild) ?? (await rules.read(guild));
    const { member, joinedAtMs = null, roles = null } = event;
    if (event.shown && !mayVote(rulesNow, { id: member, joinedAtMs, roles }, atMs)) {
      takenAwayReactions.takeAway(event);
      return { status: 'ineligible' };
    }
    const outcome = await showReaction(ranking, event, atMs);
    // The other reaction is the vote now.
    if (!event.shown && undecided.get(article)?.has(member)) readLists(guild, article);
    if (event.direction === 'down') updateOwnDown(event, outcome);
    if (outcome.status === 'poster' && event.shown) takenAwayReactions.takeAway(event);
    if (outcome.status !== 'counted') return outcome;
    emitMetric('vote', { vote: outcome.vote });
    // The limit is checked after the vote, so that the check cannot change the order.
    if (event.shown && isBeyondLimit(guild, member)) {
      await showReaction(ranking, { ...event, shown: false }, clock.now());
      takenAwayReactions.takeAway(event);
    }
    if (outcome.older) {
      const { channel } = event;
      takenAwayReactions.takeAway({ guild, channel, article, member, direction: outcome.older });
    }
    return outcome;
  }

  async function clear(event: GatewayEvent & { kind: 'clear' }): Promise<{ status: string }> {
    const { guild, article, direction, atMs } = event;
    if (direction === 'all') return clearReactions(ranking, event, atMs);
    const since = concurrentVotes.begin(article);
    try {
      const cleared = { guild, article, direction, except: since.members };
      const outcome = await clearDirection(ranking, cleared, atMs);
      if (undecided.has(article)) readLists(guild, article);
      return outcome;
    } finally {
      since.end();
    }
  }

  function readLists(guild: Snowflake, article: Snowflake): void {
    tasks.add(`lists of ${article}`, () => options.recount(guild, article));
  }

  /** Removes the bot's own 👎 after the first member's 👎, and adds it again after the last one is removed. */
  function updateOwnDown(
    { guild, channel, article, shown }: GatewayEvent & { kind: 'reaction' },
    outcome: VoteOutcome,
  ): void {
    const place = { guild, channel, article };
    if (outcome.status === 'counted') {
      if (shown && outcome.down === 1) ownReactions.set(place, 'down', false);
      if (!shown && outcome.down === 0) ownReactions.set(place, 'down', true);
      return;
    }
    if (shown || !['unchanged', 'poster'].includes(outcome.status)) return;
    // For a replaced or uncounted reaction the outcome has no tally, so read the article.
    readArticle(ranking, guild, article).then(
      (found) => {
        if (found?.down === 0) ownReactions.set(place, 'down', true);
      },
      () => {
        // The next recount repairs it.
      },
    );
  }

  function on<T>(event: string, schema: z.ZodType<T>, handle: (packet: T) => void): void {
    const listener = (data: unknown): void => {
      if (stopped) return;
      const packet = schema.safeParse(data);
      if (packet.success) handle(packet.data);
    };
    client.ws.on(event as never, listener);
  }

  function where(packet: { guild_id: string; channel_id: string; message_id: string }) {
    const { guild_id, channel_id, message_id } = packet;
    return { guild: guild_id, channel: channel_id, article: message_id, atMs: clock.now() };
  }

  on('MESSAGE_REACTION_ADD', zReactionAdd, (packet) => {
    const { user_id, emoji, burst, message_author_id, member } = packet;
    const direction = directionOf(emoji.name);
    if (!direction || user_id === self) return;
    if (message_author_id !== undefined && message_author_id !== self) return;
    const reaction = { ...where(packet), member: user_id, direction, emoji: emoji.name };
    if (member?.user?.bot === true) {
      takenAwayReactions.takeAway(reaction);
      return;
    }
    emojiVariants.note(reaction.article, { name: emoji.name, burst });
    const joined = Date.parse(member?.joined_at ?? '');
    const memberFacts = {
      joinedAtMs: Number.isNaN(joined) ? null : joined,
      roles: member?.roles ?? null,
    };
    handle({ ...reaction, ...memberFacts, kind: 'reaction', shown: true });
  });

  on('MESSAGE_REACTION_REMOVE', zReactionRemove, (packet) => {
    const { user_id, emoji, burst } = packet;
    const direction = directionOf(emoji.name);
    if (!direction || user_id === self) return;
    const reaction = { ...where(packet), member: user_id, direction, emoji: emoji.name };
    takenAwayReactions.drop(reaction);
    handle({ ...reaction, kind: 'reaction', shown: false });
    // The member may still show another variant, which only the lists tell.
    if (emojiVariants.note(reaction.article, { name: emoji.name, burst })) {
      readLists(reaction.guild, reaction.article);
    }
  });

  on('MESSAGE_REACTION_REMOVE_ALL', zReactionRemoveAll, (packet) => {
    handle({ ...where(packet), kind: 'clear', direction: 'all' });
  });

  on('MESSAGE_REACTION_REMOVE_EMOJI', zReactionRemoveEmoji, (packet) => {
    const direction = directionOf(packet.emoji.name);
    if (direction) handle({ ...where(packet), kind: 'clear', direction });
  });

  function remove(guild: Snowflake, channel: Snowflake, ids: Snowflake[]): void {
    for (const article of ids) {
      handle({ kind: 'removal', guild, channel, article, atMs: clock.now() });
    }
  }

  on('MESSAGE_DELETE', zMessageDelete, ({ guild_id, channel_id, id }) =>
    remove(guild_id, channel_id, [id]),
  );
  on('MESSAGE_DELETE_BULK', zMessageDeleteBulk, ({ guild_id, channel_id, ids }) =>
    remove(guild_id, channel_id, ids),
  );

  // These take many steps, so they run outside the order of the other events.
  on('CHANNEL_DELETE', zChannelDelete, ({ guild_id, id }) =>
    tasks.add(`deletion of ${id}`, () => removeGroup(ranking, guild_id, id)),
  );
  on('THREAD_DELETE', zThreadDelete, ({ guild_id, id, parent_id }) =>
    tasks.add(`deletion of ${id}`, () =>
      removeThread(ranking, { guild: guild_id, thread: id, parent: parent_id }),
    ),
  );

  // A server that restarted may lack writes that it confirmed before, of other guilds too.
  ranking.redis.on('ready', isBack);

  return {
    handle,
    onMissed: (listener) => void listeners.push(listener),
    active,
    async stop() {
      stopped = true;
      ranking.redis.off('ready', isBack);
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

import type { Client } from 'discord.js';
import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import { fault, type Log } from '../log.ts';
import { tell as signal } from '../signals.ts';
import { removeArticle } from '../voting/articles.ts';
import { removeGroup } from '../voting/groups.ts';
import type { Ranking } from '../voting/ranking.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import { clearReactions, showReaction } from '../voting/votes.ts';
import { countToward } from '../store/limits.ts';
import type { Store } from '../store/store.ts';
import { discountVote } from '../voting/uncounted.ts';
import type { ArticleEdits } from './article-edits.ts';
import type { Chores } from './chores.ts';
import { discountOf } from './eligibility.ts';
import type { GuildRules, Rules } from './guild-rules.ts';
import { type Happening, openLedger } from './intake-ledger.ts';
import type { OlderReactions } from './older-reactions.ts';
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
} from './reaction-packets.ts';
import type { Sends } from './sends.ts';
import type { Strangers } from './strangers.ts';
import { removeThread } from './threads.ts';
import type { Variants } from './variants.ts';
import type { VoteNotes } from './vote-notes.ts';

export type Intake = {
  /** Takes in nothing more, and resolves when what was taken in has been said. */
  stop(): Promise<void>;
  /** For reactions that were looked up instead of told. */
  take(happening: Happening): void;
  /** Guilds of which something could not be kept or may be lost, so that they need a recount. */
  missed: Set<Snowflake>;
};

/** While Redis is away: about 50 MB at most. */
const keptAtMost = 100_000;
/** A server that takes over may lack the last writes that the one before it had confirmed. */
const unsafeMs = 60_000;

/**
 * Takes reactions and deletions from the gateway's raw packets, in their order. Each is one call to
 * the ranking, issued before the next packet is looked at, so nothing can overtake: nothing here
 * waits for a fetch. (Raw, because discord.js drops removals by users that it has not seen,
 * everything in threads that it has not cached, and costs twice as much.)
 */
export function openIntake(options: {
  client: Client;
  ranking: Ranking;
  rules: GuildRules;
  store: Store;
  clock: Clock;
  log: Log;
  self: Snowflake;
  sends: Sends;
  older: OlderReactions;
  variants: Variants;
  strangers: Strangers;
  chores: Chores;
  notes: VoteNotes;
  edits: ArticleEdits;
}): Intake {
  const { client, ranking, rules, store, clock, log, self, sends } = options;
  const { older, variants, strangers, chores, notes, edits } = options;
  const missed = new Set<Snowflake>();
  /** Guilds in which something happened, by when it last did (ms of the process). */
  const happenedAtMs = new Map<Snowflake, number>();
  let awaySinceMs = 0;
  let stopped = false;

  const ledger = openLedger({
    say,
    limit: keptAtMost,
    onFault: (error, { guild, article, kind }) =>
      log.error({ ...fault(error), guild, article, kind }, 'An event could not be taken in.'),
    onOutage: (away) => {
      if (away) {
        awaySinceMs = performance.now();
        log.warn('Redis is away: votes are kept until it is back.');
        return;
      }
      for (const [guild, atMs] of happenedAtMs) {
        if (atMs > awaySinceMs - unsafeMs) missed.add(guild);
      }
      log.info('Redis is back: the votes that were kept have been counted.');
    },
    onOverflow: ({ guild, article }) => {
      missed.add(guild);
      signal('overflow', {});
      log.error(
        { guild, article },
        'Too much to keep while Redis is away: this article needs a recount.',
      );
    },
  });

  function take(happening: Happening): void {
    // First, so that no repair can come between a vote and its note.
    notes.note(happening);
    happenedAtMs.set(happening.guild, performance.now());
    ledger.take(happening);
  }

  async function say(happening: Happening): Promise<{ later?: Promise<unknown> }> {
    const { status } = await tell(happening);
    const seconds = (clock.now() - happening.atMs) / 1000;
    signal('event', { kind: happening.kind, outcome: status, seconds });
    if (status === 'counted') edits.note(happening.guild, happening.article);
    // Perhaps its message has arrived before its commit: then what happened to it counts after that.
    const later = status === 'unknown' ? sends.underWay(happening.channel) : null;
    return later ? { later } : {};
  }

  async function tell(happening: Happening): Promise<{ status: string }> {
    const { guild, article, atMs } = happening;
    if (happening.kind === 'removal') return removeArticle(ranking, guild, article);
    const { direction } = happening;
    if (happening.kind === 'clear') {
      const which = direction === 'all' ? {} : { direction };
      return clearReactions(ranking, { guild, article, ...which }, atMs);
    }
    // Read once a guild; then nothing is waited for, so that nothing can overtake.
    const demanded = rules.known(guild) ?? (await rules.read(guild));
    // Whoever opted out leaves no trace, and has none to take back.
    if (demanded.optedOut.has(happening.member)) return { status: 'opted-out' };
    if (happening.shown) {
      const { member, joinedAtMs = null, roles = null } = happening;
      const discount = discountOf(demanded, { id: member, joinedAtMs, roles }, atMs);
      if (discount) {
        const ballot = { guild, article, member, shown: happening.direction };
        return discountVote(ranking, { ...ballot, ...discount }, atMs);
      }
    }
    const outcome = await showReaction(ranking, happening, atMs);
    if (outcome.status === 'counted' && happening.shown) limit(happening, demanded);
    if (outcome.status === 'counted') signal('vote', { vote: outcome.vote });
    if (outcome.status === 'counted' && outcome.older) {
      older.take({ ...happening, direction: outcome.older });
    }
    return outcome;
  }

  /** After the vote, so that asking cannot change the order: a vote beyond the limit waits. */
  function limit(
    { guild, article, member, joinedAtMs = null }: Happening & { kind: 'reaction' },
    { settings }: Rules,
  ): void {
    const points = settings['votes-per-minute'];
    if (points === 0) return;
    const counting = countToward(store, guild, member, { what: 'vote', points, seconds: 60 }).then(
      async (outcome) => {
        if (outcome.status === 'ok') return;
        const now = clock.now();
        const untilMs = now + outcome.waitMs;
        const discount = { reason: 'limit', untilMs, joinedAtMs } as const;
        await discountVote(ranking, { guild, article, member, ...discount }, now);
        edits.note(guild, article);
      },
    );
    counting.catch((error: unknown) => {
      log.info({ ...fault(error), guild }, 'A vote could not be counted toward the limit.');
    });
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
    if (!direction || user_id === self || member?.user?.bot === true) return;
    if (strangers.isBot(user_id)) return;
    if (message_author_id !== undefined && message_author_id !== self) return;
    const reaction = { ...where(packet), member: user_id, direction };
    variants.added(reaction, { emoji: emoji.name, burst });
    const joined = Date.parse(member?.joined_at ?? '');
    const standing = {
      joinedAtMs: Number.isNaN(joined) ? null : joined,
      roles: member?.roles ?? null,
    };
    take({ ...reaction, ...standing, kind: 'reaction', shown: true });
    if (!member?.user) strangers.reacted(reaction);
  });

  on('MESSAGE_REACTION_REMOVE', zReactionRemove, (packet) => {
    const { user_id, emoji, burst } = packet;
    const direction = directionOf(emoji.name);
    if (!direction || user_id === self) return;
    const reaction = { ...where(packet), member: user_id, direction };
    take({ ...reaction, kind: 'reaction', shown: false });
    variants.removed(reaction, { emoji: emoji.name, burst });
  });

  on('MESSAGE_REACTION_REMOVE_ALL', zReactionRemoveAll, (packet) => {
    take({ ...where(packet), kind: 'clear', direction: 'all' });
  });

  on('MESSAGE_REACTION_REMOVE_EMOJI', zReactionRemoveEmoji, (packet) => {
    const direction = directionOf(packet.emoji.name);
    if (direction) take({ ...where(packet), kind: 'clear', direction });
  });

  function remove(guild: Snowflake, channel: Snowflake, ids: Snowflake[]): void {
    for (const article of ids) {
      take({ kind: 'removal', guild, channel, article, atMs: clock.now() });
    }
  }

  on('MESSAGE_DELETE', zMessageDelete, ({ guild_id, channel_id, id }) =>
    remove(guild_id, channel_id, [id]),
  );
  on('MESSAGE_DELETE_BULK', zMessageDeleteBulk, ({ guild_id, channel_id, ids }) =>
    remove(guild_id, channel_id, ids),
  );

  // Many steps each, so outside the order of the rest.
  on('CHANNEL_DELETE', zChannelDelete, ({ guild_id, id }) =>
    chores.add(`deletion of ${id}`, () => removeGroup(ranking, guild_id, id)),
  );
  on('THREAD_DELETE', zThreadDelete, ({ guild_id, id, parent_id }) =>
    chores.add(`deletion of ${id}`, () =>
      removeThread(ranking, { guild: guild_id, thread: id, parent: parent_id }),
    ),
  );

  return {
    take,
    missed,
    async stop() {
      stopped = true;
      ledger.stop();
      await ledger.settled();
    },
  };
}

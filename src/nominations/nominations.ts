import type { APIMessage, Client, Guild } from 'discord.js';
import type { MemberLimits } from '../community/member-limits.ts';
import type { Settings } from '../community/settings.ts';
import { type PostingNeeds } from '../articles/posting/post-link.ts';
import type { WithdrawNeeds } from '../articles/posting/withdraw.ts';
import type { Due } from '../due/due.ts';
import type { Reactions } from '../votes/events/reactions.ts';
import type { Sources } from '../votes/sources.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { followLikes } from './follow-likes.ts';
import { type Likes, openLikes } from './likes.ts';
import { lookKind, LOOK_SOON_MS } from './look.ts';
import { nominateKind } from './nominate.ts';
import { countNominated } from './stored-nominated.ts';

export interface NominationsNeeds extends PostingNeeds, WithdrawNeeds {
  /** Tells who likes which message. */
  client: Client;
  /** The bot's own user: its own messages hold no links of others. */
  self: Snowflake;
  /** The rows of messages that are to be read, and of channels. */
  due: Due;
  /** Takes the likes as votes. */
  reactions: Reactions;
  /** The messages in which articles were found. */
  sources: Sources;
  /** Messages that a guild may have read in an hour. */
  memberLimits: MemberLimits;
  /** Whether the host has switched on the Message Content intent, without which others' messages have no links. */
  messageContent: boolean;
  /** How long an answer of Discord may lag behind its gateway (ms). */
  answersLagMs: number;
  /** Makes the votes of an article equal to its reactions. */
  recount(guild: Snowflake, article: Snowflake): Promise<unknown>;
  /** Looks for messages of the last minutes that were sent but not committed. */
  takeIn(guild: Guild): Promise<unknown>;
  /** Aborted when the bot is stopping: nothing is posted any more. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/** Links that become articles because members like the messages that have them. */
export interface Nominations {
  /** Takes a guild's settings when they were read: what changed is looked at in the channels that have it. */
  followSettings(guild: Snowflake, settings: Settings): void;
  /** How many links became articles in the last week. */
  count(guild: Snowflake): Promise<number>;
}

/** What the files of this room share. */
export interface Nominating extends NominationsNeeds {
  /** The likes of messages that are no articles. */
  likes: Likes;
  /** Since when no like of a channel's messages was missed (ms). */
  listening: Map<Snowflake, number>;
  /** Messages that a look has read, until it is their turn. */
  read: Map<Snowflake, APIMessage>;
  /** Messages that were deleted while their links may have been posted. */
  deleted: Map<Snowflake, true>;
  /**
   * Plans that a message is read, within the guild's limit; beyond it, its channel is looked at later. `order`: who
   * likes it, the first one first, for the process that reads it.
   */
  plan(guild: Snowflake, of: { channel: Snowflake; message: Snowflake; order: string }): void;
}

/** Opens them, and follows the gateway's events. */
export function openNominations(needs: NominationsNeeds): Nominations {
  const { due, clock, store, memberLimits } = needs;
  const seenSettings = new Map<Snowflake, string>();
  const count = (guild: Snowflake) => countNominated(store, guild, clock.now());
  if (!needs.messageContent) return { followSettings: () => {}, count };

  function planRow(guild: Snowflake, row: string, atMs: number, notes = {}): void {
    const planned = due.note(guild, row, notes).then(() => due.plan(guild, row, atMs));
    // A row that Redis did not take is made up for by the look of the guild's next arrival.
    needs.hold(planned.catch(() => {}));
  }
  const parts: Nominating = {
    ...needs,
    likes: openLikes(),
    listening: new Map(),
    read: new Map(),
    deleted: new Map(),
    plan(guild, { channel, message, order }) {
      const waitMs = memberLimits.count('nominate', guild, guild);
      if (waitMs > 0) planRow(guild, `nominations:${channel}`, clock.now() + waitMs);
      else planRow(guild, `nominate:${channel}/${message}`, 0, order === '' ? {} : { order });
    },
  };
  due.handle(nominateKind(parts));
  due.handle(lookKind(parts));
  followLikes(parts);
  return {
    followSettings(guild, settings) {
      const { 'nomination-channels': channels, nominations } = settings;
      const now = [nominations, ...channels].join(' ');
      const before = seenSettings.get(guild);
      seenSettings.set(guild, now);
      // The first time, the guild's arrival has them looked at.
      if (before === undefined || before === now || nominations === 0) return;
      for (const channel of channels) {
        planRow(guild, `nominations:${channel}`, clock.now() + LOOK_SOON_MS);
      }
    },
    count,
  };
}

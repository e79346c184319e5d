import type { APIMessage, Client, Guild } from 'discord.js';
import type { PostingNeeds } from '../articles/posting/post-link.ts';
import type { WithdrawNeeds } from '../articles/posting/withdraw.ts';
import type { MemberLimits } from '../community/member-limits.ts';
import type { Due } from '../due/due.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Reactions } from '../votes/events/reactions.ts';
import type { Sources } from '../votes/sources.ts';
import type { Likes } from './likes.ts';

/** What reading and posting such links needs. */
export interface NominatingNeeds extends PostingNeeds, WithdrawNeeds {
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

export const LISTENING_AT_MOST = 5000;

/** What the files of this room share. */
export interface Nominating extends NominatingNeeds {
  /** The likes of messages that are no articles. */
  likes: Likes;
  /** Since when no like of a channel's or thread's messages was missed (ms). What is forgotten is read once more. */
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

import type { Changes } from './changes.ts';
import type { Exchanges } from './exchanges.ts';
import type { Clock } from './clock.ts';
import type { Snowflake } from './snowflakes.ts';
import type { Channel } from './channel.ts';
import type { StoredCommand } from './command.ts';
import type { Guild, GuildEmoji } from './guild.ts';
import type { Interaction } from './interaction.ts';
import type { Attachment } from './message.ts';
import type { Web } from './web.ts';

export type User = {
  id: Snowflake;
  username: string;
  globalName: string | null;
  bot: boolean;
  /** The member's own language, sent with interactions. */
  locale: string;
};

export type Webhook = {
  id: Snowflake;
  token: string;
  name: string;
  guildId: Snowflake;
  channelId: Snowflake;
  makerId: Snowflake;
  /** The announcement channel whose published messages it brings; null: it writes what it is sent. */
  followedId: Snowflake | null;
};

export type Invite = {
  code: string;
  guildId: Snowflake;
  channelId: Snowflake;
  inviterId: Snowflake;
  /** 0: for ever. */
  maxAgeSeconds: number;
  /** 0: as often as one likes. */
  maxUses: number;
  uses: number;
  isTemporary: boolean;
  createdAtMs: number;
};

export type Application = {
  readonly id: Snowflake;
  name: string;
  readonly botId: Snowflake;
  readonly token: string;
  /** Discord has reset the token: the one that the bot has is worth nothing. */
  tokenIsReset: boolean;
  /** Whether the bot's owner signs in with two factors, which some guilds demand of moderators. */
  ownerHasTwoFactors: boolean;
  /** The permissions with which the bot is invited. */
  botPermissions: bigint;
  /** Privileged intents switched on in the developer portal. */
  privileged: { messageContent: boolean; guildMembers: boolean; presences: boolean };
};

/**
 * This Discord's whole state, as plain data. The functions that change it emit a `Change`.
 * What others hold on to, such as the bot's id and the maps, stays the same from the first moment.
 */
export type World = {
  clock: Clock;
  changes: Changes;
  /** What the bots and this world say to each other. */
  readonly exchanges: Exchanges;
  snowflake(atMs?: number): Snowflake;
  /** The address of the server, such as http://127.0.0.1:4321. Empty until it listens. */
  address: string;
  application: Application;
  readonly users: Map<Snowflake, User>;
  readonly guilds: Map<Snowflake, Guild>;
  readonly channels: Map<Snowflake, Channel>;
  readonly commands: Map<Snowflake, StoredCommand>;
  /** Of channels; those of interactions are the interactions themselves. */
  readonly webhooks: Map<Snowflake, Webhook>;
  /** By their code. */
  readonly invites: Map<string, Invite>;
  /** The emoji of the application itself, by their id. */
  readonly ownEmojis: Map<Snowflake, GuildEmoji>;
  readonly interactions: Map<Snowflake, Interaction>;
  /** Files that members gave to commands. */
  readonly uploads: Map<Snowflake, Attachment>;
  /** Messages whose payload lacks the counts of reactions, as happens on Discord now and then. */
  readonly uncounted: Set<Snowflake>;
  /** Guilds whose messages are not indexed yet, so that a search gets 202. */
  readonly unindexed: Set<Snowflake>;
  /** Discord refuses messages with a link to one of these. */
  readonly harmfulHosts: Set<string>;
  /** Users who blocked the bot: it cannot react to what they wrote. */
  readonly blockedBy: Set<Snowflake>;
  identifies: IdentifyLimit;
  /** What Discord counts of responses that a good client avoids. */
  readonly invalidRequests: InvalidRequests;
  /** Polls that are not over, by their message's id, with their channel's. */
  readonly openPolls: Map<Snowflake, Snowflake>;
  /** Members who take no direct messages from the bot. */
  readonly closedToMessages: Set<Snowflake>;
  /** How long the bot may take for its first answer to an interaction, in real time. */
  answerWithinMs: number;
  /** How long a member takes, in real time, to press, choose or submit what the bot has just sent. */
  membersTakeMs: number;
  /** The largest file that the bot may attach to an answer, as an interaction says it. */
  attachmentSizeLimit: number;
  /** The pages behind links, from which previews are made. */
  web: Web;
};

/** Responses of 401, 403 and 429 since `sinceMs`; `most` of them within `perMs` shut the bot out. */
export type InvalidRequests = { most: number; perMs: number; sinceMs: number; count: number };

/**
 * Discord's limit for new sessions: in each of `concurrency` buckets of shards, one may begin every
 * `everyMs`. `left`: the number that may still begin today; with one more than that, Discord ends all
 * sessions and takes the token away.
 */
export type IdentifyLimit = {
  concurrency: number;
  everyMs: number;
  left: { total: number; remaining: number; resetAtMs: number };
};

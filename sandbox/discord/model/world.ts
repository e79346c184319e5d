import type { Changes } from './changes.ts';
import type { Clock } from './clock.ts';
import type { Snowflake } from './snowflakes.ts';
import type { Channel } from './channel.ts';
import type { StoredCommand } from './command.ts';
import type { Guild } from './guild.ts';
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

export type Application = {
  id: Snowflake;
  name: string;
  botId: Snowflake;
  token: string;
  /** What the bot is invited with. */
  botPermissions: bigint;
  /** Privileged intents switched on in the developer portal. */
  privileged: { messageContent: boolean; guildMembers: boolean; presences: boolean };
};

/** All that this Discord knows. Plain data; the functions beside it change it and say so. */
export type World = {
  clock: Clock;
  changes: Changes;
  snowflake(atMs?: number): Snowflake;
  /** Where it is reached, such as http://127.0.0.1:4321; known once it listens. */
  address: string;
  application: Application;
  users: Map<Snowflake, User>;
  guilds: Map<Snowflake, Guild>;
  channels: Map<Snowflake, Channel>;
  commands: Map<Snowflake, StoredCommand>;
  interactions: Map<Snowflake, Interaction>;
  /** Files that members gave to commands. */
  uploads: Map<Snowflake, Attachment>;
  /** Messages that are told without their counts of reactions, as it happens now and then. */
  uncounted: Set<Snowflake>;
  /** Discord refuses messages with a link to one of these. */
  harmfulHosts: Set<string>;
  /** Users who blocked the bot: it cannot react to what they wrote. */
  blockedBy: Set<Snowflake>;
  identifies: IdentifyLimit;
  /** What links lead to; the source of Discord's previews. */
  web: Web;
};

/**
 * So many buckets of shards, in each of which one session begins in so many milliseconds. `left`: the
 * sessions that may still begin in this time.
 */
export type IdentifyLimit = {
  concurrency: number;
  everyMs: number;
  left?: { remaining: number; resetAfterMs: number };
};

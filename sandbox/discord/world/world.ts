import { ApplicationFlags, PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { Clock } from './clock.ts';
import { type Changes, openChanges } from './changes.ts';
import type { Channel } from '../channels/channel.ts';
import type { StoredCommand } from '../interactions/command.ts';
import type { Guild } from '../guilds/guild.ts';
import type { Interaction } from '../interactions/interaction.ts';
import type { Attachment } from '../messages/message.ts';
import { type Snowflake, snowflakeMaker } from './snowflakes.ts';

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
  identifies: IdentifyLimit;
};

/** So many buckets of shards, in each of which one session begins in so many milliseconds. */
export type IdentifyLimit = { concurrency: number; everyMs: number };

const USUAL_BOT_PERMISSIONS =
  P.ViewChannel |
  P.SendMessages |
  P.SendMessagesInThreads |
  P.EmbedLinks |
  P.AttachFiles |
  P.ReadMessageHistory |
  P.AddReactions;

export type WorldOptions = {
  clock: Clock;
  token: string;
  name?: string;
  /** What the bot is invited with; by default what its commands and messages commonly need. */
  botPermissions?: bigint;
  privileged?: Partial<Application['privileged']>;
  identifies?: IdentifyLimit;
};

export function createWorld(options: WorldOptions): World {
  const snowflake = snowflakeMaker(options.clock);
  // Like most applications today, the bot's user id equals the application's id.
  const id = snowflake(options.clock.now() - 90 * 86_400_000);
  const name = options.name ?? 'Bot';
  const world: World = {
    clock: options.clock,
    changes: openChanges(),
    snowflake,
    address: '',
    application: {
      id,
      name,
      botId: id,
      token: options.token,
      botPermissions: options.botPermissions ?? USUAL_BOT_PERMISSIONS,
      privileged: {
        messageContent: options.privileged?.messageContent ?? false,
        guildMembers: options.privileged?.guildMembers ?? false,
        presences: options.privileged?.presences ?? false,
      },
    },
    users: new Map(),
    guilds: new Map(),
    channels: new Map(),
    commands: new Map(),
    interactions: new Map(),
    uploads: new Map(),
    uncounted: new Set(),
    // As soon as it wants, so that whoever tries a change need not wait after each start.
    identifies: options.identifies ?? { concurrency: 16, everyMs: 0 },
  };
  addUser(world, { id, username: name, bot: true });
  return world;
}

export function addUser(
  world: World,
  user: { username: string; id?: Snowflake; globalName?: string; bot?: boolean; locale?: string },
): User {
  const added: User = {
    id: user.id ?? world.snowflake(),
    username: user.username,
    globalName: user.globalName ?? null,
    bot: user.bot ?? false,
    locale: user.locale ?? 'en-US',
  };
  world.users.set(added.id, added);
  return added;
}

export function userPayload(world: World, id: Snowflake): Record<string, unknown> {
  const user = world.users.get(id);
  return {
    id,
    username: user?.username ?? 'Deleted User',
    discriminator: user?.bot === true ? '0001' : '0',
    global_name: user?.globalName ?? null,
    avatar: null,
    banner: null,
    accent_color: null,
    avatar_decoration_data: null,
    public_flags: 0,
    flags: 0,
    ...(user?.bot === true ? { bot: true } : {}),
  };
}

export function applicationPayload(world: World): Record<string, unknown> {
  const { id, name, privileged } = world.application;
  const flags =
    (privileged.messageContent ? ApplicationFlags.GatewayMessageContentLimited : 0) |
    (privileged.guildMembers ? ApplicationFlags.GatewayGuildMembersLimited : 0);
  return {
    id,
    name,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    owner: userPayload(world, id),
    team: null,
    flags,
    tags: [],
    approximate_guild_count: world.guilds.size,
    integration_types_config: { '0': {} },
    bot: userPayload(world, id),
  };
}

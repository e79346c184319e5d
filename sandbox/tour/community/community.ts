import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import {
  createChannel,
  type NewChannel,
} from '../../../discord-box/src/channels/change-channel.ts';
import { addRole, createGuild } from '../../../discord-box/src/guilds/change-guild.ts';
import { addMember } from '../../../discord-box/src/guilds/change-member.ts';
import type { Channel } from '../../../discord-box/src/model/channel.ts';
import type { Guild } from '../../../discord-box/src/model/guild.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Random } from '../../../discord-box/src/world/random.ts';
import type { Snowflake } from '../../../discord-box/src/model/snowflakes.ts';
import { addUser } from '../../../discord-box/src/world/users.ts';
import { PEOPLE } from './people.ts';

const DAY_MS = 86_400_000;

/** What the bot is invited with, without the optional permissions. */
export const BOT_PERMISSIONS =
  P.ViewChannel |
  P.SendMessages |
  P.SendMessagesInThreads |
  P.EmbedLinks |
  P.AttachFiles |
  P.ReadMessageHistory |
  P.AddReactions;
/** The invite asks for these as well. */
export const INVITE_PERMISSIONS = BOT_PERMISSIONS | P.ManageMessages | P.Connect;

export type Community = {
  guild: Guild;
  admin: Snowflake;
  moderator: Snowflake;
  /** Everybody else, in a fixed order. */
  members: Snowflake[];
  channels: Record<
    'general' | 'rust' | 'ai' | 'gameDev' | 'lateNight' | 'moderators' | 'forum',
    Channel
  >;
};

/** A small server with a dozen people, the bot among them. */
export function seedCommunity(world: World, random: Random): Community {
  const bornMs = world.clock.now() - 90 * DAY_MS;
  const at = (): number => bornMs + random.below(30 * DAY_MS);
  const people = PEOPLE.map(
    (person) => addUser(world, { ...person, id: world.snowflake(at() - 365 * DAY_MS) }).id,
  );
  const [admin = '', moderator = '', ...members] = people;
  const guild = createGuild(world, {
    id: world.snowflake(bornMs),
    name: 'Harbour',
    ownerId: admin,
  });
  const moderators = addRole(world, guild, {
    name: 'Moderators',
    permissions: P.ManageMessages | P.ManageThreads,
  });
  const botRole = addRole(world, guild, {
    name: world.application.name,
    managed: true,
    permissions: world.application.botPermissions,
  });
  addMember(world, guild, moderator, { joinedAtMs: at(), roleIds: [moderators.id] });
  for (const member of members) addMember(world, guild, member, { joinedAtMs: at() });
  const channels = seedChannels(world, guild, moderators.id);
  // Last, so that its GUILD_CREATE tells of everything above.
  addMember(world, guild, world.application.botId, {
    joinedAtMs: world.clock.now() - DAY_MS,
    roleIds: [botRole.id],
  });
  return { guild, admin, moderator, members, channels };
}

function seedChannels(world: World, guild: Guild, moderators: Snowflake): Community['channels'] {
  const bornMs = world.clock.now() - 89 * DAY_MS;
  const add = (channel: NewChannel): Channel =>
    createChannel(world, { id: world.snowflake(bornMs), guildId: guild.id, ...channel });
  const category = (name: string) => add({ name, type: ChannelType.GuildCategory }).id;
  const talk = category('Talk');
  const topics = category('Topics');
  return {
    general: add({ name: 'general', parentId: talk, topic: 'Anything goes.' }),
    moderators: add({
      name: 'moderators',
      parentId: talk,
      overwrites: [
        { id: guild.id, kind: 'role', allow: 0n, deny: P.ViewChannel },
        { id: moderators, kind: 'role', allow: P.ViewChannel, deny: 0n },
        { id: world.application.botId, kind: 'member', allow: P.ViewChannel, deny: 0n },
      ],
    }),
    rust: add({ name: 'rust', parentId: topics, topic: 'The language and its crates.' }),
    ai: add({ name: 'ai', parentId: topics, topic: '机器学习与大模型' }),
    gameDev: add({ name: 'game-dev', parentId: topics, topic: 'Making games.' }),
    lateNight: add({ name: 'late-night', parentId: topics, ageRestricted: true }),
    forum: add({ name: 'show-and-tell', parentId: topics, type: ChannelType.GuildForum }),
  };
}

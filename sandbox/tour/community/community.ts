import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import {
  createChannel,
  type NewChannel,
} from '../../../discord-box/src/world/channels/change-channel.ts';
import { addRole, createGuild } from '../../../discord-box/src/world/guilds/change-guild.ts';
import { addMember } from '../../../discord-box/src/world/guilds/change-member.ts';
import type { Channel } from '../../../discord-box/src/model/channel.ts';
import type { Guild } from '../../../discord-box/src/model/guild.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Random } from '../../../discord-box/src/world/random.ts';
import type { Snowflake } from '../../../discord-box/src/model/snowflakes.ts';
import { addUser } from '../../../discord-box/src/world/users.ts';
import { type Language, wordsOf } from '../languages/languages.ts';
import type { ChannelName } from '../languages/world-words.ts';

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
  /** What its members speak. */
  language: Language;
  admin: Snowflake;
  moderator: Snowflake;
  /** Everybody else, in a fixed order. */
  members: Snowflake[];
  channels: Record<ChannelName, Channel>;
};

/** A small server with a dozen people, which the bot has not joined. */
export function seedCommunity(world: World, random: Random, language: Language): Community {
  const bornMs = world.clock.now() - 90 * DAY_MS;
  const at = (): number => bornMs + random.below(30 * DAY_MS);
  const words = wordsOf(language);
  const people = words.people.map(([username, globalName]) => {
    const id = world.snowflake(at() - 365 * DAY_MS);
    return addUser(world, { id, username, globalName, locale: language }).id;
  });
  const [admin = '', moderator = '', ...members] = people;
  const guild = createGuild(world, {
    id: world.snowflake(bornMs),
    name: words.guild,
    ownerId: admin,
    locale: language,
  });
  // For whoever wants to vote with an emoji of the community's own.
  const spark = { id: world.snowflake(bornMs), name: 'spark', animated: false };
  guild.emojis.set(spark.id, spark);
  const moderators = addRole(world, guild, {
    name: 'Moderators',
    permissions: P.ManageMessages | P.ManageThreads,
  });
  addMember(world, guild, moderator, { joinedAtMs: at(), roleIds: [moderators.id] });
  for (const member of members) addMember(world, guild, member, { joinedAtMs: at() });
  const channels = seedChannels(world, guild, moderators.id, language);
  return { guild, language, admin, moderator, members, channels };
}

/** The bot joins with the permissions that its invite asks for. Its GUILD_CREATE tells of all that is there. */
export function inviteBot(world: World, { guild }: Community, joinedAtMs: number): void {
  const { botId, botPermissions, name } = world.application;
  const role = addRole(world, guild, {
    name,
    managed: true,
    permissions: botPermissions,
    position: 2,
  });
  addMember(world, guild, botId, { joinedAtMs, roleIds: [role.id] });
}

function seedChannels(
  world: World,
  guild: Guild,
  moderators: Snowflake,
  language: Language,
): Community['channels'] {
  const bornMs = world.clock.now() - 89 * DAY_MS;
  const words = wordsOf(language);
  const create = (channel: NewChannel): Channel =>
    createChannel(world, { id: world.snowflake(bornMs), guildId: guild.id, ...channel });
  const add = (key: ChannelName, channel: NewChannel): Channel => {
    const [name, topic = null] = words.channels[key];
    return create({ name, topic, ...channel });
  };
  const category = (name: string) => create({ name, type: ChannelType.GuildCategory }).id;
  const talk = category(words.categories.talk);
  const topics = category(words.categories.topics);
  return {
    general: add('general', { parentId: talk }),
    frontPage: add('frontPage', { parentId: talk }),
    moderators: add('moderators', {
      parentId: talk,
      overwrites: [
        { id: guild.id, kind: 'role', allow: 0n, deny: P.ViewChannel },
        { id: moderators, kind: 'role', allow: P.ViewChannel, deny: 0n },
        { id: world.application.botId, kind: 'member', allow: P.ViewChannel, deny: 0n },
      ],
    }),
    rust: add('rust', { parentId: topics }),
    ai: add('ai', { parentId: topics }),
    gameDev: add('gameDev', { parentId: topics }),
    lateNight: add('lateNight', { parentId: topics, ageRestricted: true }),
    forum: add('forum', { parentId: topics, type: ChannelType.GuildForum }),
  };
}

import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { addMember } from '../src/world/guilds/change-member.ts';
import { addRole, createGuild } from '../src/world/guilds/change-guild.ts';
import { addUser } from '../src/world/users.ts';
import {
  type Channel,
  type Discord,
  type DiscordOptions,
  type Guild,
  type Snowflake,
  startDiscord,
} from '../src/index.ts';
import { createChannel } from '../src/world/channels/change-channel.ts';

const DAY_MS = 86_400_000;

/** What a bot is commonly invited with. */
export const BOT_PERMISSIONS =
  P.ViewChannel |
  P.SendMessages |
  P.SendMessagesInThreads |
  P.EmbedLinks |
  P.AttachFiles |
  P.ReadMessageHistory |
  P.AddReactions;

type Person = { username: string; globalName: string; locale?: string };

/** The first is the admin, the second the moderator. */
const PEOPLE: Person[] = [
  { username: 'ada', globalName: 'Ada Moreau' },
  { username: 'linwei', globalName: '林薇', locale: 'zh-CN' },
  { username: 'grace', globalName: 'Grace Okafor' },
  { username: 'wangmin', globalName: '王敏', locale: 'zh-CN' },
  { username: 'tomas', globalName: 'Tomás Rivera' },
  { username: 'chenyu', globalName: '陈宇', locale: 'zh-CN' },
  { username: 'priya', globalName: 'Priya Nair' },
  { username: 'zhaolei', globalName: '赵磊', locale: 'zh-CN' },
  { username: 'noor', globalName: 'Noor Haddad' },
  { username: 'sunyue', globalName: '孙悦', locale: 'zh-CN' },
  { username: 'emil', globalName: 'Emil Jansson' },
  { username: 'joana', globalName: 'Joana Silva' },
];

/** A Discord in a box with one small server in it, of which the bot is a member. */
export type Community = Discord & {
  guild: Guild;
  guildId: Snowflake;
  admin: Snowflake;
  moderator: Snowflake;
  /** Everybody else, in a fixed order. */
  members: Snowflake[];
  channels: Record<
    'general' | 'moderators' | 'rust' | 'ai' | 'gameDev' | 'lateNight' | 'forum',
    Channel
  >;
};

export type CommunityOptions = NonNullable<Parameters<typeof startDiscord>[0]>;

export async function startCommunity(options: CommunityOptions = {}): Promise<Community> {
  const usual: DiscordOptions = {
    name: 'Frontpage',
    botPermissions: BOT_PERMISSIONS,
    membersTakeMs: 0,
  };
  const discord = await startDiscord({ ...usual, ...options });
  const { world } = discord;
  const nowMs = world.clock.now();
  const people = PEOPLE.map((person, at) => {
    const id = world.snowflake(Math.floor(nowMs) - (425 + at) * DAY_MS);
    return addUser(world, { ...person, id }).id;
  });
  const [admin = '', moderator = '', ...members] = people;
  const bornMs = Math.floor(nowMs) - 90 * DAY_MS;
  const guild = createGuild(world, {
    id: world.snowflake(bornMs),
    name: 'Harbour',
    ownerId: admin,
  });
  const moderators = addRole(world, guild, {
    name: 'Moderators',
    permissions: P.ManageMessages | P.ManageThreads,
  });
  const { name, botId, botPermissions } = world.application;
  const botRole = addRole(world, guild, {
    name,
    managed: true,
    permissions: botPermissions,
    position: 2,
  });
  addMember(world, guild, moderator, { joinedAtMs: bornMs, roleIds: [moderators.id] });
  members.forEach((member, at) =>
    addMember(world, guild, member, { joinedAtMs: bornMs + at * DAY_MS }),
  );
  const channels = addChannels(discord, guild, moderators.id);
  // Last, so that its GUILD_CREATE tells of everything above.
  addMember(world, guild, botId, { joinedAtMs: nowMs - 60 * DAY_MS, roleIds: [botRole.id] });
  return { ...discord, guild, guildId: guild.id, admin, moderator, members, channels };
}

function addChannels(
  { world }: Discord,
  guild: Guild,
  moderators: Snowflake,
): Community['channels'] {
  const bornMs = Math.floor(world.clock.now()) - 89 * DAY_MS;
  const add = (channel: Parameters<typeof createChannel>[1]): Channel =>
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

import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel } from '../model/channel.ts';
import type { Pings } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { may } from '../world/permissions.ts';
import type { Snowflake } from '../model/snowflakes.ts';

export type AllowedMentions = {
  parse?: readonly ('users' | 'roles' | 'everyone')[] | undefined;
  users?: readonly Snowflake[] | undefined;
  roles?: readonly Snowflake[] | undefined;
  replied_user?: boolean | undefined;
};

/**
 * Who is pinged by a text: what it mentions, as far as `allowed_mentions` lets it (everything when
 * absent) and as far as the author may. Embeds never ping.
 */
export function pingsOf(
  world: World,
  channel: Channel,
  authorId: Snowflake,
  text: string,
  allowed: AllowedMentions | undefined,
): Pings {
  const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
  const mayMentionAll = may(world, channel, authorId, PermissionFlagsBits.MentionEveryone);
  const parse = allowed === undefined ? ['users', 'roles', 'everyone'] : (allowed.parse ?? []);
  const ids = (pattern: RegExp): Snowflake[] => [
    ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? '')),
  ];
  return {
    userIds: ids(/<@!?(\d{15,20})>/g).filter(
      (id) => world.users.has(id) && (parse.includes('users') || allowed?.users?.includes(id)),
    ),
    roleIds: ids(/<@&(\d{15,20})>/g).filter((id) => {
      const role = guild?.roles.get(id);
      if (role === undefined || !(role.mentionable || mayMentionAll)) return false;
      return parse.includes('roles') || allowed?.roles?.includes(id) === true;
    }),
    everyone: mayMentionAll && parse.includes('everyone') && /@(?:everyone|here)\b/.test(text),
  };
}

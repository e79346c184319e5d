/** Where a member moderates. */

import type { GuildMember } from 'discord.js';
import { permissionsIn } from '../discord/access/permissions.ts';
import { groupsOf, mayView } from '../discord/access/visibility.ts';
import type { Article } from '../ranking/row.ts';

/** Whether a member moderates the article's home channel, or the server if that channel is gone. */
export function mayModerate(member: GuildMember, { home }: Pick<Article, 'home'>): boolean {
  const channel = member.guild.channels.cache.get(home);
  if (channel === undefined) return mayModerateServer(member);
  if (!mayView(member, home)) return false;
  return (
    member.guild.ownerId === member.id ||
    permissionsIn(channel, member)?.has('ManageMessages') === true
  );
}

/** By roles: a permission in one channel is not valid in the others. */
export function mayModerateServer(member: GuildMember): boolean {
  return member.guild.ownerId === member.id || member.permissions.has('ManageMessages');
}

/** Whether a member moderates the server, or any channel that can hold articles. */
export function mayModerateAny(member: GuildMember): boolean {
  return (
    mayModerateServer(member) ||
    groupsOf(member.guild).some(({ id }) => mayModerate(member, { home: id }))
  );
}

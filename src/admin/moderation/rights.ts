import type {
  GuildCommand,
  GuildComponent,
  GuildForm,
  GuildMessageCommand,
} from '../../discord/commands/command.ts';
import { requireMemberPermissions } from '../../discord/access/permissions.ts';
import { UserError } from '../../discord/user-error.ts';
import { mayView } from '../../discord/access/visibility.ts';
import type { Article } from '../../ranking/articles/articles.ts';

/** The interaction of a moderator, or of the poster: the command, or a button or form of it. */
export type Moderating = GuildCommand | GuildMessageCommand | GuildComponent | GuildForm;

/**
 * Refuses a member who does not moderate the article's home channel, or the server if that channel is
 * gone.
 */
export function demandModerator(
  interaction: Moderating,
  { home }: Article,
  unknown: 'article.unknown' | 'mod.removed.unknown',
): void {
  const channel = interaction.guild.channels.cache.get(home);
  if (!channel) return demandServerModerator(interaction);
  if (!mayView(interaction.member, home)) throw new UserError(unknown);
  requireMemberPermissions(interaction.member, channel, ['ManageMessages']);
}

/** Needs the permission by roles too: a permission in one channel is not valid in the others. */
export function demandServerModerator({ guild, member, memberPermissions }: Moderating): void {
  const isAbove = guild.ownerId === member.id || member.permissions.has('ManageMessages');
  if (!memberPermissions.has('ManageMessages') || !isAbove) throw new UserError('mod.forbidden');
}

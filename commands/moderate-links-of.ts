import { ApplicationCommandType, PermissionFlagsBits } from 'discord.js';
import type { BotCommand } from '../src/bot.ts';
import type { WalkNeeds } from '../src/community/member-limits.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { linksOf } from '../src/moderation/links-of.ts';
import type { Moderation } from '../src/moderation/moderation.ts';

interface ModerateLinksNeeds extends WalkNeeds {
  /** Finds what the member posted. */
  moderation: Moderation;
}

/** A moderator's command on a member: shows their links, and removes them as one. */
export default {
  data: {
    type: ApplicationCommandType.User,
    default_member_permissions: String(PermissionFlagsBits.ManageMessages),
    ...localizedName('command.moderate-links-of.name'),
  },

  async runOnMember(interaction, needs) {
    await answer(interaction, await linksOf(interaction, needs, interaction.targetId));
  },
} satisfies BotCommand<ModerateLinksNeeds>;

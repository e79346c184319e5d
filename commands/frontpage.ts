import { PermissionFlagsBits } from 'discord.js';
import { localized } from '../src/discord/commands/localized.ts';
import { requireManager } from '../src/discord/access/permissions.ts';
import { UserError } from '../src/discord/user-error.ts';
import { type PanelNeeds, type Section, sections } from '../src/panel/panel.ts';
import type { BotCommand } from '../src/bot.ts';

export default {
  data: {
    ...localized('command.frontpage'),
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    options: Object.values(sections).flatMap(({ option }) => (option ?? []) as never),
  },

  async run(interaction, needs) {
    requireManager(interaction);
    const section = sectionOf(interaction.options.getSubcommand());
    if (!section.run) throw new UserError('stale');
    await section.run(interaction, needs);
  },

  async component(interaction, [name, ...args], needs) {
    requireManager(interaction);
    const section = sectionOf(name);
    if (args[0] === 'open' && section.open) {
      return section.open(interaction, needs, args.slice(1));
    }
    if (!section.component) throw new UserError('stale');
    await section.component(interaction, args, needs);
  },

  async form(interaction, [name, ...args], needs) {
    requireManager(interaction);
    const section = sectionOf(name);
    if (!section.form) throw new UserError('stale');
    await section.form(interaction, args, needs);
  },
} satisfies BotCommand<PanelNeeds>;

function sectionOf(name = ''): Section {
  const section = new Map(Object.entries(sections)).get(name);
  if (!section) throw new UserError('stale');
  return section;
}

import { PermissionFlagsBits } from 'discord.js';
import { button, card, row } from '../src/discord/interactions/components.ts';
import { nextText } from '../src/digests/command/describe.ts';
import { titleOf } from '../src/digests/content/edition-message.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import type { Command } from '../src/discord/commands/command.ts';
import { localized, subcommand } from '../src/discord/commands/localized.ts';
import { requireManager } from '../src/discord/access/permissions.ts';
import { UserError } from '../src/discord/user-error.ts';
import { readScale } from '../src/ranking/articles/mark.ts';
import { readDigests } from '../src/digests/stored-digests.ts';
import { readWebSettings } from '../src/web/web-settings.ts';
import { daysText } from '../src/text/facts.ts';
import { translate } from '../src/text/catalogue.ts';
import { version } from '../src/runtime/version.ts';
import { exportSection, restore, importSection } from '../src/panel/export-section.ts';
import { board } from '../src/panel/board-section.ts';
import { checkUp } from '../src/panel/check-up-section.ts';
import { rebuild, recount } from '../src/panel/repair-section.ts';
import type { Section } from '../src/panel/section.ts';
import { settings } from '../src/panel/settings-section.ts';
import { setup } from '../src/panel/setup-section.ts';
import { web } from '../src/panel/web-section.ts';

/** The sections by their English names. */
const sections = {
  panel: {
    option: subcommand('command.frontpage.panel'),
    async run(interaction, app) {
      const { commandId, guildId, locale } = interaction;
      const [{ settings: own }, scale, digests, page] = await Promise.all([
        app.rules.refresh(guildId),
        readScale(app.ranking, guildId),
        readDigests(app.store, guildId),
        readWebSettings(app.store, guildId),
      ]);
      const lines = [
        translate(locale, 'frontpage.mark', {
          mark: scale.mark,
          is: own.mark === null ? 'fitted' : 'fixed',
        }),
        translate(locale, 'frontpage.span', {
          span: daysText(locale, scale.spanDays),
          is: own.span === null ? 'fitted' : 'fixed',
        }),
        ...(digests.length === 0 ? [translate(locale, 'check-up.digests.none')] : []),
        ...digests.map((stored) => `**${titleOf(locale, stored.name)}** · ${nextText(stored)}`),
        ...(app.webAddress !== null && page.open
          ? [`**${translate(locale, 'frontpage.button.web')}** · ${app.webAddress}/g/${guildId}`]
          : []),
        '',
        translate(locale, 'frontpage.more', {
          import: `</frontpage import:${commandId}>`,
          restore: `</frontpage restore:${commandId}>`,
        }),
      ];
      const footer = { text: `Frontpage ${version}` };
      await answer(interaction, {
        embeds: [{ ...card(translate(locale, 'frontpage.title'), lines), footer }],
        components: buttons.map((names) =>
          row(
            ...names.map((name) => {
              const label = translate(locale, `frontpage.button.${name}`);
              return button(`frontpage|${name}|open`, label, name === 'setup' ? 'main' : 'plain');
            }),
          ),
        ),
      });
    },
  },
  setup,
  settings,
  'check-up': checkUp,
  recount,
  rebuild,
  import: importSection,
  export: exportSection,
  restore,
  web,
  board,
} satisfies Record<string, Section>;

/** Two rows of buttons on the panel. A section that needs an option is a subcommand. */
const buttons = [
  ['setup', 'settings', 'web', 'board'],
  ['check-up', 'recount', 'rebuild', 'export'],
] as const;

export default {
  data: {
    ...localized('command.frontpage'),
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    options: Object.values<Section>(sections).flatMap(({ option }) => (option ?? []) as never),
  },

  async run(interaction, app) {
    requireManager(interaction);
    const section = sectionOf(interaction.options.getSubcommand());
    if (!section.run) throw new UserError('stale');
    await section.run(interaction, app);
  },

  async component(interaction, [name, ...args], app) {
    requireManager(interaction);
    const section = sectionOf(name);
    if (args[0] === 'open' && section.open) return section.open(interaction, app);
    if (!section.component) throw new UserError('stale');
    await section.component(interaction, args, app);
  },

  async form(interaction, [name, ...args], app) {
    requireManager(interaction);
    const section = sectionOf(name);
    if (!section.form) throw new UserError('stale');
    await section.form(interaction, args, app);
  },
} satisfies Command;

function sectionOf(name = ''): Section {
  const section = new Map<string, Section>(Object.entries(sections)).get(name);
  if (!section) throw new UserError('stale');
  return section;
}

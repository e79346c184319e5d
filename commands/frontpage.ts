import {
  ApplicationCommandOptionType,
  ButtonStyle,
  ComponentType,
  PermissionFlagsBits,
} from 'discord.js';
import type { App } from '../src/app.ts';
import { COLOUR } from '../src/discord/colours.ts';
import { nextText } from '../src/digest/command/describe.ts';
import { markText } from '../src/admin/settings/values.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import type { Command, GuildCommand } from '../src/discord/commands/command.ts';
import { words } from '../src/discord/commands/localized.ts';
import { demandManager } from '../src/discord/access/permissions.ts';
import { UserError } from '../src/discord/interactions/user-error.ts';
import { readMark } from '../src/ranking/articles/mark.ts';
import { readDigests } from '../src/records/digests/digests.ts';
import { readWebSettings } from '../src/records/web-settings.ts';
import { translate } from '../src/text/catalogue.ts';
import { version } from '../src/version.ts';
import { exportSection, restoreSection } from './frontpage/data.ts';
import { doctor } from './frontpage/doctor.ts';
import { importSection, rebuildSection, recountSection } from './frontpage/repair.ts';
import type { Section } from './frontpage/section.ts';
import { settingsSection } from './frontpage/settings.ts';
import { setup } from './frontpage/setup.ts';
import { web } from './frontpage/web.ts';

const panel: Section = {
  option: { type: ApplicationCommandOptionType.Subcommand, ...words('command.frontpage.panel') },
  async run(interaction, app) {
    await answer(interaction, await panelView(interaction, app));
  },
};

/** The sections by the English names of their subcommands. */
const sections = {
  panel,
  setup,
  settings: settingsSection,
  doctor,
  recount: recountSection,
  rebuild: rebuildSection,
  import: importSection,
  export: exportSection,
  restore: restoreSection,
  web,
} satisfies Record<string, Section>;

/** Two rows of buttons on the panel. A section that needs an option has no button. */
const buttons = [
  ['setup', 'settings', 'doctor'],
  ['recount', 'rebuild', 'export'],
] as const;

export default {
  data: {
    ...words('command.frontpage'),
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    options: Object.values(sections).map(({ option }) => option as never),
  },
  readOnly: ['panel', 'settings', 'doctor', 'export'],

  async run(interaction, app) {
    demandManager(interaction);
    const { options } = interaction;
    await sectionOf(options.getSubcommandGroup(false) ?? options.getSubcommand()).run(
      interaction,
      app,
    );
  },

  async complete(interaction, app) {
    if (!interaction.memberPermissions.has(PermissionFlagsBits.ManageGuild)) return [];
    const section = sectionOf(interaction.options.getSubcommand());
    return section.complete?.(interaction, app) ?? [];
  },

  async component(interaction, [name = '', ...args], app) {
    demandManager(interaction);
    const section = sectionOf(name);
    if (args.length === 1 && args[0] === 'open' && section.open) {
      return section.open(interaction, app);
    }
    if (!section.component) throw new UserError('stale');
    await section.component(interaction, args, app);
  },

  async form(interaction, [name = '', ...args], app) {
    demandManager(interaction);
    const section = sectionOf(name);
    if (!section.form) throw new UserError('stale');
    await section.form(interaction, args, app);
  },
} satisfies Command;

function sectionOf(name: string): Section {
  const section = new Map<string, Section>(Object.entries(sections)).get(name);
  if (!section) throw new UserError('stale');
  return section;
}

/** Shows the state of Frontpage in this server, with a button for each possible action. */
async function panelView({ guildId, locale }: GuildCommand, app: App) {
  const [{ settings }, mark, digests, page] = await Promise.all([
    app.rules.refresh(guildId),
    readMark(app.ranking, guildId),
    readDigests(app.store, guildId),
    readWebSettings(app.store, guildId),
  ]);
  const lines = [
    markText(locale, mark, settings),
    ...(digests.length === 0 ? [translate(locale, 'doctor.digests.none')] : []),
    ...digests.map((stored) => `**${stored.name}** · ${nextText(stored)}`),
    ...(app.addresses !== null && page.open ? [app.addresses.page(guildId)] : []),
    '',
    translate(locale, 'frontpage.more'),
    ...(page.open ? [] : [translate(locale, 'frontpage.more.web')]),
  ];
  return {
    embeds: [
      {
        color: COLOUR,
        title: translate(locale, 'frontpage.title'),
        description: lines.join('\n'),
        footer: { text: `Frontpage ${version}` },
      },
    ],
    components: buttons.map((row) => ({
      type: ComponentType.ActionRow as const,
      components: row.map((name) => ({
        type: ComponentType.Button as const,
        style: name === 'setup' ? (ButtonStyle.Primary as const) : (ButtonStyle.Secondary as const),
        label: translate(locale, `frontpage.button.${name}`),
        custom_id: `frontpage|${name}|open`,
      })),
    })),
  };
}

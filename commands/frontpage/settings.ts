import { ApplicationCommandOptionType as Type } from 'discord.js';
import { answer, openForm, updateMessage } from '../../src/discord/answer.ts';
import type { App } from '../../src/app.ts';
import type {
  Choice,
  GuildCommand,
  GuildCompletion,
  GuildComponent,
  GuildForm,
} from '../../src/discord/commands/command.ts';
import { missing, names } from '../../src/discord/access/permissions.ts';
import { discussionLackText } from '../../src/admin/diagnosis.ts';
import { changeSetting } from '../../src/admin/settings/change.ts';
import {
  emptyText,
  languageName,
  markText,
  renamed,
  checkedValue,
  typedValue,
  valueText,
} from '../../src/admin/settings/values.ts';
import {
  isTyped,
  nameForm,
  numberForm,
  settingsView,
  settingView,
  THE_SERVERS,
} from '../../src/admin/settings/panel.ts';
import { readMark } from '../../src/ranking/articles/mark.ts';
import { DEFAULT_MARK } from '../../src/ranking/rules.ts';
import { announceInteresting } from '../../src/digest/announcements.ts';
import { openDigestContext } from '../../src/digest/posting/context.ts';
import { UserError } from '../../src/discord/user-error.ts';
import { groupOf, mayView } from '../../src/discord/access/visibility.ts';
import { choice, words } from '../../src/discord/commands/localized.ts';
import {
  isSettingName,
  kindOf,
  type SettingName,
  type Settings,
  settingNames,
  STANDARD,
} from '../../src/records/settings.ts';
import { languages, translate } from '../../src/text/catalogue.ts';
import type { Section } from './section.ts';

export const settingsSection: Section = {
  option: {
    type: Type.Subcommand,
    ...words('command.frontpage.settings'),
    options: [
      {
        type: Type.String,
        choices: settingNames.map((name) => choice(name, `settings.${name}`)),
        ...words('command.frontpage.settings.setting'),
      },
      {
        type: Type.String,
        autocomplete: true,
        max_length: 500,
        ...words('command.frontpage.settings.value'),
      },
    ],
  },

  /** Without options, shows all settings; with a setting, that one; with a value, changes it. */
  async run(interaction, app) {
    const { locale, guildId, options } = interaction;
    const { settings: known } = await app.rules.refresh(guildId);
    const asked = options.get('setting')?.value;
    const typed = options.get('value')?.value;
    if (asked === undefined) return answer(interaction, settingsView(locale, known, true));
    const name = nameOf(asked);
    if (typed === undefined) return answer(interaction, await viewOf(interaction, app, name));
    const value = isDefault(typed)
      ? STANDARD[name]
      : typedValue(interaction, name, String(typed), known);
    await change(interaction, app, name, value);
    const text = { setting: translate(locale, `settings.${name}`) };
    const is = valueText(locale, name, value);
    const was = valueText(locale, name, known[name]);
    const lines = [
      is === was
        ? translate(locale, 'settings.saved', { ...text, value: is })
        : translate(locale, 'settings.saved.was', { ...text, value: is, before: was }),
      lackText(interaction, app, { ...known, [name]: value }, name),
    ];
    await answer(interaction, lines.filter(Boolean).join('\n'));
  },

  async open(interaction, app) {
    const { settings: known } = await app.rules.refresh(interaction.guildId);
    await answer(interaction, settingsView(interaction.locale, known, true));
  },

  async complete(interaction, app) {
    const given = interaction.options.get('setting')?.value;
    if (typeof given !== 'string' || !isSettingName(given)) return [];
    return valuesFor(interaction, app, given);
  },

  async component(interaction, args, app) {
    const [action = '', argument = ''] = args;
    const { settings } = await app.rules.refresh(interaction.guildId);
    const chosen = interaction.isAnySelectMenu() ? interaction.values : [];
    switch (action) {
      case 'back':
        return updateMessage(interaction, settingsView(interaction.locale, settings, true));
      case 'pick':
        return showOne(interaction, app, nameOf(chosen[0]));
      case 'form': {
        const name = nameOf(argument);
        if (!isTyped(name)) throw new UserError('stale');
        return openForm(interaction, numberForm(interaction.locale, name, settings));
      }
      case 'name': {
        const channel = interaction.guild.channels.cache.get(chosen[0] ?? '');
        const group = channel && groupOf(channel);
        if (!group || !mayView(interaction.member, group.id)) {
          throw new UserError('channel.unknown');
        }
        return openForm(interaction, nameForm(interaction.locale, group, settings));
      }
      case 'reset': {
        const name = nameOf(argument);
        await change(interaction, app, name, STANDARD[name]);
        return showOne(interaction, app, name);
      }
      case 'value': {
        const name = nameOf(argument);
        await change(
          interaction,
          app,
          name,
          checkedValue(interaction, name, chosenValue(name, chosen)),
        );
        return showOne(interaction, app, name);
      }
      default:
        throw new UserError('stale');
    }
  },

  async form(interaction, args, app) {
    const name = nameOf(args[0]);
    const { settings } = await app.rules.read(interaction.guildId);
    const typed = interaction.fields.getTextInputValue('value');
    const value =
      name === 'group-names'
        ? checkedValue(interaction, name, renamed(settings[name], args[1] ?? '', typed), typed)
        : typedValue(interaction, name, typed, settings);
    await change(interaction, app, name, value);
    await showOne(interaction, app, name);
  },
};

/** The word that resets a setting to its default. */
const DEFAULT = 'default';

function isDefault(typed: unknown): boolean {
  return String(typed).trim().toLowerCase() === DEFAULT;
}

function nameOf(given: unknown): SettingName {
  if (typeof given !== 'string' || !isSettingName(given)) throw new UserError('settings.unknown');
  return given;
}

async function change<N extends SettingName>(
  { id, member }: GuildCommand | GuildComponent | GuildForm,
  app: App,
  name: N,
  value: Settings[N],
): Promise<void> {
  await changeSetting(app, { id, by: member }, name, value);
  // What becomes interesting from now on is announced.
  if (name === 'announcements') await announceInteresting(openDigestContext(app), member.guild.id);
}

async function showOne(
  interaction: GuildComponent | GuildForm,
  app: App,
  name: SettingName,
): Promise<void> {
  await updateMessage(interaction, await viewOf(interaction, app, name));
}

async function viewOf(
  interaction: GuildCommand | GuildComponent | GuildForm,
  app: App,
  name: SettingName,
) {
  const { locale, guildId } = interaction;
  const { settings } = await app.rules.read(guildId);
  const hint =
    name === 'mark'
      ? markText(locale, await readMark(app.ranking, guildId), settings)
      : lackText(interaction, app, settings, name);
  return settingView(locale, name, settings, hint);
}

/** Explains why Frontpage cannot use a value; null if it can. */
function lackText(
  { guild, locale }: GuildCommand | GuildComponent | GuildForm,
  app: App,
  settings: Settings,
  name: SettingName,
): string | null {
  if (name === 'link-channels') {
    const isLacking = settings[name].length > 0 && !app.messageContent;
    return isLacking ? translate(locale, 'settings.lacks.intent') : null;
  }
  if (name === 'discussion') return discussionLackText(locale, guild, settings);
  if (name !== 'log' && name !== 'announcements') return null;
  const channel = guild.channels.cache.get(settings[name] ?? '');
  const lack = channel ? missing(channel, ['ViewChannel', 'SendMessages', 'EmbedLinks']) : [];
  if (!channel || lack.length === 0) return null;
  const values = { channel: `<#${channel.id}>`, permissions: names(lack) };
  return translate(locale, 'settings.lacks', values);
}

function chosenValue(name: SettingName, chosen: readonly string[]): unknown {
  const kind = kindOf(name);
  if (kind === 'language') return chosen[0] === THE_SERVERS ? null : chosen[0];
  if (kind === 'switch') return chosen[0] === 'on';
  return kind === 'channel' ? (chosen[0] ?? null) : [...chosen];
}

async function valuesFor(
  interaction: GuildCompletion,
  app: App,
  name: SettingName,
): Promise<Choice[]> {
  const { guild, locale, member, options } = interaction;
  const typed = options.getFocused().trim().toLocaleLowerCase();
  const fits = (choices: Choice[]): Choice[] =>
    choices.filter((one) => `${one.name} ${one.value}`.toLocaleLowerCase().includes(typed));
  const none = { name: emptyText(locale, name), value: 'none' };
  const isNumber = /^\d{1,9}$/.test(typed);
  switch (kindOf(name)) {
    case 'mark':
      if (isNumber) return [{ name: typed, value: typed }];
      return [
        { name: translate(locale, 'settings.fitted.choice'), value: 'fitted' },
        { name: translate(locale, 'settings.mark.textbook'), value: String(DEFAULT_MARK) },
      ];
    case 'number':
      return isNumber ? [{ name: typed, value: typed }] : [none];
    case 'switch':
      return fits(
        (['on', 'off'] as const).map((value) => ({
          name: translate(locale, `settings.${value}`),
          value,
        })),
      );
    case 'language':
      return fits([
        { name: translate(locale, 'settings.language.server'), value: THE_SERVERS },
        ...[...languages.keys()].map((known) => ({ name: languageName(known), value: known })),
      ]);
    case 'roles': {
      const roles = [...guild.roles.cache.values()].filter(({ id }) => id !== guild.id);
      return fits([none, ...roles.map((role) => ({ name: `@${role.name}`, value: role.id }))]);
    }
    case 'names':
      return namesFor(interaction, (await app.rules.read(guild.id)).settings, none);
    default: {
      const channels = [...guild.channels.cache.values()].filter(
        (one) => groupOf(one) === one && mayView(member, one.id),
      );
      return fits([none, ...channels.map((one) => ({ name: `#${one.name}`, value: one.id }))]);
    }
  }
}

/** Completes a typed group name; with no text, offers the present names for removal. */
function namesFor(
  { guild, member, locale, options }: GuildCompletion,
  { 'group-names': names }: Settings,
  none: Choice,
): Choice[] {
  const typed = options.getFocused().trim();
  const chosen = /^<#(\d+)>\s*(.*)$/u.exec(typed);
  const [only, name] = chosen ? [chosen[1], chosen[2] ?? ''] : [undefined, typed];
  const groups = [...guild.channels.cache.values()].filter(
    (one) => groupOf(one) === one && mayView(member, one.id) && (only ?? one.id) === one.id,
  );
  if (name === '') {
    const named = groups.filter(({ id }) => names[id] !== undefined);
    const back = named.map((one) => ({
      name: translate(locale, 'settings.name.back', {
        channel: one.name,
        name: names[one.id] ?? '',
      }),
      value: one.id,
    }));
    return [none, ...back];
  }
  return groups.map((one) => ({ name: `#${one.name}: ${name}`, value: `${one.id} ${name}` }));
}

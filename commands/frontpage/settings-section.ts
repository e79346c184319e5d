import { answer, openForm, updateMessage } from '../../src/discord/interactions/answer.ts';
import type { ModerationParts } from '../../src/admin/moderation/log-action.ts';
import type { App } from '../../src/app.ts';
import type { GuildComponent, GuildForm } from '../../src/discord/commands/command.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  permissionNames,
} from '../../src/discord/access/permissions.ts';
import { discussionLackText } from '../../src/admin/checks.ts';
import { changeSetting } from '../../src/admin/change-setting.ts';
import { checkedValue, typedValue } from '../../src/admin/settings/values.ts';
import {
  chosenValue,
  isTyped,
  numberForm,
  settingsView,
  settingView,
} from '../../src/admin/settings/settings-panel.ts';
import { readMark } from '../../src/ranking/articles/mark.ts';
import { UserError } from '../../src/discord/user-error.ts';
import {
  isSettingName,
  type SettingName,
  type Settings,
  STANDARD,
} from '../../src/records/settings.ts';
import { translate } from '../../src/text/catalogue.ts';
import type { Section } from './section.ts';

type Interaction = GuildComponent | GuildForm;

export const settingsSection: Section = {
  async open(interaction, app) {
    await answer(interaction, settingsView(await shownOf(interaction, app)));
  },

  /** Custom ids are `frontpage|settings|<action>|<setting>`. */
  async component(interaction, [action, given], app) {
    const chosen = interaction.isAnySelectMenu() ? interaction.values : [];
    if (action === 'back') {
      return updateMessage(interaction, settingsView(await shownOf(interaction, app)));
    }
    if (action === 'pick') return showOne(interaction, app, nameOf(chosen[0]));
    const name = nameOf(given);
    switch (action) {
      case 'form': {
        if (!isTyped(name)) throw new UserError('stale');
        const { settings } = await app.rules.refresh(interaction.guildId);
        return openForm(interaction, numberForm(interaction.locale, name, settings));
      }
      case 'reset':
        return change(interaction, app, name, STANDARD[name]);
      case 'value': {
        const value = chosenValue(name, chosen, interaction.guild);
        return change(interaction, app, name, checkedValue(interaction, name, value));
      }
      default:
        throw new UserError('stale');
    }
  },

  async form(interaction, [given], app) {
    const name = nameOf(given);
    if (!isTyped(name)) throw new UserError('stale');
    const typed = interaction.fields.getTextInputValue('value');
    await change(interaction, app, name, typedValue(name, typed));
  },
};

async function shownOf(
  { guildId, locale }: Interaction,
  { rules, ranking }: Pick<App, 'ranking' | 'rules'>,
) {
  const [{ settings }, mark] = await Promise.all([
    rules.refresh(guildId),
    readMark(ranking, guildId),
  ]);
  return { locale, settings, mark };
}

async function showOne(
  interaction: Interaction,
  app: Pick<App, 'ranking' | 'messageContent' | 'rules'>,
  name: SettingName,
): Promise<void> {
  const shown = await shownOf(interaction, app);
  const hint = lackText(interaction, app, shown.settings, name);
  await updateMessage(interaction, settingView(shown, name, hint));
}

async function change<N extends SettingName>(
  interaction: Interaction,
  app: ModerationParts & Pick<App, 'messageContent'>,
  name: N,
  value: Settings[N] | undefined,
): Promise<void> {
  if (value === undefined) throw new UserError('stale');
  await changeSetting(app, interaction.member, name, value);
  await showOne(interaction, app, name);
}

function nameOf(given: string | undefined): SettingName {
  if (given === undefined || !isSettingName(given)) throw new UserError('stale');
  return given;
}

/** Explains why Frontpage cannot use a value; null if it can. */
function lackText(
  { guild, locale }: Interaction,
  app: Pick<App, 'messageContent'>,
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
  const lack = channel ? missingPermissions(channel, MESSAGE_PERMISSIONS) : [];
  if (!channel || lack.length === 0) return null;
  const values = { channel: `<#${channel.id}>`, permissions: permissionNames(lack) };
  return translate(locale, 'settings.lacks', values);
}

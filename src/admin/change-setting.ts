import type { GuildMember } from 'discord.js';
import { type SettingName, type Settings, writeSetting } from '../records/settings.ts';
import { setMark } from '../ranking/articles/mark.ts';
import { translate } from '../text/catalogue.ts';
import { logAction, type ModerationParts } from './moderation/log-action.ts';
import { valueText } from './settings/values.ts';

/** Changes a setting to a valid value and updates everything that depends on it. */
export async function changeSetting<N extends SettingName>(
  app: ModerationParts,
  by: GuildMember,
  name: N,
  value: Settings[N],
): Promise<void> {
  const guild = by.guild.id;
  const { settings } = await app.rules.refresh(guild);
  await writeSetting(app.store, guild, name, value);
  // A fitted mark goes on from where it is.
  if (name === 'mark' && value !== null) await setMark(app.ranking, guild, value as number);
  await app.rules.refresh(guild);
  if (JSON.stringify(settings[name]) === JSON.stringify(value)) return;
  await logAction(app, { by }, (locale, who) =>
    translate(locale, 'audit.setting', {
      by: who,
      setting: translate(locale, `settings.${name}`),
      before: valueText(locale, name, settings[name]),
      after: valueText(locale, name, value),
    }),
  );
}

import type { GuildMember } from 'discord.js';
import { type SettingName, type Settings, writeSetting } from '../records/settings.ts';
import { setMark } from '../ranking/articles/mark.ts';
import { logAction, type ModerationParts, newEntry } from './moderation/audit-entries.ts';

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
  const change = { before: JSON.stringify(settings[name]), after: JSON.stringify(value) };
  if (change.before === change.after) return;
  const act = { by, reason: '' };
  await logAction(app, guild, newEntry(app, act, 'setting', { subject: name, ...change }));
}

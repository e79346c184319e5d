import type { Guild, GuildMember } from 'discord.js';
import { type SettingName, type Settings, writeSetting } from '../../records/settings.ts';
import { setMark } from '../../ranking/articles/mark.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { App } from '../../app.ts';
import { logAction } from '../moderation/audit-log.ts';
import { differing, type Names } from './values.ts';
import { isListed } from '../../discord/access/visibility.ts';

/** Changes a setting to a valid value and updates everything that depends on it. */
export async function changeSetting<N extends SettingName>(
  app: App,
  { id, by, reason = '' }: { id: Snowflake; by: GuildMember; reason?: string },
  name: N,
  value: Settings[N],
): Promise<void> {
  const guild = by.guild.id;
  const { settings } = await app.rules.refresh(guild);
  await writeSetting(app.store, guild, name, value);
  // A fitted mark goes on from where it is.
  if (name === 'mark' && value !== null) await setMark(app.ranking, guild, value as number);
  await app.rules.refresh(guild);
  // Cached web pages contain the groups' old names.
  if (name === 'group-names') app.ranking.changes.noteAll(guild);
  const change = changeOf(by.guild, name, settings[name], value);
  if (change.before !== null && change.before === change.after) return;
  await logAction(app, guild, {
    id,
    atMs: app.clock.now(),
    by: by.id,
    what: 'setting',
    own: false,
    reason,
    article: null,
    home: null,
    subject: name,
    title: '',
    ...change,
  });
}

/** In characters. Hundreds of entries are stored, and a guild's group names have no total limit. */
const keptLength = 4000;

/** The values for the audit log: null if they are too long or name a hidden channel. */
function changeOf<N extends SettingName>(
  { channels }: Guild,
  name: N,
  was: Settings[N],
  is: Settings[N],
): { before: string | null; after: string | null } {
  const change = { before: JSON.stringify(was), after: JSON.stringify(is) };
  const isLong = change.before.length + change.after.length > keptLength;
  const named = name === 'group-names' ? differing(was as Names, is as Names) : [];
  const isHidden = named.some((id) => {
    const group = channels.cache.get(id);
    return group === undefined || group.isThread() || !isListed(group);
  });
  return isLong || isHidden ? { before: null, after: null } : change;
}

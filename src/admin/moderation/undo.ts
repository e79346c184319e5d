import { isDeepStrictEqual } from 'node:util';
import type { GuildMember } from 'discord.js';
import { holds, memberSubject, readBlock } from '../../records/blocks.ts';
import type { AuditEntry } from '../../records/audit-log.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { readRemoved } from '../../ranking/articles/removed.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { putBlock, unblockBy } from './change-blocks.ts';
import type { App } from '../../app.ts';
import { lockBy, moveBy, removeBy, restoreBy, retitleBy } from './actions.ts';
import { type Act, type ModerationParts, settingChange } from './audit-entries.ts';
import { changeSetting } from './change-setting.ts';
import { checkedValue } from '../settings/values.ts';

/** Undoes an action, which is recorded as an action too. False if something has changed since. */
export async function undo(app: ModerationParts, entry: AuditEntry, act: Act): Promise<boolean> {
  switch (entry.what) {
    case 'block':
    case 'unblock':
      return undoBlock(app, entry, act);
    case 'setting':
      return undoSetting(app, entry, act);
    case 'remove': {
      const removed = await readRemoved(app.ranking, act.by.guild.id, entry.article ?? '');
      return removed !== null && (await restoreBy(app, removed.article, act)).status === 'restored';
    }
    default: {
      const article = await readArticle(app.ranking, act.by.guild.id, entry.article ?? '');
      return article !== null && undoOnArticle(app, article, entry, act);
    }
  }
}

async function undoOnArticle(
  app: ModerationParts,
  article: Article,
  { what, before, after }: AuditEntry,
  act: Act,
): Promise<boolean> {
  switch (what) {
    case 'restore':
      return ['removed', 'foreign', 'unedited'].includes(await removeBy(app, article, act));
    case 'lock':
    case 'unlock':
      return (await lockBy(app, article, what === 'unlock', act)) === 'changed';
    case 'retitle':
      if (typeof before !== 'string' || article.title !== after) return false;
      return (await retitleBy(app, article, before, act)) === 'retitled';
    case 'move': {
      const home = act.by.guild.channels.cache.get(typeof before === 'string' ? before : '');
      if (!home || home.isThread() || article.home !== after) return false;
      return (await moveBy(app, article, home, act)) === 'moved';
    }
    default:
      return false;
  }
}

async function undoBlock(app: ModerationParts, entry: AuditEntry, act: Act): Promise<boolean> {
  const { subject, before } = entry;
  if (subject === null || !(await isAsLeft(app, entry, act.by.guild.id, subject))) return false;
  if (before !== null && typeof before !== 'string') {
    await putBlock(app, { subject, ...before }, act);
    return true;
  }
  return (await unblockBy(app, subject, act)) === 'deleted';
}

/** Whether no later block or unblock has changed the subject's state. */
async function isAsLeft(
  { store, clock }: Pick<App, 'clock' | 'store'>,
  { what, after }: AuditEntry,
  guild: Snowflake,
  subject: string,
): Promise<boolean> {
  const block = await readBlock(store, guild, subject);
  if (what === 'unblock') return !holds(block, clock.now());
  if (block === null || typeof after !== 'object') return false;
  // A restored file's blocks are by the member who restored it.
  return isDeepStrictEqual(block, { subject, ...after, by: block.by });
}

async function undoSetting(app: ModerationParts, entry: AuditEntry, act: Act): Promise<boolean> {
  const { guild } = act.by;
  const change = settingChange(entry);
  if (!change) return false;
  const { name, was } = change;
  const { settings } = await app.rules.refresh(guild.id);
  if (JSON.stringify(settings[name]) !== entry.after) return false;
  const value = checkedValue({ guild, member: act.by }, name, was);
  if (value === undefined) return false;
  await changeSetting(app, act, name, value);
  return true;
}

/** Nobody can undo a block of themselves. Undoing a setting needs Manage Server. */
export function canBeUndone(entry: AuditEntry, { id, permissions }: GuildMember): boolean {
  if (entry.what === 'setting') {
    return settingChange(entry) !== null && permissions.has('ManageGuild');
  }
  return entry.subject !== memberSubject(id);
}

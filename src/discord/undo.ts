import { isDeepStrictEqual } from 'node:util';
import type { GuildMember } from 'discord.js';
import { holds, memberSubject } from '../store/blocks.ts';
import type { Deed } from '../store/deeds.ts';
import { isSettingName } from '../store/settings.ts';
import { readArticle } from '../voting/articles.ts';
import { readRemoved } from '../voting/removed.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import { putBlock, unblockBy } from './blocking.ts';
import type { Bot } from './bot.ts';
import { type Act, lockBy, moveBy, removeBy, restoreBy, retitleBy } from './moderation.ts';
import { settingChange } from './moderation-log.ts';
import { changeSetting } from './setting-changes.ts';
import { settled } from './setting-values.ts';

/** Takes a deed back, as long as things are as it left them. The taking back is a deed itself. */
export async function undo(bot: Bot, deed: Deed, act: Act): Promise<'undone' | 'changed'> {
  const done = await attempt(bot, deed, act);
  return done ? 'undone' : 'changed';
}

async function attempt(bot: Bot, deed: Deed, act: Act): Promise<boolean> {
  const { guild } = act.by;
  const { what, before, after, subject } = deed;
  if (what === 'block' || what === 'unblock') {
    if (subject === null || !(await isAsLeft(bot, deed, guild.id, subject))) return false;
    if (before !== null && typeof before !== 'string') {
      await putBlock(bot, { subject, ...before }, act);
      return true;
    }
    return (await unblockBy(bot, subject, act)) === 'deleted';
  }
  if (what === 'setting') return undoSetting(bot, deed, act);
  if (deed.article === null) return false;
  if (what === 'remove') {
    const removed = await readRemoved(bot.ranking, guild.id, deed.article);
    return removed !== null && (await restoreBy(bot, removed.article, act)).status === 'unburied';
  }
  const article = await readArticle(bot.ranking, guild.id, deed.article);
  if (article === null) return false;
  if (what === 'restore') {
    return ['buried', 'foreign', 'unedited'].includes(await removeBy(bot, article, act));
  }
  if (what === 'lock' || what === 'unlock') {
    return (await lockBy(bot, article, what === 'unlock', act)) === 'changed';
  }
  if (what === 'retitle') {
    if (typeof before !== 'string' || article.title !== after) return false;
    return (await retitleBy(bot, article, before, act)) === 'retitled';
  }
  if (what !== 'move' || typeof before !== 'string' || article.home !== after) return false;
  const home = guild.channels.cache.get(before);
  if (!home || home.isThread()) return false;
  return (await moveBy(bot, article, home, act)) === 'moved';
}

/** Whether no later block or lifting stands above this one. */
async function isAsLeft(
  { rules, clock }: Bot,
  { what, after }: Deed,
  guild: Snowflake,
  subject: string,
): Promise<boolean> {
  const block = (await rules.refresh(guild)).blocks.get(subject);
  if (what === 'unblock') return !holds(block, clock.now());
  // A deed of an earlier version does not keep it.
  if (after === null || typeof after === 'string') return true;
  return isDeepStrictEqual(block, { subject, ...after });
}

async function undoSetting(bot: Bot, deed: Deed, act: Act): Promise<boolean> {
  const { guild } = act.by;
  const name = deed.subject ?? '';
  const change = settingChange(deed);
  if (!change || !isSettingName(name)) return false;
  const { settings } = await bot.rules.refresh(guild.id);
  if (JSON.stringify(settings[name]) !== deed.after) return false;
  const value = settled({ guild, member: act.by }, name, change[0]);
  await changeSetting(bot, act, name, value);
  return true;
}

/** What concerns whoever undoes it has its own way back; settings are for who may manage the server. */
export function canBeUndone(deed: Deed, { id, permissions }: GuildMember): boolean {
  if (deed.what === 'setting') {
    return settingChange(deed) !== null && permissions.has('ManageGuild');
  }
  return deed.subject !== memberSubject(id);
}

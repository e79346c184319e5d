import { memberSubject } from '../store/blocks.ts';
import type { Deed } from '../store/deeds.ts';
import { readArticle } from '../voting/articles.ts';
import { readRemoved } from '../voting/removed.ts';
import { putBlock, unblockBy } from './blocking.ts';
import type { Bot } from './bot.ts';
import { type Act, lockBy, moveBy, removeBy, restoreBy, retitleBy } from './moderation.ts';

/** Takes a deed back, as long as things are as it left them. The taking back is a deed itself. */
export async function undo(bot: Bot, deed: Deed, act: Act): Promise<'undone' | 'changed'> {
  const done = await attempt(bot, deed, act);
  return done ? 'undone' : 'changed';
}

async function attempt(bot: Bot, deed: Deed, act: Act): Promise<boolean> {
  const { guild } = act.by;
  const { what, before, after, subject } = deed;
  if (what === 'block' || what === 'unblock') {
    if (subject === null) return false;
    if (before !== null && typeof before !== 'string') {
      await putBlock(bot, { subject, ...before }, act);
      return true;
    }
    return (await unblockBy(bot, subject, act)) === 'deleted';
  }
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

/** Settings have their own way back, and so does what concerns whoever undoes it. */
export function canBeUndone(deed: Deed, member: string): boolean {
  return deed.what !== 'setting' && deed.subject !== memberSubject(member);
}

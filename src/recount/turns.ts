import type { Bot } from '../discord/bot.ts';

const turns = new WeakMap<Bot, Map<string, Promise<unknown>>>();

/** Recounts an article, or a guild, once at a time, so that no older reading overrules a newer one. */
export async function inTurn<T>(bot: Bot, what: string, recount: () => Promise<T>): Promise<T> {
  const all = turns.get(bot) ?? new Map<string, Promise<unknown>>();
  turns.set(bot, all);
  const turn = (all.get(what) ?? Promise.resolve()).then(recount, recount);
  all.set(what, turn);
  try {
    return await turn;
  } finally {
    if (all.get(what) === turn) all.delete(what);
  }
}

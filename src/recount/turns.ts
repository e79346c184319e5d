import type { Bot } from '../discord/bot.ts';
import type { Snowflake } from '../voting/snowflake.ts';

const turns = new WeakMap<Bot, Map<Snowflake, Promise<unknown>>>();

/** Recounts one article at a time, so that no older reading overrules a newer one. */
export async function inTurn<T>(
  bot: Bot,
  article: Snowflake,
  recount: () => Promise<T>,
): Promise<T> {
  const all = turns.get(bot) ?? new Map<Snowflake, Promise<unknown>>();
  turns.set(bot, all);
  const turn = (all.get(article) ?? Promise.resolve()).then(recount, recount);
  all.set(article, turn);
  try {
    return await turn;
  } finally {
    if (all.get(article) === turn) all.delete(article);
  }
}

import type { APIMessage, Guild } from 'discord.js';
import type { RecountParts } from '../recount-parts.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { recountArticles } from '../compare.ts';
import { takeInMessage, type TakenIn } from './rebuild-article.ts';

/**
 * Puts the articles of these messages into the ranking, with the votes of all open articles or only of
 * those that were missing. Articles are written first, so that a vote in between finds its article.
 */
export async function takeInMessages(
  app: RecountParts,
  guild: Guild,
  messages: readonly APIMessage[],
  recounted: 'open' | 'taken',
): Promise<TakenIn[]> {
  const all = await Promise.all(messages.map((message) => takeInMessage(app, guild, message)));
  const taken = all.filter((each) => each !== null);
  const open = taken.filter(
    (each) => each.open && (recounted === 'open' || each.status === 'taken'),
  );
  const ids = open.map(({ article }) => article);
  const articles = await readArticles(app.ranking, guild.id, ids);
  // If votes cannot be read, the next recount repairs them, since the counts differ.
  await recountArticles(
    app,
    guild.id,
    articles.filter((article) => article !== null && !article.closed) as Article[],
  );
  return taken;
}

import type { APIMessage, Guild } from 'discord.js';
import type { RecountParts } from '../../app.ts';
import { recountOpen } from '../compare.ts';
import { type TakenIn, takeInMessage } from '../take-in-message.ts';

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
  // If votes cannot be read, the next recount repairs them, since the counts differ.
  await recountOpen(app, guild.id, { articles: open.map(({ article }) => article) });
  return taken;
}

import type { APIMessage, Guild } from 'discord.js';
import { type Carried, readArticleMessage } from '../../articles/messages/article-message.ts';
import { keepReplies } from '../../articles/messages/discussion.ts';
import type { RecountParts } from '../recount-parts.ts';
import { keepPreview } from '../../articles/messages/preview.ts';
import { erasedAmong, isErased } from '../../records/opted-out.ts';
import { isListed } from '../../discord/access/visibility.ts';
import { type KnownArticle, putArticle } from '../../ranking/ballots/put-article.ts';
import { FINAL_AFTER_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { recountOpen } from '../compare.ts';
import { countsOf } from '../reactions/counts.ts';

type TakenIn = {
  article: Snowflake;
  /** `known`: the ranking already has the article, which was not changed. */
  status: 'taken' | 'known';
  /** Voting is open, so its votes are its reactions. */
  open: boolean;
};

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

/**
 * Puts the article of a message into the ranking if it is missing. For an open article only the
 * poster's vote is counted. A closed one gets the result in its message or, if the message could not
 * be edited any more, the result of its reactions.
 * Returns null for any other message, such as the message of a removed article.
 */
async function takeInMessage(
  app: RecountParts,
  guild: Guild,
  message: APIMessage,
): Promise<TakenIn | null> {
  const { ranking, store, self, clock } = app;
  if (message.author.id !== self) return null;
  const carried = readArticleMessage(message);
  if (carried === null) return null;
  const { id } = message;
  // The article was erased, and its message is not deleted yet.
  const erased = await erasedAmong(store, guild.id, [carried.poster]);
  if (isErased(erased, carried.poster, snowflakeTimeMs(id))) return null;
  const standsFromMs = snowflakeTimeMs(id) + FINAL_AFTER_MS;
  const stands = carried.result !== null || clock.now() >= standsFromMs;
  const article = newArticle(guild, message, carried, stands);
  const { status } = await putArticle(ranking, article);
  await keepReplies(app, guild.id, message);
  if (status === 'posted') {
    await keepPreview(app, guild.id, article, { embeds: message.embeds, isAlone: true });
  }
  return { article: id, status: status === 'posted' ? 'taken' : 'known', open: !stands };
}

function newArticle(
  guild: Guild,
  message: APIMessage,
  { title, link, comment, poster, groups, interesting, result }: Carried,
  stands: boolean,
): KnownArticle {
  const { id, channel_id: channel } = message;
  const [home = channel, ...others] = groups;
  const group = guild.channels.cache.get(home);
  return {
    guild: guild.id,
    id,
    title,
    link,
    ...(comment ? { comment } : {}),
    poster,
    home,
    channel,
    // If a group's channel was deleted, the message may still name it.
    groups: others.filter((other) => guild.channels.cache.has(other)),
    listed: isListed(group),
    ...(stands
      ? {
          tally: {
            ...(result ?? tallyOf(message)),
            closed: result !== null,
            starred: interesting,
          },
        }
      : {}),
  };
}

/** Includes the poster's vote, which is not a reaction. */
function tallyOf(message: APIMessage): { up: number; down: number } {
  const { up, down } = countsOf(message);
  return { up: up + 1, down };
}

import type { APIMessage, Guild } from 'discord.js';
import { type Carried, readArticleMessage } from '../../articles/message.ts';
import type { App } from '../../app.ts';
import { keepPreview } from '../../articles/preview.ts';
import { isListed } from '../../discord/visibility.ts';
import { type KnownArticle, putArticle } from '../../ranking/articles/put.ts';
import { LAST_RECOUNT_MS, VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { countsOf } from '../reactions/counts.ts';

export type TakenIn = {
  article: Snowflake;
  /** `known`: the ranking has it already, and was left as it is. */
  status: 'taken' | 'known';
  /** Its votes are what its reactions say. */
  open: boolean;
};

/**
 * Puts the article of a message into the ranking, if it is one and is not there. Of an open article
 * only the poster's vote is counted; a closed one has the result that its message says, or, where it
 * could not be edited any more, what its reactions say.
 * Null for any other message, such as what stands for a removed article.
 */
export async function takeInMessage(
  app: App,
  guild: Guild,
  message: APIMessage,
): Promise<TakenIn | null> {
  const { ranking, rules, self, clock } = app;
  if (message.author.id !== self) return null;
  const carried = readArticleMessage(message);
  if (carried === null) return null;
  const { id } = message;
  // Its message is to be deleted and was not yet.
  const { erased } = await rules.read(guild.id);
  if ((erased.get(carried.poster) ?? 0) > snowflakeTimeMs(id)) return null;
  const standsFromMs = snowflakeTimeMs(id) + VOTING_OPEN_MS + LAST_RECOUNT_MS;
  const stands = carried.result !== null || clock.now() >= standsFromMs;
  const article = newArticle(guild, message, carried, stands);
  const { status } = await putArticle(ranking, article);
  if (status === 'posted') {
    await keepPreview(app, guild.id, article, { embeds: message.embeds, isAlone: true });
  }
  return { article: id, status: status === 'posted' ? 'taken' : 'known', open: !stands };
}

function newArticle(
  guild: Guild,
  message: APIMessage,
  { title, link, comment, poster, groups, result }: Carried,
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
    // A channel that was deleted took the article out of its group; the message says so only later.
    groups: others.filter((other) => guild.channels.cache.has(other)),
    listed: group !== undefined && !group.isThread() && isListed(group),
    ...(stands ? { tally: { ...(result ?? tallyOf(message)), closed: result !== null } } : {}),
  };
}

/** With the poster's vote, which is no reaction of a member. */
function tallyOf(message: APIMessage): { up: number; down: number } {
  const { up, down } = countsOf(message);
  return { up: up + 1, down };
}

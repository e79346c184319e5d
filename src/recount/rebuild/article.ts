import type { APIMessage, Guild } from 'discord.js';
import { type Carried, readArticleMessage } from '../../articles/message.ts';
import type { App } from '../../app.ts';
import { emojiOf } from '../../discord/packets.ts';
import { isListed } from '../../discord/visibility.ts';
import { type NewArticle, postArticle } from '../../ranking/articles/articles.ts';
import { linkNames } from '../../ranking/links/parse.ts';
import type { Direction } from '../../ranking/row.ts';
import { LAST_RECOUNT_MS, VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { directions } from '../reactions/counts.ts';

export type TakenIn = {
  article: Snowflake;
  /** `known`: the ranking has it already, and was left as it is. */
  status: 'taken' | 'known';
  /** Its votes are what its reactions say. */
  open: boolean;
  /** The bot's own reactions that its message lacks. */
  unreacted: Direction[];
};

/**
 * Puts the article of a message into the ranking, if it is one and is not there. Of an open article
 * only the poster's vote is counted; a closed one has the result that its message says.
 * Null for any other message, such as what stands for a removed article.
 */
export async function takeInMessage(
  { ranking, rules, self, clock }: App,
  guild: Guild,
  message: APIMessage,
): Promise<TakenIn | null> {
  if (message.author.id !== self) return null;
  const carried = readArticleMessage(message);
  if (carried === null) return null;
  const { id } = message;
  // Its message is to be deleted and was not yet.
  const { erased } = await rules.read(guild.id);
  if ((erased.get(carried.poster) ?? 0) > snowflakeTimeMs(id)) return null;
  const standsFromMs = snowflakeTimeMs(id) + VOTING_OPEN_MS + LAST_RECOUNT_MS;
  const stands = carried.closed || clock.now() >= standsFromMs;
  const article = newArticle(guild, message, carried, stands);
  for (const canonical of linkNames(article)) {
    const { status } = await postArticle(ranking, { ...article, canonical });
    if (status === 'duplicate') continue;
    return {
      article: id,
      status: status === 'posted' ? 'taken' : status,
      open: !stands,
      unreacted: directions.filter((direction) => !isMine(message, direction)),
    };
  }
  throw new Error(`article ${id}: none of its names is free`);
}

function isMine({ reactions = [] }: APIMessage, direction: Direction): boolean {
  return reactions.some(({ emoji, me }) => me && emoji.name === emojiOf[direction]);
}

type Nameless = Omit<NewArticle, 'canonical'>;

function newArticle(
  guild: Guild,
  { id, channel_id: channel }: APIMessage,
  { title, link, comment, poster, groups, up, down, closed }: Carried,
  stands: boolean,
): Nameless {
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
    ...(stands ? { tally: { up, down, closed } } : {}),
  };
}

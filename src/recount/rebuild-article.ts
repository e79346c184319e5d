import type { APIMessage, Guild } from 'discord.js';
import { type Carried, readArticleMessage } from '../discord/article-message.ts';
import { isListed } from '../discord/visibility.ts';
import { type NewArticle, postArticle } from '../voting/articles.ts';
import { parseLink } from '../voting/link.ts';
import type { Ranking } from '../voting/ranking.ts';
import { VOTING_OPEN_MS } from '../voting/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../voting/snowflake.ts';

/** So long after the closing time the reactions still say the result; then the tally stands. */
const LAST_RECOUNT_MS = 86_400_000;

export type TakenIn = {
  article: Snowflake;
  channel: Snowflake;
  /** `known`: the ranking has it already, and was left as it is. */
  status: 'taken' | 'known';
  /** Its votes are what its reactions say. */
  open: boolean;
};

/**
 * Puts the article of a message into the ranking, if it is one and is not there. Of an open article
 * only the poster's vote is counted; a closed one has the result that its message says.
 * Null for any other message, such as the tombstone of a removed article.
 */
export async function takeInMessage(
  { ranking, self }: { ranking: Ranking; self: Snowflake },
  guild: Guild,
  message: APIMessage,
  now: number,
): Promise<TakenIn | null> {
  if (message.author.id !== self) return null;
  const carried = readArticleMessage(message);
  if (carried === null) return null;
  const { id, channel_id: channel } = message;
  const stands = carried.closed || now >= snowflakeTimeMs(id) + VOTING_OPEN_MS + LAST_RECOUNT_MS;
  const article = newArticle(guild, message, carried, stands);
  for (const canonical of namesOf(article)) {
    const { status } = await postArticle(ranking, { ...article, canonical });
    if (status === 'duplicate') continue;
    return { article: id, channel, status: status === 'posted' ? 'taken' : status, open: !stands };
  }
  throw new Error(`article ${id}: none of its names is free`);
}

type Nameless = Omit<NewArticle, 'canonical'>;

function newArticle(
  guild: Guild,
  { id, channel_id: channel }: APIMessage,
  { title, link, poster, groups, up, down, closed }: Carried,
  stands: boolean,
): Nameless {
  const [home = channel, ...others] = groups;
  const group = guild.channels.cache.get(home);
  return {
    guild: guild.id,
    id,
    title,
    link,
    poster,
    home,
    channel,
    // A channel that was deleted took the article out of its group; the message says so only later.
    groups: others.filter((other) => guild.channels.cache.has(other)),
    listed: group !== undefined && !group.isThread() && isListed(group),
    ...(stands ? { tally: { up, down, closed } } : {}),
  };
}

/**
 * The names under which an article's link can stand, as a posting would try them. Where others have
 * them all, it gets one of its own: what a message says is there is not lost for want of a name.
 */
function namesOf({ id, link, home, listed }: Nameless): string[] {
  const parsed = parseLink(link);
  const canonical = parsed.status === 'accepted' ? parsed.canonical : link;
  return [...(listed ? [canonical] : []), `${home} ${canonical}`, `${id} ${canonical}`];
}

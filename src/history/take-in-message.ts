import type { APIMessage, Guild } from 'discord.js';
import { compareMessage } from '../articles/messages/compare-message.ts';
import { type Carried, readArticleMessage } from '../articles/messages/article-message.ts';
import { keepReplies } from '../articles/messages/discussion.ts';
import { keepPreview } from '../articles/messages/preview.ts';
import { groupOf } from '../discord/access/visibility.ts';
import { withIdsOf } from '../discord/vote-emoji.ts';
import { erasedAmong, noteErasing } from '../community/erasures.ts';
import { type KnownArticle, putArticle } from '../ranking/ballots/put-article.ts';
import { type Article, deleteArticle, readArticle } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { FINAL_AFTER_MS } from '../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { countsOf } from '../votes/recount/counts.ts';
import type { RecountNeeds } from '../votes/recount-needs.ts';
import { forgetUnread, noteUnread } from './rebuild/stored-rebuilds.ts';
import { unreadChannelOf } from './walk/channels.ts';

export type TakenIn = {
  article: Snowflake;
  /** `known`: the ranking already has the article, which was not changed. */
  status: 'taken' | 'known';
  /** Voting is open, so its votes are its reactions. */
  open: boolean;
};

/**
 * Puts the article of a message into the ranking if it is missing, or if the ranking says otherwise
 * than the message. For an open article only the poster's vote is counted. A closed one gets the result
 * in its message or, if the message could not be edited any more, the result of its reactions.
 * Returns null for any other message, such as the message of a removed article.
 */
export async function takeInMessage(
  needs: RecountNeeds,
  guild: Guild,
  message: APIMessage,
): Promise<TakenIn | null> {
  const { ranking, store, self, clock, seen } = needs;
  // The answer may be older than the deletion.
  if (message.author.id !== self || seen.wasDeleted(message.id)) return null;
  const carried = readArticleMessage(message);
  if (carried === null) return null;
  const { id } = message;
  const isErased = async (): Promise<boolean> => {
    const erased = await erasedAmong(store, guild.id, [carried.poster], snowflakeTimeMs(id));
    // Its message is not deleted yet, or an erasure found no article: the ranking was not whole then.
    if (erased.size > 0) await noteErasing(store, guild.id, { id, channel: message.channel_id });
    return erased.size > 0;
  };
  if (await isErased()) return null;
  const standsFromMs = snowflakeTimeMs(id) + FINAL_AFTER_MS;
  const stands = carried.closed || clock.now() >= standsFromMs;
  const article = newArticle(guild, message, carried, stands);
  await deleteForged(ranking, article, message);
  const { status } = await needs.listing.write(article, (listed) =>
    putArticle(ranking, { ...article, listed }),
  );
  if (seen.wasDeleted(id) || (await isErased())) {
    await deleteArticle(ranking, guild.id, id);
    return null;
  }
  await keepReplies(needs, guild.id, message);
  if (status === 'posted') {
    await keepPreview(needs, guild.id, article, { embeds: message.embeds, isAlone: true });
  }
  return { article: id, status: status === 'posted' ? 'taken' : 'known', open: !stands };
}

/** Replaces an article by what its message says. Null if the message is none of an article. */
export async function takeInAnew(
  needs: RecountNeeds,
  guild: Snowflake,
  message: APIMessage,
): Promise<Article | null> {
  const { ranking, store, client, log } = needs;
  const { id, channel_id: channel } = message;
  const of = client.guilds.cache.get(guild);
  if (of === undefined) return null;
  log.warn({ guild, article: id }, 'An article is read again from its message.');
  const place = of.channels.cache.get(channel);
  const group = (place && groupOf(place))?.id ?? channel;
  const toRead = unreadChannelOf(group, channel);
  // It is deleted before it is put: if the process dies in between, a rebuild reads its channel.
  const isNoted = await noteUnread(store, guild, toRead);
  const isTaken = (await takeInMessage(needs, of, message)) !== null;
  if (!isTaken) await deleteArticle(ranking, guild, id);
  if (isNoted) await forgetUnread(store, guild, toRead);
  return isTaken ? readArticle(ranking, guild, id) : null;
}

/** Deletes an article of which the message says otherwise: a restored file can claim anything. */
async function deleteForged(
  ranking: Ranking,
  { guild, id, tally }: Pick<KnownArticle, 'guild' | 'id' | 'tally'>,
  message: APIMessage,
): Promise<void> {
  const known = await readArticle(ranking, guild, id);
  if (known === null) return;
  const { closed, up, down } = known;
  const isResult = !closed || !tally?.closed || (up === tally.up && down === tally.down);
  if (!isResult || !compareMessage(known, message).isOfArticle)
    await deleteArticle(ranking, guild, id);
}

function newArticle(
  guild: Guild,
  message: APIMessage,
  { title, link, comment, poster, groups, interesting, closed, up, down, ...carried }: Carried,
  stands: boolean,
): Omit<KnownArticle, 'listed'> {
  const { id, channel_id: channel } = message;
  const [home = channel, ...others] = groups;
  const signs = carried.signs && withIdsOf(message.reactions ?? [], carried.signs);
  const shown = countsOf(message, signs);
  // The poster's vote is not a reaction.
  const result = closed ? { up, down } : { up: shown.up + 1, down: shown.down };
  return {
    guild: guild.id,
    id,
    title,
    link,
    ...(comment ? { comment } : {}),
    ...(signs ? { signs } : {}),
    poster,
    home,
    channel,
    // If a group's channel was deleted, the message may still name it.
    groups: others.filter((other) => guild.channels.cache.has(other)),
    ...(stands ? { tally: { ...result, closed, starred: interesting } } : {}),
  };
}

import { type APIThreadChannel, Routes, type Client } from 'discord.js';
import {
  isRemovedThreadName,
  removedThreadName,
  renameThread,
} from '../articles/messages/thread-name.ts';
import { languageOfGuild } from '../community/settings.ts';
import { isApiError } from '../discord/api-errors.ts';
import { inOpenThread } from '../discord/requests/archived-threads.ts';
import { NotOurs, type Requests } from '../discord/requests/requests.ts';
import { fault, type Log } from '../runtime/log.ts';
import { memberSubject } from '../community/block-subject.ts';
import { readBlock } from '../community/blocks.ts';
import { isImported } from '../articles/imported.ts';
import { deleteErasing, noteErased, noteErasing, walkErasing } from '../community/erasures.ts';
import { isUnnamed } from '../community/unnamed.ts';
import { isOptedOut } from '../community/opted-out.ts';
import { deleteArticle } from '../ranking/articles/articles.ts';
import { eraseVotes, postsOf, votesOf } from '../ranking/ballots/of-member.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { GuildRules } from '../community/guild-rules.ts';

/** The pieces of a JSON file with a member's data in these guilds. Give it only to the member. */
export async function* memberExport(
  { ranking, store, clock }: { ranking: Ranking; store: Store; clock: Clock },
  guilds: readonly Snowflake[],
  member: Snowflake,
): AsyncGenerator<string> {
  const made = new Date(clock.now()).toISOString();
  yield `{\n"member": "${member}",\n"made": "${made}",\n"servers": [`;
  let separator = '\n';
  for (const guild of guilds) {
    const [posts, votes, optedOut, block, unnamed] = await Promise.all([
      postsOf(ranking, guild, member),
      votesOf(ranking, guild, member),
      isOptedOut(store, guild, member),
      readBlock(store, guild, memberSubject(member)),
      isUnnamed(store, guild, member),
    ]);
    if (posts.length + votes.length === 0 && !block && !optedOut && !unnamed) continue;
    const server = {
      server: guild,
      optedOut,
      unnamedOnTheWeb: unnamed || undefined,
      block: block
        ? { posting: block.posting, voting: block.voting, reason: block.reason }
        : undefined,
      posts: posts.map(
        ({ id, title, link, comment, channel, groups, postedAtMs, up, down, closed }) => ({
          id,
          title,
          link,
          comment: comment || undefined,
          channel,
          groups,
          posted: new Date(postedAtMs).toISOString(),
          up,
          down,
          closed,
        }),
      ),
      votes: votes.map(({ article, vote }) => ({ article: article.id, vote })),
    };
    yield separator + JSON.stringify(server, null, 2);
    separator = ',\n';
  }
  yield '\n]\n}\n';
}

export interface ErasingNeeds {
  /** Its cache tells a guild's language. */
  client: Client;
  /** Messages are deleted by it, behind whatever else waits. */
  requests: Requests;
  /** The guild's language, for what stays of a thread. */
  rules: GuildRules;
  /** The member's articles and votes are deleted in it. */
  ranking: Ranking;
  /** Where records of erasures, settings and digests are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping. */
  stopping: AbortSignal;
}

/**
 * Erases a member's data in a guild: the articles with all their votes, and the member's stored votes.
 * `finishErasing` deletes the articles' messages, so that no rebuild finds them. Until then a record,
 * written first, makes rebuilds skip them. The messages of imported articles are the member's own and
 * stay; no import reads them again.
 */
export async function eraseMember(
  { ranking, store, clock }: ErasingNeeds,
  guild: Snowflake,
  member: Snowflake,
): Promise<{ posts: number; votes: number }> {
  await noteErased(store, guild, member, clock.now());
  const posts = await postsOf(ranking, guild, member);
  for (const { id, channel } of posts) {
    if (!(await isImported(store, guild, id))) await noteErasing(store, guild, { id, channel });
    await deleteArticle(ranking, guild, id);
  }
  const votes = await eraseVotes(ranking, guild, member);
  return { posts: posts.length, votes: votes.length };
}

export async function hasDataOf(
  { ranking }: { ranking: Ranking },
  guild: Snowflake,
  member: Snowflake,
): Promise<boolean> {
  if ((await postsOf(ranking, guild, member)).length > 0) return true;
  return (await votesOf(ranking, guild, member)).length > 0;
}

/**
 * Deletes the messages of erased articles, and takes their titles from the names of their threads. What cannot
 * be done now is tried next time.
 */
export async function finishErasing(needs: ErasingNeeds, guild: Snowflake): Promise<void> {
  const { requests, store, log, stopping } = needs;
  const left = { messages: 0, why: {} };
  /** Whether nothing of it is left to do. */
  const isDone = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      return (await work()) !== false;
    } catch (error) {
      const isGone = isApiError(error, 'UnknownChannel', 'UnknownMessage');
      if (error instanceof NotOurs || (isGone && !requests.isOfOutage(guild, error))) return true;
      left.why = fault(error);
      return false;
    }
  };
  for await (const { article, channel } of walkErasing(store, guild)) {
    if (stopping.aborted) return;
    const isNameless = await isDone(() => renameItsThread(needs, guild, article));
    const isDeleted = await isDone(() =>
      inOpenThread(requests, { guild, channel }, () =>
        requests.delete({ guild, channel }, Routes.channelMessage(channel, article)),
      ),
    );
    if (isNameless && isDeleted) await deleteErasing(store, guild, article);
    else left.messages += 1;
  }
  if (left.messages > 0) {
    const fields = { ...left.why, guild, messages: left.messages };
    log.warn(fields, 'Some erased messages could not be deleted yet.');
  }
}

/**
 * The thread of an erased article outlives its message, and would keep the title as its name. It has the
 * article's id, also when the message is gone. False if it has to be tried again.
 */
async function renameItsThread(
  needs: ErasingNeeds,
  guild: Snowflake,
  article: Snowflake,
): Promise<boolean> {
  const { client, requests, rules } = needs;
  const found = await requests.get({ guild, channel: article }, Routes.channel(article));
  const thread = found as APIThreadChannel;
  if (isRemovedThreadName(thread.name)) return true;
  const locale = languageOfGuild(await rules.read(guild), client.guilds.cache.get(guild));
  return renameThread(needs, guild, thread, removedThreadName(locale));
}

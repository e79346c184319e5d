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
import { isImported } from '../articles/imported.ts';
import {
  beginErasing,
  deleteErasing,
  endErasing,
  type ErasureBegun,
  erasuresBegun,
  noteErasing,
  walkErasing,
} from '../community/erasures.ts';
import { exportOf, readPersonal } from '../personal/stored-personal.ts';
import {
  forgetReportsBy,
  refreshReports,
  reportRow,
  reportsBy,
} from '../community/stored-reports.ts';
import { leavePublished } from './leave-published.ts';
import { readStoredAbout, type StoredAboutNeeds } from './stored-about.ts';
import { deleteArticle } from '../ranking/articles/articles.ts';
import { eraseVotes, postsOf, votesOf } from '../ranking/ballots/of-member.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Due } from '../due/due.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { GuildRules } from '../community/guild-rules.ts';

/** The pieces of a JSON file with a member's data in these guilds. Give it only to the member. */
export async function* memberExport(
  needs: StoredAboutNeeds & { clock: Clock },
  guilds: readonly Snowflake[],
  member: Snowflake,
): AsyncGenerator<string> {
  const made = new Date(needs.clock.now()).toISOString();
  yield `{\n"member": "${member}",\n"made": "${made}",\n"servers": [`;
  let separator = '\n';
  for (const guild of guilds) {
    const stored = await readStoredAbout(needs, guild, member);
    if (stored === null) continue;
    yield separator + JSON.stringify({ server: guild, ...stored }, null, 2);
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
  /** Deletes messages later that cannot be deleted now. */
  due: Due;
  /** Where records of erasures, settings and digests are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping. */
  stopping: AbortSignal;
}

/** What an erasure leaves is tried this long after, and then ever more rarely. */
const AGAIN_MS = 10_000;

/**
 * Erases a member's data in a guild: what they keep for themself, the articles with all their votes, the member's
 * stored votes and reports. `finishErasing` deletes the articles' messages, so that no rebuild finds them. Until then
 * a record, written first, makes rebuilds skip them. The messages of imported articles are the member's own and
 * stay; no import reads them again. What a process leaves that dies meanwhile, `eraseLeft` erases.
 */
export async function eraseMember(
  needs: ErasingNeeds,
  guild: Snowflake,
  member: Snowflake,
): Promise<{ posts: number; votes: number }> {
  const { store, clock, due } = needs;
  const atMs = clock.now();
  await beginErasing(store, guild, member, atMs);
  await due.plan(guild, 'erase', atMs + AGAIN_MS);
  return eraseRest(needs, guild, { member, atMs }, Number.POSITIVE_INFINITY);
}

/** `untilMs`: what the member posted or reported later stays, and votes on what was posted later. It may be begun again. */
async function eraseRest(
  { ranking, store, due, clock }: ErasingNeeds,
  guild: Snowflake,
  { member, atMs }: ErasureBegun,
  untilMs: number,
): Promise<{ posts: number; votes: number }> {
  const all = await postsOf(ranking, guild, member);
  const posts = all.filter(({ postedAtMs }) => postedAtMs <= untilMs);
  for (const { id, channel } of posts) {
    if (!(await isImported(store, guild, id))) await noteErasing(store, guild, { id, channel });
    // What moderators see of its reports names it: later, if this process dies now, and at once.
    await due.plan(guild, reportRow(id), clock.now() + AGAIN_MS);
    await deleteArticle(ranking, guild, id);
    await refreshReports({ due }, guild, [id]);
  }
  const votes = await eraseVotes(ranking, guild, member, untilMs);
  await forgetReports({ store, due }, guild, member, untilMs);
  await endErasing(store, guild, { member, atMs });
  return { posts: posts.length, votes: votes.length };
}

/** Deletes what a member reported. What moderators see of it follows. */
export async function forgetReports(
  { store, due }: Pick<ErasingNeeds, 'store' | 'due'>,
  guild: Snowflake,
  member: Snowflake,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  await refreshReports({ due }, guild, await forgetReportsBy(store, guild, member, untilMs));
}

export async function hasDataOf(
  { ranking, store }: { ranking: Ranking; store: Store },
  guild: Snowflake,
  member: Snowflake,
): Promise<boolean> {
  if ((await postsOf(ranking, guild, member)).length > 0) return true;
  if ((await votesOf(ranking, guild, member)).length > 0) return true;
  if ((await reportsBy(store, guild, member)).length > 0) return true;
  return exportOf(await readPersonal(store, guild, member)) !== undefined;
}

/** Erases what erasures left. What cannot be erased now, the row `erase` of what is due tries again. */
export async function finishErasing(needs: ErasingNeeds, guild: Snowflake): Promise<void> {
  const { due, clock } = needs;
  if (await eraseLeft(needs, guild)) await due.plan(guild, 'erase', clock.now() + AGAIN_MS);
}

/**
 * Goes on with erasures that were interrupted, deletes the messages of erased articles, takes them out of the editions and announcements of the last week, and
 * their titles out of the names of their threads. Returns whether some of it cannot be done now.
 */
export async function eraseLeft(needs: ErasingNeeds, guild: Snowflake): Promise<boolean> {
  const { requests, store, log, stopping } = needs;
  const left = { messages: 0, why: {} };
  /** Whether nothing of it is left to do in this channel. */
  const isDone = async (
    channel: Snowflake | null,
    work: () => Promise<unknown>,
  ): Promise<boolean> => {
    try {
      return (await work()) !== false;
    } catch (error) {
      if (error instanceof NotOurs || isApiError(error, 'UnknownMessage')) return true;
      const isGone = channel !== null && isApiError(error, 'UnknownChannel');
      if (isGone && !(await requests.isOfOutage({ guild, channel }, error))) return true;
      left.why = fault(error);
      return false;
    }
  };
  for (const begun of await erasuresBegun(store, guild)) {
    if (!(await isDone(null, () => eraseRest(needs, guild, begun, begun.atMs)))) left.messages += 1;
  }
  const all: { article: Snowflake; channel: Snowflake }[] = [];
  for await (const one of walkErasing(store, guild)) all.push(one);
  const articles = new Set(all.map(({ article }) => article));
  const hasLeft =
    all.length === 0 || (await isDone(null, () => leavePublished(needs, guild, { articles })));
  for (const { article, channel } of all) {
    if (stopping.aborted) return true;
    const isNameless = await isDone(article, () => renameItsThread(needs, guild, article));
    const isDeleted = await isDone(channel, () =>
      inOpenThread(requests, { guild, channel }, () =>
        requests.delete({ guild, channel }, Routes.channelMessage(channel, article)),
      ),
    );
    if (isNameless && isDeleted && hasLeft) await deleteErasing(store, guild, article);
    else left.messages += 1;
  }
  if (left.messages > 0) {
    const fields = { ...left.why, guild, messages: left.messages };
    log.warn(fields, 'Some erased messages could not be deleted yet.');
  }
  return left.messages > 0;
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

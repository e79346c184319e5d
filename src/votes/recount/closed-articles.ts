import type { APIMessage } from 'discord.js';
import { compareMessage } from '../../articles/messages/compare-message.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { isOfOneChannel } from '../../discord/requests/refusals.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { walkArticles } from '../../ranking/articles/walk-articles.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { fault } from '../../runtime/log.ts';
import { compareIds, type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import { deleteGone, hideGone, isThreadGone } from './gone-articles.ts';
import { readMessages } from './messages.ts';
import { takeNewer } from './newer-message.ts';
import { mayReadArticle } from './recount-article.ts';
import { isArchived } from './repair-message.ts';

/** About a sixth of what may be sent in the hours of the night, for all guilds of the process. */
const REQUESTS_A_NIGHT = 100_000;
const REQUESTS_OF_GUILD = 1000;
/** Articles that are looked at together: those of one channel share their requests. */
const STEP = 100;

/**
 * Looks whether the messages of closed articles are still there, and show them as they are, which no recount
 * does: one may have been deleted while the bot was off, or a process died before it showed a moderator's act.
 * Newest first, as many as a night has requests for; the next night goes on.
 */
export async function lookAtClosed(needs: RecountNeeds, guild: Snowflake): Promise<void> {
  const { client, store, ranking, stopping } = needs;
  const { looked: key } = storeKeys(store, guild);
  const most = Math.ceil(REQUESTS_A_NIGHT / Math.max(1, client.guilds.cache.size));
  const { requests, left } = counted(needs.requests, Math.min(REQUESTS_OF_GUILD, most));
  const before = zSnowflake.safeParse(await store.redis.get(key)).data;
  let step: Article[] = [];
  const look = async (): Promise<void> => {
    await lookAt({ ...needs, requests }, guild, step);
    const last = step.at(-1);
    if (last !== undefined) await store.redis.set(key, last.id);
    step = [];
  };
  for await (const { article, removedAtMs } of walkArticles(ranking, guild, before)) {
    if (stopping.aborted || left() <= 0) return;
    if (removedAtMs !== null || !article.closed || !mayReadArticle(needs, guild, article)) continue;
    step.push(article);
    if (step.length >= Math.min(STEP, left())) await look();
  }
  await look();
  await store.redis.del(key);
}

/** Whoever restores waits for it. */
const LOOK_AT_RESTORED_MS = 60_000;

/**
 * Looks at those of these articles that are closed, newest first, for a minute at most: they come from a file, which
 * does not know what happened to their messages since.
 */
export async function lookAtRestored(
  needs: RecountNeeds,
  guild: Snowflake,
  restored: readonly Snowflake[],
): Promise<void> {
  const { requests, left } = counted(needs.requests, REQUESTS_OF_GUILD);
  const late = AbortSignal.timeout(LOOK_AT_RESTORED_MS);
  const stopping = AbortSignal.any([needs.stopping, late]);
  const waiting = restored.toSorted(compareIds);
  while (waiting.length > 0 && left() > 0 && !stopping.aborted) {
    const some = waiting.splice(-Math.min(STEP, left()));
    const articles = await readArticles(needs.ranking, guild, some);
    const closed = articles.filter((one) => one !== null).filter((one) => one.closed);
    const seen = closed.filter((one) => mayReadArticle(needs, guild, one));
    await lookAt({ ...needs, requests, stopping }, guild, seen).catch((error: unknown) => {
      if (!late.aborted) throw error;
    });
  }
}

/** `left`: how many questions are left of the most that may be asked. */
function counted(requests: Requests, most: number): { requests: Requests; left: () => number } {
  let left = most;
  const get: Requests['get'] = (...request) => {
    left -= 1;
    return requests.get(...request);
  };
  return { requests: { ...requests, get }, left: () => left };
}

/** Looks at articles of any channels. What cannot be read stays as it is. */
async function lookAt(
  needs: RecountNeeds,
  guild: Snowflake,
  articles: readonly Article[],
): Promise<void> {
  for (const channel of new Set(articles.map((one) => one.channel))) {
    const there = articles.filter((one) => one.channel === channel);
    const byId = new Map(there.map((one) => [one.id, one]));
    try {
      const ids = [...byId.keys()].toSorted(compareIds);
      for await (const page of readMessages(needs, guild, channel, ids)) {
        if (needs.stopping.aborted) return;
        // Each that is taken from its message waits some seconds before.
        const looks = page.map(async ({ id, message }) => {
          const article = byId.get(id)!;
          if (message === null) await deleteGone(needs, guild, article);
          else if (message !== undefined) await lookAtMessage(needs, guild, article, message);
        });
        await Promise.all(looks);
      }
    } catch (error) {
      if (!isOfOneChannel(error)) throw error;
      const [first] = there;
      const isGone = isApiError(error, 'UnknownChannel') && first !== undefined;
      if (isGone && (await isThreadGone(needs, guild, first))) {
        for (const one of there) await hideGone(needs, guild, one);
      } else {
        needs.log.debug({ ...fault(error), guild, channel }, 'Closed articles could not be read.');
      }
    }
  }
}

async function lookAtMessage(
  needs: RecountNeeds,
  guild: Snowflake,
  article: Article,
  message: APIMessage,
): Promise<void> {
  // An imported article's message is a member's own.
  if (!needs.requests.see(message)) return;
  const { shown, isOfArticle, isStateEqual, isUpToDate } = compareMessage(article, message);
  if (!isOfArticle) return;
  if (!isStateEqual) return takeNewer(needs, guild, article, { sinceMs: performance.now() });
  // For the result alone, an archived thread is opened.
  if (shown?.closed !== false && isArchived(needs, guild, article)) return;
  if (!isUpToDate) needs.messageUpdates.note(guild, article.id);
}

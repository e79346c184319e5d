import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Carried, isOwnRemoval } from '../../articles/messages/article-message.ts';
import { compareMessage, isSameComment } from '../../articles/messages/compare-message.ts';
import { finalMs } from '../../articles/messages/message-updates.ts';
import { heldRow } from '../../due/kind.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { closeArticle, setResult } from '../../ranking/articles/closing.ts';
import {
  commentArticle,
  lockArticle,
  moveArticle,
  retitleArticle,
} from '../../ranking/articles/edit.ts';
import { changeGroup } from '../../ranking/articles/groups.ts';
import { removeArticle, restoreArticle, walkRemoved } from '../../ranking/articles/removed.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import { readMessage } from './messages.ts';
import { isArchived } from './repair-message.ts';

/*
 * A script plans `show:<article>` in the same step as its change. So a message that says otherwise than its
 * article, although nothing is due to be shown, is newer: Redis has lost what it was told, by a power cut, a
 * failover, or a folder that was put back. Then the article is made what its message says.
 */

/** When a difference was found (ms of the process), so that answers that lag behind it are not believed. */
export type Doubt = { sinceMs: number };

/**
 * Takes an open or closed article's title, comment, groups, lock, result and removal from its message, if that is newer. A
 * message that was edited a moment ago may still be read as it was before, so this waits for that time.
 */
export async function takeNewer(
  needs: RecountNeeds,
  guild: Snowflake,
  { id, channel, home }: Pick<Article, 'id' | 'channel' | 'home'>,
  { sinceMs }: Doubt,
): Promise<void> {
  const { ranking, seen, stopping, log, clock } = needs;
  // First: what changes it from here on is seen below, also where its message shows that at once.
  const before = await readArticle(ranking, guild, id);
  if (await isToBeShown(needs, guild, id)) {
    // What Discord refused before may be possible now.
    if (!isArchived(needs, guild, { channel, home })) needs.messageUpdates.note(guild, id);
    return;
  }
  const lagMs = sinceMs + seen.lagMs - performance.now();
  await pause(Math.max(0, lagMs), undefined, { signal: stopping }).catch(() => {});
  if (stopping.aborted) return;
  const message = await readMessage(needs, guild, channel, id);
  const article = await readArticle(ranking, guild, id);
  if (!before || !article || !message || !needs.requests.see(message)) return;
  // Somebody changed it meanwhile, and its message may be from before.
  if (!isDeepStrictEqual(stateOf(before), stateOf(article))) return;
  if (await isToBeShown(needs, guild, id)) return;
  const { shown, isOfArticle, isStateEqual } = compareMessage(article, message);
  if (!isOfArticle || isStateEqual) return;
  log.warn({ guild, article: id }, 'A message is newer than what Redis says of its article.');
  if (shown === null) {
    await removeArticle(ranking, guild, id, clock.now(), isOwnRemoval(message));
  } else await takeState(needs, guild, article, shown);
}

async function takeState(
  { ranking, listing }: RecountNeeds,
  guild: Snowflake,
  { id, title, comment, groups, home, locked, closed }: Article,
  shown: Carried,
): Promise<void> {
  const article = { guild, article: id };
  if (shown.title !== title) await retitleArticle(ranking, { ...article, title: shown.title });
  if (!isSameComment(shown.comment, comment)) {
    await commentArticle(ranking, { ...article, comment: shown.comment ?? '' });
  }
  const [newHome = home] = shown.groups;
  if (newHome !== home) {
    await listing.write({ guild, home: newHome }, (listed) =>
      moveArticle(ranking, { ...article, home: newHome, listed }),
    );
  }
  for (const group of shown.groups) {
    if (!groups.includes(group)) await changeGroup(ranking, { ...article, group }, 'add');
  }
  for (const group of groups) {
    if (!shown.groups.includes(group)) await changeGroup(ranking, { ...article, group }, 'remove');
  }
  if (shown.locked !== locked && !closed && !shown.closed) {
    await lockArticle(ranking, { ...article, locked: shown.locked });
  }
  if (!shown.closed) return;
  if (!closed) await closeArticle(ranking, guild, id);
  await setResult(ranking, { ...article, up: shown.up, down: shown.down });
}

/** Restores the articles that Redis has as removed, while their messages show them and nothing else is due. */
export async function restoreShown(needs: RecountNeeds, guild: Snowflake): Promise<void> {
  const { ranking, clock, seen, stopping, requests, log } = needs;
  for await (const { article, atMs } of walkRemoved(ranking, guild)) {
    const { id, channel, closesAtMs } = article;
    if (stopping.aborted) return;
    if (clock.now() >= closesAtMs) continue;
    // An answer may be from before the removal.
    const lagMs = Math.min(seen.lagMs, atMs + seen.lagMs - clock.now());
    await pause(Math.max(0, lagMs), undefined, { signal: stopping }).catch(() => {});
    if (await isToBeShown(needs, guild, id)) continue;
    const message = await readMessage(needs, guild, channel, id).catch(() => null);
    if (!message || !requests.see(message) || (await isToBeShown(needs, guild, id))) continue;
    const { shown, isOfArticle } = compareMessage(article, message);
    if (shown === null || !isOfArticle) continue;
    log.warn({ guild, article: id }, 'A removed article stands in its message, and is restored.');
    await needs.listing.write({ guild, ...article }, (listed) =>
      restoreArticle(ranking, guild, id, listed),
    );
  }
}

/** Whether the article's message is still to be made equal to it: also later, but for the last look at a removed one. */
async function isToBeShown(
  { store }: RecountNeeds,
  guild: Snowflake,
  article: Snowflake,
): Promise<boolean> {
  const row = `show:${article}`;
  const [atMs = null, held = null] = await store.redis.zmscore(
    storeKeys(store, guild).due,
    row,
    heldRow(row),
  );
  return held !== null || (atMs !== null && Number(atMs) !== finalMs(article));
}

/** What its message shows of it besides votes. */
function stateOf({ title, comment, groups, locked, closed }: Article) {
  return { title, comment, groups, locked, closed };
}

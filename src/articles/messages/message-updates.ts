import { type APIMessage, type Client, DiscordAPIError, Routes } from 'discord.js';
import { type Clock, DAY_MS, HOUR_MS } from '../../runtime/clock.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { remember } from '../../discord/remember.ts';
import { readOne } from '../../discord/requests/read-messages.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { inOpenThread } from '../../discord/requests/archived-threads.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import { openTasks } from '../../discord/requests/tasks.ts';
import type { GuildRules } from '../../community/guild-rules.ts';
import { fault, type Log } from '../../runtime/log.ts';
import { openMutex } from '../../runtime/mutex.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { readRemoved, type Removed } from '../../ranking/articles/removed.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isImported } from '../imported.ts';
import { languageOfGuild } from '../../community/settings.ts';
import type { Store } from '../../redis/store.ts';
import { isRemovedThreadName, removedThreadName, renameThread, threadName } from './thread-name.ts';
import { articleMessage, removedMessage } from './article-message.ts';
import { compareMessage, lacksTitle } from './compare-message.ts';
import { type EditLimits, EditsLimited, openEditLimits } from './edit-limits.ts';

/** Edits use few of Discord's requests, and wait for each other in a channel. */
const SIDE_BY_SIDE = 20;
const REST_MS = HOUR_MS;
/** As long as the nights look after a removal. */
const REMOVALS_TRIED_MS = 2 * DAY_MS;
/** How often a limit of edits is looked at, which asks Discord nothing. */
const LIMITED_MS = 60_000;
const REMEMBERED_AT_MOST = 10_000;
/** An article that changes as fast as its message is edited is left to the next change. */
const EDITS_AT_MOST = 5;

/** What the edits of articles' messages need. */
interface MessageUpdatesNeeds {
  /** Its cache tells a guild's language. */
  client: Client;
  /** What the messages are to show. */
  ranking: Ranking;
  /** Where it stands which articles are members' own messages. */
  store: Store;
  /** Requests that can wait. */
  requests: Requests;
  /** The settings and blocks of each guild. */
  rules: GuildRules;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
}

/** Edits articles' messages to match the ranking. The reactions show the tally, so votes edit nothing. */
export interface MessageUpdates {
  /** Call it after a change that the message shows. Edits the message soon. */
  note(guild: Snowflake, article: Snowflake): void;
  /**
   * Edits the message now unless it is up to date. `closed`: shows the tally as the result, even if the
   * ranking has the voting open.
   */
  show(guild: Snowflake, article: Snowflake, as?: { closed: boolean }): Promise<Shown>;
  /** Discord refused an edit less than an hour ago. */
  isResting(article: Snowflake): boolean;
  /** Discord takes no edits of older messages in the channel of this article for now. */
  isLimited(article: { id: Snowflake; channel: Snowflake }): boolean;
  /** Call it once a minute. Tries removals again, an hour after Discord refused to show them. */
  tick(): void;
  /** Drops the edits that wait. Resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** What the message is to show. */
type Wanted = { article: Article; removed: Removed | null };

function isSameShown(a: Wanted, b: Wanted): boolean {
  if (a.removed !== null && b.removed !== null) return true;
  return (
    (a.removed === null) === (b.removed === null) &&
    articleMessage({ ...a.article, beside: false }, null) ===
      articleMessage({ ...b.article, beside: false }, null)
  );
}

/**
 * `refused`: Discord does not allow the edit for now. `limited`: it takes no edits of older messages in that
 * channel for some time.
 */
type Shown = 'shown' | 'refused' | 'limited';

export function openMessageUpdates(parts: MessageUpdatesNeeds): MessageUpdates {
  const { ranking, clock, log } = parts;
  const limits = openEditLimits(clock);
  /** Two edits of one message could otherwise arrive in the wrong order. */
  const inTurn = openMutex();
  const edits = openTasks(log, SIDE_BY_SIDE);
  const refusedAtMs = new Map<Snowflake, number>();
  /** The guilds of removed articles whose messages still show them, since Discord refused the edit. */
  const refusedRemovals = new Map<Snowflake, Snowflake>();
  /** Articles whose message shows the result. The ranking closes them a moment later. */
  const final = new Map<Snowflake, true>();

  /** Articles whose edit waits for the end of a limit. */
  const waiting = new Set<Snowflake>();

  function show(guild: Snowflake, id: Snowflake, as?: { closed: boolean }): Promise<Shown> {
    return inTurn(id, async () => {
      if (as?.closed) remember(final, id, true, REMEMBERED_AT_MOST);
      let next = await readWanted(guild, id);
      for (let edits = 0; next !== null && edits < EDITS_AT_MOST; edits += 1) {
        const wanted = next;
        const outcome = await editMessage({ ...parts, limits }, guild, wanted);
        if (outcome === 'refused') remember(refusedAtMs, id, clock.now(), REMEMBERED_AT_MOST);
        else refusedAtMs.delete(id);
        const isRecent = (wanted.removed?.atMs ?? 0) > clock.now() - REMOVALS_TRIED_MS;
        if (outcome === 'refused' && isRecent) {
          remember(refusedRemovals, id, guild, REMEMBERED_AT_MOST);
        }
        if (outcome !== 'edited') return outcome;
        // Another process may have shown a newer state while this edit was on its way.
        next = await readWanted(guild, id);
        if (next !== null && isSameShown(next, wanted)) return 'shown';
      }
      return 'shown';
    });
  }

  /** Null if there is no such article any more. The message of a removed one shows the removal. */
  async function readWanted(guild: Snowflake, id: Snowflake): Promise<Wanted | null> {
    const present = await readArticle(ranking, guild, id);
    const removed = present ? null : await readRemoved(ranking, guild, id);
    const article = present ?? removed?.article;
    if (!article) return null;
    if (final.has(id)) article.closed = true;
    return { article, removed };
  }

  function note(guild: Snowflake, article: Snowflake): void {
    edits.add(article, async () => {
      if ((await show(guild, article)) === 'limited') noteLater(guild, article);
    });
  }

  function noteLater(guild: Snowflake, article: Snowflake): void {
    if (waiting.has(article) || waiting.size >= REMEMBERED_AT_MOST) return;
    waiting.add(article);
    const again = (): void => {
      waiting.delete(article);
      note(guild, article);
    };
    setTimeout(again, LIMITED_MS).unref();
  }

  function isResting(article: Snowflake): boolean {
    return clock.now() - (refusedAtMs.get(article) ?? -Infinity) < REST_MS;
  }

  function tick(): void {
    for (const [article, guild] of refusedRemovals) {
      if (isResting(article)) continue;
      refusedRemovals.delete(article);
      note(guild, article);
    }
  }

  return {
    note,
    show,
    tick,
    isLimited: (article) => limits.isLimited(article),
    isResting,
    stop: () => edits.stop(),
  };
}

/** Edits the message of an article unless it is up to date (`shown`). */
async function editMessage(
  parts: MessageUpdatesNeeds & { limits: EditLimits },
  guild: Snowflake,
  { article, removed }: Wanted,
): Promise<Shown | 'edited'> {
  const { client, store, requests, rules, log, limits } = parts;
  const { id } = article;
  // Others are to see at once that it is gone.
  const edited = { ...article, isUrgent: removed !== null };
  if (limits.isLimited(edited)) return 'limited';
  // An imported article is a member's own message, which the bot cannot edit.
  if (await isImported(store, guild, id)) return 'shown';
  const of = client.guilds.cache.get(guild);
  if (of === undefined) return 'refused';
  const target = { guild, channel: article.channel };
  const route = Routes.channelMessage(article.channel, id);
  let isEdited = false;
  try {
    const message = readOne(await requests.get(target, route));
    if (!requests.see(message)) return 'shown';
    const { shown, isOfArticle, isUpToDate, beside } = compareMessage(article, message);
    if (!isOfArticle) return 'shown';
    const locale = languageOfGuild(await rules.read(guild), of);
    if (removed ? shown !== null : !isUpToDate) {
      const content = articleMessage({ ...article, beside }, locale);
      const body = removed
        ? removedMessage(removed, locale)
        : { content, allowed_mentions: { parse: [] } };
      const edit = () => limits.edit(edited, () => requests.patch(target, route, body));
      // A moderator or its poster took it away, so it is not to wait until somebody opens the thread.
      await (removed ? inOpenThread(requests, target, edit) : edit());
      isEdited = true;
    }
    const name = removed
      ? nameAfterRemoval(message.thread, locale)
      : wantedName(message.thread, article, shown?.title);
    const isNamed =
      !message.thread || name === null || (await renameThread(parts, guild, message.thread, name));
    // A recount brings an article's title. Nothing counts a removed one, whose title must go.
    if (removed && !isNamed) throw new Error('The thread of a removed article keeps its name.');
  } catch (error) {
    if (error instanceof ChannelRefused) return 'refused';
    if (error instanceof EditsLimited) return 'limited';
    if (!(error instanceof DiscordAPIError) || error.status >= 500) throw error;
    if (mayPassLater(error)) return 'refused';
    if (requests.isOfOutage(guild, error)) throw error;
    // Discord would refuse again for any other reason, so there is no retry.
    const isGone = isApiError(error, 'UnknownChannel', 'UnknownMessage');
    if (!isGone) log.warn({ ...fault(error), article: id }, 'A message cannot be edited.');
    // Its moderator was told that it is tried again.
    if (!isGone && removed !== null) return 'refused';
  }
  return isEdited ? 'edited' : 'shown';
}

/**
 * The thread is archived, or a filter of words or links holds the text back. Discord may allow the edit later.
 */
function mayPassLater(error: unknown): boolean {
  return isApiError(
    error,
    'InvalidActionOnArchivedThread',
    'MessageWasBlockedByAutomaticModeration',
    'MessageBlockedByHarmfulLinksFilter',
  );
}

/** The article's title, unless the thread has it or a moderator named it otherwise. */
function wantedName(
  thread: APIMessage['thread'],
  article: Pick<Article, 'title' | 'link'>,
  before: string | undefined,
): string | null {
  const { title, link } = article;
  const isOld =
    before !== undefined &&
    before !== title &&
    thread?.name === threadName({ title: before, link });
  return isOld || lacksTitle(thread, article) ? threadName(article) : null;
}

/** Neutral words, whoever named it: the name can tell what was removed. Null if it has them. */
function nameAfterRemoval(thread: APIMessage['thread'], locale: string | null): string | null {
  return isRemovedThreadName(thread?.name) ? null : removedThreadName(locale);
}

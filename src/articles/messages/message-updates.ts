import { setTimeout as pause } from 'node:timers/promises';
import { type APIMessage, type Client, DiscordAPIError, Routes } from 'discord.js';
import { type Clock, HOUR_MS } from '../../clock.ts';
import { remember } from '../../discord/remember.ts';
import { fault, type Log } from '../../log.ts';
import { type Article, readArticle, readArticles } from '../../ranking/articles/articles.ts';
import { removalOf } from '../../records/audit-log.ts';
import { isImported } from '../../records/history/imported.ts';
import type { Store } from '../../redis/store.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { readRemoved } from '../../ranking/articles/removed.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { articleMessage, carriedBy, readArticleMessage } from './message.ts';
import { isApiError } from '../../discord/api-errors.ts';
import type { PacedRequests } from '../../discord/requests/paced-requests.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import type { OwnMessages } from '../../discord/requests/own-messages.ts';
import type { GuildRules } from '../../eligibility/guild-rules.ts';
import { languageOfGuild } from '../../records/settings.ts';
import { removedMessage } from './removed-message.ts';
import { lacksTitle, renameThread } from './thread-name.ts';

/** Edits articles' messages to match the ranking. The reactions show the tally, so votes edit nothing. */
export type MessageUpdates = {
  /** Call it after a change that the message shows. Edits the message soon, with a few retries. */
  note(guild: Snowflake, article: Snowflake): void;
  /**
   * Edits the message now unless it is up to date. `closed`: shows the tally as the result, even if the
   * ranking has the voting open. `refused`: Discord does not allow the edit for now.
   */
  show(
    guild: Snowflake,
    article: Snowflake,
    as?: { closed: boolean },
  ): Promise<'shown' | 'refused'>;
  /** Discord refused an edit less than an hour ago. */
  isResting(article: Snowflake): boolean;
  stop(): Promise<void>;
};

const RETRY_MS = 15_000;
/** After that, the hourly recount finds outdated messages. */
const TRIES_AT_MOST = 5;
const REST_MS = HOUR_MS;
const REMEMBERED_AT_MOST = 10_000;

type Subject = { article: Article; removed: boolean };

export function openMessageUpdates(options: {
  client: Client;
  ranking: Ranking;
  store: Store;
  ownMessages: OwnMessages;
  requests: PacedRequests;
  rules: GuildRules;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
}): MessageUpdates {
  const { client, ranking, store, ownMessages, requests, rules, clock, log, stopping } = options;
  /** Articles whose message is being edited; `again` after another change in the meantime. */
  const working = new Map<Snowflake, { again: boolean; done: Promise<void> }>();
  /** Articles whose message shows ★ or is about to, as far as this process knows. */
  const starred = new Map<Snowflake, true>();
  const refusedAtMs = new Map<Snowflake, number>();

  // A vote can make an article interesting. Changes arrive in batches, outside the path of votes.
  const unlisten = ranking.changes.listen((guild, ids) => {
    if (ids.length === 0 || stopping.aborted) return;
    readArticles(ranking, guild, ids).then(
      (articles) => {
        for (const article of articles) {
          if (!article || article.closed || article.interesting === starred.has(article.id))
            continue;
          note(guild, article.id);
        }
      },
      () => {
        // The hourly recount compares every open article with its message.
      },
    );
  });

  function note(guild: Snowflake, article: Snowflake): void {
    if (stopping.aborted) return;
    const known = working.get(article);
    if (known) {
      known.again = true;
      return;
    }
    const entry = { again: false, done: Promise.resolve() };
    working.set(article, entry);
    entry.done = work(guild, article, entry)
      .catch((error: unknown) => {
        if (!stopping.aborted)
          log.warn({ ...fault(error), article }, 'A message is not up to date.');
      })
      .finally(() => working.delete(article));
  }

  async function work(guild: Snowflake, id: Snowflake, entry: { again: boolean }): Promise<void> {
    for (let tries = 1; ; ) {
      entry.again = false;
      try {
        await show(guild, id);
        if (!entry.again) return;
      } catch (error) {
        if (tries >= TRIES_AT_MOST) throw error;
        await pause(RETRY_MS * tries, undefined, { signal: stopping });
        tries += 1;
      }
    }
  }

  async function show(
    guild: Snowflake,
    id: Snowflake,
    as?: { closed: boolean },
  ): Promise<'shown' | 'refused'> {
    const subject = await read(guild, id);
    if (!subject) return 'shown';
    const { removed } = subject;
    const article = { ...subject.article, ...(as?.closed ? { closed: true } : {}) };
    // Before the requests, so that further votes meanwhile do not ask for the same again.
    if (article.interesting && !article.closed && !removed)
      remember(starred, id, true, REMEMBERED_AT_MOST);
    else starred.delete(id);
    // An imported article is a member's own message, which the bot cannot edit.
    if (await isImported(store, guild, id)) return 'shown';
    const of = client.guilds.cache.get(guild);
    if (of === undefined) return refuse(id);
    const place = { guild, channel: article.channel };
    const route = Routes.channelMessage(article.channel, id);
    try {
      const message = (await requests.get(place, route)) as APIMessage;
      if (!ownMessages.see(message)) return 'shown';
      if (removed ? readArticleMessage(message) !== null : !isUpToDate(article, message)) {
        const locale = languageOfGuild(await rules.read(guild), of);
        const body = removed
          ? removedMessage(await removalOf(store, guild, id), locale)
          : bodyOf(article, message, locale);
        await requests.patch(place, route, body);
        const shown = { thread: message.thread, title: readArticleMessage(message)?.title };
        if (!removed) await renameThread({ requests, log }, guild, article, shown);
      }
    } catch (error) {
      if (error instanceof ChannelRefused) return refuse(id);
      if (!(error instanceof DiscordAPIError) || error.status >= 500) throw error;
      if (mayPassLater(error)) return refuse(id);
      // Discord would refuse again for any other reason, so there is no retry.
      const isGone = isApiError(error, 'UnknownChannel', 'UnknownMessage');
      if (!isGone) log.warn({ ...fault(error), article: id }, 'A message cannot be edited.');
    }
    refusedAtMs.delete(id);
    return 'shown';
  }

  function refuse(article: Snowflake): 'refused' {
    remember(refusedAtMs, article, clock.now(), REMEMBERED_AT_MOST);
    return 'refused';
  }

  /** A removed article still has a message, which shows the removal. */
  async function read(guild: Snowflake, id: Snowflake): Promise<Subject | null> {
    const article = await readArticle(ranking, guild, id);
    if (article) return { article, removed: false };
    const removed = await readRemoved(ranking, guild, id);
    return removed && { article: removed.article, removed: true };
  }

  return {
    note,
    show,
    isResting: (article) => clock.now() - (refusedAtMs.get(article) ?? -Infinity) < REST_MS,
    async stop() {
      unlisten();
      await Promise.allSettled([...working.values()].map(({ done }) => done));
    },
  };
}

/**
 * The thread is archived, too many old messages were edited, or a filter of words or links holds the text
 * back. Discord may allow the edit later.
 */
function mayPassLater(error: unknown): boolean {
  return isApiError(
    error,
    'InvalidActionOnArchivedThread',
    'MaximumNumberOfEditsToMessagesOlderThanOneHourReached',
    'MessageWasBlockedByAutomaticModeration',
    'MessageBlockedByHarmfulLinksFilter',
  );
}

/** Whether the bot's message of an article and its thread are up to date, in any language. */
export function isUpToDate(article: Article, message: APIMessage): boolean {
  if (lacksTitle(message.thread, article)) return false;
  const shown = readArticleMessage(message);
  const wanted = readArticleMessage(bodyOf(article, message, null));
  return shown !== null && JSON.stringify(shown) === JSON.stringify(wanted);
}

function bodyOf(
  article: Article,
  message: APIMessage,
  locale: string | null,
): { content: string; allowed_mentions: { parse: never[] } } {
  // A tombstone does not contain `beside`. Only an article beside a member's own message is a reply
  // without an interaction: a late answer to a command is a reply too, but has one.
  const answers = message.message_reference !== undefined && !message.interaction_metadata;
  const beside = readArticleMessage(message)?.beside ?? answers;
  const carried = { ...carriedBy(article, beside), closesAtMs: article.closesAtMs };
  return { content: articleMessage(carried, locale).content, allowed_mentions: { parse: [] } };
}

import { type APIMessage, type APIThreadChannel, type Client, Routes } from 'discord.js';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { isApiError, isLastingRefusal, isRefusal } from '../../discord/api-errors.ts';
import { readOne } from '../../discord/requests/read-messages.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { reactionOf } from '../../discord/vote-emoji.ts';
import { inOpenThread } from '../../discord/requests/archived-threads.ts';
import { missingPermissions } from '../../discord/access/permissions.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import type { Due } from '../../due/due.ts';
import type { Held, Next } from '../../due/kind.ts';
import type { GuildRules } from '../../community/guild-rules.ts';
import { fault, type Log } from '../../runtime/log.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { readRemoved, type Removed } from '../../ranking/articles/removed.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { FINAL_AFTER_MS, VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { isImported } from '../imported.ts';
import { languageOfGuild } from '../../community/settings.ts';
import type { Store } from '../../redis/store.ts';
import { isRemovedThreadName, removedThreadName, renameThread, threadName } from './thread-name.ts';
import { articleMessage, removedMessage } from './article-message.ts';
import { compareMessage, isSameComment, lacksTitle } from './compare-message.ts';
import { type EditLimits, EditsLimited, openEditLimits } from './edit-limits.ts';

/** Edits use few of Discord's requests, and wait for each other in a channel. */
const SIDE_BY_SIDE = 20;
const OF_GUILD = 4;
const LIMITED = { why: 'fault', detail: 'Discord takes no more edits of older messages.' };
const REFUSED = { why: 'fault', detail: 'Discord refuses the edit.' };
const REST_MS = HOUR_MS;
/** For so long after the last of its changes, what Discord refuses is tried each hour, and then each day. */
const RECENT_MS = 2 * DAY_MS;
/** How often a limit of edits is looked at, which asks Discord nothing. */
const AGAIN_MS = MINUTE_MS;

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
  /** Has what is to be shown shown. */
  due: Due;
}

/** Edits articles' messages to match the ranking. The reactions show the tally, so votes edit nothing. */
export interface MessageUpdates {
  /**
   * Has the message looked at, and edited where it is not up to date. After a change of the article its script has
   * planned that.
   */
  note(guild: Snowflake, article: Snowflake): void;
  /**
   * Shows a removal now, with the reason for it. False: it is not shown yet, and is tried again.
   */
  showRemoval(guild: Snowflake, article: Snowflake, reason: string): Promise<boolean>;
  /** Whoever shows the article next has this reason. Call it before the removal, which plans that. */
  giveReason(guild: Snowflake, article: Snowflake, reason: string): Promise<void>;
  /** Its poster changes the comment by `write`. What changes it otherwise, such as a forged file, is never shown. */
  comment<T>(guild: Snowflake, article: Snowflake, write: () => Promise<T>): Promise<T>;
}

/** The note that the poster changed the comment. */
const COMMENTED = { commented: '1' };

/** What the message is to show. */
type Wanted = { article: Article; removed: Removed | null };

/**
 * `refused`: Discord does not allow the edit for now. `limited`: it takes no edits of older messages in that
 * channel for some time. `unnamed`: the message shows the removal, and its thread has its old name.
 */
type Shown = 'shown' | 'refused' | 'limited' | 'unnamed';

export function openMessageUpdates(parts: MessageUpdatesNeeds): MessageUpdates {
  const { ranking, clock, due } = parts;
  const limits = openEditLimits(clock);

  /** Null if there is no such article any more. The message of a removed one shows the removal. */
  async function readWanted(guild: Snowflake, id: Snowflake): Promise<Wanted | null> {
    const present = await readArticle(ranking, guild, id);
    const removed = present ? null : await readRemoved(ranking, guild, id);
    const article = present ?? removed?.article;
    return article ? { article, removed } : null;
  }

  /** What changes meanwhile plans the row anew, so that it runs again. */
  async function run({ guild, id, notes }: Held): Promise<Next> {
    const wanted = await readWanted(guild, id);
    if (wanted === null) return { atMs: null };
    const now = clock.now();
    const outcome = await editMessage({ ...parts, limits }, guild, wanted, notes);
    const isLeft = outcome === 'limited' || outcome === 'refused';
    // What this try was told, the next one is told too.
    if (isLeft) await due.note(guild, `show:${id}`, Object.fromEntries(notes));
    switch (outcome) {
      case 'shown':
        return { atMs: wanted.removed && !areVotesFinal(wanted.article, now) ? finalMs(id) : null };
      case 'unnamed':
        return { atMs: now + AGAIN_MS };
      case 'limited':
        return { atMs: now + AGAIN_MS, trouble: LIMITED };
      case 'refused': {
        // It is never given up: a difference of which nothing is due would mean that the message is newer.
        const sinceMs = wanted.removed?.atMs ?? snowflakeTimeMs(id) + VOTING_OPEN_MS;
        const isRecent = now - sinceMs < RECENT_MS;
        return { atMs: now + (isRecent ? REST_MS : DAY_MS), trouble: REFUSED };
      }
      default:
        return outcome satisfies never;
    }
  }

  due.handle({ name: 'show', sideBySide: SIDE_BY_SIDE, ofGuild: OF_GUILD, run });

  return {
    note(guild, article) {
      // Where Redis is away, the next recount finds the difference again.
      void due.plan(guild, `show:${article}`, 0).catch(() => {});
    },
    async showRemoval(guild, article, reason) {
      return (await due.now(guild, `show:${article}`, { reason })) === null;
    },
    async giveReason(guild, article, reason) {
      await due.note(guild, `show:${article}`, { reason });
    },
    async comment(guild, article, write) {
      const row = `show:${article}`;
      await due.note(guild, row, COMMENTED);
      const written = await write();
      // Who took the note meanwhile may have shown the comment from before.
      if (await due.note(guild, row, COMMENTED)) await due.plan(guild, row, 0);
      return written;
    },
  };
}

/** Edits the message of an article unless it is up to date. Its notes say why it was removed. */
async function editMessage(
  parts: MessageUpdatesNeeds & { limits: EditLimits },
  guild: Snowflake,
  { article: stored, removed }: Wanted,
  notes: Held['notes'],
): Promise<Shown> {
  const { client, store, requests, rules, log, limits, due } = parts;
  const reason = notes.get('reason');
  let article = stored;
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
  try {
    const message = readOne(
      await (removed
        ? requests.ask(target, 'GET', () => client.rest.get(route))
        : requests.get(target, route)),
    );
    if (!requests.see(message)) return removed || reason !== undefined ? 'refused' : 'shown';
    let compared = compareMessage(article, message);
    const said = compared.shown;
    if (said && !notes.has('commented') && !isSameComment(said.comment, article.comment)) {
      // The message's counts, and a recount takes it from there.
      const { comment: _, ...others } = article;
      article = said.comment === undefined ? others : { ...others, comment: said.comment };
      compared = compareMessage(article, message);
    }
    const { shown, isOfArticle, isUpToDate, beside } = compared;
    if (!isOfArticle) return 'shown';
    const locale = languageOfGuild(await rules.read(guild), of);
    const content = articleMessage({ ...article, beside }, locale);
    const body = removed
      ? removedMessage({ ...removed, reason }, locale)
      : { content, allowed_mentions: { parse: [] } };
    // The reason is known to who removed it; an earlier look may have shown the removal without it.
    const lacksReason = reason !== undefined && message.content !== body.content;
    // Also without a thread: what happens before there is one is passed over then, and not told in it later.
    const isTold = message.thread !== undefined || article.interesting;
    if (isTold && !removed) await due.plan(guild, `tell:${id}`, 0);
    if (removed ? shown !== null || lacksReason : !isUpToDate) {
      const owned = { ...target, message: id };
      const edit = () =>
        limits.edit(edited, () =>
          removed
            ? requests.ask(owned, 'PATCH', () => client.rest.patch(route, { body }))
            : requests.patch(target, route, body),
        );
      // It was taken away, or its voting ended: neither is to wait until somebody opens the thread.
      const isLast = removed !== null || (article.closed && shown?.closed === false);
      await (isLast ? inOpenThread(requests, target, edit) : edit());
    }
    if (removed) {
      const channels = of.channels.cache;
      const place = channels.get(article.channel) ?? channels.get(article.home);
      const mayTakeVotes =
        areVotesFinal(article, parts.clock.now()) &&
        place !== undefined &&
        missingPermissions(place, ['ManageMessages']).length === 0;
      await takeReactions(requests, target, message, mayTakeVotes);
      if (await isWithoutThread(requests, guild, message)) return 'shown';
    }
    const name = removed
      ? nameAfterRemoval(message.thread, locale)
      : wantedName(message.thread, article, shown?.title);
    const isNamed =
      !message.thread || name === null || (await renameThread(parts, guild, message.thread, name));
    // A recount brings an article's title. Nothing counts a removed one, whose title must go.
    if (removed && !isNamed) return 'unnamed';
  } catch (error) {
    if (error instanceof ChannelRefused) return 'refused';
    if (error instanceof EditsLimited) return 'limited';
    if (!isRefusal(error)) throw error;
    // The thread is archived, or a filter of links holds the text back: Discord may allow it later.
    if (mayPassLater(error)) return 'refused';
    if (await requests.isOfOutage(target, error)) throw error;
    const isGone = isApiError(error, 'UnknownChannel', 'UnknownMessage');
    if (!isGone) log.warn({ ...fault(error), article: id }, 'A message cannot be edited.');
    if (!isGone) return 'refused';
  }
  return 'shown';
}

/** Whether no reaction changes an article's tally any more, also if it is restored. */
function areVotesFinal({ id, closed }: Article, now: number): boolean {
  return closed || now >= finalMs(id);
}

/** When the votes under what stands for a removed article are final (ms), so that it is looked at once more. */
export const finalMs = (article: Snowflake): number => snowflakeTimeMs(article) + FINAL_AFTER_MS;

/**
 * Takes the reactions from what stands for a removed article. A recount brings the bot's own to one that is restored.
 * Those of members are its votes then, so they stay until its tally is final.
 */
async function takeReactions(
  requests: Requests,
  target: { guild: Snowflake; channel: Snowflake },
  { id, reactions = [] }: APIMessage,
  mayTakeVotes: boolean,
): Promise<void> {
  const take = (route: `/${string}`) =>
    inOpenThread(requests, target, () => requests.delete(target, route));
  const isMembers = reactions.some(({ me, count }) => count > Number(me));
  if (mayTakeVotes && isMembers) {
    await take(Routes.channelMessageAllReactions(target.channel, id));
    return;
  }
  for (const { me, emoji } of reactions) {
    if (!me) continue;
    const name = encodeURIComponent(reactionOf(emoji));
    await take(Routes.channelMessageOwnReaction(target.channel, id, name));
  }
}

/** Takes the empty thread from what stands for a removed article; true: none is left. */
async function isWithoutThread(
  requests: Requests,
  guild: Snowflake,
  { id, thread }: APIMessage,
): Promise<boolean> {
  if (thread === undefined) return true;
  if ((thread as APIThreadChannel).message_count !== 0) return false;
  try {
    await requests.delete({ guild, channel: id }, Routes.channel(id));
    return true;
  } catch (error) {
    // Without Manage Threads it gets a name that says nothing.
    if (error instanceof ChannelRefused || isLastingRefusal(error)) return false;
    throw error;
  }
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

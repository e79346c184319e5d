import { type Client, type Guild, MessageFlags, RateLimitError, Routes } from 'discord.js';
import type { GuildRules } from '../community/guild-rules.ts';
import { languageOfGuild } from '../community/settings.ts';
import { readDigests } from '../digests/stored-digests.ts';
import { nextSlot, previousSlot } from '../digests/schedule/slots.ts';
import { isApiError, isEditLimit, isLastingRefusal } from '../discord/api-errors.ts';
import { MESSAGE_PERMISSIONS, missingPermissions } from '../discord/access/permissions.ts';
import { isListed } from '../discord/access/visibility.ts';
import { limits } from '../discord/limits.ts';
import { ChannelRefused, isContentRefused, isTextRefused } from '../discord/requests/refusals.ts';
import { readOne, readPage } from '../discord/requests/read-messages.ts';
import { nonceOf, NotOurs, type Requests } from '../discord/requests/requests.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { noteHeldBack, readMayName, refusedProbeMs } from '../articles/held-back/held-back.ts';
import { showWhatIsTaken } from '../articles/held-back/show-what-is-taken.ts';
import { itemContext } from '../articles/lists/item-context.ts';
import { optedOutAmong } from '../community/opted-out.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { HeldLease } from '../redis/lease.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { BOARD_SIZE, boardMessage, isBoard } from './board-message.ts';
import { type Act, nextAct, type Picture, PROBE_MS, rested, withRequest } from './board-rules.ts';
import { type BoardState, type BoardTrouble, readBoard, type StoredBoard } from './stored-board.ts';

/** What keeping one board up needs. */
export interface KeepUpNeeds {
  /** Tells how Discord limits the board's edits. */
  client: Client;
  /** Where boards and digests are. */
  store: Store;
  /** The articles that may be shown. */
  ranking: Ranking;
  /** The first pages of lists, from the process's memory. */
  lists: TopLists;
  /** The settings of each guild: its language. */
  rules: GuildRules;
  /** Requests that wait behind members' answers and digests. */
  requests: Requests;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be shown. */
  log: Log;
}

/** Whether a guild has a board, and when to look at it next. */
export type Known = {
  message: Snowflake | null;
  hasBoard: boolean;
  dueMs: number;
  /** The latest message of the board's channel that is known to be deleted, with all between it and the board. */
  deletedBelow: Snowflake | null;
  /** Another process took the board over while an edit was on its way, which may show what has left it since. */
  isUnsure: boolean;
};

/** An idle board is looked at this often, and a guild without one in case another process put one up. */
export const IDLE_MS = HOUR_MS;
/** The new board comes after the digest of that hour, below it. */
const AFTER_DIGEST_MS = 2 * MINUTE_MS;
/** Without a digest: three in the night, UTC. */
const NIGHT = { every: 'day', time: '03:00', zone: 'UTC' } as const;
/** Many guilds have the same hour: their boards come spread over this time. */
const SPREAD_MS = 10 * MINUTE_MS;
/** Articles that are read to find ten that may be shown. */
const CANDIDATES = 50;

/** A board that this process alone works on. */
export type Work = StoredBoard & { needs: KeepUpNeeds; guild: Guild; held: HeldLease };

/** What to do with a board, and when to look at it again. */
export async function lookAt(
  needs: KeepUpNeeds,
  guild: Guild,
  { choice, state }: StoredBoard,
  known: Known,
): Promise<Act> {
  const { store, clock } = needs;
  const now = clock.now();
  // What was begun comes to an end first.
  if (state.postingMs !== null || state.old !== null) return 'edit';
  if (state.deleted) return 'nothing';
  if (state.trouble !== null && now < state.restUntilMs) {
    known.dueMs = state.restUntilMs;
    return 'nothing';
  }
  const { lastMs, nextMs } = await replacements(store, guild.id, now);
  known.dueMs = Math.min(now + IDLE_MS, nextMs);
  const seen = await lookAtList(needs, guild, choice.channel);
  if (seen === null) return 'edit';
  const { picture } = seen;
  const mustLeave = known.isUnsure || (await hasLeft(needs, guild, choice.channel, state, picture));
  const hasSunk = seemsSunk(guild, choice.channel, state, known);
  const act = nextAct(asKnown(state, known), picture, {
    now,
    replaceFromMs: lastMs,
    hasSunk,
    mustLeave,
  });
  // Something is to be shown later: a minute later is early enough to see whether it may be now.
  if (act === 'nothing' && picture.shown !== state.shown) known.dueMs = now + MINUTE_MS;
  return act;
}

/** Does what is wanted, as the only process. Returns the state afterwards. */
export async function bringUpToDate(
  work: Work,
  known: Known,
  isAsked: boolean,
): Promise<BoardState> {
  const { needs, guild, choice, state } = work;
  const { clock, requests, client } = needs;
  const now = clock.now();
  const { channel } = choice;
  const target = { guild: guild.id, channel };
  const place = guild.channels.cache.get(channel);
  if (place === undefined) return inTrouble(work, known, { reason: 'gone', detail: '' });
  const lack = missingPermissions(place, MESSAGE_PERMISSIONS);
  if (lack.length > 0) return inTrouble(work, known, { reason: 'missing', detail: lack.join() });
  const seen = await lookAtList(needs, guild, channel);
  if (seen === null) return inTrouble(work, known, { reason: 'gone', detail: '' });
  const { picture } = seen;
  let isLimited = false;
  /** discord.js sends a limited request again by itself; the board rests afterwards. */
  const listening = ({ path }: { path: string }, { status }: { status: number }): void => {
    if (status === 429 && path.startsWith(Routes.channelMessages(channel))) isLimited = true;
  };
  client.rest.on('response', listening);
  try {
    let current = state.postingMs === null ? asKnown(state, known) : await recovered(work);
    if (current.old !== null) current = await withoutOld({ ...work, state: current });
    const { lastMs } = await replacements(needs.store, guild.id, now);
    const mustLeave = known.isUnsure || (await hasLeft(needs, guild, channel, current, picture));
    const asked: Act = current.message === null ? 'post' : 'edit';
    const at = { now, replaceFromMs: lastMs, mustLeave, hasSunk: false };
    at.hasSunk = seemsSunk(guild, channel, current, known);
    let act = isAsked ? asked : nextAct(current, picture, at);
    if (act === 'replace' && at.hasSunk && !mustLeave) {
      current = await saved({ ...work, state: current }, withRequest(current, now));
      at.hasSunk = await isSunk({ ...work, state: current }, known);
      act = nextAct(current, picture, at);
    }
    if (act === 'nothing') return await saved({ ...work, state: current }, { trouble: null });
    const spent = withRequest(current, now);
    const well = { trouble: null, ...(isLimited ? {} : { restMs: 0, restUntilMs: 0 }) };
    if (act === 'edit' && current.message !== null) {
      current = await saved({ ...work, state: current }, spent);
      const route = Routes.channelMessage(channel, current.message!);
      const edited = await sendBoard({ ...work, state: current }, seen, async (body) => {
        await requests.patch(target, route, body);
        return current.message!;
      });
      const changed = current.changed || current.shown !== edited.shown.shown;
      const rest = isLimited ? rested(current, now) : well;
      return await saved(
        { ...work, state: edited.state },
        { ...edited.shown, ...well, ...rest, editedAtMs: now, changed },
      );
    }
    // From here on, the next process looks in the channel for what this one may have posted.
    current = await saved({ ...work, state: current }, { ...spent, postingMs: now });
    const posting = await sendBoard({ ...work, state: current }, seen, async (body) => {
      const sent = await requests.post(target, Routes.channelMessages(channel), {
        ...body,
        flags: MessageFlags.SuppressNotifications,
        nonce: nonceOf(guild.id, 'board', now),
        enforce_nonce: true,
      });
      return readOne(sent).id;
    });
    const { shown, message } = posting;
    const posted = { message, old: current.message, postingMs: null };
    const times = { postedAtMs: now, editedAtMs: now, changed: false, deleted: false };
    current = await saved(
      { ...work, state: posting.state },
      { ...shown, ...well, ...posted, ...times, ...(isLimited ? rested(current, now) : {}) },
    );
    return current.old === null ? current : await withoutOld({ ...work, state: current });
  } catch (error) {
    return await afterError(work, known, error);
  } finally {
    if (work.held.signal.aborted) known.isUnsure = true;
    client.rest.off('response', listening);
  }
}

/** What the board shows is not what is stored of it where an edit may have overwritten a newer one. */
function asKnown(state: BoardState, { isUnsure }: Known): BoardState {
  return isUnsure ? { ...state, shown: '' } : state;
}

/** A board has few requests in an hour. With so many, Discord may refuse up to five of ten articles. */
const TRIES_AT_MOST = 20;

type Sent = {
  message: Snowflake;
  shown: Pick<BoardState, 'articles' | 'named' | 'shown'>;
  state: BoardState;
};

/**
 * Sends the board, with all articles that Discord takes. Where it refuses the message with all of them, it is
 * sent with a part, and the others are added to it, at last those that the board has not shown before.
 * `send` sends the first one, and returns its message.
 */
async function sendBoard(
  work: Work,
  seen: Seen,
  send: (body: object) => Promise<Snowflake>,
): Promise<Sent> {
  const { needs, guild, choice } = work;
  const target = { guild: guild.id, channel: choice.channel };
  const now = needs.clock.now();
  let { state } = work;
  let done: Pick<Sent, 'message' | 'shown'> | null = null;

  async function sendSeen({ content, picture }: Seen) {
    const { body } = boardMessage(content, now);
    if (done === null) done = { message: await send(body), shown: shownIn({ content, picture }) };
    else {
      const { message } = done;
      await needs.requests.patch(target, Routes.channelMessage(target.channel, message), body);
      done = { message, shown: shownIn({ content, picture }) };
    }
    return done;
  }

  try {
    return { ...(await sendSeen(seen)), state };
  } catch (error) {
    if (!isContentRefused(error)) throw error;
    const isNew = ({ id }: Article) => Number(!state.articles.includes(id));
    const look = (mayShow: (article: Article) => boolean) =>
      lookAtList(needs, guild, target.channel, mayShow);
    const found = await showWhatIsTaken({
      async wanted(refused) {
        const whole = await look(({ id }) => !refused.has(id));
        const articles = whole?.content.articles ?? [];
        return articles.toSorted((a, b) => isNew(a) - isNew(b)).map(({ id }) => id);
      },
      async show(only) {
        const part = await look(({ id }) => only.has(id));
        if (part === null || part.picture.articles.length === 0) return 'empty';
        try {
          await sendSeen(part);
        } catch (again) {
          if (isContentRefused(again)) return 'refused';
          throw again;
        }
        state = await saved({ ...work, state }, withRequest(state, now));
        return 'taken';
      },
      triesAtMost: TRIES_AT_MOST,
    });
    // Its reason may be none of an article's.
    if (done === null) throw error;
    const locale = await localeOf(needs, guild);
    const most = found.isOfNumber ? found.taken.size : null;
    const refusal = { code: String(error.code), locale, now, by: choice.savedBy, most };
    await noteHeldBack(needs, target, [...found.refused], refusal);
    return { ...(done as Pick<Sent, 'message' | 'shown'>), state };
  }
}

function shownIn({ content, picture }: Seen): Sent['shown'] {
  const { articles, unnamed } = content;
  const posters = new Set(articles.map(({ poster }) => poster));
  const named = [...posters].filter((poster) => !unnamed.has(poster));
  return { articles: [...picture.articles], named, shown: picture.shown };
}

/** Writes down what an error of Discord means for the board. Rethrows what may pass in a minute. */
async function afterError(work: Work, known: Known, error: unknown): Promise<BoardState> {
  const { needs, guild } = work;
  const state = (await readBoard(needs.store, guild.id))?.state ?? work.state;
  const current = { ...work, state };
  const now = needs.clock.now();
  if (isEditLimit(error)) {
    const atLeastMs = error instanceof RateLimitError ? error.retryAfter : 0;
    known.dueMs = now + MINUTE_MS;
    return saved(current, { ...rested(state, now, atLeastMs), postingMs: null });
  }
  if (isApiError(error, 'UnknownMessage')) {
    needs.log.info({ guild: guild.id }, 'A board was deleted by hand, and stays away.');
    return saved(current, { message: null, articles: [], named: [], shown: '', deleted: true });
  }
  if (needs.requests.isOfOutage(guild.id, error)) throw error;
  if (isApiError(error, 'UnknownChannel')) {
    return inTrouble(current, known, { reason: 'gone', detail: '' });
  }
  // Somebody else's message, such as from a file of another bot: it is left alone.
  if (error instanceof NotOurs) return saved(current, { message: null, shown: '', postingMs: now });
  if (error instanceof ChannelRefused) {
    return inTrouble(current, known, { reason: 'refused', detail: '' });
  }
  if (!isLastingRefusal(error)) throw error;
  const reason = isTextRefused(error) ? 'text' : 'refused';
  const isContent = isContentRefused(error);
  return inTrouble(current, known, { reason, detail: String(error.code), isContent });
}

/**
 * The board rests, and tries again in an hour; where only permissions are missing, which asks nothing, in a minute.
 * `isContent`: Discord takes none of the articles, and each try looks for one that it takes.
 */
async function inTrouble(
  work: Work,
  known: Known,
  {
    reason,
    detail,
    isContent = false,
  }: Pick<BoardTrouble, 'reason' | 'detail'> & { isContent?: boolean },
): Promise<BoardState> {
  const { needs, guild, choice, state } = work;
  const now = needs.clock.now();
  const isNew = state.trouble === null;
  if (isNew) {
    const about = { guild: guild.id, channel: choice.channel, reason, detail };
    needs.log.warn(about, 'A board cannot be shown.');
  }
  const sinceMs = state.trouble?.sinceMs ?? now;
  const probeMs = isContent ? refusedProbeMs(now - sinceMs) : PROBE_MS;
  const againMs = now + (reason === 'missing' ? MINUTE_MS : probeMs);
  known.dueMs = againMs;
  return saved(work, {
    trouble: { reason, detail, sinceMs },
    restUntilMs: againMs,
    postingMs: null,
  });
}

/**
 * Looks for a board among the newest messages of the channel: this or another process may have posted it,
 * or the guild's data comes from a file.
 */
async function recovered(work: Work): Promise<BoardState> {
  const { needs, guild, choice, state } = work;
  const { requests, clock } = needs;
  const target = { guild: guild.id, channel: choice.channel };
  const query = { limit: String(limits.pageSize) };
  const now = clock.now();
  const spent = withRequest(state, now);
  const route = Routes.channelMessages(choice.channel);
  const page = readPage(await requests.get(target, route, query));
  const [found, older] = page.messages
    .filter((message) => requests.see(message) && isBoard(message))
    .filter(({ id }) => id !== state.message)
    .sort((a, b) => snowflakeTimeMs(b.id) - snowflakeTimeMs(a.id));
  if (found === undefined) return saved(work, { ...spent, postingMs: null });
  return saved(work, {
    ...spent,
    postingMs: null,
    message: found.id,
    old: state.message ?? older?.id ?? null,
    postedAtMs: snowflakeTimeMs(found.id),
    // What it shows is unknown, so that the next look edits it.
    shown: '',
  });
}

/** Deletes the message that a newer one has replaced. */
async function withoutOld(work: Work): Promise<BoardState> {
  const { needs, guild, choice, state } = work;
  const { channel } = choice;
  const now = needs.clock.now();
  const spent = withRequest(state, now);
  try {
    await needs.requests.delete(
      { guild: guild.id, channel },
      Routes.channelMessage(channel, state.old ?? ''),
    );
  } catch (error) {
    const isOver = isApiError(error, 'UnknownMessage') || error instanceof NotOurs;
    if (!isOver) throw error;
  }
  return saved(work, { ...spent, old: null });
}

/** Deletes the messages of a board that is taken down or moved. One that cannot be deleted stays. */
export async function deleteMessages(
  { requests, log }: KeepUpNeeds,
  guild: Snowflake,
  { choice, state }: StoredBoard,
): Promise<void> {
  const { channel } = choice;
  for (const message of [state.message, state.old]) {
    if (message === null) continue;
    await requests
      .delete({ guild, channel }, Routes.channelMessage(channel, message))
      .catch(() => log.info({ guild, channel, message }, 'An earlier board was not deleted.'));
  }
}

export async function saved(work: Work, change: Partial<BoardState>): Promise<BoardState> {
  const { needs, guild, held, state } = work;
  const next = { ...state, ...change };
  await held.write(storeKeys(needs.store, guild.id).board, { state: JSON.stringify(next) });
  return next;
}

type Seen = NonNullable<Awaited<ReturnType<typeof lookAtList>>>;

async function localeOf({ rules }: KeepUpNeeds, guild: Guild): Promise<string> {
  return languageOfGuild(await rules.read(guild.id), guild) ?? 'en';
}

/** What the board shows now; null if its channel is gone. What Discord holds back there is left out. */
async function lookAtList(
  needs: KeepUpNeeds,
  guild: Guild,
  channelId: Snowflake,
  isChosen: (article: Article) => boolean = () => true,
) {
  const { lists, store, clock } = needs;
  const channel = guild.channels.cache.get(channelId);
  if (channel === undefined) return null;
  const isPublic = isListed(channel);
  const group = isPublic ? null : channelId;
  const list = { guild: guild.id, group, order: 'score', page: 1, pageSize: CANDIDATES } as const;
  const { articles: found } = await lists.page(list);
  const isFree = await readMayName(store, { guild: guild.id, channel: channelId }, clock.now());
  const articles = found
    .filter((one) => mayShow(one, channelId, isPublic) && isFree(one) && isChosen(one))
    .slice(0, BOARD_SIZE);
  const locale = await localeOf(needs, guild);
  const of = { guild: guild.id, locale, ages: 'lasting', group } as const;
  const { replies, unnamed } = await itemContext(needs, articles, of);
  const content = {
    guild: guild.id,
    name: guild.name,
    locale,
    group,
    articles,
    replies,
    unnamed,
  };
  const { shown } = boardMessage(content, clock.now());
  return { content, picture: { articles: articles.map(({ id }) => id), shown } };
}

/** A channel that not everyone may view holds its own articles and those that everyone may see. */
function mayShow({ listed, home }: Article, channel: Snowflake, isPublic: boolean): boolean {
  return listed || (!isPublic && home === channel);
}

/** Whether messages seem to follow the board. Discord does not say so when the last ones are deleted. */
function seemsSunk(
  guild: Guild,
  channelId: Snowflake,
  { message }: BoardState,
  { deletedBelow }: Known,
): boolean {
  const channel = guild.channels.cache.get(channelId);
  const last = channel?.isTextBased() ? channel.lastMessageId : null;
  if (last === null || message === null || last === deletedBelow) return false;
  return BigInt(last) > BigInt(message);
}

/** Whether messages follow the board, by the channel's own list of them. */
async function isSunk({ needs, guild, choice, state }: Work, known: Known): Promise<boolean> {
  const { channel } = choice;
  const place = guild.channels.cache.get(channel);
  // Discord would answer with an empty list.
  if (!place || missingPermissions(place, ['ReadMessageHistory']).length > 0) return true;
  const deletedBelow = place.isTextBased() ? place.lastMessageId : null;
  const query = { after: state.message ?? '', limit: '1' };
  const target = { guild: guild.id, channel };
  const found = await needs.requests.get(target, Routes.channelMessages(channel), query);
  if (readPage(found).length > 0) return true;
  known.deletedBelow = deletedBelow;
  return false;
}

/** Whether the board shows what was removed, hidden or erased since, or names a member who opted out. */
async function hasLeft(
  { ranking, store }: KeepUpNeeds,
  guild: Guild,
  channelId: Snowflake,
  state: BoardState,
  { articles }: Picture,
): Promise<boolean> {
  const channel = guild.channels.cache.get(channelId);
  const isPublic = channel !== undefined && isListed(channel);
  const missing = state.articles.filter((id) => !articles.includes(id));
  const [found, optedOut] = await Promise.all([
    readArticles(ranking, guild.id, missing),
    optedOutAmong(store, guild.id, state.named),
  ]);
  if (optedOut.size > 0) return true;
  return found.some((article) => article === null || !mayShow(article, channelId, isPublic));
}

/** A part of the time that differs from guild to guild, and is the same in every process. */
export function partOf(guild: Snowflake, ms: number): number {
  return Number((BigInt(guild) >> 22n) % BigInt(ms));
}

/** When the board is replaced by a new message: at the hour of the guild's first digest, or at night. */
async function replacements(
  store: Store,
  guild: Snowflake,
  now: number,
): Promise<{ lastMs: number; nextMs: number }> {
  const [first] = await readDigests(store, guild);
  const schedule = first ? { ...NIGHT, ...pick(first.digest.schedule) } : NIGHT;
  const afterMs = AFTER_DIGEST_MS + partOf(guild, SPREAD_MS);
  const last = previousSlot(schedule, now - afterMs + 1);
  const next = nextSlot(schedule, now - afterMs);
  return { lastMs: last.atMs + afterMs, nextMs: next.atMs + afterMs };
}

function pick({ time, zone }: { time: string; zone: string }) {
  return { time, zone };
}

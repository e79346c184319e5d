import { type Client, type Guild, MessageFlags, Routes } from 'discord.js';
import { MESSAGE_PERMISSIONS, missingPermissions } from '../discord/access/permissions.ts';
import { isApiError } from '../discord/api-errors.ts';
import { limits } from '../discord/limits.ts';
import { readOne, readPage } from '../discord/requests/read-messages.ts';
import { nonceOf, NotOurs } from '../discord/requests/requests.ts';
import { HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import { compareIds, type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { boardMessage, isBoard } from './board-message.ts';
import { areLinksRefused } from '../discord/requests/refusals.ts';
import { type Act, nextAct, type Picture, rested, withRequest } from './board-rules.ts';
import { replacements } from './replacement.ts';
import { hasLeft, type ListNow, readListNow } from './list-now.ts';
import { type BoardState, readBoard, type StoredBoard } from './stored-board.ts';
import { seemsSunk } from './sunk.ts';
import { afterError, inTrouble } from './trouble.ts';
import { type KeepUpNeeds, type Known, saved, type Work } from './work.ts';

/** An idle board is looked at this often, and a guild without one in case another process put one up. */
export const IDLE_MS = HOUR_MS;

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
  const list = await readListNow(needs, guild, choice.channel);
  if (list === null) return 'edit';
  const { picture } = list;
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
  const { needs, guild, choice } = work;
  const place = guild.channels.cache.get(choice.channel);
  if (place === undefined) return inTrouble(work, known, { reason: 'gone', detail: '' });
  const lack = missingPermissions(place, MESSAGE_PERMISSIONS);
  if (lack.length > 0) return inTrouble(work, known, { reason: 'missing', detail: lack.join() });
  const list = await readListNow(needs, guild, choice.channel);
  if (list === null) return inTrouble(work, known, { reason: 'gone', detail: '' });
  const limit = watchLimit(needs.client, choice.channel);
  try {
    const finished = { ...work, state: await finishBegun(work, known) };
    const { act, state } = await decide(finished, known, list.picture, isAsked);
    const decided = { ...work, state };
    if (act === 'nothing') return await saved(decided, { trouble: null });
    const { state: sent, change } =
      act === 'edit' && state.message !== null
        ? await edit(decided, list, state.message)
        : await post(decided, list);
    const rest = limit.isMet() ? rested(state, needs.clock.now()) : { restMs: 0, restUntilMs: 0 };
    const next = { ...change, trouble: null, ...rest };
    const current = await saved({ ...work, state: sent }, next).catch(async (error: unknown) => {
      await deleteUnwanted(work, { ...sent, ...next });
      throw error;
    });
    return current.old === null ? current : await withoutOld({ ...work, state: current });
  } catch (error) {
    return await afterError(work, known, error);
  } finally {
    if (work.held.signal.aborted) known.isUnsure = true;
    limit.close();
  }
}

/** Whether Discord limited a request to the channel. discord.js sends it again by itself; the board rests afterwards. */
function watchLimit(client: Client, channel: Snowflake) {
  let isMet = false;
  const listen = ({ path }: { path: string }, { status }: { status: number }): void => {
    if (status === 429 && path.startsWith(Routes.channelMessages(channel))) isMet = true;
  };
  client.rest.on('response', listen);
  return { isMet: () => isMet, close: () => client.rest.off('response', listen) };
}

/** What this or another process began comes to an end first. */
async function finishBegun(work: Work, known: Known): Promise<BoardState> {
  const { state } = work;
  const current =
    state.postingMs === null ? asKnown(state, known) : (await search(work, known)).state;
  return current.old === null ? current : await withoutOld({ ...work, state: current });
}

/** What to do now, and the state after what had to be asked for it. */
async function decide(
  work: Work,
  known: Known,
  picture: Picture,
  isAsked: boolean,
): Promise<{ act: Act; state: BoardState }> {
  const { needs, guild, choice, state } = work;
  const now = needs.clock.now();
  if (isAsked) return { act: state.message === null ? 'post' : 'edit', state };
  const { lastMs: replaceFromMs } = await replacements(needs.store, guild.id, now);
  const mustLeave = known.isUnsure || (await hasLeft(needs, guild, choice.channel, state, picture));
  const hasSunk = seemsSunk(guild, choice.channel, state, known);
  const at = { now, replaceFromMs, mustLeave, hasSunk };
  const act = nextAct(state, picture, at);
  if (act !== 'replace') return { act, state };
  const found = await search(work, known);
  // Redis has lost that it was replaced.
  if (found.state.message !== state.message) return { act: 'edit', state: found.state };
  at.hasSunk = hasSunk && found.isSunk;
  return { act: nextAct(found.state, picture, at), state: found.state };
}

/** What was sent, which is not yet written down, and the state that it changes. */
type Sent = { state: BoardState; change: Partial<BoardState> };

async function edit(work: Work, list: ListNow, message: Snowflake): Promise<Sent> {
  const { needs, guild, choice, state } = work;
  const target = { guild: guild.id, channel: choice.channel };
  const now = needs.clock.now();
  const spent = await saved(work, withRequest(state, now));
  const route = Routes.channelMessage(choice.channel, message);
  await send(list, now, (body) => needs.requests.patch(target, route, body));
  const shown = shownIn(list);
  const changed = spent.changed || spent.shown !== shown.shown;
  return { state: spent, change: { ...shown, editedAtMs: now, changed } };
}

async function post(work: Work, list: ListNow): Promise<Sent> {
  const { needs, guild, choice, state } = work;
  const target = { guild: guild.id, channel: choice.channel };
  const now = needs.clock.now();
  // From here on, the next process looks in the channel for what this one may have posted.
  const posting = await saved(work, { ...withRequest(state, now), postingMs: now });
  const posted = await send(list, now, (body) =>
    needs.requests.post(target, Routes.channelMessages(choice.channel), {
      ...body,
      flags: MessageFlags.SuppressNotifications,
      nonce: nonceOf(guild.id, 'board', now),
      enforce_nonce: true,
    }),
  );
  const isNew = { message: readOne(posted).id, old: posting.message, postingMs: null };
  const times = { postedAtMs: now, editedAtMs: now, changed: false, deleted: false };
  return { state: posting, change: { ...shownIn(list), ...isNew, ...times } };
}

/** Where Discord refuses a link, the titles lead to the articles' messages. */
async function send(
  { content }: ListNow,
  now: number,
  request: (body: object) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await request(boardMessage(content, now).body);
  } catch (error) {
    if (!areLinksRefused(error)) throw error;
    return request(boardMessage({ ...content, isPlain: true }, now).body);
  }
}

function shownIn({ content, picture }: ListNow): Pick<BoardState, 'articles' | 'named' | 'shown'> {
  const { articles, unnamed } = content;
  const posters = new Set(articles.map(({ poster }) => poster));
  const named = [...posters].filter((poster) => !unnamed.has(poster));
  return { articles: [...picture.articles], named, shown: picture.shown };
}

/** What the board shows is not what is stored of it where an edit may have overwritten a newer one. */
function asKnown(state: BoardState, { isUnsure }: Known): BoardState {
  return isUnsure ? { ...state, shown: '' } : state;
}

/**
 * Looks for a newer board among the newest messages of the channel: this or another process may have posted it,
 * the guild's data comes from a file, or Redis has lost what it was told. `isSunk`: messages follow the board.
 */
async function search(work: Work, known: Known): Promise<{ state: BoardState; isSunk: boolean }> {
  const { needs, guild, choice, state } = work;
  const { requests, clock } = needs;
  const { channel } = choice;
  const place = guild.channels.cache.get(channel);
  const lastMessage = place?.isTextBased() ? place.lastMessageId : null;
  const query = { limit: String(limits.pageSize) };
  const now = clock.now();
  const spent = { ...withRequest(state, now), postingMs: null };
  const target = { guild: guild.id, channel };
  const page = readPage(await requests.get(target, Routes.channelMessages(channel), query));
  const isNewer = ({ id }: { id: Snowflake }) => compareIds(id, state.message ?? '0') > 0;
  const [found, older] = page.messages
    .filter((message) => requests.see(message) && isBoard(message))
    .filter(isNewer)
    .sort((a, b) => compareIds(b.id, a.id));
  // Discord answers with an empty list where the bot may not read the history.
  const mayRead = place && missingPermissions(place, ['ReadMessageHistory']).length === 0;
  const isSunk = !mayRead || page.messages.some(isNewer);
  if (!isSunk) known.deletedBelow = lastMessage;
  if (found === undefined) return { state: await saved(work, spent), isSunk };
  const adopted = {
    ...spent,
    deleted: false,
    message: found.id,
    old: state.message ?? older?.id ?? null,
    postedAtMs: snowflakeTimeMs(found.id),
    // What it shows is unknown, so that the next look edits it.
    shown: '',
  };
  return { state: await saved(work, adopted), isSunk };
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

/** Whoever took the board down or moved it while a message was on its way does not know that message. */
async function deleteUnwanted({ needs, guild, choice }: Work, state: BoardState): Promise<void> {
  const wanted = await readBoard(needs.store, guild.id);
  if (wanted?.choice.channel === choice.channel) return;
  await deleteMessages(needs, guild.id, { choice, state });
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

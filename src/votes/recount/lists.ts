import { isDeepStrictEqual } from 'node:util';
import { type APIMessage, type APIUser, Routes } from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import { reactionOfSign } from '../../discord/vote-emoji.ts';
import { THUMBS } from '../../ranking/vote-signs.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Direction } from '../../ranking/row.ts';
import { compareIds, type Snowflake } from '../../runtime/snowflake.ts';
import { limits } from '../../discord/limits.ts';
import { countsOf, directions, type ReactionList, listsOf } from './counts.ts';
import type { ListedMembers } from '../seen-reactions.ts';
import type { Reactors } from './repairs.ts';
import { atSource } from '../sources.ts';
import { readMessage } from './messages.ts';
import type { Requests } from '../../discord/requests/requests.ts';

/** The lists that were read are not complete, so nothing may be concluded from them. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

type Of = Pick<Article, 'id' | 'channel' | 'poster' | 'up' | 'down' | 'signs'>;
/** A message with its counts. */
type Counted = Pick<APIMessage, 'reactions'>;
export type Reading = {
  reactors: Reactors;
  /** The message whose counts belong to the lists. */
  message: Counted;
  /** Each list with all who are in it, bots and the poster too. A variant without a list is shown by nobody. */
  lists: readonly ListedMembers[];
  /** The reactions of bots and of the poster under the article. */
  uncounted: readonly Uncounted[];
};
type Uncounted = { member: Snowflake; direction: Direction; emoji: string };

/**
 * Reads the members who show each reaction, without bots and the poster. Throws if a page fails, so the
 * result is complete. If a list is not as long as Discord's own count, the counts and lists are read again:
 * somebody may have voted meanwhile, or a page was short. If the lists are the same twice, the counts are
 * wrong. Null: members react while they are read, so they are read again a moment later. `source`: the message in which
 * the article was found, whose 👍 are read too.
 */
export async function readReactors(
  needs: { self: Snowflake; requests: Requests },
  guild: Snowflake,
  article: Of,
  message: Counted,
  source: Snowflake | null = null,
): Promise<Reading | null> {
  const first = await readLists(needs, guild, { ...article, source }, message);
  if (first.exact) return { ...first, message };
  const again = await readMessage(needs, guild, article.channel, article.id);
  if (!again) throw new Incomplete('The message is gone.');
  const second = await readLists(needs, guild, { ...article, source }, again);
  if (second.exact) return { ...second, message: again };
  const { signs } = article;
  const areListsSame = isDeepStrictEqual(first.reactors, second.reactors);
  const areCountsSame = isDeepStrictEqual(countsOf(message, signs), countsOf(again, signs));
  if (!areListsSame || !areCountsSame) return null;
  if (second.empty) throw new Incomplete('The lists of reactions are not what their counts say.');
  return { ...second, message: again };
}

async function readLists(
  needs: { self: Snowflake; requests: Requests },
  guild: Snowflake,
  article: Of & { source: Snowflake | null },
  message: Counted,
) {
  const reading = {
    reactors: { up: new Set<Snowflake>(), down: new Set<Snowflake>() },
    lists: [] as ListedMembers[],
    uncounted: [] as Uncounted[],
    /** Each list is as long as Discord's count. */
    exact: true,
    /** A list is empty although its count is not, as happens without Read Message History. */
    empty: false,
  };
  const { signs = THUMBS } = article;
  const lists = listsOf(message, signs);
  for (const direction of directions) {
    // Discord sometimes loses a count, so read the list of the plain emoji if there are such votes.
    const hasVotes = direction === 'up' ? article.up > 1 : article.down > 0;
    const emoji = reactionOfSign(signs[direction]);
    const plain = { direction, emoji, burst: false, count: 0 };
    const all = lists.filter((list) => list.direction === direction && list.count > 0);
    const isListed = all.some(({ emoji, burst }) => emoji === plain.emoji && !burst);
    for (const list of isListed || !hasVotes ? all : [plain, ...all]) {
      const found = await readList(needs, guild, article, list);
      if (found.length !== list.count) reading.exact = false;
      if (found.length === 0 && list.count > 0) reading.empty = true;
      reading.lists.push({ ...list, members: new Set(found.map(({ id }) => id)) });
      for (const { id, bot } of found) {
        if (bot !== true && id !== article.poster) reading.reactors[direction].add(id);
        else reading.uncounted.push({ member: id, direction, emoji: list.emoji });
      }
    }
  }
  const { source, channel, poster } = article;
  const said = source === null ? null : await readMessage(needs, guild, channel, source);
  // Beside its poster's own message, an article has its votes under itself.
  if (said === null || said.author.id === poster) return reading;
  for (const list of listsOf(said, signs)) {
    if (list.direction !== 'up' || list.count === 0) continue;
    const found = await readList(needs, guild, { channel, id: said.id }, list);
    if (found.length !== list.count) reading.exact = false;
    if (found.length === 0) reading.empty = true;
    const members = new Set(found.map(({ id }) => id));
    reading.lists.push({ ...list, emoji: atSource(list.emoji), members });
    for (const { id, bot } of found) {
      if (bot !== true && id !== poster && id !== said.author.id) reading.reactors.up.add(id);
    }
  }
  return reading;
}

/**
 * Reads pages by ascending user id, without the bot itself. A short page ends the list only if the
 * count agrees.
 */
export async function readList(
  { requests, self }: { self: Snowflake; requests: Requests },
  guild: Snowflake,
  { channel, id }: Pick<Article, 'channel' | 'id'>,
  { emoji, burst, count }: ReactionList,
): Promise<APIUser[]> {
  const route = Routes.channelMessageReaction(channel, id, encodeURIComponent(emoji));
  const found = new Map<Snowflake, APIUser>();
  for (let after = '0'; ; ) {
    const query = { limit: String(limits.pageSize), after, type: burst ? '1' : '0' };
    const asked = requests.get({ guild, channel }, route, query);
    const page = (await asked.catch((error: unknown) => {
      // Nobody has reacted with the emoji.
      if (isApiError(error, 'UnknownEmoji')) return [];
      throw error;
    })) as APIUser[];
    for (const user of page) if (user.id !== self) found.set(user.id, user);
    const last = page
      .map((user) => user.id)
      .sort(compareIds)
      .at(-1);
    const isShort = page.length < limits.pageSize && found.size >= count;
    if (last === undefined || isShort) return [...found.values()];
    if (compareIds(last, after) <= 0) throw new Incomplete('A page of reactions repeats itself.');
    after = last;
  }
}

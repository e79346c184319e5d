import { type APIMessage, type APIUser, Routes } from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import type { App } from '../../app.ts';
import { emojiOf } from '../../discord/vote-emoji.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Direction } from '../../ranking/row.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { limits } from '../../discord/limits.ts';
import { directions, type ReactionList, listsOf } from './counts.ts';
import type { Reactors } from './difference.ts';
import { readMessage } from './messages.ts';

/** The lists that were read are not complete, so nothing may be concluded from them. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

/** The members who show reactions, and the message whose counts belong to these lists. */
type Reading = { reactors: Reactors; message: Counted };

type Counted = Pick<APIMessage, 'reactions'>;
type Of = Pick<Article, 'id' | 'channel' | 'poster' | 'up' | 'down'>;

/**
 * Reads the members who show each reaction, without bots and the poster. Throws if a page fails, so the
 * result is complete. If a list is not as long as Discord's own count, the counts and lists are read
 * again: somebody may have voted meanwhile, or a page was short. If the lists are the same twice, the
 * counts are wrong.
 */
export async function readReactors(
  app: Pick<App, 'self' | 'requests'>,
  guild: Snowflake,
  article: Of,
  message: Counted,
): Promise<Reading> {
  const first = await readLists(app, guild, article, message);
  if (first.exact) return { reactors: votersOf(first.users, article), message };
  const again = await readMessage(app, guild, article.channel, article.id);
  if (!again) throw new Incomplete('The message is gone.');
  const second = await readLists(app, guild, article, again);
  if (!second.exact && (second.empty || !isSame(first.users, second.users))) {
    throw new Incomplete('The lists of reactions are not what their counts say.');
  }
  return { reactors: votersOf(second.users, article), message: again };
}

type Lists = {
  users: Record<Direction, Map<Snowflake, APIUser>>;
  /** Each list is as long as Discord's count. */
  exact: boolean;
  /** A list is empty although its count is not, as happens without Read Message History. */
  empty: boolean;
};

async function readLists(
  app: Pick<App, 'self' | 'requests'>,
  guild: Snowflake,
  article: Of,
  message: Counted,
): Promise<Lists> {
  const users = { up: new Map<Snowflake, APIUser>(), down: new Map<Snowflake, APIUser>() };
  const reading: Lists = { users, exact: true, empty: false };
  const lists = listsOf(message);
  for (const direction of directions) {
    // Discord sometimes loses a count, so read the list of the plain emoji if there are such votes.
    const hasVotes = direction === 'up' ? article.up > 1 : article.down > 0;
    const plain = { direction, emoji: emojiOf[direction], burst: false, count: 0 };
    const all = lists.filter((list) => list.direction === direction && list.count > 0);
    const isListed = all.some(({ emoji, burst }) => emoji === plain.emoji && !burst);
    for (const list of isListed || !hasVotes ? all : [plain, ...all]) {
      const found = await readList(app, guild, article, list);
      if (found.length !== list.count) reading.exact = false;
      if (found.length === 0 && list.count > 0) reading.empty = true;
      for (const user of found) users[direction].set(user.id, user);
    }
  }
  return reading;
}

/**
 * Reads pages by ascending user id, without the bot itself. A short page ends the list only if the
 * count agrees.
 */
async function readList(
  { requests, self }: Pick<App, 'self' | 'requests'>,
  guild: Snowflake,
  { channel, id }: Of,
  { emoji, burst, count }: ReactionList,
): Promise<APIUser[]> {
  const route = Routes.channelMessageReaction(channel, id, encodeURIComponent(emoji));
  const found = new Map<Snowflake, APIUser>();
  for (let after = '0'; ; ) {
    const query = { limit: String(limits.pageSize), after, type: burst ? '1' : '0' };
    const page = await requests.get({ guild, channel }, route, query).catch(emptyIfUnknown);
    for (const user of page as APIUser[]) if (user.id !== self) found.set(user.id, user);
    const last = (page as APIUser[]).reduce(
      (most, user) => (BigInt(user.id) > BigInt(most) ? user.id : most),
      after,
    );
    const length = (page as APIUser[]).length;
    if (length === 0 || (length < limits.pageSize && found.size >= count))
      return [...found.values()];
    if (last === after) throw new Incomplete('A page of reactions repeats itself.');
    after = last;
  }
}

/** Discord answers UnknownEmoji if nobody has reacted with the emoji. */
function emptyIfUnknown(error: unknown): APIUser[] {
  if (isApiError(error, 'UnknownEmoji')) return [];
  throw error;
}

function isSame(a: Lists['users'], b: Lists['users']): boolean {
  return directions.every(
    (each) => a[each].size === b[each].size && [...a[each].keys()].every((id) => b[each].has(id)),
  );
}

function votersOf({ up, down }: Lists['users'], { poster }: Of): Reactors {
  const voters = (users: Map<Snowflake, APIUser>): ReadonlySet<Snowflake> =>
    new Set(
      [...users.values()]
        .filter(({ id, bot }) => bot !== true && id !== poster)
        .map(({ id }) => id),
    );
  return { up: voters(up), down: voters(down) };
}

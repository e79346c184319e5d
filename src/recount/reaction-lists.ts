import { type APIMessage, type APIUser, DiscordAPIError, Routes } from 'discord.js';
import type { Bot } from '../discord/bot.ts';
import { emojiOf } from '../discord/reaction-packets.ts';
import type { Article } from '../voting/articles.ts';
import type { Direction } from '../voting/row.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import { type List, listsOf } from './counts.ts';
import type { Reactors } from './difference.ts';
import { readMessage } from './messages.ts';

const pageSize = 100;
const unknownEmoji = 10_014;

/** What was read cannot be the whole of it, so that nothing follows from it. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

/**
 * Reads who shows the reactions of some directions, bots and the poster left out. All of it or
 * nothing: a page that fails throws, and so do lists that stay shorter than Discord's own counts
 * without being the same twice.
 */
export async function readReactors(
  bot: Bot,
  guild: Snowflake,
  article: Article,
  message: Pick<APIMessage, 'reactions'>,
  wanted: readonly Direction[],
): Promise<Reactors> {
  const first = await readLists(bot, guild, article, message, wanted);
  if (first.complete) return votersOf(first.users, article, wanted);
  // Somebody may have taken a reaction back meanwhile, or the count is wrong, or a page was short.
  const again = await readMessage(bot, guild, article.channel, article.id);
  if (!again) throw new Incomplete('The message is gone.');
  const second = await readLists(bot, guild, article, again, wanted);
  if (!second.complete && (second.empty || !isSame(first.users, second.users))) {
    throw new Incomplete('The lists of reactions are shorter than their counts.');
  }
  return votersOf(second.users, article, wanted);
}

type Reading = {
  users: Map<Direction, Map<Snowflake, APIUser>>;
  complete: boolean;
  /** Discord counts somebody and shows nobody, as it does where history may not be read. */
  empty: boolean;
};

async function readLists(
  bot: Bot,
  guild: Snowflake,
  article: Article,
  message: Pick<APIMessage, 'reactions'>,
  wanted: readonly Direction[],
): Promise<Reading> {
  const reading: Reading = { users: new Map(), complete: true, empty: false };
  const lists = listsOf(message);
  for (const direction of wanted) {
    const users = new Map<Snowflake, APIUser>();
    reading.users.set(direction, users);
    // Counts get lost now and then; then the list of the plain emoji is read all the same.
    const plain = { direction, emoji: emojiOf[direction], burst: false, count: 0 };
    const isListed = lists.some(({ emoji, burst }) => emoji === plain.emoji && !burst);
    const all = lists.filter((list) => list.direction === direction && list.count > 0);
    for (const list of isListed ? all : [plain, ...all]) {
      const found = await readList(bot, guild, article, list);
      if (found.length < list.count) reading.complete = false;
      if (found.length === 0 && list.count > 0) reading.empty = true;
      for (const user of found) users.set(user.id, user);
    }
  }
  return reading;
}

/** Pages by ascending user id. A short page ends the list only where the count agrees. */
async function readList(
  { background }: Bot,
  guild: Snowflake,
  { channel, id }: Article,
  { emoji, burst, count }: List,
): Promise<APIUser[]> {
  const route = Routes.channelMessageReaction(channel, id, encodeURIComponent(emoji));
  const found = new Map<Snowflake, APIUser>();
  for (let after = '0'; ; ) {
    const query = { limit: String(pageSize), after, type: burst ? '1' : '0' };
    const page = await background.get({ guild, channel }, route, query).catch(emptyIfUnknown);
    for (const user of page as APIUser[]) found.set(user.id, user);
    const last = (page as APIUser[]).reduce(
      (most, user) => (BigInt(user.id) > BigInt(most) ? user.id : most),
      after,
    );
    const length = (page as APIUser[]).length;
    if (length === 0 || (length < pageSize && found.size >= count)) return [...found.values()];
    if (last === after) throw new Incomplete('A page of reactions repeats itself.');
    after = last;
  }
}

/** Nobody has reacted with it. */
function emptyIfUnknown(error: unknown): APIUser[] {
  if (error instanceof DiscordAPIError && Number(error.code) === unknownEmoji) return [];
  throw error;
}

function isSame(a: Reading['users'], b: Reading['users']): boolean {
  const text = (users: Reading['users']) =>
    JSON.stringify([...users].map(([direction, all]) => [direction, [...all.keys()].toSorted()]));
  return text(a) === text(b);
}

function votersOf(
  users: Reading['users'],
  { poster }: Article,
  wanted: readonly Direction[],
): Reactors {
  return Object.fromEntries(
    wanted.map((direction) => [
      direction,
      new Set(
        [...(users.get(direction)?.values() ?? [])]
          .filter(({ id, bot }) => bot !== true && id !== poster)
          .map(({ id }) => id),
      ),
    ]),
  );
}

import { type APIMessage, DiscordAPIError, type Guild, Routes } from 'discord.js';
import { type BackgroundRequests, ChannelRefused } from '../discord/background-requests.ts';
import type { Ranking } from '../voting/ranking.ts';
import { type Snowflake, snowflakeTimeMs } from '../voting/snowflake.ts';
import type { Clock } from '../clock.ts';
import { takeInMessage, type TakenIn } from './rebuild-article.ts';
import { mayRead, type Place } from './rebuild-places.ts';

/** What reading a guild's messages needs. */
export type Reading = {
  self: Snowflake;
  ranking: Ranking;
  clock: Clock;
  background: BackgroundRequests;
  /** Makes the votes on open articles equal to their reactions. */
  countVotes: CountVotes;
};

export type CountVotes = (
  guild: Snowflake,
  articles: readonly Pick<TakenIn, 'article' | 'channel'>[],
) => Promise<void>;

export type PageRead = {
  /** The oldest message read; null when there is nothing older. */
  cursor: Snowflake | null;
  taken: TakenIn[];
};

const unknownChannel = 10_003;
const pageSize = 100;

/**
 * Reads a channel's messages from the newest down, or on from a cursor, a page a step, and puts its
 * articles with their votes into the ranking. A step that throws can be repeated.
 * Returns `unread` where the messages cannot be read, `gone` where there is no such channel.
 */
export async function* readDown(
  reading: Reading,
  guild: Guild,
  { channel, group }: Place,
  options: { from?: Snowflake; untilMs: number },
): AsyncGenerator<PageRead, 'read' | 'unread' | 'gone'> {
  let before = options.from;
  while (before === undefined || snowflakeTimeMs(before) > options.untilMs) {
    if (!mayRead(group)) return 'unread';
    let messages: APIMessage[];
    try {
      messages = await readPage(reading, guild.id, channel, before);
    } catch (error) {
      if (error instanceof ChannelRefused) return 'unread';
      if (error instanceof DiscordAPIError && error.code === unknownChannel) return 'gone';
      throw error;
    }
    // The permission may have gone meanwhile: then an empty page says nothing.
    if (messages.length === 0 && !mayRead(group)) return 'unread';
    const taken = await takeInPage(reading, guild, messages);
    before = oldest(messages);
    yield { cursor: before ?? null, taken };
    // Only an empty page is the end: Discord may give fewer messages than were asked for.
    if (before === undefined) return 'read';
  }
  return 'read';
}

async function readPage(
  { background }: Reading,
  guild: Snowflake,
  channel: Snowflake,
  before: Snowflake | undefined,
): Promise<APIMessage[]> {
  const query = { limit: String(pageSize), ...(before === undefined ? {} : { before }) };
  const place = { guild, channel };
  return (await background.get(place, Routes.channelMessages(channel), query)) as APIMessage[];
}

/** First the articles, then their votes: a vote that comes in between finds its article. */
export async function takeInPage(
  reading: Reading,
  guild: Guild,
  messages: readonly APIMessage[],
): Promise<TakenIn[]> {
  const now = reading.clock.now();
  const all = await Promise.all(
    messages.map((message) => takeInMessage(reading, guild, message, now)),
  );
  const taken = all.filter((each) => each !== null);
  const open = taken.filter((each) => each.open);
  if (open.length > 0) await reading.countVotes(guild.id, open);
  return taken;
}

function oldest(messages: readonly APIMessage[]): Snowflake | undefined {
  return messages.map(({ id }) => id).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))[0];
}

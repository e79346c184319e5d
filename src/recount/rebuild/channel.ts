import { type APIMessage, type Guild, Routes } from 'discord.js';
import { ChannelRefused } from '../../discord/requests/queue.ts';
import type { App } from '../../app.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { takeInMessage, type TakenIn } from './article.ts';
import { mayRead, type Place } from './places.ts';
import { recountArticles } from '../compare.ts';

/** The votes of which articles are read: of all open ones, or of those that were not known. */
type Recount = 'open' | 'taken';

export type PageRead = {
  /** The oldest message read; null when there is nothing older. */
  cursor: Snowflake | null;
  taken: TakenIn[];
};

const pageSize = 100;

/**
 * Reads a channel's messages from the newest down, or on from a cursor, a page a step, and puts its
 * articles with their votes into the ranking. A step that throws can be repeated.
 * Returns `unread` where the messages may not be read. That there is no such channel is a fault like
 * any other: an outage looks the same, and a channel that is gone is not asked for again.
 */
export async function* readDown(
  app: App,
  guild: Guild,
  { channel, group }: Place,
  options: { from?: Snowflake; untilMs: number; recount: Recount },
): AsyncGenerator<PageRead, 'read' | 'unread'> {
  let before = options.from;
  while (before === undefined || snowflakeTimeMs(before) > options.untilMs) {
    if (!mayRead(group)) return 'unread';
    let messages: APIMessage[];
    try {
      messages = await readPage(app, guild.id, channel, before);
    } catch (error) {
      if (error instanceof ChannelRefused) return 'unread';
      throw error;
    }
    // The permission may have gone meanwhile: then an empty page says nothing.
    if (messages.length === 0 && !mayRead(group)) return 'unread';
    const taken = await takeInPage(app, guild, messages, options.recount);
    before = oldest(messages);
    yield { cursor: before ?? null, taken };
    // Only an empty page is the end: Discord may give fewer messages than were asked for.
    if (before === undefined) return 'read';
  }
  return 'read';
}

async function readPage(
  { requests }: App,
  guild: Snowflake,
  channel: Snowflake,
  before: Snowflake | undefined,
): Promise<APIMessage[]> {
  const query = { limit: String(pageSize), ...(before === undefined ? {} : { before }) };
  const place = { guild, channel };
  return (await requests.get(place, Routes.channelMessages(channel), query)) as APIMessage[];
}

/** First the articles, then their votes: a vote that comes in between finds its article. */
async function takeInPage(
  app: App,
  guild: Guild,
  messages: readonly APIMessage[],
  recount: Recount,
): Promise<TakenIn[]> {
  const all = await Promise.all(messages.map((message) => takeInMessage(app, guild, message)));
  const taken = all.filter((each) => each !== null);
  const open = taken.filter((each) => each.open && (recount === 'open' || each.status === 'taken'));
  const ids = open.map(({ article }) => article);
  const articles = await readArticles(app.ranking, guild.id, ids);
  // What could not be read is repaired by the next recount, since its counts differ.
  await recountArticles(
    app,
    guild.id,
    articles.filter((article) => article !== null && !article.closed) as Article[],
  );
  return taken;
}

function oldest(messages: readonly APIMessage[]): Snowflake | undefined {
  return messages.map(({ id }) => id).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))[0];
}

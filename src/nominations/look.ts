import { type APIMessage, Routes } from 'discord.js';
import { readArticleMessage } from '../articles/messages/article-message.ts';
import { signsOfGuild } from '../community/vote-offer.ts';
import { mayReadHistory } from '../discord/access/permissions.ts';
import { homeIn } from '../discord/access/visibility.ts';
import { limits } from '../discord/limits.ts';
import { remember } from '../discord/remember.ts';
import { readPage } from '../discord/requests/read-messages.ts';
import { ChannelRefused } from '../discord/requests/refusals.ts';
import type { Kind } from '../due/kind.ts';
import { DAY_MS } from '../runtime/clock.ts';
import { compareIds, type Snowflake, snowflakeAt, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { sourceOf } from '../votes/sources.ts';
import { mayBeLikedBy } from './likes.ts';
import { LISTENING_AT_MOST, type Nominating } from './nominations-needs.ts';
import { likesOf } from './read-likes.ts';
import { placeOf } from './wanted.ts';

/** What is looked at: what was liked while nobody listened. */
const LOOK_BACK_MS = DAY_MS;
/** A session begins with a burst of events, and may end at once. */
export const LOOK_SOON_MS = 2000;
/** A thousand messages of a channel. */
const PAGES_AT_MOST = 10;
const THREADS_AT_MOST = 20;
/** Messages that wait for their turn; others are read once more. */
const READ_AT_MOST = 500;

/** Looks at the last day of a nomination channel, for what was liked unseen: `nominations:<channel>`. */
export function lookKind(needs: Nominating): Kind {
  const { clock, rules } = needs;
  return {
    name: 'nominations',
    sideBySide: 4,
    async standing(guild) {
      const { settings } = await rules.read(guild);
      const atMs = clock.now() + LOOK_SOON_MS;
      return settings['nomination-channels'].map((id) => ({ row: `nominations:${id}`, atMs }));
    },
    async run({ guild, id, signal }) {
      for (const channel of [id, ...threadsOf(needs, guild, id)]) {
        signal.throwIfAborted();
        await look(needs, guild, channel);
      }
      return { atMs: null };
    },
  };
}

/** The open threads of a channel with messages of the last day. */
function threadsOf({ client, clock }: Nominating, guild: Snowflake, id: Snowflake): Snowflake[] {
  const fromMs = clock.now() - LOOK_BACK_MS;
  const channels = [...(client.guilds.cache.get(guild)?.channels.cache.values() ?? [])];
  return channels
    .filter(
      (one) =>
        one.isThread() &&
        homeIn(one)?.id === id &&
        snowflakeTimeMs(one.lastMessageId ?? one.id) > fromMs,
    )
    .slice(0, THREADS_AT_MOST)
    .map((one) => one.id);
}

async function look(needs: Nominating, guild: Snowflake, channel: Snowflake): Promise<void> {
  const { clock, self, rules, likes, listening } = needs;
  const known = await rules.read(guild);
  const place = placeOf(needs, known, guild, channel);
  // A forum has posts alone.
  if (place === null || !mayReadHistory(place.channel)) return;
  const fromMs = clock.now() - LOOK_BACK_MS;
  const messages = await readSince(needs, { guild, channel }, fromMs);
  if (messages === null) return;
  const answered = noteAnswered(needs, messages);
  const signs = signsOfGuild(known.settings);
  for (const message of messages) {
    const shown = likesOf(message, signs);
    if (shown === 0 || message.author.id === self || answered.has(message.id)) continue;
    const liked = likes.count(guild, message.id, shown);
    // Redis may have lost its row.
    if (liked.state === 'planned') liked.state = 'open';
    if (!mayBeLikedBy(liked, known.settings.nominations)) continue;
    liked.state = 'planned';
    remember(needs.read, message.id, message, READ_AT_MOST);
    needs.plan(guild, { channel, message: message.id, order: '' });
  }
  // Of what is younger, no like was missed.
  remember(listening, channel, fromMs, LISTENING_AT_MOST);
}

/** The messages to which the bot has replied: with an article, or with what stands for one that was removed. */
function noteAnswered(
  { self, sources }: Nominating,
  messages: readonly APIMessage[],
): ReadonlySet<Snowflake> {
  const answered = new Set<Snowflake>();
  for (const message of messages) {
    const source = message.author.id === self ? message.message_reference?.message_id : undefined;
    if (source === undefined) continue;
    answered.add(source);
    const article = readArticleMessage(message);
    if (article && sourceOf({ channel: message.channel_id, poster: article.poster }, message)) {
      sources.note(source, message.id);
    }
  }
  return answered;
}

/** Null: Discord does not show them. */
async function readSince(
  { requests }: Nominating,
  target: { guild: Snowflake; channel: Snowflake },
  fromMs: number,
): Promise<APIMessage[] | null> {
  const found: APIMessage[] = [];
  const route = Routes.channelMessages(target.channel);
  let after = snowflakeAt(fromMs);
  for (let pages = 0; pages < PAGES_AT_MOST; pages += 1) {
    const query = { after, limit: String(limits.pageSize) };
    const answer = await requests.get(target, route, query).catch(nullIfRefused);
    if (answer === null) return null;
    const { messages, broken, length } = readPage(answer);
    found.push(...messages);
    after = [...messages.map(({ id }) => id), ...broken].sort(compareIds).at(-1) ?? after;
    if (length < limits.pageSize) break;
  }
  return found;
}

function nullIfRefused(error: unknown): null {
  if (error instanceof ChannelRefused) return null;
  throw error;
}

import {
  type APIMessage,
  type HTTPError,
  MessageType,
  type NonThreadGuildBasedChannel,
} from 'discord.js';
import type { Watch } from '../../votes/seen-reactions.ts';
import type { Rules } from '../../community/guild-rules.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { remember } from '../../discord/remember.ts';
import { isOfOneMessage } from '../../discord/requests/refusals.ts';
import { readArticleMessage } from '../../articles/messages/article-message.ts';
import { previewTitle } from '../../articles/messages/preview.ts';
import { holds, memberSubject, originBlock } from '../../community/blocks.ts';
import { isNews, noteAnnounced } from '../../articles/announced.ts';
import { erasedAmong } from '../../community/erasures.ts';
import { isImported, noteImported } from '../../articles/imported.ts';
import type { Fate } from './stored-imports.ts';
import { deleteArticle, readArticle } from '../../ranking/articles/articles.ts';
import { putArticle } from '../../ranking/ballots/put-article.ts';
import { findLink, writtenLinks } from '../../ranking/links/find-links.ts';
import { findByLink, namesInChannel } from '../../ranking/links/reservations.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { asSpoiler, titleOfLink } from '../../text/clean.ts';
import { type Both, countsOf } from '../../votes/recount/counts.ts';
import { Incomplete, readReactors } from '../../votes/recount/lists.ts';
import { withoutLeftOut } from '../../votes/recount/recount-article.ts';
import type { HistoryNeeds } from '../needs.ts';

/**
 * Makes a closed article of a member's message, if the message qualifies. The article has the
 * message's id, so importing it twice makes one article.
 */
export async function importMessage(
  app: HistoryNeeds,
  group: NonThreadGuildBasedChannel,
  message: APIMessage,
  /** What happened to the message since it was read. */
  events: Watch,
): Promise<Fate> {
  const { ranking, store, self, clock } = app;
  const guild = group.guildId;
  if (message.author.id === self) return readArticleMessage(message) === null ? 'bot' : 'known';
  const found = readMessageLink(message);
  if (found.status !== 'found') return found.status;
  const { link, title } = found;
  const { id, author, channel_id: channel } = message;
  if ((await readArticle(ranking, guild, id)) !== null) {
    // An earlier process may have died between writing the article and this note.
    await noteImported(store, guild, id);
    return 'known';
  }
  if (await isImported(store, guild, id)) return 'removed';
  if (clock.now() < snowflakeTimeMs(id) + VOTING_OPEN_MS) return 'young';
  const rules = await app.rules.read(guild);
  if (await isUnwanted(app, rules, group, message, link)) return 'unwanted';
  // An article that not everyone may see neither blocks a link nor is mentioned.
  const posted = await findByLink(ranking, guild, link.canonical);
  if (posted && (await readArticle(ranking, guild, posted))?.listed) return 'duplicate';
  const result = await readResult(app, group, message);
  if (result === null) return 'unreadable';
  // The guild or the poster may have decided otherwise meanwhile.
  const rulesNow = await app.rules.read(guild);
  if (await isUnwanted(app, rulesNow, group, message, link)) return 'unwanted';
  // An interesting article of a history is not news, so do not announce it.
  if (isNews(id, clock.now())) await noteAnnounced(store, guild, [id]);
  const tally = { ...result, closed: true };
  const context = { guild, home: group.id, channel };
  const article = { id, title, link: link.href, poster: author.id, ...context, tally };
  const { status } = await app.listing.write(context, (listed) => {
    const names = namesInChannel(group.id, link.canonical, listed);
    return putArticle(ranking, { ...article, listed }, names);
  });
  if (status === 'duplicate') return 'duplicate';
  if (events.isCleared || app.seen.wasDeleted(id)) {
    await deleteArticle(ranking, guild, id);
    return 'unreadable';
  }
  await noteImported(store, guild, id);
  return status === 'posted' ? 'imported' : 'removed';
}

/** The types that members write. The others are Discord's own notices, such as for a new pin. */
const WRITTEN_TYPES: readonly MessageType[] = [MessageType.Default, MessageType.Reply];

/**
 * The link of any message by the rules of /post, with the title of Discord's preview. `refused`: it has
 * links, but none can be posted.
 */
export function readMessageLink(message: APIMessage) {
  const { author, type, webhook_id: webhook } = message;
  const { content, embeds } = readable(message);
  if (author.bot === true || webhook !== undefined) return { status: 'bot' } as const;
  const link = WRITTEN_TYPES.includes(type) ? findLink(content) : null;
  if (link === null || link.status === 'none') return { status: 'linkless' } as const;
  if (link.status === 'refused') return link;
  const isAlone = writtenLinks(content).length === 1;
  const shown = previewTitle(embeds, link.canonical, isAlone) || titleOfLink(link.href);
  const title = link.isSpoiler ? asSpoiler(shown) : shown;
  return { status: 'found', link, title } as const;
}

/** A forward is empty itself, and holds what it forwards. */
function readable(message: APIMessage): Pick<APIMessage, 'content' | 'embeds'> {
  const forwarded = message.content === '' ? message.message_snapshots?.[0]?.message : undefined;
  return forwarded ?? message;
}

/** Whether the guild blocks the poster or the link, or the poster has opted out. */
async function isUnwanted(
  { store, clock }: HistoryNeeds,
  rules: Rules,
  { guildId }: NonThreadGuildBasedChannel,
  { id, author: { id: poster } }: APIMessage,
  link: { href: string },
): Promise<boolean> {
  const now = clock.now();
  const block = rules.blocks.get(memberSubject(poster));
  const erased = await erasedAmong(store, guildId, [poster], snowflakeTimeMs(id));
  return (
    rules.optedOut.has(poster) ||
    erased.size > 0 ||
    (holds(block, now) && block.posting) ||
    originBlock(rules.blocks, link, now) !== null
  );
}

/**
 * Returns the final result of a member's message: one up vote for its poster, and one vote for each
 * member who shows one of the two reactions. Counts do not show whether they include the poster or a
 * bot, so the lists are read if anybody except this bot reacted: one request for each kind, and one
 * for each further hundred members. Returns null if the lists cannot be read completely.
 */
async function readResult(
  app: HistoryNeeds,
  { guildId }: NonThreadGuildBasedChannel,
  message: APIMessage,
): Promise<Both | null> {
  const { id, channel_id: channel, author } = message;
  const none = { up: 1, down: 0 };
  const counts = countsOf(message);
  if (counts.up + counts.down === 0) return none;
  try {
    const of = { id, channel, poster: author.id, ...none };
    const { reactors } = await readReactors(app, guildId, of, message);
    const postedAtMs = snowflakeTimeMs(id);
    const { up, down } = await withoutLeftOut(app, guildId, reactors, new Map(), { postedAtMs });
    // Lists do not show which of two reactions is newer, so a member who shows both has no vote.
    return {
      up: 1 + [...up].filter((member) => !down.has(member)).length,
      down: [...down].filter((member) => !up.has(member)).length,
    };
  } catch (error) {
    if (isApiError(error, 'UnknownMessage') || error instanceof Incomplete) return null;
    if (isOfOneMessage(error) && !mayPass(id, error)) return null;
    throw error;
  }
}

/** Then the message is left out, so that the others are imported. A minute is between two tries. */
const TRIES_AT_MOST = 3;
const FAILED_AT_MOST = 1000;
const failed = new Map<Snowflake, number>();

/** Whether the reactions of a message may be read by a later try, since the fault is Discord's. */
function mayPass(message: Snowflake, error: unknown): boolean {
  const isFaultOfDiscord = 'status' in (error as object) && (error as HTTPError).status >= 500;
  const tries = (failed.get(message) ?? 0) + 1;
  remember(failed, message, tries, FAILED_AT_MOST);
  return isFaultOfDiscord && tries < TRIES_AT_MOST;
}

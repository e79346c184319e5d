import { type APIMessage, MessageType, type NonThreadGuildBasedChannel } from 'discord.js';
import { isImported, noteImported } from '../../articles/imported.ts';
import { previewOf } from '../../articles/messages/preview.ts';
import { readablePayload } from '../../articles/posting/forwarded.ts';
import { refusalOf, titleOf } from '../../community/may-stand.ts';
import { erasedAmong } from '../../community/erasures.ts';
import { isListed } from '../../discord/access/visibility.ts';
import { readArticleMessage } from '../../articles/messages/article-message.ts';
import { deleteArticle, readArticle } from '../../ranking/articles/articles.ts';
import { writePreview } from '../../ranking/articles/previews.ts';
import { putArticle } from '../../ranking/ballots/put-article.ts';
import { findLink, findLinks, writtenLinks } from '../../ranking/links/find-links.ts';
import { findByLink, namesInChannel } from '../../ranking/links/reservations.ts';
import { openMutex } from '../../runtime/mutex.ts';
import { compareIds, type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { asSpoiler, titleOfLink, titleOfWords } from '../../text/clean.ts';
import type { Watch } from '../../votes/seen-reactions.ts';
import { signsOfToday } from '../../community/vote-offer.ts';
import { type Both, countsOf } from '../../votes/recount/counts.ts';
import type { ImportNeeds } from './import-needs.ts';
import { type Fate, forgetMade, isMade, noteMade, wantVotes } from './stored-imports.ts';
import { urgencyOf } from './imported-votes.ts';

/** Messages of several channels are taken in at once, and a link must not become two articles. */
const inTurn = openMutex();

/**
 * Makes a closed article of a member's message, if the message qualifies. The article has the message's id,
 * so importing it twice makes one article. It is frozen with the counts of the message; the lists of who
 * reacted may correct them later.
 */
export async function importMessage(
  needs: ImportNeeds,
  group: NonThreadGuildBasedChannel,
  message: APIMessage,
  /** What happened to the message since it was read. */
  events: Watch,
): Promise<Fate> {
  const { ranking, store, self } = needs;
  const guild = group.guildId;
  if (message.author.id === self) return readArticleMessage(message) === null ? 'bot' : 'known';
  const read = readMessageLink(message);
  if (read.status !== 'found') return read.status;
  const found = await thatMayStand(needs, guild, read);
  const { id } = message;
  const { canonical } = found.link;
  return inTurn(`${guild} ${canonical}`, async () => {
    const made = await isMade(store, guild, id);
    if ((await readArticle(ranking, guild, id)) !== null) {
      // An earlier process may have died between writing the article and what goes with it.
      if (made) {
        const counts = countsOf(message, await signsOfToday(needs, guild));
        await putBeside(needs, guild, message, { preview: found.preview, counts });
        return 'linked';
      }
      await noteImported(store, guild, id);
      return 'known';
    }
    if (await isUnwanted(needs, message, guild, found)) return 'unwanted';
    const names = namesInChannel(group.id, canonical, isListed(group));
    const rival = await findRival(needs, guild, names);
    if (rival !== null) {
      const isLater = compareIds(id, rival) < 0 && (await isImported(store, guild, rival));
      if (!isLater) return (await isMade(store, guild, rival)) ? 'linked' : 'duplicate';
    } else if (!made && (await isImported(store, guild, id))) return 'removed';
    return put(needs, { group, message, rival, events, ...found });
  });
}

type Wanted = {
  group: NonThreadGuildBasedChannel;
  message: APIMessage;
  /** The article of a later message with the same link, which gives way. */
  rival: Snowflake | null;
  events: Watch;
} & MessageLink;

type MessageLink = Extract<ReturnType<typeof readMessageLink>, { status: 'found' }>;

async function put(needs: ImportNeeds, wanted: Wanted): Promise<Fate> {
  const { ranking, store } = needs;
  const { group, message, rival, events, link, title, preview } = wanted;
  const { id, author, channel_id: channel } = message;
  const guild = group.guildId;
  // Each step may be the last one of a process: the next one finds the message as it is now.
  await noteMade(store, guild, id, rival);
  if (rival !== null) {
    await deleteArticle(ranking, guild, rival);
    await forgetMade(store, guild, [rival]);
  }
  const counts = countsOf(message, await signsOfToday(needs, guild));
  const tally = { up: 1 + counts.up, down: counts.down, closed: true };
  const places = { guild, home: group.id, channel };
  const article = { id, title, link: link.href, poster: author.id, ...places, tally };
  const { status } = await needs.listing.write(places, (listed) => {
    const names = namesInChannel(group.id, link.canonical, listed);
    return putArticle(ranking, { ...article, listed }, names);
  });
  const isDeleted = events.isCleared || needs.seen.wasDeleted(id);
  // Its poster may have had it erased since it was asked before.
  if (status === 'duplicate' || isDeleted || (await isUnwanted(needs, message, guild, wanted))) {
    await forgetMade(store, guild, [id]);
    if (status === 'duplicate') return 'duplicate';
    await deleteArticle(ranking, guild, id);
    return isDeleted ? 'unreadable' : 'unwanted';
  }
  // A moderator removed it.
  if (status === 'known' && (await readArticle(ranking, guild, id)) === null) return 'removed';
  await putBeside(needs, guild, message, { preview, counts });
  return 'linked';
}

/** A link without what Discord found of it and the guild blocks. What its member wrote is judged as a whole. */
async function thatMayStand(
  { rules, clock }: ImportNeeds,
  guild: Snowflake,
  found: MessageLink,
): Promise<MessageLink> {
  const { link, given, title, preview } = found;
  const { blocks } = await rules.read(guild);
  const isRefused = (text = '') => refusalOf(blocks, { texts: [text] }, clock.now()) !== null;
  const host = titleOf(blocks, link.href, { given: '' }, clock.now());
  const instead = link.isSpoiler ? asSpoiler(host) : host;
  return {
    ...found,
    title: given === '' && isRefused(title) ? instead : title,
    preview: isRefused(preview.description) ? { ...preview, description: '' } : preview,
  };
}

/** What goes with an article that is there: its preview, and the reading of its lists where some reacted. */
async function putBeside(
  { ranking, store, clock }: ImportNeeds,
  guild: Snowflake,
  { id }: APIMessage,
  { preview, counts }: { preview: Wanted['preview']; counts: Both },
): Promise<void> {
  await writePreview(ranking, guild, id, preview);
  if (counts.up + counts.down > 0) {
    await wantVotes(store, guild, id, urgencyOf(id, counts, clock.now()));
  }
}

/**
 * The article that has the link in this channel. A hidden article keeps a name of its own beside one that
 * everyone sees, and neither blocks the other.
 */
async function findRival(
  { ranking }: ImportNeeds,
  guild: Snowflake,
  names: readonly string[],
): Promise<Snowflake | null> {
  for (const name of names) {
    const owner = await findByLink(ranking, guild, name);
    const article = owner === null ? null : await readArticle(ranking, guild, owner);
    if (article === null) continue;
    if (article.listed || names.length === 1 || name !== names[0]) return article.id;
  }
  return null;
}

/** The types that members write. The others are Discord's own notices, such as for a new pin. */
const WRITTEN_TYPES: readonly MessageType[] = [MessageType.Default, MessageType.Reply];

/**
 * The link of any message by the rules of /post, with what Discord's preview says of it. `refused`: it has
 * links, but none can be posted.
 */
export function readMessageLink(message: APIMessage) {
  const { author, type, webhook_id: webhook } = message;
  const { content, embeds } = readablePayload(message);
  if (author.bot === true || webhook !== undefined) return { status: 'bot' } as const;
  const link = WRITTEN_TYPES.includes(type) ? findLink(content) : null;
  if (link === null || link.status === 'none') return { status: 'linkless' } as const;
  if (link.status === 'refused') return link;
  const isAlone = writtenLinks(content).length === 1;
  const { title: found = '', ...preview } = previewOf(embeds, link.canonical, isAlone);
  const given = titleOfWords(link.words);
  const shown = given || found || titleOfLink(link.href);
  const title = link.isSpoiler ? asSpoiler(shown) : shown;
  return { status: 'found', link, title, given, preview: link.isSpoiler ? {} : preview } as const;
}

/** How many pages a message links to after the first one. An article has its message's id, so there is one. */
export function furtherLinks(message: APIMessage): number {
  return Math.max(0, findLinks(readablePayload(message).content).length - 1);
}

/** Whether the guild blocks the poster, the link or its words, or the poster has opted out or erased it. */
export async function isUnwanted(
  { store, clock, rules: guildRules }: Pick<ImportNeeds, 'store' | 'clock' | 'rules'>,
  { id, author: { id: poster } }: APIMessage,
  guild: Snowflake,
  { link, given }: { link: { href: string }; given: string },
): Promise<boolean> {
  const rules = await guildRules.read(guild);
  if (rules.optedOut.has(poster)) return true;
  const wanted = { poster, link, texts: [given] };
  if (refusalOf(rules.blocks, wanted, clock.now()) !== null) return true;
  return (await erasedAmong(store, guild, [poster], snowflakeTimeMs(id))).size > 0;
}

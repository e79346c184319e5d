import type { APIMessage, GuildMember } from 'discord.js';
import type { Held, Kind, Next } from '../due/kind.ts';
import { keepPreview } from '../articles/messages/preview.ts';
import { mayBePostedAgain, postLink } from '../articles/posting/post-link.ts';
import { postingPermissions } from '../articles/posting/posting-rules.ts';
import { replyBeside } from '../articles/posting/reply-beside.ts';
import { erasedAmong } from '../community/erasures.ts';
import type { Rules } from '../community/guild-rules.ts';
import { titleOf } from '../community/may-stand.ts';
import { mayVote } from '../community/may-vote.ts';
import { signsOfGuild } from '../community/vote-offer.ts';
import { missingPermissions } from '../discord/access/permissions.ts';
import { isApiError, isRefusal } from '../discord/api-errors.ts';
import { ChannelRefused } from '../discord/requests/refusals.ts';
import { UserError } from '../discord/user-error.ts';
import { isUnwanted } from '../history/import/import-message.ts';
import { type Article, readArticle } from '../ranking/articles/articles.ts';
import { walkRemoved } from '../ranking/articles/removed.ts';
import { canonicalOf } from '../ranking/links/parse.ts';
import { findByLink, namesInChannel } from '../ranking/links/reservations.ts';
import { MINUTE_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { asSpoiler } from '../text/clean.ts';
import { readMessage } from '../votes/recount/messages.ts';
import { atSource } from '../votes/sources.ts';
import { linkIn, type MessageLink } from './found-link.ts';
import { type Liked, mayBeLikedBy, orderOf, seenLikes } from './likes.ts';
import type { Nominating } from './nominations-needs.ts';
import { likesOf, readLikes } from './read-likes.ts';
import { isNominated, noteNominated } from './stored-nominated.ts';
import { takeBack } from './take-back.ts';
import { isTooOld, type Place, placeOf } from './wanted.ts';

const DONE: Next = { atMs: null };
/** As long as another post may hold the link. */
const AGAIN_MS = MINUTE_MS;
/** Of those who like a message, so many are asked for whether they may post. */
const FINDERS_AT_MOST = 25;
const ANSWER_MS = 30_000;

/** A message that enough members may like. */
type Nominee = {
  guild: Snowflake;
  message: APIMessage;
  place: Place;
  rules: Rules;
  liked: Liked;
};

/**
 * Makes an article of a message's link if enough members like the message: `nominate:<channel>/<message>`. The first of
 * them who may post is its poster, and the likes of the others are its first votes.
 */
export function nominateKind(needs: Nominating): Kind {
  return {
    name: 'nominate',
    sideBySide: 8,
    ofGuild: 2,
    async run(held) {
      const { guild } = held;
      const [channel = '', id = ''] = held.id.split('/');
      const before = needs.likes.of(guild, id);
      if (before) before.hasNew = false;
      const next = await nominate(needs, held, channel, id);
      const liked = needs.likes.of(guild, id);
      if (next.atMs !== null || liked?.state !== 'planned') return next;
      liked.state = 'open';
      const { settings } = await needs.rules.read(guild);
      if (!liked.hasNew || !mayBeLikedBy(liked, settings.nominations)) return next;
      // Somebody liked it while it was read.
      liked.state = 'planned';
      return { atMs: needs.clock.now() };
    },
  };
}

async function nominate(
  needs: Nominating,
  held: Held,
  channel: Snowflake,
  id: Snowflake,
): Promise<Next> {
  const { guild, notes } = held;
  const rules = await needs.rules.read(guild);
  const place = placeOf(needs, rules, guild, channel);
  if (place === null || isTooOld(id, needs.clock.now())) return DONE;
  if (missingPermissions(place.channel, postingPermissions(place.channel)).length > 0) return DONE;
  // An article that was removed does not come again.
  if (await isNominated(needs.store, guild, id)) return settle(needs, guild, id);
  const message = needs.read.get(id) ?? (await read(needs, guild, channel, id));
  needs.read.delete(id);
  if (message === null || message.author.id === needs.self) return settle(needs, guild, id);
  const found = linkIn(message);
  if (found === null || (await isRefused(needs, guild, message, found))) {
    return settle(needs, guild, id);
  }
  // An earlier try may have sent the article's message, and died before it was committed.
  if (notes.has('tried')) await needs.takeIn(place.home.guild);
  const { id: home } = place.home;
  if (await hasArticle(needs, held, { rules, id, home, found })) return settle(needs, guild, id);
  const signs = signsOfGuild(rules.settings);
  const shown = likesOf(message, signs);
  const before = needs.likes.of(guild, id);
  const wanted = rules.settings.nominations;
  // An answer of Discord can lag behind its gateway.
  if (before && shown < seenLikes(before) && !notes.has('again')) {
    await held.write({ 'next:again': '1' });
    return { atMs: needs.clock.now() + needs.answersLagMs };
  }
  const liked = needs.likes.count(guild, id, shown);
  if (shown < wanted) return DONE;
  const nominee = { guild, message, place, rules, liked };
  // Not all of these were seen, or the likes of some do not count.
  if (seenLikes(liked) !== shown) {
    const order = (notes.get('order') ?? '').split(' ');
    await readLikes(needs, guild, { message, liked, signs, order });
  }
  await leaveOutUnfit(needs, nominee);
  if (liked.members.size < wanted) return DONE;
  return post(needs, held, nominee, found);
}

/** Who opted out, erased their data or was blocked since then does not count. */
async function leaveOutUnfit(
  { store, clock }: Nominating,
  { guild, message, rules, liked }: Nominee,
): Promise<void> {
  const members = [...liked.members.keys()];
  const erased = await erasedAmong(store, guild, members, snowflakeTimeMs(message.id));
  for (const id of members) {
    const isFit = mayVote(rules, { id, joinedAtMs: null, roles: null }, clock.now());
    if (!isFit || erased.has(id)) liked.members.delete(id);
  }
}

/** Null: it is gone, or Discord does not show it. */
async function read(
  needs: Nominating,
  guild: Snowflake,
  channel: Snowflake,
  id: Snowflake,
): Promise<APIMessage | null> {
  try {
    return await readMessage(needs, guild, channel, id);
  } catch (error) {
    if (error instanceof ChannelRefused || isApiError(error, 'UnknownChannel')) return null;
    throw error;
  }
}

/** Whether the guild blocks the link, its words or its author, or the author opted out. */
function isRefused(
  needs: Nominating,
  guild: Snowflake,
  message: APIMessage,
  { link, given, found }: MessageLink,
): Promise<boolean> {
  return isUnwanted(needs, message, guild, { link, given: `${given}\n${found}` });
}

/** Further likes change nothing. */
function settle({ likes }: Nominating, guild: Snowflake, id: Snowflake): Next {
  const liked = likes.of(guild, id);
  if (liked) liked.state = 'settled';
  return DONE;
}

/** Whether the link has its article, or had one that a moderator removed. The one that an earlier try made gets its votes. */
async function hasArticle(
  needs: Nominating,
  { guild, notes }: Held,
  { rules, id, home, found }: { rules: Rules; id: Snowflake; home: Snowflake; found: MessageLink },
): Promise<boolean> {
  const { ranking } = needs;
  const { canonical } = found.link;
  // One that not everybody may view blocks no other.
  const blocks = (one: Article) =>
    (one.listed || one.home === home) && !mayBePostedAgain(needs, rules, one.id);
  for (const name of namesInChannel(home, canonical, true)) {
    const known = await findByLink(ranking, guild, name);
    const article = known === null ? null : await readArticle(ranking, guild, known);
    if (article === null || !blocks(article)) continue;
    if (notes.has('tried')) await needs.recount(guild, article.id);
    await noteOwn(needs, guild, id, article);
    return true;
  }
  for await (const { article, own } of walkRemoved(ranking, guild)) {
    if (!own && blocks(article) && canonicalOf(article.link) === canonical) return true;
  }
  return false;
}

/** An earlier try may have died before it noted what it made. */
async function noteOwn(
  { store, clock, sources }: Nominating,
  guild: Snowflake,
  id: Snowflake,
  article: Article,
): Promise<void> {
  if (sources.articleOf(id) === article.id) await noteNominated(store, guild, id, clock.now());
}

async function post(
  needs: Nominating,
  held: Held,
  nominee: Nominee,
  found: MessageLink,
): Promise<Next> {
  const { guild, message, place, liked } = nominee;
  const later = async (): Promise<Next> => {
    await held.write({ 'next:tried': '1', 'next:order': orderOf(liked) });
    return { atMs: needs.clock.now() + AGAIN_MS };
  };
  await held.write({ tried: '1', order: orderOf(liked) });
  const ids = [...liked.members.keys()].slice(0, FINDERS_AT_MOST);
  // Over the gateway, which needs no request.
  const members = await place.home.guild.members.fetch({ user: ids, time: ANSWER_MS });
  for (const id of ids) {
    const finder = members.get(id);
    // They have left.
    if (finder === undefined) continue;
    try {
      const outcome = await postAs(needs, finder, nominee, found);
      switch (outcome.status) {
        case 'posted':
          await end(needs, nominee, { found, finder: id, article: outcome.article });
          return DONE;
        case 'duplicate':
          await noteOwn(needs, guild, message.id, outcome.article);
          return settle(needs, guild, message.id);
        case 'posting':
        case 'unsent':
        case 'unconfirmed':
          return await later();
        default:
          return outcome satisfies never;
      }
    } catch (error) {
      if (error instanceof ChannelRefused || isRefusal(error)) return DONE;
      // The guild's rules refuse this member: the next one may post.
      if (!(error instanceof UserError)) throw error;
    }
  }
  return DONE;
}

function postAs(
  needs: Nominating,
  finder: GuildMember,
  { guild, message, place, rules }: Nominee,
  { link, given, found }: MessageLink,
) {
  const { channel, home } = place;
  const title = titleOf(rules.blocks, link.href, { given, found }, needs.clock.now());
  return needs.requests.ask({ guild, channel: channel.id }, 'POST', () =>
    postLink(needs, {
      by: message.id,
      poster: finder,
      home,
      channel: channel.id,
      link,
      title: link.isSpoiler ? asSpoiler(title) : title,
      beside: true,
      isFound: true,
      sendArticleMessage: (content) => replyBeside({ id: message.id, channel }, content, link),
    }),
  );
}

/** The likes of the others become votes, as they are now. */
async function end(
  needs: Nominating,
  { guild, message, place, liked }: Nominee,
  { found, finder, article }: { found: MessageLink; finder: Snowflake; article: Snowflake },
): Promise<void> {
  const { ranking, store, clock, sources, likes, reactions } = needs;
  sources.note(message.id, article);
  const channel = place.channel.id;
  for (const [member, variants] of liked.members) {
    if (member === finder) continue;
    for (const { emoji, burst } of variants.values()) {
      const of = {
        guild,
        channel,
        article,
        member,
        direction: 'up',
        emoji: atSource(emoji),
      } as const;
      const facts = { shown: true, isBot: false, joinedAtMs: null, roles: null };
      reactions.handle({
        kind: 'reaction',
        ...of,
        ...facts,
        burst,
        isAtSource: true,
        atMs: clock.now(),
      });
    }
  }
  likes.forget(guild, message.id);
  await noteNominated(store, guild, message.id, clock.now());
  const posted = await readArticle(ranking, guild, article);
  const { embeds, isAlone } = found;
  if (posted && !found.link.isSpoiler) await keepPreview(needs, guild, posted, { embeds, isAlone });
  if (needs.deleted.has(message.id))
    await takeBack(needs, guild, { id: article, source: message.id });
}

import { Routes, type Client, type Guild } from 'discord.js';
import { DAY_MS, type Clock } from '../../runtime/clock.ts';
import { AnsweredElsewhere } from '../../discord/interactions/answer.ts';
import { isApiError, isRefusal } from '../../discord/api-errors.ts';
import { fault, faultLine, type Log } from '../../runtime/log.ts';
import {
  type Article,
  type NewArticle,
  postArticle,
  readArticle,
} from '../../ranking/articles/articles.ts';
import {
  findByLink,
  freeLink,
  namesInChannel,
  releaseLink,
  reserveLink,
} from '../../ranking/links/reservations.ts';
import { hasPosted } from '../../ranking/lists/has-posted.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import type { VoteSigns } from '../../ranking/vote-signs.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { articleMessage } from '../messages/article-message.ts';
import { requireMayStand } from '../../community/may-stand.ts';
import { requireWithinLimit } from '../../community/member-limits.ts';
import { signsOfNew } from '../../community/vote-offer.ts';
import { languageOfGuild } from '../../community/settings.ts';
import { asSpoiler, titleOfLink } from '../../text/clean.ts';
import { shortHost } from '../../text/facts.ts';
import { startDiscussion } from '../messages/discussion.ts';
import { countPosting, requireMayPost, type WantedPost } from './posting-rules.ts';
import type { Rules, GuildRules } from '../../community/guild-rules.ts';
import { isOutage } from '../../redis/errors.ts';
import type { Store } from '../../redis/store.ts';
import { isListed, mayView } from '../../discord/access/visibility.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { MemberLimits } from '../../community/member-limits.ts';
import type { PendingPosts } from '../pending-posts.ts';
import type { OwnReactions } from '../messages/own-reactions.ts';
import type { Listing } from '../listing.ts';
import type { Requests } from '../../discord/requests/requests.ts';

export interface PostingNeeds {
  /** Deletes a message whose article was not committed. */
  client: Client;
  /** Where it stands that Discord's limit of threads is reached. */
  store: Store;
  /** Where links are reserved and articles committed. */
  ranking: Ranking;
  /** The settings and blocks of the guild. */
  rules: GuildRules;
  /** Requests that can wait. */
  requests: Requests;
  /** Members' posts in an hour. */
  memberLimits: MemberLimits;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** The articles whose message is being sent or committed. */
  pendingPosts: PendingPosts;
  /** Keeps the lists equal to what everyone may view, also while an article is written. */
  listing: Listing;
  /** Puts the article's signs under it, 👍 and 👎. */
  ownReactions: OwnReactions;
  /** Looks for messages of the last minutes that were sent but not committed. */
  takeIn(guild: Guild): Promise<unknown>;
  /** The same, a few times with growing pauses. */
  takeInSoon(guild: Snowflake): void;
  /** Resolves when the messages are taken in of which Redis may have lost the articles. */
  takenIn(guild: Snowflake): Promise<void>;
}

type Posting = WantedPost & {
  /** The id of the interaction, or of the message with a pasted link. */
  by: Snowflake;
  title: string;
  comment?: string;
  /** No preview: a member's own message shows it, or its poster wrote the link between angles. */
  beside?: boolean;
  /**
   * Sends the article's message without any ping and returns its id. After an error that is no refusal of
   * Discord, the message may exist.
   */
  sendArticleMessage(content: string): Promise<Snowflake>;
};

type PostingOutcome =
  | { status: 'posted'; article: Snowflake }
  | { status: 'duplicate'; article: Article }
  /** Another member is posting the same link now. */
  | { status: 'posting' }
  /** Discord did not confirm whether the message was sent. */
  | { status: 'unsent' }
  /** The message was sent but not committed yet. It is taken in when Redis is back. */
  | { status: 'unconfirmed' };

/**
 * Posts a link: reserves it, sends the message, commits it, and puts 👍 and 👎 under it.
 * After a crash at any step, the same link still makes one article: before the next posting takes over
 * an uncommitted reservation, the messages that may have been sent for it are taken in.
 */
export async function postLink(needs: PostingNeeds, posting: Posting): Promise<PostingOutcome> {
  const { home, poster } = posting;
  // Before all that costs: a refused or repeated link costs as much as a posted one.
  requireWithinLimit(needs, home.guild.id, poster.id, 'try');
  const rules = await needs.rules.read(home.guild.id);
  requireMayPost(rules, posting, needs.clock.now());
  const { link, title, comment = '' } = posting;
  // Nobody gave the link's own address.
  const address = [titleOfLink(link.href), shortHost(link.href)];
  const given = address.some((name) => [name, asSpoiler(name)].includes(title)) ? [] : [title];
  await requireMayStand(needs, poster, home, { link, texts: [...given, comment] });
  const giveBack = countPosting(needs, rules, poster);
  let outcome: PostingOutcome | undefined;
  try {
    outcome = await postOnce(needs, { ...posting, rules });
    return outcome;
  } finally {
    if (outcome?.status !== 'posted' && outcome?.status !== 'unconfirmed') giveBack();
  }
}

type PostingByRules = Posting & { rules: Rules };

async function postOnce(needs: PostingNeeds, posting: PostingByRules): Promise<PostingOutcome> {
  const { home, channel, link } = posting;
  const guild = home.guild.id;
  // An article that Redis has lost would not stand in the way.
  await needs.takenIn(guild);
  const listed = isListed(home);
  /** Where an earlier article of the poster would be. */
  const lists = listed ? [null] : [null, home.id];
  // In a hidden channel, the guild's name of the link is also looked up.
  const first = listed ? null : await findByLink(needs.ranking, guild, link.canonical);
  if (first !== null && !mayBePostedAgain(needs, posting.rules, first)) {
    const article = await visibleArticle(needs, posting, first);
    if (article) return { status: 'duplicate', article };
  }
  for (const linkName of namesInChannel(home.id, link.canonical, listed)) {
    const outcome = await reserve(needs, posting, linkName);
    if (outcome === 'reserved') {
      // If Redis fails here, the reservation ends by itself: nothing was sent.
      const { id: poster, joinedTimestamp: joinedAtMs } = posting.poster;
      const isFirst = async () =>
        !(await hasPosted(needs.ranking, guild, poster, lists, joinedAtMs ?? 0));
      const signs = await signsOfNew(posting.rules.settings, home.id, isFirst);
      const post = sendAndCommit(needs, { ...posting, signs }, linkName);
      const sent = await needs.pendingPosts.track(channel, posting.by, post);
      if (sent.status === 'posted') {
        const { article } = sent;
        await needs.ownReactions.begin({ guild, channel, article, signs });
      }
      return sent;
    }
    if (outcome !== 'elsewhere') return outcome;
  }
  // The channel's own name is taken by an article that the member may no longer view.
  return { status: 'posting' };
}

/** Whether an article is old enough for its link to be posted again. */
export function mayBePostedAgain(
  { clock }: { clock: Clock },
  { settings }: Rules,
  article: Snowflake,
): boolean {
  const days = settings['repost-days'];
  return days > 0 && clock.now() - snowflakeTimeMs(article) >= days * DAY_MS;
}

/**
 * The article, if the channel may be told of it: a hidden article is named and stands in the way in its own
 * channel alone, also if it was listed when it was posted.
 */
async function visibleArticle({ ranking }: PostingNeeds, { poster, home }: Posting, id: Snowflake) {
  const article = await readArticle(ranking, home.guild.id, id);
  if (article === null || !(article.listed || article.home === home.id)) return null;
  return mayView(poster, article.home) ? article : null;
}

async function reserve(
  needs: PostingNeeds,
  posting: PostingByRules,
  linkName: string,
): Promise<'reserved' | 'elsewhere' | PostingOutcome> {
  const { ranking, clock } = needs;
  const { guild } = posting.home;
  const reservation = { guild: guild.id, linkName, by: posting.by };
  const ask = (from?: Snowflake) => reserveLink(ranking, { ...reservation, from }, clock.now());
  let outcome = await ask();
  if (outcome.status === 'known' && mayBePostedAgain(needs, posting.rules, outcome.article)) {
    await freeLink(ranking, { guild: guild.id, linkName, article: outcome.article });
    outcome = await ask();
  }
  if (outcome.status === 'expired') {
    await needs.takeIn(guild);
    outcome = await ask(outcome.by);
  }
  if (outcome.status === 'reserved') return 'reserved';
  // Expired again: another posting's take-over has just failed as well.
  if (outcome.status !== 'known') return { status: 'posting' };
  const article = await visibleArticle(needs, posting, outcome.article);
  return article ? { status: 'duplicate', article } : 'elsewhere';
}

async function sendAndCommit(
  needs: PostingNeeds,
  posting: PostingByRules & { signs: VoteSigns | undefined },
  linkName: string,
): Promise<PostingOutcome> {
  const { ranking, clock, log } = needs;
  const { home, channel, link, title, comment, poster, rules, by, beside = false } = posting;
  const { signs } = posting;
  const guild = home.guild.id;
  const listed = isListed(home);
  const groups = listed ? (posting.groups ?? []) : [];
  const article = {
    guild,
    title,
    link: link.href,
    ...(comment ? { comment } : {}),
    ...(signs ? { signs } : {}),
    linkName,
    poster: poster.id,
    home: home.id,
    groups,
    channel,
    listed,
  };
  const fresh = { interesting: false, locked: false, closed: false, up: 1, down: 0 };
  // The message's own time is not known yet. Only readers use it.
  const closesAtMs = clock.now() + VOTING_OPEN_MS;
  const shown = { ...article, ...fresh, groups: [home.id, ...groups], beside, closesAtMs };
  let id: Snowflake;
  try {
    const locale = languageOfGuild(rules, home.guild);
    id = await posting.sendArticleMessage(articleMessage(shown, locale));
  } catch (error) {
    const isElsewhere = error instanceof AnsweredElsewhere;
    // Discord also forgets an interaction after an earlier try that arrived.
    const isUncertain = !isRefusal(error) || isApiError(error, 'UnknownInteraction');
    if (isUncertain && !isElsewhere) needs.takeInSoon(guild);
    if (isRefusal(error) || isElsewhere) {
      await releaseLink(ranking, { guild, linkName, by });
      throw error;
    }
    log.warn(fault(error), 'Discord did not confirm the message of an article.');
    return { status: 'unsent' };
  }
  try {
    return await commit(needs, posting, { ...article, id });
  } catch (error) {
    if (!isOutage(error)) throw error;
    log.warn({ ...faultLine(error), article: id }, 'An article is not confirmed yet.');
    needs.takeInSoon(guild);
    return { status: 'unconfirmed' };
  }
}

async function commit(
  needs: PostingNeeds,
  posting: Posting,
  article: NewArticle,
): Promise<PostingOutcome> {
  const { ranking, client } = needs;
  const channel = posting.channel;
  // The channel can have become private, or gone, while Discord took the message.
  const outcome = await needs.listing.write(article, (listed) =>
    postArticle(ranking, { ...article, listed }),
  );
  if (outcome.status !== 'duplicate') {
    needs.pendingPosts.noteCommitted(article.id);
    // Nobody waits for the thread, and it logs its own failure.
    void startDiscussion(needs, posting.home, { ...article, channel }, 'posted').catch(() => {});
    return { status: 'posted', article: article.id };
  }
  // This posting was so slow that another one took over the reservation, and its article counts.
  await client.rest.delete(Routes.channelMessage(channel, article.id));
  const first = await visibleArticle(needs, posting, outcome.article);
  return first ? { status: 'duplicate', article: first } : { status: 'posting' };
}

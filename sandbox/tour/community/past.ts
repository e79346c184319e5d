import { MessageType } from 'discord-api-types/v10';
import { startPost, startThreadFrom } from '../../../discord-box/src/world/messages/threads.ts';
import { addMember } from '../../../discord-box/src/world/guilds/change-member.ts';
import { addUser } from '../../../discord-box/src/world/users.ts';
import { createMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import type { Channel } from '../../../discord-box/src/model/channel.ts';
import type { Message } from '../../../discord-box/src/model/message.ts';
import type { Reaction } from '../../../discord-box/src/model/message.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import { previewOf } from '../../../discord-box/src/world/messages/previews.ts';
import type { Random } from '../../../discord-box/src/world/random.ts';
import { snowflakeMs, type Snowflake } from '../../../discord-box/src/model/snowflakes.ts';
import { userPayload } from '../../../discord-box/src/world/user-payload.ts';
import { articleMessage } from '../../../src/articles/messages/article-message.ts';
import { VOTING_OPEN_MS } from '../../../src/ranking/rules.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { type Language, wordsOf } from '../languages/languages.ts';
import type { KnownPage } from '../known-page.ts';
import { POSTED, POURED } from '../web/pages.ts';
import type { Community } from './community.ts';
import { gatherCrowd } from './crowd.ts';

const PAST_DAYS = 30;
const OLD_DAYS = 60;
/** So many articles at least are of the last day. */
const TODAY = 8;
/** Members who read and vote, and of whom nobody is shown. */
const READERS = 388;
/** The bot's first mark for a community of this size: the square root of its members. */
const MARK = 20;
const TALKED_ABOUT = 0.3;

/**
 * A month in which members posted and voted, as the bot would have left it: its messages, its own two
 * reactions, the members' reactions. The bot finds all that when it looks for the first time.
 */
export function seedPast(world: World, community: Community, random: Random): void {
  const nowMs = Math.floor(world.clock.now());
  const { guild, channels, language } = community;
  // The last member has just joined.
  const newcomer = community.members.at(-1) ?? '';
  const members = [community.admin, community.moderator, ...community.members].filter(
    (id) => id !== newcomer,
  );
  // This one has only voted and talked, until they posted for the first time.
  const beginner = community.members.at(-2) ?? '';
  const pickPoster = (): Snowflake => {
    const picked = random.pick(members);
    return picked === beginner ? community.moderator : picked;
  };
  const readers = gatherCrowd(world, guild, READERS);
  const pages = shuffled(random, language);
  for (const [at, { page, channel }] of pages.entries()) {
    const left = pages.length - at;
    const postedAtMs = Math.floor(momentOf(nowMs, left, pages.length, random));
    const role = ROLES[left] ?? (page.loved === true ? 'loved' : 'usual');
    const poster = role === 'first' ? newcomer : role === 'found' ? beginner : pickPoster();
    // What was posted an hour ago has not been read by all.
    const readBy = Math.min(1, (nowMs - postedAtMs) / (8 * HOUR_MS)) ** 0.4;
    const { ups, downs, talk } = liking(role, random);
    const voters = choose([...members.filter((id) => id !== poster), ...readers], random);
    const up = voters.slice(0, Math.round(ups * readBy));
    const down = voters.slice(up.length, up.length + Math.round(downs * readBy));
    const given = { page: saidOf(page, language), poster, postedAtMs, up, down };
    const message = seedArticle(world, community, channels[channel], given);
    if (talk > 0)
      seedThread(world, channels[channel], message, { page, members, talk, random, language });
  }
  const { talk: lines } = wordsOf(language);
  const talkFromMs = nowMs - 5 * 24 * HOUR_MS;
  for (const [at, [channel, content]] of lines.entries()) {
    const atMs = talkFromMs + ((at + 0.5) * (nowMs - talkFromMs)) / lines.length;
    const authorId = random.pick(members);
    const id = world.snowflake(Math.floor(atMs));
    createMessage(world, channels[channel], { id, authorId, content });
  }
  seedPicture(world, community, nowMs - 3 * HOUR_MS);
  seedFeed(world, community, nowMs - HOUR_MS);
}

/**
 * When the page was posted that `left` pages, itself included, are counted from the end: the last ones within
 * the last day, the others within the month, more of them in its last days.
 */
function momentOf(nowMs: number, left: number, of: number, random: Random): number {
  const share =
    left <= TODAY
      ? (left - random.next()) / TODAY
      : 1 + (PAST_DAYS - 1) * ((left - TODAY - random.next()) / (of - TODAY)) ** 1.5;
  return nowMs - (share * 22 + 0.2) * HOUR_MS;
}

/** What readers make of an article: how many vote, and how many write in its thread. */
type Role = 'loved' | 'usual' | 'disputed' | 'first' | 'found';
/** The last pages but so many are not like the others. */
const ROLES: Readonly<Record<number, Role>> = { 2: 'first', 5: 'disputed', 7: 'found' };

function liking(role: Role, random: Random): { ups: number; downs: number; talk: number } {
  const some = 1 + random.below(4);
  switch (role) {
    case 'loved':
      return { ups: 20 + random.below(9), downs: random.below(3), talk: some };
    case 'usual':
      return {
        ups: 3 + 13 * random.next() ** 2,
        downs: random.below(4),
        talk: random.next() < TALKED_ABOUT ? some : 0,
      };
    case 'disputed':
      return { ups: 4, downs: 11, talk: 8 };
    case 'first':
      return { ups: 0, downs: 0, talk: 0 };
    // Enough for a digest to point to it, and too few for its list.
    case 'found':
      return { ups: 3, downs: 0, talk: 0 };
  }
}

/** The page with what its poster says of it, in the community's language. */
export function saidOf(page: KnownPage, language: Language): KnownPage {
  const { comment: _, ...rest } = page;
  const comment = wordsOf(language).comments[page.link] ?? page.comment;
  const isForeign = language !== 'en-US' && wordsOf(language).comments[page.link] === undefined;
  return comment === undefined || isForeign ? rest : { ...rest, comment };
}

/**
 * Two months in which members posted links and reacted to them, before any bot came: what Frontpage finds when
 * it is asked to begin with them. Some links were posted again.
 */
export function seedOldLinks(world: World, community: Community, random: Random): void {
  const nowMs = Math.floor(world.clock.now());
  const { guild, channels, language } = community;
  const members = [community.admin, community.moderator, ...community.members];
  const readers = gatherCrowd(world, guild, READERS);
  const pages = shuffled(random, language);
  const post = ({ page, channel }: Place, atMs: number, poster: Snowflake): Message => {
    const { comment } = saidOf(page, language);
    const message = createMessage(world, channels[channel], {
      id: world.snowflake(atMs),
      authorId: poster,
      content: `${comment === undefined ? '' : `${comment}\n`}${page.link}`,
    });
    message.previews = [previewOf(world, new URL(page.link).href) ?? []].flat();
    return message;
  };
  for (const [at, one] of pages.entries()) {
    const agoMs = (OLD_DAYS * 24 * HOUR_MS * (pages.length - at)) / (pages.length + 1);
    const postedAtMs = Math.floor(nowMs - agoMs + random.next() * HOUR_MS);
    const poster = random.pick(members);
    const message = post(one, postedAtMs, poster);
    const ups = one.page.loved === true ? 14 + random.below(20) : 9 * random.next() ** 2;
    const voters = choose([...members.filter((id) => id !== poster), ...readers], random);
    const up = voters.slice(0, Math.round(ups));
    const down = voters.slice(up.length, up.length + random.below(2));
    message.reactions = reactionsOf({ '👍': up, '👎': down });
    const isLate = postedAtMs + 30 * HOUR_MS > nowMs;
    if (at % 6 === 0 && !isLate) post(one, postedAtMs + 20 * HOUR_MS, random.pick(members));
  }
}

function reactionsOf(shown: Record<string, Snowflake[]>): Map<string, Reaction> {
  return new Map(
    Object.entries(shown)
      .filter(([, members]) => members.length > 0)
      .map(([name, members]) => [
        name,
        { emoji: { id: null, name }, normal: new Set(members), burst: new Set() },
      ]),
  );
}

type Place = { page: KnownPage; channel: keyof typeof POSTED };

/** One page of each channel in turn, so that no day has but one topic. The last ones are the newest. */
function shuffled(random: Random, language: Language): Place[] {
  const local = wordsOf(language).pages;
  const places = Object.entries(POSTED).flatMap(([name, pages]) => {
    const channel = name as keyof typeof POSTED;
    // Those in the community's language among the others, but not the last, which many like.
    const own = local.filter((one) => one.channel === channel);
    const all: KnownPage[] = [...pages];
    for (const [at, page] of own.entries()) {
      all.splice(at + Math.round(((at + 1) / (own.length + 1)) * pages.length), 0, page);
    }
    return all.map((page, at) => ({ page, channel, turn: (at + random.next()) / all.length }));
  });
  return places.sort((a, b) => a.turn - b.turn);
}

/** All of them, in an order of chance. */
function choose(ids: Snowflake[], random: Random): Snowflake[] {
  return ids
    .map((id) => ({ id, turn: random.next() }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ id }) => id);
}

type Given = {
  page: KnownPage;
  poster: Snowflake;
  postedAtMs: number;
  up: Snowflake[];
  down: Snowflake[];
};

/** What `/post` leaves behind, with the votes, and with their result once voting is over. */
function seedArticle(
  world: World,
  { language }: Community,
  channel: Channel,
  given: Given,
): Message {
  const { page, poster, postedAtMs, up, down } = given;
  const id = world.snowflake(postedAtMs);
  const ups = up.length + 1;
  const closesAtMs = postedAtMs + VOTING_OPEN_MS;
  const closed = closesAtMs <= world.clock.now();
  const { title, link, comment } = page;
  const shown = {
    title,
    link: new URL(link).href,
    ...(comment === undefined ? {} : { comment }),
    poster,
    groups: [channel.id],
    interesting: ups >= MARK,
    locked: false,
    beside: false,
    closed,
    up: closed ? ups : 0,
    down: closed ? down.length : 0,
    closesAtMs,
  };
  const message = createMessage(world, channel, {
    id,
    authorId: world.application.botId,
    type: MessageType.ChatInputCommand,
    content: articleMessage(shown, language),
    allowedMentions: { parse: [] },
    interaction: {
      id: world.snowflake(postedAtMs),
      type: 2,
      user: userPayload(world, poster),
      authorizing_integration_owners: { '0': channel.guildId },
    },
    command: 'post',
  });
  message.previews = [previewOf(world, shown.link) ?? []].flat();
  const { botId } = world.application;
  // The bot shows 👎 while voting is open and no member does.
  const downs = down.length === 0 && !closed ? [botId] : down;
  message.reactions = reactionsOf({ '👍': [botId, ...up], '👎': downs });
  return message;
}

type Talk = {
  page: KnownPage;
  members: Snowflake[];
  /** How many messages. */
  talk: number;
  random: Random;
  language: Language;
};

/** What some members said of an article, in its thread. */
function seedThread(world: World, channel: Channel, message: Message, given: Talk): void {
  const { page, members, talk, random, language } = given;
  const ownerId = world.application.botId;
  const startedAtMs = snowflakeMs(message.id) + 1000;
  const name = page.title;
  const thread = startThreadFrom(world, channel, message, { name, ownerId, startedAtMs });
  // Within some hours, as long as they are past.
  const sinceMs = Math.min(6 * HOUR_MS, world.clock.now() - startedAtMs);
  const { replies } = wordsOf(language);
  const first = random.below(replies.length);
  for (let at = 0; at < talk; at += 1) {
    const authorId = random.pick(members);
    const id = world.snowflake(Math.floor(startedAtMs + ((at + 0.5) / talk) * sinceMs));
    const content = replies[(first + at) % replies.length] ?? '';
    createMessage(world, thread, { id, authorId, content });
  }
}

/** Somebody's picture, in a forum post. */
/** A feed pours links into a channel, and somebody likes each of them. */
function seedFeed(world: World, { guild, channels, members }: Community, atMs: number): void {
  const { id: authorId } = addUser(world, {
    username: 'rust-feed',
    globalName: 'Rust Feed',
    bot: true,
  });
  addMember(world, guild, authorId, { joinedAtMs: atMs });
  for (const [at, { link, title, about }] of POURED.entries()) {
    const embed = { type: 'rich', url: link, title, description: about };
    const id = world.snowflake(atMs + at * MINUTE_MS);
    const message = createMessage(world, channels.rust, { id, authorId, embeds: [embed] });
    const liker = new Set([members[at] ?? '']);
    message.reactions.set('👍', {
      emoji: { id: null, name: '👍' },
      normal: liker,
      burst: new Set(),
    });
  }
}

function seedPicture(world: World, community: Community, atMs: number): void {
  const { channels, members, language } = community;
  const { title, text, description } = wordsOf(language).picture;
  const ownerId = members[3] ?? '';
  const id = world.snowflake(atMs);
  const { message } = startPost(world, channels.forum, { name: title, ownerId }, { content: text });
  message.attachments = [
    {
      id,
      filename: 'harbour.svg',
      contentType: 'image/svg+xml',
      description,
      data: new TextEncoder().encode(HARBOUR),
    },
  ];
}

const HARBOUR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 240" width="420" height="240">
<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="#2b2a5c"/><stop offset=".6" stop-color="#e0647a"/><stop offset="1" stop-color="#ffb36b"/></linearGradient></defs>
<rect width="420" height="240" fill="url(#s)"/><circle cx="300" cy="132" r="30" fill="#ffe1a8"/>
<path d="M0 150h420v90H0z" fill="#24345f"/><path d="M0 150h420v6H0z" fill="#f2a07b" opacity=".6"/>
<path d="M0 150V96l60-22 46 30 40-14v60z" fill="#191b3d"/><path d="M70 186h96l-16 20H86z" fill="#f4efe6"/><path d="M116 182V112l42 66z" fill="#ff6a3d"/><path d="M112 182v-56l-32 52z" fill="#f4efe6"/>
<path d="M252 200h70l-12 15h-46z" fill="#f4efe6"/><path d="M288 196v-46l26 42z" fill="#5865f2"/></svg>`;

import { MessageType } from 'discord-api-types/v10';
import { createChannel } from '../../../discord-box/src/channels/change-channel.ts';
import { startPost, startThreadFrom } from '../../../discord-box/src/messages/threads.ts';
import { createMessage } from '../../../discord-box/src/messages/change-message.ts';
import type { Channel } from '../../../discord-box/src/model/channel.ts';
import type { Message } from '../../../discord-box/src/model/message.ts';
import type { Reaction } from '../../../discord-box/src/model/message.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import { previewOf } from '../../../discord-box/src/messages/previews.ts';
import type { Random } from '../../../discord-box/src/world/random.ts';
import { snowflakeMs, type Snowflake } from '../../../discord-box/src/model/snowflakes.ts';
import { userPayload } from '../../../discord-box/src/world/user-payload.ts';
import { articleContent, type Posted } from '../article/text.ts';
import type { KnownPage } from '../web/known-page.ts';
import { POSTED } from '../web/pages.ts';
import type { Community } from './community.ts';
import { gatherCrowd } from './crowd.ts';
import { REPLIES, TALK } from './talk.ts';

const HOUR_MS = 3_600_000;
const PAST_DAYS = 30;
const OLD_DAYS = 60;
/** So many articles at least are of the last day. */
const TODAY = 8;
const VOTING_OPEN_MS = 604_800_000;
/** Members who read and vote, and of whom nobody is shown. */
const READERS = 388;
/** The bot's first mark for a community of this size: the square root of its members. */
const MARK = 20;
const TALKED_ABOUT = 0.3;

/** A channel for the digests. */
export function seedFrontPage(world: World, { guild, channels: { general } }: Community): void {
  createChannel(world, {
    guildId: guild.id,
    name: 'front-page',
    topic: 'The best of each day.',
    parentId: general.parentId,
    position: general.position,
    id: world.snowflake(Math.floor(world.clock.now()) - PAST_DAYS * 24 * HOUR_MS),
  });
}

/**
 * A month in which members posted and voted, as the bot would have left it: its messages, its own two
 * reactions, the members' reactions. The bot finds all that when it looks for the first time.
 */
export function seedPast(world: World, community: Community, random: Random): void {
  const nowMs = Math.floor(world.clock.now());
  const { guild, channels } = community;
  const members = [community.admin, community.moderator, ...community.members];
  const readers = gatherCrowd(world, guild, READERS);
  const pages = shuffled(random);
  const moments = pages
    .map((_, at) => nowMs - (at < TODAY ? random.next() : random.next() * PAST_DAYS) * 22 * HOUR_MS)
    .map((moment) => Math.floor(moment - 0.2 * HOUR_MS))
    .sort((a, b) => a - b);
  for (const [at, { page, channel }] of pages.entries()) {
    const postedAtMs = moments[at] ?? nowMs;
    const poster = random.pick(members);
    // What was posted an hour ago has not been read by all.
    const readBy = Math.min(1, (nowMs - postedAtMs) / (8 * HOUR_MS)) ** 0.4;
    const ups =
      (page.loved === true ? 22 + random.below(24) : 3 + 13 * random.next() ** 2) * readBy;
    const voters = choose([...members.filter((id) => id !== poster), ...readers], random);
    const up = voters.slice(0, Math.round(ups));
    const down = voters.slice(up.length, up.length + random.below(page.loved === true ? 3 : 4));
    const message = seedArticle(world, channels[channel], { page, poster, postedAtMs, up, down });
    if (page.loved === true || random.next() < TALKED_ABOUT) {
      seedThread(world, channels[channel], message, page, members, random);
    }
  }
  const talkFromMs = nowMs - 5 * 24 * HOUR_MS;
  for (const [at, [channel, content]] of TALK.entries()) {
    const atMs = talkFromMs + ((at + 0.5) * (nowMs - talkFromMs)) / TALK.length;
    const chinese = /\p{Script=Han}/u.test(content);
    const speakers = members.filter((id) => (world.users.get(id)?.locale === 'zh-CN') === chinese);
    const authorId = random.pick(speakers);
    createMessage(world, channels[channel], {
      id: world.snowflake(Math.floor(atMs)),
      authorId,
      content,
    });
  }
  seedPicture(world, community, nowMs - 3 * HOUR_MS);
}

/**
 * Two months in which members posted links and reacted to them, before any bot came: what Frontpage finds when
 * it is asked to begin with them. Some links were posted again.
 */
export function seedOldLinks(world: World, community: Community, random: Random): void {
  const nowMs = Math.floor(world.clock.now());
  const { guild, channels } = community;
  const members = [community.admin, community.moderator, ...community.members];
  const readers = gatherCrowd(world, guild, READERS);
  const pages = shuffled(random);
  const post = ({ page, channel }: Place, atMs: number, poster: Snowflake): Message => {
    const comment = page.comment === undefined ? '' : `${page.comment}\n`;
    const message = createMessage(world, channels[channel], {
      id: world.snowflake(atMs),
      authorId: poster,
      content: `${comment}${page.link}`,
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
function shuffled(random: Random): Place[] {
  const places = Object.entries(POSTED).flatMap(([channel, pages]) =>
    pages.map((page, at) => ({
      page,
      channel: channel as keyof typeof POSTED,
      turn: (at + random.next()) / pages.length,
    })),
  );
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
function seedArticle(world: World, channel: Channel, given: Given): Message {
  const { page, poster, postedAtMs, up, down } = given;
  const id = world.snowflake(postedAtMs);
  const ups = up.length + 1;
  const closesAtMs = postedAtMs + VOTING_OPEN_MS;
  const isClosed = closesAtMs <= world.clock.now();
  const posted: Posted = {
    ...page,
    poster,
    channel: channel.id,
    closesAtMs,
    interesting: ups >= MARK,
    result: isClosed ? { up: ups, down: down.length } : null,
  };
  const message = createMessage(world, channel, {
    id,
    authorId: world.application.botId,
    type: MessageType.ChatInputCommand,
    content: articleContent(posted),
    allowedMentions: { parse: [] },
    interaction: {
      id: world.snowflake(postedAtMs),
      type: 2,
      user: userPayload(world, poster),
      authorizing_integration_owners: { '0': channel.guildId },
    },
    command: 'post',
  });
  message.previews = [previewOf(world, new URL(page.link).href) ?? []].flat();
  const { botId } = world.application;
  // The bot shows 👎 while voting is open and no member does.
  const downs = down.length === 0 && !isClosed ? [botId] : down;
  const reactions = { '👍': [botId, ...up], '👎': downs };
  message.reactions = reactionsOf(reactions);
  return message;
}

/** What some members said of an article, in its thread. */
function seedThread(
  world: World,
  channel: Channel,
  message: Message,
  { title }: KnownPage,
  members: Snowflake[],
  random: Random,
): void {
  const ownerId = world.application.botId;
  const postedAtMs = snowflakeMs(message.id);
  const startedAtMs = postedAtMs + 1000;
  const thread = startThreadFrom(world, channel, message, { name: title, ownerId, startedAtMs });
  // Within some hours, as long as they are past.
  const sinceMs = Math.min(6 * HOUR_MS, world.clock.now() - startedAtMs);
  const said = 1 + random.below(4);
  for (let at = 0; at < said; at += 1) {
    const authorId = random.pick(members);
    const id = world.snowflake(Math.floor(startedAtMs + ((at + 0.5) / said) * sinceMs));
    createMessage(world, thread, { id, authorId, content: random.pick(REPLIES) });
  }
}

/** Somebody's picture, in a forum post. */
function seedPicture(world: World, { channels, members }: Community, atMs: number): void {
  const ownerId = members[3] ?? '';
  const id = world.snowflake(atMs);
  const { message } = startPost(
    world,
    channels.forum,
    { name: 'My little harbour, drawn by hand', ownerId },
    { content: 'Took me three evenings. Feedback welcome!' },
  );
  message.attachments = [
    {
      id,
      filename: 'harbour.svg',
      contentType: 'image/svg+xml',
      description: 'A harbour at dusk with two boats',
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

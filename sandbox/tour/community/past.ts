import { MessageType } from 'discord-api-types/v10';
import { createChannel } from '../../discord/channels/change-channel.ts';
import { startPost } from '../../discord/channels/threads.ts';
import { createMessage } from '../../discord/messages/change-message.ts';
import type { Channel } from '../../discord/model/channel.ts';
import type { Message } from '../../discord/model/message.ts';
import type { Reaction } from '../../discord/model/message.ts';
import type { World } from '../../discord/model/world.ts';
import type { Random } from '../../discord/world/random.ts';
import type { Snowflake } from '../../discord/world/snowflakes.ts';
import { userPayload } from '../../discord/world/user-payload.ts';
import type { Community } from './community.ts';
import { gatherCrowd } from './crowd.ts';
import { ARTICLES, TALK } from './past-articles.ts';

const HOUR_MS = 3_600_000;
const PAST_MS = 23 * HOUR_MS;
const VOTING_OPEN_SECONDS = 604_800;
/** One article has drawn more readers than the dozen who talk. */
const LOUD = 3;
const LOUD_VOTERS = 64;

/**
 * A day in which members posted and voted, as the bot would have left it: its messages, its own two
 * reactions, the members' reactions. The bot finds all that when it looks for the first time.
 */
export function seedPast(world: World, community: Community, random: Random): void {
  const nowMs = Math.floor(world.clock.now());
  const { guild, channels } = community;
  const members = [community.admin, community.moderator, ...community.members];
  createChannel(world, {
    guildId: guild.id,
    name: 'front-page',
    topic: 'The best of each day.',
    parentId: channels.general.parentId,
    position: channels.general.position,
    id: world.snowflake(nowMs - PAST_MS - HOUR_MS),
  });
  const moments = ARTICLES.map(() => nowMs - 120_000 - random.below(PAST_MS)).sort((a, b) => a - b);
  for (const [at, [channel, link, title]] of ARTICLES.entries()) {
    const postedAtMs = moments[at] ?? nowMs;
    const poster = random.pick(members);
    const message = seedArticle(world, channels[channel], { poster, link, title, postedAtMs });
    const crowd = at === LOUD ? gatherCrowd(world, guild, LOUD_VOTERS) : [];
    const liked = 0.35 + 0.6 * random.next();
    vote(world, message, poster, [...members, ...crowd], () => {
      if (random.next() > 0.3 + liked / 2) return null;
      return random.next() < liked + 0.15 ? '👍' : '👎';
    });
  }
  for (const [at, [channel, content]] of TALK.entries()) {
    const atMs = nowMs - PAST_MS + ((at + 0.5) * PAST_MS) / TALK.length;
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

type Given = { poster: Snowflake; link: string; title: string; postedAtMs: number };

/** What `/post` leaves behind, with nobody's vote but the poster's. */
function seedArticle(world: World, channel: Channel, given: Given): Message {
  const { poster, link, title, postedAtMs } = given;
  const closes = Math.floor(postedAtMs / 1000) + VOTING_OPEN_SECONDS;
  const by = `by <@${poster}> in <#${channel.id}>`;
  const content = [
    `**[${title.replace(/[*_]/g, '\\$&')}](${new URL(link).href})** · ${new URL(link).host.replace(/^www\./, '')}`,
    `-# ${by} · voting ends <t:${closes}:R>`,
  ].join('\n');
  const interaction = {
    id: world.snowflake(postedAtMs),
    type: 2,
    user: userPayload(world, poster),
    authorizing_integration_owners: { '0': channel.guildId },
    name: 'post',
  };
  return createMessage(world, channel, {
    id: world.snowflake(postedAtMs),
    authorId: world.application.botId,
    type: MessageType.ChatInputCommand,
    content,
    interaction,
  });
}

/** Everyone votes or does not. */
function vote(
  world: World,
  message: Message,
  poster: Snowflake,
  voters: readonly Snowflake[],
  choose: () => '👍' | '👎' | null,
): void {
  const { botId } = world.application;
  const reactions = {
    '👍': { emoji: { id: null, name: '👍' }, normal: new Set([botId]), burst: new Set() },
    '👎': { emoji: { id: null, name: '👎' }, normal: new Set([botId]), burst: new Set() },
  } satisfies Record<string, { emoji: object; normal: Set<string>; burst: Set<unknown> }>;
  for (const voter of voters) {
    const choice = choose();
    if (choice !== null && voter !== poster) reactions[choice].normal.add(voter);
  }
  // The bot's own 👎 shows the way until the first member's.
  if (reactions['👎'].normal.size > 1) reactions['👎'].normal.delete(botId);
  message.reactions = new Map(Object.entries(reactions) as [string, Reaction][]);
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

import { MessageType } from 'discord-api-types/v10';
import { actAs } from '../../../discord-box/src/act/actor.ts';
import { addMember } from '../../../discord-box/src/world/guilds/change-member.ts';
import { previewOf } from '../../../discord-box/src/world/messages/previews.ts';
import {
  createMessage,
  setPreviews,
} from '../../../discord-box/src/world/messages/change-message.ts';
import type { Message } from '../../../discord-box/src/model/message.ts';
import { snowflakeMs, type Snowflake } from '../../../discord-box/src/model/snowflakes.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Random } from '../../../discord-box/src/world/random.ts';
import { addUser } from '../../../discord-box/src/world/users.ts';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { wordsOf } from '../languages/languages.ts';
import { isArticle, isEdition, messagesOf } from '../article/shown.ts';
import type { KnownPage } from '../known-page.ts';
import { comingIn } from '../web/pages-coming.ts';
import type { Community } from './community.ts';
import { letCrowdVote, readersWithoutVote, voteAs } from './crowd.ts';

/** Between two posts, by the day of the week: a thin Sunday, a busy Wednesday. The pages last a month. */
const POST_EVERY_HOURS = [12, 4, 4, 3, 4, 4, 4] as const;
const MOST_VOTERS = 20;
/** The day after, up to this share of an article's votes comes again: readers find what others liked. */
const FOUND_LATER = 0.4;
/** Of so many posts, one is disputed; of so many, one is a newcomer's first. */
const DISPUTED_OF = 6;
const FIRST_OF = 11;
/** Of so many pages that many like, one goes without a word of its poster. */
const SILENT_OF = 3;
const MOST_REFUSED = 3;
const THREAD_WITHIN_MS = 1500;
/** After so many first replies in a row without a thread, none is waited for: the server wants none. */
const MOST_THREADLESS = 3;
/** The first digest that is waited for is a good one, whatever day it is. */
const FIRST_EVERY_HOURS = 3;

type Parts = { world: World; random: Random; community: Community };
/** What is known of the bot while time is moved. */
type Days = {
  /** The links that it does not post. */
  refused: Set<string>;
  /** So many first replies in a row, the last ones, have begun no thread within their time. */
  threadless: number;
};

/** Moves time in steps. Between them members post, vote and talk. */
export async function liveFor(
  addMs: number,
  parts: Parts,
  move: (addMs: number) => Promise<void>,
): Promise<void> {
  let leftMs = addMs;
  const days: Days = { refused: new Set(), threadless: 0 };
  const { world } = parts;
  const editions = [...messagesOf(world)].filter((one) => isEdition(one, world.application.botId));
  // The set-up posts one.
  const isFirst = editions.length <= 1;
  for (;;) {
    const day = new Date(world.clock.now()).getUTCDay();
    const everyHours = isFirst ? FIRST_EVERY_HOURS : (POST_EVERY_HOURS[day] ?? 4);
    const everyMs = everyHours * HOUR_MS;
    if (leftMs <= everyMs) break;
    await move(everyMs);
    leftMs -= everyMs;
    readOn(parts);
    // A bot that refuses several does not answer at all.
    if (days.refused.size < MOST_REFUSED) await postNext(parts, days);
  }
  await move(leftMs);
}

/** Posts the next page that is not among the refused, to which it adds the link if the bot does not post it. */
async function postNext(parts: Parts, days: Days): Promise<void> {
  const { refused } = days;
  const { world, random, community } = parts;
  const { channels, members, language } = community;
  const posted = [...messagesOf(world)].map(({ content }) => content).join('\n');
  const coming = comingIn(language);
  const at = coming.findIndex(({ page }) => !refused.has(page.link) && !posted.includes(page.link));
  const next = coming[at];
  if (next === undefined) return;
  const channel = channels[next.channel];
  const { link, title } = next.page;
  const newcomer = at % FIRST_OF === 4 ? welcome(parts, Math.floor(at / FIRST_OF)) : undefined;
  const member = actAs(world, newcomer ?? random.pick(members));
  const values = { link, title, ...commentOf(next.page, at, community) };
  const answer = await member.command(channel.id, 'post', values).catch(() => undefined);
  const message = channel.messages.get(answer?.message?.id ?? '');
  if (message === undefined || message.onlyFor !== null) {
    refused.add(link);
    return;
  }
  // At once: while time is moved, the next digest follows before Discord's preview would.
  setPreviews(world, channel, message, [previewOf(world, link) ?? []].flat());
  // Nobody has found the newcomer's link yet.
  if (newcomer === undefined) await react(parts, days, message, { page: next.page, at });
}

/** What the poster says of a page: nothing of most. */
function commentOf(
  { loved }: KnownPage,
  at: number,
  { language }: Community,
): { comment?: string } {
  const { finds } = wordsOf(language);
  const comment = finds[at % finds.length];
  return loved !== true || at % SILENT_OF === 0 || comment === undefined ? {} : { comment };
}

/** Waits until the bot has begun the article's thread with the first reply. False: it does not. */
export async function threadOf(world: World, article: Snowflake): Promise<boolean> {
  const deadline = performance.now() + THREAD_WITHIN_MS;
  while (!world.channels.has(article) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return world.channels.has(article);
}

/** Most articles get few votes, and some get many; now and then one is disputed, and many talk of it. */
async function react(
  parts: Parts,
  days: Days,
  message: Message,
  { page, at }: { page: KnownPage; at: number },
): Promise<void> {
  const { world, random, community } = parts;
  const channel = world.channels.get(message.channelId);
  if (channel === undefined) return;
  const { guild } = community;
  const isDisputed = at % DISPUTED_OF === 2 && page.loved !== true;
  const few = Math.ceil(MOST_VOTERS * random.next() ** 3);
  const size = page.loved === true ? 20 + random.below(9) : isDisputed ? 12 : few;
  const share = isDisputed ? 0.25 : 0.93;
  letCrowdVote(world, { guild, channel, message }, random, { size, share });
  const talk = isDisputed ? 7 : page.loved === true ? 4 : random.below(3);
  for (let said = 0; said < talk; said += 1) {
    reply(parts, message);
    // A bot that is busy begins one of them late.
    if (said === 0 && days.threadless < MOST_THREADLESS) {
      days.threadless = (await threadOf(world, message.id)) ? 0 : days.threadless + 1;
    }
    if (!world.channels.has(message.id)) return;
  }
}

/** A member who has just joined; undefined once all have come. */
function welcome({ world, community }: Parts, at: number): Snowflake | undefined {
  const { newcomers } = wordsOf(community.language);
  const [username, globalName] = newcomers[at] ?? [];
  if (username === undefined || globalName === undefined) return undefined;
  const { guild, language } = community;
  const bornMs = Math.floor(world.clock.now()) - 400 * DAY_MS;
  const user = addUser(world, {
    id: world.snowflake(bornMs),
    username,
    globalName,
    locale: language,
  });
  // Longer ago than a server may ask of those who vote.
  addMember(world, guild, user.id, { joinedAtMs: world.clock.now() - 2 * DAY_MS });
  community.members.push(user.id);
  return user.id;
}

/** In the article's thread, or to its message, which begins the thread. */
function reply({ world, random, community }: Parts, { id, channelId }: Message): void {
  const thread = world.channels.get(id);
  const place = thread ?? world.channels.get(channelId);
  if (place === undefined) return;
  const authorId = random.pick(community.members);
  const content = random.pick([...wordsOf(community.language).replies]);
  createMessage(world, place, {
    id: world.snowflake(Math.floor(world.clock.now())),
    authorId,
    content,
    ...(thread === undefined ? { type: MessageType.Reply, replyTo: id } : {}),
  });
}

/** Some readers find an article of the day before, one at least, the more the better it was liked; somebody answers. */
function readOn(parts: Parts): void {
  const { world, random, community } = parts;
  const now = Math.floor(world.clock.now());
  const isOfYesterday = (message: Message): boolean => {
    const days = (now - snowflakeMs(message.id)) / DAY_MS;
    return isArticle(message, world.application.botId) && days > 1 && days < 2;
  };
  const message = [...messagesOf(world)].filter(isOfYesterday).at(random.below(6));
  const channel = world.channels.get(message?.channelId ?? '');
  if (message === undefined || channel === undefined) return;
  const ups = message.reactions.get('👍')?.normal.size ?? 0;
  const found = Math.max(1, Math.round(FOUND_LATER * ups * random.next()));
  for (const id of readersWithoutVote(world, community.guild, message, found)) {
    voteAs(world, { channel, message }, id, true);
  }
  reply(parts, message);
}

import { actAs } from '../../../discord-box/src/members/actor.ts';
import { previewOf } from '../../../discord-box/src/messages/previews.ts';
import { createMessage, setPreviews } from '../../../discord-box/src/messages/change-message.ts';
import type { Message } from '../../../discord-box/src/model/message.ts';
import { snowflakeMs } from '../../../discord-box/src/model/snowflakes.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Random } from '../../../discord-box/src/world/random.ts';
import { isArticle, messagesOf } from '../article/shown.ts';
import { COMING } from '../web/pages-coming.ts';
import type { Community } from './community.ts';
import { letCrowdVote, readersWithoutVote, voteAs } from './crowd.ts';
import { REPLIES } from './talk.ts';

/** Often enough for each day's digest, and seldom enough for the pages to last a month. */
const POST_EVERY_MS = 4 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const MOST_VOTERS = 24;

type Parts = { world: World; random: Random; community: Community };

/** Moves time in steps. Between them members post, vote and talk. */
export async function liveFor(
  addMs: number,
  parts: Parts,
  move: (addMs: number) => Promise<void>,
): Promise<void> {
  let leftMs = addMs;
  let isAnswered = true;
  for (; leftMs > POST_EVERY_MS; leftMs -= POST_EVERY_MS) {
    await move(POST_EVERY_MS);
    readOn(parts);
    isAnswered &&= await postNext(parts);
  }
  await move(leftMs);
}

/** Returns false if the bot did not post the link. The caller then stops trying. */
async function postNext({ world, random, community }: Parts): Promise<boolean> {
  const { guild, channels, members } = community;
  const posted = [...messagesOf(world)].map(({ content }) => content).join('\n');
  const next = COMING.find(({ page }) => !posted.includes(page.link));
  if (next === undefined) return false;
  const channel = channels[next.channel];
  const { link, title } = next.page;
  const member = actAs(world, random.pick(members));
  const answer = await member.command(channel.id, 'post', { link, title }).catch(() => undefined);
  const message = channel.messages.get(answer?.message?.id ?? '');
  if (message === undefined || message.onlyFor !== null) return false;
  // At once: while time is moved, the next digest follows before Discord's preview would.
  setPreviews(world, channel, message, [previewOf(world, link) ?? []].flat());
  // Most articles get few votes, and some get many.
  const size = 1 + Math.floor(MOST_VOTERS * random.next() ** 2);
  letCrowdVote(world, { guild, channel, message }, random, { size, share: 0.9 });
  return true;
}

/** Some readers find an article of the day before and vote it up, and somebody answers in its thread. */
function readOn({ world, random, community }: Parts): void {
  const now = Math.floor(world.clock.now());
  const isOfYesterday = (message: Message): boolean => {
    const days = (now - snowflakeMs(message.id)) / DAY_MS;
    return isArticle(message, world.application.botId) && days > 1 && days < 2;
  };
  const message = [...messagesOf(world)].filter(isOfYesterday).at(random.below(6));
  const channel = world.channels.get(message?.channelId ?? '');
  if (message === undefined || channel === undefined) return;
  for (const id of readersWithoutVote(world, community.guild, message, 1 + random.below(8))) {
    voteAs(world, { channel, message }, id, true);
  }
  const thread = world.channels.get(message.id);
  const words = { authorId: random.pick(community.members), content: random.pick(REPLIES) };
  if (thread !== undefined) createMessage(world, thread, { id: world.snowflake(now), ...words });
}

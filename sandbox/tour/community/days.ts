import { actAs } from '../../discord/members/actor.ts';
import { previewOf } from '../../discord/messages/previews.ts';
import { setPreviews } from '../../discord/messages/change-message.ts';
import type { World } from '../../discord/model/world.ts';
import type { Random } from '../../discord/world/random.ts';
import { messagesOf } from '../article/shown.ts';
import { COMING } from '../web/pages-coming.ts';
import type { Community } from './community.ts';
import { letCrowdVote } from './crowd.ts';

/** Often enough for each day's digest, and seldom enough for the pages to last a month. */
const POST_EVERY_MS = 4 * 3_600_000;
const MOST_VOTERS = 24;

type Parts = { world: World; random: Random; community: Community };

/** Moves time in steps. Between them a member posts a link, and readers vote on it. */
export async function liveFor(
  addMs: number,
  parts: Parts,
  move: (addMs: number) => Promise<void>,
): Promise<void> {
  let leftMs = addMs;
  let isAnswered = true;
  for (; leftMs > POST_EVERY_MS; leftMs -= POST_EVERY_MS) {
    await move(POST_EVERY_MS);
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

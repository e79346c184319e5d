import type { APIMessage } from 'discord.js';
import { whoMayVote } from '../community/may-vote.ts';
import type { VoteSigns } from '../ranking/vote-signs.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { listsOf } from '../votes/recount/counts.ts';
import { readList } from '../votes/recount/lists.ts';
import { type Liked, type Variant, variantOf } from './likes.ts';
import type { Nominating } from './nominations-needs.ts';

function likesIn(message: Pick<APIMessage, 'reactions'>, signs: VoteSigns) {
  return listsOf(message, signs).filter(({ direction }) => direction === 'up');
}

/** The number of likes that Discord shows under a message. */
export function likesOf(message: Pick<APIMessage, 'reactions'>, signs: VoteSigns): number {
  return likesIn(message, signs).reduce((sum, { count }) => sum + count, 0);
}

type Reading = {
  message: APIMessage;
  liked: Liked;
  signs: VoteSigns;
  /** Those of whom an earlier process saw that they like it, the first one first. */
  order: readonly Snowflake[];
};

/**
 * Makes what is known of a message's likes what Discord shows: of members whose votes count, without its author. Who
 * was not seen to like it did so before the others.
 */
export async function readLikes(
  needs: Nominating,
  guild: Snowflake,
  { message, liked, signs, order }: Reading,
): Promise<void> {
  const { id, channel_id: channel, author } = message;
  const shown = new Map<Snowflake, Map<string, Variant>>();
  for (const list of likesIn(message, signs)) {
    const variant = { emoji: list.emoji, burst: list.burst };
    for (const user of await readList(needs, guild, { channel, id }, list)) {
      if (user.bot === true || user.id === author.id) continue;
      const variants = shown.get(user.id) ?? new Map<string, Variant>();
      shown.set(user.id, variants.set(variantOf(variant), variant));
    }
  }
  const unseen = [...new Set([...order, ...shown.keys()])].filter(
    (member) => shown.has(member) && !liked.members.has(member),
  );
  const voters = await whoMayVote(needs, guild, unseen);
  const first = unseen.filter((member) => voters.has(member));
  const members = [...first, ...liked.members.keys()].filter((member) => shown.has(member));
  liked.members = new Map(members.map((member) => [member, shown.get(member)!]));
  liked.unseen = 0;
}

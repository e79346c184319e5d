import { addMember } from '../../../discord-box/src/world/guilds/change-member.ts';
import { addReaction, removeReaction } from '../../../discord-box/src/world/messages/reactions.ts';
import type { Channel } from '../../../discord-box/src/model/channel.ts';
import type { Guild } from '../../../discord-box/src/model/guild.ts';
import type { Message } from '../../../discord-box/src/model/message.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Random } from '../../../discord-box/src/world/random.ts';
import type { Snowflake } from '../../../discord-box/src/model/snowflakes.ts';
import { addUser } from '../../../discord-box/src/world/users.ts';

export const MOST = 1000;
const UP = { id: null, name: '👍' };
const DOWN = { id: null, name: '👎' };
const YEAR_MS = 365 * 86_400_000;

/** Members of the crowd only vote. The page offers nobody to act as one of them. */
export function isOfTheCrowd(username: string): boolean {
  return username.startsWith('crowd-');
}

/** The first `size` members of the crowd. Adds those that are missing. */
export function gatherCrowd(world: World, guild: Guild, size: number): Snowflake[] {
  const byName = new Map([...world.users.values()].map((user) => [user.username, user.id]));
  return Array.from({ length: size }, (_, at) => {
    const username = `crowd-${at + 1}`;
    const known = byName.get(username);
    const id = known ?? addUser(world, { username, id: bornLongAgo(world) }).id;
    if (!guild.members.has(id)) {
      addMember(world, guild, id, { joinedAtMs: world.clock.now() - YEAR_MS });
    }
    return id;
  });
}

function bornLongAgo(world: World): Snowflake {
  return world.snowflake(Math.floor(world.clock.now()) - 2 * YEAR_MS);
}

/** The first `count` members of the crowd without a vote on the message. */
export function readersWithoutVote(
  world: World,
  guild: Guild,
  message: Message,
  count: number,
): Snowflake[] {
  const voted = new Set([...message.reactions.values()].flatMap(({ normal }) => [...normal]));
  const crowd = gatherCrowd(world, guild, Math.min(MOST, voted.size + count));
  return crowd.filter((id) => !voted.has(id)).slice(0, count);
}

/** One member of the crowd votes up or down. */
export function voteAs(
  world: World,
  { channel, message }: { channel: Channel; message: Message },
  id: Snowflake,
  isUp: boolean,
): void {
  const [wanted, other] = isUp ? [UP, DOWN] : [DOWN, UP];
  removeReaction(world, channel, message, id, other, false);
  addReaction(world, channel, message, id, wanted, false);
}

/** Lets `size` members vote on a message at once. About `share` of them vote up. */
export function letCrowdVote(
  world: World,
  place: { guild: Guild; channel: Channel; message: Message },
  random: Random,
  { size, share }: { size: number; share: number },
): void {
  const { guild, channel, message } = place;
  for (const id of gatherCrowd(world, guild, Math.min(size, MOST))) {
    voteAs(world, { channel, message }, id, random.next() < share);
  }
}

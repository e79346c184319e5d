import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'discord.js';
import type { Snowflake } from '../ranking/snowflake.ts';

/** What is known of a member who votes or posts. The account's age is in the id. */
export type MemberFacts = {
  id: Snowflake;
  /** null where Discord did not say. */
  joinedAtMs: number | null;
  /** null where Discord did not say. */
  roles: readonly Snowflake[] | null;
};

/** Discord tells of so many members at once. */
const atOnce = 100;
/** A connection may send 120 times a minute; half of that is left to everything else. */
const everyMs = 1000;
const answerMs = 30_000;

/**
 * What Discord says of some members of a guild; null of who has left. It is asked over the gateway,
 * which takes no privileged intent for members that are named, none of the requests that members
 * wait for, and a hundredth of what REST would: a minute for 6 000 members. All of them or nothing:
 * throws where Discord does not answer.
 */
export async function readMemberFacts(
  { client, stopping }: { client: Client; stopping: AbortSignal },
  guildId: Snowflake,
  members: readonly Snowflake[],
): Promise<Map<Snowflake, MemberFacts | null>> {
  const standings = new Map<Snowflake, MemberFacts | null>();
  for (let i = 0; i < members.length; i += atOnce) {
    if (i > 0) await pause(everyMs, undefined, { signal: stopping });
    stopping.throwIfAborted();
    const guild = client.guilds.cache.get(guildId);
    if (!guild?.available) throw new Error('The guild is away.');
    const some = members.slice(i, i + atOnce);
    const found = await guild.members.fetch({ user: some, time: answerMs });
    for (const id of some) {
      const member = found.get(id);
      const roles = member ? [...member.roles.cache.keys()] : [];
      standings.set(id, member ? { id, joinedAtMs: member.joinedTimestamp, roles } : null);
    }
  }
  return standings;
}

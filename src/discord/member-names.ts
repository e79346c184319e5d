import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'discord.js';
import { limits } from './limits.ts';
import { remember } from './remember.ts';
import type { Clock } from '../runtime/clock.ts';
import { HOUR_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { cleanLine } from '../text/clean.ts';

/** The names of members in a guild, for its web page. */
export interface MemberNames {
  /**
   * The names of these members that are known now. The others are asked for and come when they can; who is
   * no member has none.
   */
  known(guild: Snowflake, members: readonly Snowflake[]): Map<Snowflake, string>;
  /** The same, but asked for at once, for somebody who waits a second for them: 100 at most. */
  soon(guild: Snowflake, members: readonly Snowflake[]): Promise<Map<Snowflake, string>>;
  /** Whether Discord has not said yet what the member is called, nor that they are none. */
  isPending(guild: Snowflake, member: Snowflake): boolean;
  /** Grows when names of the guild have come. */
  version(guild: Snowflake): number;
}

const REMEMBERED_AT_MOST = 20_000;
const FRESH_MS = 6 * HOUR_MS;
const PATIENCE_MS = 1000;
/** Discord's limit of members per request. */
const AT_ONCE = 100;
/** Members of a guild that wait to be asked for. Another visit asks for who finds no room. */
const WANTED_AT_MOST = 1000;
/**
 * A twelfth of a minute: a connection may send 120 times a minute, and what members ask for needs the same
 * connection.
 */
const EVERY_MS = 5000;

function keyOf(guild: Snowflake, member: Snowflake): string {
  return `${guild} ${member}`;
}

/**
 * Asks Discord over the gateway, which needs no privileged intent for members by their ids, and remembers
 * the answers for hours. One question in `everyMs` in the whole process, guild by guild.
 */
export function openMemberNames(client: Client, clock: Clock, everyMs = EVERY_MS): MemberNames {
  const known = new Map<string, { name: string | null; atMs: number }>();
  const versions = new Map<Snowflake, number>();
  /** The guild that was asked longest ago is the first. */
  const wanted = new Map<Snowflake, Set<Snowflake>>();
  let isAsking = false;

  async function ask(guild: Snowflake, members: readonly Snowflake[]): Promise<void> {
    const of = client.guilds.cache.get(guild);
    // Without a connection, discord.js rejects a promise that nobody has.
    if (!of?.available || !client.isReady()) return;
    const found = await of.members.fetch({ user: [...members], time: 10_000 });
    for (const id of members) {
      const shown = found.get(id)?.displayName;
      const name = shown === undefined ? null : cleanLine(shown, limits.nameLength) || null;
      remember(known, keyOf(guild, id), { name, atMs: clock.now() }, REMEMBERED_AT_MOST);
    }
    versions.set(guild, (versions.get(guild) ?? 0) + 1);
  }

  async function askAll(): Promise<void> {
    for (let next = wanted.entries().next(); !next.done; next = wanted.entries().next()) {
      const [guild, members] = next.value;
      const some = [...members].slice(0, AT_ONCE);
      wanted.delete(guild);
      for (const id of some) members.delete(id);
      if (members.size > 0) wanted.set(guild, members);
      // Who is not answered for is wanted again by the next visit.
      await ask(guild, some).catch(() => {});
      await pause(everyMs, undefined, { ref: false });
    }
    isAsking = false;
  }

  function namesOf(guild: Snowflake, members: readonly Snowflake[]): Map<Snowflake, string> {
    return new Map(
      members.flatMap((id) => {
        const name = known.get(keyOf(guild, id))?.name;
        return name ? [[id, name] as const] : [];
      }),
    );
  }

  return {
    async soon(guild, members) {
      const missing = [...new Set(members)].filter((id) => !known.has(keyOf(guild, id)));
      if (missing.length > 0) {
        const late = pause(PATIENCE_MS, undefined, { ref: false });
        await Promise.race([ask(guild, missing.slice(0, AT_ONCE)).catch(() => {}), late]);
      }
      return namesOf(guild, members);
    },
    known(guild, members) {
      const ofGuild = wanted.get(guild) ?? new Set();
      for (const id of members) {
        const found = known.get(keyOf(guild, id));
        const isStale = found === undefined || clock.now() - found.atMs > FRESH_MS;
        if (isStale && ofGuild.size < WANTED_AT_MOST) ofGuild.add(id);
      }
      if (ofGuild.size > 0) wanted.set(guild, ofGuild);
      if (wanted.size > 0 && !isAsking) {
        isAsking = true;
        void askAll();
      }
      return namesOf(guild, members);
    },
    isPending: (guild, member) => !known.has(keyOf(guild, member)),
    version: (guild) => versions.get(guild) ?? 0,
  };
}

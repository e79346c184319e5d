import type { Client } from 'discord.js';
import { limits } from './limits.ts';
import { remember } from './remember.ts';
import type { Clock } from '../runtime/clock.ts';
import { HOUR_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { cleanLine } from '../text/clean.ts';

/** The names of members in a guild, for its web page. Who is no member there has none. */
export type MemberNames = (
  guild: Snowflake,
  members: readonly Snowflake[],
) => Promise<Map<Snowflake, string>>;

const REMEMBERED_AT_MOST = 20_000;
const FRESH_MS = 6 * HOUR_MS;
/** A page does not wait longer; it is shown without names then, and the next one has them. */
const PATIENCE_MS = 1000;
/** Discord's limit of members per request. */
const AT_ONCE = 100;

function keyOf(guild: Snowflake, member: Snowflake): string {
  return `${guild} ${member}`;
}

/**
 * Asks Discord over the gateway, which needs no privileged intent for members by their ids, and remembers
 * the answers for hours.
 */
export function openMemberNames(client: Client, clock: Clock): MemberNames {
  const known = new Map<string, { name: string | null; atMs: number }>();
  const asking = new Map<Snowflake, Promise<unknown>>();

  async function ask(guild: Snowflake, members: readonly Snowflake[]): Promise<void> {
    const of = client.guilds.cache.get(guild);
    if (!of?.available) return;
    const user = members.slice(0, AT_ONCE);
    const found = await of.members.fetch({ user, time: 10_000 });
    for (const id of user) {
      const shown = found.get(id)?.displayName;
      const name = shown === undefined ? null : cleanLine(shown, limits.nameLength) || null;
      remember(known, keyOf(guild, id), { name, atMs: clock.now() }, REMEMBERED_AT_MOST);
    }
  }

  return async (guild, members) => {
    const stale = [...new Set(members)].filter((id) => {
      const found = known.get(keyOf(guild, id));
      return found === undefined || clock.now() - found.atMs > FRESH_MS;
    });
    if (stale.length > 0) {
      // One question of a guild at a time: a page has at most a few dozen posters.
      const under = asking.get(guild);
      const asked = (under ?? Promise.resolve())
        .then(() => ask(guild, stale))
        .catch(() => {})
        .finally(() => asking.delete(guild));
      if (under === undefined) asking.set(guild, asked);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS);
      });
      await Promise.race([asked, late]);
      clearTimeout(timer);
    }
    return new Map(
      members.flatMap((id) => {
        const name = known.get(keyOf(guild, id))?.name;
        return name ? [[id, name] as const] : [];
      }),
    );
  };
}

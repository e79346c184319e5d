import { type APIGuildMember, type Client, Routes } from 'discord.js';
import type { Snowflake } from '../ranking/snowflake.ts';
import { cleanLine } from '../text/clean.ts';

/** How members are called, as far as Discord tells; kept for a while, and never stored. */
export type DisplayNames = (guild: Snowflake, member: Snowflake) => Promise<string | null>;

/** Discord's limit is 32 characters, of which each can be several units. */
const NAME_LENGTH = 64;
const FRESH_MS = 600_000;
const KEPT_AT_MOST = 5000;
/** More are asked for at a later time: members' own requests go first. */
const ASKED_AT_ONCE = 5;
/** A page does not wait longer for a name. */
const PATIENCE_MS = 700;

/** Null where the member is gone, or the answer takes too long: a later caller may get it. */
export function openDisplayNames(client: Client): DisplayNames {
  const kept = new Map<string, { name: Promise<string | null>; untilMs: number }>();
  let asking = 0;

  async function ask(guild: Snowflake, member: Snowflake): Promise<string | null> {
    asking += 1;
    try {
      const { nick, user } = (await client.rest.get(
        Routes.guildMember(guild, member),
      )) as APIGuildMember;
      const names = [nick, user.global_name, user.username];
      // A name can be a row of what has no shape.
      return names.map((name) => cleanLine(name ?? '', NAME_LENGTH)).find(Boolean) ?? null;
    } catch {
      return null;
    } finally {
      asking -= 1;
    }
  }

  return async (guild, member) => {
    const key = `${guild} ${member}`;
    const now = performance.now();
    let entry = kept.get(key);
    if (entry === undefined || entry.untilMs < now) {
      if (asking >= ASKED_AT_ONCE) return null;
      entry = { name: ask(guild, member), untilMs: now + FRESH_MS };
      kept.delete(key);
      kept.set(key, entry);
      if (kept.size > KEPT_AT_MOST) kept.delete(kept.keys().next().value!);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), PATIENCE_MS);
    });
    try {
      return await Promise.race([entry.name, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

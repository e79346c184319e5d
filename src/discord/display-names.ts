import { type APIGuildMember, type Client, Routes } from 'discord.js';
import PQueue from 'p-queue';
import type { Snowflake } from '../ranking/snowflake.ts';
import { isRefusal } from './api-errors.ts';
import { cleanLine } from '../text/clean.ts';
import { remember } from './remember.ts';
import { within } from './within.ts';

/** Reads a member's display name from Discord. Cached for 10 minutes and never stored. */
export type DisplayNames = (guild: Snowflake, member: Snowflake) => Promise<string | null>;

/** In UTF-16 units. Discord's limit is 32 characters, and a character can be several units. */
const NAME_LENGTH = 64;
const FRESH_MS = 600_000;
const KEPT_AT_MOST = 5000;
/** A few at a time: members' own requests come first. */
const ASKED_AT_ONCE = 5;
/** Beyond this, names are null for now. */
const WAITING_AT_MOST = 100;
/** The longest time that a page waits for a name. */
const PATIENCE_MS = 700;

/** A name is null if the member is gone, or if the answer is late or a fault: then a later call may get it. */
export function openDisplayNames(client: Client): DisplayNames {
  const kept = new Map<string, { name: Promise<string | null>; untilMs: number }>();
  const queue = new PQueue({ concurrency: ASKED_AT_ONCE });

  async function ask(guild: Snowflake, member: Snowflake): Promise<string | null> {
    try {
      const { nick, user } = (await client.rest.get(
        Routes.guildMember(guild, member),
      )) as APIGuildMember;
      const names = [nick, user.global_name, user.username];
      // A name can consist of invisible characters only.
      return names.map((name) => cleanLine(name ?? '', NAME_LENGTH)).find(Boolean) ?? null;
    } catch (error) {
      // Only a refusal is an answer, such as for a member who is gone.
      if (!isRefusal(error)) kept.delete(keyOf(guild, member));
      return null;
    }
  }

  return async (guild, member) => {
    const key = keyOf(guild, member);
    const now = performance.now();
    let entry = kept.get(key);
    if (entry === undefined || entry.untilMs < now) {
      if (queue.size >= WAITING_AT_MOST) return null;
      entry = { name: queue.add(() => ask(guild, member)), untilMs: now + FRESH_MS };
      remember(kept, key, entry, KEPT_AT_MOST);
    }
    return within(PATIENCE_MS, entry.name, null);
  };
}

function keyOf(guild: Snowflake, member: Snowflake): string {
  return `${guild} ${member}`;
}

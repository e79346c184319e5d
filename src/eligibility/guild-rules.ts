import type { Guild } from 'discord.js';
import { fault, type Log } from '../log.ts';
import { type Block, readBlocks } from '../records/blocks.ts';
import { type OptedOut, readOptedOut } from '../records/opted-out.ts';
import { readSettings, type Settings } from '../records/settings.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { cleanLine } from '../text/clean.ts';

/** What a guild demands: its settings, whom and what it blocks, and whom its data leaves out. */
export type Rules = OptedOut & { settings: Settings; blocks: ReadonlyMap<string, Block> };

/**
 * The guilds' rules, kept in the process: every vote asks for them. A guild's commands come to the
 * process that takes in its votes, so a change is known at once; what others wrote, such as a
 * restore, is known within a minute.
 */
export type GuildRules = {
  /** Without waiting; null where they were not read yet. */
  known(guild: Snowflake): Rules | null;
  read(guild: Snowflake): Promise<Rules>;
  /** Somebody has just changed them. */
  refresh(guild: Snowflake): Promise<Rules>;
};

const freshMs = 60_000;

export function openGuildRules(store: Store, log: Log): GuildRules {
  const kept = new Map<Snowflake, { rules: Rules; readAtMs: number }>();
  const reading = new Map<Snowflake, Promise<Rules>>();

  async function load(guild: Snowflake): Promise<Rules> {
    const [settings, blocks, leftOut] = await Promise.all([
      readSettings(store, guild),
      readBlocks(store, guild),
      readOptedOut(store, guild),
    ]);
    return { settings, blocks, ...leftOut };
  }

  /** What was begun before a change may not know of it, so the newest reading wins. */
  function refresh(guild: Snowflake): Promise<Rules> {
    const loading = load(guild)
      .then((rules) => {
        if (reading.get(guild) === loading) kept.set(guild, { rules, readAtMs: performance.now() });
        return rules;
      })
      .finally(() => {
        if (reading.get(guild) === loading) reading.delete(guild);
      });
    reading.set(guild, loading);
    return loading;
  }

  function known(guild: Snowflake): Rules | null {
    const found = kept.get(guild);
    if (!found) return null;
    if (performance.now() - found.readAtMs > freshMs && !reading.has(guild)) {
      // Until they are here, and while Redis is away, what was known holds.
      refresh(guild).catch((error: unknown) => {
        log.info({ ...fault(error), guild }, 'The rules of a guild could not be read again.');
      });
    }
    return found.rules;
  }

  return {
    known,
    async read(guild) {
      return known(guild) ?? reading.get(guild) ?? refresh(guild);
    },
    refresh,
  };
}

/** What lists call a group: the name that the guild chose, or the channel's. */
export function groupName(
  { settings }: Rules,
  guild: Pick<Guild, 'channels'>,
  group: Snowflake,
): string | undefined {
  const name = settings['group-names'][group] ?? guild.channels.cache.get(group)?.name;
  // A name can be a row of what has no shape.
  return name === undefined ? undefined : cleanLine(name, 100) || group;
}

/** The language of what all members of a guild read. */
export function languageOfGuild(
  rules: Rules | null,
  guild: Pick<Guild, 'preferredLocale'> | undefined,
): string | null {
  return rules?.settings.language ?? guild?.preferredLocale ?? null;
}

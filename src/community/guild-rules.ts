import { fault, type Log } from '../runtime/log.ts';
import { type BlockSubject, subjectKey } from './block-subject.ts';
import { type Block, readBlock, readBlocks } from './blocks.ts';
import { isOptedOut, readOptedOut } from './opted-out.ts';
import { readSettings, type Settings } from './settings.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

export type Rules = { settings: Settings; blocks: Map<string, Block>; optedOut: Set<Snowflake> };

/** No rule is older: a change by another process, such as a restore, holds by then. */
const FRESH_MS = 60_000;
/** Where a guild is busy, its rules are read again before nobody may act by them, so that no vote waits. */
const READ_AGAIN_MS = FRESH_MS / 2;

/**
 * The guilds' rules, cached in the process because every vote needs them. A guild's commands and votes
 * reach the same process, so it knows a change at once. It sees changes by other processes, such as a
 * restore, within a minute, also after a quiet time.
 */
export interface GuildRules {
  /** The cached rules without waiting, or null if they were not read within a minute. */
  known(guild: Snowflake): Rules | null;
  /** The cached rules, or those in Redis. */
  read(guild: Snowflake): Promise<Rules>;
  /**
   * Reads the settings again, and the block or the opt-out that changed. Call it after a change. There
   * can be thousands of blocks, so a change does not read them all again.
   */
  refresh(guild: Snowflake, changed?: { block?: BlockSubject; member?: Snowflake }): Promise<Rules>;
  /** Reads all of it again. */
  reload(guild: Snowflake): Promise<Rules>;
}

/**
 * `elapsedMs`: a time that only passes, whatever becomes of the machine's clock. `onSettings`: called with a
 * guild's settings whenever they were read.
 */
export function openGuildRules(
  store: Store,
  log: Log,
  elapsedMs: () => number = () => performance.now(),
  onSettings: (guild: Snowflake, settings: Settings) => void = () => {},
): GuildRules {
  const cached = new Map<Snowflake, { rules: Rules; readAtMs: number }>();
  const reading = new Map<Snowflake, Promise<Rules>>();

  /** A read that began before a change may miss it, so only the newest read is cached. */
  function reload(guild: Snowflake): Promise<Rules> {
    const readAtMs = elapsedMs();
    const reads = [
      readSettings(store, guild),
      readBlocks(store, guild),
      readOptedOut(store, guild),
    ] as const;
    const loading = Promise.all(reads)
      .then(([settings, blocks, optedOut]) => {
        const rules = { settings, blocks, optedOut };
        if (reading.get(guild) === loading) {
          cached.set(guild, { rules, readAtMs });
          onSettings(guild, settings);
        }
        return rules;
      })
      .finally(() => {
        if (reading.get(guild) === loading) reading.delete(guild);
      });
    reading.set(guild, loading);
    return loading;
  }

  async function refresh(
    guild: Snowflake,
    { block, member }: { block?: BlockSubject; member?: Snowflake } = {},
  ): Promise<Rules> {
    // A read under way may have begun before the change, and would replace what is read here.
    await reading.get(guild)?.catch(() => {});
    const rules = cached.get(guild)?.rules;
    if (rules === undefined) return reload(guild);
    const [settings, found, isOut] = await Promise.all([
      readSettings(store, guild),
      block === undefined ? null : readBlock(store, guild, block),
      member !== undefined && isOptedOut(store, guild, member),
    ]);
    rules.settings = settings;
    onSettings(guild, settings);
    if (block !== undefined) {
      if (found) rules.blocks.set(subjectKey(block), found);
      else rules.blocks.delete(subjectKey(block));
    }
    if (member !== undefined && isOut) rules.optedOut.add(member);
    else if (member !== undefined) rules.optedOut.delete(member);
    return rules;
  }

  function known(guild: Snowflake): Rules | null {
    const found = cached.get(guild);
    const ageMs = elapsedMs() - (found?.readAtMs ?? -Infinity);
    if (!found || ageMs > FRESH_MS) return null;
    if (ageMs > READ_AGAIN_MS && !reading.has(guild)) {
      reload(guild).catch((error: unknown) => {
        log.info({ ...fault(error), guild }, 'The rules of a guild could not be read again.');
      });
    }
    return found.rules;
  }

  return {
    known,
    async read(guild: Snowflake): Promise<Rules> {
      return known(guild) ?? reading.get(guild) ?? reload(guild);
    },
    refresh,
    reload,
  };
}

/** Whether a channel is a group, by the guild's settings. */
export function isGroup(settings: Settings, channel: Snowflake): boolean {
  if (settings['no-groups'].includes(channel)) return false;
  return settings.groups.length === 0 || settings.groups.includes(channel);
}

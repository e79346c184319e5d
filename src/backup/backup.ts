import type { Guild } from 'discord.js';
import PQueue from 'p-queue';
import type { LeaseNeeds } from '../redis/lease.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Listing } from '../articles/listing.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { Restored } from './guild-file/restore-guild.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { type FileToRestore, putFile, restoreFile, whileRestoring } from './attached-file.ts';

/** Each may hold 25 MB. */
const RESTORES_AT_MOST = 4;

export interface BackupNeeds extends LeaseNeeds {
  /** Whose articles and votes a file holds. */
  ranking: Ranking;
  /** Read again after a restore. */
  rules: GuildRules;
  /** A restored channel may be private by now. */
  listing: Listing;
  /** Looks whether the messages of restored articles are still there, where voting is over. */
  lookAtRestored(guild: Snowflake, articles: readonly Snowflake[]): Promise<void>;
  /** Asks Discord whether what a file names is in the guild. */
  requests: Requests;
}

/** A guild's file: made, checked and restored. */
export interface Backup {
  /** Restores the guild's part of a checked file. `held`: another process is restoring the guild. */
  restore(guild: Guild, file: FileToRestore): Promise<Restored | { status: 'held' }>;
  /**
   * Does the work as the only one that restores the guild. A file is held in memory meanwhile, so the
   * process does a few at a time.
   */
  whileRestoring<T>(
    guild: Guild,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | { status: 'held' }>;
  /** Puts a file back. Call it `whileRestoring`. */
  put(guild: Guild, file: FileToRestore): Promise<Restored>;
}

export function openBackup(needs: BackupNeeds): Backup {
  const restores = new PQueue({ concurrency: RESTORES_AT_MOST });
  return {
    restore: (guild, file) => restoreFile(needs, guild, file),
    whileRestoring: (guild, work) =>
      whileRestoring(needs, guild, (signal) => restores.add(() => work(signal))),
    put: (guild, file) => putFile(needs, guild, file),
  };
}

import { readdir, rm, stat } from 'node:fs/promises';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readGuilds, readLeft } from '../community/known-guilds.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, HOUR_MS } from '../runtime/clock.ts';
import { fault, type Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { exportGuild } from './guild-file/export.ts';
import { checkGuildFiles } from './guild-file/read.ts';
import { bytesOfFile, writePrivately } from './private-file.ts';

/** A week, so that what a server finds out within it can be put back. */
const KEPT = 7;
/** The night's file is made at half past three (UTC), when most of the nightly work is done, or at a later half hour. */
const FROM_MS = 3 * HOUR_MS;
const AT_MINUTE = 30;
const NAME = /^frontpage-nightly-\d{4}-\d\d-\d\d\.backup\.gz$/;
/** What a process that died has left. */
const REST = /^frontpage-nightly-.*\.partial$/;

type Source = { store: Store; ranking: Ranking };

export interface NightlyNeeds extends Source {
  /** Where the files are, and nobody else's of their names. */
  folder: string;
  /** Discord's time, by which a night begins. */
  clock: Clock;
  /** Says that the night's is made, or why not. */
  log: Log;
  /** Ends a backup that is being written. */
  stopping: AbortSignal;
}

/** All servers of which something is stored; one that removed the bot may invite it again. */
export async function storedGuilds({ store }: Source, now: number): Promise<Snowflake[]> {
  return [...new Set([...(await readGuilds(store)), ...(await readLeft(store, now))])];
}

/**
 * Writes what is stored about these servers into a new file, and reads it again, because nobody looks into it before it
 * is needed. Null, and no file, if nothing is stored about them.
 */
export async function writeBackup(
  source: Source,
  file: string,
  { guilds, now, stopping }: { guilds: Snowflake[]; now: number; stopping?: AbortSignal },
): Promise<{ servers: number; articles: number } | null> {
  async function* lines(): AsyncGenerator<string> {
    for (const guild of guilds) {
      for await (const line of exportGuild(source, guild, now)) {
        stopping?.throwIfAborted();
        yield line;
      }
    }
  }
  await writePrivately(file, lines());
  const files = guilds.length > 0 ? await readBack(file, stopping) : [];
  if (files.every((one) => one.lines === 0)) {
    await rm(file);
    return null;
  }
  const articles = files.reduce((sum, one) => sum + one.articles, 0);
  return { servers: files.length, articles };
}

/** A file that cannot be read is no backup, and is tried again. */
async function readBack(file: string, stopping?: AbortSignal) {
  try {
    return await checkGuildFiles(bytesOfFile(file, stopping));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** Call it once a minute. The files themselves say whether a night's is made, so nothing is remembered. */
export async function makeNightly(needs: NightlyNeeds): Promise<void> {
  const { folder, clock, log, stopping } = needs;
  const now = clock.now();
  if (new Date(now).getUTCMinutes() !== AT_MINUTE) return;
  const night = new Date(now - FROM_MS).toISOString().slice(0, 10);
  const file = join(folder, `frontpage-nightly-${night}.backup.gz`);
  try {
    if (await isMade(file, now)) return;
    const made = await writeBackup(needs, file, {
      guilds: await storedGuilds(needs, now),
      now,
      stopping,
    });
    if (made === null) return;
    log.info({ file, ...made }, 'The backup of the night is made.');
    await removeOld(folder, now);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const isMadeElsewhere = code === 'EEXIST' && path === file;
    if (stopping.aborted || isMadeElsewhere) return;
    log.error(fault(error), 'The backup of the night could not be made. It is tried in an hour.');
  }
}

/** The age of the newest night's file (s); null if there is none. One without bytes is not made yet. */
export function backupAgeSeconds(folder: string, clock: Clock): number | null {
  try {
    const files = readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => statSync(join(folder, name)))
      .filter(({ size }) => size > 0);
    if (files.length === 0) return null;
    return (clock.now() - Math.max(...files.map(({ mtimeMs }) => mtimeMs))) / 1000;
  } catch {
    return null;
  }
}

/** A name with an empty file is of a backup that is being written, or of a process that died over it. */
async function isMade(file: string, now: number): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found?.size !== 0) return found !== null;
  // Then the new one would find the name taken.
  if (now - found.mtimeMs < HOUR_MS / 2) return true;
  await rm(file);
  return false;
}

async function removeOld(folder: string, now: number): Promise<void> {
  const names = await readdir(folder);
  const old = names
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -KEPT);
  for (const name of names.filter((one) => REST.test(one))) {
    const { mtimeMs } = await stat(join(folder, name));
    if (now - mtimeMs > HOUR_MS) old.push(name);
  }
  for (const name of old) await rm(join(folder, name), { force: true });
}

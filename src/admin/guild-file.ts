import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Guild } from 'discord.js';
import { DAY_MS } from '../clock.ts';
import { type Header, KINDS, type Line } from '../records/guild-file/format.ts';
import { type Bytes, type FileFault, guildFiles } from '../records/guild-file/read.ts';
import {
  type Restored,
  type RestoreOptions,
  restoreGuild,
} from '../records/guild-file/restore-guild.ts';
import { type Key, translate } from '../text/catalogue.ts';
import type { App } from '../app.ts';
import { type LeaseParts, withLease } from '../redis/lease.ts';
import { code } from '../text/clean.ts';
import { checkForGuild } from './guild-file-check.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/** The reason why a whole file does not belong here. */
type Mismatch = 'guild' | 'application' | 'future';

/** The limit of a member's file. A gzip file can unpack to a thousand times its size. */
export const UNPACKED_AT_MOST = 512 * 1024 * 1024;

export function mismatchOf(
  file: Header,
  here: { application: string; now: number },
): Mismatch | null {
  if (Date.parse(file.madeAt) > here.now + DAY_MS) return 'future';
  return file.application === here.application ? null : 'application';
}

export type RestoreParts = LeaseParts & Pick<App, 'ranking' | 'rules' | 'ownMessages' | 'refusals'>;

type GivenFile = Pick<RestoreOptions, 'header' | 'lines' | 'onLine'> & {
  /** The member who restores. Without one, the host does. */
  by?: string;
};

/** Restores the guild's part of a checked file. `held`: another process is restoring the guild. */
export async function restoreFile(
  app: RestoreParts,
  guild: Guild,
  given: GivenFile,
): Promise<{ status: 'done'; restored: Restored } | { status: 'held' }> {
  return whileRestoring(app, guild, async (signal) => ({
    status: 'done',
    restored: await putFile(app, guild, given, signal),
  }));
}

/** Does the work as the only one that restores the guild. */
export function whileRestoring<T>(
  app: RestoreParts,
  guild: Guild,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | { status: 'held' }> {
  return withLease(app, { guild: guild.id, work: 'restore' }, ({ signal }) => work(signal));
}

/** Call it `whileRestoring`. */
export async function putFile(
  app: RestoreParts,
  guild: Guild,
  given: GivenFile,
  signal: AbortSignal,
): Promise<Restored> {
  const { clock, log } = app;
  const check = checkForGuild(app, guild, given.by);
  const restored = await restoreGuild(app, { ...given, now: clock.now(), check, signal });
  await app.rules.reload(guild.id);
  log.info({ guild: guild.id, ...restored.article }, "A guild's file is restored.");
  return restored;
}

export async function* linesOfGuild(bytes: Bytes, guild: Snowflake): AsyncGenerator<Line> {
  for await (const { header, lines } of guildFiles(bytes)) {
    if (header.guild === guild) yield* lines;
  }
}

export function faultText(locale: string, fault: FileFault): string {
  const key = `data.fault.${fault.status}` as Key;
  const { status: _, ...values } = fault;
  const shown = 'what' in values ? { ...values, what: code(values.what) } : values;
  return translate(locale, key, shown);
}

export function mismatchText(locale: string, mismatch: Mismatch): string {
  return translate(locale, `data.mismatch.${mismatch}`);
}

/** One line for each kind with restored, kept or left-out lines. */
export function fateLines(locale: string, restored: Restored): string[] {
  return KINDS.flatMap((kind) => {
    const { put, kept, left } = restored[kind];
    if (put + kept + left === 0) return [];
    const what = translate(locale, `data.kind.${kind}`);
    return [translate(locale, 'data.fates', { what, put, kept, left })];
  });
}

/** Yields a file in memory in pieces, and lets other work run between them. */
export function bytesOf(file: Buffer): Bytes {
  return async function* () {
    for (let i = 0; i < file.length; i += 65_536) {
      yield file.subarray(i, i + 65_536);
      await nextTurn();
    }
  };
}

import { createHash } from 'node:crypto';
import { createLog } from '../../../src/runtime/log.ts';
import { exportGuild } from '../../../src/backup/guild-file/export.ts';
import { type Bytes, checkGuildFiles, guildFiles } from '../../../src/backup/guild-file/read.ts';
import {
  type Restored,
  restoreGuild,
  type RestoreOptions,
} from '../../../src/backup/guild-file/restore-guild.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import type { Store } from '../../../src/redis/store.ts';
import { openRanking, type Ranking } from '../../../src/ranking/ranking.ts';
import type { TestRedis } from '../../fixtures/private-redis.ts';
import { NOW } from './random-guild.ts';

export const APPLICATION = '1100000000000000001';
export const GUILD = '700000000000000001';
export type Database = { ranking: Ranking; store: Store };

export function openDatabase(redis: TestRedis['redis'], application = APPLICATION): Database {
  const log = createLog('silent');
  return {
    ranking: openRanking({ redis, applicationId: application }),
    store: { redis, applicationId: application, log },
  };
}

/** Empties the server behind a database. */
export async function empty({ ranking, store }: Database): Promise<void> {
  await ranking.changes.flush();
  await store.redis.flushall();
}

/** The guild is whole: no rebuild is to come that would bring results of its own. */
export async function markWhole({ store }: Database): Promise<void> {
  await store.redis.set(storeKeys(store, GUILD).complete, NOW);
}

export async function exported(database: Database): Promise<string> {
  let text = '';
  for await (const line of exportGuild(database, GUILD, NOW)) text += line;
  return text;
}

export const bytesOf = (file: string | Uint8Array): Bytes =>
  async function* () {
    const bytes = Buffer.from(file);
    // In pieces that end anywhere.
    for (let i = 0; i < bytes.length; i += 1000) yield bytes.subarray(i, i + 1000);
  };

export async function restored(
  database: Database,
  text: string,
  { now = NOW, ...more }: Partial<RestoreOptions> = {},
): Promise<Restored> {
  const bytes = bytesOf(text);
  await checkGuildFiles(bytes);
  for await (const file of guildFiles(bytes))
    return restoreGuild(database, { ...file, now, ...more });
  throw new Error('There is no guild in it.');
}

/** A file of these lines, as if an export had written them. */
export function signed(lines: readonly unknown[], head: Record<string, unknown> = {}): string {
  const madeAt = new Date(NOW).toISOString();
  const format = 'frontpage-guild';
  const header = { format, version: 1, guild: GUILD, application: APPLICATION, madeAt, ...head };
  const texts = [header, ...lines].map((line) =>
    typeof line === 'string' ? line : JSON.stringify(line),
  );
  const body = texts.map((text) => `${text}\n`).join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ kind: 'end', sha256 })}\n`;
}

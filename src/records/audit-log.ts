import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { zBlock } from './blocks.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { zTimeMs } from './time.ts';
import { parseStored } from '../redis/parse-stored.ts';

const AUDIT_ACTIONS = [
  'remove',
  'restore',
  'lock',
  'unlock',
  'move',
  'retitle',
  'block',
  'unblock',
  'setting',
] as const;

/** The longest is a setting that names 25 channels. The log is read whole, and a file may fill it. */
const zValue = z.string().max(1000);

export const zAuditEntry = z.object({
  atMs: zTimeMs,
  by: zSnowflake,
  what: z.enum(AUDIT_ACTIONS),
  /** The poster of the article did it, and no moderator. */
  own: z.boolean().default(false),
  reason: z.string().max(500).default(''),
  article: zSnowflake.nullable().default(null),
  /** The article's home group at that time: members who may not view it do not see the entry. */
  home: zSnowflake.nullable().default(null),
  /** The subject of a block: see `blocks.ts`. */
  subject: z.string().max(2500).nullable().default(null),
  /** The article's title at the time. */
  title: z.string().max(1000).default(''),
  /** The earlier title or home channel, or a setting's earlier value in JSON. */
  before: zValue.nullable().default(null),
  /** The new one, or the block. */
  after: z.union([zValue, zBlock]).nullable().default(null),
});

/** An action of a moderator, or of a poster on an own article. */
export type AuditEntry = z.infer<typeof zAuditEntry>;

const KEPT = 500;

/** Returns whether the entry is new. The same entry is always the same text. */
export async function recordAuditEntry(
  store: Store,
  guild: Snowflake,
  entry: AuditEntry,
): Promise<boolean> {
  const { auditLog } = storeKeys(store, guild);
  const json = JSON.stringify(zAuditEntry.parse(entry));
  const added = await store.redis.zadd(auditLog, entry.atMs, json);
  await store.redis.zremrangebyrank(auditLog, 0, -1 - KEPT);
  return added === 1;
}

/** Why an article was last removed, as far as that is still known. */
export async function removalOf(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<AuditEntry | null> {
  const entries = await readAuditLog(store, guild);
  return entries.find((entry) => entry.article === article && entry.what === 'remove') ?? null;
}

/** The newest first. Entries that cannot be read are left out. */
export async function readAuditLog(store: Store, guild: Snowflake): Promise<AuditEntry[]> {
  const stored = await store.redis.zrevrange(storeKeys(store, guild).auditLog, 0, -1);
  return stored.flatMap((json) => parseStored(zAuditEntry, json) ?? []);
}

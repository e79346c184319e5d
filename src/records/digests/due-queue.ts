import { sharedKeys } from '../../redis/store-keys.ts';
import { pairs } from '../../redis/scan.ts';
import type { Store } from '../../redis/store.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** Stands where a digest's name does, and is none: a guild's announcements of interesting articles. */
export const ANNOUNCEMENTS = '!interesting';

export type Due = { guild: Snowflake; digest: string; atMs: number };

/** Digests to look at by now, the longest due first: one read, however many guilds there are. */
export async function readDue(store: Store, now: number): Promise<Due[]> {
  const found = await store.redis.zrange(
    sharedKeys(store).due,
    '-inf',
    String(now),
    'BYSCORE',
    'WITHSCORES',
  );
  return pairs(found).map(([member, score]) => ({ ...parse(member), atMs: Number(score) }));
}

/** When to look at a digest next; null: not at all. */
export async function setDue(
  store: Store,
  guild: Snowflake,
  digest: string,
  atMs: number | null,
): Promise<void> {
  const { due } = sharedKeys(store);
  const member = `${guild}:${digest}`;
  if (atMs === null) await store.redis.zrem(due, member);
  else await store.redis.zadd(due, atMs, member);
}

function parse(member: string): { guild: Snowflake; digest: string } {
  const colon = member.indexOf(':');
  return { guild: member.slice(0, colon), digest: member.slice(colon + 1) };
}

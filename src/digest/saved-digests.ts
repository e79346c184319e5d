import {
  deleteDigest,
  readDigest,
  saveDigest,
  type StoredDigest,
} from '../records/digests/digests.ts';
import { type Digest, DIGESTS_PER_GUILD } from '../records/digests/digest-settings.ts';
import { setDue } from '../records/digests/due-queue.ts';
import type { Store } from '../redis/store.ts';
import { cleanLine, code } from '../text/clean.ts';
import { UserError } from '../discord/user-error.ts';
import { nextLookAtMs } from './schedule/due.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/** Returns a digest by name. Throws a `UserError` if there is none. */
export async function demandDigest(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<StoredDigest> {
  const stored = await readDigest(store, guild, name);
  if (stored === null) throw new UserError('digest.unknown', { name, shown: code(name) });
  return stored;
}

/**
 * Refuses a new digest if its name has invisible letters or stacked marks, or if the guild has as many
 * digests as it may.
 */
export function demandMayAdd(name: string, all: readonly StoredDigest[]): void {
  if (cleanLine(name, name.length) !== name) throw new UserError('digest.invalid.name');
  if (all.length >= DIGESTS_PER_GUILD) {
    throw new UserError('digest.crowded', { most: DIGESTS_PER_GUILD });
  }
}

/** Saves a digest, and the time when it is looked at next. */
export async function scheduleDigest(
  store: Store,
  guild: Snowflake,
  name: string,
  digest: Digest,
): Promise<StoredDigest> {
  await saveDigest(store, guild, name, digest);
  const stored = await demandDigest(store, guild, name);
  await setDue(store, guild, name, nextLookAtMs(stored.digest, stored.run));
  return stored;
}

/** Deletes a digest, which is not looked at any more, and returns what it was. */
export async function cancelDigest(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<StoredDigest> {
  const stored = await demandDigest(store, guild, name);
  await deleteDigest(store, guild, name);
  await setDue(store, guild, name, null);
  return stored;
}

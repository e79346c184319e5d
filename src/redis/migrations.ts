import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deployedKey, schemaKey, schemaLockKey } from './keys.ts';
import type { Store } from './store.ts';

/** One step of the stored data from a version to the next. Run again after a crash, it goes on. */
export type Migration = { what: string; run(store: Store): Promise<void> };

/**
 * The first leads from version 1 to version 2, and so on. Steps are only ever added: who upgrades
 * may come from any version before.
 */
const migrations: readonly Migration[] = [
  {
    what: 'rows of open articles hold their first voters',
    // Rows without voters are read as they were; an older program could not read those with them.
    run: async () => {},
  },
];

export type SchemaOutcome =
  | { status: 'ready'; version: number; from: number }
  /** A whole sentence for the person who hosts the bot. */
  | { status: 'refused'; reason: string };

/** A process that died over a step is followed by another so much later. */
const LOCK_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** The version that this program reads and writes. */
export function schemaVersion(steps: readonly Migration[] = migrations): number {
  return steps.length + 1;
}

/**
 * Brings the stored data to this program's version, if it is older; of several processes that start
 * at once one does it, and the others wait. Data of a newer program is left as it is.
 */
export async function prepareSchema(
  store: Store,
  steps: readonly Migration[] = migrations,
): Promise<SchemaOutcome> {
  const key = schemaKey(store.applicationId);
  const current = schemaVersion(steps);
  // What has no version yet is empty, or from before versions were kept, which is version 1.
  await store.redis.setnx(key, await initialVersion(store, current));
  const from = Number(await store.redis.get(key));
  let version = from;
  while (version < current) version = await underLock(store, () => takeStep(store, steps));
  if (version === current) return { status: 'ready', version, from };
  return {
    status: 'refused',
    reason: `The stored data is of a newer Frontpage (version ${version}, and this one knows up to ${current}): start that one again, or restore a backup from before the upgrade.`,
  };
}

/** Whoever wrote data without a version had deployed its commands. */
async function initialVersion({ redis, applicationId }: Store, current: number): Promise<number> {
  const known = await redis.exists(deployedKey(applicationId));
  return known === 1 ? 1 : current;
}

async function takeStep(store: Store, steps: readonly Migration[]): Promise<number> {
  const key = schemaKey(store.applicationId);
  // Another process may have done it meanwhile.
  const from = Number(await store.redis.get(key));
  const step = steps[from - 1];
  if (step === undefined) return from;
  store.log.info({ from, to: from + 1 }, `The stored data is upgraded: ${step.what}`);
  await step.run(store);
  await store.redis.set(key, from + 1);
  return from + 1;
}

async function underLock<T>({ redis, applicationId }: Store, work: () => Promise<T>): Promise<T> {
  const key = schemaLockKey(applicationId);
  const token = randomUUID();
  while ((await redis.set(key, token, 'PX', LOCK_MS, 'NX')) !== 'OK') await pause(LOOK_EVERY_MS);
  const renewal = setInterval(() => void redis.pexpire(key, LOCK_MS).catch(() => {}), LOCK_MS / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    if ((await redis.get(key)) === token) await redis.del(key);
  }
}

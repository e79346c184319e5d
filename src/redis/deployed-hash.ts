import { deployedKey } from './store-keys.ts';
import type { Store } from './store.ts';

/** The hash of the commands that were deployed last; null: none were. */
export async function readDeployed(store: Store): Promise<string | null> {
  return store.redis.get(deployedKey(store.applicationId));
}

export async function writeDeployed(store: Store, hash: string): Promise<void> {
  await store.redis.set(deployedKey(store.applicationId), hash);
}

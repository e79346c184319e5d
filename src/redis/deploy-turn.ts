import { deployedKey, deployingKey } from './keys.ts';
import type { Store } from './store.ts';

/** The hash of the commands that were deployed last; null: none were. */
export async function readDeployed(store: Store): Promise<string | null> {
  return store.redis.get(deployedKey(store.applicationId));
}

export async function writeDeployed(store: Store, hash: string): Promise<void> {
  await store.redis.set(deployedKey(store.applicationId), hash);
}

/** True for one process in half a minute: the others leave it to that one. */
export async function mayDeploy({ redis, applicationId }: Store): Promise<boolean> {
  return (await redis.set(deployingKey(applicationId), '1', 'EX', 30, 'NX')) === 'OK';
}

/** The next process may deploy at once. */
export async function endDeploying({ redis, applicationId }: Store): Promise<void> {
  await redis.del(deployingKey(applicationId));
}

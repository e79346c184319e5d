import { mastersOf } from './cluster.ts';

/** What the server, or every master of a cluster, was asked since `resetCommandstats`. */
export async function commandstats(redis: unknown): Promise<string> {
  const stats = await Promise.all(mastersOf(redis).map((node) => node.info('commandstats')));
  return stats.join('\n');
}

export async function resetCommandstats(redis: unknown): Promise<void> {
  await Promise.all(mastersOf(redis).map((node) => node.config('RESETSTAT')));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { ServerBinary } from '../../src/redis/private-server/binary.ts';

/** One server of a cluster, with a connection that asks it alone. */
export type ClusterNode = { port: number; child: ChildProcess; redis: Redis };

/** Its place in the cluster is kept in the folder; its data is not. */
export function startNode(binary: ServerBinary, folder: string, port: number): ClusterNode {
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    'cluster-enabled': 'yes',
    'cluster-config-file': `nodes-${port}.conf`,
    'cluster-node-timeout': 2000,
    'repl-diskless-sync-delay': 0,
    dbfilename: `dump-${port}.rdb`,
    appendonly: 'no',
    save: '',
    'set-max-intset-entries': 32_768,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(binary.command, flags, { argv0: binary.argv0, stdio: 'ignore' });
  const redis = new Redis({
    port,
    host: '127.0.0.1',
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
  });
  redis.on('error', () => {}); // Not up yet.
  return { port, child, redis };
}

export async function killNode({ child, redis }: ClusterNode): Promise<void> {
  redis.disconnect();
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** As far as this node knows, all slots are served. */
export async function isWhole({ redis }: ClusterNode): Promise<boolean> {
  return (await redis.cluster('INFO')).includes('cluster_state:ok');
}

export async function isReplica({ redis }: ClusterNode): Promise<boolean> {
  const info = await redis.info('replication');
  return info.includes('role:slave') && info.includes('master_link_status:up');
}

/** The port of the master that serves a slot, as far as this node knows. */
export async function masterOf({ redis }: ClusterNode, slot: number): Promise<number> {
  type Range = [first: number, last: number, master: [address: string, port: number]];
  const ranges = (await redis.cluster('SLOTS')) as unknown as Range[];
  return ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][1] ?? 0;
}

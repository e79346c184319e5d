import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { createLog } from '../src/log.ts';
import { connectRedis } from '../src/store/redis.ts';
import { findServerBinary } from '../src/store/server-binary.ts';

export type TestCluster = {
  /** As `REDIS_URL` takes it. */
  url: string;
  /** Knows every node; what it says of a server, it says of the cluster. */
  redis: Redis;
  stop(): Promise<void>;
};

const MASTERS = 3;
const SLOTS = 16_384;
const DEADLINE_MS = 20_000;

/** A cluster of three masters on loopback, thrown away by `stop`. */
export async function startTestCluster(): Promise<TestCluster> {
  const search = await findServerBinary();
  if (search.status !== 'found') throw new Error('no Redis server on this machine');
  const { command, argv0 } = search.binary;
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-cluster-'));
  const children: ChildProcess[] = [];
  const nodes: { port: number; redis: Redis }[] = [];
  const kill = () => children.forEach((child) => child.kill('SIGKILL'));
  process.once('exit', kill);
  for (let i = 0; i < MASTERS; i++) {
    const port = await freePort();
    const settings = {
      port,
      bind: '127.0.0.1',
      dir: folder,
      'cluster-enabled': 'yes',
      'cluster-config-file': `nodes-${port}.conf`,
      'cluster-node-timeout': 2000,
      appendonly: 'no',
      save: '',
      'set-max-intset-entries': 32_768,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    children.push(spawn(command, flags, { argv0, stdio: 'ignore' }));
    const redis = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 });
    redis.on('error', () => {}); // Not up yet.
    nodes.push({ port, redis });
  }
  const share = Math.ceil(SLOTS / MASTERS);
  for (const [i, { redis }] of nodes.entries()) {
    const end = Math.min(SLOTS, (i + 1) * share);
    const slots = Array.from({ length: end - i * share }, (_, n) => i * share + n);
    await redis.cluster('ADDSLOTS', ...slots);
    if (i > 0) await redis.cluster('MEET', '127.0.0.1', nodes[0]!.port);
  }
  await until(async () => {
    const states = await Promise.all(nodes.map(({ redis }) => redis.cluster('INFO')));
    return states.every(
      (state) => state.includes('cluster_state:ok') && state.includes(`known_nodes:${MASTERS}`),
    );
  });
  for (const { redis } of nodes) redis.disconnect();

  const url = `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const redis = connectRedis(url, { log: createLog('silent'), name: 'test' });
  return {
    url,
    redis,
    async stop() {
      process.off('exit', kill);
      redis.disconnect();
      const ended = children.map((child) => once(child, 'exit'));
      kill();
      await Promise.all(ended);
      await rm(folder, { recursive: true });
    },
  };
}

/** Every node that holds keys: all masters of a cluster, or the one server. */
export function mastersOf(redis: unknown): Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis as Redis];
}

/** A port whose companion for the cluster's own bus, 10 000 higher, is a port as well. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch {
      // Taken: try another.
    } finally {
      server.close();
    }
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the cluster did not form');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

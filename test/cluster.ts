import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { createLog } from '../src/log.ts';
import { connectRedis } from '../src/redis/connection.ts';
import { findServerBinary } from '../src/redis/private-server/binary.ts';
import {
  type ClusterNode,
  isReplica,
  isWhole,
  killNode,
  masterOf,
  startNode,
} from './drills/cluster-node.ts';

export type TestCluster = {
  /** As `REDIS_URL` takes it. */
  url: string;
  /** Knows every node; what it says of a server, it says of the cluster. */
  redis: Redis;
  /** Kills the master that holds a key, and resolves when its replica serves in its place. */
  failOver(key: string): Promise<FailOver>;
  stop(): Promise<void>;
};

export type FailOver = {
  /** From the kill until every node knows the new master. */
  tookMs: number;
  /** Starts the killed node again, empty; resolves when it is a replica with all of the data. */
  restart(): Promise<void>;
};

const MASTERS = 3;
const SLOTS = 16_384;
const DEADLINE_MS = 20_000;

/** A cluster of three masters on loopback, each with so many replicas, thrown away by `stop`. */
export async function startTestCluster({ replicas = 0 } = {}): Promise<TestCluster> {
  const search = await findServerBinary();
  if (search.status !== 'found') throw new Error('no Redis server on this machine');
  const { binary } = search;
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-cluster-'));
  const nodes: ClusterNode[] = [];
  const kill = () => nodes.forEach(({ child }) => child.kill('SIGKILL'));
  process.once('exit', kill);
  for (let i = 0; i < MASTERS * (1 + replicas); i++) {
    nodes.push(startNode(binary, folder, await freePort()));
  }
  const masters = nodes.slice(0, MASTERS);
  await formCluster(nodes, masters).catch((error: unknown) => {
    kill();
    throw error;
  });
  const url = `redis://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const redis = connectRedis(url, { log: createLog('silent'), name: 'test' });
  return {
    url,
    redis,
    async failOver(key) {
      const slot = await nodes[0]!.redis.cluster('KEYSLOT', key);
      const port = await masterOf(nodes[0]!, slot);
      const killed = nodes.find((node) => node.port === port)!;
      const living = nodes.filter((node) => node !== killed);
      const startedMs = performance.now();
      await killNode(killed);
      await until('a replica took over', async () => {
        const [first, ...others] = await Promise.all(living.map((node) => masterOf(node, slot)));
        const isKnown = first !== port && others.every((other) => other === first);
        return isKnown && (await Promise.all(living.map(isWhole))).every(Boolean);
      });
      const tookMs = performance.now() - startedMs;
      return {
        tookMs,
        async restart() {
          const fresh = startNode(binary, folder, port);
          nodes[nodes.indexOf(killed)] = fresh;
          await until('the killed node is a replica', () => isReplica(fresh));
        },
      };
    },
    async stop() {
      process.off('exit', kill);
      redis.disconnect();
      await Promise.all(nodes.map(killNode));
      await rm(folder, { recursive: true });
    },
  };
}

async function formCluster(nodes: ClusterNode[], masters: ClusterNode[]): Promise<void> {
  const share = Math.ceil(SLOTS / MASTERS);
  for (const [i, { redis }] of masters.entries()) {
    const end = Math.min(SLOTS, (i + 1) * share);
    const slots = Array.from({ length: end - i * share }, (_, n) => i * share + n);
    await redis.cluster('ADDSLOTS', ...slots);
  }
  const [first, ...others] = nodes;
  for (const { redis } of others) await redis.cluster('MEET', '127.0.0.1', first!.port);
  await until('all nodes know each other', async () => {
    const states = await Promise.all(nodes.map(({ redis }) => redis.cluster('INFO')));
    return states.every((state) => state.includes(`known_nodes:${nodes.length}`));
  });
  for (const [i, { redis }] of nodes.slice(masters.length).entries()) {
    const master = masters[i % masters.length]!;
    await redis.cluster('REPLICATE', await master.redis.cluster('MYID'));
  }
  await until('all slots are served', async () =>
    (await Promise.all(nodes.map(isWhole))).every(Boolean),
  );
  const followers = nodes.slice(masters.length);
  await until('the replicas follow', async () =>
    (await Promise.all(followers.map(isReplica))).every(Boolean),
  );
}

/** Every node that holds keys: all masters of a cluster, or the one server. */
export function mastersOf(redis: unknown): Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis as Redis];
}

/**
 * A port whose companion for the cluster's own bus, 10 000 higher, is a port as well. Both are below
 * those that a system gives to whoever connects: a client that tries again and again would get the
 * port of a dead server itself in the end, and the server could not come back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 12_000);
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

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  const ask = () => Promise.race([condition(), pause(DEADLINE_MS, false)]);
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`The cluster waits in vain until ${what}.`);
    await pause(50);
  }
}

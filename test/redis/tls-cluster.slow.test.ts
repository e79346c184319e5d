import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findServerBinary } from '../../src/redis/private-server/binary.ts';
import { freePort } from '../fixtures/cluster.ts';

const tls = join(import.meta.dirname, '../fixtures/tls');
const certificate = join(tls, 'certificate.pem');
const project = join(import.meta.dirname, '../..');
const reader = join(project, 'bin/read-typescript.js');
const children: ChildProcess[] = [];
const ports: number[] = [];
let folder: string;

/** Each node announces itself as `localhost`, the only name in the certificate. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'frontpage-tls-'));
  const { command, argv0 } = findServerBinary();
  for (let n = 0; n < 3; n += 1) {
    const port = await freePort();
    ports.push(port);
    const settings = {
      port: 0,
      'tls-port': port,
      'tls-cluster': 'yes',
      'tls-replication': 'yes',
      'tls-auth-clients': 'no',
      'tls-cert-file': certificate,
      'tls-key-file': join(tls, 'key.pem'),
      'tls-ca-cert-file': certificate,
      'cluster-enabled': 'yes',
      'cluster-config-file': join(folder, `${port}.conf`),
      'cluster-announce-hostname': 'localhost',
      'cluster-preferred-endpoint-type': 'hostname',
      bind: '127.0.0.1',
      dir: folder,
      save: '',
    };
    const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    children.push(spawn(command, words, { argv0, stdio: 'ignore' }));
  }
});
afterAll(async () => {
  for (const child of children) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  await rm(folder, { recursive: true });
});

/** The authority is an environment variable that Node reads at its start alone, so each run is a process. */
function run(program: string, authority: boolean): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', reader, '--input-type=module', '--eval', program],
    {
      // While this waits, no time limit of a test ends it.
      timeout: 60_000,
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority ? certificate : '' },
    },
  );
  return stdout + stderr;
}

const form = () => `
  import { Redis } from 'ioredis';
  const ports = ${JSON.stringify(ports)};
  const slots = [[0, 5460], [5461, 10922], [10923, 16383]];
  const nodes = ports.map((port) => new Redis({ host: 'localhost', port, tls: {} }));
  nodes.forEach((node) => node.on('error', () => {}));
  for (const [n, node] of nodes.entries()) await node.call('CLUSTER', 'ADDSLOTSRANGE', ...slots[n].map(String));
  for (const port of ports.slice(1)) await nodes[0].call('CLUSTER', 'MEET', '127.0.0.1', String(port));
  const isWhole = async (node) => {
    const info = await node.call('CLUSTER', 'INFO');
    return info.includes('cluster_state:ok') && info.includes('known_nodes:3');
  };
  while (!(await Promise.all(nodes.map(isWhole))).every(Boolean)) await new Promise((go) => setTimeout(go, 50));
  console.log('whole');
  process.exit();`;

const check = (url: string) => `
  import { connectRedis } from './src/redis/connection.ts';
  import { checkServer } from './src/redis/startup-checks/check-server.ts';
  import { createLog } from './src/runtime/log.ts';
  const redis = connectRedis('${url}', { log: createLog('silent'), name: 'test' });
  try {
    const { engine } = await checkServer(redis);
    const written = await Promise.all(['a', 'b', 'c', 'd'].map((key) => redis.set(key, key)));
    console.log(engine, ...written);
  } catch (error) {
    console.log(error.message);
  }
  process.exit();`;

const urlBy = (host: string) => `rediss://${ports.map((port) => `${host}:${port}`).join(',')}`;

test('a cluster whose certificates name hosts is reached by them, and a certificate that is the reason is named', () => {
  expect(run(form(), true)).toBe('whole\n');
  expect(run(check(urlBy('localhost')), true)).toMatch(/^(Redis|Valkey) OK OK OK OK\n$/);
  expect(run(check(urlBy('localhost')), false)).toContain(
    'Redis does not answer (self-signed certificate): set NODE_EXTRA_CA_CERTS to the file of its authority',
  );
  expect(run(check(urlBy('127.0.0.1')), true)).toContain(
    'in REDIS_URL the host that the certificate names',
  );
});

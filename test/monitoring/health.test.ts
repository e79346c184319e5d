import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { openMonitoring, type Watched } from '../../src/monitoring/monitoring.ts';
import { emitMetric, LABELS } from '../../src/runtime/metrics.ts';
import { startWeb } from '../../src/web/web.ts';
import { CONNECTIONS_AT_MOST, REQUESTS_AT_ONCE } from '../../src/web/web.ts';
import { freePort } from '../fixtures/cluster.ts';
import { type WebServer, startWebServer } from '../web/web-server.ts';

let server: WebServer;
beforeAll(async () => {
  server = await startWebServer();
});
afterAll(() => server.stop());
beforeEach(() => emitMetric('tick', {}));

type Readiness = { ready: boolean; discord: boolean; redis: boolean; tick: boolean };

async function readiness(): Promise<Readiness & { code: number }> {
  const response = await server.monitor('/readyz');
  return { ...((await response.json()) as Readiness), code: response.status };
}

async function figure(name: string): Promise<number | undefined> {
  const text = await (await server.monitor('/metrics')).text();
  const line = text.split('\n').find((it) => it.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

test('the figures say how full Redis is, and nothing of a backup that nobody wants', async () => {
  const ratio = await figure('frontpage_redis_memory_ratio');
  expect(ratio).toBeGreaterThan(0);
  expect(ratio).toBeLessThan(1);
  expect(await figure('frontpage_backup_age_seconds')).toBeNaN();
  // Of what it may use, where the host has set that, and not of the machine's.
  const { redis } = server.redis;
  await redis.config('SET', 'maxmemory', '50mb');
  const ofLimit = await figure('frontpage_redis_memory_ratio');
  await redis.config('SET', 'maxmemory', '0');
  expect(ofLimit).toBeGreaterThan(0.01);
});

test('a process that answers is alive, whatever else is wrong', async () => {
  const response = await server.get('/healthz');
  expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
});

// Withstands (Attacks): Visitors flood
// → 500 connections and 200 requests a second are served
test('a crowd is told to come again, and does not fail the probes of the host', async () => {
  // In one packet, so that they come at once on a busy machine too.
  const { hostname, port } = new URL(server.web.address);
  const crowd = connect(Number(port), hostname);
  let answers = '';
  crowd.on('data', (data) => {
    answers += String(data);
  });
  crowd.write('GET /g/1 HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(4 * REQUESTS_AT_ONCE));
  const health = await Promise.all([server.get('/healthz'), server.monitor('/readyz')]);
  expect(health.map(({ status }) => status)).toEqual([200, 200]);
  await expect.poll(() => answers).toMatch(/^HTTP\/1\.1 503 [^]*?^retry-after: 1$/im);
  crowd.destroy();
  // Soon there is room again.
  await expect.poll(async () => (await fetch(`${server.web.address}/g/1`)).status).toBe(404);
});

test('visitors who connect and say nothing keep out neither the probes of the host nor others', async () => {
  const { hostname, port } = new URL(server.web.address);
  let closed = 0;
  const silent = Array.from({ length: CONNECTIONS_AT_MOST + 100 }, () =>
    connect(Number(port), hostname).on('close', () => (closed += 1)),
  );
  await expect.poll(() => closed).toBeGreaterThanOrEqual(100);
  expect((await server.get('/healthz')).status).toBe(200);
  expect(closed).toBeLessThan(110);
  for (const one of silent) one.destroy();
});

describe('a process is ready', () => {
  test('a process is ready when Discord, Redis and the minute’s work are well', async () => {
    expect(await readiness()).toMatchObject({ code: 200, ready: true });
  });

  test('a process is not ready while the connection to Discord is away', async () => {
    server.discord.isOn = false;
    expect(await readiness()).toMatchObject({ code: 503, discord: false, redis: true });
    server.discord.isOn = true;
  });

  test('a process is not ready while the minute’s work is stuck', async () => {
    const now = performance.now();
    const later = vi.spyOn(performance, 'now').mockReturnValue(now + 181_000);
    const stuck = await readiness();
    emitMetric('tick', {});
    const again = await readiness();
    later.mockRestore();
    expect(stuck).toMatchObject({ code: 503, ready: false, discord: true, tick: false });
    expect(again).toMatchObject({ code: 200, tick: true });
  });

  test('a process is not ready while Redis answers but takes no writes', async () => {
    const { redis } = server.redis;
    await redis.config('SET', 'maxmemory', '1');
    try {
      await expect.poll(readiness).toMatchObject({ code: 503, discord: true, redis: false });
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await expect.poll(readiness).toMatchObject({ code: 200 });
    expect(await figure('frontpage_redis_probe_faults_total')).toBeGreaterThan(0);
  });

  test('a process is not ready before it is on Discord', async () => {
    const { clock } = server;
    const log = createLog('silent');
    const web = await startWeb({
      host: '127.0.0.1',
      port: 0,
      publicAddress: undefined,
      monitoring: { host: '127.0.0.1', port: 0 },
      clock,
      log,
    });
    const codes = ['/healthz', '/g/1'].map(
      async (path) => (await fetch(web.address + path)).status,
    );
    expect(await Promise.all(codes)).toEqual([200, 503]);
    const hidden = ['/healthz', '/readyz', '/metrics'].map(
      async (path) => (await fetch(`${web.monitoringAddress}${path}`)).status,
    );
    expect(await Promise.all(hidden)).toEqual([200, 503, 200]);
    await web.stop();
    for (const address of [web.address, web.monitoringAddress]) {
      await expect(fetch(`${address}/healthz`)).rejects.toThrow('fetch failed');
    }
  });
});

test('a process whose address for the host is taken serves nothing, and leaves its other address free', async () => {
  const { clock } = server;
  const log = createLog('silent');
  const taken = Number(new URL(server.web.address).port);
  const [host, port] = ['127.0.0.1', await freePort()];
  const common = { host, publicAddress: undefined, clock, log };
  const monitoring = { host, port: taken };
  await expect(startWeb({ ...common, port, monitoring })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  const web = await startWeb({ ...common, port });
  expect(web.address).toBe(`http://${host}:${port}`);
  await web.stop();
});

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
test.runIf(hasIPv6)(
  'a process that listens on an address of IPv6 says it as links have it',
  async () => {
    const { clock } = server;
    const log = createLog('silent');
    const web = await startWeb({ host: '::1', port: 0, publicAddress: undefined, clock, log });
    expect((await fetch(`${web.address}/healthz`)).status).toBe(200);
    await web.stop();
  },
);

describe('the figures', () => {
  test('the figures count what happens, with no ids in their labels', async () => {
    emitMetric('interaction', {
      kind: 'command',
      command: 'top',
      outcome: 'answered',
      seconds: 0.02,
    });
    emitMetric('vote', { vote: 'up' });
    emitMetric('event', { kind: 'reaction', outcome: 'counted', seconds: 0.003 });
    emitMetric('recount', { kind: 'full', articles: 7, repairs: 2, seconds: 1 });
    emitMetric('digest', { outcome: 'posted', lagSeconds: 12 });
    emitMetric('redis', { reachable: false });
    emitMetric('limit', { scope: 'route', seconds: 2 });
    expect(await figure('frontpage_votes_total{vote="up"}')).toBe(1);
    expect(await figure('frontpage_votes_total{vote="down"}')).toBe(0);
    expect(await figure('frontpage_recounted_articles_total{kind="full"}')).toBe(7);
    expect(await figure('frontpage_repairs_total{kind="full"}')).toBe(2);
    expect(await figure('frontpage_digest_lag_seconds_sum{outcome="posted"}')).toBe(12);
    expect(await figure('frontpage_redis_reachable')).toBe(0);
    emitMetric('redis', { reachable: true });
    expect(await figure('frontpage_redis_reachable')).toBe(1);
    expect(await figure('frontpage_redis_outages_total')).toBe(1);
    expect(await figure('frontpage_rate_limit_seconds_total{scope="route"}')).toBe(2);
    expect(await figure('frontpage_on_discord')).toBe(1);
    const missing = 'frontpage_web_seconds_count{kind="feed",status="404"}';
    expect(await figure(missing)).toBeUndefined();
    await server.get('/feeds/1/secret');
    expect(await figure(missing)).toBe(1);
    const text = await (await server.monitor('/metrics')).text();
    expect(text).not.toMatch(/"\d{15,}"/);
  });

  // Withstands (Attacks): A visitor reads figures
  // → they have an address of their own
  test('the figures and the state of the process are at an address of their own, and nowhere else', async () => {
    expect((await server.get('/metrics')).status).toBe(404);
    expect((await server.get('/readyz')).status).toBe(404);
    expect((await server.get('/healthz')).status).toBe(200);
    expect((await server.monitor('/g/1')).status).toBe(404);
  });
});

/** What a host scrapes of a process of which this is known. */
async function scraped(known: Partial<Watched>, happens: () => void = () => {}) {
  const { ranking } = server;
  const none = { isOnDiscord: () => true, guilds: () => 0, clockOffSeconds: () => 0 };
  const nothing = { backupAgeSeconds: () => null, diskFreeBytes: () => null };
  const watched = () => ({ ranking, ...none, ...nothing, ...known });
  const monitoring = openMonitoring({ watched, log: createLog('silent') });
  try {
    happens();
    const text = await (await monitoring.app.request('/metrics')).text();
    const lines = text.split('\n').filter((line) => line.startsWith('frontpage_'));
    return new Map(lines.map((line) => line.split(/ (?=\S+$)/) as [string, string]));
  } finally {
    monitoring.stop();
  }
}

test('each figure that is read at a scrape is that of its own', async () => {
  const figures = await scraped({
    guilds: () => 3,
    clockOffSeconds: () => 4,
    backupAgeSeconds: () => 5,
    diskFreeBytes: () => 6,
  });
  const named = ['on_discord', 'guilds', 'clock_off_seconds', 'backup_age_seconds'];
  expect(
    [...named, 'disk_free_bytes'].map((name) => Number(figures.get(`frontpage_${name}`))),
  ).toEqual([1, 3, 4, 5, 6]);
});

test('what the alerts count is there before it happens, and counts each time', async () => {
  const begun = [
    'interaction_faults_total',
    'redis_outages_total',
    'redis_probe_faults_total',
    ...LABELS.vote.map((vote) => `votes_total{vote="${vote}"}`),
    ...LABELS.twinAct.map((what) => `foreign_acts_total{what="${what}"}`),
    ...LABELS.digestOutcome.map((outcome) => `digest_lag_seconds_count{outcome="${outcome}"}`),
    ...LABELS.limitScope.flatMap((scope) => [
      `rate_limits_total{scope="${scope}"}`,
      `rate_limit_seconds_total{scope="${scope}"}`,
    ]),
    ...LABELS.recountKind.flatMap((kind) => [
      `recount_seconds_count{kind="${kind}"}`,
      `recounted_articles_total{kind="${kind}"}`,
      `repairs_total{kind="${kind}"}`,
    ]),
    ...LABELS.pageKind.map((kind) => `web_seconds_count{kind="${kind}",status="200"}`),
  ].map((name) => `frontpage_${name}`);
  const before = await scraped({});
  expect(begun.filter((name) => before.get(name) !== '0')).toEqual([]);
  expect(before.get('frontpage_redis_reachable')).toBe('1');

  const after = await scraped({}, () => {
    const done = { kind: 'command', command: 'top', seconds: 1 } as const;
    emitMetric('interaction', { ...done, outcome: 'fault' });
    emitMetric('interaction', { ...done, outcome: 'answered' });
    for (const vote of LABELS.vote) emitMetric('vote', { vote });
    for (const what of LABELS.twinAct) emitMetric('twin', { what });
    for (const outcome of LABELS.digestOutcome) emitMetric('digest', { outcome, lagSeconds: 1 });
    for (const scope of LABELS.limitScope) emitMetric('limit', { scope, seconds: 1 });
    for (const kind of LABELS.recountKind)
      emitMetric('recount', { kind, articles: 1, repairs: 1, seconds: 1 });
    for (const kind of LABELS.pageKind) emitMetric('page', { kind, status: '200', seconds: 1 });
    emitMetric('redis', { reachable: false });
    emitMetric('probe', { seconds: null });
    emitMetric('probe', { seconds: 7 });
  });
  expect(begun.filter((name) => after.get(name) !== '1')).toEqual([]);
  expect(after.get('frontpage_redis_reachable')).toBe('0');
  expect(after.get('frontpage_redis_probe_seconds')).toBe('7');
});

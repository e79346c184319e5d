import { Hono } from 'hono';
import { fault, type Log } from '../runtime/log.ts';
import { emitMetric, onMetric } from '../runtime/metrics.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { parseInfo } from '../redis/server-info.ts';
import { sharedKeys } from '../redis/store-keys.ts';
import { openMetrics } from './prometheus.ts';

/** The parts whose state is shown. They exist once the bot is on Discord. */
export interface Watched {
  /** Asked whether Redis takes writes. */
  ranking: Ranking;
  /** Whether the connection to Discord's gateway is up. */
  isOnDiscord(): boolean;
  /** The number of guilds of this process. */
  guilds(): number;
  /** How far the machine's clock is ahead of Discord's (s). */
  clockOffSeconds(): number;
  /** The age of the newest backup of the night (s), or since the start; null if the host wants none. */
  backupAgeSeconds(): number | null;
  /** What is free on the disk of the private server; null where Redis is the host's own. */
  diskFreeBytes(): number | null;
}

export interface MonitoringNeeds {
  /** What is shown; undefined before the bot is on Discord. */
  watched: () => Watched | undefined;
  /** Says why a probe failed. */
  log: Log;
}

/** Readiness and metrics, for the host. */
export interface Monitoring {
  /** Its addresses: `/healthz`, `/readyz`, `/metrics`. */
  app: Hono;
  /** Stops counting. */
  stop(): void;
}

/** After this long without a completed run, the minute's work counts as stuck. */
const STUCK_SECONDS = 180;

/** `/healthz`: the process answers. */
export function healthRoutes(): Hono {
  const app = new Hono();
  app.get('/healthz', (context) => context.text('ok\n', 200, { 'cache-control': 'no-store' }));
  return app;
}

/**
 * `/readyz`: whether the bot can work, and if not, which part cannot. `/metrics`: for Prometheus. They
 * are for the host only, so they have an address of their own.
 */
export function openMonitoring({ watched, log }: MonitoringNeeds): Monitoring {
  let lastTickMs = performance.now();
  const stopListening = onMetric('tick', () => {
    lastTickMs = performance.now();
  });
  const levels = {
    guilds: () => watched()?.guilds() ?? null,
    isOnDiscord: () => watched()?.isOnDiscord() ?? false,
    // Before the first tick, this is the time since the start.
    tickAgeSeconds: () => (performance.now() - lastTickMs) / 1000,
    clockOffSeconds: () => watched()?.clockOffSeconds() ?? null,
    backupAgeSeconds: () => watched()?.backupAgeSeconds() ?? null,
    diskFreeBytes: () => watched()?.diskFreeBytes() ?? null,
    redisMemory: async () => {
      const ranking = watched()?.ranking;
      return ranking === undefined ? null : memoryOf(ranking);
    },
  };
  const metrics = openMetrics(levels);
  const app = healthRoutes();

  app.get('/readyz', async (context) => {
    const ranking = watched()?.ranking;
    const writeSeconds = ranking ? await probe(ranking, log) : null;
    const tickAgeSeconds = levels.tickAgeSeconds();
    const parts = {
      discord: levels.isOnDiscord(),
      redis: writeSeconds !== null,
      tick: tickAgeSeconds < STUCK_SECONDS,
    };
    const ready = parts.discord && parts.redis && parts.tick;
    const state = { ready, ...parts, writeSeconds, tickAgeSeconds };
    return context.json(state, ready ? 200 : 503, { 'cache-control': 'no-store' });
  });

  app.get('/metrics', async (context) =>
    context.body(await metrics.registry.metrics(), 200, {
      'content-type': metrics.registry.contentType,
      'cache-control': 'no-store',
    }),
  );
  return {
    app,
    stop() {
      stopListening();
      metrics.stop();
    },
  };
}

/** Which part of the memory that it may use Redis uses, in a cluster one node; null if it does not say. */
async function memoryOf({ redis }: Ranking): Promise<number | null> {
  const info = parseInfo(await redis.info('memory').catch(() => ''));
  const [used, most, whole] = ['used_memory', 'maxmemory', 'total_system_memory'].map((name) =>
    Number(info.get(name) ?? 0),
  );
  const limit = most || whole;
  return used && limit ? used / limit : null;
}

/**
 * Writes a key, and returns the seconds that it took; null if Redis did not take it. A PING would not show
 * that the memory is full or that Redis became a replica.
 */
async function probe(ranking: Ranking, log: Log): Promise<number | null> {
  const startedMs = performance.now();
  const seconds = await ranking.redis.set(sharedKeys(ranking).probe, '1', 'PX', 1000).then(
    () => (performance.now() - startedMs) / 1000,
    (error: unknown) => {
      log.warn(fault(error), 'Redis did not take the write of a probe.');
      return null;
    },
  );
  emitMetric('probe', { seconds });
  return seconds;
}

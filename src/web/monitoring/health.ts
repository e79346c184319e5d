import { Hono } from 'hono';
import { fault, type Log } from '../../log.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { sharedKeys } from '../../redis/store-keys.ts';
import type { Metrics, Levels } from './prometheus.ts';

/** After this long without a completed run, the minute's work counts as stuck. */
const STUCK_SECONDS = 180;

type HealthParts = {
  levels: Levels;
  metrics: Metrics;
  /** Null until the bot is on Discord and knows the application id of its keys. */
  ranking: () => Ranking | null;
  log: Log;
};

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
export function monitoringRoutes({ levels, metrics, ranking, log }: HealthParts): Hono {
  const app = new Hono();

  /**
   * Writes a key, and returns the seconds that it took; null if Redis took it not. A PING would not show
   * that the memory is full or that Redis became a replica.
   */
  async function probe(): Promise<number | null> {
    const open = ranking();
    if (open === null) return null;
    const startedMs = performance.now();
    try {
      await open.redis.set(sharedKeys(open).probe, '1', 'PX', 1000);
      const seconds = (performance.now() - startedMs) / 1000;
      metrics.probed(seconds);
      return seconds;
    } catch (error) {
      metrics.probed(null);
      log.warn(fault(error), 'Redis did not take the write of a probe.');
      return null;
    }
  }

  app.route('/', healthRoutes());

  app.get('/readyz', async (context) => {
    const writeSeconds = await probe();
    const tickAgeSeconds = levels.tickAgeSeconds();
    const parts = {
      discord: levels.isOnDiscord(),
      redis: writeSeconds !== null,
      tick: tickAgeSeconds < STUCK_SECONDS,
    };
    const isReady = parts.discord && parts.redis && parts.tick;
    return context.json(
      { ready: isReady, ...parts, writeSeconds, tickAgeSeconds },
      isReady ? 200 : 503,
      { 'cache-control': 'no-store' },
    );
  });

  app.get('/metrics', async (context) =>
    context.body(await metrics.registry.metrics(), 200, {
      'content-type': metrics.registry.contentType,
      'cache-control': 'no-store',
    }),
  );
  return app;
}

import { Hono } from 'hono';
import type { Clock } from '../../clock.ts';
import { fault, type Log } from '../../log.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Metrics, Levels } from './prometheus.ts';
import { probeRanking } from './probe.ts';

/** After this long without a completed run, the minute's work counts as stuck. */
const STUCK_SECONDS = 180;
/** More frequent requests get the last answer again. */
const PROBE_EVERY_MS = 1000;

type HealthParts = {
  levels: Levels;
  metrics: Metrics;
  /** Null until the bot is on Discord and knows the application id of its keys. */
  ranking: () => Ranking | null;
  clock: Clock;
  log: Log;
};

type Probe = { isWell: boolean; seconds: number | null };

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
export function monitoringRoutes({ levels, metrics, ranking, clock, log }: HealthParts): Hono {
  const app = new Hono();
  let asked: { atMs: number; probe: Promise<Probe> } | undefined;

  async function probe(): Promise<Probe> {
    const open = ranking();
    if (open === null) return { isWell: false, seconds: null };
    try {
      const seconds = await probeRanking(open, clock.now());
      metrics.probed(seconds);
      return { isWell: true, seconds };
    } catch (error) {
      metrics.probed(null);
      log.warn(fault(error), 'Redis did not take the vote of a probe.');
      return { isWell: false, seconds: null };
    }
  }

  app.route('/', healthRoutes());

  app.get('/readyz', async (context) => {
    const now = performance.now();
    if (asked === undefined || now - asked.atMs > PROBE_EVERY_MS) {
      asked = { atMs: now, probe: probe() };
    }
    const redis = await asked.probe;
    const tickAgeSeconds = levels.tickAgeSeconds();
    const parts = {
      discord: levels.isOnDiscord(),
      redis: redis.isWell,
      tick: tickAgeSeconds < STUCK_SECONDS,
    };
    const isReady = parts.discord && parts.redis && parts.tick;
    return context.json(
      { ready: isReady, ...parts, voteSeconds: redis.seconds, tickAgeSeconds },
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

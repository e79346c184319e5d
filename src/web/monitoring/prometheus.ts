import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { onMetric } from '../../metrics.ts';
import { version } from '../../version.ts';

export type Metrics = {
  registry: Registry;
  /** Counts a request for a page or feed. */
  served(kind: 'page' | 'feed', status: number, seconds: number): void;
  /** Records the time of a probe's write to Redis; null if the write failed. */
  probed(seconds: number | null): void;
  stop(): void;
};

/** Values that are read at each scrape. */
export type Levels = {
  /** The number of guilds that this process serves; null before it is on Discord. */
  guilds: () => number | null;
  isOnDiscord: () => boolean;
  /** The time since the last end of the minute's work, or since the start. */
  tickAgeSeconds: () => number;
};

const ANSWER_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.7, 3, 10];
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5, 10, 60];
const LAG_SECONDS = [5, 15, 30, 60, 120, 300, 900, 3600, 21_600, 43_200];
const RECOUNT_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/**
 * All metrics that Prometheus can scrape. Labels hold no ids, so the number of their values does not
 * grow with the users.
 */
export function openMetrics(levels: Levels): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter({ name: `frontpage_${name}`, help, labelNames, registers });
  const histogram = <T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
    buckets: number[],
  ) => new Histogram({ name: `frontpage_${name}`, help, labelNames, buckets, registers });
  const gauge = (name: string, help: string, read?: () => number | null) =>
    new Gauge({
      name: `frontpage_${name}`,
      help,
      registers,
      ...(read === undefined
        ? {}
        : {
            collect() {
              this.set(read() ?? Number.NaN);
            },
          }),
    });

  new Gauge({
    name: 'frontpage_build_info',
    help: 'Which Frontpage this is; always 1.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  gauge('on_discord', 'Whether the connection to Discord stands (1) or not (0).', () =>
    levels.isOnDiscord() ? 1 : 0,
  );
  gauge('guilds', 'Guilds that this process serves.', levels.guilds);
  gauge('tick_age_seconds', "Since the minute's work last ended.", levels.tickAgeSeconds);

  const interactions = histogram(
    'interaction_seconds',
    'Time from the arrival of an interaction until it was done with.',
    ['kind', 'command', 'outcome'],
    ANSWER_SECONDS,
  );
  // A separate counter: a histogram has no series for a command that was never used, so an alert on it
  // would miss the first faults.
  const faults = counter('interaction_faults_total', 'Interactions that failed.');
  const votes = counter('votes_total', 'Votes counted, by what they are now.', ['vote']);
  for (const vote of ['up', 'down', 'none']) votes.inc({ vote }, 0);
  const events = histogram(
    'event_commit_seconds',
    'Time from the arrival of a gateway event until Redis had it.',
    ['kind', 'outcome'],
    COMMIT_SECONDS,
  );
  const recounts = histogram(
    'recount_seconds',
    'Time that a recount took.',
    ['kind'],
    RECOUNT_SECONDS,
  );
  const compared = counter('recounted_articles_total', 'Articles compared with the record.', [
    'kind',
  ]);
  const repairs = counter('repairs_total', 'Votes and articles that a recount put right.', [
    'kind',
  ]);
  const digests = histogram(
    'digest_lag_seconds',
    'Time from the slot of a digest until it was dealt with.',
    ['outcome'],
    LAG_SECONDS,
  );
  const reachable = gauge('redis_reachable', 'Whether Redis can be reached (1) or not (0).');
  reachable.set(1);
  const outages = counter('redis_outages_total', 'How often Redis went away.');
  const probe = gauge('redis_probe_seconds', 'Time that the last write of a probe took.');
  const probeFaults = counter('redis_probe_faults_total', 'Writes of a probe that failed.');
  const limits = counter('rate_limits_total', 'Requests that Discord made wait.', ['scope']);
  const limited = counter('rate_limit_seconds_total', 'Time that they waited.', ['scope']);
  const pages = histogram(
    'web_seconds',
    'Time that a page or feed took.',
    ['kind', 'status'],
    ANSWER_SECONDS,
  );

  // increase() and rate() miss the first increase of a series that did not exist before.
  for (const kind of ['counts', 'full'] as const) {
    recounts.zero({ kind });
    compared.inc({ kind }, 0);
    repairs.inc({ kind }, 0);
  }
  for (const outcome of ['posted', 'empty', 'skipped', 'broken'] as const) {
    digests.zero({ outcome });
  }
  for (const scope of ['global', 'route'] as const) {
    limits.inc({ scope }, 0);
    limited.inc({ scope }, 0);
  }
  for (const kind of ['page', 'feed']) pages.zero({ kind, status: '200' });

  const listening = [
    onMetric('interaction', ({ seconds, ...labels }) => {
      interactions.observe(labels, seconds);
      if (labels.outcome === 'fault') faults.inc();
    }),
    onMetric('vote', (labels) => votes.inc(labels)),
    onMetric('event', ({ seconds, ...labels }) => events.observe(labels, Math.max(0, seconds))),
    onMetric('recount', ({ kind, articles, repairs: repaired, seconds }) => {
      recounts.observe({ kind }, seconds);
      compared.inc({ kind }, articles);
      repairs.inc({ kind }, repaired);
    }),
    onMetric('digest', ({ outcome, lagSeconds }) => digests.observe({ outcome }, lagSeconds)),
    onMetric('redis', ({ reachable: isReachable }) => {
      reachable.set(isReachable ? 1 : 0);
      if (!isReachable) outages.inc();
    }),
    onMetric('limit', ({ scope, seconds }) => {
      limits.inc({ scope });
      limited.inc({ scope }, seconds);
    }),
  ];

  return {
    registry,
    served: (kind, status, seconds) => pages.observe({ kind, status: String(status) }, seconds),
    probed(seconds) {
      if (seconds === null) probeFaults.inc();
      else probe.set(seconds);
    },
    stop() {
      for (const end of listening) end();
      registry.clear();
    },
  };
}

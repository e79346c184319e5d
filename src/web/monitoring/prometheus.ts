import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { hear } from '../../metrics.ts';
import { version } from '../../version.ts';

export type Metrics = {
  registry: Registry;
  /** A page or feed was asked for. */
  served(kind: 'page' | 'feed', status: number, seconds: number): void;
  /** How long the real vote took, null where it failed. */
  probed(seconds: number | null): void;
  stop(): void;
};

/** Values that are read at each scrape and not counted when they happen. */
export type Levels = {
  /** Guilds that this process serves; null: not on Discord yet. */
  guilds: () => number | null;
  isOnDiscord: () => boolean;
  /** Since the minute's work last ended, or since the start. */
  tickAgeSeconds: () => number;
};

const answerSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.7, 3, 10];
const commitSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5, 10, 60];
const lagSeconds = [5, 15, 30, 60, 120, 300, 900, 3600, 21_600, 43_200];
const recountSeconds = [0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/**
 * All metrics that Prometheus can scrape. No ids in labels: their number of values is bounded by the
 * program, not by who uses it.
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
    answerSeconds,
  );
  // A counter of its own: a histogram has no series for a command before it was used, and an alert on
  // it misses the first faults.
  const faults = counter('interaction_faults_total', 'Interactions that failed.');
  const votes = counter('votes_total', 'Votes counted, by what they are now.', ['vote']);
  for (const vote of ['up', 'down', 'none']) votes.inc({ vote }, 0);
  const events = histogram(
    'event_commit_seconds',
    'Time from the arrival of a gateway event until Redis had it.',
    ['kind', 'outcome'],
    commitSeconds,
  );
  const overflows = counter(
    'events_dropped_total',
    'Events that could not be kept while Redis was away.',
  );
  const recounts = histogram(
    'recount_seconds',
    'Time that a recount took.',
    ['kind'],
    recountSeconds,
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
    lagSeconds,
  );
  const reachable = gauge('redis_reachable', 'Whether Redis can be reached (1) or not (0).');
  reachable.set(1);
  const outages = counter('redis_outages_total', 'How often Redis went away.');
  const probe = gauge('redis_probe_seconds', 'Time that the last vote of a probe took.');
  const probeFaults = counter('redis_probe_faults_total', 'Votes of a probe that failed.');
  const limits = counter('rate_limits_total', 'Requests that Discord made wait.', ['scope']);
  const limited = counter('rate_limit_seconds_total', 'Time that they waited.', ['scope']);
  const pages = histogram(
    'web_seconds',
    'Time that a page or feed took.',
    ['kind', 'status'],
    answerSeconds,
  );

  // What begins at its first increase is invisible to increase() and rate().
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

  const heard = [
    hear('interaction', ({ seconds, ...labels }) => {
      interactions.observe(labels, seconds);
      if (labels.outcome === 'fault') faults.inc();
    }),
    hear('vote', (labels) => votes.inc(labels)),
    hear('event', ({ seconds, ...labels }) => events.observe(labels, Math.max(0, seconds))),
    hear('overflow', () => overflows.inc()),
    hear('recount', ({ kind, articles, repairs: repaired, seconds }) => {
      recounts.observe({ kind }, seconds);
      compared.inc({ kind }, articles);
      repairs.inc({ kind }, repaired);
    }),
    hear('digest', ({ outcome, lagSeconds }) => digests.observe({ outcome }, lagSeconds)),
    hear('redis', ({ reachable: isReachable }) => {
      reachable.set(isReachable ? 1 : 0);
      if (!isReachable) outages.inc();
    }),
    hear('limit', ({ scope, seconds }) => {
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
      for (const end of heard) end();
      registry.clear();
    },
  };
}

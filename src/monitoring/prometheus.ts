import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { LABELS, onMetric } from '../runtime/metrics.ts';
import { commit, version } from '../runtime/version.ts';

/** Values that are read at each scrape. */
type Levels = {
  /** The number of guilds that this process serves; null before it is on Discord. */
  guilds: () => number | null;
  isOnDiscord: () => boolean;
  /** The time since the last end of the minute's work, or since the start. */
  tickAgeSeconds: () => number;
  /** Null before it is on Discord. */
  clockOffSeconds: () => number | null;
  /** Null where no backup is wanted. */
  backupAgeSeconds: () => number | null;
  /** Null where Redis is the host's own. */
  diskFreeBytes: () => number | null;
  /** The part of its memory that Redis uses; null if it does not say. */
  redisMemory: () => Promise<number | null>;
};

const ANSWER_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.7, 3, 10];
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5, 10, 60];
const LAG_SECONDS = [5, 15, 30, 60, 120, 300, 900, 3600, 21_600, 43_200];
const RECOUNT_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/**
 * All metrics that Prometheus can scrape. Labels hold no ids, so the number of their values does not
 * grow with the users.
 */
export function openMetrics(levels: Levels) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerLevels(registry, levels);
  const metrics = registerMetrics(registry);
  beginSeries(metrics);
  const listening = listen(metrics);
  return {
    registry,
    stop() {
      for (const end of listening) end();
      registry.clear();
    },
  };
}

function registerLevels(registry: Registry, levels: Levels): void {
  const registers = [registry];
  new Gauge({
    name: 'frontpage_build_info',
    help: 'Which Frontpage this is; always 1.',
    labelNames: ['version', 'commit', 'node'],
    registers,
  }).set({ version, commit: commit ?? 'unknown', node: process.versions.node }, 1);
  const level = (name: string, help: string, read: () => number | null | Promise<number | null>) =>
    new Gauge({
      name: `frontpage_${name}`,
      help,
      registers,
      async collect() {
        this.set((await read()) ?? Number.NaN);
      },
    });
  level('on_discord', 'Whether the connection to Discord stands (1) or not (0).', () =>
    levels.isOnDiscord() ? 1 : 0,
  );
  level('guilds', 'Guilds that this process serves.', levels.guilds);
  level(
    'clock_off_seconds',
    "How far this machine's clock is ahead of Discord's.",
    levels.clockOffSeconds,
  );
  level(
    'backup_age_seconds',
    'Since the newest backup of the night, or the start.',
    levels.backupAgeSeconds,
  );
  level('disk_free_bytes', "What is free on the private server's disk.", levels.diskFreeBytes);
  level(
    'redis_memory_ratio',
    'The part of the memory that it may use which Redis uses.',
    levels.redisMemory,
  );
  level('tick_age_seconds', "Since the minute's work last ended.", levels.tickAgeSeconds);
}

function registerMetrics(registry: Registry) {
  const registers = [registry];
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `frontpage_${name}`, help, registers });
  const counter = <T extends string>(name: string, help: string, ...labelNames: T[]) =>
    new Counter({ name: `frontpage_${name}`, help, labelNames, registers });
  const histogram = <T extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: T[]
  ) => new Histogram({ name: `frontpage_${name}`, help, labelNames, buckets, registers });
  return {
    interactions: histogram(
      'interaction_seconds',
      'Time from the arrival of an interaction until it was done with.',
      ANSWER_SECONDS,
      'kind',
      'command',
      'outcome',
    ),
    // A separate counter: a histogram has no series for a command that was never used, so an alert on
    // it would miss the first faults.
    faults: counter('interaction_faults_total', 'Interactions that failed.'),
    votes: counter('votes_total', 'Votes counted, by what they are now.', 'vote'),
    events: histogram(
      'event_commit_seconds',
      'Time from the arrival of a gateway event until Redis had it.',
      COMMIT_SECONDS,
      'kind',
      'outcome',
    ),
    recounts: histogram('recount_seconds', 'Time that a recount took.', RECOUNT_SECONDS, 'kind'),
    compared: counter('recounted_articles_total', 'Articles compared with the record.', 'kind'),
    repairs: counter('repairs_total', 'Votes and articles that a recount put right.', 'kind'),
    digests: histogram(
      'digest_lag_seconds',
      'Time from the slot of a digest until it was dealt with.',
      LAG_SECONDS,
      'outcome',
    ),
    reachable: gauge('redis_reachable', 'Whether Redis can be reached (1) or not (0).'),
    outages: counter('redis_outages_total', 'How often Redis went away.'),
    probe: gauge('redis_probe_seconds', 'Time that the last write of a probe took.'),
    probeFaults: counter('redis_probe_faults_total', 'Writes of a probe that failed.'),
    limits: counter('rate_limits_total', 'Requests that Discord made wait.', 'scope'),
    limited: counter('rate_limit_seconds_total', 'Time that they waited.', 'scope'),
    twins: counter(
      'foreign_acts_total',
      'What another program did with this bot’s token and other data.',
      'what',
    ),
    pages: histogram(
      'web_seconds',
      'Time that a page or feed took.',
      ANSWER_SECONDS,
      'kind',
      'status',
    ),
  };
}

type Registered = ReturnType<typeof registerMetrics>;

/** increase() and rate() miss the first increase of a series that did not exist before. */
function beginSeries(metrics: Registered): void {
  metrics.reachable.set(1);
  for (const vote of LABELS.vote) metrics.votes.inc({ vote }, 0);
  for (const kind of LABELS.recountKind) {
    metrics.recounts.zero({ kind });
    metrics.compared.inc({ kind }, 0);
    metrics.repairs.inc({ kind }, 0);
  }
  for (const outcome of LABELS.digestOutcome) metrics.digests.zero({ outcome });
  for (const scope of LABELS.limitScope) {
    metrics.limits.inc({ scope }, 0);
    metrics.limited.inc({ scope }, 0);
  }
  for (const what of LABELS.twinAct) metrics.twins.inc({ what }, 0);
  for (const kind of LABELS.pageKind) metrics.pages.zero({ kind, status: '200' });
}

/** Returns the functions that end it. */
function listen(metrics: Registered): (() => unknown)[] {
  return [
    onMetric('interaction', ({ seconds, ...labels }) => {
      metrics.interactions.observe(labels, seconds);
      if (labels.outcome === 'fault') metrics.faults.inc();
    }),
    onMetric('vote', (labels) => metrics.votes.inc(labels)),
    onMetric('event', ({ seconds, ...labels }) =>
      metrics.events.observe(labels, Math.max(0, seconds)),
    ),
    onMetric('recount', ({ kind, articles, repairs, seconds }) => {
      metrics.recounts.observe({ kind }, seconds);
      metrics.compared.inc({ kind }, articles);
      metrics.repairs.inc({ kind }, repairs);
    }),
    onMetric('digest', ({ outcome, lagSeconds }) =>
      metrics.digests.observe({ outcome }, lagSeconds),
    ),
    onMetric('redis', ({ reachable }) => {
      metrics.reachable.set(reachable ? 1 : 0);
      if (!reachable) metrics.outages.inc();
    }),
    onMetric('limit', ({ scope, seconds }) => {
      metrics.limits.inc({ scope });
      metrics.limited.inc({ scope }, seconds);
    }),
    onMetric('twin', (labels) => metrics.twins.inc(labels)),
    onMetric('page', ({ seconds, ...labels }) => metrics.pages.observe(labels, seconds)),
    onMetric('probe', ({ seconds }) => {
      if (seconds === null) metrics.probeFaults.inc();
      else metrics.probe.set(seconds);
    }),
  ];
}

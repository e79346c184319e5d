import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCommunity } from '../discord-box/test/community.ts';
import { freePort } from '../test/fixtures/cluster.ts';
import { residentMb } from './resident.ts';
import { median } from './rounds.ts';
import { until } from './until.ts';

/**
 * The resident memory of the bot over a community's busy day, compressed: 1,060 posts, each with six votes, and every
 * twentieth time a list, for each set of options of Node that is named, one after another:
 * `npx tsx bench/day.ts [--minutes 6] '<options>' …`. The bot is started as `npm start` does it, with a private Redis,
 * whose memory is counted beside it.
 */

const POSTS = 1060;
const VOTES = 6;
const SAMPLE_MS = 1000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '6' }, node: { type: 'string' } },
  args: process.argv.slice(2),
});
const spacingMs = (Number(values.minutes) * 60_000) / POSTS;
const node = values.node ?? process.execPath;
const start = join(import.meta.dirname, '../bin/frontpage.js');

for (const options of positionals.length > 0 ? positionals : ['--max-semi-space-size=4']) {
  await live(options);
}

async function live(options: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-day-'));
  const sandbox = await startCommunity({ rateLimits: false, answerWithinMs: 30_000 });
  const [web, metrics] = [await freePort(), await freePort()];
  const words = options.split(' ').filter((word) => word.startsWith('-'));
  const set = options.split(' ').filter((word) => /^[A-Z_]+=/.test(word));
  const startedMs = performance.now();
  const child = spawn(node, [...words, start], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: folder,
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_BASE: sandbox.apiBase,
      WEB_PORT: String(web),
      METRICS_PORT: String(metrics),
      LOG_LEVEL: 'info',
      ...Object.fromEntries(set.map((word) => word.split('='))),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGTERM'));
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  await until(() => output.includes('Frontpage is on'), 120_000);
  const onMs = performance.now() - startedMs;
  await until(() => output.includes('The ranking of a guild is whole'), 120_000);
  const figures = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    return (name: string) =>
      [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
        (sum, [, value]) => sum + Number(value),
        0,
      );
  };
  const samples: number[] = [];
  const timer = setInterval(
    () => void residentMb(child.pid!).then((mb) => samples.push(mb)),
    SAMPLE_MS,
  );
  const first = await residentMb(child.pid!);

  const { general, rust, ai, gameDev } = sandbox.channels;
  const channels = [general, rust, ai, gameDev];
  // Nobody comes near a limit of members.
  const people = [
    ...sandbox.members,
    ...Array.from({ length: 200 }, (_, at) =>
      sandbox.operator.addPerson({ username: `member${at}`, bornMs: Date.UTC(2024, 0, 1) }),
    ),
  ];
  let posted = 0;
  const dayStartedMs = performance.now();
  for (let n = 0; n < POSTS; n += 1) {
    const channel = channels[n % channels.length]!;
    const poster = n % people.length;
    const link = `https://site-${n % 97}.example/story/${n}`;
    const answer = await sandbox
      .as(people[poster]!)
      .command(channel.id, 'post', {
        link,
        title: `Story ${n} of the day, with a title of the usual length`,
      })
      .catch(() => null);
    const message = answer?.ephemeral === false ? answer.message?.id : undefined;
    const votes = message === undefined ? 0 : VOTES;
    posted += Math.sign(votes);
    for (let vote = 1; vote <= votes; vote += 1) {
      const voter = people[(poster + vote) % people.length]!;
      sandbox.as(voter).react(channel.id, message ?? '', (n + vote) % 4 === 0 ? '👎' : '👍');
    }
    if (n % 20 === 0)
      await sandbox
        .as(people[0]!)
        .command(channel.id, 'top', {})
        .catch(() => null);
    const aheadMs = dayStartedMs + (n + 1) * spacingMs - performance.now();
    if (aheadMs > 0) await pause(aheadMs);
  }
  const tookMs = performance.now() - dayStartedMs;
  await pause(5000);
  clearInterval(timer);
  const figure = await figures();
  const redis = /"pid":(\d+)/.exec(output)?.[1];
  console.log(
    JSON.stringify({
      options,
      on: Math.round(onMs),
      minutes: +(tookMs / 60_000).toFixed(1),
      first: Math.round(first),
      median: Math.round(median(samples)),
      most: Math.round(Math.max(...samples)),
      last: Math.round(samples.at(-1) ?? 0),
      heap: Math.round(figure('nodejs_heap_size_total_bytes') / 1e6),
      used: Math.round(figure('nodejs_heap_size_used_bytes') / 1e6),
      external: Math.round(figure('nodejs_external_memory_bytes') / 1e6),
      posted,
      votes: figure('frontpage_votes_total'),
      voteMs: +(
        (figure('frontpage_event_commit_seconds_sum') /
          figure('frontpage_event_commit_seconds_count')) *
        1000
      ).toFixed(2),
      cpu: +figure('process_cpu_seconds_total').toFixed(1),
      gc: +figure('nodejs_gc_duration_seconds_sum').toFixed(1),
      redis:
        redis === undefined ? null : Math.round(await residentMb(Number(redis)).catch(() => 0)),
    }),
  );
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  await sandbox.stop();
  await rm(folder, { recursive: true });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { startCommunity } from '../discord-box/test/community.ts';
import { createLog } from '../src/runtime/log.ts';
import { startPrivateServer } from '../src/redis/private-server/private-server.ts';
import { residentMb } from './resident.ts';
import { median } from './rounds.ts';

/**
 * The time from the start of the process to "Frontpage is on", and the resident memory of the idle
 * bot, for each version of Node that is named: `npx tsx bench/start.ts <path of a node> …`.
 * The bot is started as `npm start` does it, and serves the sandbox's guild. Redis runs before, and its
 * memory is not counted.
 *
 * Then, from the first visit of the sandbox in a new folder: how soon its page shows what was there before the bot
 * and can be used, and how soon the bot has read it and is set up.
 */

const rounds = 3;
const idleMs = 12_000;

const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const folder = await mkdtemp(join(tmpdir(), 'frontpage-start-'));
const log = createLog('silent');
const redis = await startPrivateServer({ dataDir: folder, log });
const sandbox = await startCommunity({ rateLimits: false });
const start = join(import.meta.dirname, '../bin/frontpage.js');

/** What is wanted of the first visit of a newcomer (s). */
const USABLE_WITHIN_S = 8;

const readiness = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ ready: z.literal(false), phase: z.string() }),
]);

/** The page can be used from the second phase on. */
async function measureFirstVisit(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'frontpage-visit-'));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../bin/sandbox.js'), '--no-open', '--port', '0'],
    { cwd: data, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  // A loop over the chunks that is left would close the pipe.
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  while (!output.includes('in your browser')) await pause(20);
  const address = /http:\/\/[\d.:]+/.exec(output)?.[0] ?? '';
  const ask = async () => {
    // Between the page that waits and the world's, nothing listens for a moment.
    const answer = await fetch(`${address}/sandbox/ready`).catch(() => null);
    return answer?.ok === true ? readiness.parse(await answer.json()) : null;
  };
  const visitedMs = performance.now();
  const seconds = () => (performance.now() - visitedMs) / 1000;
  await fetch(address, { headers: { 'accept-language': 'en' } });
  let usable: number | null = null;
  for (;;) {
    const state = await ask();
    if (usable === null && state !== null && (state.ready || state.phase !== 'discord')) {
      await (await fetch(`${address}/sandbox/community`)).json();
      usable = seconds();
    }
    if (state?.ready === true) break;
    await pause(50);
  }
  const verdict = (usable ?? Number.NaN) <= USABLE_WITHIN_S ? '' : ' (missed)';
  console.log(
    `first visit: the page can be used in ${usable?.toFixed(1)} s, of ${USABLE_WITHIN_S} s at most${verdict}; all is set up in ${seconds().toFixed(1)} s`,
  );
  child.kill('SIGTERM');
  await once(child, 'exit');
  await rm(data, { recursive: true });
}

type Run = { onMs: number; megabytes: number };

async function run(node: string): Promise<Run> {
  const startedMs = performance.now();
  const child = spawn(node, ['--max-semi-space-size=4', '--heap-growing-percent=20', start], {
    env: {
      PATH: process.env['PATH'] ?? '',
      MALLOC_ARENA_MAX: '2',
      REDIS_URL: redis.url,
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_BASE: sandbox.apiBase,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('Frontpage is on')) break;
  }
  const onMs = performance.now() - startedMs;
  child.stdout.resume();
  await pause(idleMs);
  const megabytes = await residentMb(child.pid!);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { onMs, megabytes };
}

const results = new Map<string, Run[]>(nodes.map((node) => [node, []]));
// One round to warm up: it fills the compile cache and deploys the commands.
for (let round = 0; round <= rounds; round++) {
  for (const [node, runs] of results) {
    const measured = await run(node);
    if (round > 0) runs.push(measured);
  }
}
for (const [node, runs] of results) {
  const onMs = median(runs.map((one) => one.onMs));
  const megabytes = median(runs.map((one) => one.megabytes));
  console.log(`${node}: on in ${(onMs / 1000).toFixed(2)} s, ${megabytes.toFixed(0)} MB`);
}
await sandbox.stop();
await redis.stop();
await measureFirstVisit();
await rm(folder, { recursive: true });

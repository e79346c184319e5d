import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/runtime/clock.ts';
import { type Random, seededRandom } from '../../../discord-box/src/index.ts';
import { CLAIM_MS } from '../../../src/digests/posting/run-digest.ts';
import { readDigest } from '../../../src/digests/stored-digests.ts';
import type { Death } from '../../digests/dying-process.ts';
import { type DigestScene, startDigestScene, SIX } from '../../digests/digest-scene.ts';
import type { Order } from './digest-process.ts';

/** `SOAK_SEEDS=5` plays five seeds, and `SOAK_SEED=17` plays seed 17 again. */
const only = process.env['SOAK_SEED'];
const seeds =
  only === undefined
    ? Array.from({ length: Number(process.env['SOAK_SEEDS'] ?? 100) }, (_, at) => at + 1)
    : [Number(only)];

/** Where a process dies. */
const points: Record<string, Death | 'half a request' | 'SIGTERM'> = {
  'before the claim': { step: 'takeLease', when: 'before' },
  'after the claim': { step: 'takeLease', when: 'after' },
  'after the read-back': { step: 'readBack', when: 'after' },
  'with half the request sent': 'half a request',
  'with the message created and unanswered': { step: 'sendMessage', when: 'after' },
  'answered and unrecorded': { step: 'releaseLease', when: 'before' },
  recorded: { step: 'releaseLease', when: 'after' },
  'in catch-up': { step: 'sendMessage', when: 'after' },
  'at SIGTERM': 'SIGTERM',
};

const long = Array.from({ length: 25 }, (_, at) => `${at} ${'long title '.repeat(12)}`);
const posted = ['Daily digest · Wednesday, March 10'];
const messages = /^\/channels\/[^/]+\/messages$/;

let scene: DigestScene;
const processes = new Set<ChildProcess>();
/** Processes are started ahead of time, because a start takes longer than a death. */
const spare: Promise<ChildProcess>[] = [];

beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(async () => {
  for (const each of processes) each.kill('SIGKILL');
  await Promise.allSettled(spare);
  await scene.stop();
});

async function startProcess(): Promise<ChildProcess> {
  const file = new URL('digest-process.ts', import.meta.url);
  const reader = new URL('../../../bin/read-typescript.js', import.meta.url).href;
  const started = fork(file, { execArgv: ['--import', reader] });
  processes.add(started);
  started.once('exit', () => processes.delete(started));
  const { token, apiBase } = scene.sandbox;
  const redisUrl = scene.redis.url;
  await told(started, { do: 'start', token, apiBase, redisUrl, offsetMs: offset() });
  return started;
}

async function takeProcess(): Promise<ChildProcess> {
  while (spare.length < 3) spare.push(startProcess());
  const taken = await spare.shift()!;
  await told(taken, { do: 'clock', offsetMs: offset() });
  return taken;
}

const offset = () => scene.clock.now() - Date.now();

/** Resolves when the process has carried out the order, or has exited. */
async function told(child: ChildProcess, order: Order): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const listening = new AbortController();
  const { signal } = listening;
  const heard = ['message', 'exit'].map((event) => once(child, event, { signal }));
  child.send(order);
  await Promise.race(heard);
  listening.abort();
  await Promise.allSettled(heard);
}

/** Plays one seed. Returns the headlines in the channel at the end, and the slot recorded as posted. */
async function play(name: string, count: number, seed: number) {
  const random = seededRandom(seed);
  await scene.clear();
  await scene.setUp('daily', { count: 25 });
  await scene.postArticles(long);
  const lateMs = name === 'in catch-up' ? (1 + random.below(11)) * HOUR_MS : random.below(60_000);
  scene.goTo(SIX + lateMs);
  const [victim, ...others] = await Promise.all(Array.from({ length: count }, takeProcess));
  const repair = trouble(random);
  const doom = points[name]!;
  const dying = told(victim!, doom === 'SIGTERM' ? { do: 'tick' } : { do: 'tick', death: doom });
  // Half of the time the other processes run the same tick, a little later.
  const contending = random.below(2) === 0 ? others : [];
  const contest = contending.map(async (other) => {
    await new Promise((resolve) => setTimeout(resolve, random.below(60)));
    await told(other, { do: 'tick' });
  });
  if (doom === 'SIGTERM') {
    await new Promise((resolve) => setTimeout(resolve, random.below(250)));
    victim!.kill('SIGTERM');
    await scene.eventually(
      () => processes.has(victim!),
      (isThere) => !isThere,
      'ended',
    );
  }
  await Promise.all([dying, ...contest]);
  victim!.kill('SIGKILL'); // It is still alive if another process took the posting.
  await repair();
  // A host would start the bot again.
  const living = others.length > 0 ? others : [await takeProcess()];
  for (let round = 0; round <= 7; round += 1) {
    await Promise.all(living.map((each) => told(each, { do: 'tick' })));
    scene.clock.move(CLAIM_MS / 3);
    await Promise.all(living.map((each) => told(each, { do: 'clock', offsetMs: offset() })));
  }
  // The next seed uses these processes.
  spare.push(...living.map((each) => Promise.resolve(each)));
  const headlines = scene.headlines();
  const { run } = (await readDigest(scene.context.store, scene.guild, 'daily'))!;
  return { headlines, slot: run.lastSlotMs };
}

/** Sometimes makes the network or Redis fail. Returns a function that ends the failure. */
function trouble(random: Random): () => Promise<void> {
  const { faults } = scene.sandbox;
  const kinds = [{ cut: true }, { cut: true, afterTheWork: true }, { status: 500 }];
  switch (random.below(4)) {
    case 0: {
      const kind = [...kinds, { status: 502, afterTheWork: true }][random.below(4)];
      faults.add({ ...kind, route: messages, after: random.below(3), times: 1 + random.below(6) });
      break;
    }
    case 1: {
      const pause = setTimeout(() => {
        scene.redis.pause();
        setTimeout(() => scene.redis.resume(), 100 + random.below(2000));
      }, random.below(200));
      return async () => {
        clearTimeout(pause);
        scene.redis.resume();
      };
    }
    default:
  }
  return async () => faults.clear();
}

describe.each(Object.keys(points))('a process killed %s', (name) => {
  test.each([1, 2, 3])('among %i leaves each page once, with every seed', async (count) => {
    for (const seed of seeds) {
      const left = await play(name, count, seed);
      expect({ seed, ...left }).toEqual({ seed, headlines: posted, slot: SIX });
    }
  });
});

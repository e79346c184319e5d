import { setImmediate as nextTurn } from 'node:timers/promises';
import { DiscordAPIError, MessageFlags } from 'discord.js';
import type { ChainableCommander, Redis } from 'ioredis';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { openTurns } from '../../../src/runtime/turns.ts';
import {
  type DigestContext,
  openDigestContext,
} from '../../../src/digests/posting/posting-context.ts';
import { type Channel, compareIds, type Message } from '../../../discord-box/src/index.ts';
import { ApiError, refuse } from '../../../discord-box/src/rest/errors.ts';
import { applyEdit, readDraft, sendMessage } from '../../../discord-box/src/rest/send.ts';
import type { DigestScene } from '../digest-scene.ts';
import { openDueDigests } from '../due-digests.ts';

/**
 * The real functions that post what is due, in three processes, under a schedule that decides what
 * happens at each of their steps: a step is a write into Redis or a request to Discord. Redis is a
 * server, and Discord is the box. Only time, the way of a request, and deaths are simulated. A schedule
 * that is played again does the same again.
 */

/**
 * A pause is longer than a lease, than Discord's memory of a nonce, or than both together and the minute
 * until the next process looks.
 */
export const PAUSES_MS = { 'a moment': 150, 'a lease': 150_000, 'a nonce': 190_000, both: 350_000 };
type Pause = keyof typeof PAUSES_MS;
/** How long a request is on its way whose sender gave up. */
const LATE_MS = { 'a little': 40_000, 'past the lease': 150_000, 'past the nonce': 250_000 };
type Lateness = keyof typeof LATE_MS;

export type Fate =
  /** Nothing goes wrong, but the next draft is another. */
  | 'the guild changes'
  | 'it dies before'
  | 'it dies after'
  | 'the request is lost'
  /** Nothing is done, and who asks hears so at once. */
  | 'it fails at once'
  | 'the answer is lost'
  | 'it is sent twice'
  /** Discord reads from a copy that does not have the newest messages yet. */
  | 'the answer is old'
  /** A replica takes over that does not have the last second: what was written from this step on is gone. */
  | 'Redis is set back'
  | `it pauses ${Pause} before`
  | `it pauses ${Pause} after`
  | `it arrives late, ${Lateness}`
  | `it dies, and it arrives late, ${Lateness}`;

const pauses = Object.keys(PAUSES_MS) as Pause[];
const lateness = Object.keys(LATE_MS) as Lateness[];
export const FATES: readonly Fate[] = [
  'the guild changes',
  'it dies before',
  'it dies after',
  'the request is lost',
  'the answer is lost',
  'it is sent twice',
  'the answer is old',
  'it fails at once',
  ...pauses.map((pause): Fate => `it pauses ${pause} before`),
  ...pauses.map((pause): Fate => `it pauses ${pause} after`),
  ...lateness.map((late): Fate => `it arrives late, ${late}`),
  ...lateness.map((late): Fate => `it dies, and it arrives late, ${late}`),
];

export type Schedule = {
  /** How many processes run the bot. */
  processes: number;
  /** By the number of a step, counted over all processes, what happens at it. Other steps go well. */
  fates: ReadonlyMap<number, Fate>;
};

/** What is so in the whole play, whatever its schedule. */
export type Circumstances = {
  /** Where it is posted. */
  channel: Channel;
  /** How far the clocks of the processes are ahead of Discord's (ms), in their order. */
  aheadMs: readonly number[];
  /** Called at each step that does not go well, so that the guild is not the same after it. */
  changed: () => Promise<void>;
  isOver: () => Promise<boolean>;
};

/** What a process does at a step. */
export type Kind = 'writes' | 'looks' | 'sends' | 'edits' | 'publishes';

/** A step that was taken. */
export type Taken = {
  kind: Kind;
  /** As a person reads it. */
  line: string;
};

/** What a schedule led to. */
export type Outcome = {
  trace: Taken[];
  /** How long it took until all was recorded and nothing was on its way (ms). */
  tookMs: number;
  /** The steps that were taken. */
  steps: number;
  messages: Message[];
  /** What they said at first, and when the process that sent each began to. */
  sent: { content: string; begunAtMs: number }[];
  /** How often Discord was asked to publish one of them to followers, and did. */
  published: number;
  /** The longest time from when a process began to send until Discord had it (ms). */
  longestWayMs: number;
  /** The same of an edit. */
  longestEditMs: number;
};

/** How Discord's own time passes until a request arrives, and as long again until its answer does. */
const WAY_MS = { redis: 1, discord: 40 };
/** After this time, a process that has heard nothing gives up. */
const PATIENCE_MS = { redis: 1500, discord: 20_000 };
const RESTART_MS = 20_000;
/** In real time. Long enough for a busy machine to do what is no step. */
const STILL_BUSY_MS = 30_000;
/** Long enough for three pauses of the longest kind, and for what is tried again after them. */
const LONGEST_MS = 40 * MINUTE_MS;
/** Less than a replica that takes over may be behind. */
const SET_BACK_MS = 900;
/** How far Discord's copy is behind. */
const OLD_MS = 5_000;

/** The writes of the protocol. Other commands of Redis are no steps, because they change nothing. */
const STEPS = new Set<string | symbol>([
  'takeLease',
  'holdLease',
  'releaseLease',
  'takeDue',
  'holdDue',
  'endDue',
  'hsetnx',
  'zadd',
  'set',
]);

type Act = () => void | Promise<void>;

export async function play(
  scene: DigestScene,
  { processes, fates }: Schedule,
  { channel, aheadMs, changed, isOver }: Circumstances,
): Promise<Outcome> {
  const begunMs = scene.clock.now();
  const trace: Taken[] = [];
  const events: { atMs: number; order: number; isTick: boolean; act: Act }[] = [];
  let now = begunMs;
  let order = 0;
  let steps = 0;
  /** Work of the processes that is no step: reads. */
  const reads = new Set<{ what: string }>();
  let longestWayMs = 0;
  let longestEditMs = 0;
  let published = 0;
  const sent = new Map<string, Outcome['sent'][number]>();

  function at(delayMs: number, act: Act, isTick = false): void {
    order += 1;
    events.push({ atMs: now + delayMs, order, isTick, act });
  }

  async function track<T>(what: string, act: () => Promise<T>): Promise<T> {
    const read = { what };
    reads.add(read);
    try {
      return await act();
    } finally {
      reads.delete(read);
    }
  }

  /** What each living process is at: a run that waits for none of its steps takes turns by itself. */
  const alive = new Set<{ isRunning: boolean; waiting: number }>();
  const isBusy = () =>
    reads.size > 0 || [...alive].some(({ isRunning, waiting }) => isRunning && waiting === 0);

  /** Resolves when every process waits for a step or is done. */
  async function settled(): Promise<void> {
    const sinceMs = performance.now();
    // After it is quiet, what was read last is taken in.
    for (let quiet = 0; quiet < 2; quiet = isBusy() ? 0 : quiet + 1) {
      await nextTurn();
      if (performance.now() - sinceMs > STILL_BUSY_MS) {
        const waits = JSON.stringify([...reads, ...alive]);
        throw new Error(`What is no step does not end: ${waits}\n${linesOf(trace)}`);
      }
    }
  }

  async function publish(id: string): Promise<void> {
    const message = channel.messages.get(id)!;
    if ((message.flags & MessageFlags.Crossposted) !== 0) throw refuse('alreadyCrossposted');
    message.flags |= MessageFlags.Crossposted;
    published += 1;
  }

  function startProcess(each: number, isAgain: boolean): void {
    const name = 'ABC'[each]!;
    const clock = { now: () => now + (aheadMs[each] ?? 0) };
    const state = { isRunning: false, waiting: 0 };
    alive.add(state);
    const isAlive = () => alive.has(state);

    function die(): void {
      alive.delete(state);
      at(RESTART_MS, () => startProcess(each, true));
    }

    const hear = (settle: () => void) => () => {
      if (isAlive()) settle();
    };

    /** Takes a step by the schedule. The promise never settles in a process that died. */
    function step<T>(kind: Kind, act: () => Promise<T>, written = ''): Promise<T> {
      if (!isAlive()) return new Promise(() => {});
      const fate = fates.get(steps);
      const of = kind === 'writes' ? 'redis' : 'discord';
      const what = `${kind} ${written}`.trim();
      const line = `${steps}. ${name} ${what}${fate === undefined ? '' : `: ${fate}`}`;
      trace.push({ kind, line });
      steps += 1;
      if (fate !== undefined && fate !== 'Redis is set back') {
        at(0, () => {
          scene.goTo(now);
          return changed();
        });
      }
      state.waiting += 1;
      return new Promise<T>((settle, fail) => {
        const resolve = (value: T) => {
          state.waiting -= 1;
          settle(value);
        };
        const reject = (error: unknown) => {
          state.waiting -= 1;
          fail(error);
        };
        const wayMs = WAY_MS[of];
        const lost = () => reject(new Error(`${what}: timed out`));
        const arrive = (delayMs: number, then: (settle: () => void) => void) => {
          at(delayMs, async () => {
            scene.goTo(now);
            const answered = act().then(
              (value) => () => resolve(value),
              (error: unknown) => () => reject(asReceived(error)),
            );
            then(await answered);
          });
        };
        const answer = (delayMs: number) => (settle: () => void) => at(delayMs, hear(settle));
        const pausedMs = PAUSES_MS[pauses.find((one) => fate?.includes(` ${one} `)) ?? 'a moment'];
        const lateMs = LATE_MS[lateness.find((one) => fate?.endsWith(one)) ?? 'a little'];
        if (fate === 'it dies before') return die();
        if (fate === 'it dies after') {
          return arrive(wayMs, () => {
            if (isAlive()) die();
          });
        }
        if (fate === 'Redis is set back') {
          return at(0, async () => {
            const before = await contentsOf(scene.redis.redis);
            arrive(wayMs, answer(wayMs));
            at(SET_BACK_MS, () => putBack(scene.redis.redis, before));
          });
        }
        if (fate === 'it fails at once') {
          return at(
            2 * wayMs,
            hear(() => reject(new Error(`${what}: failed`))),
          );
        }
        if (fate === 'the request is lost') return at(PATIENCE_MS[of], hear(lost));
        if (fate === 'the answer is lost') {
          return arrive(wayMs, () => at(PATIENCE_MS[of], hear(lost)));
        }
        if (fate === 'it is sent twice') {
          return arrive(wayMs, () => arrive(1000, answer(wayMs)));
        }
        if (fate?.includes('it arrives late')) {
          if (fate.startsWith('it dies')) die();
          else at(PATIENCE_MS[of], hear(lost));
          return arrive(lateMs, () => {});
        }
        if (fate?.endsWith('before')) return arrive(pausedMs + wayMs, answer(wayMs));
        if (fate?.endsWith('after')) return arrive(wayMs, answer(pausedMs + wayMs));
        return arrive(wayMs, answer(wayMs));
      });
    }

    /** What became of an article is noted in one; it is no step, since no edition follows from it. */
    function begun(transaction: ChainableCommander): ChainableCommander {
      const exec = transaction.exec.bind(transaction);
      transaction.exec = () => (isAlive() ? track('exec', exec) : new Promise(() => {}));
      return transaction;
    }

    function tapped(redis: Redis): Redis {
      return new Proxy(redis, {
        get(target, command) {
          const member: unknown = Reflect.get(target, command);
          if (typeof member !== 'function' || command === 'defineCommand') return member;
          if (String(command).endsWith('Stream')) return member.bind(target);
          if (command === 'multi') return () => begun(target.multi());
          return async (...args: unknown[]) => {
            if (!isAlive()) return new Promise(() => {});
            const act = async () => member.apply(target, args) as Promise<unknown>;
            if (!STEPS.has(command)) return track(String(command), act);
            return step('writes', act, `${String(command)} ${shown(args)}`);
          };
        },
      });
    }

    const { world } = scene.sandbox;
    const { bot } = scene;
    const rest = {
      get: (_: string, { query }: { query: URLSearchParams }) => {
        // The step's fate is decided when it is taken, and its copy is as old when it is answered.
        const isOld = fates.get(steps) === 'the answer is old';
        return step('looks', async () => {
          const since = query.get('after')!;
          const untilId = world.snowflake(now - (isOld ? OLD_MS : -1));
          return channel.messageIds
            .filter((id) => compareIds(id, since) > 0 && compareIds(id, untilId) < 0)
            .slice(0, Number(query.get('limit')))
            .toReversed()
            .flatMap((id) => channel.messages.get(id) ?? [])
            .map(asAnswered);
        });
      },
      post: (route: string, { body = {} }: { body?: Record<string, unknown> } = {}) => {
        const [, published] = /\/(\d+)\/crosspost$/.exec(route) ?? [];
        if (published !== undefined) return step('publishes', () => publish(published));
        const begunAtMs = now;
        return step('sends', async () => {
          longestWayMs = Math.max(longestWayMs, now - begunAtMs);
          const message = sendMessage(world, channel, readDraft(body, []));
          // A message that Discord has already is not made again.
          const said = message.content + JSON.stringify(message.embeds);
          if (!sent.has(message.id)) sent.set(message.id, { content: said, begunAtMs });
          return asAnswered(message);
        });
      },
      patch: (route: string, { body }: { body: Record<string, unknown> }) => {
        const message = channel.messages.get(route.split('/').at(-1) ?? '')!;
        const begunAtMs = now;
        return step('edits', async () => {
          longestEditMs = Math.max(longestEditMs, now - begunAtMs);
          applyEdit(world, channel, message, readDraft(body, [], message));
        });
      },
    };
    const requests = new Proxy(bot.requests, {
      get(target, name) {
        if (name === 'digestTurn') return async () => {};
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => track(String(name), async () => member.apply(target, args));
      },
    });
    const context: DigestContext = openDigestContext({
      ...bot,
      client: Object.create(bot.client, { rest: { value: rest } }),
      requests,
      store: { ...bot.store, redis: tapped(bot.store.redis) },
      // A process that died in its turn would keep the others waiting.
      ranking: { ...bot.ranking, redis: tapped(bot.ranking.redis), turns: openTurns() },
      clock,
      deployedCommands: async () => [],
      editionAddress: undefined,
    });

    const due = openDueDigests(context);
    async function run(work: Promise<unknown>, goOn: () => void): Promise<void> {
      state.isRunning = true;
      // What fails is tried again by the next tick.
      await Promise.allSettled([work]);
      state.isRunning = false;
      goOn();
    }
    function tick(): void {
      if (!isAlive()) return;
      void run(due.look(), () => at(MINUTE_MS, tick, true));
    }
    if (isAgain) void run(due.arrive(scene.guild), tick);
    else tick();
  }

  for (let each = 0; each < processes; each += 1) {
    at(each, () => startProcess(each, false));
  }
  while (events.length > 0 && now - begunMs < LONGEST_MS) {
    events.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
    const event = events.shift()!;
    now = event.atMs;
    await event.act();
    await settled();
    const isQuiet = events.every(({ isTick }) => isTick);
    if (isQuiet && (await isOver())) break;
  }
  const { botId } = scene.sandbox.world.application;
  const messages = channel.messageIds
    .flatMap((id) => channel.messages.get(id) ?? [])
    .filter(({ authorId }) => authorId === botId);
  return {
    trace,
    tookMs: now - begunMs,
    steps,
    messages,
    sent: [...sent.values()],
    published,
    longestWayMs,
    longestEditMs,
  };
}

/** A message of the box, in the form in which Discord answers with it. */
function asAnswered({
  id,
  channelId,
  authorId,
  content,
  embeds,
}: Message): Record<string, unknown> {
  return { id, channel_id: channelId, author: { id: authorId }, type: 0, content, embeds };
}

/** A refusal of the box, as the bot's client throws it. */
function asReceived(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, message, status } = error;
  return new DiscordAPIError({ code, message }, code, status, 'POST', '', {});
}

type Contents = { key: string; dump: Buffer }[];

async function contentsOf(redis: Redis): Promise<Contents> {
  const keys = await redis.keys('*');
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return keys.flatMap((key, at) => {
    const dump = dumps[at];
    return dump ? [{ key, dump }] : [];
  });
}

async function putBack(redis: Redis, contents: Contents): Promise<void> {
  await redis.flushall();
  await Promise.all(contents.map(({ key, dump }) => redis.restore(key, 0, dump, 'REPLACE')));
}

function shown(args: unknown[]): string {
  return args
    .map((one) => String(one).replace(/^frontpage:\d+:(?:\{\d+\}:)?/, ''))
    .map((one) => (one.length > 24 ? `${one.slice(0, 24)}…` : one))
    .join(' ');
}

/** What was done, a line a step. */
export function linesOf(trace: readonly Taken[]): string {
  return trace.map(({ line }) => line).join('\n');
}

import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/tour/sandbox.ts';
import type { Clock } from '../src/clock.ts';
import type { RunningApp } from '../src/app.ts';
import { startApp } from '../src/start.ts';
import type { PublicAddresses } from '../src/web/public-addresses.ts';
import { createLog } from '../src/log.ts';
import { storeKeys } from '../src/redis/keys.ts';
import { connectRedis } from '../src/redis/connection.ts';
import { type Article, readArticle } from '../src/ranking/articles/articles.ts';
import { readVoter } from '../src/ranking/ballots/voters.ts';
import { startTestRedis, type TestRedis } from './private-redis.ts';

/** A Discord in a box, a Redis of its own and the bot on both, in this process. */
export type Scene = {
  sandbox: Sandbox;
  redis: TestRedis;
  bot: RunningApp;
  /** One clock for all; tests move it. */
  clock: Clock & { move(ms: number): void };
  restartBot(): Promise<void>;
  /** A second process with the same token is `bot` from now on; the first goes on until it is stopped. */
  joinBot(): Promise<void>;
  article(id: string): Promise<Article | null>;
  /** Posts in #general unless said otherwise. Resolves when it can be voted on. */
  post(
    member: string,
    given?: { channel?: string; link?: string; title?: string },
  ): Promise<string>;
  /** Reacts, and resolves when the vote is in Redis. */
  vote(member: string, article: string, emoji?: '👍' | '👎'): Promise<void>;
  /** Its up and down votes. */
  tally(article: string): Promise<[up: number, down: number] | null>;
  /** Asks again and again until the answer holds, and resolves with it. */
  eventually<T>(
    ask: () => T | Promise<T>,
    holds: (value: T) => boolean,
    what: string,
    deadlineMs?: number,
  ): Promise<T>;
  stop(): Promise<void>;
};

const log = createLog(process.env['TEST_LOG_LEVEL'] ?? 'silent');

export async function startScene(
  options: SandboxOptions & { addresses?: PublicAddresses } = {},
): Promise<Scene> {
  let offsetMs = 0;
  const clock = {
    now: () => Date.now() + offsetMs,
    move: (ms: number) => {
      offsetMs += ms;
    },
  };
  const [redis, sandbox] = await Promise.all([
    startTestRedis(),
    startSandbox({ rateLimits: false, ...options, clock }),
  ]);
  // No lifecycle runs here that would find the guild whole.
  const { born } = storeKeys(sandbox.applicationId, sandbox.guildId);
  await redis.redis.set(born, clock.now());
  const connections: { disconnect(): void }[] = [];
  const start = async (): Promise<RunningApp> => {
    const connection = connectRedis(redis.url, { log, name: 'bot' });
    connections.push(connection);
    const { token, apiBase } = sandbox;
    const messageContent = options.privileged?.messageContent ?? false;
    const { addresses = null } = options;
    return startApp({ token, apiBase, redis: connection, clock, log, messageContent, addresses });
  };
  let posted = 0;
  const messageOf = (id: string) =>
    [...sandbox.world.channels.values()].map(({ messages }) => messages.get(id)).find(Boolean);
  const scene: Scene = {
    sandbox,
    redis,
    clock,
    bot: await start(),
    async restartBot() {
      await scene.bot.stop();
      scene.bot = await start();
    },
    async joinBot() {
      scene.bot = await start();
    },
    article: (id) => readArticle(scene.bot.app.ranking, sandbox.guildId, id),
    async post(member, { channel = sandbox.channels.general.id, ...given } = {}) {
      posted += 1;
      const options = { link: `https://posted.example/${posted}`, ...given };
      const { message } = await sandbox.as(member).command(channel, 'post', options);
      const id = message?.id ?? '';
      await eventually(() => scene.article(id), Boolean, 'in the ranking');
      const reactions = () => messageOf(id)?.reactions.size;
      await eventually(reactions, (count) => count === 2, 'ready for votes');
      return id;
    },
    async vote(member, article, emoji = '👍') {
      sandbox.as(member).react(messageOf(article)?.channelId ?? '', article, emoji);
      const direction = emoji === '👍' ? 'up' : 'down';
      await eventually(
        () => readVoter(scene.bot.app.ranking, sandbox.guildId, article, member),
        (found) => found?.vote === direction,
        `voting ${direction}`,
      );
    },
    async tally(id) {
      const found = await scene.article(id);
      return found && [found.up, found.down];
    },
    eventually,
    async stop() {
      await scene.bot.stop();
      for (const connection of connections) connection.disconnect();
      await Promise.all([redis.stop(), sandbox.stop()]);
    },
  };
  return scene;
}

/** For a bot that recounts: long enough for what begins together, and no longer. */
export const quickPace = { settleMs: 200, firstRetryMs: 500 };

/** For `expect.poll`: until it holds, or the deadline. */
export const patience = { timeout: 30_000, interval: 10 };

async function eventually<T>(
  ask: () => T | Promise<T>,
  holds: (value: T) => boolean,
  what: string,
  deadlineMs = patience.timeout,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(`Still not ${what}: ${JSON.stringify(value)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, patience.interval));
  }
}

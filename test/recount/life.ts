import type { SandboxOptions } from '../../sandbox/tour/sandbox.ts';
import type { RunningApp } from '../../src/app.ts';
import { followRecounts, type Recounts } from '../../src/recount/scheduler.ts';
import { type Lifecycle, openLifecycle } from '../../src/guilds/lifecycle.ts';
import { readRebuildStates } from '../../src/records/history/rebuilds.ts';
import { guildTag } from '../../src/redis/keys.ts';
import { listArticles, ORDERS } from '../../src/ranking/lists/ranked.ts';
import { quickPace, type Scene, startScene } from '../fixtures/scene.ts';

/** A scene whose bot lives through everything: it recounts, rebuilds, and follows its guilds. */
export type Life = Scene & {
  lifecycle: Lifecycle;
  recounts: Recounts;
  /** What the bot does once a minute. */
  minute(): Promise<void>;
  /** Waits until the ranking of the guild is whole. */
  whole(): Promise<void>;
  /** All that the ranking says of the guild, key by key. */
  dump(): Promise<Record<string, unknown>>;
  /** The ids on the first pages of every list. */
  pages(groups: readonly string[]): Promise<Record<string, string[]>>;
  restart(): Promise<void>;
  /** Whatever was told to the bot before this has been taken in, and what followed from it. */
  settled(): Promise<void>;
};

export async function startLife(options: SandboxOptions = {}): Promise<Life> {
  const scene = await startScene(options);
  const { sandbox } = scene;
  const guild = sandbox.guildId;
  const held = new Set<Promise<unknown>>();
  const living = (bot: RunningApp) => {
    const hold = (work: Promise<unknown>) => {
      held.add(work);
      void work.finally(() => held.delete(work)).catch(() => {});
      bot.hold(work);
    };
    const running = { ...bot, hold };
    const recounts = followRecounts(running, quickPace);
    return {
      recounts,
      lifecycle: openLifecycle(running, {
        recount: (id) => recounts.soon(id),
        refresh: async () => {},
      }),
    };
  };
  const life: Life = Object.assign(scene, living(scene.bot), {
    async minute() {
      await life.recounts.tick();
      life.lifecycle.tick();
    },
    async whole() {
      await scene.eventually(
        () => readRebuildStates(scene.bot.app.store, [guild]),
        ([state]) => state?.born === true && !state.begun,
        'whole',
      );
    },
    dump: () => dumpOf(scene, guild),
    async pages(groups: readonly string[]) {
      const { ranking } = scene.bot.app;
      const found: Record<string, string[]> = {};
      for (const group of [undefined, ...groups]) {
        for (const order of ORDERS) {
          const list = { guild, order, page: 1, pageSize: 100, ...(group ? { group } : {}) };
          const { articles } = await listArticles(ranking, list);
          found[`${order} ${group ?? 'all'}`] = articles.map(({ id }) => id);
        }
      }
      return found;
    },
    async settled() {
      if (
        sandbox.guild.members.has(sandbox.world.application.botId) &&
        !sandbox.guild.unavailable
      ) {
        await heard(scene);
      }
      while (held.size > 0) await Promise.allSettled(held);
    },
    async restart() {
      await scene.restartBot();
      Object.assign(life, living(scene.bot));
    },
  });
  await life.whole();
  return life;
}

/** The gateway tells in order: what was told before this message has been told. */
async function heard({ sandbox, bot }: Scene): Promise<void> {
  const { ws } = bot.app.client;
  await new Promise<void>((resolve) => {
    const hear = ({ content }: { content: string }) => {
      if (content !== '') return;
      ws.off('MESSAGE_CREATE', hear);
      resolve();
    };
    ws.on('MESSAGE_CREATE' as never, hear);
    sandbox.as(sandbox.admin).send(sandbox.channels.rust.id, 'Hear, hear.');
  });
}

/** What is no part of the ranking, or is derived when it is wanted. */
const besides =
  /:(born|rebuild|unread|channels|lease:.*|refreshed|scanned|front|filling|loudness|offsets|listed|postings|limit:.*)$/;

async function dumpOf({ redis: { redis }, sandbox }: Scene, guild: string) {
  const tag = guildTag(sandbox.applicationId, guild);
  const keys = (await redis.keys('*')).filter((key) => key.startsWith(tag) && !besides.test(key));
  const dump: Record<string, unknown> = {};
  for (const key of keys.sort()) {
    const name = key.slice(tag.length);
    const type = await redis.type(key);
    if (type === 'zset') dump[name] = await redis.zrange(key, '0', '-1', 'WITHSCORES');
    else if (type === 'set') dump[name] = (await redis.smembers(key)).sort();
    else {
      const { version: _, ...rows } = await redis.hgetall(key);
      dump[name] = rows;
    }
  }
  return dump;
}

import type { APIMessage } from 'discord.js';
import { attend } from '../../src/digest/attend.ts';
import { attentionAtMs } from '../../src/digest/period.ts';
import { openPress, type Press } from '../../src/digest/press.ts';
import { runDueDigests } from '../../src/digest/tick.ts';
import { readEdition, saveEdition } from '../../src/store/digests.ts';
import { setDue } from '../../src/store/due.ts';
import { type Edition, NO_RUN, zEdition } from '../../src/store/edition.ts';
import { postArticle } from '../../src/voting/articles.ts';
import { type Scene, startScene } from '../discord/scene.ts';

/** A scene with a digest to be posted. Its day begins at noon of a fixed date, in UTC. */
export type Stage = Scene & {
  guild: string;
  channel: string;
  press: Press;
  /** Moves everybody's clock to an instant, which may be in the past. */
  goTo(atMs: number): void;
  /** No editions, no articles, no messages, no faults. */
  clear(): Promise<void>;
  /** Sets an edition up as `/digest set` does. */
  setUp(name: string, settings: Partial<Edition>): Promise<void>;
  /** Puts articles into the ranking, each a minute older than the one before; the first has most votes. */
  postArticles(titles: string[], newestMs?: number): Promise<string[]>;
  tick(press?: Press): Promise<void>;
  attend(name?: string, press?: Press): ReturnType<typeof attend>;
  /** What stands in the digest's channel, oldest first. */
  posted(): APIMessage[];
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const NOON = Date.UTC(2027, 2, 10, 12);

export async function startStage(): Promise<Stage> {
  const scene = await startScene();
  const { sandbox, clock, redis } = scene;
  const guild = sandbox.guildId;
  const { general } = sandbox.channels;
  const channel = sandbox.channels.rust;
  const stage: Stage = {
    ...scene,
    guild,
    channel: channel.id,
    press: openPress(scene.bot.bot),
    goTo: (atMs) => clock.move(atMs - clock.now()),
    async clear() {
      await redis.flush();
      for (const each of sandbox.world.channels.values()) {
        each.messages.clear();
        each.messageIds.length = 0;
      }
      sandbox.faults.clear();
      sandbox.requests.reset();
      stage.goTo(NOON);
    },
    async setUp(name, settings) {
      const now = clock.now();
      const edition = zEdition.parse({
        channel: channel.id,
        schedule: { every: 'day', time: '18:00', zone: 'UTC' },
        slotsFromMs: now,
        savedAtMs: now,
        createdAtMs: now,
        ...settings,
      });
      const { store } = stage.press;
      await saveEdition(store, guild, name, edition);
      const run = (await readEdition(store, guild, name))?.run ?? NO_RUN;
      await setDue(store, guild, name, attentionAtMs(edition, run));
    },
    async postArticles(titles, newestMs = clock.now() - MINUTE_MS) {
      const ids: string[] = [];
      for (const [at, title] of titles.entries()) {
        const id = sandbox.world.snowflake(newestMs - at * MINUTE_MS);
        await postArticle(stage.press.ranking, {
          guild,
          id,
          title,
          link: `https://example.com/${id}`,
          canonical: `https://example.com/${id}`,
          poster: sandbox.members[0] ?? '',
          channel: general.id,
          home: general.id,
          listed: true,
          tally: { up: titles.length - at, down: 0, closed: false },
        });
        ids.push(id);
      }
      return ids;
    },
    tick: (press = stage.press) => runDueDigests(press),
    attend: (name = 'daily', press = stage.press) => attend(press, guild, name),
    posted: () => sandbox.as(sandbox.admin).messages(channel.id, 500),
  };
  await stage.clear();
  return stage;
}

import type { APIMessage } from 'discord.js';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import type { EditionOutcome } from '../../src/digests/posting/end-edition.ts';
import { runDigest } from '../../src/digests/posting/run-digest.ts';
import { nextLookAtMs } from '../../src/digests/schedule/due.ts';
import {
  openDigestContext,
  type DigestContext,
} from '../../src/digests/posting/posting-context.ts';
import { planDigest, runDueDigests } from './due-digests.ts';
import { readDigest, saveDigest } from '../../src/digests/stored-digests.ts';
import { type Digest, NO_RUN, zDigest } from '../../src/digests/digest-settings.ts';
import { firstLineOf } from '../../src/digests/content/edition-message.ts';
import { listedTitles } from '../fixtures/listed-titles.ts';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { NOON } from '../fixtures/test-clock.ts';

/** A scene with a digest to be posted. Its day begins at noon, in UTC. */
export type DigestScene = Scene & {
  guild: string;
  channel: string;
  context: DigestContext;
  /** Moves everybody's clock to an instant, which may be in the past. */
  goTo(atMs: number): void;
  /** No digests, no articles, no messages, no faults. */
  clear(): Promise<void>;
  /** Sets a digest up as `/digest set` does. */
  setUp(name: string, settings: Partial<Digest>): Promise<void>;
  /** Puts articles into the ranking, each a minute older than the one before; the first has most votes. */
  postArticles(titles: string[], newestMs?: number, leastUp?: number): Promise<string[]>;
  /** Allows or denies the bot something in the digest's channel, and waits until it knows. */
  permit(permission: bigint, allowed: boolean): Promise<void>;
  tick(context?: DigestContext): Promise<void>;
  /** Posts what is due of a digest, and returns what became of it. */
  runDigest(name?: string, context?: DigestContext): Promise<EditionOutcome>;
  /** The messages in the digest's channel, oldest first. */
  posted(): APIMessage[];
  /** The headlines of these messages. */
  headlines(): string[];
  /** The titles of each, in their order. */
  titles(): string[][];
};

/** The title of the best article, then the titles of the list. */
export function titlesOf(message: Pick<APIMessage, 'embeds'>): string[] {
  const best = message.embeds.slice(0, 1).flatMap(({ title }) => title ?? []);
  return [...best, ...listedTitles({ message }).map((title) => title.replace(/^\d+\. /, ''))];
}

export const SIX = NOON + 6 * HOUR_MS;

export async function startDigestScene(
  options: Parameters<typeof startScene>[0] = {},
): Promise<DigestScene> {
  const plain = await startScene(options);
  const { sandbox, clock, redis } = plain;
  const guild = sandbox.guildId;
  const { general } = sandbox.channels;
  const channel = sandbox.channels.rust;
  const scene: DigestScene = {
    ...plain,
    guild,
    channel: channel.id,
    context: openDigestContext(plain.bot),
    goTo: (atMs) => clock.move(atMs - clock.now()),
    async clear() {
      await redis.flush();
      await redis.redis.set(storeKeys(scene.context.store, guild).complete, NOON);
      for (const each of sandbox.world.channels.values()) {
        each.messages.clear();
        each.messageIds.length = 0;
      }
      sandbox.faults.clear();
      sandbox.requests.reset();
      scene.goTo(NOON);
    },
    async setUp(name, settings) {
      const now = clock.now();
      const digest = zDigest.parse({
        channel: channel.id,
        schedule: { every: 'day', time: '18:00', zone: 'UTC' },
        slotsFromMs: now,
        savedAtMs: now,
        ...settings,
      });
      const { store } = scene.context;
      await saveDigest(store, guild, name, digest);
      const run = (await readDigest(store, guild, name))?.run ?? NO_RUN;
      await planDigest(store, guild, name, nextLookAtMs(digest, run));
    },
    async postArticles(titles, newestMs = clock.now() - MINUTE_MS, leastUp = 2) {
      const ids: string[] = [];
      for (const [at, title] of titles.entries()) {
        const id = sandbox.world.snowflake(newestMs - at * MINUTE_MS);
        await postArticle(scene.context.ranking, {
          guild,
          id,
          title,
          link: `https://example.com/${id}`,
          linkName: `https://example.com/${id}`,
          poster: sandbox.members[0] ?? '',
          channel: general.id,
          home: general.id,
          listed: true,
          // With two, each has a vote of somebody besides its poster.
          tally: { up: leastUp + titles.length - 1 - at, down: 0, closed: false },
        });
        ids.push(id);
      }
      return ids;
    },
    async permit(permission, allowed) {
      const { botId } = sandbox.world.application;
      const change = { allow: allowed ? permission : 0n, deny: allowed ? 0n : permission };
      setOverwrite(sandbox.world, channel, botId, { kind: 'member', ...change });
      const cached = scene.bot.client.guilds.cache.get(guild)?.channels.cache.get(channel.id);
      const may = () => cached?.permissionsFor(botId)?.has(permission);
      await scene.eventually(may, (has) => has === allowed, 'known to the bot');
    },
    tick: (context = scene.context) => runDueDigests(context),
    runDigest: async (name = 'daily', context = scene.context) =>
      (await runDigest(context, guild, name)).became,
    posted: () => sandbox.as(sandbox.admin).messages(channel.id, 500),
    headlines: () => scene.posted().map((one) => firstLineOf(one).replace('## ', '')),
    titles: () => scene.posted().map(titlesOf),
  };
  await scene.clear();
  return scene;
}

import { vi } from 'vitest';
import { DISCORD_PICTURES } from '../../src/web/picture-origins.ts';
import { createLog } from '../../src/runtime/log.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import type { Store } from '../../src/redis/store.ts';
import { type Article, postArticle } from '../../src/ranking/articles/articles.ts';
import { openRanking, type Ranking } from '../../src/ranking/ranking.ts';
import { TopLists } from '../../src/ranking/lists/top-lists.ts';
import type { Community } from '../../src/web/pages/list-view.ts';
import { startWeb, type Web } from '../../src/web/web.ts';
import { openTestClock, type TestClock } from '../fixtures/test-clock.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { idAt } from '../ranking/test-ranking.ts';

export const APPLICATION = '1100000000000000001';
export const RUST = '300000000000000001';
export const AI = '300000000000000002';
export const SECRET = '300000000000000009';
export const POSTER = '200000000000000001';
/** The hash of an icon that can be had. */
export const ICON = 'a1'.repeat(16);
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
interface DiscordOfPages {
  /** What the edge says of the connection. */
  isOn: boolean;
  /** Guilds in an outage. */
  away: Set<string>;
  /** Members whose names Discord has not said yet. */
  unanswered: Set<string>;
  /** Members whose names were asked for. */
  asked: Set<string>;
  /** The hashes of the icons that were fetched, each time. */
  icons: string[];
}

/** The members who are in every guild. */
export const NAMES: Record<string, string> = { [POSTER]: 'Ada & <friends>' };

export type WebServer = {
  redis: TestRedis;
  ranking: Ranking;
  store: Store;
  web: Web;
  /** A new guild that Discord knows, without a page. */
  newGuild(): string;
  /** By guild; tests change them. */
  communities: Map<string, Community>;
  /** By guild; UTC where a test says none. */
  zones: Map<string, string>;
  clock: TestClock;
  discord: DiscordOfPages;
  post(guild: string, other?: Partial<Article>): Promise<string>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Tells the pages that the guild changed, as its articles do, and waits until they know. */
  told(guild: string): Promise<void>;
  /** At the address for the host. */
  monitor(path: string): Promise<Response>;
  stop(): Promise<void>;
};

/** Whether there were too many visits, which is not said of a page that cannot be had. */
export function isRefused(status: number, retryAfter: string | null | undefined): boolean {
  return status === 503 && Number(retryAfter) < 60;
}

/** The web server over HTTP on a Redis of its own, with an edge made of plain maps. */
export async function startWebServer(
  options: { publicAddress?: string; pictures?: boolean } = {},
): Promise<WebServer> {
  const log = createLog('silent');
  const redis = await startTestRedis();
  // As the bot has it: a command that is not answered in 1.5 s is given up.
  const connection = connectRedis(redis.url, { log, name: 'web' });
  const ranking = openRanking({ redis: connection, applicationId: APPLICATION });
  const store = { redis: connection, applicationId: APPLICATION, log };
  const communities = new Map<string, Community>();
  const zones = new Map<string, string>();
  const discord: DiscordOfPages = {
    isOn: true,
    away: new Set(),
    unanswered: new Set(),
    asked: new Set(),
    icons: [],
  };
  const clock = openTestClock();
  const lists = new TopLists(ranking, clock);
  const { publicAddress, pictures = false } = options;
  const origins = pictures ? DISCORD_PICTURES : [];
  const web = await startWeb({
    host: '127.0.0.1',
    port: 0,
    publicAddress,
    pictures: origins,
    monitoring: { host: '127.0.0.1', port: 0 },
    clock,
    log,
  });
  web.serve({
    ranking,
    lists,
    store,
    isOnDiscord: () => discord.isOn,
    clockOffSeconds: () => 0,
    backupAgeSeconds: () => null,
    diskFreeBytes: () => null,
    guilds: () => communities.size,
    community: (guild) => communities.get(guild) ?? null,
    isAway: (guild) => discord.away.has(guild),
    icon: async (_, hash) => {
      discord.icons.push(hash);
      return hash === ICON ? PIXEL : null;
    },
    zone: async (guild) => zones.get(guild) ?? 'UTC',
    names: {
      known(_, members) {
        for (const id of members) discord.asked.add(id);
        const known = members.filter((id) => !discord.unanswered.has(id));
        return new Map(known.flatMap((id) => (NAMES[id] === undefined ? [] : [[id, NAMES[id]]])));
      },
      isPending: (_, member) => discord.unanswered.has(member),
      version: () => 0,
    },
  });
  return {
    redis,
    ranking,
    store,
    web,
    communities,
    zones,
    clock,
    discord,
    newGuild() {
      const guild = idAt(clock.now() - 1e10);
      communities.set(guild, {
        name: 'Harbour & <friends>',
        locale: 'en-GB',
        icon: null,
        groups: [
          { id: RUST, name: 'rust' },
          { id: AI, name: '人工智能' },
        ],
        hidden: [SECRET],
      });
      return guild;
    },
    async post(guild, other = {}) {
      const id = other.id ?? idAt(other.postedAtMs ?? clock.now() - 3_600_000);
      const home = other.home ?? RUST;
      const link = other.link ?? `https://news.example/${id}`;
      const outcome = await postArticle(ranking, {
        guild,
        id,
        title: other.title ?? `Article ${id}`,
        link,
        linkName: link,
        poster: other.poster ?? POSTER,
        home,
        listed: other.listed ?? home !== SECRET,
        ...(other.groups === undefined ? {} : { groups: other.groups }),
        ...(other.comment === undefined ? {} : { comment: other.comment }),
      });
      if (outcome.status !== 'posted') throw new Error(`not posted: ${outcome.status}`);
      return id;
    },
    async get(path, headers = {}) {
      for (;;) {
        const response = await fetch(web.address + path, { headers });
        // Tests ask more at once than the bot answers with pages.
        if (!isRefused(response.status, response.headers.get('retry-after'))) return response;
      }
    },
    async told(guild) {
      const before = lists.stamp(guild);
      ranking.changes.note(guild);
      await ranking.changes.flush();
      // Nothing is kept while nothing is heard.
      if (before !== null) await vi.waitUntil(() => lists.stamp(guild) !== before);
    },
    monitor: (path) => fetch(`${web.monitoringAddress}${path}`),
    async stop() {
      await web.stop();
      await ranking.changes.flush();
      lists.stop();
      connection.disconnect();
      await redis.stop();
    },
  };
}

import { sample } from 'fast-check';
import type { Redis } from 'ioredis';
import { writeBoardChoice, writeBoardState } from '../../../src/board/stored-board.ts';
import { noteGuilds } from '../../../src/community/known-guilds.ts';
import {
  fixedScale,
  kindOf,
  readSettings,
  type SettingName,
  settingNames,
  writeSetting,
} from '../../../src/community/settings.ts';
import { setUnnamed } from '../../../src/community/unnamed.ts';
import { writeAnnouncing } from '../../../src/digests/announcements-mark.ts';
import { writeRefusal } from '../../../src/discord/requests/refused-channels.ts';
import { beginImport, noteLost } from '../../../src/history/import/stored-imports.ts';
import { beginRebuild, writeScanned } from '../../../src/history/rebuild/stored-rebuilds.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { checkSchema } from '../../../src/redis/startup-checks/schema-version.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { upgrades } from '../../../src/upgrades.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { writeWebSettings } from '../../../src/web/web-settings.ts';
import { type Database, GUILD } from '../../backup/guild-file/guild-files.ts';
import {
  acts,
  applyActs,
  articleId,
  CHANNELS,
  memberId,
  NOW,
} from '../../backup/guild-file/random-guild.ts';

const [CHANNEL = ''] = CHANNELS;
const MEMBER = memberId(1);

/** Fills a guild with something of each kind that is stored. The same each time. */
export async function fillGuild({ ranking, store }: Database): Promise<void> {
  await checkSchema(store, upgrades);
  await noteGuilds(store, [GUILD]);
  const all = sample(acts, { seed: 3, numRuns: 8 }).flat();
  await applyActs({ ranking, store }, GUILD, all);
  for (const name of settingNames) await writeSetting(store, GUILD, name, valueOf(name) as never);
  await setScale(ranking, GUILD, fixedScale(await readSettings(store, GUILD)));
  await writeWebSettings(store, GUILD, {
    open: true,
    feeds: false,
    invite: 'https://discord.gg/frontpage',
    about: 'About us.',
    names: true,
  });
  await setUnnamed(store, GUILD, MEMBER, true);
  const keys = storeKeys(store, GUILD);
  await writeBoardChoice(store, GUILD, { channel: CHANNEL, savedAtMs: NOW, savedBy: MEMBER });
  await writeBoardState(store, GUILD, {
    message: articleId(30),
    old: articleId(31),
    postingMs: null,
    postedAtMs: NOW,
    editedAtMs: NOW,
    articles: [articleId(1), articleId(2)],
    named: [MEMBER],
    shown: 'a1b2c3',
    changed: true,
    deleted: false,
    trouble: { reason: 'missing', detail: 'SendMessages', sinceMs: NOW },
    restUntilMs: NOW,
    restMs: 1000,
    requestsMs: [NOW],
  });
  await writeAnnouncing(store, GUILD, 8);
  const plan = { channels: [CHANNEL], fromMs: NOW - DAY_MS, untilMs: NOW };
  await beginImport(store, GUILD, { plan, by: MEMBER, channel: CHANNEL, now: NOW });
  await store.redis.hset(keys.import, CHANNEL, articleId(3));
  await noteLost(store, GUILD, articleId(32), { ...plan, report: articleId(32) });
  await beginRebuild(store, GUILD, NOW, [CHANNEL]);
  await writeScanned(store, GUILD, NOW);
  const refusal = { permissions: '8', forMs: 1000, untilMs: NOW };
  await writeRefusal(store, GUILD, `edit ${CHANNEL}`, refusal);
}

/** A value that is not the standard. */
function valueOf(name: SettingName): unknown {
  const kind = kindOf(name);
  switch (kind) {
    case 'mark':
      return 12;
    case 'span':
      return 2;
    case 'number':
      return 7;
    case 'switch':
    case 'discussion':
      return true;
    case 'votes':
      return 'up';
    case 'emoji':
      return '<:up:700000000000000009>';
    case 'language':
      return 'zh-CN';
    case 'channel':
    case 'role':
      return CHANNEL;
    case 'channels':
    case 'roles':
      return [CHANNEL];
    default:
      return kind satisfies never;
  }
}

/** What a key of Redis holds, and in how many days it expires; of sets and sorted sets the members in their order. */
export type Dump = Record<string, { type: string; days?: number; value: unknown }>;

/** All keys but those that go meanwhile, in a form that people read and each Redis takes. */
export async function dump(redis: Redis): Promise<Dump> {
  const keys = (await redis.keys('*')).sort();
  const entries = keys.map(async (key) => {
    const [found, seconds] = await Promise.all([valueAt(redis, key), redis.ttl(key)]);
    if (found === null) return [];
    const days = seconds < 0 ? {} : { days: Math.ceil(seconds / 86_400) };
    return [[key, { type: found.type, ...days, value: found.value }]] as const;
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

async function valueAt(redis: Redis, key: string): Promise<Dump[string] | null> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return { type, value: await redis.get(key) };
    case 'hash': {
      const fields = Object.entries(await redis.hgetall(key)).sort(([a], [b]) => (a < b ? -1 : 1));
      return { type, value: Object.fromEntries(fields) };
    }
    case 'set':
      return { type, value: (await redis.smembers(key)).sort() };
    case 'zset':
      return { type, value: await redis.zrange(key, '0', '-1', 'WITHSCORES') };
    case 'none':
      return null;
    default:
      throw new Error(`No dump of a ${type}.`);
  }
}

export async function load(redis: Redis, dumped: Dump): Promise<void> {
  for (const [key, { type, days, value }] of Object.entries(dumped)) {
    if (type === 'string') await redis.set(key, value as string);
    else if (type === 'hash') await redis.hset(key, value as Record<string, string>);
    else if (type === 'set') await redis.sadd(key, ...(value as string[]));
    else {
      const pairs = value as string[];
      for (let i = 0; i < pairs.length; i += 2) await redis.zadd(key, pairs[i + 1]!, pairs[i]!);
    }
    if (days !== undefined) await redis.expire(key, days * 86_400);
  }
}

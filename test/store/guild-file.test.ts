import { assert, asyncProperty } from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { exportGuild } from '../../src/store/guild-export.ts';
import { type Bytes, checkGuildFile } from '../../src/store/guild-file-reading.ts';
import { restoreGuild } from '../../src/store/guild-restore.ts';
import { storeKeys } from '../../src/store/keys.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { openRanking, type Ranking } from '../../src/voting/ranking.ts';
import { startTestRedis, type TestRedis } from '../redis.ts';
import { acts, CHANNELS, live, NOW } from './guild-life.ts';
import { snapshot } from './guild-snapshot.ts';

const APPLICATION = '1100000000000000001';
const GUILD = '700000000000000001';
type Place = { ranking: Ranking; store: Store };

let servers: TestRedis[];
let from: Place;
let to: Place;
beforeAll(async () => {
  servers = await Promise.all([startTestRedis(), startTestRedis()]);
  [from, to] = servers.map(({ redis }) => open(redis)) as [Place, Place];
});
afterAll(async () => {
  for (const { ranking } of [from, to]) await ranking.changes.flush();
  await Promise.all(servers.map((server) => server.stop()));
});
beforeEach(empty);

function open(redis: TestRedis['redis'], application = APPLICATION): Place {
  const log = createLog('silent');
  return { ranking: openRanking(redis, application), store: openStore(redis, application, log) };
}
async function empty(): Promise<void> {
  for (const { ranking } of [from, to]) await ranking.changes.flush();
  await Promise.all(servers.map((server) => server.flush()));
}

async function exported(place: Place, now = NOW): Promise<string> {
  let text = '';
  for await (const line of exportGuild(place, GUILD, now)) text += line;
  return text;
}
const bytesOf = (text: string): Bytes =>
  async function* () {
    const bytes = Buffer.from(text);
    // In pieces that end anywhere.
    for (let i = 0; i < bytes.length; i += 1000) yield bytes.subarray(i, i + 1000);
  };

async function restored(place: Place, text: string, { now = NOW, write = true } = {}) {
  const bytes = bytesOf(text);
  const file = await checkGuildFile(bytes);
  return restoreGuild(place, { file, bytes, now, write });
}

const asked = (place: Place) => snapshot(place, GUILD, CHANNELS, NOW);

/** But that a digest begins anew, and that no word is given of what is interesting already. */
function butForNews(state: Record<string, any>): Record<string, unknown> {
  const digests = state['digests'].map(({ edition, ...rest }: any) => ({
    ...rest,
    edition: { ...edition, slotsFromMs: 0 },
  }));
  const articles = Object.entries(state).filter(([name]) => /^\d+$/.test(name));
  const told = articles.map(([id, one]) => [
    id,
    { ...one, announced: one.announced || one.plain.interesting },
  ]);
  return { ...state, ...Object.fromEntries(told), digests };
}

test('into an empty Redis a restore gives the state at the export', async () => {
  await assert(
    asyncProperty(acts, async (life) => {
      await empty();
      await live(from, GUILD, life);
      // No rebuild is to come that would bring results of its own.
      await to.store.redis.set(storeKeys(APPLICATION, GUILD).born, NOW);
      await restored(to, await exported(from));
      expect(butForNews(await asked(to))).toEqual(butForNews(await asked(from)));
    }),
    { numRuns: 200 },
  );
});

test('over other data, a restore done twice leaves what it leaves when done once', async () => {
  await assert(
    asyncProperty(acts, acts, async (theirs, ours) => {
      await empty();
      await live(from, GUILD, theirs);
      await live(to, GUILD, ours);
      const text = await exported(from);
      const planned = await restored(to, text, { write: false });
      expect(await restored(to, text)).toEqual(planned);
      const once = await asked(to);
      const again = await restored(to, text, { now: NOW + 1000 });
      expect(await asked(to)).toEqual(once);
      for (const { added, changed } of Object.values(again.kinds)) {
        expect(added + changed).toBe(0);
      }
    }),
    { numRuns: 200 },
  );
});

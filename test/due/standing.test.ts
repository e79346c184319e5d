import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { beginImport, wantVotes } from '../../src/history/import/stored-imports.ts';
import { writeUnread } from '../../src/history/rebuild/stored-rebuilds.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { type Digest, zDigest } from '../../src/digests/digest-settings.ts';
import { saveDigest } from '../../src/digests/stored-digests.ts';
import type { KindName } from '../../src/due/kind.ts';
import { noteErasing } from '../../src/community/erasures.ts';
import { noteReport } from '../../src/community/stored-reports.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({
    privileged: { messageContent: true, guildMembers: false, presences: false },
    follows: true,
  });
});
afterAll(() => scene.stop());

const store = () => scene.bot.store;
const guild = () => scene.sandbox.guildId;
const general = () => scene.sandbox.channels.general.id;
const nothing = async () => {};

const daily = (): Digest =>
  zDigest.parse({
    channel: general(),
    schedule: { every: 'day', time: '08:00', zone: 'UTC' },
    slotsFromMs: scene.clock.now(),
  });

type Asking = {
  /** The row that is planned. */
  row: string;
  /** Makes the guild's data ask for it. */
  arrange: () => Promise<unknown>;
};

/** What follows from an act or a use alone; and what is to be shown, which the message itself tells where it was lost. */
type WithoutData = 'compare' | 'nominate' | 'show' | 'sweep' | 'tell' | 'unname';

/** Every other kind, and the data that asks for a row of it. */
const kinds: Record<Exclude<KindName, WithoutData>, Asking> = {
  announce: {
    row: 'announce',
    arrange: () => writeSetting(store(), guild(), 'announcements', general()),
  },
  digest: { row: 'digest:daily', arrange: () => saveDigest(store(), guild(), 'daily', daily()) },
  close: { row: 'close', arrange: () => scene.post(scene.sandbox.members[0] ?? '') },
  counts: { row: 'counts', arrange: () => scene.post(scene.sandbox.members[0] ?? '') },
  full: { row: 'full', arrange: () => scene.post(scene.sandbox.members[0] ?? '') },
  rebuild: { row: 'rebuild', arrange: () => writeUnread(store(), guild(), [general()]) },
  nominations: {
    row: 'nominations:1',
    async arrange() {
      await writeSetting(store(), guild(), 'nomination-channels', ['1']);
      await scene.bot.rules.refresh(guild());
    },
  },
  scan: { row: 'scan', arrange: nothing },
  check: { row: 'check', arrange: nothing },
  references: { row: 'references', arrange: nothing },
  links: { row: 'links', arrange: nothing },
  night: { row: 'night', arrange: nothing },
  earlier: {
    row: 'earlier',
    arrange: () => store().redis.hdel(guildKeys(store(), guild()).subjects, 'rules'),
  },
  erase: {
    row: 'erase',
    arrange: () => noteErasing(store(), guild(), { id: general(), channel: general() }),
  },
  import: {
    row: 'import',
    arrange: () =>
      beginImport(store(), guild(), {
        plan: { channels: [general()], fromMs: 0, untilMs: 1 },
        by: scene.sandbox.admin,
        channel: general(),
        now: scene.clock.now(),
      }),
  },
  'import-votes': {
    row: 'import-votes',
    arrange: () => wantVotes(store(), guild(), general(), 1),
  },
  report: {
    row: 'report:1',
    arrange: () =>
      noteReport(
        store(),
        guild(),
        { article: '1', member: '2', reason: 'spam' },
        scene.clock.now(),
      ),
  },
  recount: {
    row: 'recount',
    async arrange() {
      // It does not end.
      scene.sandbox.faults.add({ method: 'GET', status: 503 });
      scene.recounts.soon(guild());
    },
  },
  welcome: {
    row: 'welcome',
    async arrange() {
      scene.bot.client.guilds.cache.get(guild())!.joinedTimestamp = scene.clock.now();
    },
  },
};

// Withstands (Redis, while the bot runs): Redis loses what is due
// → whatever the guild's data asks for is planned again when the guild arrives, or Redis is back
test.each(Object.entries(kinds))(
  'a row of the kind %s that Redis lost is planned again by what its guild has',
  async (_, { row, arrange }) => {
    await scene.bot.due.look();
    await arrange();
    await scene.redis.redis.del(storeKeys(store(), guild()).due);
    const planned = vi.spyOn(store().redis, 'zadd');
    await scene.bot.due.arrive(guild());
    // It may have been done by now.
    expect(planned.mock.calls.flat()).toContain(row);
    planned.mockRestore();
  },
);

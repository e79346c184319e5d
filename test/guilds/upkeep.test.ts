import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/runtime/clock.ts';
import { closeArticle } from '../../src/ranking/articles/closing.ts';
import { retitleArticle } from '../../src/ranking/articles/edit.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { readRemoved, removeArticle } from '../../src/ranking/articles/removed.ts';
import { readMark, readScale, setScale } from '../../src/ranking/articles/mark.ts';
import { noteErasing } from '../../src/community/erasures.ts';
import { noteGuilds, readGuilds, readRefreshed } from '../../src/community/known-guilds.ts';
import { siteSubject } from '../../src/community/block-subject.ts';
import { deleteBlock, readBlocks, writeBlock } from '../../src/community/blocks.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { isPlanned } from '../../src/due/kind.ts';
import { declareIncomplete } from '../../src/history/rebuild/stored-rebuilds.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { sharedKeys, storeKeys } from '../../src/redis/store-keys.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let guild: string;
let rust: string;

beforeAll(async () => {
  scene = await startScene({ follows: true });
  guild = scene.sandbox.guildId;
  rust = scene.sandbox.channels.rust.id;
});
afterAll(() => scene.stop());

const mark = () => readMark(scene.bot.ranking, guild);
const logged = () =>
  scene.sandbox
    .as(scene.sandbox.admin)
    .messages(rust)
    .flatMap(({ embeds }) => embeds.map(({ description }) => description ?? ''));
/** In how long the next night is planned. */
async function nextNightMs(): Promise<number> {
  const { due } = storeKeys(scene.bot.store, guild);
  const nextMs = async () =>
    Number(await scene.bot.store.redis.zscore(due, 'night')) - scene.clock.now();
  await expect.poll(nextMs).toBeGreaterThan(0);
  return nextMs();
}

async function night(): Promise<void> {
  const refreshed = () => readRefreshed(scene.bot.store, guild);
  const before = await refreshed();
  // Something has changed since the last night.
  scene.bot.ranking.changes.note(guild);
  await scene.bot.ranking.changes.flush();
  await scene.pass(DAY_MS);
  await expect.poll(refreshed).not.toBe(before);
}

test('the night deletes a block that has ended, and notes the server again where the index has lost it', async () => {
  const { store } = scene.bot;
  // A new guild has its first night at once.
  await expect.poll(() => readRefreshed(store, guild)).not.toBeNull();
  await scene.bot.due.look();
  await expect.poll(mark).toBe(3);
  const sinceMs = scene.clock.now();
  const block = { posting: true, voting: false, reason: '', by: guild, sinceMs };
  await writeBlock(store, guild, {
    ...block,
    subject: siteSubject('a.example')!,
    untilMs: sinceMs + 1,
  });
  await writeBlock(store, guild, { ...block, subject: siteSubject('b.example')!, untilMs: null });
  // Of the index of guilds, which Redis may lose in part, another stays.
  await noteGuilds(store, ['1']);
  await store.redis.srem(sharedKeys(store).guilds, guild);
  await night();
  expect(await readGuilds(store)).toContain(guild);
  await store.redis.srem(sharedKeys(store).guilds, '1');
  const left = async () => [...(await readBlocks(store, guild)).keys()];
  await expect.poll(left).toEqual(['origin:b.example']);
  // Who has blocks has a night each day, and not each week.
  expect(await nextNightMs()).toBeLessThanOrEqual(DAY_MS);
  await deleteBlock(store, guild, siteSubject('b.example')!);
  await night();
  expect(await nextNightMs()).toBeGreaterThan(DAY_MS);
});

test('a server’s first night is at once, also where a change has planned the next one before', async () => {
  const { store, due } = scene.bot;
  const { refreshed, due: planned } = storeKeys(store, guild);
  await store.redis.del(refreshed);
  await store.redis.zadd(planned, scene.clock.now() + HOUR_MS, 'night');
  await due.arrive(guild);
  await due.look();
  await expect.poll(() => readRefreshed(store, guild)).not.toBeNull();
});

test('an article that was removed three months ago is forgotten in the night, and no younger one', async () => {
  const { ranking } = scene.bot;
  const now = scene.clock.now();
  const isKept = async (id: string) => (await readRemoved(ranking, guild, id)) !== null;
  const [old, young] = [
    await scene.rank({ title: 'Old', atMs: now - 100 * DAY_MS }),
    await scene.rank({ title: 'Young', atMs: now - 99 * DAY_MS }),
  ];
  await removeArticle(ranking, guild, old, now - 91 * DAY_MS);
  await removeArticle(ranking, guild, young, now - 80 * DAY_MS);
  expect(await Promise.all([old, young].map(isKept))).toEqual([true, true]);
  await night();
  await expect.poll(() => Promise.all([old, young].map(isKept))).toEqual([false, true]);
  // So that it is forgotten in its time.
  expect(await nextNightMs()).toBeLessThanOrEqual(DAY_MS);
  await deleteArticle(ranking, guild, young);
});

test('a new guild starts with the step by its members, and the mark moves one step a night', async () => {
  // The square root of a dozen members is nearest to 3.
  await expect.poll(mark).toBe(3);
  await scene.minute();
  const { bot } = scene;
  await writeSetting(bot.store, guild, 'log', rust);
  await bot.rules.refresh(guild);
  await setScale(bot.ranking, guild, { mark: 8 });
  await night();
  expect(await mark()).toBe(5);
  expect(logged()).toEqual(['The ★ threshold was adapted to this server: 8 → 5.']);
  await scene.minute();
  expect(await mark()).toBe(5);
  // Where it was lost, it would take nights from the textbook's.
  await bot.store.redis.hdel(guildKeys(bot.ranking, guild).articles, 'mark');
  await night();
  expect(await mark()).toBe(3);

  await setSetting(scene.sandbox, 'mark', '200');
  await night();
  expect(await mark()).toBe(200);
});

test('the span goes by what is posted, moves in the night, and an admin can fix it', async () => {
  const { bot } = scene;
  const { channels } = scene.sandbox;
  const span = async () => (await readScale(bot.ranking, guild)).spanDays;
  // Hardly anything was posted here: the longest.
  expect(await span()).toBe(7);
  const now = scene.clock.now();
  const posted = await scene.plant(channels.general.id, 240, (n) => now - (2 + 3 * n) * HOUR_MS);
  const before = logged().length;
  await night();
  expect(await span()).toBe(5);
  expect(logged().slice(before)).toEqual([
    'The weight of votes was adapted: as many net votes as the ★ threshold now lift an article as high as one that is 5 days newer (until now 7 days).',
  ]);

  // The nights of other tests do not recount them.
  await Promise.all(posted.map((id) => deleteArticle(bot.ranking, guild, id)));
  await setSetting(scene.sandbox, 'span', ['2']);
  await night();
  expect(await span()).toBe(2);
});

// Withstands (The gateway): Messages or threads of closed articles are deleted while the bot is off
// → the night takes them out of the lists, and nothing that Discord fails to show
test('a closed article whose message or thread was deleted while the bot was off leaves the lists in the night, and another shows its new title', async () => {
  const { sandbox } = scene;
  const { general } = sandbox.channels;
  const { id: thread } = sandbox.as(sandbox.admin).startThread(general.id, 'short-lived');
  const [here = '', gone = '', removed = ''] = await scene.plant(general.id, 3);
  const inside = await scene.plant(thread, 2);
  const all = [here, gone, ...inside];
  for (const id of [...all, removed]) await closeArticle(scene.bot.ranking, guild, id);
  await scene.moderate(sandbox.admin, 'remove', removed);
  const listed = async () => {
    const shown = new Set((await scene.pages([]))['time all']);
    return all.filter((id) => shown.has(id));
  };
  // A thread that Discord fails to show is not gone.
  const path = new RegExp(`${thread}/messages$`);
  const failed = sandbox.faults.add({ method: 'GET', path, status: 500 });
  await night();
  expect(await listed()).toEqual(all);
  failed();
  // Its process died before the message showed the new title.
  await retitleArticle(scene.bot.ranking, { guild, article: here, title: 'A newer title' });
  await scene.bot.stop();
  sandbox.operator.deleteMessages({ channel: general.id, messages: [gone, removed] });
  sandbox.operator.deleteChannel({ channel: thread });
  await scene.restartBot();
  // In an outage Discord knows no channel.
  for (const fails of [{ status: 503 }, { status: 404, code: 10003 }]) {
    const route = /^\/channels\/:channel(\/messages)?$/;
    const end = sandbox.faults.add({ method: 'GET', route, ...fails });
    await night();
    expect(await listed()).toEqual(all);
    end();
  }
  await night();
  expect(await listed()).toEqual([here]);
  expect(await scene.article(gone)).toBeNull();
  // What a moderator removed can still be restored.
  expect(await readRemoved(scene.bot.ranking, guild, removed)).not.toBeNull();
  await expect.poll(() => scene.message(here).content).toContain('A newer title');
});

test('an erased message that Discord does not delete is tried ever more rarely', async () => {
  const { bot, clock, sandbox } = scene;
  const article = await scene.post(sandbox.admin, { channel: rust });
  await bot.due.look();
  await noteErasing(bot.store, guild, { id: article, channel: rust });
  const path = new RegExp(`/messages/${article}`);
  sandbox.faults.add({ method: 'DELETE', path, status: 403, code: 50_013 });
  const restMs = async () => {
    const { due } = storeKeys(bot.store, guild);
    return Number(await bot.store.redis.zscore(due, 'erase')) - clock.now();
  };
  expect(await bot.due.now(guild, 'erase')).not.toBeNull();
  expect(await restMs()).toBeGreaterThan(50_000);
  clock.move(10 * 60_000);
  expect(await bot.due.now(guild, 'erase')).not.toBeNull();
  expect(await restMs()).toBeGreaterThan(9 * 60_000);
  sandbox.faults.clear();
  // A refusal is believed for a while.
  clock.move(HOUR_MS);
  expect(await bot.due.now(guild, 'erase')).toBeNull();
});

test('a check does not shorten the rest of a rebuild that failed', async () => {
  const { bot, clock } = scene;
  await bot.due.look();
  await declareIncomplete(bot.store, guild);
  const restsUntilMs = clock.now() + HOUR_MS;
  await bot.due.planAt(guild, 'rebuild', restsUntilMs);
  await bot.due.now(guild, 'check');
  const { due } = storeKeys(bot.store, guild);
  expect(await bot.store.redis.zscore(due, 'rebuild')).toBe(String(restsUntilMs));
  await bot.due.now(guild, 'rebuild');
  await scene.whole();
});

test('a change plans the night of its server, also where Redis did not take that at the change before', async () => {
  const { store, ranking } = scene.bot;
  const { redis } = store;
  const isThere = () => isPlanned(store, guild, 'night');
  const change = async () => {
    ranking.changes.note(guild);
    await ranking.changes.flush();
  };
  await night();
  await scene.settled();
  // So that the next change plans one, and nothing else does.
  await redis.zrem(storeKeys(store, guild).due, 'night');
  scene.clock.move(2 * DAY_MS);
  await redis.config('SET', 'maxmemory', '1');
  await change();
  await redis.ping();
  await redis.config('SET', 'maxmemory', '0');
  expect(await isThere()).toBe(false);
  await change();
  await expect.poll(isThere).toBe(true);
});

test('a damaged key stops no other work of the night, which is done again until it is whole', async () => {
  const { store, ranking, due, client } = scene.bot;
  const { removed } = guildKeys(ranking, guild);
  const sinceMs = scene.clock.now();
  const by = { posting: true, voting: false, reason: '', by: guild, sinceMs };
  const subject = siteSubject('ended.example')!;
  await writeBlock(store, guild, { ...by, subject, untilMs: sinceMs + 1 });
  const refreshed = () => readRefreshed(store, guild);
  const before = await refreshed();
  scene.clock.move(DAY_MS);
  // Nothing is concluded in an outage.
  scene.sandbox.operator.setOutage({ outage: true });
  const isAvailable = () => client.guilds.cache.get(guild)?.available;
  await expect.poll(isAvailable).toBe(false);
  expect(await due.now(guild, 'night')).toBeNull();
  expect((await readBlocks(store, guild)).has('origin:ended.example')).toBe(true);
  await store.redis.del(removed);
  await store.redis.set(removed, 'no hash');
  scene.sandbox.operator.setOutage({ outage: false });
  await expect.poll(isAvailable).toBe(true);
  const night = () => due.now(guild, 'night').catch(String);
  await night();
  await expect
    .poll(async () => (await readBlocks(store, guild)).has('origin:ended.example'))
    .toBe(false);
  // A check of the guild repairs the key.
  await expect.poll(() => store.redis.type(removed)).not.toBe('string');
  await scene.eventually(
    async () => {
      await night();
      return refreshed();
    },
    (date) => date !== before,
    'done again',
  );
  // One that fails is not noted as done.
  const done = await refreshed();
  const failing = vi.spyOn(scene.bot.listing, 'compare').mockRejectedValue(new Error('Not now.'));
  scene.clock.move(DAY_MS);
  await night();
  expect(failing).toHaveBeenCalled();
  expect(await refreshed()).toBe(done);
  failing.mockRestore();
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { createGuild } from '../../discord-box/src/world/guilds/change-guild.ts';
import { forgetLeft, noteLeft } from '../../src/guilds/membership.ts';
import { noteGuilds, noteLeaving, readLeft } from '../../src/community/known-guilds.ts';
import { isOptedOut } from '../../src/community/opted-out.ts';
import { openLinkCounts } from '../../src/history/import/link-counts.ts';
import { readImport, readPhase } from '../../src/history/import/stored-imports.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { takeInRecent } from '../../src/history/rebuild/take-in-recent.ts';
import { readScanned, readUnread, rescanFrom } from '../../src/history/rebuild/stored-rebuilds.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { sharedKeys, storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { snowflakeTimeMs } from '../../src/runtime/snowflake.ts';
import { askedPath } from '../fixtures/asked-path.ts';
import { type ImportScene, startImportScene } from '../history/import/import-scene.ts';

// One bad channel or server in what works on many: the others are done.

let scene: ImportScene;
let guildId: string;
let good: string;
let bad: string;
let times = 0;
beforeAll(async () => {
  scene = await startImportScene();
  guildId = scene.sandbox.guildId;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  times += 1;
  // The bad one is the older, so that it comes first.
  bad = await newChannel(`bad-${times}`);
  good = await newChannel(`good-${times}`);
});
afterEach(() => {
  scene.sandbox.faults.clear();
  for (const channel of [good, bad]) scene.sandbox.operator.deleteChannel({ channel });
});

async function newChannel(name: string): Promise<string> {
  const { id } = scene.sandbox.operator.createChannel({ guild: guildId, name });
  const { client } = scene.bot;
  await scene.eventually(() => client.channels.cache.has(id), Boolean, 'known to the bot');
  return id;
}

const guild = () => scene.bot.client.guilds.cache.get(guildId)!;
const fail = (channel: string, [status, code]: readonly [number, number]) =>
  scene.sandbox.faults.add({
    method: 'GET',
    path: new RegExp(`channels/${channel}/messages$`),
    status,
    code,
  });

/** What Discord answers about one channel alone. */
const faults = [
  [500, 0],
  [404, 0],
  [400, 50_035],
] as const;

// Withstands (Requests to Discord): Discord does not show one channel, and all others (404 without its code, 400, lasting 5xx)
// → the others are rebuilt, imported and recounted
describe.each(faults)('one channel that Discord does not show (%i, code %i)', (...answer) => {
  test('one channel that Discord does not show is read again after a rebuild, which takes in the others', async () => {
    const { bot } = scene;
    const [here = ''] = await scene.plant(good);
    const [there = ''] = await scene.plant(bad);
    for (const id of [here, there]) await deleteArticle(bot.ranking, guildId, id);
    const end = fail(bad, answer);
    await bot.store.redis.set(storeKeys(bot.store, guildId).complete, 0);
    const outcome = await rebuildGuild(bot, guild(), {});
    expect(outcome).toMatchObject({ status: 'finished', unread: [bad] });
    expect(await scene.article(here)).not.toBeNull();
    expect(await readUnread(bot.store, guildId)).toEqual([bad]);
    end();
    await rebuildGuild(bot, guild(), { only: [bad] });
    expect(await scene.article(there)).not.toBeNull();
    expect(await readUnread(bot.store, guildId)).toEqual([]);
  });

  test('one channel that Discord does not show does not hide what was posted elsewhere and not committed', async () => {
    const { bot } = scene;
    const [here = ''] = await scene.plant(good);
    const [there = ''] = await scene.plant(bad);
    for (const id of [here, there]) await deleteArticle(bot.ranking, guildId, id);
    await bot.store.redis.set(storeKeys(bot.store, guildId).complete, 0);
    const end = fail(bad, answer);
    await expect(takeInRecent(bot, guild())).rejects.toBeInstanceOf(Error);
    expect(await scene.article(here)).not.toBeNull();
    expect(await scene.article(there)).toBeNull();
    end();
    await takeInRecent(bot, guild());
    expect(await scene.article(there)).not.toBeNull();
  });

  test('one channel that Discord does not show is scanned again from where a recount has set the time back meanwhile', async () => {
    const { bot } = scene;
    await bot.store.redis.set(storeKeys(bot.store, guildId).complete, 0);
    // What the bot still had to scan by itself; it would read from the earlier time, rightly.
    expect(await bot.due.now(guildId, 'scan')).toBeNull();
    await takeInRecent(bot, guild());
    const earlier = scene.clock.now() - DAY_MS;
    const { path, isAsked } = askedPath(`channels/${bad}/messages$`);
    scene.sandbox.faults.add({ method: 'GET', path, lagMs: 1000, times: 1 });
    const scan = takeInRecent(bot, guild());
    await scene.eventually(isAsked, Boolean, 'asked for');
    await rescanFrom(bot.store, guildId, earlier);
    await scan;
    expect(await readScanned(bot.store, guildId)).toBe(earlier);
  });

  test('one channel that Discord does not show keeps no vote of another channel from a recount', async () => {
    const [here = ''] = await scene.plant(good);
    const [there = ''] = await scene.plant(bad);
    scene.secretly(() => {
      for (const id of [here, there]) scene.react(scene.sandbox.members[0] ?? '', id, '👍');
    });
    fail(bad, answer);
    const report = await scene.recount({ articles: [here, there] });
    expect(report.unread).toEqual([there]);
    expect(await scene.tally(here)).toEqual([2, 0]);
  });

  test('one channel that Discord does not show is left out of an import half an hour later, whose report names it', async () => {
    const { bot } = scene;
    await bot.store.redis.set(storeKeys(bot.store, guildId).complete, 0);
    const here = scene.say(good, { content: `https://good.example/${times}` });
    const there = scene.say(bad, { content: `https://bad.example/${times}` });
    fail(bad, answer);
    const plan = {
      channels: [bad, good],
      fromMs: snowflakeTimeMs(here) - DAY_MS,
      untilMs: scene.clock.now(),
    };
    const { channels, admin } = scene.sandbox;
    await bot.imports.begin(guild(), { plan, by: admin, channel: channels.general.id });
    await scene.eventually(
      async () => (await readImport(bot.store, guildId))?.failingSinceMs ?? null,
      (since) => since !== null,
      'failing',
    );
    expect(await scene.article(here)).not.toBeNull();
    expect(await readPhase(bot.store, guildId)).toBe('running');
    scene.clock.move(31 * MINUTE_MS);
    await scene.finish();
    expect(await scene.article(there)).toBeNull();
    expect((await readImport(bot.store, guildId))?.unread).toEqual([bad]);
  });
});

test.each([
  [400, 1],
  // discord.js asks again three times.
  [500, 4],
])('a search that fails for one channel (%i) counts the others', async (status, asked) => {
  scene.say(good, { content: 'https://good.example/counted' });
  const { faults, requests } = scene.sandbox;
  faults.add({ method: 'GET', path: /messages\/search$/, status, code: 50_035, times: asked });
  const before = requests.count('GET', /search$/);
  // A process keeps the counts for some minutes.
  const counts = await openLinkCounts({ ...scene.bot, isComplete: async () => true }).read(guild());
  expect(requests.count('GET', /search$/)).toBeGreaterThan(before + asked);
  expect(counts.uncounted).toHaveLength(1);
  expect(counts.channels.map(({ id }) => id)).toContain(good);
});

// Withstands (Requests to Discord): Discord or Redis gives no answer about one server
// → others are forgotten, imported and posted to, and members opt out of them
describe('one server', () => {
  test('one server of which Discord does not say whether the bot is in it keeps its data, and another is forgotten', async () => {
    const { bot } = scene;
    const [unclear, left] = ['700000000000000001', '700000000000000002'];
    for (const id of [unclear, left]) {
      await noteLeaving(bot.store, id, scene.clock.now() - 31 * DAY_MS);
      await bot.store.redis.hset(storeKeys(bot.store, id).settings, 'mark', '3');
    }
    scene.sandbox.faults.add({
      method: 'GET',
      path: new RegExp(`guilds/${unclear}$`),
      status: 500,
    });
    await forgetLeft(bot);
    expect(await readLeft(bot.store, scene.clock.now())).toEqual([unclear]);
    expect(await bot.store.redis.exists(storeKeys(bot.store, unclear).settings)).toBe(1);
    expect(await bot.store.redis.exists(storeKeys(bot.store, left).settings)).toBe(0);
    scene.sandbox.faults.clear();
    await forgetLeft(bot);
    expect(await readLeft(bot.store, scene.clock.now())).toEqual([]);
  });

  test('one server that the cache lacks keeps its data where Discord says that the bot is in it', async () => {
    const { bot } = scene;
    const { world, admin } = scene.sandbox;
    const other = createGuild(world, { name: 'Elsewhere', ownerId: admin });
    addMember(world, other, world.application.botId);
    await scene.eventually(() => bot.client.guilds.cache.has(other.id), Boolean, 'joined');
    bot.client.guilds.cache.delete(other.id);
    await noteLeaving(bot.store, other.id, scene.clock.now() - 31 * DAY_MS);
    await bot.store.redis.hset(storeKeys(bot.store, other.id).settings, 'mark', '3');
    await forgetLeft(bot);
    expect(await bot.store.redis.exists(storeKeys(bot.store, other.id).settings)).toBe(1);
    expect(await readLeft(bot.store, scene.clock.now())).toEqual([]);
  });

  test('one server of another process’s shard is not taken for one that removed the bot', async () => {
    const { bot } = scene;
    const shard = bot.client.ws.shards.first();
    const [ours, theirs] = [0, 1].map((n) => String((BigInt(7000 + n) << 22n) + 1n));
    await noteGuilds(bot.store, [ours!, theirs!]);
    const client = Object.assign(Object.create(bot.client), {
      ws: { shards: new Map([[7000 % 2, shard]]) },
      options: { ...bot.client.options, shardCount: 2 },
    }) as typeof bot.client;
    await noteLeft({ ...bot, client });
    expect(await readLeft(bot.store, Number.MAX_SAFE_INTEGER)).toEqual([ours]);
    for (const id of [ours, theirs]) await bot.store.redis.srem(sharedKeys(bot.store).guilds, id!);
    await bot.store.redis.del(sharedKeys(bot.store).leaving);
  });

  test('one server whose import cannot be read does not keep that of another from going on', async () => {
    const { bot } = scene;
    const { world, admin, channels } = scene.sandbox;
    const other = createGuild(world, { name: 'Damaged', ownerId: admin });
    addMember(world, other, world.application.botId);
    await scene.eventually(() => bot.client.guilds.cache.has(other.id), Boolean, 'joined');
    await bot.store.redis.set(storeKeys(bot.store, other.id).import, 'no hash');
    await bot.store.redis.set(storeKeys(bot.store, guildId).complete, 0);
    const here = scene.say(good, { content: `https://good.example/${times}` });
    const plan = {
      channels: [good],
      fromMs: snowflakeTimeMs(here) - DAY_MS,
      untilMs: scene.clock.now(),
    };
    const end = fail(good, [500, 0]);
    await bot.imports.begin(guild(), { plan, by: admin, channel: channels.general.id });
    await scene.eventually(
      async () => (await readImport(bot.store, guildId))?.failingSinceMs ?? null,
      (since) => since !== null,
      'failing',
    );
    end();
    await scene.finish();
    expect(await scene.article(here)).not.toBeNull();
    await bot.store.redis.del(storeKeys(bot.store, other.id).import);
  });

  test('one server that this process does not have, or that is in an outage, is opted out of in direct messages, and one that the bot has left is not', async () => {
    const { bot, sandbox } = scene;
    const { world, admin } = sandbox;
    const [, member = ''] = sandbox.members;
    const [absent, away, left] = ['Absent', 'Away', 'Left'].map((name) => {
      const other = createGuild(world, { name, ownerId: admin });
      if (name !== 'Left') addMember(world, other, world.application.botId);
      addMember(world, other, member);
      return other.id;
    }) as [string, string, string];
    const { cache } = bot.client.guilds;
    await scene.eventually(() => cache.has(absent) && cache.has(away), Boolean, 'joined');
    await noteGuilds(bot.store, [absent, away, left]);
    cache.delete(absent);
    cache.get(away)!.available = false;
    const as = sandbox.as(member);
    const { id: direct } = as.directMessages();
    const shown = await as.command(direct, 'me data');
    const sure = await as.press(direct, shown.message?.id ?? '', 'me|out');
    await as.press(direct, sure.message?.id ?? '', 'me|leave');
    const isOut = [absent, away, left].map((id) => isOptedOut(bot.store, id, member));
    expect(await Promise.all(isOut)).toEqual([true, true, false]);
    await bot.store.redis.srem(sharedKeys(bot.store).guilds, left);
    cache.get(away)!.available = true;
  });

  test('one server that cannot be asked for a member keeps nobody from opting out of the others', async () => {
    const { bot } = scene;
    const { sandbox } = scene;
    const [member = ''] = sandbox.members;
    const silent = createGuild(sandbox.world, { name: 'Silent', ownerId: sandbox.admin });
    addMember(sandbox.world, silent, sandbox.world.application.botId);
    addMember(sandbox.world, silent, member);
    const { cache } = bot.client.guilds;
    await scene.eventually(() => cache.has(silent.id), Boolean, 'joined');
    const fetch = cache.get(silent.id)!.members;
    Object.assign(fetch, { fetch: () => Promise.reject(new Error('Members did not arrive.')) });
    const as = sandbox.as(member);
    const { id: direct } = as.directMessages();
    const shown = await as.command(direct, 'me data');
    const sure = await as.press(direct, shown.message?.id ?? '', 'me|out');
    await as.press(direct, sure.message?.id ?? '', 'me|leave');
    expect(await isOptedOut(bot.store, guildId, member)).toBe(true);
    expect(await isOptedOut(bot.store, silent.id, member)).toBe(false);
  });
});

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'discord.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { openMemberNames } from '../../src/discord/member-names.ts';
import { readMemberFacts } from '../../src/community/may-vote.ts';
import { HOUR_MS } from '../../src/runtime/clock.ts';
import { served } from '../../src/served.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

// Withstands (Attacks): Hundreds of visits ask for pages with the names of members that are not known
// → one question goes to Discord in five seconds, and what a member asked for does not wait for it
test('names for pages come when they can, by one question at a time however many visits want them', async () => {
  const { client } = scene.bot;
  const { guildId } = scene.sandbox;
  const crowd = scene.crowd(300);
  let questions = 0;
  client.ws.on('GUILD_MEMBERS_CHUNK' as never, () => (questions += 1));
  const names = openMemberNames(client, scene.clock);
  expect(names.known(guildId, crowd.slice(0, 50))).toEqual(new Map());
  for (let visit = 0; visit < 600; visit += 1) {
    names.known(guildId, crowd.slice(visit % 250, (visit % 250) + 50));
  }
  await expect.poll(() => names.version(guildId)).toBe(1);
  expect(questions).toBe(1);
  const known = names.known(guildId, crowd).size;
  expect(known).toBeGreaterThanOrEqual(50);
  expect(known).toBeLessThanOrEqual(100);
  // What a member's opting out reads over the same connection.
  const stopping = new AbortController().signal;
  const facts = await readMemberFacts({ client, stopping }, guildId, crowd.slice(0, 1));
  expect(facts.get(crowd[0]!)).not.toBeNull();
  expect(questions).toBe(2);
});

test('a name is asked for again some hours later, and the one of before is shown until then', async () => {
  const { client } = scene.bot;
  const { guildId, world, guild } = scene.sandbox;
  const [member = ''] = scene.crowd(1);
  const rename = (nick: string) => changeMember(world, guild, guild.members.get(member)!, { nick });
  rename('Before');
  const names = openMemberNames(client, scene.clock);
  await names.soon(guildId, [member]);
  rename('After');
  scene.clock.move(5 * HOUR_MS);
  expect(names.known(guildId, [member]).get(member)).toBe('Before');
  scene.clock.move(2 * HOUR_MS);
  expect(names.known(guildId, [member]).get(member)).toBe('Before');
  const shown = () => names.known(guildId, [member]).get(member);
  await expect.poll(shown).toBe('After');
});

test('a server in an outage is away for its pages, and not missing', async () => {
  const { operator, guildId } = scene.sandbox;
  const clock = { ...scene.clock, offSeconds: () => 0 };
  const config = { backupDir: undefined, redisUrl: undefined, dataDir: '/tmp' };
  const web = served({ ...scene.bot, ...config, clock });
  const seen = () => [web.isAway(guildId), web.community(guildId) === null];
  expect(seen()).toEqual([false, false]);
  operator.setOutage({ outage: true });
  await expect.poll(seen).toEqual([true, true]);
  operator.setOutage({ outage: false });
  await expect.poll(seen).toEqual([false, false]);
  expect(web.isAway('1')).toBe(false);
});

test('a host is told of backups where they are made, and of the disk where the data is on it', () => {
  const clock = { ...scene.clock, offSeconds: () => 0 };
  const figures = (backupDir?: string, redisUrl?: string) => {
    const config = { backupDir, redisUrl, dataDir: tmpdir() };
    const web = served({ ...scene.bot, ...config, clock });
    return [web.backupAgeSeconds(), web.diskFreeBytes()];
  };
  expect(figures(undefined, 'redis://elsewhere')).toEqual([null, null]);
  // Before the first one, it is as old as the process.
  const [age, free] = figures(join(tmpdir(), 'no-backups-yet'));
  expect(Number(age)).toBeGreaterThan(0);
  expect(Number(age)).toBeLessThanOrEqual(process.uptime());
  expect(Number(free)).toBeGreaterThan(0);
});

test('all posters of a page are asked for by one visit, a hundred at a time', async () => {
  const { guildId } = scene.sandbox;
  const crowd = scene.crowd(150);
  const names = openMemberNames(scene.bot.client, scene.clock, 1);
  expect(names.known(guildId, crowd).size).toBe(0);
  await expect.poll(() => names.version(guildId)).toBe(2);
  expect(crowd.filter((one) => names.isPending(guildId, one))).toEqual([]);
});

test('no name is asked for while Discord is not connected or the server is away, of which a promise would fail that nobody has', async () => {
  const fetch = vi.fn<() => Promise<never>>();
  for (const [available, isReady] of [
    [true, false],
    [false, true],
  ] as const) {
    const cache = new Map([['1', { available, members: { fetch } }]]);
    const client = { guilds: { cache }, isReady: () => isReady } as unknown as Client;
    expect((await openMemberNames(client, scene.clock).soon('1', ['2'])).size).toBe(0);
  }
  expect(fetch).not.toHaveBeenCalled();
});

test('who is no member has no name, nor has one whose name shows nothing, and neither is waited for', async () => {
  const { client } = scene.bot;
  const { guildId, world, guild } = scene.sandbox;
  const [known = '', blank = ''] = scene.crowd(2);
  changeMember(world, guild, guild.members.get(blank)!, { nick: '\u200b' });
  const stranger = '100000000000000009';
  const names = openMemberNames(client, scene.clock);
  const asked = [known, blank, stranger];
  expect(asked.map((one) => names.isPending(guildId, one))).toEqual([true, true, true]);
  const found = await names.soon(guildId, asked);
  expect([...found.keys()]).toEqual([known]);
  expect(asked.map((one) => names.isPending(guildId, one))).toEqual([false, false, false]);
});

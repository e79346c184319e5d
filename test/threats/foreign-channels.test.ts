import { Routes } from 'discord.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signed } from '../records/guild-file/guild-files.ts';
import { openMemberLimits } from '../../src/discord/access/member-limits.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;

/** Restores a file, and returns what the answer says in the end. */
async function restored(lines: unknown[]): Promise<string> {
  const { guildId: guild, applicationId: application, admin } = scene.sandbox;
  const file = {
    filename: 'forged.ndjson',
    data: Buffer.from(signed(lines, { guild, application })),
  };
  const as = scene.sandbox.as(admin);
  const { message } = await as.command(general, 'frontpage restore', { file });
  const said = () => as.messages(general, 100).find(({ id }) => id === message?.id)?.content ?? '';
  await expect.poll(said).toMatch(/The file is restored|very often/);
  return said();
}
const inThread = (n: number) => ({
  kind: 'article',
  id: `${1e9 + n}`,
  title: 'Forged',
  link: `https://forged.example/${n}`,
  poster: scene.sandbox.admin,
  groups: [general],
  thread: `${1e9 + n}`,
  up: 1,
  down: 0,
  state: 'closed',
  listed: true,
});

const asked = () => scene.sandbox.requests.count('GET', /^\/channels\/:channel$/);
const forged = (round: number) => Array.from({ length: 50 }, (_, n) => inThread(round * 50 + n));
beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  scene.sandbox.faults.add({ method: 'GET', route: /^\/channels\/:channel$/, status: 403 });
});
beforeEach(() => {
  scene.bot.app.memberLimits = openMemberLimits();
});
afterAll(() => scene.stop());

test('a file with foreign channels makes Discord refuse a few requests, and none twice', async () => {
  expect(await restored(forged(0))).toContain('50 skipped');
  expect(asked()).toBe(10);
  // The first ten are remembered, and another ten are asked.
  await restored(forged(0));
  await restored(forged(0).slice(0, 20));
  expect(asked()).toBe(20);
});

test('what they refuse stops what can wait in this server alone', async () => {
  const { sandbox, bot } = scene;
  const other = sandbox.operator.createGuild({ name: 'Beside', owner: sandbox.admin });
  await expect.poll(() => bot.app.client.guilds.cache.has(other.guild)).toBe(true);
  for (let round = 1; round < 15; round += 1) await restored(forged(round));
  expect(asked()).toBe(100);
  const read = (guild: string, channel: string) =>
    bot.app.requests.get({ guild, channel }, Routes.channelMessages(channel));
  await expect(read(sandbox.guildId, general)).rejects.toThrow('can wait has stopped');
  expect(await read(other.guild, other.general)).toHaveLength(1);
});

test('files are tried twenty times an hour, by all administrators together', async () => {
  const said: string[] = [];
  for (let i = 0; i < 22; i += 1) said.push(await restored([]));
  expect(said.filter((one) => one.includes('very often'))).toHaveLength(2);
});

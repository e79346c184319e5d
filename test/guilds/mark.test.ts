import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMark, setMark } from '../../src/ranking/articles/mark.ts';
import { readRefreshed } from '../../src/records/history/rebuilds.ts';
import { writeSetting } from '../../src/records/settings.ts';
import { patience } from '../fixtures/scene.ts';
import { type Life, startLife } from '../recount/life.ts';

const DAY_MS = 86_400_000;

let life: Life;
let guild: string;
let rust: string;

beforeAll(async () => {
  life = await startLife();
  guild = life.sandbox.guildId;
  rust = life.sandbox.channels.rust.id;
});
afterAll(() => life.stop());

const mark = () => readMark(life.bot.app.ranking, guild);
const logged = () =>
  life.sandbox
    .as(life.sandbox.admin)
    .messages(rust)
    .flatMap(({ embeds }) => embeds.map(({ description }) => description ?? ''));
async function night(): Promise<void> {
  const refreshed = () => readRefreshed(life.bot.app.store, guild);
  const before = await refreshed();
  life.clock.move(DAY_MS);
  await life.minute();
  await expect.poll(refreshed, patience).not.toBe(before);
}

test('a new guild starts with the step by its members, and moves one step a night', async () => {
  // The square root of a dozen members is nearest to 3.
  await expect.poll(mark, patience).toBe(3);
  await life.minute();
  const { app } = life.bot;
  await writeSetting(app.store, guild, 'log', rust);
  await app.rules.refresh(guild);
  await setMark(app.ranking, guild, 8);
  await night();
  expect(await mark()).toBe(5);
  expect(logged()).toEqual(['The interesting mark was fitted to this server: 8 → 5.']);
  await life.minute();
  expect(await mark()).toBe(5);

  await life.sandbox.as(life.sandbox.admin).command(rust, 'frontpage settings', {
    setting: 'mark',
    value: '200',
  });
  await night();
  expect(await mark()).toBe(200);
});

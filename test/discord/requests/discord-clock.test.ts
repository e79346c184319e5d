import { Writable } from 'node:stream';
import { REST, Routes } from 'discord.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { type Discord, startDiscord } from '../../../discord-box/src/index.ts';
import {
  type DiscordClock,
  openDiscordClock,
} from '../../../src/discord/requests/discord-clock.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';

let discord: Discord;
let clock: DiscordClock;
let rest: REST;
let said: string;
/** How far Discord's and the machine's time are from the real one. */
const ahead = { discordMs: 0, machineMs: 0 };
const discordNow = () => Date.now() + ahead.discordMs;

beforeEach(async () => {
  Object.assign(ahead, { discordMs: 0, machineMs: 0 });
  discord = await startDiscord({ clock: { now: discordNow } });
  said = '';
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      said += chunk.toString();
      done();
    },
  });
  const machine = { now: () => Date.now() + ahead.machineMs, onMove: () => {}, stop: () => {} };
  clock = openDiscordClock(machine, pino(sink));
  rest = new REST({ api: discord.apiBase, retries: 0 }).setToken(discord.token);
  clock.follow(rest);
});
afterEach(() => discord.stop());

/** How long the last answer took: an answer's date is as old as that on a busy machine. */
let tookMs = 0;
async function ask(): Promise<void> {
  const askedMs = performance.now();
  await rest.get(Routes.currentApplication());
  tookMs = performance.now() - askedMs;
}
const offMs = (fromMs = discordNow()) => Math.abs(clock.now() - fromMs) - tookMs;

describe('the clock', () => {
  test('the clock is Discord’s from the first answer on, whatever the machine’s says', async () => {
    ahead.machineMs = -5 * DAY_MS;
    await ask();
    expect(offMs()).toBeLessThan(2000);
    expect(clock.now() % 1).toBe(0);
  });

  test.each([5 * DAY_MS, -5 * DAY_MS, 10 * MINUTE_MS])(
    'the clock stays as it is when the machine’s clock jumps by %d ms, and says so once',
    async (jumpMs) => {
      await ask();
      ahead.machineMs = jumpMs;
      expect(offMs()).toBeLessThan(2000);
      await clock.compare();
      await clock.compare();
      expect(offMs()).toBeLessThan(2000);
      expect(said.match(/clock is wrong/g)).toHaveLength(1);
      expect(said).toContain(`"offSeconds":${jumpMs / 1000}`);
      ahead.machineMs = 0;
      await clock.compare();
      expect(said).toContain('right again');
    },
  );

  // Withstands (Time): The machine sleeps for days
  // → the minute’s work is done at once
  test('the clock goes on with a machine that slept', async () => {
    await ask();
    Object.assign(ahead, { discordMs: 3 * DAY_MS, machineMs: 3 * DAY_MS });
    await clock.compare();
    expect(offMs()).toBeLessThan(2000);
    expect(said).toBe('');
  });

  test.each([0, -5 * DAY_MS])(
    'the clock does not believe a date of Discord that nothing else confirms, with a machine off by %d ms',
    async (machineMs) => {
      ahead.machineMs = machineMs;
      await ask();
      for (const discordMs of [8 * DAY_MS, -8 * DAY_MS, 0]) {
        ahead.discordMs = discordMs;
        await ask();
        expect(offMs(Date.now())).toBeLessThan(2000);
      }
      expect(said.match(/date is wrong/g)).toHaveLength(1);
    },
  );

  test.each([8 * DAY_MS, -8 * DAY_MS])(
    'the clock is confirmed by a new id when all dates of Discord are off by %d ms from the first one on',
    async (discordMs) => {
      ahead.discordMs = discordMs;
      await ask();
      await clock.compare();
      expect(clock.isConfirmed()).toBe(false);
      expect(said).toContain('no voting ends and no digest is posted');
      clock.readId(snowflakeAt(Date.now()));
      await ask();
      expect(clock.isConfirmed()).toBe(true);
      expect(offMs(Date.now())).toBeLessThan(2000);
    },
  );

  test.each([8 * DAY_MS, -8 * DAY_MS])(
    'the clock is confirmed by a new id, with a machine off by %d ms, and old ids change nothing then',
    async (machineMs) => {
      ahead.machineMs = machineMs;
      await ask();
      expect(clock.isConfirmed()).toBe(false);
      for (const agoMs of [0, 10 * MINUTE_MS]) {
        clock.readId(snowflakeAt(Date.now() - agoMs));
        expect(clock.isConfirmed()).toBe(true);
        expect(offMs()).toBeLessThan(2000);
      }
    },
  );

  test('the clock needs no id while the machine’s clock agrees within minutes', async () => {
    ahead.machineMs = 3 * MINUTE_MS;
    await ask();
    expect(clock.isConfirmed()).toBe(true);
    expect(offMs()).toBeLessThan(2000);
  });

  test('the clock does not believe one date that is wrong after the machine’s clock was moved', async () => {
    await ask();
    ahead.machineMs = 2 * MINUTE_MS;
    ahead.discordMs = 8 * DAY_MS;
    await ask();
    expect(offMs(Date.now())).toBeLessThan(2000);
  });

  test('the clock runs on while Discord cannot be reached and the machine’s clock jumps', async () => {
    await ask();
    discord.faults.add({ cut: true });
    ahead.machineMs = 5 * DAY_MS;
    await clock.compare();
    expect(offMs()).toBeLessThan(2000);
  });

  test('the clock is not moved by an answer that took its time', async () => {
    ahead.machineMs = 800;
    await ask();
    ahead.discordMs = -20_000;
    await ask();
    expect(Math.abs(clock.now() - Date.now() - 800)).toBeLessThan(700);
  });
});

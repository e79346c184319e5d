import { Writable } from 'node:stream';
import { REST } from 'discord.js';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Discord, startDiscord } from '../../../discord-box/src/index.ts';
import { awaitSessions } from '../../../src/discord/gateway/session-budget.ts';
import { ownMs } from '../../fixtures/own-time.ts';

let discord: Discord;
beforeAll(async () => {
  discord = await startDiscord();
});
afterAll(() => discord.stop());

/** Resolves with how long it waited and what it said, after Discord allowed so many sessions. */
async function wait(remaining: number, resetAfterMs: number, shards: number | null = null) {
  let said = '';
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      said += chunk.toString();
      done();
    },
  });
  const { clock, identifies } = discord.world;
  identifies.left = { total: 1000, remaining, resetAtMs: clock.now() + resetAfterMs };
  const rest = new REST({ api: discord.apiBase }).setToken(discord.token);
  const [startedMs, ownStartedMs] = [performance.now(), ownMs()];
  await awaitSessions(rest, shards, { now: () => Date.UTC(2027, 0, 1) }, pino(sink));
  return { waitedMs: performance.now() - startedMs, ownMs: ownMs() - ownStartedMs, said };
}

// Withstands (Starts that fail, with one sentence): Few sessions are left, or none
// → it waits and connects
test.each([
  [9, 5000, null, 500],
  [0, 600, null, 600],
  [3, 600, 4, 600],
])(
  'with %i sessions left for %i ms and %s shards it waits, says why and until when',
  async (remaining, resetAfterMs, shards, least) => {
    const { waitedMs, ownMs, said } = await wait(remaining, resetAfterMs, shards);
    expect(waitedMs).toBeGreaterThanOrEqual(least - 5);
    expect(ownMs).toBeLessThan(least + 1500);
    expect(said).toContain('stop what starts it again and again');
    expect(said).toContain('connects at 2027-01-01T00:00:00 UTC');
  },
);

test('with enough sessions left it does not wait', async () => {
  expect(await wait(51, 86_400_000)).toMatchObject({ said: '' });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { snowflakeMs } from '../../../discord-box/src/index.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { type RunningSandbox, startRunningSandbox } from '../page/running-sandbox.ts';
import { isWhole } from '../../fixtures/sample.ts';

/**
 * How the first page that a newcomer opens is ordered on the sandbox's days 1, 7, 14, 21 and 30: by votes, and not by
 * newness. `TEST_LOG_ORDER=1` prints each page.
 */
let running: RunningSandbox;
beforeAll(async () => {
  // The world's numbers of chance are the same in each run; how much is posted goes by the day of the week.
  running = await startRunningSandbox({ startsAtMs: nextMondayMs(Date.now()) });
});
afterAll(() => running.stop());

/** Noon of the first Monday after a moment. The first one of 1970 was the 5th. */
function nextMondayMs(afterMs: number): number {
  const firstMs = 4.5 * DAY_MS;
  return firstMs + Math.ceil((afterMs - firstMs) / (7 * DAY_MS)) * 7 * DAY_MS;
}

type Line = { id: string; title: string; net: number };

const page = async (): Promise<Line[]> =>
  (await running.sandbox.redis?.front(running.sandbox.guildId, 10)) ?? [];

/** Kendall's tau-b of a list's order against values that should fall along it. */
function tau(values: number[]): number {
  let agreeing = 0;
  let different = 0;
  for (let a = 0; a < values.length; a += 1) {
    for (let b = a + 1; b < values.length; b += 1) {
      const sign = Math.sign((values[a] ?? 0) - (values[b] ?? 0));
      agreeing += sign;
      different += Math.abs(sign);
    }
  }
  const pairs = (values.length * (values.length - 1)) / 2;
  return agreeing / Math.sqrt(pairs * different);
}

/** Day by day: one request for weeks would be given up by its client. A day takes a second or two. */
async function liveOn(days: number): Promise<void> {
  const { sandbox } = running;
  for (let day = 0; day < days; day += 1) {
    const untilMs = sandbox.world.clock.now() + DAY_MS;
    const answer = await fetch(`${sandbox.address}/sandbox/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ addMs: DAY_MS }),
    });
    expect(answer.status).toBe(200);
    expect(sandbox.world.clock.now()).toBeGreaterThanOrEqual(untilMs);
  }
}

test.runIf(isWhole)(
  'the front page is ordered by votes and not by newness on the first day and in each week of a month',
  async () => {
    let day = 1;
    for (const wanted of [1, 7, 14, 21, 30]) {
      if (wanted > day) await liveOn(wanted - day);
      day = wanted;
      const lines = await page();
      expect(lines).toHaveLength(10);
      const byVotes = tau(lines.map(({ net }) => net));
      const byNewness = tau(lines.map(({ id }) => snowflakeMs(id)));
      console.info(
        `day ${day}: tau against votes ${byVotes.toFixed(2)}, newness ${byNewness.toFixed(2)}`,
      );
      if (process.env['TEST_LOG_ORDER'] === '1') {
        for (const { title, net } of lines) console.info(`  ▲ ${net} ${title}`);
      }
      expect(byVotes).toBeGreaterThan(byNewness);
      expect(byVotes).toBeGreaterThan(0.2);
    }
  },
  600_000,
);

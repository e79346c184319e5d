import { afterEach, expect, test, vi } from 'vitest';
import { openCompletionTurns } from '../../../src/discord/interactions/completion-turns.ts';

afterEach(() => {
  vi.useRealTimers();
});

const keystroke = (id: string, user: string, guildId = '1') => ({
  id,
  guildId,
  user: { id: user },
});

/** Work that ends when the test says so, and what was begun, in order. */
function openDesk(patienceMs = 60_000) {
  const inTurn = openCompletionTurns(patienceMs);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const type = (id: string, user: string, guildId?: string) =>
    inTurn(keystroke(id, user, guildId), async () => {
      begun.push(id);
      await new Promise<void>((end) => ends.set(id, end));
      return [id];
    });
  return { type, begun, end: (id: string) => ends.get(id)?.() };
}

test('of a member’s keystrokes only the newest is worked on, and of a guild’s one at a time', async () => {
  const { type, begun, end } = openDesk();
  const first = type('1', 'ada');
  await expect.poll(() => begun).toEqual(['1']);
  const overtaken = ['2', '3', '4'].map((id) => type(id, 'ada'));
  const newest = type('5', 'ada');
  const other = type('6', 'bob');
  end('1');
  expect(await first).toEqual(['1']);
  expect(await Promise.all(overtaken)).toEqual([[], [], []]);
  await expect.poll(() => begun).toEqual(['1', '5']);
  end('5');
  expect(await newest).toEqual(['5']);
  await expect.poll(() => begun).toEqual(['1', '5', '6']);
  end('6');
  expect(await other).toEqual(['6']);
});

test('another guild does not wait', async () => {
  const { type, begun, end } = openDesk();
  void type('1', 'ada');
  const elsewhere = type('2', 'ada', '2');
  await expect.poll(() => begun).toEqual(['1', '2']);
  end('2');
  expect(await elsewhere).toEqual(['2']);
});

test('nothing is done for a keystroke that has waited too long', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const { type, begun, end } = openDesk(20);
  const late = [type('1', 'ada'), type('2', 'bob')];
  await vi.advanceTimersByTimeAsync(21);
  expect(await Promise.all(late)).toEqual([[], []]);
  void type('3', 'ada');
  end('1');
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['1', '3']);
  end('3');
});

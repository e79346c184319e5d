import {
  assert,
  asyncProperty,
  array,
  boolean,
  constantFrom,
  integer,
  oneof,
  record,
  constant,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GatewayEvent } from '../../src/voting/gateway-event.ts';
import { openRetryBuffer } from '../../src/voting/retry-buffer.ts';
import { patience } from '../fixtures/scene.ts';

type Member = { shown: Set<string>; newest: string | null };

/** The rule of the game for one article: the vote is the last added that is still shown. */
function openTally() {
  const members = new Map<string, Member>();
  const of = (name: string): Member => {
    const member = members.get(name) ?? { shown: new Set(), newest: null };
    members.set(name, member);
    return member;
  };
  const hide = (member: Member, direction: string): void => {
    member.shown.delete(direction);
    if (member.newest === direction) member.newest = [...member.shown][0] ?? null;
  };
  return {
    apply(event: GatewayEvent): void {
      if (event.kind === 'removal') return members.clear();
      const { direction } = event;
      if (event.kind === 'clear') {
        for (const member of members.values()) {
          for (const shown of direction === 'all' ? ['up', 'down'] : [direction])
            hide(member, shown);
        }
        return;
      }
      const member = of(event.member);
      if (!event.shown) return hide(member, direction);
      if (!member.shown.has(direction)) member.newest = direction;
      member.shown.add(direction);
    },
    /** Discord tells of changes alone. */
    isChange(event: GatewayEvent): boolean {
      if (event.kind !== 'reaction') return true;
      return members.get(event.member)?.shown.has(event.direction) !== event.shown;
    },
    votes: () =>
      [...members]
        .filter(([, { newest }]) => newest !== null)
        .map(([name, { newest }]) => `${name} ${newest}`)
        .sort(),
  };
}

const place = { guild: '1', channel: '2', article: '3', atMs: 0 };
const reaction = record({
  kind: constant('reaction' as const),
  member: constantFrom('10', '11', '12'),
  direction: constantFrom('up' as const, 'down' as const),
  shown: boolean(),
});
const clear = record({
  kind: constant('clear' as const),
  direction: constantFrom('up' as const, 'down' as const, 'all' as const),
});
const events = array(oneof({ weight: 8, arbitrary: reaction }, { weight: 1, arbitrary: clear }), {
  minLength: 1,
  maxLength: 40,
});
/** Of each write: it arrives, it is lost, or it arrives and only the answer is lost. */
const fates = array(constantFrom('arrives', 'lost', 'unanswered'), { minLength: 1, maxLength: 60 });
/** After how many events there is a pause in which answers come. */
const pauses = array(integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 40 });

describe('what is taken in while Redis comes and goes', () => {
  test('leaves every member with the vote that Discord shows', async () => {
    await assert(
      asyncProperty(events, fates, pauses, async (events, fates, pauses) => {
        const discord = openTally();
        const redis = openTally();
        let said = 0;
        let healthy = false;
        const buffer = openRetryBuffer({
          limit: 1000,
          async write(event) {
            const fate = healthy ? 'arrives' : (fates[said % fates.length] ?? 'arrives');
            said += 1;
            if (fate !== 'lost') redis.apply(event);
            await Promise.resolve();
            if (fate !== 'arrives') throw new Error('Command timed out');
            return {};
          },
          onFault: (error) => expect.unreachable(String(error)),
          onOutage: () => {},
          onOverflow: () => expect.unreachable('There is room enough.'),
          probeEveryMs: 1,
        });
        let untilPause = pauses[0] ?? 1;
        for (const [i, change] of events.entries()) {
          const event = { ...place, ...change };
          if (!discord.isChange(event)) continue;
          discord.apply(event);
          buffer.take(event);
          untilPause -= 1;
          if (untilPause > 0) continue;
          await new Promise((resolve) => setImmediate(resolve));
          untilPause = pauses[i % pauses.length] ?? 1;
        }
        healthy = true;
        await expect.poll(buffer.size, { ...patience, interval: 1 }).toBe(0);
        buffer.stop();
        expect(redis.votes()).toEqual(discord.votes());
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  test('is kept up to a limit, and what does not fit is told', async () => {
    const told: string[] = [];
    const buffer = openRetryBuffer({
      limit: 2,
      write: () => Promise.reject(new Error('Connection is closed.')),
      onFault: (error) => expect.unreachable(String(error)),
      onOutage: () => {},
      onOverflow: ({ article }) => told.push(article),
      probeEveryMs: 60_000,
    });
    const vote = { ...place, kind: 'reaction', direction: 'up', shown: true } as const;
    buffer.take({ ...vote, member: '10' });
    await buffer.settled();
    for (const member of ['10', '11', '12', '13']) buffer.take({ ...vote, member });
    expect(buffer.size()).toBe(2);
    expect(told).toEqual(['3', '3']);
    buffer.stop();
  });

  test('with another fault than an outage is tried again with pauses, before what came after it', async () => {
    const faults: unknown[] = [];
    const written: boolean[] = [];
    let broken = true;
    const buffer = openRetryBuffer({
      limit: 2,
      write(event) {
        if (broken) return Promise.reject(new Error('ERR a script is broken'));
        written.push(event.kind === 'reaction' && event.shown);
        return Promise.resolve({});
      },
      onFault: (error) => faults.push(error),
      onOutage: () => expect.unreachable('Redis is there.'),
      onOverflow: () => expect.unreachable('There is room enough.'),
      pausesMs: [5, 50],
    });
    const vote = { ...place, kind: 'reaction', direction: 'up', member: '10' } as const;
    buffer.take({ ...vote, shown: true });
    await expect.poll(() => faults.length, { ...patience, interval: 1 }).toBeGreaterThan(1);
    broken = false;
    buffer.take({ ...vote, shown: false });
    await expect.poll(buffer.size, { ...patience, interval: 1 }).toBe(0);
    expect(written).toEqual([false]);

    broken = true;
    buffer.take({ ...vote, shown: true });
    await expect.poll(buffer.size, { ...patience, interval: 1 }).toBe(0);
    buffer.stop();
  });
});

import { describe, expect, test } from 'vitest';
import { memberSubject, subjectKey } from '../../src/community/block-subject.ts';
import { zBlock } from '../../src/community/blocks.ts';
import type { Rules } from '../../src/community/guild-rules.ts';
import { mayVote, tooYoung } from '../../src/community/may-vote.ts';
import {
  openMemberLimits,
  requireFewWaiting,
  requireWalk,
  requireWithinLimit,
} from '../../src/community/member-limits.ts';
import { fixedScale, parseSetting, type Settings, STANDARD } from '../../src/community/settings.ts';
import { isOfOther, offeredIn, signsOfGuild } from '../../src/community/vote-offer.ts';
import { UserError } from '../../src/discord/user-error.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { snowflakeAt } from '../../src/runtime/snowflake.ts';

const now = Date.UTC(2027, 2, 10);
const bornMs = now - 10 * DAY_MS;
const member = snowflakeAt(bornMs);
const facts = { id: member, joinedAtMs: now - 5 * DAY_MS, roles: ['7'] };
const by = '200000000000000001';

function rules(settings: Partial<Settings> = {}, more: Partial<Rules> = {}): Rules {
  const none = { blocks: new Map(), optedOut: new Set<string>() };
  return { settings: { ...STANDARD, ...settings }, ...none, ...more };
}

const blocked = (block: object) =>
  new Map([
    [
      subjectKey(memberSubject(member)),
      { ...zBlock.parse({ by, ...block }), subject: memberSubject(member) },
    ],
  ]);

test.each<[Settings['mark'], Settings['span'], boolean]>([
  [null, null, true],
  [200, null, true],
  [null, 1, true],
  [200, 2, true],
  [100, 1, true],
  [200, 1, false],
])('a mark of %s and a span of %s days limit how far votes lift: %s', (mark, span, isLimited) => {
  expect(fixedScale({ ...STANDARD, mark, span })).toEqual({
    ...(mark !== null && { mark }),
    ...(span !== null && { spanDays: span }),
    isLimited,
  });
});

describe('whose vote counts', () => {
  test.each<[string, Rules, boolean]>([
    ['of anybody counts', rules(), true],
    ['of who opted out does not count', rules({}, { optedOut: new Set([member]) }), false],
    [
      'of who is blocked from voting does not count',
      rules({}, { blocks: blocked({ voting: true }) }),
      false,
    ],
    [
      'of whose block ended counts',
      rules({}, { blocks: blocked({ voting: true, untilMs: now }) }),
      true,
    ],
    ['of who is blocked from posting alone counts', rules({}, { blocks: blocked({}) }), true],
    [
      'of an account of ten days counts where it must be so old',
      rules({ 'account-days': 10 }),
      true,
    ],
    [
      'of an account of ten days does not count where it must be older',
      rules({ 'account-days': 11 }),
      false,
    ],
    [
      'of a member of five days counts where they must be so long there',
      rules({ 'member-days': 5 }),
      true,
    ],
    [
      'of a member of five days does not count where it must be longer',
      rules({ 'member-days': 6 }),
      false,
    ],
    ['of who has a role that may vote counts', rules({ 'vote-roles': ['6', '7'] }), true],
    ['of who has no role that may vote does not count', rules({ 'vote-roles': ['6', '8'] }), false],
  ])('a vote %s', (_, of, counts) => {
    expect(mayVote(of, facts, now)).toBe(counts);
  });

  test('what Discord did not tell of a member forbids no vote, but their account’s age is known', () => {
    const unknown = { id: member, joinedAtMs: null, roles: null };
    expect(mayVote(rules({ 'member-days': 365, 'vote-roles': ['8'] }), unknown, now)).toBe(true);
    expect(mayVote(rules({ 'account-days': 365 }), unknown, now)).toBe(false);
  });

  test('who joined a moment after this machine’s time votes where no age is asked', () => {
    const young = { ...facts, id: snowflakeAt(now + 2000), joinedAtMs: now + 2000 };
    expect(mayVote(rules(), young, now)).toBe(true);
  });

  test('who is too young is told which age counts, and when it is reached', () => {
    const until = (settings: Partial<Settings>) => tooYoung(rules(settings), facts, now);
    expect(until({ 'account-days': 12 })).toEqual({
      reason: 'account',
      untilMs: bornMs + 12 * DAY_MS,
    });
    expect(until({ 'member-days': 12 })).toEqual({ reason: 'member', untilMs: now + 7 * DAY_MS });
    expect(until({})).toBeNull();
  });
});

const needs = (waiting = 0) => ({
  ranking: { turns: { waitingOf: () => waiting } } as never,
  memberLimits: openMemberLimits(),
  clock: { now: () => now },
});

describe('the limits of long lists', () => {
  test('a member reads so many long lists in a minute, a server so many more, and another server all the same', () => {
    const of = needs();
    const isRead = (guild: string, who: string) => {
      try {
        requireWalk(of, guild, who);
        return true;
      } catch (error) {
        return !(error instanceof UserError);
      }
    };
    const tries = Array.from({ length: 100 }, (_, at) => at);
    const read = (guild: string, who: string) => tries.filter(() => isRead(guild, who)).length;
    const readers = ['1', '2', '3', '4', '5', '6'];
    const each = readers.map((who) => read('guild', who));
    expect(each[0]).toBeGreaterThan(0);
    expect(each.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => each[0]));
    expect(each.slice(4)).toEqual([0, 0]);
    expect(read('other', '1')).toBe(each[0]);
  });

  test('while many of a server’s long lists wait, no further one begins', () => {
    expect(() => requireFewWaiting(needs(19), 'guild')).not.toThrow();
    expect(() => requireFewWaiting(needs(20), 'guild')).toThrow(UserError);
  });
});

test('who does too much in a short time is told a time at which it is done again', () => {
  const count = () => requireWithinLimit(of, 'guild', member, 'report');
  const nowMs = now + 1;
  let elapsedMs = 0;
  const of = { memberLimits: openMemberLimits(() => elapsedMs), clock: { now: () => nowMs } };
  let said = '';
  for (let n = 0; n < 100 && said === ''; n += 1) {
    try {
      count();
    } catch (error) {
      if (error instanceof UserError) said = error.inLanguageOf('en');
    }
  }
  const [, seconds = ''] = /<t:(\d+):R>/.exec(said) ?? [];
  elapsedMs = Number(seconds) * 1000 - nowMs;
  expect(count).not.toThrow();
});

describe('a setting that is typed or restored', () => {
  test.each<[keyof Settings, unknown, boolean]>([
    ['up-emoji', '🔥', true],
    ['up-emoji', '<:yes:1300000000000000001>', true],
    ['up-emoji', ':yes:', false],
    ['up-emoji', 'yes', false],
    ['up-emoji', '', false],
    ['account-days', 365, true],
    ['account-days', 366, false],
    ['account-days', -1, false],
    ['account-days', 0.5, false],
    ['mark', 0, false],
    ['mark', null, true],
    ['language', 'de', true],
    ['language', 'not a language', false],
    ['log', 'general', false],
    ['groups', Array.from({ length: 26 }, () => '1'), false],
    ['votes', 'down', false],
    ['discussion', undefined, false],
  ])('the setting %s takes %j: %s', (name, value, is) => {
    expect(parseSetting(name, value) !== undefined).toBe(is);
  });
});

const isDown = (votes: Settings['votes'], home: string | null) =>
  offeredIn({ ...STANDARD, votes, 'votes-otherwise': ['1'] }, home).isDownOffered;

describe('the signs of votes', () => {
  const own = { ...STANDARD, 'up-emoji': '🔥', 'down-emoji': '🧊' };

  test('the signs of votes are the server’s own, and the thumbs where a restored file names one twice', () => {
    expect(signsOfGuild(own)).toEqual({ up: '🔥', down: '🧊', isDownOffered: true });
    expect(signsOfGuild({ ...own, 'down-emoji': '🔥' })).toMatchObject({ up: '👍', down: '👎' });
    expect(signsOfGuild({ ...own, 'up-emoji': null })).toMatchObject({ up: '👍', down: '🧊' });
  });

  test('the signs of votes offer 👎 by the server’s setting, and the other way in the channels that it names', () => {
    expect([isDown('both', '2'), isDown('both', '1'), isDown('both', null)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([isDown('up', '2'), isDown('up', '1'), isDown('up', null)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('the signs of votes are two: what stands for one is not taken for the other', () => {
    expect(isOfOther(own, 'up-emoji', '🧊')).toBe(true);
    expect(isOfOther(own, 'down-emoji', '🔥')).toBe(true);
    expect(isOfOther(own, 'up-emoji', '🔥')).toBe(false);
    // 👎 always stands for a vote against.
    expect(isOfOther(own, 'up-emoji', '👎')).toBe(true);
    expect(isOfOther(STANDARD, 'up-emoji', '👎')).toBe(true);
    expect(isOfOther(STANDARD, 'up-emoji', '🎉')).toBe(false);
  });
});

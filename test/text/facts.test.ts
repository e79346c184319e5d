import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import {
  ageText,
  hostBeside,
  netVotesText,
  shortAgeText,
  shortHost,
  votesText,
} from '../../src/text/facts.ts';
import { languages } from '../../src/text/catalogue.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

describe('an age', () => {
  test.each([
    [-HOUR_MS, '1 minute ago'],
    [0, '1 minute ago'],
    [59 * MINUTE_MS, '59 minutes ago'],
    [HOUR_MS, '1 hour ago'],
    [DAY_MS - 1, '23 hours ago'],
    [29 * DAY_MS, '29 days ago'],
    [31 * DAY_MS, '1 month ago'],
    [364 * DAY_MS, '12 months ago'],
    [800 * DAY_MS, '2 years ago'],
  ])('an age of %d ms is "%s"', (agoMs, text) => {
    expect(ageText('en', now - agoMs, now)).toBe(text);
  });

  test.each([
    ['en', 4 * HOUR_MS, '4h ago'],
    ['de', 4 * HOUR_MS, 'vor 4 Std.'],
    ['fr', 4 * HOUR_MS, 'il y a 4\u00a0h'],
    ['en', 31 * DAY_MS, '1 month ago'],
    ['en', 800 * DAY_MS, '2 years ago'],
  ])(
    'an age in a line of facts is short in %s, but for months and years: %d ms is "%s"',
    (locale, agoMs, text) => {
      expect(shortAgeText(locale, now - agoMs, now)).toBe(text);
    },
  );

  test.each([...languages.keys()])('a short age in %s is no negative number', (locale) => {
    for (const unitMs of [MINUTE_MS, HOUR_MS, DAY_MS]) {
      const text = shortAgeText(locale, now - 5 * unitMs, now);
      expect(text).toMatch(/5/);
      expect(text).not.toMatch(/^[-\u2212]/);
    }
  });

  test("an age is in the reader's language, and in English where that is not translated", () => {
    expect(ageText('zh-CN', now - 3 * HOUR_MS, now)).toBe('3小时前');
    expect(ageText('xx', now - 3 * HOUR_MS, now)).toBe('3 hours ago');
  });
});

test.each([
  ['en', { up: 1300, down: 66 }, '▲ 1,234'],
  ['de', { up: 66, down: 1300 }, '▼ 1.234'],
  ['fr', { up: 1234, down: 0 }, '▲ 1\u202f234'],
  ['ja', { up: 1, down: 1 }, '▲ 0'],
])('net votes are grouped as one does in %s', (locale, tally, text) => {
  expect(netVotesText(locale, tally)).toBe(text);
});

test('votes say in brackets how many came since, and none where nobody asked', () => {
  expect([votesText('en', 61, 53), votesText('en', 61), votesText('en', -2)]).toEqual([
    '▲ 61 (+53)',
    '▲ 61',
    '▼ 2',
  ]);
});

test('of a long host the end is shown, which says whose it is', () => {
  const host = `${'login.bank.example.'.repeat(5)}evil.example`;
  expect(shortHost(`https://www.${host}/`)).toMatch(/^….*\.evil\.example$/);
  expect(shortHost(`https://www.${host}/`)).toHaveLength(60);
  expect(shortHost('https://www.example.com:8080/a')).toBe('example.com:8080');
});

/** A list shows all of it, and not of a longer one. */
const HOST_OF_29 = 'bank.example.evil.example.com';

test.each([
  ['kottke.org', 'https://www.kottke.org/', null],
  ['LinuxFr.org', 'https://linuxfr.org/news', null],
  ['kottke.org', 'https://evil.example/kottke.org', 'evil.example'],
  [HOST_OF_29, `https://${HOST_OF_29}/`, null],
  [`x${HOST_OF_29}`, `https://x${HOST_OF_29}/`, `x${HOST_OF_29}`],
  ['evil.example kottke.org', 'https://evil.example/', 'evil.example'],
  ['evil.example/ kottke.org', 'https://evil.example/%20kottke.org', 'evil.example'],
])('beside the title "%s" of %s stands the host %j', (title, link, host) => {
  expect(hostBeside({ title, link })).toBe(host);
});

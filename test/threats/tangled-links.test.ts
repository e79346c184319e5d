import { describe, expect, test } from 'vitest';
import { siteSubject, subjectKey } from '../../src/community/block-subject.ts';
import { siteBlock } from '../../src/community/blocks.ts';
import { ADDRESSES_AT_MOST, addressesOf } from '../../src/ranking/links/addresses.ts';
import { MAX_LINK_LENGTH } from '../../src/ranking/links/parse.ts';

/** How often an address is looked at to judge a link. */
function looksFor(link: string): number {
  let looks = 0;
  addressesOf(new URL(link), () => (looks += 1));
  return looks;
}

const parameters = (count: number, one: (i: number) => string): string =>
  `https://a.co/?${Array.from({ length: count }, (_, i) => one(i)).join('&')}`;

/** Different pieces each time, so that nothing is remembered of an earlier one. */
const TANGLES: [string, (count: number) => string][] = [
  ['parameters with addresses', (n) => parameters(n, (i) => `a${i}=http:/b${i}.co?`)],
  ['values that begin with slashes', (n) => parameters(n, (i) => `a${i}=//b${i}.co`)],
  [
    'values without a scheme',
    (n) => `https://disq.us/?${Array.from({ length: n }, (_, i) => `url${i}=b${i}.co`).join('&')}`,
  ],
  [
    'redirects within redirects',
    (n) => Array.from({ length: n }, (_, i) => `https://r${i}.co/?u=`).join('') + 'https://a.co',
  ],
  [
    'caches within caches',
    (n) =>
      `https://google.com${Array.from({ length: n }, (_, i) => `/amp/s/google.co.u${i}`).join('')}`,
  ],
  [
    'archives of archives',
    (n) =>
      `https://archive.ph/${Array.from({ length: n }, (_, i) => `archive.ph/x${i}`).join('/')}`,
  ],
  [
    'spellings within spellings',
    (n) =>
      `https://urldefense.proofpoint.com/v2/url?u=${Array.from({ length: n }, (_, i) => `https-3A__urldefense.proofpoint.com_v${i}-3Fu=`).join('')}`,
  ],
  [
    'links in Base64',
    (n) => parameters(n, (i) => `${i}=${Buffer.from(`https://b${i}.co`).toString('base64url')}`),
  ],
  [
    'signs put back within signs put back',
    (n) =>
      Array.from({ length: n }, (_, i) => `https://urldefense.com/v3/__*${i}`).join('') +
      '__;Ly8v!',
  ],
];

describe('the work to judge a link', () => {
  // Withstands (Attacks): A link holds so many addresses that to judge it takes seconds
  // → each is looked at once, and a hundred at most
  test.each(TANGLES)('the work to judge a link grows by its length alone: %s', (_, tangle) => {
    const [some, twice] = [looksFor(tangle(8)), looksFor(tangle(16))];
    expect(twice).toBeLessThanOrEqual(2 * some + 2);
  });

  test.each(TANGLES)('the work to judge a link ends at a bound: %s', (_, tangle) => {
    let count = 8;
    while (tangle(count + 1).length <= MAX_LINK_LENGTH) count += 1;
    expect(looksFor(tangle(count))).toBeLessThanOrEqual(ADDRESSES_AT_MOST + 1);
  });
});

test('a link with too many addresses to judge cannot be posted where origins are blocked, and is not looked at elsewhere', () => {
  const subject = siteSubject('spam.example')!;
  const block = { posting: true, voting: false, reason: '', by: '1', sinceMs: 0, untilMs: null };
  const blocks = new Map([[subjectKey(subject), { subject, ...block }]]);
  const href = `${parameters(ADDRESSES_AT_MOST + 1, () => 'a=//b.co')}&u=https://spam.example/`;
  expect(siteBlock(blocks, { href }, 1)).toBe('tangled');
  expect(siteBlock(new Map(), { href }, 1)).toBeNull();
});

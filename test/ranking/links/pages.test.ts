import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonicalLink } from '../../../src/ranking/links/canonical.ts';
import { parseUrl } from '../../../src/runtime/url.ts';

const text = readFileSync(new URL('pages.txt', import.meta.url), 'utf8').replace(/^#.*\n/gm, '');
const paragraphs = text
  .trim()
  .split('\n\n')
  .map((lines) => lines.split('\n').map((page) => page.split(' ')));
const pages = paragraphs.flat();

const canonical = (address: string) => canonicalLink(parseUrl(address)!);

describe('of the addresses of the public web that we keep', () => {
  test('a thousand addresses of the public web are kept for the rules of links', () => {
    expect(pages.flat().length).toBeGreaterThanOrEqual(1000);
  });

  test.each(pages.filter((addresses) => addresses.length > 1))(
    'all of one page are one: %s',
    (...addresses) => {
      const [first = '', ...others] = addresses;
      for (const other of others) expect(canonical(other)).toBe(canonical(first));
    },
  );

  test.each(paragraphs.filter((paragraph) => paragraph.length > 1))(
    'different pages stay different, from %j on',
    (...paragraph) => {
      const forms = paragraph.map(([address]) => canonical(address!));
      const twice = paragraph.filter((_, at) => forms.indexOf(forms[at]!) !== at);
      expect(twice).toEqual([]);
    },
  );

  test('each has a canonical form that is its own', () => {
    for (const address of pages.flat()) {
      expect(canonical(canonical(address))).toBe(canonical(address));
    }
  });
});

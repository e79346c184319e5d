import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import {
  canonicalLink,
  LINK_RULES_VERSION,
  RULE_FILES,
} from '../../../src/ranking/links/canonical.ts';
import { knownSites, type Site, splitHost, ways } from '../../../src/ranking/links/known-sites.ts';
import { parseLink } from '../../../src/ranking/links/parse.ts';
import { redirectTarget } from '../../../src/ranking/links/redirects.ts';
import { otherNames } from '../../../src/ranking/links/other-names.ts';
import { otherPages, samePage } from './link-pairs.ts';

const pairs = samePage.flatMap(([first = '', ...others]) =>
  others.map((other): [string, string] => [first, other]),
);

function canonical(link: string): string {
  const parsed = parseLink(link);
  if (parsed.status === 'refused') throw new Error(`${link} is refused: ${parsed.reason}`);
  return parsed.canonical;
}

describe('two links', () => {
  test('two links are told apart and known again in many pairs', () => {
    expect(pairs.length).toBeGreaterThanOrEqual(150);
    expect(otherPages.length).toBeGreaterThanOrEqual(100);
  });
  test.each(pairs)('%j and %j lead to the same page', (one, other) => {
    expect(canonical(other)).toBe(canonical(one));
  });
  test.each(otherPages)('%j and %j lead to different pages', (one, other) => {
    expect(canonical(other)).not.toBe(canonical(one));
  });
});

const kept = readFileSync(new URL('pages.txt', import.meta.url), 'utf8').match(/https?:\S+/g)!;
/** All links of the tables, with their hosts as the rules see them. */
const tables = [...samePage.flat(), ...otherPages.flat(), ...kept].map(
  (link) => new URL(link.trim().replace('//www.', '//')),
);
const hosts = new Map(tables.map((url) => [url, splitHost(url.hostname)]));
const isOn = (site: Site) => (url: URL) => site(hosts.get(url)!);

const ruleOf = new Map(
  tables.map((url) => [url, knownSites.find(({ sites }) => sites.some((one) => isOn(one)(url)))]),
);

/** The links for which a rule is the one that applies. */
function linksOf(rule: (typeof knownSites)[number]): URL[] {
  return tables.filter((url) => ruleOf.get(url) === rule);
}

test('every site of a rule has a link in the tables, and so has each form, which no earlier one takes', () => {
  const unused = knownSites.flatMap((rule, at) => {
    const { sites, pages = [], drops } = rule;
    const links = linksOf(rule);
    const named = `rule ${at + 1} (${[drops ?? '', ...pages.map(([form]) => form)].join(' ')})`;
    const addresses = links.map(({ hostname, pathname, search }) => hostname + pathname + search);
    const used = new Set(addresses.map((one) => pages.find(([form]) => form.test(one))));
    return [
      ...sites.flatMap((site, of) => (links.some(isOn(site)) ? [] : [`${named}: site ${of + 1}`])),
      ...pages.flatMap((page) => (used.has(page) ? [] : [`${named}: form ${page[0]}`])),
    ];
  });
  expect(unused).toEqual([]);
});

test('no parameter that a rule drops for its site makes another page of a link', () => {
  const dropped: [URL[], string][] = [
    ...knownSites.map((rule): [URL[], string] => [linksOf(rule), rule.drops ?? '']),
    ...ways.map(([site, names]): [URL[], string] => [tables.filter(isOn(site)), names]),
  ];
  for (const [links, names] of dropped) {
    const link = links.find(({ search }) => search === '') ?? links[0];
    // If the tables have no link of the site, this names what it drops.
    expect([names, link]).toEqual([names, expect.any(URL)]);
    for (const name of names.split(' ').filter(Boolean)) {
      const parameter = name.includes('=') ? name : `${name}=x1`;
      const shared = `${link!.href}${link!.search === '' ? '?' : '&'}${parameter}`;
      const forms = [shared, canonicalLink(new URL(shared))];
      expect(forms).toEqual([shared, canonicalLink(link!)]);
    }
  }
});

test.each(otherNames)('%s has one name, whichever of its hosts a link has', (site, hosts) => {
  const own = canonicalLink(new URL(`https://${site}/a/1`));
  expect(hosts.split(' ').map((host) => canonicalLink(new URL(`https://www.${host}/a/1`)))).toEqual(
    hosts.split(' ').map(() => own),
  );
  // No site is another name itself.
  expect(otherNames.flatMap(([, names]) => names.split(' '))).not.toContain(site);
});

test('the version of the rules is made of all their files', () => {
  const rules = (name: string): string[] => {
    const path = new URL(`../../../src/ranking/links/${name}.ts`, import.meta.url);
    const used = [...readFileSync(path, 'utf8').matchAll(/ from '\.\/([\w-]+)\.ts'/g)];
    return [name, ...used.flatMap(([, other]) => rules(other!))];
  };
  expect(new Set(RULE_FILES)).toEqual(new Set(rules('canonical')));
  expect(LINK_RULES_VERSION).toMatch(/^[0-9a-f]{16}$/);
});

test('a redirect to what is no address leads nowhere, and to itself', () => {
  const link = 'https://l.facebook.com/l.php?u=https%3A%2F%2F%5B';
  expect(redirectTarget(new URL(link))).toBeNull();
  expect(parseLink(link)).toMatchObject({ status: 'accepted', href: link });
});

describe('a canonical link', () => {
  const known = [...samePage.flat(), ...otherPages.flat()];

  test('a canonical link has itself for its canonical form', () => {
    for (const link of known) expect(canonical(canonical(link))).toBe(canonical(link));
  });

  test('a canonical link has itself for its canonical form, whatever it was made of', () => {
    const hosts = known.map((link) => new URL(link.trim()).host);
    const pieces =
      'amp index.html status 1 a A %7e %2f dp B08N5WRWNW shorts comments abs pdf 1706.03762v1.pdf .. ' +
      'ref=1 video x.amp.html wiki';
    const parameters =
      'utm_source=1 v=1 q=https://a.example/b a a= b=1+2 b=%31 amp=1 p=2 & list=1 %zz ' +
      'u=https%3A%2F%2Fx.com%2Fa%2Fstatus%2F1';
    const piece = fc.constantFrom('', ...pieces.split(' '));
    const parameter = fc.constantFrom(...parameters.split(' '));
    fc.assert(
      fc.property(
        fc.constantFrom(...hosts),
        fc.array(piece, { maxLength: 5 }),
        fc.array(parameter, { maxLength: 4 }),
        fc.constantFrom('', '#', '#a', '#/a', '#!b'),
        (host, path, query, hash) => {
          const text = `http://${host}/${path.join('/')}?${query.join('&')}${hash}`;
          const once = canonicalLink(new URL(text));
          expect(canonicalLink(new URL(once))).toBe(once);
        },
      ),
      { numRuns: 800 },
    );
  });
});

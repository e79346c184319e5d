import { describe, expect, test } from 'vitest';
import {
  canonicalOf,
  type LinkRefusal,
  parseLink,
  parseTypedLink,
} from '../../../src/ranking/links/parse.ts';

const canonicals: [given: string, canonical: string][] = [
  ['https://news.example/a', 'https://news.example/a'],
  ['HTTPS://News.Example', 'https://news.example/'],
  ['  https://news.example/a  ', 'https://news.example/a'],
  ['https://news.example:443/a', 'https://news.example/a'],
  ['http://news.example:80/a', 'https://news.example/a'],
  ['http://news.example:8080/a', 'https://news.example:8080/a'],
  ['https://news.example/a#section', 'https://news.example/a'],
  ['https://news.example/a?utm_source=x', 'https://news.example/a'],
  ['https://news.example/a?utm_source=x&b=1&UTM_Campaign=y', 'https://news.example/a?b=1'],
  ['https://news.example/a?b=%20c+d&utm_medium=x', 'https://news.example/a?b=%20c%20d'],
  ['https://news.example/a?my_utm_source=x', 'https://news.example/a?my_utm_source=x'],
  ['https://news.example/a?', 'https://news.example/a'],
  ['https://news.example/a/../b', 'https://news.example/b'],
  ['https://bücher.de/ä', 'https://xn--bcher-kva.de/%C3%A4'],
  ['https:\\\\news.example\\a', 'https://news.example/a'],
  ['https://a.co.uk/', 'https://a.co.uk/'],
  ['https://someone.github.io/x', 'https://someone.github.io/x'],
  ['https://under_score.example.com/', 'https://under_score.example.com/'],
];

const refusals: [given: string, reason: LinkRefusal][] = [
  ['', 'malformed'],
  ['   ', 'malformed'],
  ['news.example/a', 'malformed'],
  ['https://', 'malformed'],
  ['https://a b.example/', 'malformed'],
  ['http://news.example:99999/', 'malformed'],
  ['javascript:alert(1)', 'scheme'],
  ['data:text/html,x', 'scheme'],
  ['ftp://news.example/', 'scheme'],
  ['ftp://a b.example/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['discord://-/channels/1', 'scheme'],
  ['https://discord.com@evil.example/', 'userinfo'],
  ['https://user:password@news.example/', 'userinfo'],
  ['https://:password@news.example/', 'userinfo'],
  ['http://127.0.0.1/', 'address'],
  ['http://8.8.8.8/', 'address'],
  ['http://2130706433/', 'address'],
  ['http://0x7f.1/', 'address'],
  ['http://017700000001/', 'address'],
  ['http://127.0.0.1./', 'address'],
  ['http://[::1]/', 'address'],
  ['http://[2606:4700::1111]/', 'address'],
  ['http://localhost/', 'host'],
  ['http://localhost./', 'host'],
  ['http://printer/', 'host'],
  ['http://printer.local/', 'host'],
  ['http://app.localhost/', 'host'],
  ['http://wiki.corp/', 'host'],
  ['http://db.internal/', 'host'],
  ['http://co.uk/', 'host'],
  ['http://a`b.com/', 'host'],
  ['http://a..com/', 'host'],
  [`https://news.example/${'a'.repeat(1000)}`, 'long'],
  [`https://news.example/${'ä'.repeat(1000)}`, 'long'],
  // Six signs each, once they are escaped.
  [`https://news.example/${'ä'.repeat(200)}`, 'long'],
];

describe('a link', () => {
  test.each(canonicals)('the link %j is compared as %j', (given, canonical) => {
    expect(parseLink(given)).toMatchObject({ status: 'accepted', canonical });
  });

  test.each(canonicals)('the link %j has a canonical form that is its own', (given) => {
    const { canonical } = parseLink(given) as { canonical: string };
    expect(parseLink(canonical)).toMatchObject({ canonical });
  });

  test('a link with an umlaut is accepted after ten thousand others', () => {
    for (let i = 0; i < 10_000; i++) parseLink(`https://news.example/${i}`);
    expect(parseLink('https://bücher.de/')).toMatchObject({ status: 'accepted' });
  });

  test.each(refusals)('the link %j is refused for its %s', (given, reason) => {
    expect(parseLink(given)).toEqual({ status: 'refused', reason });
  });

  test('a link that is accepted no more is compared as it is', () => {
    for (const link of ['http://127.0.0.1/?utm_source=x', 'no link'])
      expect(canonicalOf(link)).toBe(link);
  });

  test('a link is shown as posted, with fragment and query', () => {
    const href = 'https://news.example/a?utm_source=x&b=1#section';
    expect(parseLink(href)).toMatchObject({ href, host: 'news.example' });
  });

  test('a link of the longest length is accepted', () => {
    const start = 'https://news.example/';
    expect(parseLink(start + 'a'.repeat(1000 - start.length))).toMatchObject({
      status: 'accepted',
    });
  });

  test.each([
    ['example.org/x', 'https://example.org/x'],
    ['Bücher.de', 'https://xn--bcher-kva.de/'],
    ['example.org:8080/x', 'https://example.org:8080/x'],
    ['http://example.org/x', 'http://example.org/x'],
    ['mailto:a@example.org', null],
    ['a@example.org', null],
    ['localhost/x', null],
    ['localhost:3000', null],
    ['mail:12345', null],
    ['not a link', null],
  ])('a link typed as %s means %s', (typed, href) => {
    const parsed = parseTypedLink(typed);
    expect(parsed.status === 'accepted' ? parsed.href : null).toBe(href);
  });

  test.each([undefined, null, 1, {}])('a link that is no text (%j) is malformed', (given) => {
    expect(parseTypedLink(given)).toEqual({ status: 'refused', reason: 'malformed' });
  });
});

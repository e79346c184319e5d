import { describe, expect, test } from 'vitest';
import { allParts, parseMarkdown, type Place, shownText } from '../src/world/markdown/parse.ts';

const shown = (text: string, place?: Place) => shownText(parseMarkdown(text, place));
const types = (text: string, place?: Place) =>
  [...allParts(parseMarkdown(text, place))].map(({ type }) => type).filter((one) => one !== 'text');
const links = (text: string, place?: Place) =>
  [...allParts(parseMarkdown(text, place))].flatMap((part) =>
    part.type === 'link' ? part.url : [],
  );

// Cases that people reported to Discord, or tried on its client.
describe('the text of a masked link', () => {
  test.each([
    ['[Hexagonal Grids](https://a.example/)', 'Hexagonal Grids'],
    ['[\\*Test\\*](https://a.example/)', '\\*Test\\*'],
    ['[snake\\_case](https://a.example/)', 'snake\\_case'],
    ['[Hello]](https://a.example/)', 'Hello]'],
    ['[a [b] c](https://a.example/)', 'a [b] c'],
    ['[hello https://](https://a.example/)', 'hello https://'],
    ['[1.text](https://a.example/)', '1.text'],
    ['[Persian \u200c joiner](https://a.example/)', 'Persian  joiner'],
    ['[a](<https://a.example/>)', 'a'],
    ["[a](https://a.example/ 'more')", 'a'],
  ])('the text %j of a masked link is shown as %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(links(text)).toEqual(['https://a.example/']);
  });

  test.each([
    ['[*it*](https://a.example/)', ['link', 'italic']],
    ['[__init__.py](https://a.example/)', ['link', 'underline']],
    ['[snake_case](https://a.example/)', ['link']],
    ['[my_var and your_](https://a.example/)', ['link', 'italic']],
    ['[`async`](https://a.example/)', ['link', 'code']],
    ['[||x||](https://a.example/)', ['link', 'spoiler']],
    ['[5 * 3](https://a.example/)', ['link']],
    ['**[A* search](https://a.example/)** · a', ['bold', 'link']],
  ])('the text %j of a masked link has the marks %j', (text, expected) => {
    expect(types(text)).toEqual(expected);
  });

  test.each([
    '[hello https://ab](https://a.example/)',
    '[Click https://example.com to visit](https://a.example/)',
    '[http:∕∕example.com](https://a.example/)',
    '[<@1>](https://a.example/)',
    '[<#1>](https://a.example/)',
    '[@everyone](https://a.example/)',
    '[text 👋](https://a.example/)',
    '[one :tada:](https://a.example/)',
    '[ ](https://a.example/)',
    '[a](ftp://a.example/)',
  ])('%j is no link’s: Discord shows it as it was written', (text) => {
    expect(types(text)).not.toContain('link');
    expect(shown(text)).toBe(text);
  });

  test('the text of a masked link may hold an emoji in an embed', () => {
    expect(links('[text 👋](https://a.example/)', 'embed')).toEqual(['https://a.example/']);
  });

  test('the text of a masked link has a hover text, in which an emoji leaves the link raw', () => {
    const [link] = parseMarkdown('[text](https://a.example/ "more (of) it")', 'embed');
    expect(link).toMatchObject({ type: 'link', hover: 'more (of) it' });
    expect(links('[text](https://a.example/ "more 👋")', 'embed')).toEqual([]);
  });
});

describe('a bare link', () => {
  test.each([
    ['http://a', []],
    ['http://a.', []],
    ['http://a)', ['http://a']],
    ['http://ab.', ['http://ab']],
    ['https://a))', ['https://a)']],
    ['https://(a)', ['https://(a)']],
    ['https://(a))', ['https://(a)']],
    ['https://(a)b)', ['https://(a)b)']],
    ['https://a).', ['https://a']],
    ['https://a.)', ['https://a.']],
    ['a xhttps://google.com', ['https://google.com']],
    ['<https://google.com', ['https://google.com']],
    ['<https://google.com>', ['https://google.com']],
    ['**https://google.com**', ['https://google.com']],
    ['||https://google.com||', ['https://google.com']],
    ['`https://google.com`', []],
    ['```\nhttps://google.com\n```', []],
    ['https\\://google.com', []],
    ['steam://run/1', []],
  ])('a bare link in %j is %j', (text, expected) => {
    expect(links(text)).toEqual(expected);
  });
});

describe('marks', () => {
  test.each([
    ['_foo_', ['italic']],
    ['__foo__', ['underline']],
    ['\\_foo_', []],
    ['_a_b', []],
    ['_a_$', ['italic']],
    ['snake_case_name', []],
    ['__foo_', ['italic']],
    ['___foo_ bar__ baz', ['underline', 'italic']],
    ['___foo__ bar_ baz', ['italic', 'underline']],
    ['__foo _bar__ baz_', ['underline']],
    ['* a *', ['item']],
    ['a * b * c', []],
    ['*a* b', ['italic']],
    ['***a***', ['italic', 'bold']],
    ['||foo||', ['spoiler']],
    ['|||||', ['spoiler']],
    ['a | b', []],
    ['~~a~~', ['strike']],
    ['a ~ b ~ c', []],
    ['``a`b``', ['code']],
    ['# a', ['heading']],
    ['a # b', []],
    ['**# a**', ['bold', 'heading']],
    ['x **# a**', ['bold']],
    ['-# a', ['subtext']],
    ['> a\n> b', ['quote']],
    ['>>> a\nb', ['quote']],
    ['1. a', ['item']],
    ['\\# a', []],
    ['1\\. a', []],
    ['||a\nb||', ['spoiler']],
  ])('marks in %j are %j', (text, expected) => {
    expect(types(text)).toEqual(expected);
  });

  test.each([
    ['\\&', '&'],
    ['\\foo', '\\foo'],
    ['C\\+\\+', 'C++'],
    ['¯\\_(ツ)_/¯', '¯\\_(ツ)_/¯'],
    ['2a14:6f42:c::/48', '2a14:6f42:c::/48'],
  ])('the marks of %j are read as %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test('what stands between two colons can be the name of an emoji, unless a backslash breaks it', () => {
    expect(types('2a14:6f42:c::/48')).toEqual(['emoji']);
    expect(types('2a14:6f42\\:c::/48')).toEqual([]);
    expect(types('std::vector::size')).toEqual([]);
  });
});

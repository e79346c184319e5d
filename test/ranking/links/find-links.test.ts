import { describe, expect, test } from 'vitest';
import { findLink, readTypedLink, writtenLinks } from '../../../src/ranking/links/find-links.ts';

const found = (text: string) => writtenLinks(text).map(({ written }) => written);
const B = 'https://a.example/b';

describe('a link in a text ends where its writer ended it:', () => {
  test.each([
    // Sentences.
    [`see ${B}.`, B],
    [`see ${B}, and`, B],
    [`see ${B}; and`, B],
    [`see ${B}: there`, B],
    [`see ${B}!`, B],
    [`is it ${B}?`, B],
    [`is it ${B}?!`, B],
    [`see ${B}...`, B],
    [`see ${B}…`, B],
    [`see ${B}—or not`, B],
    [`'${B}'`, B],
    [`"${B}"`, B],
    [`“${B}”`, B],
    [`see ‘${B}’`, B],
    [`«${B}»`, B],
    [`„${B}“`, B],
    [`see ${B}– or not`, B],
    [`${B}!`, B],
    [`${B}\u0085more`, B],
    [`https://a。example/b`, B],
    [`看 https://a.example。好`, 'https://a.example'],
    [
      'https://en.wikipedia.org/wiki/Bose–Einstein_statistics',
      'https://en.wikipedia.org/wiki/Bose–Einstein_statistics',
    ],
    // Brackets.
    [`(${B})`, B],
    [`(see ${B}).`, B],
    [`((${B}))`, B],
    [`[${B}]`, B],
    [`{${B}}`, B],
    ['https://en.wikipedia.org/wiki/Rust_(x)', 'https://en.wikipedia.org/wiki/Rust_(x)'],
    ['(https://en.wikipedia.org/wiki/Rust_(x))', 'https://en.wikipedia.org/wiki/Rust_(x)'],
    ['(https://en.wikipedia.org/wiki/Rust_(x), too)', 'https://en.wikipedia.org/wiki/Rust_(x)'],
    ['https://a.example/(a)b)', 'https://a.example/(a)b'],
    ['https://a.example/x[1]', 'https://a.example/x[1]'],
    // Chinese, Japanese.
    [`看 ${B}。`, B],
    [`看${B}，很好`, B],
    [`看${B}、还有`, B],
    [`看${B}；`, B],
    [`${B}：说明`, B],
    [`${B}！真的`, B],
    [`「${B}」を見て`, B],
    [`『${B}』`, B],
    [`【${B}】`, B],
    [`《${B}》`, B],
    [`（${B}）`, B],
    [`${B}（一个网站）`, B],
    [`${B}｜サイト`, B],
    [`看（${B}）和（网站）`, B],
    [`${B}/你）和（网站）`, `${B}/你`],
    [`${B}\u3000次`, B],
    ['https://zh.wikipedia.org/wiki/三体（小说）', 'https://zh.wikipedia.org/wiki/三体（小说）'],
    [
      '（https://zh.wikipedia.org/wiki/三体（小说））',
      'https://zh.wikipedia.org/wiki/三体（小说）',
    ],
    [
      'https://ja.wikipedia.org/wiki/スター・ウォーズ',
      'https://ja.wikipedia.org/wiki/スター・ウォーズ',
    ],
    // Marks.
    [`_${B}_`, B],
    [`_see ${B}_`, B],
    [`*${B}*`, B],
    [`**${B}**, read it`, B],
    [`**${B}**read`, B],
    [`__${B}__`, B],
    [`~~${B}~~`, B],
    [`***${B}***`, B],
    [`> ${B}`, B],
    [`||${B}||`, B],
    [`||see ${B} now||`, B],
    [`${B}||hidden||`, B],
    [`[words](${B})`, B],
    [`[words](${B}).`, B],
    [`${B}؟`, B],
    [`${B}।`, B],
    [`[words](${B})more`, B],
    [`[words](<${B}>)`, B],
    [`[words](${B} "title")`, B],
    ['[w](https://en.wikipedia.org/wiki/Rust_(x))', 'https://en.wikipedia.org/wiki/Rust_(x)'],
    [`[https://other.example/](${B})`, B],
    [`<${B}>`, B],
    [`<${B}.>`, `${B}.`],
    // Signs that belong to it.
    ['https://a.example/?titles=A|B', 'https://a.example/?titles=A|B'],
    ['| https://a.example/b | next |', B],
    ['|https://a.example/b|next', 'https://a.example/b|next'],
    ['https://a.example/2020*/b', 'https://a.example/2020*/b'],
    ['https://a.example/a_b_c', 'https://a.example/a_b_c'],
    ['https://a.example/Foo_ is', 'https://a.example/Foo_'],
    ['https://a.example/a\\_b', 'https://a.example/a_b'],
    [`${B}\\no`, B],
    ['https://en.wikipedia.org/wiki/Yahoo!', 'https://en.wikipedia.org/wiki/Yahoo!'],
    ["https://a.example/Rock'n'Roll", "https://a.example/Rock'n'Roll"],
    ['https://a.example/a,b;c:d', 'https://a.example/a,b;c:d'],
    ['https://fr.wikipedia.org/wiki/L’Avare', 'https://fr.wikipedia.org/wiki/L’Avare'],
    ['https://a.example/#/b?c=d', 'https://a.example/#/b?c=d'],
    ['HTTPS://A.example/B', 'HTTPS://A.example/B'],
    [`x${B}`, B],
    [`\u200b${B}\u200b`, B],
    [`${B}\u200bmore`, B],
    ['https://fa.wikipedia.org/wiki/می\u200cخواهم', 'https://fa.wikipedia.org/wiki/می\u200cخواهم'],
    [
      'https://web.archive.org/web/2020/https://a.example/b',
      'https://web.archive.org/web/2020/https://a.example/b',
    ],
  ])('a link in a text ends where its writer ended it: %j', (text, link) => {
    expect(found(text)).toEqual([link]);
  });

  test.each([
    [`\`${B}\``],
    [`\`\`see ${B} now\`\``],
    [`\`\`one \` of ${B}\`\``],
    [`\`\`\`\n${B}\n\`\`\``],
    [`\`\`\`js\nfetch("${B}")\n\`\`\` and so on`],
    ['https://'],
    ['ftp://a.example/b'],
    ['a.example/b'],
    [''],
  ])('the text %j has no link', (text) => {
    expect(found(text)).toEqual([]);
  });

  test.each([
    [`${B} https://c.example/`, [B, 'https://c.example/']],
    [`${B},https://c.example/`, [`${B},https://c.example/`]],
    [`${B}\nhttps://c.example/`, [B, 'https://c.example/']],
    [`${B}、https://c.example/`, [B, 'https://c.example/']],
    [`[a](${B}) [b](https://c.example/)`, [B, 'https://c.example/']],
    [`\`${B}\` https://c.example/`, ['https://c.example/']],
    [`\\\`${B}\\\``, [B]],
    [`one \` and ${B}`, [B]],
  ])('the text %j has the link %j', (text, links) => {
    expect(found(text)).toEqual(links);
  });

  test.each([
    [`||${B}||`, { isSpoiler: true, isSuppressed: false }],
    [`||a|| ${B} ||b||`, { isSpoiler: false, isSuppressed: false }],
    [`||<${B}>||`, { isSpoiler: true, isSuppressed: true }],
    [`||[a](${B})||`, { isSpoiler: true, isSuppressed: false }],
    [`<${B}>`, { isSpoiler: false, isSuppressed: true }],
    [`[a](<${B}>)`, { isSpoiler: false, isSuppressed: true }],
    [`<${B} and no end`, { isSpoiler: false, isSuppressed: false }],
    [`\\||${B}`, { isSpoiler: false, isSuppressed: false }],
    [B, { isSpoiler: false, isSuppressed: false }],
  ])('the link in %j keeps its marks', (text, marks) => {
    expect(findLink(text)).toMatchObject({ status: 'accepted', href: B, ...marks });
  });

  test('of many links the first twenty count', () => {
    expect(found(`${B} `.repeat(21))).toHaveLength(20);
  });

  test('the first that can be posted counts, and none that leads to Discord', () => {
    const text = `https://discord.com/channels/1/2/3 http://127.0.0.1/ ${B}`;
    expect(findLink(text)).toMatchObject({ href: B });
    expect(findLink('https://discord.com/channels/1/2/3')).toEqual({ status: 'none' });
    expect(findLink('http://127.0.0.1/')).toEqual({ status: 'refused', reason: 'address' });
  });
});

test.each([
  [`[A good title](${B})`, 'A good title'],
  [`||[A good title](<${B}>)||`, 'A good title'],
  [`[one](https://discord.com/channels/1/2/3) [two](${B})`, 'two'],
  [`[words] (${B})`, ''],
  [`[some [good] words](${B})`, 'some [good] words'],
  [`[a \\] in words](${B})`, 'a ] in words'],
  ['[the `code` of words](' + B + ')', 'the `code` of words'],
  [`[words](not a link) ${B}`, ''],
  [`[words of\ntwo lines](${B})`, ''],
  [B, ''],
])('of %j the words over the link are %j', (text, words) => {
  expect(findLink(text)).toMatchObject({ href: B, words });
});

test('of very long words over a link none are known', () => {
  const over = (length: number) => findLink(`[${'w'.repeat(length)}](${B})`);
  expect(over(999)).toMatchObject({ href: B, words: 'w'.repeat(999) });
  expect(over(1000)).toMatchObject({ href: B, words: '' });
});

describe('a link that a member types', () => {
  test.each([
    [B, {}],
    [` ${B} `, {}],
    [`<${B}>`, { isSuppressed: true }],
    [`||${B}||`, { isSpoiler: true }],
    [`\`${B}\``, {}],
    [`"${B}"`, {}],
    [`\u200b${B}\u200e`, {}],
    [`\ufeff<${B}>\u2060`, { isSuppressed: true }],
    [`look at this: ${B}`, {}],
    [`look at ${B} it is good!`, {}],
    [`${B} is what I found this morning`, {}],
    [`【标题】${B} 复制打开`, {}],
    [`[words](${B})`, {}],
    [`${B} ${B}`, {}],
    [`${B},`, {}],
    [`${B}.`, {}],
    [`${B};`, {}],
    [`${B}!`, {}],
    [`${B}–`, {}],
    [`${B}...`, {}],
    ['a.example/b,', {}],
    ['a。example/b', {}],
    ['https://a．example/b。', {}],
    [`${B}\u0085`, {}],
    ['a.example/b', {}],
    [' a.example/b\u200b', {}],
    [`${B} https://c.example/`, { others: true }],
    [`one ${B} two https://c.example/ three`, { others: true }],
    [`http://127.0.0.1/ ${B}`, { others: true }],
  ])('a link that a member types as %j is read', (text, marks) => {
    const expected = { isSpoiler: false, isSuppressed: false, others: false, ...marks };
    expect(readTypedLink(text)).toMatchObject({ status: 'accepted', href: B, ...expected });
  });

  test('a link that a member types without a scheme keeps the mark at the end of a wiki’s title', () => {
    const typed = 'en.wikipedia.org/wiki/Yahoo!';
    expect(readTypedLink(typed)).toMatchObject({ href: `https://${typed}` });
  });

  test.each([
    ['https://a.example/my file.pdf', 'space'],
    ['https://a.example/my file', 'space'],
    ['https://a.example/my long file name.html', 'space'],
    ['https://a.example/a b/c d', 'space'],
    ['https://a.example/search?q=one two', 'space'],
    ['a.example/my file', 'space'],
    ['not a link', 'malformed'],
    [`\`words\` \`${B}\``, 'malformed'],
    ['', 'malformed'],
    ['look here', 'malformed'],
    ['ftp://a.example/b', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['https://user@a.example/', 'userinfo'],
    ['see http://127.0.0.1/', 'address'],
    [undefined, 'malformed'],
    [1, 'malformed'],
  ])('as %j is refused: %s', (text, reason) => {
    expect(readTypedLink(text)).toEqual({ status: 'refused', reason });
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';
import { describe, expect, test } from 'vitest';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { siteSubject } from '../../src/community/block-subject.ts';
import { siteBlock } from '../../src/community/blocks.ts';
import { zDigestName } from '../../src/digests/digest-settings.ts';
import { canonicalLink } from '../../src/ranking/links/canonical.ts';
import { findLink, readTypedLink } from '../../src/ranking/links/find-links.ts';
import { parseLink } from '../../src/ranking/links/parse.ts';
import * as clean from '../../src/text/clean.ts';
import { parseDay } from '../../src/discord/commands/checked-options.ts';
import { sample } from '../fixtures/sample.ts';

/** What Discord lets a member type at most. A text that is longer by `TIMES` is compared with it. */
const LENGTH = 4000;
const TIMES = 4;
/** Between 4, which is linear, and 16, which is quadratic; long strings cost the memory's time too. */
const RATIO_AT_MOST = 11;
/** Nothing under this is slow: a quadratic expression takes 100 ms for the longer text. Load adds some. */
const QUICK_MS = 40;
const TRIES = 12;

/** The texts that members type reach these rooms. The host's own input is not hostile. */
const ROOMS =
  'articles backup board community digests discord editions guilds history moderation panel privacy ' +
  'ranking runtime text votes web';

/** A piece that is repeated, between a beginning and an end. */
type Hostile = { start: string; piece: string; end: string };
const ENDS = ['', 'x', '\n'];

function textOf({ start, piece, end }: Hostile, length: number): string {
  return start + piece.repeat(Math.ceil(length / piece.length)) + end;
}

function msOf(work: (text: string) => unknown, text: string): number {
  const start = process.cpuUsage();
  work(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * A sentence if the longer text takes much more than its length says. Load makes a run longer and
 * never shorter, so the least of several times counts.
 */
function fault(work: (text: string) => unknown, hostile: Hostile, tries = TRIES): string[] {
  const [short, long] = [textOf(hostile, LENGTH), textOf(hostile, TIMES * LENGTH)];
  let longMs = msOf(work, long);
  if (longMs < QUICK_MS) return [];
  // The first run of an expression may hold its compilation.
  let shortMs = Math.min(...[1, 2, 3].map(() => msOf(work, short)));
  for (let i = 0; i < tries; i += 1) {
    if (longMs < QUICK_MS || longMs / shortMs < RATIO_AT_MOST) return [];
    longMs = Math.min(longMs, msOf(work, long));
    if (i % 2 === 0) shortMs = Math.min(shortMs, msOf(work, short));
  }
  const times = `${shortMs.toFixed(1)} ms, then ${longMs.toFixed(1)} ms`;
  return [`${JSON.stringify(hostile)}: ${times}`];
}

/** The first fault of these texts. */
function firstFault(work: (text: string) => unknown, all: readonly Hostile[]): string[] {
  for (const hostile of all) {
    const found = fault(work, hostile);
    if (found.length > 0) return found;
  }
  return [];
}

type Literal = { type: 'RegExpLiteral'; pattern: string; flags: string };

function literalsIn(node: unknown): Literal[] {
  if (typeof node !== 'object' || node === null) return [];
  if ((node as Literal).type === 'RegExpLiteral') return [node as Literal];
  return Object.values(node).flatMap(literalsIn);
}

const files = [...ROOMS.split(' ').map((room) => `src/${room}`), 'commands'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`),
);
const expressions = new Set(
  files.flatMap((path) => {
    const { body } = parseSync(readFileSync(path, 'utf8'), {
      syntax: 'typescript',
      target: 'es2022',
    });
    return literalsIn(body).map(({ pattern, flags }) => `${pattern}\n${flags}`);
  }),
);

/** Repeats of what an expression looks for, behind what it begins with. */
function hostileTo(pattern: string): Hostile[] {
  const plain = pattern
    .replace(/\\[ux][\w{}]+|\\p\{\w+\}/g, '')
    .replace(/\(\?[:=!<]+|\\[dwsWDSbB]|[\\^$?*+|()[\]{}]/g, ' ');
  const words = plain.split(/\s+/).filter(Boolean);
  const letters = [...new Set(plain.replace(/\s/g, ''))].slice(0, 12);
  const pieces = new Set([
    ...letters,
    ...words.slice(0, 3),
    ' ',
    '\n',
    '0',
    'a',
    '.',
    '-',
    '/',
    ')',
    'a.',
  ]);
  return ['', words[0] ?? 'https://'].flatMap((start) =>
    [...pieces].flatMap((piece) => ENDS.map((end) => ({ start, piece, end }))),
  );
}

// Withstands (Attacks): A text slows a regular expression
// → every expression is tried
describe('an expression over members’ text takes time by the length of the text', () => {
  test('more than a hundred expressions over members’ text are found and tried', () => {
    expect(expressions.size).toBeGreaterThan(100);
  });
  test.each([...expressions].map((one) => one.split('\n')))(
    'the expression /%s/%s takes time by the length of the text',
    (pattern = '', flags = '') => {
      const expression = new RegExp(pattern, flags);
      const work = (text: string) => text.replace(expression, '');
      expect(firstFault(work, sample(hostileTo(pattern), 60))).toEqual([]);
    },
  );
  // On a busy machine the short text may seem slow once, where it is timed only a few times.
  test('an expression that does not take time by the length of the text is found', {
    retry: 3,
  }, () => {
    const slow = /(?:a+)+b|[.,]+$/;
    const hostile = { start: '', piece: '.', end: 'x' };
    const faults = fault((text) => text.replace(slow, ''), hostile, 1);
    expect(faults).toHaveLength(1);
  });
});

const blocks = new Map([
  ['origin:spam.example/a', { subject: { kind: 'site' }, untilMs: null }],
]) as never;
const functions: Record<string, (text: string) => unknown> = {
  cleanTitle: clean.cleanTitle,
  plainText: (text) => clean.plainText(text, 2000),
  plainLine: clean.plainLine,
  code: (text) => clean.code(text),
  titleOfLink: (text) => clean.titleOfLink(`https://a.example/${encodeURIComponent(text)}`),
  cleanComment: clean.cleanComment,
  escapeMarkdown: clean.escapeMarkdown,
  unescapeMarkdown: clean.unescapeMarkdown,
  parseDay: (text) => parseDay(text, 0),
  findLink,
  readTypedLink,
  parseLink,
  // A link that is parsed has 1 000 characters at most.
  canonicalLink: (text) => canonicalLink(new URL(LINK + text)),
  canonicalRedirect: (text) => canonicalLink(new URL(`https://google.com/url?q=${text}`)),
  canonicalVideo: (text) => canonicalLink(new URL(`https://bilibili.com/video/${text}`)),
  siteSubject,
  siteBlock: (text) => siteBlock(blocks, { href: `${LINK}${encodeURI(text)}` }, 0),
  digestName: (text) => zDigestName.safeParse(text),
  readArticleMessage: (content) => readArticleMessage({ content, embeds: [] }),
};
const LINK = 'https://a.example/';
const pieces = (
  '. , ; : ! ? ) ( / % & = # * _ ` > | - ~ < @ [ ] 1 a À \u0301 \u200d 👍 👍🏽\u200d 。 )) ]( http:// ' +
  `${LINK} ${LINK}) amp/ .amp ;jsessionid= %7e &a= index.html/ \u{1f1e6} @everyone \\(`
)
  .split(' ')
  .concat(' ', '\n', '\t', '> ', '-# ');

describe('reading members’ text takes time by the length of the text', () => {
  test.each(Object.keys(functions))(
    'reading members’ text by %s takes time by the length of the text',
    (name) => {
      const all = pieces.flatMap((piece) =>
        ['', LINK].flatMap((start) => ENDS.map((end) => ({ start, piece, end }))),
      );
      expect(firstFault(functions[name]!, sample(all, 120))).toEqual([]);
    },
  );
});

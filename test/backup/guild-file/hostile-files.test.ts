import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findPart } from '../../../src/backup/attached-file.ts';
import {
  BrokenGuildFile,
  checkGuildFiles,
  faultOf as faultOfError,
  type FileFault,
  guildParts,
  type ReadLimits,
  surveyedParts,
} from '../../../src/backup/guild-file/read.ts';
import { type Line, VERSION, VOTERS_AT_MOST } from '../../../src/backup/guild-file/format.ts';
import { LAST_MS } from '../../../src/runtime/clock.ts';
import { articleId, CHANNELS, memberId } from './random-guild.ts';
import { bytesOf, GUILD, signed } from './guild-files.ts';

const article = (n: number, other: Record<string, unknown> = {}) => ({
  kind: 'article',
  id: articleId(n),
  title: `第 ${n} 篇`,
  link: `https://news.example/${n}`,
  poster: memberId(1),
  groups: [CHANNELS[0]],
  channel: CHANNELS[0],
  up: 2,
  down: 1,
  interesting: false,
  locked: false,
  closed: false,
  listed: true,
  ...other,
});
const setting = { kind: 'setting', name: 'repost-days', value: 3 };
/** As many voters as a line may hold. */
const ids = (block: number): string[] =>
  Array.from({ length: VOTERS_AT_MOST }, (_, n) => memberId(block * VOTERS_AT_MOST + n));
/** Each line that holds a time, with this time. */
const timesOf = (ms: number): unknown[] => {
  const member = memberId(1);
  const block = { kind: 'block', subject: `member:${member}`, by: member };
  const digest = {
    channel: CHANNELS[0],
    schedule: { every: 'day', time: '09:00', zone: 'UTC' },
    savedBy: member,
  };
  const digestLine = (more: object, run: object) => ({
    kind: 'digest',
    name: 'daily',
    digest: { ...digest, ...more },
    run,
  });
  const broken = { reason: 'gone', detail: '', sinceMs: 0, probeAtMs: 0 };
  return [
    { ...block, untilMs: ms },
    { ...block, sinceMs: ms },
    { kind: 'erased', member, atMs: ms },
    { ...article(1), removedAtMs: ms },
    digestLine({ slotsFromMs: ms }, {}),
    digestLine({ savedAtMs: ms }, {}),
    digestLine({}, { lastSlotMs: ms }),
    digestLine({}, { broken: { ...broken, sinceMs: ms } }),
    digestLine({}, { broken: { ...broken, probeAtMs: ms } }),
  ];
};
/** Later ones have smaller ids. */
const [newer, older] = [article(1), article(2)].sort((a, b) => (a.id < b.id ? 1 : -1));

async function faultOf(file: string | Uint8Array, options: ReadLimits = {}): Promise<FileFault> {
  try {
    await checkGuildFiles(bytesOf(file), options);
  } catch (error) {
    if (error instanceof BrokenGuildFile) return error.fault;
    throw error;
  }
  throw new Error('It was taken.');
}

const voters = { up: [memberId(11), memberId(12)], down: [] };
const whole = signed([setting, newer, { ...older, voters }]);

test('a whole file is taken, packed or not', async () => {
  const expected = { guild: GUILD, lines: 3, articles: 2 };
  expect(await checkGuildFiles(bytesOf(whole))).toMatchObject([expected]);
  expect(await checkGuildFiles(bytesOf(gzipSync(whole)))).toMatchObject([expected]);
});

test('a whole file is taken, though an editor changed the ends of its lines, or lost the last one', async () => {
  const expected = { guild: GUILD, lines: 3, articles: 2 };
  for (const file of [whole.replaceAll('\n', '\r\n'), whole.trimEnd(), `\ufeff${whole}`]) {
    expect(await checkGuildFiles(bytesOf(file))).toMatchObject([expected]);
  }
});

test('a title is taken whose emoji was written as an escape', async () => {
  const line = JSON.stringify(article(1, { title: 'X' })).replace(
    '"X"',
    '"\\ud83d\\ude00 \\\\ud83d"',
  );
  expect(await checkGuildFiles(bytesOf(signed([line])))).toMatchObject([{ articles: 1 }]);
});

test('an article with the most voters that an export writes is taken', async () => {
  const file = signed([article(1, { voters: { up: ids(0), down: [], both: ids(0) } })]);
  expect(await checkGuildFiles(bytesOf(file))).toMatchObject([{ articles: 1 }]);
});

test('the last time that Discord shows is taken on every line that holds one', async () => {
  const lines = timesOf(LAST_MS);
  expect(await checkGuildFiles(bytesOf(signed(lines)))).toMatchObject([{ lines: lines.length }]);
});

test('a backup is the files of its guilds', async () => {
  const other = signed([setting], { guild: '700000000000000002' });
  const files = await checkGuildFiles(bytesOf(`${whole}${other}`));
  expect(files.map(({ guild }) => guild)).toEqual([GUILD, '700000000000000002']);
  expect(await faultOf(`${whole}${other.slice(0, -20)}`)).toEqual({ status: 'cut' });
  expect(await faultOf(`${other}${whole.replace('第 1', '第 7')}`)).toEqual({ status: 'sum' });
});

// Withstands (Attacks): One server’s part of a backup is damaged
// → the others are restored, and the host is told what was not
describe('a damaged part of a backup', () => {
  const before = signed([setting], { guild: '700000000000000001' });
  const behind = signed([setting, newer], { guild: '700000000000000003' });
  const cases: [string, () => string, FileFault['status']][] = [
    ['with a line that nobody can read', () => signed([{ kind: 'mark', mark: 0 }]), 'line'],
    ['with a line that is no JSON', () => signed([setting, '{']), 'json'],
    ['with a line that was changed', () => whole.replace('第 1', '第 7'), 'sum'],
    ['without its end', () => whole.split('\n').slice(0, -2).join('\n') + '\n', 'cut'],
    ['whose last line runs into the next part', () => `${whole.slice(0, -40)}\n`, 'json'],
    ['of a later version', () => signed([], { version: VERSION + 1 }), 'version'],
    ['without its header', () => without(whole, 0), 'stray'],
  ];
  test.each(cases)(
    'a damaged part of a backup, %s, does not stop the parts around it',
    async (_, make, status) => {
      const file = `${before}${make()}${behind}`;
      const read: string[] = [];
      const faults: string[] = [];
      for await (const part of guildParts(bytesOf(file))) {
        try {
          if (part.header === null) faults.push(part.fault.status);
          else {
            let lines = 0;
            for await (const _ of part.lines) lines += 1;
            read.push(`${part.header.guild} ${lines}`);
          }
        } catch (error) {
          faults.push(faultOfError(error).status);
        }
      }
      expect(read).toEqual(['700000000000000001 1', '700000000000000003 2']);
      expect(faults).toEqual([status]);
    },
  );

  test('a damaged part of a backup that nobody reads, or that is read in part, does not hide the next one', async () => {
    const seen: string[] = [];
    for await (const part of guildParts(bytesOf(`${before}${whole}${behind}`))) {
      seen.push(part.header?.guild ?? '');
      if (part.header === null || part.header.guild !== GUILD) continue;
      for await (const _ of part.lines) break;
    }
    expect(seen).toEqual(['700000000000000001', GUILD, '700000000000000003']);
  });

  test('a damaged part of a backup is not taken for another, though nobody reads the whole one before it', async () => {
    const file = `${behind}${without(behind, 0)}${whole}${behind}`;
    const part = await findPart(bytesOf(file), GUILD);
    if (part.header === null) throw new Error('It was not found.');
    const lines: Line[] = [];
    for await (const line of part.lines) lines.push(line);
    expect(lines.map(({ kind }) => kind)).toEqual(['setting', 'article', 'article']);
    expect([part.count, part.left]).toEqual([3, { status: 'stray' }]);
  });
});

describe('what is no whole file is refused', () => {
  const cases: [string, () => string | Uint8Array, FileFault][] = [
    ['nothing', () => '', { status: 'empty' }],
    [
      'bookmarks',
      () => '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n',
      { status: 'other' },
    ],
    [
      'a channel’s export',
      () => '{\n  "guild": { "id": "1" },\n  "messages": []\n}',
      { status: 'other' },
    ],
    ['a long line of something else', () => 'x'.repeat(2_000_000), { status: 'other' }],
    [
      'one in another encoding',
      () => Buffer.from(`\ufeff${whole}`, 'utf16le'),
      { status: 'utf16' },
    ],
    [
      'one in another encoding, without its mark',
      () => Buffer.from(whole, 'utf16le'),
      { status: 'utf16' },
    ],
    [
      'one in another encoding of the other order',
      () => Buffer.from(`\ufeff${whole}`, 'utf16le').swap16(),
      { status: 'utf16' },
    ],
    [
      'one in another encoding of the other order, without its mark',
      () => Buffer.from(whole, 'utf16le').swap16(),
      { status: 'utf16' },
    ],
    ['something else', () => '{"hello":1}\n', { status: 'other' }],
    ['a picture', () => Buffer.from('\u0089PNG\n\u0000', 'latin1'), { status: 'other' }],
    ['a list', () => '[]\n', { status: 'other' }],
    [
      'one of a later version',
      () => signed([], { version: VERSION + 1 }),
      { status: 'version', version: VERSION + 1 },
    ],
    [
      'one without its end',
      () => whole.split('\n').slice(0, -2).join('\n') + '\n',
      { status: 'cut' },
    ],
    ['one cut within a line', () => whole.slice(0, -20), { status: 'cut' }],
    ['one that is packed and cut', () => gzipSync(whole).subarray(0, -20), { status: 'packed' }],
    ['one that is packed and damaged', () => spoilt(gzipSync(whole)), { status: 'packed' }],
    ['one with a line less', () => without(whole, 1), { status: 'sum' }],
    ['one with another title', () => whole.replace('第 1', '第 7'), { status: 'sum' }],
    ['one with more behind its end', () => `${whole}{}\n`, { status: 'stray' }],
    ['one with an empty line', () => signed([setting, '']), { status: 'json', line: 3 }],
  ];
  test.each(cases)('what is no whole file is refused, such as %s', async (_, make, fault) => {
    expect(await faultOf(make())).toEqual(fault);
  });
});

// Withstands (Attacks): A restored file is broken or too large
// → it is bounded, and read to its end first
describe('a hostile line is refused with its number', () => {
  const lines: [string, unknown[], Partial<FileFault> & { status: string }][] = [
    [
      'of nine megabytes',
      [setting, { ...older, title: 'x'.repeat(9e6) }],
      { status: 'long', line: 3 },
    ],
    [
      'with so many voters that to read it would delay other guilds',
      [article(1, { voters: { up: ids(0), down: ids(1), both: ids(0) } })],
      { status: 'long', line: 2 },
    ],
    [
      'with thousands of voters that are none',
      [article(1, { voters: { up: Array<number>(40_000).fill(0), down: [] } })],
      { status: 'long', line: 2 },
    ],
    [
      'with thousands of unknown fields',
      [
        {
          ...setting,
          ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 0])),
        },
      ],
      { status: 'long', line: 2 },
    ],
    ['of an unknown kind', [{ kind: 'token' }], { status: 'line', line: 2 }],
    ['with an unknown field', [{ ...older, admin: true }], { status: 'line', line: 2 }],
    ['with an unknown setting', [{ ...setting, name: 'toString' }], { status: 'line', line: 2 }],
    [
      'with a setting named after a prototype',
      ['{"kind":"setting","name":"__proto__","value":1}'],
      { status: 'line', line: 2 },
    ],
    [
      'with a field named after a prototype',
      ['{"kind":"setting","name":"mark","value":1,"__proto__":{"name":"x"}}'],
      { status: 'line', line: 2 },
    ],
    ['with a value out of bounds', [{ ...setting, value: 4000 }], { status: 'line', line: 2 }],
    ['with a number for an id', [{ ...older, poster: 12 }], { status: 'line', line: 2 }],
    ['with a text for a number', [{ ...older, up: '2' }], { status: 'line', line: 2 }],
    [
      'with a count that is too high',
      [{ ...older, up: 1_000_000_000 }],
      { status: 'line', line: 2 },
    ],
    ['with half a count', [{ ...older, up: 1.5 }], { status: 'line', line: 2 }],
    [
      'with a link that runs',
      [{ ...older, link: 'javascript:alert(1)' }],
      { status: 'line', line: 2 },
    ],
    [
      'with a link that lies',
      [{ ...older, link: 'https://good.example@evil.example/' }],
      { status: 'line', line: 2 },
    ],
    [
      'with a link of two lines',
      [{ ...older, link: 'https://a.example/\nb' }],
      { status: 'line', line: 2 },
    ],
    ['with a title of two lines', [{ ...older, title: 'a\nb' }], { status: 'line', line: 2 }],
    [
      'nested too deeply',
      [`{"kind":"mark","mark":${'['.repeat(30_000)}"\\ud800"${']'.repeat(30_000)}}`],
      { status: 'json', line: 2 },
    ],
    ['with half a character', [{ ...older, title: 'a\ud800b' }], { status: 'text', line: 2 }],
    [
      'with half a character in a reason',
      [`{"kind":"block","reason":"\\uDC00"}`],
      { status: 'text', line: 2 },
    ],
    [
      'with a voter that is none',
      [{ ...older, voters: { up: ['x'], down: [] } }],
      { status: 'line' },
    ],
    [
      'with a digest of a name that is none',
      [{ kind: 'digest', name: 'A b', digest: null, run: {} }],
      { status: 'line', line: 2 },
    ],
    [
      'with a block of nobody',
      [{ kind: 'block', subject: 'x', by: '1' }],
      { status: 'line', line: 2 },
    ],
    ...timesOf(LAST_MS + 1).map(
      (line, n): [string, unknown[], { status: 'line'; line: number }] => [
        `with a time that Discord cannot show (${n})`,
        [line],
        { status: 'line', line: 2 },
      ],
    ),
    [
      'with the same setting again and again, each of which takes a round trip',
      Array.from({ length: 10_001 }, () => setting),
      { status: 'many', kind: 'setting' },
    ],
    ['nested without end', ['['.repeat(60_000)], { status: 'json', line: 2 }],
  ];
  test.each(lines)('a hostile line is refused with its number: %s', async (_, given, fault) => {
    const found = await faultOf(signed(given));
    expect(found).toMatchObject(fault);
    expect(JSON.stringify(found).length).toBeLessThan(300);
  });
});

// Withstands (Attacks): A file of half a megabyte unpacks to 500 million empty lines, or to 400,000 records
// → its lines are bounded, and others are answered meanwhile
test('what has more lines than it may is refused, and other work has its turns meanwhile', async () => {
  const [header] = signed([]).split('\n');
  const feeds = Buffer.from(`${header}\n${'{}\n'.repeat(2_000_000)}`);
  // In one piece, so that only the reader itself lets others work.
  const inOne = async function* () {
    yield feeds;
  };
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const faults: (FileFault | null)[] = [];
  const limits = { atMostLines: 1_000_000 };
  for await (const { fault } of surveyedParts(inOne, limits)) faults.push(fault);
  isReading = false;
  expect(faults.at(-1)).toEqual({ status: 'lines', count: 1_000_000 });
  expect(turns).toBeGreaterThan(20);
  // Of empty lines, a few are enough.
  const packed = gzipSync(Buffer.alloc(64_000_000, '\n'));
  const parts: (FileFault | null)[] = [];
  for await (const { fault } of surveyedParts(bytesOf(packed), limits)) parts.push(fault);
  expect(parts).toEqual([{ status: 'other' }]);
  const within = signed([setting, ...Array<string>(2000).fill('')]);
  expect(await faultOf(within)).toEqual({ status: 'json', line: 3 });
});

test('what has more records of one kind than a server is refused', async () => {
  const records = Array.from(
    { length: 250_001 },
    (_, n) => `{"kind":"imported","article":"${n + 1}"}`,
  );
  expect(await faultOf(signed(records))).toEqual({ status: 'many', kind: 'imported' });
});

test('what unpacks to more than it may is refused before it is unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, '{}\n'));
  expect(bomb.length).toBeLessThan(300_000);
  const first = signed([]).split('\n')[0];
  const file = gzipSync(`${first}\n${`${JSON.stringify(setting)}\n`.repeat(10)}`);
  expect(await faultOf(file, { atMostBytes: 100 })).toEqual({ status: 'big', megabytes: 0 });
  expect(await faultOf(bomb, { atMostBytes: 1_048_576 })).toMatchObject({ status: 'other' });
  const endless = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'));
  expect(await faultOf(endless)).toEqual({ status: 'other' });
  const header = signed([]).split('\n')[0]!.slice(0, -1);
  expect(await faultOf(`${header}${'x'.repeat(2_000_000)}`)).toEqual({ status: 'long', line: 1 });
});

function spoilt(packed: Buffer): Buffer {
  packed[packed.length >> 1]! ^= 0xff;
  return packed;
}
function without(text: string, at: number): string {
  return text
    .split('\n')
    .filter((_, i) => i !== at)
    .join('\n');
}

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { snowflakeTimeMs } from '../../ranking/snowflake.ts';
import {
  type Counts,
  FORMAT,
  type Header,
  inOrder,
  KINDS,
  type Kind,
  type Line,
  LONGEST_LINE,
  noCounts,
  subjectOf,
  VERSION,
  zHeader,
  zLine,
  zTrailer,
} from './format.ts';

/** The file's bytes from the beginning, as often as it is called. */
export type Bytes = () => AsyncIterable<Uint8Array>;

/** Why a file is refused; `line` from 1. */
export type FileFault =
  | { is: 'other' | 'cut' | 'packed' | 'sum' }
  | { is: 'version'; version: number }
  | { is: 'big'; megabytes: number }
  | { is: 'long' | 'text' | 'json' | 'after-end'; line: number }
  | { is: 'order' | 'lost-vote' | 'early'; line: number; what: string }
  | { is: 'line'; line: number; what: string };

/** It is no whole file of a guild. Nothing has been written. */
export class BrokenGuildFile extends Error {
  override readonly name = 'BrokenGuildFile';
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(`a guild's file is refused: ${fault.is}`);
    this.fault = fault;
  }
}

export type CheckedGuildFile = Header & { counts: Counts; lines: number; sha256: string };

/** Reads a file to its end before anything rests on it. Throws `BrokenGuildFile`. */
export async function checkGuildFile(
  bytes: Bytes,
  { atMostBytes = Number.POSITIVE_INFINITY } = {},
): Promise<CheckedGuildFile> {
  const hash = createHash('sha256');
  const counts = noCounts();
  const order = openOrder();
  let header: Header | null = null;
  let sha256: string | null = null;
  let lines = 0;
  for await (const text of linesOf(bytes(), atMostBytes)) {
    lines += 1;
    if (sha256 !== null) throw new BrokenGuildFile({ is: 'after-end', line: lines });
    const value = parseJson(text, lines);
    if (header === null) header = readHeader(value);
    else if (isEnd(value)) {
      const trailer = parsed(zTrailer, value, lines);
      sha256 = hash.digest('hex');
      const isSame = KINDS.every((kind) => trailer.counts[kind] === counts[kind]);
      if (trailer.sha256 !== sha256 || !isSame) throw new BrokenGuildFile({ is: 'sum' });
      continue;
    } else {
      const line = parsed(zLine, value, lines);
      order.see(line, lines, header);
      if (line.kind !== 'votes') counts[line.kind] += 1;
    }
    hash.update(text).update('\n');
  }
  if (header === null || sha256 === null) throw new BrokenGuildFile({ is: 'cut' });
  return { ...header, counts, lines, sha256 };
}

/** The lines between the first and the last of a file that was checked. */
export async function* guildFileLines(bytes: Bytes): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of linesOf(bytes(), Number.POSITIVE_INFINITY)) {
    number += 1;
    if (number === 1) continue;
    const value = parseJson(text, number);
    if (isEnd(value)) return;
    yield parsed(zLine, value, number);
  }
}

function readHeader(value: unknown): Header {
  const { format, version } = Object(value) as Partial<Header>;
  if (format !== FORMAT || typeof version !== 'number') throw new BrokenGuildFile({ is: 'other' });
  // Before the rest, which may be otherwise in another version.
  if (version !== VERSION) throw new BrokenGuildFile({ is: 'version', version });
  return parsed(zHeader, value, 1);
}

function isEnd(value: unknown): boolean {
  return (Object(value) as { kind?: unknown }).kind === 'end';
}

type Schema<T> = {
  safeParse(value: unknown): {
    data?: T;
    error?: { issues: { path: PropertyKey[]; message: string }[] };
  };
};

function parsed<T>(schema: Schema<T>, value: unknown, line: number): T {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [{ path, message } = { path: [], message: 'nothing' }] = error?.issues ?? [];
  const place = path.map(String).join('.');
  const what = `${place}${place === '' ? '' : ': '}${message}`.slice(0, 200);
  throw new BrokenGuildFile({ is: 'line', line, what });
}

function parseJson(text: string, line: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BrokenGuildFile({ is: 'json', line });
  }
  // Written back, an escape is left of half a character alone: Redis and Discord would each make
  // something else of it.
  if (/\\ud/i.test(text) && /\\ud/.test(JSON.stringify(value).replaceAll('\\\\', ''))) {
    throw new BrokenGuildFile({ is: 'text', line });
  }
  return value;
}

/** Sees to it that every line stands where it belongs, and none twice. */
function openOrder() {
  let kind: Kind = KINDS[0];
  let subject: string | null = null;
  let article: Extract<Line, { kind: 'article' }> | null = null;
  let lastVoter = '';

  return {
    see(line: Line, number: number, { madeAt }: Header): void {
      if (line.kind === 'votes') {
        const { article: id, votes } = line;
        const isItsPlace = article?.id === id && article.state !== 'closed';
        if (!isItsPlace) throw new BrokenGuildFile({ is: 'lost-vote', line: number, what: id });
        for (const [member] of votes) {
          if (inOrder(member) <= lastVoter) {
            throw new BrokenGuildFile({ is: 'order', line: number, what: member });
          }
          lastVoter = inOrder(member);
        }
        return;
      }
      const isLater = KINDS.indexOf(line.kind) - KINDS.indexOf(kind);
      const about = subjectOf(line);
      if (isLater < 0 || (isLater === 0 && subject !== null && about <= subject)) {
        const what = line.kind === 'article' ? line.id : about.slice(0, 100);
        throw new BrokenGuildFile({ is: 'order', line: number, what });
      }
      [kind, subject] = [line.kind, about];
      if (line.kind !== 'article') return;
      if (snowflakeTimeMs(line.id) > Date.parse(madeAt) + CLOCKS_APART_MS) {
        throw new BrokenGuildFile({ is: 'early', line: number, what: line.id });
      }
      article = line;
      lastVoter = '';
    },
  };
}

/** Discord dates articles by its own clock, and the file's maker by that of its machine. */
const CLOCKS_APART_MS = 600_000;

/** The file's lines without their line feeds. */
async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  atMostBytes: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest: Uint8Array[] = [];
  let restLength = 0;
  let total = 0;
  let number = 0;
  const decoded = (): string => {
    number += 1;
    const line = Buffer.concat(rest);
    rest = [];
    restLength = 0;
    try {
      return decoder.decode(line);
    } catch {
      throw new BrokenGuildFile({ is: 'text', line: number });
    }
  };
  for await (const chunk of unpacked(bytes)) {
    total += chunk.length;
    if (total > atMostBytes) {
      throw new BrokenGuildFile({ is: 'big', megabytes: Math.floor(atMostBytes / 1_048_576) });
    }
    let from = 0;
    for (let at = chunk.indexOf(10); ; at = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, at < 0 ? undefined : at);
      restLength += piece.length;
      if (restLength > LONGEST_LINE) throw new BrokenGuildFile({ is: 'long', line: number + 1 });
      if (piece.length > 0) rest.push(piece);
      if (at < 0) break;
      yield decoded();
      from = at + 1;
    }
  }
  // Every line of a whole file has its line feed.
  if (restLength > 0) throw new BrokenGuildFile({ is: 'cut' });
}

/** As they are, or unpacked where they begin as gzip does. */
async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  if (first.done || first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all();
    return;
  }
  const source = Readable.from(all(), { objectMode: false });
  const gunzip = createGunzip();
  let isPacked = true;
  source.on('error', (error) => {
    isPacked = false;
    gunzip.destroy(error);
  });
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Uint8Array;
  } catch (error) {
    // Of the source's own faults, such as a file that cannot be read, the caller knows more.
    if (isPacked && !(error instanceof BrokenGuildFile))
      throw new BrokenGuildFile({ is: 'packed' });
    throw error;
  } finally {
    source.destroy();
  }
}

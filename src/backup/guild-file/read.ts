import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import {
  FORMAT,
  type Header,
  type Kind,
  KINDS,
  type Line,
  LONGEST_LINE,
  LONGEST_WITHOUT_IDS,
  linesAtMost,
  VERSION,
  zEnd,
  zHeader,
  zLine,
} from './format.ts';

/** The file's bytes from the beginning, as often as it is called. */
export type Bytes = () => AsyncIterable<Uint8Array>;

/** How much of a file is read; nothing given: all. Each line costs, also an empty one. */
export type ReadLimits = { atMostBytes?: number; atMostLines?: number };

/**
 * Why a file is refused; `line` from 1. `other`: it is none of ours, such as bookmarks or a picture; `stray`: what stands
 * between the parts of a backup. `kind` and `field` tell a person what the line is about; `what` is
 * the schema's own sentence, in English, for who knows the format.
 */
export type FileFault =
  | { status: 'other' | 'stray' | 'empty' | 'utf16' | 'cut' | 'packed' | 'sum' }
  | { status: 'version'; version: number }
  | { status: 'big'; megabytes: number }
  | { status: 'lines'; count: number }
  | { status: 'long' | 'text' | 'json'; line: number }
  | { status: 'many'; kind: Kind }
  | { status: 'line'; line: number; kind: Kind | null; field: string | null; what: string };

/** The file is not whole, or it is something else. */
export class BrokenGuildFile extends Error {
  override readonly name = 'BrokenGuildFile';
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(`a guild's file is refused: ${fault.status}`);
    this.fault = fault;
  }
}

type CheckedGuildFile = Header & { lines: number; articles: number };

/**
 * Reads a file or a backup to its end before anything rests on it, and tells of each guild in it.
 * Throws `BrokenGuildFile`.
 */
export async function checkGuildFiles(
  bytes: Bytes,
  limits: ReadLimits = {},
): Promise<CheckedGuildFile[]> {
  const files: CheckedGuildFile[] = [];
  for await (const { header, lines } of guildFiles(bytes, limits)) {
    const file = { ...header, lines: 0, articles: 0 };
    for await (const { kind } of lines) {
      file.lines += 1;
      if (kind === 'article') file.articles += 1;
    }
    files.push(file);
  }
  return files;
}

/** Each guild's file in turn. Lines that the caller does not read are skipped. */
export async function* guildFiles(
  bytes: Bytes,
  limits: ReadLimits = {},
): AsyncGenerator<{ header: Header; lines: AsyncGenerator<Line> }> {
  const texts = linesOf(bytes(), limits);
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    const header = headerOf(next.value);
    const lines = guildLines(texts, next.value.text);
    yield { header, lines };
    for await (const _ of lines);
  }
}

/**
 * A guild's part of a backup; without a header it is not known of which guild. `at`: the line of its header, which is the
 * same whatever is read of the parts before it.
 */
export type GuildPart =
  | { header: Header; at: number; lines: AsyncGenerator<Line> }
  | { header: null; fault: FileFault };

/**
 * Each guild's part of a backup in turn. The lines of a broken part throw `BrokenGuildFile`, which stops no
 * part behind it. What is of no guild, or cannot be read at all, is a part without a header.
 */
export async function* guildParts(
  bytes: Bytes,
  limits: ReadLimits = {},
): AsyncGenerator<GuildPart> {
  const reader = openReader(linesOf(bytes(), limits));
  // Behind a whole part begins the next one. Behind a fault, and in a part that nobody read, there are lines.
  let isAtEndOfPart = true;
  for (;;) {
    const fault = await passedOver(reader);
    if (fault !== null && (isAtEndOfPart || fault.status !== 'stray'))
      yield { header: null, fault };
    const first = await reader.take();
    if (first === null) return;
    isAtEndOfPart = false;
    let header: Header;
    try {
      header = headerOf(first);
    } catch (error) {
      yield { header: null, fault: faultOf(error) };
      continue;
    }
    const whole = () => (isAtEndOfPart = true);
    const lines = andThen(guildLines(untilHeader(reader), first.text), whole);
    yield { header, at: first.number, lines };
  }
}

/** A part that was read to its end, and where it stands in its file; one without a header stands nowhere (0). */
export type SurveyedPart = { at: number; lines: number } & (
  | { header: Header; fault: FileFault | null }
  | { header: null; fault: FileFault }
);

/** Reads each part of a file to its end before anything rests on it: it is whole if it has no fault. */
export async function* surveyedParts(
  bytes: Bytes,
  limits?: ReadLimits,
): AsyncGenerator<SurveyedPart> {
  for await (const part of guildParts(bytes, limits)) {
    let lines = 0;
    if (part.header === null) yield { ...part, at: 0, lines };
    else {
      let fault: FileFault | null = null;
      try {
        for await (const _ of part.lines) lines += 1;
      } catch (error) {
        fault = faultOf(error);
      }
      yield { header: part.header, fault, at: part.at, lines };
    }
  }
}

/** Lines of which the next one can be looked at. */
type Reader = {
  peek(): Promise<Numbered | null>;
  /** The next line, which is passed then; null at the end, and behind a fault of reading. */
  take(): Promise<Numbered | null>;
};

function openReader(texts: AsyncGenerator<Numbered, void>): Reader {
  let ahead: Numbered | null = null;
  const peek = async () => (ahead ??= (await texts.next()).value ?? null);
  return {
    peek,
    async take() {
      const line = await peek();
      ahead = null;
      return line;
    },
  };
}

/** The lines before the next header, which stays ahead. */
async function* untilHeader(reader: Reader): AsyncGenerator<Numbered, void> {
  for (let line = await reader.peek(); line !== null; line = await reader.peek()) {
    if (HEADER.test(line.text)) return;
    await reader.take();
    yield line;
  }
}

/** Passes over the lines before the next header. Returns their fault, or null if there are none. */
async function passedOver(reader: Reader): Promise<FileFault | null> {
  let fault: FileFault | null = null;
  try {
    for await (const { number } of untilHeader(reader)) fault ??= noHeaderAt(number);
  } catch (error) {
    // Of a file that is none of ours, nothing else is true.
    if (fault?.status !== 'other') fault = faultOf(error);
  }
  return fault;
}

async function* andThen<T>(items: AsyncGenerator<T>, done: () => void): AsyncGenerator<T> {
  yield* items;
  done();
}

/** As `exportGuild` writes it, with any spaces. */
const HEADER = new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${FORMAT}"`);

/** The fault of a file's reading. Other errors are thrown on. */
export function faultOf(error: unknown): FileFault {
  if (error instanceof BrokenGuildFile) return error.fault;
  throw error;
}

function noHeaderAt(line: number): FileFault {
  return { status: line === 1 ? 'other' : 'stray' };
}

/** Throws `BrokenGuildFile` if it is none. */
function headerOf({ text, number }: Numbered): Header {
  if (!HEADER.test(text)) throw new BrokenGuildFile(noHeaderAt(number));
  const value = parseJson(text, number);
  const { version } = Object(value) as { version?: unknown };
  // Before the rest, which may be otherwise in another version.
  if (typeof version === 'number' && version > VERSION) {
    throw new BrokenGuildFile({ status: 'version', version });
  }
  return parsed(zHeader, value, number);
}

/** A line without its line feed, and its number from 1. */
type Numbered = { text: string; number: number };

/** The lines of one guild behind its header. Throws at the end where the sum is wrong. */
async function* guildLines(
  texts: AsyncGenerator<Numbered, void>,
  header: string,
): AsyncGenerator<Line> {
  const hash = createHash('sha256').update(`${header}\n`);
  const counts = new Map<Kind, number>();
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    const { text, number } = next.value;
    const value = parseJson(text, number);
    if ((Object(value) as { kind?: unknown }).kind === 'end') {
      const { sha256 } = parsed(zEnd, value, number);
      if (sha256 !== hash.digest('hex')) throw new BrokenGuildFile({ status: 'sum' });
      return;
    }
    hash.update(`${text}\n`);
    const line = parsed(zLine, value, number);
    const count = (counts.get(line.kind) ?? 0) + 1;
    counts.set(line.kind, count);
    if (count > linesAtMost(line.kind)) {
      throw new BrokenGuildFile({ status: 'many', kind: line.kind });
    }
    yield line;
  }
  throw new BrokenGuildFile({ status: 'cut' });
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, line: number): T {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [{ path, message } = { path: [], message: 'nothing' }] = error?.issues ?? [];
  const at = path.map(String).join('.');
  const what = `${at}${at === '' ? '' : ': '}${message}`.slice(0, 200);
  const { kind: named } = Object(value) as { kind?: unknown };
  const kind = KINDS.find((one) => one === named) ?? null;
  const field = kind === null || path.length === 0 ? null : String(path[0]);
  throw new BrokenGuildFile({ status: 'line', line, kind, field, what });
}

function parseJson(text: string, line: number): unknown {
  if (text.length > LONGEST_WITHOUT_IDS) {
    const rest = text.replaceAll(/"[1-9]\d{16,18}",?/g, '');
    if (rest.length > LONGEST_WITHOUT_IDS) throw new BrokenGuildFile({ status: 'long', line });
  }
  try {
    const value: unknown = JSON.parse(text);
    // JSON writes an unpaired surrogate as an escape; Redis and Discord would store different characters.
    const isText =
      !/\\ud/i.test(text) || !/\\ud/.test(JSON.stringify(value).replaceAll('\\\\', ''));
    if (isText) return value;
  } catch {
    // It is no JSON, or nested too deeply to be written.
    throw new BrokenGuildFile({ status: 'json', line });
  }
  throw new BrokenGuildFile({ status: 'text', line });
}

/** No line of ours is as short. Of lines without text there are as many as an editor may leave. */
const BLANK_LENGTH = 2;
const BLANK_AT_MOST = 1000;

/** Lines are read in turns of this length with all else that the process does. */
const TURN_MS = 5;

/**
 * Bytes that are no text become other characters, and the sum is wrong then. An editor may have changed the ends
 * of lines, which belong to no line.
 */
async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  { atMostBytes = Number.POSITIVE_INFINITY, atMostLines = Number.POSITIVE_INFINITY }: ReadLimits,
): AsyncGenerator<Numbered, void> {
  const decoder = new TextDecoder();
  let text = '';
  let total = 0;
  let number = 1;
  let blank = 0;
  let turnMs = performance.now();
  for await (const chunk of unpacked(bytes)) {
    if (total === 0 && isUtf16(chunk)) throw new BrokenGuildFile({ status: 'utf16' });
    total += chunk.length;
    if (total > atMostBytes) {
      throw new BrokenGuildFile({ status: 'big', megabytes: Math.floor(atMostBytes / 1_048_576) });
    }
    for (const [i, piece] of decoder.decode(chunk, { stream: true }).split('\n').entries()) {
      if (i > 0) {
        yield { text: withoutReturn(text), number };
        if (text.length < BLANK_LENGTH) blank += 1;
        if (blank > BLANK_AT_MOST) throw brokenIn(text, { status: 'stray' });
        text = '';
        number += 1;
        if (number > atMostLines)
          throw new BrokenGuildFile({ status: 'lines', count: atMostLines });
        if (performance.now() - turnMs > TURN_MS) {
          await nextTurn();
          turnMs = performance.now();
        }
      }
      text += piece;
      if (text.length > LONGEST_LINE) throw brokenIn(text, { status: 'long', line: number });
    }
  }
  if (total === 0) throw new BrokenGuildFile({ status: 'empty' });
  if (text === '') return;
  if (!isJson(text)) throw brokenIn(text, { status: 'cut' });
  yield { text: withoutReturn(text), number };

  /** Of a first line that is no header, nothing else is true than that the file is none of ours. */
  function brokenIn(line: string, fault: FileFault): BrokenGuildFile {
    return new BrokenGuildFile(number === 1 && !HEADER.test(line) ? { status: 'other' } : fault);
  }
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** With its mark at the beginning, or an ASCII character of two bytes. */
function isUtf16([first = -1, second = -1]: Uint8Array): boolean {
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (first === 0) !== (second === 0)
  );
}

/** As they are, or unpacked where they begin as gzip does. */
async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  await once(source, 'readable');
  const head = source.read() as Buffer | null;
  if (head !== null) source.unshift(head);
  if (head?.[0] !== 0x1f || head[1] !== 0x8b) {
    yield* source as AsyncIterable<Uint8Array>;
    return;
  }
  try {
    // A fault of either stream ends both, and is thrown below.
    yield* pipeline(source, createGunzip(), () => {}) as AsyncIterable<Uint8Array>;
  } catch (error) {
    // Of the source's own faults, such as a file that cannot be read, the caller knows more.
    const { code } = error as NodeJS.ErrnoException;
    throw code?.startsWith('Z_') ? new BrokenGuildFile({ status: 'packed' }) : error;
  }
}

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';
import { gzip } from 'node:zlib';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Budget } from '../budget.ts';

const pack = promisify(gzip);

/** A page or feed, which most visitors get compressed. */
export interface PageDocument {
  /** HTML, Atom or JSON, in UTF-8: writing a text to each visitor takes ten times as long. */
  plain: Uint8Array<ArrayBuffer>;
  /** By gzip. */
  packed: Uint8Array<ArrayBuffer>;
  /** Changes with the text. */
  tag: string;
}

export async function asDocument(text: string): Promise<PageDocument> {
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { plain: new TextEncoder().encode(text), packed: new Uint8Array(await pack(text)), tag };
}

/** Pages show times in minutes, and the message of a change can be lost. */
const FRESH_MS = 15_000;
/** Together, in the memory of the process. */
export const CACHED_BYTES_AT_MOST = 32_000_000;
/** An entry's own objects, besides its content. */
const ENTRY_BYTES = 300;

type Entry = { stamp: string; madeAtMs: number; bytes: number; value: Promise<unknown> };
type Made<T> = { value: T; bytes: number };

/** How a document comes about. Null, for an address without a document, is cached too. */
export type Making<D> = {
  /** What it is about, in any language. */
  about: string;
  /** How it is written: its language and form. */
  variant: string;
  /** Reads what it is about from Redis. */
  read: () => Promise<D | null>;
  write: (data: D) => string | Promise<string>;
};

export interface PageCache {
  /** Something small that is read outside the budget, such as settings. */
  small<T>(guild: Snowflake, key: string, read: () => Promise<T>): Promise<T>;
  /** Data that several documents need. Call it within the making of a document. */
  data<T>(guild: Snowflake, key: string, read: () => Promise<T>): Promise<T>;
  /** A document, which is read and written within the budget if it is not there. */
  document<D>(guild: Snowflake, making: Making<D>): Promise<PageDocument | null>;
}

/**
 * Caches what was read of a guild's articles, and the documents written from it, until the guild's stamp
 * changes, so that most visits need neither a round trip nor a rendering. Simultaneous visits share one.
 * Without a stamp nothing is stored.
 */
export function openPageCache({
  stamp,
  budget,
}: {
  /** Changes when something of the guild changed; null: nobody would tell. */
  stamp: (guild: Snowflake) => string | null;
  budget: Budget;
}): PageCache {
  /** The one that was used longest ago is the first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  function cached<T>(guild: Snowflake, key: string, make: () => Promise<Made<T>>): Promise<T> {
    const now = stamp(guild);
    if (now === null) return make().then(({ value }) => value);
    const name = `${guild} ${key}`;
    const known = entries.get(name);
    if (known && known.stamp === now && performance.now() - known.madeAtMs < FRESH_MS) {
      entries.delete(name);
      entries.set(name, known);
      return known.value as Promise<T>;
    }
    drop(name);
    const made = make();
    const value = made.then((it) => it.value);
    const entry = { stamp: now, madeAtMs: performance.now(), bytes: 0, value };
    entries.set(name, entry);
    made.then(
      (it) => {
        if (entries.get(name) !== entry) return;
        entry.bytes = it.bytes + 2 * name.length + ENTRY_BYTES;
        bytes += entry.bytes;
        while (bytes > CACHED_BYTES_AT_MOST) drop(entries.keys().next().value!);
      },
      () => entries.get(name) === entry && drop(name),
    );
    return value;
  }

  const data = <T>(guild: Snowflake, key: string, read: () => Promise<T>) =>
    cached(guild, `of ${key}`, async () => {
      const value = await read();
      return { value, bytes: serialize(value).byteLength };
    });

  return {
    data,
    small: (guild, key, read) =>
      cached(guild, key, async () => ({ value: await read(), bytes: ENTRY_BYTES })),
    document: (guild, { about, variant, read, write }) =>
      cached(guild, `as ${variant} ${about}`, () =>
        budget.turn(guild, async () => {
          const found = await data(guild, about, read);
          if (found === null) return { value: null, bytes: 0 };
          const value = await asDocument(await write(found));
          return { value, bytes: value.plain.length + value.packed.length };
        }),
      ),
  };
}

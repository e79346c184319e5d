import { gzipSync } from 'node:zlib';
import type { TopLists } from '../../ranking/lists/top-lists.ts';
import { readWebSettings, type WebSettings } from '../web-settings.ts';
import type { Store } from '../../redis/store.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

type Entry = {
  stamp: number;
  madeAtMs: number;
  settings: Promise<WebSettings>;
  documents: Map<string, Promise<PageDocument>>;
};

/** A page or feed, which most visitors get compressed. */
export interface PageDocument {
  /** As it was made: HTML, Atom or JSON. */
  text: string;
  /** By gzip, made once. */
  packed(): Uint8Array<ArrayBuffer>;
}

export function asDocument(text: string): PageDocument {
  let made: Uint8Array<ArrayBuffer> | undefined;
  return { text, packed: () => (made ??= new Uint8Array(gzipSync(text))) };
}

/** Pages show times in minutes, and the message of a change can be lost. */
const FRESH_MS = 15_000;
const GUILDS_AT_MOST = 500;
const DOCUMENTS_AT_MOST = 100;

export interface PageCache {
  /** The guild's settings of its page. */
  settings(guild: Snowflake): Promise<WebSettings>;
  /** The document with this key, which is made if it is not there. */
  document(guild: Snowflake, key: string, make: () => Promise<string>): Promise<PageDocument>;
}

/**
 * Keeps the documents made from a guild's articles until a change of them is reported, so that most
 * visits need neither a round trip nor a rendering. Simultaneous visits share one. Without a stamp
 * nothing is stored.
 */
export function openPageCache({ lists, store }: { lists: TopLists; store: Store }): PageCache {
  const entries = new Map<Snowflake, Entry>();

  function entryOf(guild: Snowflake): Entry | null {
    const stamp = lists.stamp(guild);
    const known = entries.get(guild);
    const now = performance.now();
    if (known && known.stamp === stamp && now - known.madeAtMs < FRESH_MS) return known;
    entries.delete(guild);
    if (stamp === null) return null;
    const settings = readWebSettings(store, guild);
    const entry = { stamp, madeAtMs: now, settings, documents: new Map() };
    settings.catch(() => entries.get(guild) === entry && entries.delete(guild));
    entries.set(guild, entry);
    if (entries.size > GUILDS_AT_MOST) entries.delete(entries.keys().next().value!);
    return entry;
  }

  return {
    settings(guild: Snowflake): Promise<WebSettings> {
      return entryOf(guild)?.settings ?? readWebSettings(store, guild);
    },
    document(guild: Snowflake, key: string, make: () => Promise<string>): Promise<PageDocument> {
      const documents = entryOf(guild)?.documents;
      if (documents === undefined) return make().then(asDocument);
      const known = documents.get(key);
      if (known) return known;
      const made = make().then(asDocument);
      documents.set(key, made);
      made.catch(() => documents.delete(key));
      if (documents.size > DOCUMENTS_AT_MOST) documents.delete(documents.keys().next().value!);
      return made;
    },
  };
}

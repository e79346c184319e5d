import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Guild } from 'discord.js';
import type { ArticleLine } from '../records/guild-file/format.ts';
import type { Bytes, CheckedGuildFile, FileFault } from '../records/guild-file/read.ts';
import { type Restored, restoreGuild } from '../records/guild-file/restore.ts';
import { type Key, translate, type Values } from '../text/catalogue.ts';
import type { App } from '../app.ts';
import { cleanComment } from '../text/comment.ts';
import { withLease } from '../redis/lease.ts';
import { cleanTitle, code, titleOfLink } from '../text/clean.ts';
import { isListed } from '../discord/visibility.ts';

/** Why a whole file does not belong here. */
export type Mismatch = 'guild' | 'application' | 'future';

const DAY_MS = 86_400_000;

export function mismatchOf(
  file: CheckedGuildFile,
  here: { guild: string; application: string; now: number },
): Mismatch | null {
  if (file.guild !== here.guild) return 'guild';
  if (Date.parse(file.madeAt) > here.now + DAY_MS) return 'future';
  return file.application === here.application ? null : 'application';
}

/**
 * Restores a file that was checked into the guild, as the guild is today, and lets everything follow
 * that rests on it. `held`: another process is at it.
 */
export async function restoreFile(
  app: App,
  guild: Guild,
  given: {
    file: CheckedGuildFile;
    bytes: Bytes;
    write: boolean;
    onLine?: (lines: number) => void;
  },
): Promise<{ status: 'done'; restored: Restored } | { status: 'held' }> {
  const { clock, log, stopping } = app;
  const options = { ...given, now: clock.now(), fit: fitting(guild) };
  if (!given.write) {
    return { status: 'done', restored: await restoreGuild(app, { ...options, signal: stopping }) };
  }
  return withLease(app, { guild: guild.id, work: 'restore' }, async (held) => {
    const restored = await restoreGuild(app, { ...options, signal: held.signal });
    await app.rules.refresh(guild.id);
    log.info({ guild: guild.id, ...restored.kinds.article }, "A guild's file is restored.");
    return { status: 'done', restored } as const;
  });
}

/** What was kept elsewhere is cleaned as what somebody posts, and stands in the channels of today. */
function fitting(guild: Guild): (article: ArticleLine) => ArticleLine {
  const channels = guild.channels.cache;
  return ({ comment, ...article }) => {
    const [home = '', ...others] = article.groups;
    const channel = channels.get(home);
    const said = comment === undefined ? '' : cleanComment(comment);
    return {
      ...article,
      title: cleanTitle(article.title) || titleOfLink(article.link),
      ...(said === '' ? {} : { comment: said }),
      groups: [home, ...others.filter((other) => channels.has(other))],
      listed: channel !== undefined && !channel.isThread() && isListed(channel),
    };
  };
}

/** Why a file is refused, for whoever gave it. */
export function faultText(locale: string, fault: FileFault): string {
  const key = `data.fault.${fault.is}` as Key;
  const { is: _, ...values } = fault;
  const shown = 'what' in values ? { ...values, what: code(values.what) } : values;
  return translateAny(locale, key, shown);
}

export function mismatchText(locale: string, mismatch: Mismatch): string {
  return translateAny(locale, `data.mismatch.${mismatch}`, {});
}

/** A line for each kind of which there is something to say. */
export function fateLines(locale: string, { kinds, awaited }: Restored): string[] {
  const lines = Object.entries(kinds).flatMap(([kind, fates]) => {
    const sum = fates.added + fates.changed + fates.kept + fates.left;
    if (sum === 0) return [];
    const what = translateAny(locale, `data.kind.${kind}` as Key, {});
    return [translateAny(locale, 'data.fates', { what, ...fates })];
  });
  if (awaited > 0) lines.push(translateAny(locale, 'data.awaited', { articles: awaited }));
  return lines;
}

function translateAny(locale: string, key: Key, values: Values): string {
  return (translate as (locale: string, key: Key, values: Values) => string)(locale, key, values);
}

/** More is packed. */
const PLAIN_BYTES = 256 * 1024;

/** Lines as a file of at most so many bytes; null where it would have more. */
export async function fileOf(
  lines: AsyncGenerator<string>,
  atMostBytes: number,
): Promise<{ data: Buffer; isPacked: boolean } | null> {
  let head = '';
  for (;;) {
    const next = await lines.next();
    if (next.done) return { data: Buffer.from(head), isPacked: false };
    head += next.value;
    if (head.length > PLAIN_BYTES) break;
  }
  async function* all(): AsyncGenerator<string> {
    yield head;
    yield* lines;
  }
  const source = Readable.from(all(), { objectMode: false });
  const gzip = createGzip();
  source.on('error', (error) => gzip.destroy(error));
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source.pipe(gzip)) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > atMostBytes) return null;
    }
  } finally {
    source.destroy();
  }
  return { data: Buffer.concat(chunks), isPacked: true };
}

/** A file that is held whole, in pieces between which others have their turn. */
export function bytesOf(file: Buffer): Bytes {
  return async function* () {
    for (let i = 0; i < file.length; i += 65_536) {
      yield file.subarray(i, i + 65_536);
      await nextTurn();
    }
  };
}

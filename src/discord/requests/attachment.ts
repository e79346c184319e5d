import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Attachment, Client } from 'discord.js';
import { UserError } from '../user-error.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { parseUrl } from '../../runtime/url.ts';

export const ATTACHED_AT_MOST = 25 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
const PATIENCE_MS = 60_000;

const DISCORD_HOSTS = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];

/**
 * Reads a file that a member attached. It fetches only from Discord's file hosts, follows no redirects
 * and stops at `ATTACHED_AT_MOST` bytes.
 */
export async function readAttachment(
  client: Client,
  { url, size }: Pick<Attachment, 'url' | 'size'>,
): Promise<Buffer> {
  if (!isOfDiscord(client, url)) throw new UserError('data.file.elsewhere');
  const tooBig = new UserError('data.file.big', { megabytes: ATTACHED_AT_MOST / MEGABYTE });
  if (size > ATTACHED_AT_MOST) throw tooBig;
  try {
    const data = await fetchBytes(url, { atMostBytes: ATTACHED_AT_MOST, patienceMs: PATIENCE_MS });
    if (data === null) throw tooBig;
    return data;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError('data.file.gone');
  }
}

/** Without redirects. Null if there are more than `atMostBytes`. */
async function fetchBytes(
  url: string,
  { atMostBytes, patienceMs }: { atMostBytes: number; patienceMs: number },
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const ending = new AbortController();
  const { signal } = ending;
  const timer = setTimeout(() => ending.abort(), patienceMs);
  try {
    const response = await fetch(url, { redirect: 'error', signal });
    if (!response.ok || response.body === null) throw new UserError('data.file.gone');
    // The body has its own signal: after a garbage collection, `fetch` listens to none any more.
    for await (const chunk of Readable.fromWeb(response.body, { signal })) {
      length += chunk.length;
      if (length > atMostBytes) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
  }
}

const ICON_AT_MOST = 256 * 1024;
/** A page waits for it. */
const ICON_PATIENCE_MS = 5000;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A guild's icon as a PNG of 128 pixels, from Discord's file host; null if there is none to be had in time. */
export async function fetchGuildIcon(
  client: Client,
  guild: Snowflake,
  hash: string,
  patienceMs = ICON_PATIENCE_MS,
): Promise<Buffer | null> {
  if (!/^(?:a_)?[0-9a-f]{32}$/.test(hash)) return null;
  const api = new URL(client.options.rest?.api ?? 'https://discord.com/api');
  const origin = api.host === 'discord.com' ? DISCORD_HOSTS[0]! : api.origin;
  const data = await fetchBytes(`${origin}/icons/${guild}/${hash}.png?size=128`, {
    atMostBytes: ICON_AT_MOST,
    patienceMs,
  }).catch(() => null);
  return data?.subarray(0, PNG.length).equals(PNG) ? data : null;
}

/** With another API host, such as the sandbox, the files are at the origin of that API. */
function isOfDiscord({ options }: Client, address: string): boolean {
  const origin = parseUrl(address)?.origin;
  if (origin === undefined) return false;
  const api = new URL(options.rest?.api ?? 'https://discord.com/api');
  return api.host === 'discord.com' ? DISCORD_HOSTS.includes(origin) : origin === api.origin;
}

/** A longer file is compressed. */
const PLAIN_BYTES = 256 * 1024;

/** Writes lines to a file of at most `atMostBytes`; null if it would be larger. */
export async function fileOf(
  lines: AsyncGenerator<string>,
  atMostBytes: number,
): Promise<{ data: Buffer; isPacked: boolean } | null> {
  const plain: string[] = [];
  let plainLength = 0;
  async function* read(): AsyncGenerator<string> {
    for await (const line of lines) {
      plainLength += line.length;
      if (plainLength <= PLAIN_BYTES) plain.push(line);
      yield line;
    }
  }
  const chunks: Buffer[] = [];
  let length = 0;
  await pipeline(read(), createGzip(), async (packed: AsyncIterable<Buffer>) => {
    for await (const chunk of packed) {
      length += chunk.length;
      if (length <= atMostBytes) chunks.push(chunk);
    }
  });
  if (plainLength <= PLAIN_BYTES) return { data: Buffer.from(plain.join('')), isPacked: false };
  return length > atMostBytes ? null : { data: Buffer.concat(chunks), isPacked: true };
}

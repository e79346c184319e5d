import { parse as parseHost } from 'tldts';
import { z } from 'zod';
import { addressesOf } from '../ranking/links/addresses.ts';
import { siteHost } from '../ranking/links/canonical.ts';
import { oneSpelling } from '../ranking/links/percent.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { scanHash } from '../redis/scan.ts';
import { expectDeletion } from './lost-records.ts';
import type { Store } from '../redis/store.ts';
import { parseStored } from '../redis/parse-stored.ts';
import { zTimeMs } from '../runtime/clock.ts';
import { parseUrl } from '../runtime/url.ts';

/** Every process keeps all of a guild's blocks, for each post and vote. */
export const BLOCKS_AT_MOST = 5000;

/** As it is typed. Escaped, a Chinese character has nine. */
export const MAX_ORIGIN_LENGTH = 250;

export const zBlock = z.object({
  posting: z.boolean().default(true),
  voting: z.boolean().default(false),
  reason: z.string().max(500).default(''),
  by: zSnowflake,
  sinceMs: zTimeMs.default(0),
  /** null: until it is lifted. */
  untilMs: zTimeMs.nullable().default(null),
});

/** A member who may not post or vote, or an origin whose links cannot be posted. */
export type Block = z.infer<typeof zBlock> & {
  /** `member:<id>`, or `origin:<host>` with the path's beginning, such as `origin:github.com/someone`. */
  subject: string;
};

/** What a member can be blocked from, as it is chosen. */
export const BLOCK_SCOPES = {
  both: { posting: true, voting: true },
  post: { posting: true, voting: false },
  vote: { posting: false, voting: true },
} as const satisfies Record<string, Pick<Block, 'posting' | 'voting'>>;
export type BlockScope = keyof typeof BLOCK_SCOPES;
export const blockScopes = Object.keys(BLOCK_SCOPES) as [BlockScope, ...BlockScope[]];

/** What a block of a member blocks. */
export function scopeOf({ posting, voting }: Pick<Block, 'posting' | 'voting'>): BlockScope {
  const isSame = (scope: BlockScope) =>
    BLOCK_SCOPES[scope].posting === posting && BLOCK_SCOPES[scope].voting === voting;
  return blockScopes.find(isSame) ?? 'vote';
}

/** A host has no colon, and a path may have some: `origin:wiki.example/user:somebody`. */
export const zSubject = z
  .string()
  .max(9 * MAX_ORIGIN_LENGTH)
  .regex(/^(member:[1-9]\d{0,19}|origin:[^\s:/]+(\/\S+)?)$/);

/** All blocks, those that have ended among them. What cannot be read is left out, with a warning. */
export async function readBlocks(store: Store, guild: Snowflake): Promise<Map<string, Block>> {
  const stored = scanHash(store.redis, storeKeys(store, guild).blocks);
  const blocks = new Map<string, Block>();
  const faults: string[] = [];
  for await (const [subject, json] of stored) {
    if (blocks.size >= BLOCKS_AT_MOST) break;
    const block = parse(subject, json);
    if (block) blocks.set(subject, block);
    else faults.push(subject);
  }
  if (faults.length > 0) {
    store.log.warn({ guild, faults }, 'Some stored blocks cannot be read; they do not hold.');
  }
  return blocks;
}

export async function readBlock(
  store: Store,
  guild: Snowflake,
  subject: string,
): Promise<Block | null> {
  const json = await store.redis.hget(storeKeys(store, guild).blocks, subject);
  return json === null ? null : parse(subject, json);
}

/**
 * Blocks, in place of an earlier block of the same subject. `full`: nothing was written, since the
 * guild has `BLOCKS_AT_MOST` others. Throws, and writes nothing, if the block could not be read again.
 */
export async function writeBlock(
  store: Store,
  guild: Snowflake,
  { subject, ...rest }: Block,
): Promise<{ status: 'written' | 'full' }> {
  const { blocks } = storeKeys(store, guild);
  const [field, json] = [zSubject.parse(subject), JSON.stringify(zBlock.parse(rest))];
  const isNew = (await store.redis.hexists(blocks, field)) === 0;
  if (isNew && (await store.redis.hlen(blocks)) >= BLOCKS_AT_MOST) return { status: 'full' };
  await store.redis.hset(blocks, field, json);
  return { status: 'written' };
}

/** Deletes the blocks that have ended, to make room for others. */
export async function sweepBlocks(store: Store, guild: Snowflake, now: number): Promise<void> {
  for (const [subject, block] of await readBlocks(store, guild)) {
    if (!holds(block, now)) await deleteBlock(store, guild, subject);
  }
}

export async function deleteBlock(
  store: Store,
  guild: Snowflake,
  subject: string,
): Promise<{ status: 'deleted' | 'unknown' }> {
  const { blocks } = storeKeys(store, guild);
  const [deleted] = await Promise.all([
    store.redis.hdel(blocks, subject),
    expectDeletion(store, guild),
  ]);
  return { status: deleted === 1 ? 'deleted' : 'unknown' };
}

export function holds(block: Block | null | undefined, now: number): block is Block {
  return block != null && (block.untilMs === null || now < block.untilMs);
}

/** A block on top of an earlier one that still holds: it blocks what either does, until the later end. */
export function united(earlier: Block | null, block: Block): Block {
  if (!holds(earlier, block.sinceMs)) return block;
  return {
    ...block,
    posting: earlier.posting || block.posting,
    voting: earlier.voting || block.voting,
    reason: block.reason || earlier.reason,
    untilMs:
      earlier.untilMs === null || block.untilMs === null
        ? null
        : Math.max(earlier.untilMs, block.untilMs),
  };
}

export function memberSubject(member: Snowflake): string {
  return `member:${member}`;
}

/** The member of a block; null if an origin is blocked. */
export function blockedMember(subject: string): string | null {
  return subject.startsWith('member:') ? subject.slice('member:'.length) : null;
}

/**
 * The subject of a domain or an origin as somebody would type it: `example.com`,
 * `https://www.github.com/someone/`; null where that is none. Hosts are in punycode. A site with
 * several hosts has one subject, since its links are compared under one host: `x.com` for `twitter.com`.
 */
export function originSubject(text: string): string | null {
  const typed = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const url = typed === '' || /\s/.test(typed) ? null : parseUrl(`https://${typed}`);
  if (url === null) return null;
  const host = siteHost(url);
  if (url.username || url.password || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(host)) return null;
  const path = segments(host, url.pathname).join('/');
  const subject = `origin:${host}${path && `/${path}`}`;
  return zSubject.safeParse(subject).success ? subject : null;
}

/**
 * Whether an origin is an ending under which anybody can have a site: `co.uk`, `github.io`. With a
 * path, an ending that one host serves is one of its sites: `s3.amazonaws.com/someone`.
 */
export function isSharedEnding(subject: string): boolean {
  const [host = '', path] = subject.slice('origin:'.length).split('/');
  const options = { allowPrivateDomains: path === undefined, validateHostname: false };
  const bare = host.replace(/^www\./, '');
  return parseHost(bare, options).publicSuffix === bare;
}

/**
 * The block that holds for a link: of its host, a domain above, or the beginning of its path. All
 * addresses on its way are judged: redirects, AMP pages and other hosts of a site lead around no block.
 * `tangled`: the link contains too many addresses to judge.
 */
export function originBlock(
  blocks: ReadonlyMap<string, Block>,
  { href }: { href: string },
  now: number,
): Block | 'tangled' | null {
  if (![...blocks.keys()].some((subject) => blockedMember(subject) === null)) return null;
  const addresses = addressesOf(new URL(href));
  if (addresses === null) return 'tangled';
  for (const address of addresses) {
    const block = blockOf(blocks, address, now);
    if (block) return block;
  }
  return null;
}

function blockOf(blocks: ReadonlyMap<string, Block>, href: string, now: number): Block | null {
  const url = new URL(href);
  const path = segments(url.hostname, url.pathname);
  const labels = url.hostname.replace(/\.$/, '').split('.');
  for (let i = 0; i < labels.length - 1; i++) {
    const host = labels.slice(i).join('.');
    for (let n = 0; n <= path.length; n++) {
      const block = blocks.get(`origin:${[host, ...path.slice(0, n)].join('/')}`);
      if (holds(block, now)) return block;
    }
  }
  return null;
}

/**
 * Paths are compared in lower case: accounts and repositories ignore case. Needless escapes are decoded
 * within a segment: sites serve `/%40somebody` as `/@somebody`. Reddit has two paths of one account.
 */
function segments(host: string, path: string): string[] {
  const plain = oneSpelling(path)
    .replace(/%(?:2[146-9A-C]|3[ABD]|40)/g, decodeURIComponent)
    .replace(/(?:%[89A-F][0-9A-F])+/g, lowerCase)
    .toLowerCase();
  const all = plain.split('/').filter(Boolean);
  if (host === 'reddit.com' && all[0] === 'user') all[0] = 'u';
  return all.slice(0, 8);
}

/** Letters beyond ASCII, which stay escaped: some of them cannot be seen. */
function lowerCase(escapes: string): string {
  const letters = Buffer.from(escapes.replaceAll('%', ''), 'hex').toString();
  return encodeURIComponent(letters.toLowerCase());
}

function parse(subject: string, json: string): Block | null {
  const block = zSubject.safeParse(subject).success ? parseStored(zBlock, json) : null;
  return block && { subject, ...block };
}

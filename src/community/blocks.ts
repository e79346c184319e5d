import { z } from 'zod';
import { addressesOf } from '../ranking/links/addresses.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { scanHash } from '../redis/scan.ts';
import { expectDeletion } from './lost-records.ts';
import type { Store } from '../redis/store.ts';
import { stored } from '../redis/stored.ts';
import { zTimeMs } from '../runtime/clock.ts';
import {
  type BlockSubject,
  memberSubject,
  pathOfSite,
  subjectKey,
  zSubject,
} from './block-subject.ts';

/** Every process keeps all of a guild's blocks, for each post and vote. */
export const BLOCKS_AT_MOST = 5000;

export const zBlock = z.object({
  posting: z.boolean().default(true),
  voting: z.boolean().default(false),
  reason: z.string().max(500).default(''),
  by: zSnowflake,
  sinceMs: zTimeMs.default(0),
  /** null: until it is lifted. */
  untilMs: zTimeMs.nullable().default(null),
});

const storedBlock = stored('blocks', zBlock);

/** A member who may not post or vote, or a site whose links cannot be posted. */
export type Block = z.infer<typeof zBlock> & { subject: BlockSubject };

/** A guild's blocks by `subjectKey`, those that have ended among them. */
export type Blocks = ReadonlyMap<string, Block>;

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

/** All blocks, by `subjectKey`. What cannot be read is left out, with a warning. */
export async function readBlocks(store: Store, guild: Snowflake): Promise<Map<string, Block>> {
  const stored = scanHash(store.redis, storeKeys(store, guild).blocks);
  const blocks = new Map<string, Block>();
  const faults: string[] = [];
  for await (const [key, json] of stored) {
    if (blocks.size >= BLOCKS_AT_MOST) break;
    const block = parse(key, json);
    if (block) blocks.set(key, block);
    else faults.push(key);
  }
  if (faults.length > 0) {
    store.log.warn({ guild, faults }, 'Some stored blocks cannot be read; they do not hold.');
  }
  return blocks;
}

export async function readBlock(
  store: Store,
  guild: Snowflake,
  subject: BlockSubject,
): Promise<Block | null> {
  const key = subjectKey(subject);
  const json = await store.redis.hget(storeKeys(store, guild).blocks, key);
  return json === null ? null : parse(key, json);
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
  const [field, json] = [subjectKey(subject), storedBlock.write(rest)];
  zSubject.parse(field);
  const isNew = (await store.redis.hexists(blocks, field)) === 0;
  if (isNew && (await store.redis.hlen(blocks)) >= BLOCKS_AT_MOST) return { status: 'full' };
  await store.redis.hset(blocks, field, json);
  return { status: 'written' };
}

/** Deletes the blocks that have ended, to make room for others. */
export async function sweepBlocks(store: Store, guild: Snowflake, now: number): Promise<void> {
  for (const block of (await readBlocks(store, guild)).values()) {
    const { subject } = block;
    if (!holds(block, now)) await deleteBlock(store, guild, subject);
  }
}

export async function deleteBlock(
  store: Store,
  guild: Snowflake,
  subject: BlockSubject,
): Promise<{ status: 'deleted' | 'unknown' }> {
  const { blocks } = storeKeys(store, guild);
  const [deleted] = await Promise.all([
    store.redis.hdel(blocks, subjectKey(subject)),
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

/** The block of a member, whether it holds or has ended. */
export function memberBlock(blocks: Blocks, member: Snowflake): Block | undefined {
  return blocks.get(subjectKey(memberSubject(member)));
}

/**
 * The block that holds for a link: of its host, a domain above, or the beginning of its path. All
 * addresses on its way are judged: redirects, AMP pages and other hosts of a site lead around no block.
 * `tangled`: the link contains too many addresses to judge.
 */
export function siteBlock(
  blocks: Blocks,
  { href }: { href: string },
  now: number,
): Block | 'tangled' | null {
  if (![...blocks.values()].some(({ subject }) => subject.kind === 'site')) return null;
  const addresses = addressesOf(new URL(href));
  if (addresses === null) return 'tangled';
  for (const address of addresses) {
    const block = blockOf(blocks, address, now);
    if (block) return block;
  }
  return null;
}

function blockOf(blocks: Blocks, href: string, now: number): Block | null {
  const url = new URL(href);
  const path = pathOfSite(url.hostname, url.pathname);
  const labels = url.hostname.replace(/\.$/, '').split('.');
  for (let i = 0; i < labels.length - 1; i++) {
    const host = labels.slice(i).join('.');
    for (let n = 0; n <= path.length; n++) {
      const site = [host, ...path.slice(0, n)].join('/');
      const block = blocks.get(subjectKey({ kind: 'site', site }));
      if (holds(block, now)) return block;
    }
  }
  return null;
}

function parse(key: string, json: string): Block | null {
  const subject = zSubject.safeParse(key);
  if (!subject.success) return null;
  const block = storedBlock.read(json);
  return block && { subject: subject.data, ...block };
}

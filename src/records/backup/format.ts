import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';

/**
 * A backup is lines of JSON, compressed with gzip:
 * one that says what it is, then blocks, then one that says what it should have been.
 * A block holds the keys of one guild as they were at one instant, or one key without a guild.
 * A block that ended in `void` was changed while it was read, and another one of that guild follows.
 * Values are bytes, written as the characters of the same numbers (latin1).
 */
export const FORMAT = 'frontpage-backup-1';

export const zHead = z.object({
  format: z.literal(FORMAT, { error: 'is not a backup of Frontpage' }),
  madeAt: z.iso.datetime(),
});
export const zBlock = z.object({ block: z.string() });
/** A chunk of a key. The first one of a key says its type, length, and when it ends (ms). */
export const zChunk = z.object({
  key: z.string().startsWith('frontpage:'),
  type: z.enum(['string', 'hash', 'set', 'zset']),
  length: z.int().optional(),
  endsAtMs: z.int().optional(),
  values: z.array(z.string()),
});
export const zBlockEnd = z.object({ end: z.enum(['kept', 'void']) });
export const zTail = z.object({
  total: z.object({ blocks: z.int(), keys: z.int(), values: z.int() }),
  sha256: z.string(),
});
export const zLine = z.union([zHead, zBlock, zChunk, zBlockEnd, zTail]);

export type Chunk = z.infer<typeof zChunk>;
export type Total = z.infer<typeof zTail>['total'];
export type Line = z.infer<typeof zLine>;

/** Of all lines before the last. */
export function openDigest(): { add(text: string): void; digest(): string } {
  const hash: Hash = createHash('sha256');
  return { add: (text) => void hash.update(text), digest: () => hash.digest('hex') };
}

export const toText = (bytes: Buffer): string => bytes.toString('latin1');
export const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

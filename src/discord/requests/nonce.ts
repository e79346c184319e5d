import { createHash } from 'node:crypto';
import { limits } from '../../discord/limits.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/**
 * Discord answers a second send with the same nonce with the first message, for some minutes.
 * The same from every process.
 */
export function nonceOf(guild: Snowflake, ...parts: (string | number)[]): string {
  return createHash('sha256')
    .update([guild, ...parts].join('\n'))
    .digest('base64url')
    .slice(0, limits.nonceLength);
}

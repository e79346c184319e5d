import { createHash } from 'node:crypto';

const BETWEEN = ' · ';

/**
 * What a read-back of the channel knows an edition's message by, free of language: the end of its
 * footer. `when` is the slot's local date; for an edition out of turn, the time with it.
 */
export function footerTag(digest: string, when: string): string {
  return `${digest}${BETWEEN}${when}`;
}

/** The tag at the end of a footer. */
export function readFooterTag(footer: string): string {
  return footer.split(BETWEEN).slice(-2).join(BETWEEN);
}

/**
 * Discord answers a second send with the same nonce with the first message, for some minutes.
 * At most 25 characters, and the same from every process.
 */
export function nonceOf(guild: string, ...parts: (string | number)[]): string {
  return createHash('sha256')
    .update([guild, ...parts].join('\n'))
    .digest('base64url')
    .slice(0, 25);
}

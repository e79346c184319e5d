import { createHash } from 'node:crypto';

const BETWEEN = ' · ';

/**
 * The tag by which a read-back of the channel recognizes an edition's message. It is the end of the
 * footer and the same in every language. `when` is the slot's local date; for an edition outside the
 * schedule, the date and time.
 */
export function footerTag(digest: string, when: string): string {
  return `${digest}${BETWEEN}${when}`;
}

/** Returns the tag at the end of a footer. */
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

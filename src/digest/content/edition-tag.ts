import { createHash } from 'node:crypto';

const BETWEEN = ' · ';

/**
 * The tag by which a read-back of the channel recognizes an edition's message. It is the end of the
 * content's third line and the same in every language. It is not in an embed, because a moderator can
 * take a message's embeds away. `when` is the slot's local date; for an edition outside the schedule,
 * the date and time.
 */
export function editionTag(digest: string, when: string): string {
  return `${digest}${BETWEEN}${when}`;
}

/** Returns the tag in a message's content; undefined if the message is no edition. */
export function readEditionTag(content: string): string | undefined {
  const [headline = '', , last] = content.split('\n');
  if (!headline.startsWith('## ') || last?.startsWith('-# ') !== true) return undefined;
  return last.split(BETWEEN).slice(-2).join(BETWEEN);
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

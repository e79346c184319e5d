import { createHash } from 'node:crypto';

/** Which message of an edition it is, free of language. Pages count from 1. */
export type Page = { digest: string; date: string; page: number; pages: number };

/** Stands in the embed's footer, where a read-back of the channel finds it. */
export function footerTag({ digest, date, page, pages }: Page): string {
  return pages > 1 ? `${digest} · ${date} · ${page}/${pages}` : `${digest} · ${date}`;
}

/** Whether a footer tag is of this digest and date, on however many pages. */
export function isTagOf({ digest, date }: Pick<Page, 'digest' | 'date'>, tag: string): boolean {
  const whole = footerTag({ digest, date, page: 1, pages: 1 });
  return tag === whole || tag.startsWith(`${whole} · `);
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

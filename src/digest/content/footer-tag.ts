import { createHash } from 'node:crypto';

/** Which message of an edition it is, free of language. Pages count from 1. */
export type Page = { edition: string; date: string; page: number; pages: number };

/** Stands in the embed's footer, where a read-back of the channel finds it. */
export function markOf({ edition, date, page, pages }: Page): string {
  return pages > 1 ? `${edition} · ${date} · ${page}/${pages}` : `${edition} · ${date}`;
}

/** Whether a mark is of this edition and date, on however many pages. */
export function isOf({ edition, date }: Pick<Page, 'edition' | 'date'>, mark: string): boolean {
  const whole = markOf({ edition, date, page: 1, pages: 1 });
  return mark === whole || mark.startsWith(`${whole} · `);
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

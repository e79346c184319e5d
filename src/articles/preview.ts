import type { Client } from 'discord.js';
import { z } from 'zod';
import { parseLink } from '../ranking/links/parse.ts';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { cleanTitle } from '../text/clean.ts';

/** Discord looks a link up by itself, and shows what it finds a moment later; slow sites take longer. */
const patienceMs = 60_000;

const zUpdate = z.object({
  id: zSnowflake,
  embeds: z.array(z.looseObject({ url: z.string().nullish(), title: z.string().nullish() })),
});
type Shown = { url?: string | null | undefined; title?: string | null | undefined };

/** The title that Discord found for a link, as any other title; empty where it found none. */
export function previewTitle(embeds: readonly Shown[], canonical: string): string {
  for (const { url, title } of embeds) {
    const link = parseLink(url);
    if (link.status === 'refused' || link.canonical !== canonical) continue;
    const clean = cleanTitle(title ?? '');
    if (clean !== '') return clean;
  }
  return '';
}

/** Titles that come with a message's update, after the message. */
export type Previews = {
  /** Resolves with the title, or with an empty one when none came in time. To be asked before anything is awaited. */
  titleOf(message: Snowflake, canonical: string): Promise<string>;
  /** Nobody waits for this message's title any more. */
  forget(message: Snowflake): void;
  stop(): void;
};

export function followPreviews(client: Client): Previews {
  const waiting = new Map<Snowflake, { canonical: string; end(title: string): void }>();
  // discord.js tells of no update of a message that it does not keep.
  client.ws.on('MESSAGE_UPDATE' as never, (packet: unknown) => {
    const update = zUpdate.safeParse(packet);
    const waiter = update.success ? waiting.get(update.data.id) : undefined;
    if (!update.success || !waiter) return;
    const title = previewTitle(update.data.embeds, waiter.canonical);
    if (title !== '') waiter.end(title);
  });
  return {
    titleOf: (message, canonical) =>
      new Promise((resolve) => {
        const end = (title: string): void => {
          clearTimeout(timer);
          waiting.delete(message);
          resolve(title);
        };
        const timer = setTimeout(() => end(''), patienceMs);
        waiting.set(message, { canonical, end });
      }),
    forget: (message) => waiting.get(message)?.end(''),
    stop() {
      for (const waiter of waiting.values()) waiter.end('');
    },
  };
}

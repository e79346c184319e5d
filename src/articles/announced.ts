import { DAY_MS } from '../runtime/clock.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { FINAL_AFTER_MS } from '../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';
import { withoutImported } from './imported.ts';

/** A day longer than announcements look back, which is until an article's tally is final. */
const ANNOUNCED_MS = FINAL_AFTER_MS + DAY_MS;

/** Whether announcements can still find the article. */
export function isNews(id: Snowflake, now: number): boolean {
  return now - snowflakeTimeMs(id) < ANNOUNCED_MS;
}

/** Which of these articles are still to be announced, in the order given. An imported one is no news. */
export async function unannounced(
  store: Store,
  guild: Snowflake,
  articles: readonly string[],
): Promise<string[]> {
  const done = await readNoted(store, guild, articles);
  const left = articles.filter((_, at) => done[at] === null).map((id) => ({ id }));
  return (await withoutImported(store, guild, left)).map(({ id }) => id);
}

/** The message that announced an article. */
type Announcement = { channel: Snowflake; message: Snowflake };

/** `by`: null where no message is known that did. */
export async function noteAnnounced(
  store: Store,
  guild: Snowflake,
  articles: readonly string[],
  by: Announcement | null = null,
): Promise<void> {
  const keys = storeKeys(store, guild);
  const noted = by === null ? '1' : `${by.channel}/${by.message}`;
  await Promise.all(
    articles.map((id) => store.redis.set(keys.announced(id), noted, 'PX', ANNOUNCED_MS)),
  );
}

/** The messages that announced these articles, each once, as far as they are known. */
export async function readAnnouncements(
  store: Store,
  guild: Snowflake,
  articles: readonly Snowflake[],
): Promise<Announcement[]> {
  return [...new Set(await readNoted(store, guild, articles))].flatMap((text) => {
    const [channel = '', message = ''] = text?.split('/') ?? [];
    const isKnown = [channel, message].every((id) => zSnowflake.safeParse(id).success);
    return isKnown ? [{ channel, message }] : [];
  });
}

/** What is noted of each of these articles; null: it is to be announced. */
function readNoted(
  store: Store,
  guild: Snowflake,
  articles: readonly Snowflake[],
): Promise<(string | null)[]> {
  const keys = storeKeys(store, guild);
  return Promise.all(articles.map((id) => store.redis.get(keys.announced(id))));
}

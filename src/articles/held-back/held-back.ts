import { createHash } from 'node:crypto';
import type { Client } from 'discord.js';
import { z } from 'zod';
import { notifyAdmins } from '../../community/admin-messages.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { parseStored } from '../../redis/parse-stored.ts';
import { readHash } from '../../redis/scan.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';
import { DAY_MS, HOUR_MS, zTimeMs } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { messageLink } from '../../text/mentions.ts';

// Discord takes no message in a channel that names such an article: AutoMod or the filter of harmful links
// holds its text back (200000, 240000), or Discord finds it malformed (50035).

/** Discord may think otherwise of a text by then. Until then, lists in that channel leave the article out. */
const HELD_BACK_MS = DAY_MS;
/** Where Discord takes none of a message's articles, it is not asked more rarely than once in this time. */
const LONGEST_PROBE_MS = 12 * HOUR_MS;

/**
 * When a message is tried again of which Discord takes none of the articles: after an hour, and then after as long
 * as it has been refused, so that each pause is twice the one before.
 */
export function refusedProbeMs(refusedForMs: number): number {
  return Math.min(Math.max(HOUR_MS, refusedForMs), LONGEST_PROBE_MS);
}

/** An article that is refused again within this time was told of before. */
const REMEMBERED_MS = 8 * DAY_MS;

const zHeldBack = z.object({
  untilMs: zTimeMs,
  /** A part of a hash of its texts: with other ones it is tried at once. */
  texts: z.string().max(16),
});

function textsOf({ title, link, comment = '' }: Article): string {
  const texts = JSON.stringify([title, link, comment]);
  return createHash('sha256').update(texts).digest('hex').slice(0, 8);
}

/** Which articles a message in the channel may name now, as far as Discord's refusals are known. */
export async function readMayName(
  store: Store,
  { guild, channel }: { guild: Snowflake; channel: Snowflake },
  now: number,
): Promise<(article: Article) => boolean> {
  const found = await readHash(store.redis, storeKeys(store, guild).heldBack);
  return (article) => {
    const held = parseStored(zHeldBack, found.get(`${channel} ${article.id}`) ?? null);
    return held === null || now >= held.untilMs || held.texts !== textsOf(article);
  };
}

/** What telling of refused articles needs. */
export interface HeldBackNeeds {
  /** Sends to the admins. */
  client: Client;
  /** Where the refused articles are remembered. */
  store: Store;
  /** The refused articles, as they are now. */
  ranking: Ranking;
  /** Requests that can wait. */
  requests: Requests;
  /** Says which articles are left out. */
  log: Log;
}

/**
 * Remembers that Discord refuses these articles in a channel, and tells the admins of each once; of a limit of a
 * message's articles, once while it lasts.
 */
export async function noteHeldBack(
  needs: HeldBackNeeds,
  { guild, channel }: { guild: Snowflake; channel: Snowflake },
  refused: readonly Snowflake[],
  { code, locale, now, by = null, most = null }: Refusal,
): Promise<void> {
  const { store, ranking, log } = needs;
  const articles = (await readArticles(ranking, guild, refused)).filter((one) => one !== null);
  if (articles.length === 0) return;
  const key = storeKeys(store, guild).heldBack;
  const before = await readHash(store.redis, key);
  const old = [...before.keys()].filter((field) => {
    const held = parseStored(zHeldBack, before.get(field) ?? null);
    return held === null || now >= held.untilMs + REMEMBERED_MS;
  });
  if (old.length > 0) await store.redis.hdel(key, ...old);
  const news = articles.filter((article) => {
    const known = parseStored(zHeldBack, before.get(`${channel} ${article.id}`) ?? null);
    return known?.texts !== textsOf(article);
  });
  const held = articles.flatMap((article) => [
    `${channel} ${article.id}`,
    JSON.stringify({ untilMs: now + HELD_BACK_MS, texts: textsOf(article) }),
  ]);
  const limit = `${channel} number`;
  const isLimitKnown = before.has(limit) && !old.includes(limit);
  if (most !== null) held.push(limit, JSON.stringify({ untilMs: now + HELD_BACK_MS, texts: '' }));
  await store.redis.hset(key, ...held);
  await store.redis.expire(key, REMEMBERED_MS / 1000);
  if (most !== null) {
    if (isLimitKnown) return;
    const about = { guild, channel, most, code };
    log.warn(about, 'Articles are left out of a message, because Discord takes no more in it.');
    const values = { channel: `<#${channel}>`, code, count: most };
    await notifyAdmins(needs, about, translate(locale, 'held-back.number', values), by);
    return;
  }
  if (news.length === 0) return;
  const about = { guild, channel, articles: news.map(({ id }) => id), code };
  log.warn(about, 'Articles are left out of a message, because Discord refuses their texts.');
  // Not their titles: Discord may refuse those here, too.
  const links = news.slice(0, NAMED_AT_MOST).map((one) => messageLink(guild, one));
  const values = { channel: `<#${channel}>`, code, count: news.length, articles: links.join(' ') };
  await notifyAdmins(needs, about, translate(locale, 'held-back.told', values), by);
}

const NAMED_AT_MOST = 15;

type Refusal = {
  /** Discord's code. */
  code: string;
  /** The language of who is told. */
  locale: string;
  now: number;
  /** Who is told, where the guild has no channel for such things. */
  by?: Snowflake | null;
  /** How many articles Discord takes in one message, whichever they are; null if it refuses these. */
  most?: number | null;
};

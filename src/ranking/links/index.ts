import { readArticles } from '../articles/articles.ts';
import { LINK_RULES_VERSION } from './canonical.ts';
import { guildKeys } from '../keys.ts';
import { linkNames } from './parse.ts';
import { digestOf } from './reservations.ts';
import type { Ranking } from '../ranking.ts';
import { listRemoved } from '../articles/removed.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** Articles that one step reads. */
const STEP = 200;

type Reindexing = {
  /** `unfinished`: the next call continues from here. */
  status: 'finished' | 'unfinished';
  /** Articles that were read; `moved`: those of them that got another name. */
  articles: number;
  moved: number;
};

/** Whether all links of a guild are indexed by the current rules. */
export async function hasIndexedLinks(ranking: Ranking, guild: Snowflake): Promise<boolean> {
  const { linkRules } = guildKeys(ranking.applicationId, guild);
  return Number(await ranking.redis.hget(linkRules, 'version')) === LINK_RULES_VERSION;
}

/**
 * Indexes the links of a guild by the current rules, so that duplicates of links from older rules are
 * found. Bounded steps, each stored, so that the next call continues an interrupted run; idempotent.
 * If two articles now have the same link, the older one has the name.
 * `signal` ends the run after a step.
 */
export async function reindexLinks(
  ranking: Ranking,
  guild: Snowflake,
  signal?: AbortSignal,
): Promise<Reindexing> {
  const { redis } = ranking;
  const { linkRules, texts } = guildKeys(ranking.applicationId, guild);
  const target = String(LINK_RULES_VERSION);
  const [rules, kept] = await redis.hmget(linkRules, 'target', 'cursor');
  let cursor = rules === target ? (kept ?? '0') : '0';
  const done = { articles: 0, moved: 0 };
  do {
    // A scan finds all articles that exist throughout it; new ones are indexed by the current rules.
    const [next, found] = await redis.hscan(texts, cursor, 'COUNT', STEP);
    const ids = found.filter((_, i) => i % 2 === 0);
    const articles = await readArticles(ranking, guild, ids);
    await reindex(
      ranking,
      guild,
      articles.filter((article) => article !== null),
      done,
    );
    cursor = next;
    await redis.hset(linkRules, { target, cursor });
    if (cursor !== '0' && signal?.aborted) return { status: 'unfinished', ...done };
  } while (cursor !== '0');
  const removed = await listRemoved(ranking, guild);
  await reindex(
    ranking,
    guild,
    removed.map(({ article }) => article),
    done,
  );
  await redis.hset(linkRules, 'version', target);
  await redis.hdel(linkRules, 'target', 'cursor');
  return { status: 'finished', ...done };
}

async function reindex(
  { redis, applicationId }: Ranking,
  guild: Snowflake,
  articles: readonly Article[],
  done: { articles: number; moved: number },
): Promise<void> {
  const keys = guildKeys(applicationId, guild);
  const outcomes = await Promise.all(
    articles.map((article) =>
      redis.reindexLink(
        keys.articles,
        keys.links,
        keys.removed,
        article.id,
        ...linkNames(article).map(digestOf),
      ),
    ),
  );
  done.articles += articles.length;
  done.moved += outcomes.filter(([status]) => status === 'moved').length;
}

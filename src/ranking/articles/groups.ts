import { deleteArticle } from './articles.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { MAX_GROUPS } from '../rules.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';

export type GroupOutcome = {
  article: Snowflake;
  /**
   * `home`: the home group cannot be taken away. `hidden`: an article that is not listed can be in
   * no other group. `full`: it would be in too many.
   */
  status: 'changed' | 'unchanged' | 'unknown' | 'home' | 'hidden' | 'full';
  /** The article's groups from now on, the home group first. */
  groups: Snowflake[];
};

/**
 * Puts articles into groups and takes them out of others, in one round trip.
 * Each article changes as a whole or not at all. A group named in both is taken away.
 */
export async function changeGroups(
  ranking: Ranking,
  change: {
    guild: Snowflake;
    articles: readonly Snowflake[];
    add: readonly Snowflake[];
    remove: readonly Snowflake[];
  },
): Promise<GroupOutcome[]> {
  const keys = guildKeys(ranking.applicationId, change.guild);
  const add = change.add.join(',');
  const remove = change.remove.join(',');
  return Promise.all(
    change.articles.map(async (article) => {
      const [status, groups] = await ranking.redis.changeGroups(
        keys.articles,
        ...keys.rankings,
        article,
        secondsOf(article),
        MAX_GROUPS,
        add,
        remove,
      );
      if (status === 'changed') ranking.changes.note(change.guild, article);
      return {
        article,
        status: status as GroupOutcome['status'],
        groups: groups ? String(groups).split(',') : [],
      };
    }),
  );
}

/** How many articles are changed in one step. */
const STEP = 100;

/**
 * The visibility of a home channel to @everyone changed: its articles enter or leave the guild's lists.
 * Bounded steps; idempotent, so that an interrupted change is finished by saying it again.
 */
export async function setListed(
  ranking: Ranking,
  change: { guild: Snowflake; home: Snowflake; listed: boolean },
): Promise<void> {
  const { home } = change;
  const keys = guildKeys(ranking.applicationId, change.guild);
  await ranking.redis.hdel(keys.listed, home);
  await inSteps(ranking, keys.timeOf(home), (article) =>
    ranking.redis.setListed(
      keys.articles,
      ...keys.rankings,
      article,
      secondsOf(article),
      stateOf(change.listed),
      home,
    ),
  );
  await ranking.redis.hset(keys.listed, home, stateOf(change.listed));
  ranking.changes.noteAll(change.guild);
}

/** Like `setListed`, without a walk over the articles where the last one ended with the same state. */
export async function ensureListed(
  ranking: Ranking,
  change: { guild: Snowflake; home: Snowflake; listed: boolean },
): Promise<void> {
  const { listed } = guildKeys(ranking.applicationId, change.guild);
  const state = await ranking.redis.hget(listed, change.home);
  if (state !== stateOf(change.listed)) await setListed(ranking, change);
}

function stateOf(listed: boolean): 'l' | 'h' {
  return listed ? 'l' : 'h';
}

/**
 * A channel is gone: the articles at home there are removed, the others leave the group.
 * Bounded steps; idempotent.
 */
export async function removeGroup(
  ranking: Ranking,
  guild: Snowflake,
  channel: Snowflake,
): Promise<void> {
  const keys = guildKeys(ranking.applicationId, guild);
  await inSteps(ranking, keys.timeOf(channel), async (article) => {
    const [outcome] = await changeGroups(ranking, {
      guild,
      articles: [article],
      add: [],
      remove: [channel],
    });
    if (outcome?.status === 'home') await deleteArticle(ranking, guild, article);
  });
  await ranking.redis.hdel(keys.listed, channel);
}

/** From the newest down by id, so that what a step adds or takes away shifts nothing. */
async function inSteps(
  ranking: Ranking,
  key: string,
  step: (article: Snowflake) => Promise<unknown>,
): Promise<void> {
  let below = '+inf';
  let seen = new Set<Snowflake>();
  for (;;) {
    const found = await ranking.redis.zrevrangebyscore(
      key,
      below,
      '-inf',
      'WITHSCORES',
      'LIMIT',
      0,
      STEP + seen.size,
    );
    const ids = found.filter((_, i) => i % 2 === 0);
    const fresh = ids.filter((id) => !seen.has(id));
    if (fresh.length === 0) return;
    await Promise.all(fresh.map(step));
    const last = found.at(-1)!;
    // Articles of the same second stand on both sides of a step's end.
    const sameSecond = ids.filter((_, i) => found[2 * i + 1] === last);
    seen = last === below ? new Set([...seen, ...sameSecond]) : new Set(sameSecond);
    below = last;
  }
}

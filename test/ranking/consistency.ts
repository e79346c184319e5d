import { readArticles } from '../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { linkHashOf } from '../../src/ranking/links/reservations.ts';
import type { Ranking } from '../../src/ranking/ranking.ts';
import type { Article } from '../../src/ranking/row.ts';
import { scoreOf } from '../../src/ranking/rules.ts';
import { readScale } from '../../src/ranking/articles/mark.ts';
import { secondsOf, type Snowflake } from '../../src/runtime/snowflake.ts';
import { walkRemoved } from '../../src/ranking/articles/removed.ts';
import { readVoters } from '../../src/ranking/ballots/voters.ts';
import { keysOf } from './test-ranking.ts';

type Ranks = Record<string, number>;

/**
 * Recomputes every ranking of a guild from its rows and voters, and returns a sentence for each
 * place where they disagree. An article's link is taken to be its own name.
 */
export async function inconsistencies(ranking: Ranking, guild: Snowflake): Promise<string[]> {
  const { redis } = ranking;
  const keys = guildKeys(ranking, guild);
  const tag = keys.articles.slice(0, -'articles'.length);
  const present = (await keysOf(ranking, tag)).map((key) => key.slice(tag.length));
  const removed = await redis.hkeys(keys.removed);
  const ids = (await redis.hkeys(keys.articles)).filter((field) => /^\d+$/.test(field));
  const scale = await readScale(ranking, guild);
  const articles = (await readArticles(ranking, guild, ids)) as Article[];

  const wanted = new Map<string, Ranks>();
  const links: Record<string, string> = {};
  const open: Snowflake[] = [];
  const faults: string[] = [];
  const put = (name: string, id: Snowflake, score: number) => {
    const ranks = wanted.get(name) ?? {};
    ranks[id] = score;
    wanted.set(name, ranks);
  };
  for (const article of articles) {
    const { id, up, down, closed, listed, groups } = article;
    const seconds = secondsOf(id);
    links[linkHashOf(article.link)] = id;
    if (!closed) open.push(id);
    // A closed article keeps what it was when it closed.
    const isInteresting = closed ? article.interesting : up >= scale.mark;
    if (listed && isInteresting) put('interesting', id, seconds);
    const places = listed ? ['', ...groups.map((group) => `:${group}`)] : [`:${groups[0]}`];
    for (const place of places) {
      put(`score${place}`, id, scoreOf(article, seconds, scale));
      put(`time${place}`, id, seconds);
      if (closed) put(`votes${place}`, id, up - down);
    }
    const voters = await readVoters(ranking, guild, id);
    if (closed && voters.size > 0) faults.push(`${id} is closed and has voters`);
    if (voters.has(article.poster)) faults.push(`${id} has its poster among its voters`);
    const ups = [...voters.values()].filter(({ vote }) => vote === 'up').length;
    if (!closed && (up !== 1 + ups || down !== voters.size - ups)) {
      faults.push(
        `${id} says ${up} up and ${down} down, its voters 1 + ${ups} and ${voters.size - ups}`,
      );
    }
    for (const key of [keys.voters(id), keys.older(id)]) {
      if ((await redis.ttl(key)) === -1)
        faults.push(`${key} stays for ever if the bot is switched off`);
    }
    const older = await redis.smembers(keys.older(id));
    if (older.some((member) => !voters.has(member)))
      faults.push(`${id} has an older without a vote`);
  }

  for await (const { article } of walkRemoved(ranking, guild)) {
    const { id, up, down, closed } = article;
    const votes = [...(await readVoters(ranking, guild, id)).values()];
    const ups = votes.filter(({ vote }) => vote === 'up').length;
    if (!closed && (up !== 1 + ups || down !== votes.length - ups)) {
      faults.push(`${id}, which is removed, says ${up} up and ${down} down: not as its voters`);
    }
  }

  const kept = /^(score|time|votes|interesting)(:|$)/;
  for (const name of new Set([...wanted.keys(), ...present.filter((key) => kept.test(key))])) {
    const flat = await redis.zrange(tag + name, '0', '-1', 'WITHSCORES');
    const ranks: Ranks = {};
    for (let i = 0; i < flat.length; i += 2) ranks[flat[i]!] = Number(flat[i + 1]);
    if (!same(ranks, wanted.get(name) ?? {})) {
      faults.push(`${name} is ${JSON.stringify(ranks)}, not ${JSON.stringify(wanted.get(name))}`);
    }
  }
  if (!same(await redis.hgetall(keys.links), links)) faults.push('the links are not the articles’');
  if (removed.some((id) => ids.includes(id))) faults.push('an article is there and removed');
  const texts = (await redis.hkeys(keys.texts)).toSorted();
  if (texts.join() !== ids.toSorted().join()) faults.push('the texts are not the articles’');
  const saidOpen = (await redis.smembers(keys.open)).toSorted();
  if (saidOpen.join() !== open.toSorted().join()) faults.push(`open are ${saidOpen.join()}`);
  const known = new Set([...ids, ...removed]);
  for (const key of present) {
    const article = /^(?:voters|older):(\d+)$/.exec(key)?.[1];
    if (article !== undefined && !known.has(article)) faults.push(`${key} belongs to no article`);
  }
  return faults;
}

function same(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

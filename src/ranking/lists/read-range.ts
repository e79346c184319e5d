import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle } from '../row.ts';
import { markOf } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

export type RankedPage = {
  articles: Article[];
  /** Articles in the whole ranking. */
  total: number;
  /** The guild's version at the time of the read. */
  version: number;
};

/** The readable articles at the ranks `start` to `stop`, from 0, of a guild's ranking. One round trip. */
export async function readRanks(
  ranking: Ranking,
  guild: Snowflake,
  key: string,
  direction: 'desc' | 'asc',
  start: number,
  stop: number,
): Promise<RankedPage> {
  const { articles: rows, texts } = guildKeys(ranking, guild);
  const reply = await scripts.readPage(ranking.redis, key, rows, texts, direction, start, stop);
  const [, total, stored, version] = reply;
  const mark = markOf(String(stored));
  const articles: Article[] = [];
  for (let i = 4; i < reply.length; i += 3) {
    const [id, row, text] = reply.slice(i, i + 3) as (string | null)[];
    const article = id && row && text ? decodeArticle(id, row, text, mark) : null;
    if (article) articles.push(article);
    else if (row || text) ranking.suspects.add(guild);
  }
  return { articles, total: Number(total), version: Number(version) };
}

import { pairs, readFields } from '../../redis/scan.ts';
import { guildKeys } from '../keys.ts';
import { linkHashOf } from '../links/reservations.ts';
import { askedOnce } from '../../runtime/asked-once.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle, encodeRow, encodeText } from '../row.ts';
import { MAX_GROUPS, SCALE_FIELDS, scaleOf } from '../rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';
import type { VoteSigns } from '../vote-signs.ts';
import { changeArticle } from './edit.ts';

export type { Article } from '../row.ts';

export type NewArticle = {
  guild: Snowflake;
  /** The message's snowflake; its time is the post time. */
  id: Snowflake;
  title: string;
  /** As posted. It contains no white space. */
  link: string;
  /** The poster's comment on it. */
  comment?: string;
  /** What members vote with; absent: 👍 and 👎. */
  signs?: VoteSigns;
  /** The first free one of the link's names (see `linkNames`); it identifies duplicates. */
  linkName: string;
  poster: Snowflake;
  home: Snowflake;
  /** The thread of the home group that contains the message; absent: the message is in the home group. */
  channel?: Snowflake;
  /** Groups besides the home group. */
  groups?: readonly Snowflake[];
  /** @everyone may view the home channel and it is not age-restricted. */
  listed: boolean;
  /**
   * The tally of a restored article, frozen if `closed`. Default: one up vote, the poster's.
   * `starred`: it closed as an interesting one. Without it, the mark of now decides.
   */
  tally?: { up: number; down: number; closed: boolean; starred?: boolean };
};

type PostOutcome = { status: 'posted' | 'known' } | { status: 'duplicate'; article: Snowflake };

/** An article that is posted is indexed by its subject this long after (see `post-articles.lua`). */
export const INDEXED_AFTER_MS = 5000;

/** Commits an article whose message exists. One round trip; idempotent by the article's id. */
export async function postArticle(ranking: Ranking, article: NewArticle): Promise<PostOutcome> {
  const { guild, id } = article;
  const args = [id, rowOf(article), encodeText(article)];
  const reply = await ranking.batch.add(guild, scripts.postArticles, args);
  const [status, owner = ''] = reply.split(' ');
  if (status === 'duplicate') return { status, article: owner };
  if (status === 'posted') {
    ranking.changes.note(guild);
    const isClosed = article.tally?.closed === true;
    ranking.onPlanned(guild, isClosed ? 0 : snowflakeTimeMs(id) + INDEXED_AFTER_MS);
  }
  return { status: status === 'posted' ? 'posted' : 'known' };
}

function rowOf({
  home,
  channel = home,
  groups = [],
  linkName,
  tally,
  ...rest
}: NewArticle): string {
  const { up, down, closed, starred } = tally ?? { up: 1, down: 0, closed: false };
  return encodeRow({
    ...rest,
    channel,
    groups: [...new Set([home, ...groups])].slice(0, MAX_GROUPS),
    // An open article always has the poster's vote.
    up: closed ? up : Math.max(1, up),
    down,
    closed,
    starred,
    linkHash: linkHashOf(linkName),
  });
}

/**
 * The articles with these ids, in the same order; null for an unknown id, and for an article that
 * cannot be read, whose guild is then checked. In bounded steps, one for up to 997 ids.
 */
export async function readArticles(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<(Article | null)[]> {
  const keys = guildKeys(ranking, guild);
  ranking.reads.note(guild);
  const [rows, texts] = await Promise.all([
    readFields(ranking.redis, keys.articles, [...SCALE_FIELDS, ...ids]),
    readFields(ranking.redis, keys.texts, ids),
  ]);
  const scale = scaleOf(SCALE_FIELDS.map((field) => rows.get(field)));
  const isListed = askedOnce((home: Snowflake) => ranking.isListed(guild, home));
  return ids.map((id) => {
    const [row, text] = [rows.get(id), texts.get(id)];
    const article = decodeArticle(id, row, text, scale);
    if (article) article.listed &&= isListed(article.home);
    else if (row || text) ranking.onDamaged(guild);
    return article;
  });
}

/** The ids of a hash of articles, in steps of about 500; one may come twice. */
export async function* scanIds({ redis }: Ranking, key: string): AsyncGenerator<Snowflake[]> {
  const pages: AsyncIterable<string[]> = redis.hscanStream(key, { count: 500 });
  for await (const page of pages) {
    yield pairs(page).flatMap(([field]) => (/^\d+$/.test(field) ? field : []));
  }
}

export async function readArticle(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
): Promise<Article | null> {
  const [article] = await readArticles(ranking, guild, [id]);
  return article ?? null;
}

/** Deletes an article and all its data; its link can be posted again. One round trip. */
export function deleteArticle(ranking: Ranking, guild: Snowflake, id: Snowflake) {
  return changeArticle(ranking, guild, id, scripts.deleteArticle, 'deleted');
}

import { guildKeys } from './keys.ts';
import { digestOf } from './postings.ts';
import type { Ranking } from './ranking.ts';
import { type Article, decodeArticle, encodeRowState, encodeText } from './row.ts';
import { markOf, MAX_GROUPS, VOTING_OPEN_MS, weightOf } from './rules.ts';
import { secondsOf, type Snowflake, snowflakeTimeMs } from './snowflake.ts';

export type { Article } from './row.ts';

export type NewArticle = {
  guild: Snowflake;
  /** The message's snowflake; its time is the post time. */
  id: Snowflake;
  title: string;
  /** As it was posted; no white space. */
  link: string;
  /** What the poster says about it. */
  comment?: string;
  /** The canonical form, by which the same link is known again. */
  canonical: string;
  poster: Snowflake;
  home: Snowflake;
  /** The thread of the home group that its message is in; otherwise it is in the home group itself. */
  channel?: Snowflake;
  /** Further groups. */
  groups?: readonly Snowflake[];
  /** @everyone may view the home channel and it is not age-restricted. */
  listed: boolean;
  /** From a record that was read back: the tally, frozen where `closed`. Otherwise one up vote, the poster's. */
  tally?: { up: number; down: number; closed: boolean };
};

export type PostOutcome =
  | { status: 'posted'; article: Article }
  | { status: 'known' }
  | { status: 'duplicate'; article: Snowflake };

/** Commits an article whose message exists. One round trip; idempotent by the article's id. */
export async function postArticle(ranking: Ranking, article: NewArticle): Promise<PostOutcome> {
  return ranking.gathering.add(ranking, article.guild, postArticles, draft(article));
}

async function postArticles(
  ranking: Ranking,
  guild: Snowflake,
  drafts: readonly Draft[],
): Promise<PostOutcome[]> {
  const keys = guildKeys(ranking.applicationId, guild);
  const [, mark, ...replies] = await ranking.redis.postArticles(
    keys.articles,
    keys.links,
    keys.postings,
    keys.open,
    keys.interesting,
    ...keys.rankings,
    keys.removed,
    keys.texts,
    ...drafts.flatMap(wordsOf),
  );
  return drafts.map((posted, i): PostOutcome => {
    const [status, owner] = replies.slice(2 * i, 2 * i + 2);
    if (status === 'known') return { status };
    if (status === 'duplicate') return { status, article: String(owner) };
    ranking.changes.note(guild, posted.id);
    return { status: 'posted', article: weighed(posted, Number(mark)) };
  });
}

type Draft = Omit<Article, 'score' | 'interesting'> & { digest: string };

function draft(article: NewArticle): Draft {
  const { id, link, poster, home, listed, channel = home, comment } = article;
  const { up, down, closed } = article.tally ?? { up: 1, down: 0, closed: false };
  const postedAtMs = snowflakeTimeMs(id);
  return {
    id,
    title: article.title.replace(/[\n\r]+/g, ' '),
    link,
    ...(comment ? { comment } : {}),
    poster,
    channel,
    home,
    groups: [...new Set([home, ...(article.groups ?? [])])].slice(0, MAX_GROUPS),
    postedAtMs,
    closesAtMs: postedAtMs + VOTING_OPEN_MS,
    up,
    down,
    locked: false,
    closed,
    listed,
    digest: digestOf(article.canonical),
  };
}

/** As the script takes an article. */
function wordsOf(article: Draft): (string | number)[] {
  const { id, digest, up, down } = article;
  return [id, encodeRowState(article), digest, secondsOf(id), up, down, encodeText(article)];
}

function weighed({ digest: _digest, ...article }: Draft, mark: number): Article {
  const { id, up, down } = article;
  return {
    ...article,
    score: secondsOf(id) + weightOf(mark) * (up - down),
    interesting: up >= mark,
  };
}

/** The articles by id, in the order asked for, null where there is none. One round trip. */
export async function readArticles(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<(Article | null)[]> {
  if (ids.length === 0) return [];
  const keys = guildKeys(ranking.applicationId, guild);
  const [rows, texts] = await Promise.all([
    ranking.redis.hmgetBuffer(keys.articles, ...ids, 'mark'),
    ranking.redis.hmgetBuffer(keys.texts, ...ids),
  ]);
  const mark = markOf(rows.at(-1));
  return ids.map((id, i) => {
    const [row, text] = [rows[i], texts[i]];
    return row && text ? decodeArticle(id, row, text, mark) : null;
  });
}

export async function readArticle(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
): Promise<Article | null> {
  const [article] = await readArticles(ranking, guild, [id]);
  return article ?? null;
}

/** Removes an article from everything; its link can be posted again. One round trip. */
export async function removeArticle(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
): Promise<{ status: 'removed' | 'unknown' }> {
  const keys = guildKeys(ranking.applicationId, guild);
  const [status] = await ranking.redis.removeArticle(
    keys.articles,
    keys.links,
    keys.open,
    keys.interesting,
    ...keys.rankings,
    keys.voters(id),
    keys.older(id),
    keys.uncounted(id),
    keys.removed,
    keys.texts,
    id,
    secondsOf(id),
  );
  if (status === 'removed') ranking.changes.note(guild, id);
  return { status: status as 'removed' | 'unknown' };
}

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFields } from '../../redis/scan.ts';
import { compareIds, type Snowflake } from '../../runtime/snowflake.ts';
import { readArticles, scanIds } from '../articles/articles.ts';
import { readPreviews } from '../articles/previews.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { scripts } from '../scripts.ts';
import { type Counts, comparedWith, isRare, weightOf } from './in-common.ts';
import { type About, isSection, termsOf } from './subject-words.ts';

/** The version of the rules by which articles are indexed: it changes with their files. */
const SUBJECT_RULES = hash(
  'sha256',
  ['subject-words.ts', 'common-words.txt']
    .map((name) => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8'))
    .join('\0'),
).slice(0, 16);

/** The field of `…subjects` that is no article. */
const RULES = 'rules';

/** An article, with what it and Discord's preview of its link say of the subject. */
type WithAbout = { article: Article; about: About | null };

export interface SubjectsNeeds {
  /** Where the articles and the index are. */
  ranking: Ranking;
  /** The title, as far as it says what an article is about; null: nothing is to say it. */
  subjectOf: (article: Article) => string | null;
}

/** Articles that one step indexes: some milliseconds of the process. */
const STEP = 50;

/** Has the index find an article by its words as they are now. One that is gone is found by nothing already. */
export async function indexArticle(
  needs: SubjectsNeeds,
  guild: Snowflake,
  id: Snowflake,
): Promise<Article | null> {
  const [found] = await readAbout(needs, guild, [id]);
  if (found === undefined) return null;
  await writeWords(needs.ranking, guild, id, wordsFor(found.about));
  return found.article;
}

/** Whether each article is indexed, by the rules of now. Three commands, however many articles there are. */
export async function isIndexed({ redis, ...of }: Ranking, guild: Snowflake): Promise<boolean> {
  const { subjects, texts } = guildKeys(of, guild);
  const [rules, indexed, articles] = await Promise.all([
    redis.hget(subjects, RULES),
    redis.hlen(subjects),
    redis.hlen(texts),
  ]);
  return rules === SUBJECT_RULES && indexed - 1 === articles;
}

/**
 * Indexes the articles that are not indexed yet, and by other rules than those of now all of them anew; forgets those
 * that are gone. In bounded steps; repeat an interrupted call.
 */
export async function indexAll(
  needs: SubjectsNeeds,
  guild: Snowflake,
  signal: AbortSignal,
): Promise<void> {
  const { ranking } = needs;
  const { redis } = ranking;
  const { subjects, subjectWords, texts } = guildKeys(ranking, guild);
  if ((await redis.hget(subjects, RULES)) !== SUBJECT_RULES) {
    await redis.unlink(subjects, subjectWords);
  }
  const walk = ranking.turns.begin(guild);
  for await (const ids of scanIds(ranking, texts)) {
    const known = await readFields(redis, subjects, ids);
    const unknown = ids.filter((id) => !known.has(id));
    for (let at = 0; at < unknown.length; at += STEP) {
      signal.throwIfAborted();
      const end = await walk.step();
      try {
        await indexSome(needs, guild, unknown.slice(at, at + STEP));
      } finally {
        end();
      }
    }
  }
  for await (const ids of scanIds(ranking, subjects)) {
    const known = await readFields(redis, texts, ids);
    const gone = ids.filter((id) => !known.has(id));
    await Promise.all(gone.map((id) => writeWords(ranking, guild, id, [])));
  }
  await redis.hset(subjects, RULES, SUBJECT_RULES);
}

/** What cannot be read has no words. */
async function indexSome(
  needs: SubjectsNeeds,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<void> {
  const found = await readAbout(needs, guild, ids);
  const words = new Map(found.map(({ article, about }) => [article.id, wordsFor(about)]));
  await Promise.all(ids.map((id) => writeWords(needs.ranking, guild, id, words.get(id) ?? [])));
}

const wordsFor = (about: About | null) => (about === null ? [] : termsOf(about));

async function writeWords(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
  words: readonly string[],
): Promise<void> {
  const { ofScripts } = guildKeys(ranking, guild);
  await scripts.indexSubject(ranking.redis, ...ofScripts, id, words.join(' '));
}

async function readAbout(
  { ranking, subjectOf }: SubjectsNeeds,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<WithAbout[]> {
  const [articles, previews] = await Promise.all([
    readArticles(ranking, guild, ids),
    readPreviews(ranking, guild, ids),
  ]);
  return articles.flatMap((article, n) => {
    if (article === null) return [];
    const title = subjectOf(article);
    const { link } = article;
    return [{ article, about: title === null ? null : { ...previews[n], title, link } }];
  });
}

/** Those that the index finds are read, most likely first, and as many of them compared. */
const READ_AT_MOST = 24;
const COMPARED_AT_MOST = 12;

/**
 * The articles from before this one that are about the same, those with most in common first, of equals those with more votes, then the newer.
 * The index says which may be; each is then read and compared as it is now, and `accept` says which may be told of.
 */
export async function findEarlier(
  needs: SubjectsNeeds,
  guild: Snowflake,
  id: Snowflake,
  accept: (article: Article) => boolean,
): Promise<Article[]> {
  const [own] = await readAbout(needs, guild, [id]);
  if (!own?.about) return [];
  const { lists, counts } = await readLists(needs.ranking, guild, termsOf(own.about));
  const ids = mostLikely(id, lists, counts).slice(0, READ_AT_MOST);
  const compare = comparedWith(own.about, counts);
  const found = (await readAbout(needs, guild, ids))
    .filter(({ article }) => accept(article))
    .slice(0, COMPARED_AT_MOST)
    .flatMap(({ article, about }) => {
      const score = about && compare(about);
      return score === null ? [] : [{ article, score }];
    });
  return found
    .sort(
      (a, b) =>
        b.score - a.score ||
        netVotes(b.article) - netVotes(a.article) ||
        compareIds(b.article.id, a.article.id),
    )
    .map(({ article }) => article);
}

const netVotes = ({ up, down }: Article): number => up - down;

/** Earlier articles that have two of the words or a section, those with the rarest first. */
function mostLikely(id: Snowflake, lists: Lists, counts: Counts): Snowflake[] {
  const scores = new Map<Snowflake, { terms: number; score: number }>();
  for (const [term, ids] of lists) {
    if (!isRare(ids.length, counts.articles)) continue;
    for (const other of ids) {
      if (compareIds(other, id) >= 0) continue;
      const { terms, score } = scores.get(other) ?? { terms: 0, score: 0 };
      const counted = isSection(term) ? 2 : 1;
      scores.set(other, { terms: terms + counted, score: score + weightOf(term, counts) });
    }
  }
  return [...scores]
    .filter(([, { terms }]) => terms > 1)
    .sort(([a, one], [b, other]) => other.score - one.score || compareIds(b, a))
    .map(([other]) => other);
}

type Lists = ReadonlyMap<string, readonly Snowflake[]>;

async function readLists(ranking: Ranking, guild: Snowflake, terms: readonly string[]) {
  const { subjects, subjectWords } = guildKeys(ranking, guild);
  const [stored, articles] = await Promise.all([
    readFields(ranking.redis, subjectWords, terms),
    ranking.redis.hlen(subjects),
  ]);
  const lists = new Map([...stored].map(([term, ids]) => [term, ids.split(' ')] as const));
  const counts: Counts = { articles, of: (term) => lists.get(term)?.length ?? 0 };
  return { lists, counts };
}

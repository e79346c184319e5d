import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { fault } from '../../runtime/log.ts';
import type { Run } from '../digest-settings.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { readMark } from '../../ranking/articles/mark.ts';
import { readReplies } from '../../ranking/articles/discussions.ts';
import { readPreviews } from '../../ranking/articles/previews.ts';
import { type EditionContent, zEditionContent } from '../../editions/stored-editions.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import {
  articlesPostedIn,
  chooseArticles,
  firstPosts,
  netVotes,
  stillRising,
} from './candidates.ts';
import { type Body, type Edition, editionMessage, SECTION_LENGTH } from './edition-message.ts';
import type { App } from '../../app.ts';

/**
 * An edition that is ready to be sent. It is stored with the claim before it is sent, so that the next
 * process sends the same message.
 */
export const zDraft = z.object({
  /** Null if there is nothing to post. */
  body: z.custom<Body>((body) => typeof body === 'object' && body !== null).nullable(),
  netVotes: z.record(z.string(), z.int()),
  /** What the body shows, for the edition's page. */
  shown: zEditionContent.nullable().default(null),
});
export type Draft = z.infer<typeof zDraft>;

export type DraftContext = Pick<App, 'ranking' | 'log'> & {
  /** Makes the tallies of articles equal to Discord's reactions, as far as possible now. */
  recount?: ((guild: Snowflake, articles: string[]) => Promise<unknown>) | undefined;
  /** The address of an edition's page on the web; null where it has none. */
  editionAddress?: App['editionAddress'];
};

/** The longest time that a recount may take; a lease is three times longer. */
const RECOUNT_MS = 30_000;
/** The number of articles whose gain is known at the next edition. */
const MOST_REMEMBERED = 200;
/** To be still rising, an article must gain a tenth of the mark, and at least this many net votes. */
const LEAST_GAIN = 2;
/** Fewer messages are no discussion that a digest points to. */
const LEAST_REPLIES = 3;

export async function writeDraft(
  context: DraftContext,
  edition: Edition & { run: Run },
): Promise<Draft> {
  const { ranking, log, recount } = context;
  const { guild, digest, period } = edition;
  let candidates = await articlesPostedIn(ranking, guild, digest, period);
  if (recount !== undefined && candidates.length > 0) {
    // The articles that can be chosen once all votes are known.
    const likely = chooseArticles(candidates, { ...digest, count: 2 * digest.count }, -Infinity);
    const recounted = recount(
      guild,
      likely.map(({ id }) => id),
    ).catch((error: unknown) => {
      // Older tallies are better than a late digest or none.
      log.warn({ ...fault(error), guild }, 'The tallies of a digest could not be recounted.');
    });
    await Promise.race([recounted, pause(RECOUNT_MS, undefined, { ref: false })]);
    candidates = await articlesPostedIn(ranking, guild, digest, period);
  }
  const chosen = chooseArticles(candidates, digest);
  const isPosted = chosen.length > 0 || digest.postEmpty;
  const written = isPosted ? await writeBody(context, edition, chosen, candidates) : null;
  return {
    body: written?.body ?? null,
    shown: written?.shown ?? null,
    netVotes: await netVotesInVoting(context, edition),
  };
}

async function writeBody(
  { ranking, editionAddress }: DraftContext,
  edition: Edition & { run: Run },
  chosen: Article[],
  candidates: readonly Article[],
): Promise<{ body: Body; shown: EditionContent }> {
  const { guild, name, date, digest, run, period } = edition;
  const { fromMs } = period;
  const best = chosen.slice(0, 1).map(({ id }) => id);
  const [preview = {}] = await readPreviews(ranking, guild, best);
  const left = candidates.filter((article) => !chosen.includes(article));
  const least = Math.max(LEAST_GAIN, Math.ceil((await readMark(ranking, guild)) / 10));
  const replies = await readReplies(ranking, guild, candidates);
  const firsts = await firstPosts(ranking, guild, candidates, fromMs);
  const talkedOf = (article: Article) => replies.get(article.id) ?? 0;
  const content = {
    ...edition,
    articles: chosen,
    preview,
    rising: await stillRising(ranking, guild, digest, { run, fromMs, least }),
    firstPosts: firsts.filter((article) => left.includes(article)),
    discussed: left
      .filter((article) => !firsts.includes(article) && talkedOf(article) >= LEAST_REPLIES)
      .toSorted((a, b) => talkedOf(b) - talkedOf(a)),
    replies,
    page: (await editionAddress?.({ guild, channel: digest.channel, name, date })) ?? null,
  };
  const shown = {
    articles: chosen.map((article) => {
      return { id: article.id, net: netVotes(article), replies: talkedOf(article) };
    }),
    rising: idsOf(content.rising.map(({ article }) => article)),
    firstPosts: idsOf(content.firstPosts),
    discussed: idsOf(content.discussed),
  };
  return { body: editionMessage(content), shown };
}

/** The articles that a section shows. */
function idsOf(articles: readonly Article[]): Snowflake[] {
  return articles.slice(0, SECTION_LENGTH).map(({ id }) => id);
}

/**
 * Returns the net votes of the open articles with the best scores, so that the next edition can compute
 * their gain. Young articles without votes are among them.
 */
async function netVotesInVoting(
  { ranking }: DraftContext,
  { guild, digest, period }: Edition,
): Promise<Run['netVotes']> {
  const open = { ...period, fromMs: period.untilMs - VOTING_OPEN_MS };
  const articles = await articlesPostedIn(ranking, guild, { ...digest, selection: 'score' }, open);
  return Object.fromEntries(
    articles.slice(0, MOST_REMEMBERED).map((article) => [article.id, netVotes(article)]),
  );
}

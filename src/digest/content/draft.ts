import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { fault } from '../../log.ts';
import { type Digest, parseStored, type Run } from '../../records/digests/digest.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { readMark } from '../../ranking/articles/mark.ts';
import { readPreviews } from '../../ranking/articles/previews.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { articlesPostedIn, firstPosts, type Period, stillRising } from './candidates.ts';
import { chooseArticles, netVotes, type Wish } from './select.ts';
import { type Body, editionMessage, lateLine, threadName } from './message.ts';
import type { DigestContext } from '../posting/context.ts';

/**
 * An edition, ready to be sent. It is kept with the claim before it goes out, so that a successor
 * sends the same message and no other.
 */
const zDraft = z.object({
  /** Null where there is nothing to post. */
  body: z.custom<Body>((body) => typeof body === 'object' && body !== null).nullable(),
  threadName: z.string(),
  /** Added where it is sent late. */
  lateLine: z.string(),
  floor: z.number().nullable(),
  netVotes: z.record(z.string(), z.int()),
});
export type Draft = z.infer<typeof zDraft>;

export type Assignment = {
  guild: string;
  name: string;
  digest: Digest;
  run: Run;
  locale: string;
  period: Period;
  date: string;
  /** When it is due: now, where it is posted out of turn. */
  dueAtMs: number;
  tag: string;
};

/** A recount may take so long: a lease is three times longer. */
const RECOUNT_MS = 30_000;
/** Of so many articles it is known at the next edition what they gained. */
const MOST_REMEMBERED = 200;
/** What an article must gain to be still rising: a tenth of the mark, and so much at least. */
const LEAST_GAIN = 2;

export async function writeDraft(context: DigestContext, assignment: Assignment): Promise<Draft> {
  const { ranking } = context;
  const { guild, digest, run, period, dueAtMs } = assignment;
  const mark = await readMark(ranking, guild);
  const { count, selection, minimum } = digest;
  const wish = { count, selection, minimum, floor: run.floor, mark };
  let candidates = await articlesPostedIn(ranking, guild, digest, period);
  if (context.recount !== undefined && candidates.length > 0) {
    await recounted(context, guild, likely(candidates, wish));
    candidates = await articlesPostedIn(ranking, guild, digest, period);
  }
  const { chosen, floor } = chooseArticles(candidates, wish);
  const isPosted = chosen.length > 0 || digest.postEmpty;
  return {
    body: isPosted ? await written(context, assignment, { chosen, candidates, mark }) : null,
    threadName: threadName(assignment),
    lateLine: lateLine(assignment.locale, dueAtMs),
    floor,
    netVotes: await openNetVotes(context, assignment),
  };
}

/** Null where there is none, or none that this version understands. */
export function parseDraft(json: string | null): Draft | null {
  return json === null ? null : parseStored(zDraft, json).value;
}

async function written(
  { ranking }: DigestContext,
  assignment: Assignment,
  { chosen, candidates, mark }: { chosen: Article[]; candidates: Article[]; mark: number },
): Promise<Body> {
  const { guild, digest, run, period } = assignment;
  const { fromMs } = period;
  const [preview = {}] = await readPreviews(
    ranking,
    guild,
    chosen.slice(0, 1).map(({ id }) => id),
  );
  const left = candidates.filter((article) => !chosen.includes(article));
  const least = Math.max(LEAST_GAIN, Math.ceil(mark / 10));
  return editionMessage({
    ...assignment,
    articles: chosen,
    preview,
    rising: await stillRising(ranking, guild, digest, { run, fromMs, least }),
    firstPosts: await firstPosts(ranking, guild, left, fromMs),
  });
}

/** What the best open articles have now, by which the next edition knows what they gained. */
async function openNetVotes(
  { ranking }: DigestContext,
  { guild, digest, period }: Assignment,
): Promise<Run['netVotes']> {
  const { untilMs } = period;
  const open = { fromMs: untilMs - VOTING_OPEN_MS, untilMs };
  const articles = await articlesPostedIn(ranking, guild, digest, open);
  return Object.fromEntries(
    articles.slice(0, MOST_REMEMBERED).map((article) => [article.id, netVotes(article)]),
  );
}

/** Those that can still come to be chosen once all votes are known. */
function likely(candidates: readonly Article[], wish: Wish): string[] {
  const wider = { ...wish, count: 2 * wish.count, minimum: null };
  return chooseArticles(candidates, wider).chosen.map(({ id }) => id);
}

/** A digest with tallies of a minute ago is better than none, and than a late one. */
async function recounted(context: DigestContext, guild: string, articles: string[]): Promise<void> {
  const inTime = new AbortController();
  const tooLate = pause(RECOUNT_MS, undefined, { signal: inTime.signal }).catch(() => {});
  try {
    await Promise.race([context.recount?.(guild, articles), tooLate]);
  } catch (error) {
    context.log.warn({ ...fault(error), guild }, 'The tallies of a digest could not be recounted.');
  }
  inTime.abort();
}

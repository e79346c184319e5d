import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { fault } from '../../log.ts';
import { type Digest, parseStored, type Run } from '../../records/digests/digest.ts';
import { readSetting } from '../../records/settings.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { readMark } from '../../ranking/articles/mark.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { gatherCandidates, type Period } from './candidates.ts';
import { type Chosen, chooseArticles, netVotes, type Wish } from './select.ts';
import { type Body, editionMessages, lateLine, threadName } from './message.ts';
import type { DigestContext } from '../posting/context.ts';

/**
 * A posting, ready to be sent. It is kept with the claim before its first message goes out, so that
 * a successor sends the same pages and not others.
 */
const zDraft = z.object({
  pages: z.array(z.custom<Body>((body) => typeof body === 'object' && body !== null)),
  threadName: z.string(),
  /** Added to the first page where that is sent late. */
  lateLine: z.string(),
  floor: z.number().nullable(),
  featured: z.record(z.string(), z.int()),
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
  tag(page: number, pages: number): string;
};

/** A recount may take so long: a lease is three times longer. */
const RECOUNT_MS = 30_000;
/** Of the newest interesting ones, which stay so after voting, so many are remembered. */
const REMEMBERED = 50;

export async function writeDraft(context: DigestContext, assignment: Assignment): Promise<Draft> {
  const { guild, digest, run, period } = assignment;
  const mark = await readMark(context.ranking, guild);
  const { count, selection, minimum } = digest;
  const { floor, featured } = run;
  const wish = { count, selection, minimum, floor, featured, mark };
  let candidates = await gatherCandidates(context, guild, digest, run, period);
  if (context.recount !== undefined && candidates.length > 0) {
    await recounted(context, guild, likely(candidates, wish));
    candidates = await gatherCandidates(context, guild, digest, run, period);
  }
  const choice = chooseArticles(candidates, wish);
  const groupNames = await readSetting(context.store, guild, 'group-names');
  const message = { ...assignment, chosen: choice.chosen, groupNames };
  const isPosted = choice.chosen.length > 0 || digest.postEmpty;
  return {
    pages: isPosted ? editionMessages(message) : [],
    threadName: threadName(message),
    lateLine: lateLine(assignment.locale, assignment.dueAtMs),
    floor: choice.floor,
    featured: remembered(assignment, choice.chosen),
  };
}

/** Null where there is none, or none that this version understands. */
export function parseDraft(json: string | null): Draft | null {
  return json === null ? null : parseStored(zDraft, json).value;
}

/** Those that can still come to be chosen once all votes are known. */
function likely(candidates: readonly Article[], wish: Wish): string[] {
  const wider = { ...wish, count: 2 * wish.count, minimum: null };
  return chooseArticles(candidates, wider).chosen.map(({ article }) => article.id);
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

/** Who stood in the digest and could come back: articles open to votes, and newest interesting ones. */
function remembered({ digest, run, period }: Assignment, chosen: Chosen[]): Run['featured'] {
  const all = new Map(Object.entries(run.featured));
  for (const { article } of chosen) all.set(article.id, netVotes(article));
  const least = digest.selection === 'interesting' ? REMEMBERED : 0;
  const newestFirst = [...all].sort(([a], [b]) => (BigInt(a) < BigInt(b) ? 1 : -1));
  const isOpen = (id: string) => snowflakeTimeMs(id) > period.untilMs - VOTING_OPEN_MS;
  return Object.fromEntries(newestFirst.filter(([id], at) => at < least || isOpen(id)));
}

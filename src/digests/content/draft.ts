import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { readMayName } from '../../articles/held-back/held-back.ts';
import { optedOutAmong } from '../../community/opted-out.ts';
import { fault, type Log } from '../../runtime/log.ts';
import type { Digest, Run } from '../digest-settings.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { readMark } from '../../ranking/articles/mark.ts';
import { readPreviews } from '../../ranking/articles/previews.ts';
import {
  articlesNamedIn,
  type EditionContent,
  zEditionContent,
} from '../../editions/stored-editions.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { compareIds, type Snowflake } from '../../runtime/snowflake.ts';
import {
  articlesPostedIn,
  chooseArticles,
  firstPosts,
  isWanted,
  netVotes,
  stillRising,
  sumOfDay,
} from './candidates.ts';
import {
  type Body,
  type Edition,
  editionMessage,
  SECTION_LENGTH,
  type Ways,
} from './edition-message.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import { itemContext } from '../../articles/lists/item-context.ts';
import { translate } from '../../text/catalogue.ts';

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
  /** A hash of what the body says of each article besides numbers; null: an earlier version wrote it. */
  texts: z.string().max(64).nullable().default(null),
});
export type Draft = z.infer<typeof zDraft>;

export interface DraftContext {
  /** Where the articles are. */
  ranking: Ranking;
  /** Where the members who opted out are, and the articles that Discord refuses. */
  store: Store;
  /** Says what could not be done. */
  log: Log;
  /** The commands as Discord has them, for the mention of one. */
  deployedCommands: () => Promise<{ id: Snowflake; name: string }[]>;
  /** Makes the tallies of articles equal to Discord's reactions, as far as possible now. */
  recount?: ((guild: Snowflake, articles: string[]) => Promise<unknown>) | undefined;
  /** The address of an edition's page on the web; null where it has none. */
  editionAddress?:
    | ((edition: {
        guild: Snowflake;
        channel: Snowflake;
        name: string;
        date: string;
      }) => Promise<string | null>)
    | undefined;
}

/** The longest time that a recount may take; a lease is three times longer. */
const RECOUNT_MS = 30_000;
/** The number of articles whose gain is known at the next edition. */
const MOST_REMEMBERED = 200;
/** To be still rising, an article must gain a tenth of the mark, and at least this many net votes. */
const LEAST_GAIN = 2;
/** Fewer messages are no discussion that a digest points to. */
const LEAST_REPLIES = 3;

/** Drafts an edition with the articles that it may name, and that Discord does not hold back in its channel. */
export async function writeDraft(
  context: DraftContext,
  edition: Edition & { run: Run },
  isChosen: (article: Article) => boolean = () => true,
): Promise<Draft> {
  const { ranking, store, log, recount } = context;
  const { guild, digest, period } = edition;
  const isFree = await readMayName(store, { guild, channel: digest.channel }, period.untilMs);
  const mayName = (article: Article) => isFree(article) && isChosen(article);
  const posted = async () =>
    (await articlesPostedIn(ranking, guild, digest, period)).filter(mayName);
  let candidates = await posted();
  if (recount !== undefined && candidates.length > 0) {
    // The articles that can be chosen once all votes are known.
    const wish = { ...digest, count: 2 * digest.count };
    const likely = chooseArticles(candidates, wish, () => true);
    const recounted = recount(
      guild,
      likely.map(({ id }) => id),
    ).catch((error: unknown) => {
      // Older tallies are better than a late digest or none.
      log.warn({ ...fault(error), guild }, 'The tallies of a digest could not be recounted.');
    });
    await Promise.race([recounted, pause(RECOUNT_MS, undefined, { ref: false })]);
    candidates = await posted();
  }
  const chosen = chooseArticles(candidates, digest);
  const isPosted = chosen.length > 0 || digest.postEmpty;
  const of = { chosen, candidates, mayName };
  const written = isPosted ? await writeBody(context, edition, of) : null;
  return {
    body: written?.body ?? null,
    shown: written?.shown ?? null,
    texts: written?.texts ?? null,
    netVotes: await netVotesInVoting(context, edition),
  };
}

async function writeBody(
  context: DraftContext,
  edition: Edition & { run: Run },
  of: {
    chosen: Article[];
    candidates: readonly Article[];
    mayName: (article: Article) => boolean;
  },
): Promise<Pick<Draft, 'texts'> & { body: Body; shown: EditionContent }> {
  const { chosen, candidates, mayName } = of;
  const { ranking } = context;
  const { guild, digest, run, period, locale } = edition;
  const { fromMs } = period;
  const best = chosen.slice(0, 1).map(({ id }) => id);
  const [preview = {}] = await readPreviews(ranking, guild, best);
  const left = candidates.filter((article) => !chosen.includes(article));
  const least = Math.max(LEAST_GAIN, Math.ceil((await readMark(ranking, guild)) / 10));
  const gaining = await stillRising(ranking, guild, digest, { run, fromMs, least });
  const rising = gaining.filter(({ article }) => mayName(article));
  const named = [...candidates, ...rising.map(({ article }) => article)];
  const items = await itemContext(context, named, { guild, locale, ages: 'none' });
  const firsts = await firstPosts(ranking, guild, candidates, fromMs);
  const talkedOf = (article: Article) => items.replies.get(article.id) ?? 0;
  const content = {
    ...edition,
    articles: chosen,
    preview,
    rising,
    firstPosts: firsts.filter(
      (article) => left.includes(article) && !items.unnamed.has(article.poster),
    ),
    discussed: left
      .filter((article) => !firsts.includes(article) && talkedOf(article) >= LEAST_REPLIES)
      .toSorted((a, b) => talkedOf(b) - talkedOf(a)),
    items,
    day: await sumOfDay(ranking, guild, digest, period),
    ways: await readWays(context, edition),
  };
  const shown: EditionContent = {
    articles: chosen.map((article) => {
      return { id: article.id, net: netVotes(article), replies: talkedOf(article) };
    }),
    rising: idsOf(rising.map(({ article }) => article)),
    firstPosts: idsOf(content.firstPosts),
    discussed: idsOf(content.discussed),
  };
  const ids = new Set(namedIn({ shown }));
  const texts = hashOfTexts(
    named.filter(({ id }) => ids.has(id)),
    items.unnamed,
  );
  return { body: editionMessage(content), shown, texts };
}

/** The articles that a draft names. Of one that is gone or hidden when it is sent, nothing may be said. */
export function namedIn({ shown }: Pick<Draft, 'shown'>): Snowflake[] {
  return shown === null ? [] : articlesNamedIn(shown);
}

/**
 * Whether everything that a draft names is still there and may be shown to everyone, with the titles and
 * names that the draft has: a moderator may have retitled an article, and its poster opted out.
 */
export async function isDraftCurrent(
  context: Pick<DraftContext, 'ranking' | 'store'>,
  guild: Snowflake,
  digest: Digest,
  draft: Draft,
): Promise<boolean> {
  const { ranking, store } = context;
  const now = await readArticles(ranking, guild, namedIn(draft));
  const articles = now.flatMap((one) => (one !== null && isWanted(one, digest) ? [one] : []));
  if (articles.length < now.length) return false;
  const posters = articles.map(({ poster }) => poster);
  const optedOut = await optedOutAmong(store, guild, posters);
  return draft.texts === null || draft.texts === hashOfTexts(articles, optedOut);
}

/** A hash of what an edition or an announcement says of articles besides numbers, whatever their order. */
export function hashOfTexts(
  articles: readonly Article[],
  optedOut: ReadonlySet<Snowflake>,
): string {
  const texts = new Map(
    articles.map(({ id, title, link, comment, poster }) => {
      return [id, [title, link, comment, optedOut.has(poster)]];
    }),
  );
  const sorted = [...texts].sort(([a], [b]) => compareIds(a, b));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

/** The articles that a section shows. */
function idsOf(articles: readonly Article[]): Snowflake[] {
  return articles.slice(0, SECTION_LENGTH).map(({ id }) => id);
}

/** How readers take part, and see more. Without Discord's answer, a command is named without a link. */
async function readWays(
  { deployedCommands, editionAddress, log }: DraftContext,
  { guild, name, date, locale, digest }: Edition,
): Promise<Ways> {
  const commands = await deployedCommands().catch((error: unknown) => {
    log.warn({ ...fault(error), guild }, 'A digest could not read the commands.');
    return [];
  });
  const mention = (of: 'post' | 'top'): string => {
    const command = commands.find((one) => one.name === of);
    const shown = translate(locale, `command.${of}.name`);
    return command === undefined ? `/${shown}` : `</${of}:${command.id}>`;
  };
  const page = (await editionAddress?.({ guild, channel: digest.channel, name, date })) ?? null;
  return { post: mention('post'), list: mention('top'), page };
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

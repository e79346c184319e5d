import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { factsLine, hostName, type ItemContext, maskedAddress } from '../articles/lists/item.ts';
import { readComments } from '../ranking/articles/discussions.ts';
import { isMaskable } from '../articles/masked-link.ts';
import { plainText } from '../text/clean.ts';
import {
  type ArticleClaim,
  claimPosting,
  finishClaim,
  holdClaim,
  releaseClaim,
} from '../records/digests/posting-claims.ts';
import { type Broken, parseStored } from '../records/digests/digest.ts';
import { translate } from '../text/catalogue.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import type { Body } from './content/message.ts';
import { nonceOf } from './content/edition-tag.ts';
import { firstMessageLink } from './posting/channel.ts';
import { sendOnce } from './posting/send-once.ts';
import type { DigestContext } from './posting/context.ts';

export type Assignment = {
  guild: string;
  /** The oldest first. Every process uses this order. */
  articles: readonly string[];
  channel: string;
};

export type Announced =
  /** These articles are announced, or must not be. */
  | { is: 'over'; articles: readonly string[] }
  /** Another process holds the first of them, perhaps a dead one. */
  | { is: 'held' }
  | ({ is: 'broken'; locale: string } & Pick<Broken, 'reason' | 'detail'>);

/** Stored with each claim, so that the next process sends the same message to the same channel. */
const zPlan = z.object({
  channel: z.string(),
  articles: z.array(z.string()).min(1),
  sinceMs: z.int(),
  body: z.custom<Body>((body) => typeof body === 'object' && body !== null),
});
type Plan = z.infer<typeof zPlan>;

/** `settled`: announced meanwhile. `plan`: the message that an earlier process was about to send. */
type Claimed = { claims: ArticleClaim[]; settled: string[]; plan: Plan | null; tried: boolean };

const TITLE_LENGTH = 100;
/** With longer links, several lines might not fit into a message. */
const MAX_LINK_LENGTH = 200;
/** The number of articles that fit into one message. */
const MOST_AT_ONCE = 3;

/**
 * Announces articles that have become interesting in one message, each exactly once, in the same way
 * as an edition is posted. Returns the articles that this message settled; the others need another one.
 */
export async function announce(context: DigestContext, assignment: Assignment): Promise<Announced> {
  const claimed = await claimAll(context, assignment);
  if (claimed === null) return { is: 'held' };
  const release = () =>
    Promise.all(claimed.claims.map((claim) => releaseClaim(context.store, claim)));
  try {
    const announced = await post(context, assignment, claimed);
    if (announced.is !== 'over') await release();
    return announced;
  } catch (error) {
    // If the release fails too, the leases expire.
    await release().catch(() => {});
    throw error;
  }
}

/**
 * Claims articles in their order, up to the first that another process holds. Returns null if none
 * could be claimed. The plan of an earlier process is sent unchanged, in a separate message.
 */
async function claimAll(
  { store, clock }: DigestContext,
  { guild, articles }: Assignment,
): Promise<Claimed | null> {
  const token = randomUUID();
  const claims: ArticleClaim[] = [];
  const settled: string[] = [];
  for (const article of articles.slice(0, MOST_AT_ONCE)) {
    const claim = { guild, article, token };
    const claimed = await claimPosting(store, claim, clock.now());
    if (claimed.status === 'held') break;
    if (claimed.status === 'done') {
      settled.push(article);
      continue;
    }
    const plan = claimed.plan === null ? null : parseStored(zPlan, claimed.plan).value;
    if (plan !== null && claims.length > 0) {
      await releaseClaim(store, claim);
      break;
    }
    claims.push(claim);
    if (plan === null) continue;
    for (const other of plan.articles.filter((id) => id !== article)) {
      const { status } = await claimPosting(store, { ...claim, article: other }, clock.now());
      if (status === 'claimed') claims.push({ ...claim, article: other });
      if (status !== 'held') continue;
      for (const ours of claims) await releaseClaim(store, ours);
      return null;
    }
    return { claims, settled, plan, tried: claimed.tried };
  }
  if (claims.length === 0 && settled.length === 0) return null;
  return { claims, settled, plan: null, tried: false };
}

async function post(
  context: DigestContext,
  assignment: Assignment,
  { claims, settled, plan: kept, tried }: Claimed,
): Promise<Announced> {
  const { store, channels, clock, log } = context;
  const { guild } = assignment;
  const claimed = claims.map(({ article }) => article);
  const state = await channels.look(guild, kept?.channel ?? assignment.channel);
  if (state.is === 'elsewhere') return { is: 'held' };
  if (state.is === 'broken') return state;
  const { locale, mayReadBack } = state;
  const plan = kept ?? (await planned(context, assignment, claimed, locale));
  const held: ArticleClaim[] = [];
  for (const claim of claims) {
    if (plan?.articles.includes(claim.article)) held.push(claim);
    // The article is gone, hidden or not interesting any more, and may become interesting again.
    else await finishClaim(store, claim, 'anew');
  }
  const articles = [...settled, ...claimed];
  if (plan === null) return { is: 'over', articles };
  const note = { plan: JSON.stringify(plan) };
  for (const claim of held) {
    const { status } = await holdClaim(store, claim, clock.now(), note);
    if (status === 'lost') return { is: 'held' };
  }
  const { channel, sinceMs, body } = plan;
  const posted = await sendOnce(context, {
    claims: held,
    place: { guild, channel },
    tag: firstMessageLink(body.content ?? '') ?? '',
    nonce: nonceOf(guild, 'interesting', ...plan.articles),
    body: () => body,
    sinceMs,
    mayReadBack,
    tried,
  });
  if (posted.status === 'lost') return { is: 'held' };
  if (posted.status === 'refused') {
    if (posted.isUnsent) for (const claim of held) await finishClaim(store, claim, 'anew');
    return { is: 'broken', locale, reason: posted.reason, detail: posted.detail };
  }
  for (const claim of held) await finishClaim(store, claim, 'done');
  log.info({ guild, articles: plan.articles }, 'Interesting articles were announced.');
  return { is: 'over', articles };
}

/** Returns null if none of them is interesting any more. */
async function planned(
  { ranking, clock }: DigestContext,
  { guild, channel }: Assignment,
  claimed: readonly string[],
  locale: string,
): Promise<Plan | null> {
  const read = await readArticles(ranking, guild, claimed);
  const articles = read.filter((article) => article?.interesting && article.listed) as Article[];
  if (articles.length === 0) return null;
  const context = {
    guild,
    locale,
    now: null,
    comments: await readComments(ranking, guild, articles),
  };
  const content = contentOf(context, articles);
  const body = { content, allowed_mentions: { parse: [] } };
  const ids = articles.map(({ id }) => id);
  return { channel, articles: ids, sinceMs: clock.now(), body };
}

/**
 * Writes two lines for each article. The second line links to its message, and a read-back recognizes
 * the announcement by the first of these links. Discord shows a preview of the link if the article is
 * the only one.
 */
function contentOf(context: ItemContext, articles: readonly Article[]): string {
  const isAlone = articles.length === 1;
  return articles
    .flatMap((article) => {
      const named = `${titleText(article, isAlone)} · ${hostName(article.link)}`;
      const line = translate(context.locale, 'announcement.line', { article: named });
      return [line, factsLine(article, context)];
    })
    .join('\n');
}

function titleText({ title, link }: Article, hasPreview: boolean): string {
  const text = plainText(title, TITLE_LENGTH);
  if (!isMaskable(title, 'content') || link.length > MAX_LINK_LENGTH) return `**${text}**`;
  const address = maskedAddress(link);
  return `[${text}](${hasPreview ? address : `<${address}>`})`;
}

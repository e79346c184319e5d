import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  besideTitle,
  factsLine,
  type ItemContext,
  LONG_LINK,
  maskedAddress,
} from '../articles/lists/item.ts';
import { readReplies } from '../ranking/articles/discussions.ts';
import { isMaskable } from '../articles/masked-link.ts';
import { plainText } from '../text/clean.ts';
import {
  type Claim,
  claimPosting,
  holdClaim,
  releaseClaim,
} from '../records/digests/posting-claims.ts';
import { noteAnnounced, unannounced } from '../records/digests/announced.ts';
import { ANNOUNCEMENTS } from '../records/digests/due.ts';
import type { Left } from '../redis/lease.ts';
import type { Broken } from '../records/digests/digest.ts';
import { parseStored } from '../records/stored.ts';
import { translate } from '../text/catalogue.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { zBody } from './content/message.ts';
import { nonceOf } from './posting/nonce.ts';
import { sendOnce } from './posting/send-once.ts';
import type { DigestContext } from './context.ts';

type Assignment = {
  guild: Snowflake;
  channel: Snowflake;
  /** The oldest first. */
  interesting: readonly string[];
};

export type Announced =
  | { status: 'announced' }
  /** Nothing is left to announce. */
  | { status: 'over' }
  /** Another process announces in this guild, perhaps a dead one. */
  | { status: 'held' }
  | ({ status: 'broken'; locale: string } & Pick<Broken, 'reason' | 'detail'>);

/** Stored with the claim, so that the next process sends the same message to the same channel. */
const zPlan = z.object({
  channel: z.string(),
  articles: z.array(z.string()).min(1),
  sinceMs: z.int(),
  body: zBody,
});
type Plan = z.infer<typeof zPlan>;

const TITLE_LENGTH = 100;
/** The number of articles that fit into one message. */
const MOST_AT_ONCE = 3;

/**
 * Announces interesting articles that were not announced yet in one message, exactly once, in the same
 * way as an edition is posted. Call it again until nothing is left.
 */
export async function announce(context: DigestContext, assignment: Assignment): Promise<Announced> {
  const { store, clock } = context;
  const { guild, interesting } = assignment;
  if ((await unannounced(store, guild, interesting)).length === 0) return { status: 'over' };
  const claim = { guild, digest: ANNOUNCEMENTS, date: '', token: randomUUID() };
  const claimed = await claimPosting(store, claim, clock.now());
  if (claimed.status !== 'claimed') return { status: 'held' };
  let left: Left = 'open';
  try {
    const announced = await post(context, assignment, { claim, ...claimed });
    if (announced.status === 'announced' || announced.status === 'over') left = 'anew';
    if (announced.status === 'broken' && announced.isUnsent) left = 'anew';
    return announced;
  } finally {
    // If the release fails too, the lease expires.
    await releaseClaim(store, claim, left).catch(() => {});
  }
}

async function post(
  context: DigestContext,
  assignment: Assignment,
  { claim, tried, plan: json }: { claim: Claim; tried: boolean; plan: string | null },
): Promise<Announced & { isUnsent?: boolean }> {
  const { store, channels, clock, log } = context;
  const { guild } = assignment;
  const kept = await readUnfinishedPlan(context, guild, json);
  const state = await channels.readState(guild, kept?.channel ?? assignment.channel);
  if (state.status === 'elsewhere') return { status: 'held' };
  if (state.status === 'broken') return state;
  const { locale, mayReadBack } = state;
  const plan = kept ?? (await planAnnouncement(context, assignment, locale));
  if (plan === null) return { status: 'over' };
  const note = { plan: JSON.stringify(plan) };
  if ((await holdClaim(store, claim, clock.now(), note)).status === 'lost')
    return { status: 'held' };
  const { channel, articles, sinceMs, body } = plan;
  const posted = await sendOnce(context, {
    claim,
    place: { guild, channel },
    nonce: nonceOf(guild, 'interesting', ...articles),
    body,
    // The way to the article's message. No other announcement has it.
    fingerprint: `/${articles[0]})`,
    sinceMs,
    mayReadBack,
    tried: tried && kept !== null,
  });
  if (posted.status === 'lost') return { status: 'held' };
  if (posted.status === 'refused') return { ...posted, status: 'broken', locale };
  await noteAnnounced(store, guild, articles);
  log.info({ guild, articles }, 'Interesting articles were announced.');
  return { status: 'announced' };
}

/** Returns the plan of a process that died, unless its articles are announced. */
async function readUnfinishedPlan(
  { store }: DigestContext,
  guild: Snowflake,
  json: string | null,
): Promise<Plan | null> {
  const plan = parseStored(zPlan, json);
  if (plan === null) return null;
  return (await unannounced(store, guild, plan.articles)).length > 0 ? plan : null;
}

/** Returns null if none of them is interesting any more. */
async function planAnnouncement(
  { store, ranking, clock }: DigestContext,
  { guild, channel, interesting }: Assignment,
  locale: string,
): Promise<Plan | null> {
  const news = await unannounced(store, guild, interesting);
  const articles = (await readArticles(ranking, guild, news))
    .filter((article) => article !== null)
    .filter((article) => article.interesting && article.listed)
    .slice(0, MOST_AT_ONCE);
  if (articles.length === 0) return null;
  const replies = await readReplies(ranking, guild, articles);
  const content = contentOf({ guild, locale, now: null, replies }, articles);
  const body = { content, allowed_mentions: { parse: [] } };
  return { channel, articles: articles.map(({ id }) => id), sinceMs: clock.now(), body };
}

/**
 * Writes two lines for each article. Discord shows a preview of the link if the article is the only
 * one.
 */
function contentOf(context: ItemContext, articles: readonly Article[]): string {
  const isAlone = articles.length === 1;
  return articles
    .flatMap((article) => {
      const named = `${linkedTitle(article, isAlone)}${besideTitle(article)}`;
      const line = translate(context.locale, 'announcement.line', { article: named });
      return [line, factsLine(article, context)];
    })
    .join('\n');
}

function linkedTitle({ title, link }: Article, hasPreview: boolean): string {
  const text = plainText(title, TITLE_LENGTH);
  if (!isMaskable(title, 'content') || link.length > LONG_LINK) return `**${text}**`;
  const address = maskedAddress(link);
  return `[${text}](${hasPreview ? address : `<${address}>`})`;
}

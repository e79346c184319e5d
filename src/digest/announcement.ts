import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { messageLink } from '../articles/lists/item.ts';
import { footer } from '../articles/message.ts';
import { plainText } from '../text/clean.ts';
import {
  type Claim,
  claimPosting,
  finishClaim,
  holdClaim,
  releaseClaim,
} from '../records/digests/posting-claims.ts';
import { type Broken, parseStored } from '../records/digests/digest.ts';
import { readSetting, type Settings } from '../records/settings.ts';
import { translate } from '../text/catalogue.ts';
import { type Article, readArticle } from '../ranking/articles/articles.ts';
import { COLOUR } from '../discord/colours.ts';
import { type Body, groupFact } from './content/message.ts';
import { nonceOf } from './content/footer-tag.ts';
import { postPages } from './posting/send-once.ts';
import type { DigestContext } from './posting/context.ts';

export type Assignment = { guild: string; article: string; channel: string };

export type Announced =
  /** It is announced, or not to be. */
  | { is: 'over' }
  /** Somebody else is at it, or died at it. */
  | { is: 'held' }
  | ({ is: 'broken'; locale: string } & Pick<Broken, 'reason' | 'detail'>);

/** Kept with the claim, so that a successor sends the same to the same place. */
const zPlan = z.object({
  channel: z.string(),
  sinceMs: z.int(),
  body: z.custom<Body>((body) => typeof body === 'object' && body !== null),
});
type Plan = z.infer<typeof zPlan>;

const TITLE_LENGTH = 200;

/** Tells of an article that has become interesting, exactly once, as a digest is posted. */
export async function announce(context: DigestContext, assignment: Assignment): Promise<Announced> {
  const { guild, article } = assignment;
  const claim = { guild, article, token: randomUUID() };
  const claimed = await claimPosting(context.store, claim, context.clock.now());
  if (claimed.status === 'held') return { is: 'held' };
  if (claimed.status === 'done') return { is: 'over' };
  const kept = claimed.plan === null ? null : parseStored(zPlan, claimed.plan).value;
  try {
    const announced = await post(context, assignment, claim, { kept, tried: claimed.tried });
    if (announced.is !== 'over') await releaseClaim(context.store, claim);
    return announced;
  } catch (error) {
    // Unless that fails too: then the lease runs out.
    await releaseClaim(context.store, claim).catch(() => {});
    throw error;
  }
}

async function post(
  context: DigestContext,
  assignment: Assignment,
  claim: Claim,
  { kept, tried }: { kept: Plan | null; tried: number },
): Promise<Announced> {
  const { store, channels } = context;
  const { guild, article } = assignment;
  const state = await channels.look(guild, kept?.channel ?? assignment.channel);
  if (state.is === 'elsewhere') return { is: 'held' };
  if (state.is === 'broken') return state;
  const { locale, mayReadBack } = state;
  const plan = kept ?? (await planned(context, assignment, locale));
  if (plan === null) {
    await finishClaim(store, claim, 'anew');
    return { is: 'over' };
  }
  const note = { plan: JSON.stringify(plan) };
  const held = await holdClaim(store, claim, context.clock.now(), note);
  if (held.status === 'lost') return { is: 'held' };
  const { channel, sinceMs, body } = plan;
  const tag = body.embeds?.[0]?.url ?? '';
  const pages = [{ tag, nonce: nonceOf(guild, 'interesting', article), body: () => body }];
  const posted = await postPages(context, { claim, channel, pages, sinceMs, mayReadBack, tried });
  if (posted.status === 'lost') return { is: 'held' };
  if (posted.status === 'refused') {
    if (posted.isUnsent) await finishClaim(store, claim, 'anew');
    return { is: 'broken', locale, reason: posted.reason, detail: posted.detail };
  }
  await finishClaim(store, claim, 'done');
  context.log.info({ guild, article }, 'An interesting article was announced.');
  return { is: 'over' };
}

/** Null where the article is gone, hidden, or not interesting any more; it may be again. */
async function planned(
  context: DigestContext,
  { guild, article: id, channel }: Assignment,
  locale: string,
): Promise<Plan | null> {
  const article = await readArticle(context.ranking, guild, id);
  if (!article?.interesting || !article.listed) return null;
  const names = await readSetting(context.store, guild, 'group-names');
  return { channel, sinceMs: context.clock.now(), body: message(guild, article, locale, names) };
}

/**
 * The embed leads to the article's message, where its link and its votes are; a read-back of the
 * channel knows it by that address.
 */
function message(
  guild: string,
  article: Article,
  locale: string,
  names: Settings['group-names'],
): Body {
  const title = plainText(article.title, TITLE_LENGTH);
  const facts = [
    footer(article),
    ...groupFact(names, article),
    `<@${article.poster}>`,
    `<t:${Math.floor(article.postedAtMs / 1000)}:R>`,
    `\`${new URL(article.link).host}\``,
  ];
  return {
    content: translate(locale, 'announcement.content', { title }),
    embeds: [
      {
        color: COLOUR,
        title: article.title,
        url: messageLink(guild, article),
        description: facts.join(' · '),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

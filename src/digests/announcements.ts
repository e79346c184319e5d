import { noteAnnounced, unannounced } from '../articles/announced.ts';
import { readAnnouncing, writeAnnouncing } from './announcing.ts';
import { ANNOUNCEMENTS, setDue } from './stored-digests.ts';
import { readRebuildState } from '../history/rebuild/stored-rebuilds.ts';
import { readSettings } from '../community/settings.ts';
import { translate } from '../text/catalogue.ts';
import { isRescoring, readMark } from '../ranking/articles/mark.ts';
import { interestingSince } from '../ranking/lists/ranked.ts';
import { FINAL_AFTER_MS } from '../ranking/rules.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { PROBE_MS } from './schedule/due.ts';
import { type DigestContext, readState, type Trouble } from './posting/posting-context.ts';
import type { Target } from '../discord/requests/refusals.ts';
import {
  factsLine,
  type ItemContext,
  linkWithin,
  LONG_LINK,
} from '../articles/lists/article-item.ts';
import { itemContext } from '../articles/lists/item-context.ts';
import { besideTitle, linkedTitle } from '../articles/linked-title.ts';
import { limits } from '../discord/limits.ts';
import { listedTitle } from '../text/spoiler.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { nonceOf } from '../discord/requests/requests.ts';

/** Under a minute, so that the next minute's tick finds it due. */
const LOOK_AGAIN_MS = 50_000;
const TITLE_LENGTH = 100;
/** The most articles of one message, if they fit into it. */
const MOST_AT_ONCE = 3;

/**
 * Announces articles of a guild that have become interesting and were not announced yet, each once.
 * Stores when to look again.
 * Articles that are interesting when announcements are switched on count as announced.
 * Throws if Redis or Discord fails; then call it again, which is safe.
 */
export async function announceInteresting(context: DigestContext, guild: Snowflake): Promise<void> {
  const { store, ranking, clock, log } = context;
  const { announcements: channel } = await readSettings(store, guild);
  const lookAtMs = channel === null ? null : clock.now() + LOOK_AGAIN_MS;
  await setDue(store, guild, ANNOUNCEMENTS, lookAtMs);
  const before = await readAnnouncing(store, guild);
  const ranked = await readRebuildState(store, guild);
  // Articles that a rebuild finds are not news either.
  if (channel === null || !ranked.complete) {
    if (before !== null) await writeAnnouncing(store, guild, null);
    return;
  }
  const interesting = await interestingSince(ranking, guild, clock.now() - FINAL_AFTER_MS);
  // Read the mark after the list: what a lower mark added meanwhile is then no news either.
  const [mark, isMoving] = await Promise.all([
    readMark(ranking, guild),
    isRescoring(ranking, guild),
  ]);
  if (isMoving) return;
  // Nor is an article that a lowered mark made interesting, without a vote.
  const isNews = before !== null && mark >= before;
  if (!isNews) await noteAnnounced(store, guild, await unannounced(store, guild, interesting));
  if (before !== mark) await writeAnnouncing(store, guild, mark);
  if (!isNews) return;
  const trouble = await announce(context, { guild, channel }, interesting);
  if (trouble === null) return;
  // The check-up says so to the admins.
  log.warn({ guild, channel, ...trouble }, 'Announcements are not posted.');
  await setDue(store, guild, ANNOUNCEMENTS, clock.now() + PROBE_MS);
}

/**
 * Announces those articles, the oldest first, that were not announced yet. Returns why it cannot, or null.
 * After a fault or a crash, Discord recognizes the message of the next minute's try by its nonce.
 */
async function announce(
  context: DigestContext,
  target: Target,
  interesting: readonly Snowflake[],
): Promise<Trouble | null> {
  const { store, ranking, channels, log } = context;
  const { guild, channel } = target;
  let atOnce = MOST_AT_ONCE;
  for (;;) {
    const news = await unannounced(store, guild, interesting);
    const waiting = (await readArticles(ranking, guild, news))
      .filter((article) => article !== null)
      .filter((article) => article.interesting && article.listed)
      .slice(0, atOnce);
    if (waiting.length === 0) return null;
    const state = await readState(context, guild, channel);
    if (state.status === 'elsewhere') return null;
    if (state.status === 'broken') return state;
    const { locale } = state;
    const of = { guild, locale, ages: 'lasting', place: 'content' } as const;
    const { articles, content } = fittingOf(await itemContext(context, waiting, of), waiting);
    const body = { content, allowed_mentions: { parse: [] } };
    const ids = articles.map(({ id }) => id);
    const delivery = await channels.sendMessage(
      target,
      body,
      nonceOf(guild, 'interesting', ...ids),
    );
    if (delivery.status === 'refused') {
      if (!delivery.isText) return delivery;
      // One of them is held back: the next round tries each by itself, and leaves that one out.
      if (articles.length > 1) {
        atOnce = 1;
        continue;
      }
      await noteAnnounced(store, guild, ids);
      const held = 'An article is not announced, because Discord holds back its text.';
      log.warn({ guild, articles: ids, code: delivery.detail }, held);
      continue;
    }
    await noteAnnounced(store, guild, ids);
    log.info({ guild, articles: ids }, 'Interesting articles were announced.');
  }
}

/** The first of these articles that fit into one message, and its content. One alone always fits. */
function fittingOf(
  context: ItemContext,
  waiting: readonly Article[],
): { articles: readonly Article[]; content: string } {
  const content = contentOf(context, waiting);
  if (content.length <= limits.contentLength) return { articles: waiting, content };
  return fittingOf(context, waiting.slice(0, -1));
}

/**
 * Writes two lines for each article. Discord shows a preview of the link if the article is the only
 * one.
 */
function contentOf(context: ItemContext, articles: readonly Article[]): string {
  const isAlone = articles.length === 1;
  return articles
    .flatMap((article) => {
      const link = linkWithin(article, LONG_LINK);
      const address = link === null || isAlone ? link : `<${link}>`;
      const title = linkedTitle(listedTitle(article.title, context.locale), address, {
        place: 'content',
        length: TITLE_LENGTH,
        word: translate(context.locale, 'list.visit'),
      });
      const named = `${title}${besideTitle(article)}`;
      const line = translate(context.locale, 'announcement.line', { article: named });
      return [line, factsLine(article, context)];
    })
    .join('\n');
}

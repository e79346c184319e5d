import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { articleFacts, type Listed } from '../articles/lists/article-facts.ts';
import { unnamedAmong } from '../community/unnamed.ts';
import { editionTitle } from '../editions/edition-title.ts';
import { inOrderOf, type Newsletter, type NewsItem } from '../editions/newsletter.ts';
import {
  type Edition,
  readEdition,
  type Section,
  SECTIONS,
  sectionNames,
  zEditionDate,
} from '../editions/stored-editions.ts';
import { readPreviews } from '../ranking/articles/previews.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { stored } from '../redis/stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, DAY_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { isSpoiler, shortened } from '../text/clean.ts';
import { messageLink } from '../text/mentions.ts';
import { titleText } from '../text/title-link.ts';
import { type Names, webText } from './pages/article-html.ts';
import { shownEditions, standingNow, type StandingNow } from './shown.ts';
import type { WebSettings } from './web-settings.ts';

/** Discord's limit of a text that is typed in a form. */
export const TYPED_AT_MOST = 4000;

/** What a manager makes of an edition. Its files and its page are written from it, by what may be shown then. */
const zDraft = z.object({
  /** The edition. */
  name: z.string(),
  date: zEditionDate,
  intro: z.string().max(TYPED_AT_MOST),
  /** As `inOrderOf` reads it. */
  order: z.string().max(TYPED_AT_MOST),
});
export type Draft = z.output<typeof zDraft>;

/** Stands in the address of the draft's page. */
export const zSecret = z.string().regex(/^[\w-]{22}$/);
const storedDraft = stored('newsletter', zDraft.extend({ secret: zSecret }));

/** The page of a draft can be read for so long, unless another one takes its place. */
const READABLE_MS = DAY_MS;

/** Has the draft's page be read by who knows the secret that is returned, and the page of the one before by nobody. */
export async function storeDraft(store: Store, guild: Snowflake, draft: Draft): Promise<string> {
  const secret = randomBytes(16).toString('base64url');
  const { newsletter } = storeKeys(store, guild);
  await store.redis.set(newsletter, storedDraft.write({ ...draft, secret }), 'PX', READABLE_MS);
  return secret;
}

export async function readDraft(
  store: Store,
  guild: Snowflake,
  secret: string,
): Promise<Draft | null> {
  const draft = storedDraft.read(await store.redis.get(storeKeys(store, guild).newsletter));
  return draft?.secret === secret ? draft : null;
}

export interface DraftNeeds {
  /** Where the articles are. */
  ranking: Ranking;
  /** Where editions, blocks and opt-outs are. */
  store: Store;
  /** Discord's time, by which blocks end. */
  clock: Clock;
}

/** An article with its number in the edition's list, by which a manager orders them. */
type Numbered = Listed & { number: number; title: string };
type EditionLeft = {
  edition: Edition;
  /** By which it was judged. */
  standing: StandingNow;
  articles: Numbered[];
  sections: { section: Section; articles: Listed[] }[];
};

/**
 * The articles of an edition that may be shown to everyone now, each of its list with its number there: a form may be
 * open while an article leaves. Null for an edition without any.
 */
export async function readEditionLeft(
  needs: DraftNeeds,
  guild: Snowflake,
  which: { name: string; date: string },
): Promise<EditionLeft | null> {
  const [edition, standing] = await Promise.all([
    readEdition(needs.store, guild, which),
    standingNow(needs, guild),
  ]);
  if (edition === null) return null;
  const [shown] = await shownEditions(needs.ranking, guild, [edition], standing);
  const articles = hidingNothing(shown!.articles).map((one) => {
    const at = edition.articles.findIndex(({ id }) => id === one.article.id);
    return { ...one, number: at + 1, title: titleText(one.article, null) };
  });
  if (articles.length === 0) return null;
  const sections = sectionNames
    .map((section) => ({ section, articles: hidingNothing(shown![section]) }))
    .filter((section) => section.articles.length > 0);
  return { edition, standing, articles, sections };
}

/** A newsletter has no way to hide what its poster hid. */
function hidingNothing(all: readonly Listed[]): Listed[] {
  return all.filter(({ article }) => !isSpoiler(article.title));
}

/** Whom a newsletter may name, and in which words it is written. */
type Written = {
  guild: Snowflake;
  /** The guild's name. */
  community: string;
  /** The guild's. */
  locale: string;
  settings: WebSettings;
  /** Who posted, as far as it is known. */
  namesOf: (members: readonly Snowflake[]) => Names | Promise<Names>;
  /** The edition's page on the web; null if it has none. */
  pageOf: (edition: Edition) => string | null | Promise<string | null>;
};

/** The newsletter of a draft, and its edition; null if nothing of that is left. */
export async function newsletterOf(
  needs: DraftNeeds,
  draft: Draft,
  written: Written,
): Promise<{ letter: Newsletter; edition: Edition } | null> {
  const { guild, community, locale, settings, pageOf } = written;
  const left = await readEditionLeft(needs, guild, draft);
  if (left === null) return null;
  const { edition, standing, sections } = left;
  const chosen = inOrderOf(left.articles, draft.order);
  if (chosen.length === 0) return null;
  const all = [...chosen, ...sections.flatMap(({ articles }) => articles)];
  const asItem = await itemsOf(needs, all, { ...written, standing });
  const letter = {
    locale,
    community,
    title: editionTitle(locale, { ...draft, edition }),
    intro: draft.intro,
    items: chosen.map(asItem),
    sections: sections.map(({ section, articles }) => ({
      heading: translate(locale, SECTIONS[section]),
      items: articles.map(asItem),
    })),
    day: edition.day,
    page: await pageOf(edition),
    invite: settings.invite,
  };
  return { letter, edition };
}

/**
 * What a newsletter says of articles. It names who posted where the page on the web names people, and says beside a
 * name alone what they said.
 */
async function itemsOf(
  needs: DraftNeeds,
  all: readonly Listed[],
  { guild, locale, settings, namesOf, standing }: Written & { standing: StandingNow },
): Promise<(shown: Listed) => NewsItem> {
  const { ranking, store } = needs;
  const posters = all.filter((shown) => shown.isNamed).map(({ article }) => article.poster);
  const unnamed = await unnamedAmong(store, guild, posters);
  const wanted = settings.names ? posters.filter((poster) => !unnamed.has(poster)) : [];
  const ids = all.map(({ article }) => article.id);
  const [known, previews] = await Promise.all([namesOf(wanted), readPreviews(ranking, guild, ids)]);
  const descriptions = new Map(ids.map((id, at) => [id, previews[at]?.description ?? '']));
  return (shown) => {
    const { article } = shown;
    const poster = (shown.isNamed ? known.get(article.poster) : null) ?? null;
    const { title, quote, facts } = articleFacts(shown, { guild, locale });
    const description = descriptions.get(article.id) ?? '';
    return {
      facts,
      title: title.text,
      link: article.link,
      description: standing.text(description) ? description : '',
      poster,
      said: poster === null ? '' : shortened(webText(quote), SAID_LENGTH),
      message: messageLink(guild, article),
    };
  };
}

/** About four lines of a letter. */
const SAID_LENGTH = 280;

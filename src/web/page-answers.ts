import type { Context } from 'hono';
import { z } from 'zod';
import { unnamedAmong } from '../community/unnamed.ts';
import { readEditionArticles } from '../editions/edition-articles.ts';
import {
  hasEditions,
  listEditions,
  readEdition,
  sectionNames,
  zEditionDate,
} from '../editions/stored-editions.ts';
import type { Article } from '../ranking/articles/articles.ts';
import { readReplies } from '../ranking/articles/discussions.ts';
import { countByGroup } from '../ranking/articles/groups.ts';
import { readPreviews } from '../ranking/articles/previews.ts';
import { byNetVotes } from '../ranking/lists/by-votes.ts';
import { postedBetween } from '../ranking/articles/posted-between.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';
import { isSpoiler } from '../text/clean.ts';
import { languageFor } from './page-language.ts';
import { parsePeriod } from './pages/archive.ts';
import { type Lead, type Names, pictureOf } from './pages/article-html.ts';
import { guildPage } from './pages/guild-page.ts';
import { openPageCache, type PageCache, type PageDocument } from './pages/page-cache.ts';
import type { Frame } from './pages/page-frame.ts';
import { archivePage, editionList, editionPage } from './pages/past-pages.ts';
import { type Community, parseView, pathOf, type View, WEB_PAGE_SIZE } from './pages/list-view.ts';

export interface PageNeeds {
  /** Where the articles of pages and feeds are, with their pictures. */
  ranking: Ranking;
  /** The first pages of lists, cached in the process. */
  lists: TopLists;
  /** Where settings, editions and opt-outs are. */
  store: Store;
  /** Null for a guild that this process does not serve. */
  community(guild: Snowflake): Community | null;
  /** The guild's icon as a PNG, by its hash; null if it cannot be had. */
  icon(guild: Snowflake, hash: string): Promise<Uint8Array | null>;
  /** The names of those of these members who are in the guild. */
  names(guild: Snowflake, members: readonly Snowflake[]): Promise<Names>;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** The public address of the pages, without a slash at the end. */
  address: string;
  /** Whether pages show pictures, which browsers load from Discord. */
  pictures: boolean;
}

/** The articles of a period that are ranked; no guild posts more in a month that people read. */
const ARCHIVED_AT_MOST = 5000;
const ARCHIVE_SIZE = 50;
const EDITIONS_ON_PAGE = 100;
const EDITION_PAGES = 100;
const zEditionPage = z.coerce.number().pipe(z.int().min(1).max(EDITION_PAGES)).default(1);
/** Net votes from which an article leads its day: somebody besides its poster voted for it. */
const LEAST_TO_LEAD = 2;

/** What answers share. */
export type Answering = {
  parts: PageNeeds;
  cache: PageCache;
  /** A guild's icon by its hash, fetched once; null if it cannot be had. */
  icons: (guild: Snowflake, hash: string) => Promise<Uint8Array | null>;
  styleAddress: string;
};

export function openAnswering(parts: PageNeeds, styleAddress: string): Answering {
  return { parts, cache: openPageCache(parts), icons: openIcons(parts), styleAddress };
}

/** An open guild that an address asks for, and the frame of its pages. */
async function guildOf(on: Answering, context: Context) {
  const { parts, cache, styleAddress } = on;
  const { store, address, clock } = parts;
  const guild = context.req.param('guild') ?? '';
  const community = zSnowflake.safeParse(guild).success ? parts.community(guild) : null;
  if (community === null) return null;
  const settings = await cache.settings(guild);
  if (!settings.open) return null;
  const language = languageFor(context, community.locale);
  const isChosen = context.req.query('lang') === language;
  const frame = async (feed: View | 'editions' = FIRST): Promise<Frame> => ({
    guild,
    community,
    settings,
    language,
    isChosen,
    address,
    styleAddress,
    feed: settings.secret === null ? null : feedPath(guild, settings.secret, feed),
    hasEditions: await hasEditions(store, guild),
    now: clock.now(),
  });
  /** The key has only known values, so that invented addresses do not push others out of the cache. */
  const document = async (key: string, make: () => Promise<string>) => {
    const made = await cache.document(guild, `${isChosen} ${language} ${key}`, make);
    return send(context, made, {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      vary: 'accept-language',
    });
  };
  return { guild, community, settings, frame, document };
}

/** The path of the Atom feed of a list or of all editions. */
function feedPath(guild: Snowflake, secret: string, of: View | 'editions'): string {
  if (of === 'editions') return `${pathOf(guild, FIRST, { secret })}/digest`;
  return pathOf(guild, { ...of, page: 1 }, { secret });
}

/** Who posted these, where the guild names its members and they want it. */
async function namesOf(on: Answering, frame: Frame, articles: readonly Article[]): Promise<Names> {
  const { parts } = on;
  if (!frame.settings.names) return new Map();
  const posters = [...new Set(articles.map(({ poster }) => poster))];
  const unnamed = await unnamedAmong(parts.store, frame.guild, posters);
  return parts.names(
    frame.guild,
    posters.filter((id) => !unnamed.has(id)),
  );
}

/** An article with what Discord found about it. Null for a spoiler: nobody has asked yet what it is about. */
async function asLead(
  { parts }: Answering,
  guild: Snowflake,
  article: Article | undefined,
): Promise<Lead | null> {
  if (article === undefined || isSpoiler(article.title)) return null;
  const [preview = {}] = await readPreviews(parts.ranking, guild, [article.id]);
  return { article, preview, picture: parts.pictures ? pictureOf(preview) : null };
}

/** The best of the last day, or else the first of the list. */
async function leadOf(on: Answering, guild: Snowflake, view: View, first: Article | undefined) {
  if (view.page > 1 || view.order !== 'score') return null;
  const list = { guild, group: view.group, order: 'votes', period: 'day' } as const;
  const day = await on.parts.lists.page({ ...list, page: 1, pageSize: 1 });
  const [best] = day.articles.filter((one) => one.listed && one.up - one.down >= LEAST_TO_LEAD);
  const lead = await asLead(on, guild, best ?? first);
  return lead && { ...lead, isOfDay: best !== undefined };
}

export async function listAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { ranking } = on.parts;
  const asked = await guildOf(on, context);
  const view = asked && viewOf(context, asked.community);
  if (!asked || !view) return null;
  const { guild, community } = asked;
  const key = ['page', view.page, view.group, view.order].join(' ');
  return asked.document(key, async () => {
    const groups = community.groups.map(({ id }) => id);
    const [frame, shown, filled] = await Promise.all([
      asked.frame(view),
      articlesOf(on.parts, guild, view),
      countByGroup(ranking, guild, groups),
    ]);
    const lead = await leadOf(on, guild, view, shown.articles[0]);
    const all = lead === null ? shown.articles : [...shown.articles, lead.article];
    const [names, replies] = await Promise.all([
      namesOf(on, frame, all),
      readReplies(ranking, guild, all),
    ]);
    return String(await guildPage({ ...frame, ...shown, replies, view, filled, names, lead }));
  });
}

export async function archiveAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { ranking, clock } = on.parts;
  const { kind = '', period: text = '' } = context.req.param();
  const asked = await guildOf(on, context);
  const period = parsePeriod(kind, text);
  if (asked === null || period === null) return null;
  const { guild } = asked;
  const firstMs = snowflakeTimeMs(guild);
  if (period.untilMs <= firstMs || period.fromMs > clock.now()) return null;
  return asked.document(`archive ${kind} ${text}`, async () => {
    const posted = await postedBetween(ranking, guild, { ...period, most: ARCHIVED_AT_MOST });
    const articles = posted
      .filter(({ listed }) => listed)
      .sort(byNetVotes)
      .slice(0, ARCHIVE_SIZE);
    const frame = await asked.frame();
    const leads = articles.slice(0, 1).filter(({ up, down }) => up - down >= LEAST_TO_LEAD);
    const [names, replies, lead] = await Promise.all([
      namesOf(on, frame, articles),
      readReplies(ranking, guild, articles),
      asLead(on, guild, leads[0]),
    ]);
    return String(await archivePage(frame, { period, articles, replies, names, firstMs, lead }));
  });
}

export async function editionsAnswer(on: Answering, context: Context): Promise<Response | null> {
  const asked = await guildOf(on, context);
  const page = zEditionPage.safeParse(context.req.query('page'));
  if (asked === null || !page.success) return null;
  return asked.document(`editions ${page.data}`, async () => {
    const skip = (page.data - 1) * EDITIONS_ON_PAGE;
    // One more tells whether there is a next page.
    const listed = { most: EDITIONS_ON_PAGE + 1, skip };
    const found = await listEditions(on.parts.store, asked.guild, listed);
    const editions = found
      .slice(0, EDITIONS_ON_PAGE)
      .filter((each) => isVisible(asked.community, each.edition));
    const isLast = found.length <= EDITIONS_ON_PAGE || page.data === EDITION_PAGES;
    const frame = await asked.frame('editions');
    return String(await editionList(frame, { editions, page: page.data, isLast }));
  });
}

export async function editionAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { ranking, store } = on.parts;
  const { name = '', date = '' } = context.req.param();
  const asked = await guildOf(on, context);
  if (asked === null || !zEditionDate.safeParse(date).success) return null;
  const { guild, community } = asked;
  const found = await readEdition(store, guild, { name, date });
  if (found === null || !isVisible(community, found)) return null;
  return asked.document(`edition ${date} ${name}`, async () => {
    const frame = await asked.frame('editions');
    const shown = await readEditionArticles(ranking, guild, found);
    const all = [
      ...shown.articles.map(({ article }) => article),
      ...sectionNames.flatMap((section) => shown[section]),
    ];
    const [names, lead] = await Promise.all([
      namesOf(on, frame, all),
      asLead(on, guild, shown.articles[0]?.article),
    ]);
    const named = { name, date, edition: found };
    return String(await editionPage(frame, { named, shown, names, lead }));
  });
}

export async function iconAnswer(on: Answering, context: Context): Promise<Uint8Array | null> {
  const asked = await guildOf(on, context);
  const hash = asked?.community.icon ?? null;
  if (asked === null || hash === null || context.req.param('file') !== `${hash}.png`) return null;
  return on.icons(asked.guild, hash);
}

const FIRST: View = { group: null, order: 'score', page: 1 };
const ICONS_AT_MOST = 500;
/** An icon that could not be had is asked for again after this time. */
const ICON_REST_MS = 600_000;

/** Each icon is fetched once. */
function openIcons(parts: PageNeeds): Answering['icons'] {
  const known = new Map<string, { atMs: number; icon: Promise<Uint8Array | null> }>();
  return async (guild: Snowflake, hash: string): Promise<Uint8Array | null> => {
    const key = `${guild} ${hash}`;
    const found = known.get(key);
    if (found && ((await found.icon) !== null || parts.clock.now() - found.atMs < ICON_REST_MS)) {
      return found.icon;
    }
    const made = parts.icon(guild, hash).catch(() => null);
    known.set(key, { atMs: parts.clock.now(), icon: made });
    if (known.size > ICONS_AT_MOST) known.delete(known.keys().next().value!);
    return made;
  };
}

/**
 * Everyone could see it when it was posted, and can see its channel now. Nobody knows who could see a
 * channel that is gone, so its editions are gone with it.
 */
export function isVisible(
  { groups }: Community,
  { isPublic, channel }: { isPublic: boolean; channel: Snowflake },
): boolean {
  return isPublic && groups.some(({ id }) => id === channel);
}

/** The view that an address asks for. Null if there is none, or if not everyone may view the group. */
export function viewOf(context: Context, community: Community): View | null {
  const view = parseView(context.req.param('group') ?? null, context.req.query());
  const isPublic = view?.group == null || community.groups.some(({ id }) => id === view.group);
  return isPublic ? view : null;
}

/** The articles of a view. A group must be one that @everyone may view. */
export async function articlesOf({ lists }: PageNeeds, guild: Snowflake, view: View) {
  // The period of a list by votes.
  const list = await lists.page({ guild, ...view, period: 'week', pageSize: WEB_PAGE_SIZE });
  // Once more, though no list of such a group should hold an unlisted article.
  return { articles: list.articles.filter(({ listed }) => listed), total: list.total };
}

/** Compressed for those who say that they can read it. Caches must ask each time: articles are removed. */
export function send(
  context: Context,
  document: PageDocument,
  { vary, ...headers }: Record<string, string>,
): Response {
  const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    context.req.header('accept-encoding') ?? '',
  );
  return context.body(isPacked ? document.packed() : document.text, 200, {
    'cache-control': 'no-cache',
    ...headers,
    vary: [...(vary === undefined ? [] : [vary]), 'accept-encoding'].join(', '),
    ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
  });
}

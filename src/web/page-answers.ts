import type { Context } from 'hono';
import { z } from 'zod';
import { readSettings } from '../community/settings.ts';
import { unnamedAmong } from '../community/unnamed.ts';
import { articlesOfEdition } from '../editions/edition-articles.ts';
import {
  editionsBefore,
  type NamedEdition,
  type PostedIn,
  readEdition,
  zEditionDate,
} from '../editions/stored-editions.ts';
import { earlierThan } from '../earlier/find-earlier.ts';
import type { Article } from '../ranking/articles/articles.ts';
import { readReplies } from '../ranking/articles/discussions.ts';
import { countByGroup } from '../ranking/articles/groups.ts';
import { readPreviews } from '../ranking/articles/previews.ts';
import { bestPostedBetween, type PostedBetween } from '../ranking/articles/posted-between.ts';
import { LENGTH_MS } from '../ranking/lists/by-votes.ts';
import { LOOKED_THROUGH, walkList } from '../ranking/lists/ranked.ts';
import { matching } from '../ranking/lists/search-articles.ts';
import type { ReadLists } from '../ranking/lists/top-lists.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';
import { parseUrl } from '../runtime/url.ts';
import { translate } from '../text/catalogue.ts';
import { cleanLine, isSpoiler, shownHost } from '../text/clean.ts';
import { openBudget } from './budget.ts';
import { languageFor } from './page-language.ts';
import { parsePeriod, periodAt } from './pages/archive.ts';
import { type Abouts, type Names, pictureOf } from './pages/article-html.ts';
import { channelsPage, guildPage, placePage } from './pages/guild-page.ts';
import { openPageCache, type PageCache, type PageDocument } from './pages/page-cache.ts';
import { type Frame, frontFeed, type Html, type PageFeed } from './pages/page-frame.ts';
import { archivePage, editionList, editionPage } from './pages/past-pages.ts';
import { articlePage } from './pages/article-page.ts';
import {
  type Community,
  parseView,
  pathOf,
  type Place,
  placePath,
  type View,
  WEB_PAGE_SIZE,
} from './pages/list-view.ts';
import { listedOf, shownEditions, shownOf, standingOf } from './shown.ts';
import { readWebSettings, type WebSettings } from './web-settings.ts';

/** What pages need of the names of members. */
export interface NamesForPages {
  /** Those of these members that are known. The others come later. */
  known(guild: Snowflake, members: readonly Snowflake[]): Names;
  /** Whether Discord has not said yet what the member is called. */
  isPending(guild: Snowflake, member: Snowflake): boolean;
  /** Changes when names of the guild came. */
  version(guild: Snowflake): number;
}

export interface PageNeeds {
  /** Where the articles of pages and feeds are, with their pictures. */
  ranking: Ranking;
  /** The first pages of lists, cached in the process. */
  lists: ReadLists;
  /** Where settings, editions and opt-outs are. */
  store: Store;
  /** Null for a guild that this process does not serve. */
  community(guild: Snowflake): Community | null;
  /** Whether this process serves a guild that Discord does not show it now: in an outage, or at a new session. */
  isAway(guild: Snowflake): boolean;
  /** The guild's icon as a PNG, by its hash; null if it cannot be had. */
  icon(guild: Snowflake, hash: string): Promise<Uint8Array | null>;
  /** What members are called in a guild. */
  names: NamesForPages;
  /** The guild's zone, in which its days begin and end. */
  zone(guild: Snowflake): Promise<string>;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** The public address of the pages, without a slash at the end. */
  address: string;
  /** The origins of Discord's copies of pictures; none: pages show no pictures. */
  pictures: readonly string[];
}

/** With what Discord found about each, less than 40 kB. */
const ARCHIVE_SIZE = 30;
const EDITIONS_ON_PAGE = 25;
/** Editions that are looked through for those that everyone may see. */
const EDITIONS_LOOKED_THROUGH = 2000;
const LATEST_MS = Number.MAX_SAFE_INTEGER;
const zBefore = z.coerce.number().pipe(z.int().min(1)).default(LATEST_MS);
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

export function openAnswering(needs: PageNeeds, styleAddress: string): Answering {
  const { lists, names } = needs;
  const communities = openCommunities((guild) => needs.community(guild));
  const parts = { ...needs, community: (guild: Snowflake) => communities.of(guild) };
  const stamp = (guild: Snowflake) => {
    const ofArticles = lists.stamp(guild);
    if (ofArticles === null) return null;
    return `${ofArticles} ${names.version(guild)} ${communities.version(guild)}`;
  };
  const cache = openPageCache({ stamp, budget: openBudget() });
  return { parts, cache, icons: openIcons(parts), styleAddress };
}

/** Who may see a channel is asked again after this time: it costs as much as the guild has channels (ms). */
const COMMUNITY_FRESH_MS = 1000;
const COMMUNITIES_AT_MOST = 500;

/** Guilds as pages show them, and numbers that change when they change. */
function openCommunities(read: PageNeeds['community']) {
  const known = new Map<Snowflake, { atMs: number; text: string; community: Community }>();
  const versions = new Map<Snowflake, number>();
  return {
    version: (guild: Snowflake) => versions.get(guild) ?? 0,
    of(guild: Snowflake): Community | null {
      const before = known.get(guild);
      const now = performance.now();
      if (before && now - before.atMs < COMMUNITY_FRESH_MS) return before.community;
      const community = read(guild);
      known.delete(guild);
      if (community === null) return null;
      const text = JSON.stringify(community);
      if (before?.text !== text) versions.set(guild, (versions.get(guild) ?? 0) + 1);
      known.set(guild, { atMs: now, text, community });
      if (known.size > COMMUNITIES_AT_MOST) known.delete(known.keys().next().value!);
      return community;
    },
  };
}

/** An open guild. */
export type Asked = {
  guild: Snowflake;
  community: Community;
  settings: WebSettings;
  zone: string;
};

/** What is asked for may be there, and cannot be shown now. */
export class Away extends Error {
  override readonly name = 'Away';
}

/** A guild whose page is open, which an address asks for. Null for any other. Throws `Away` while Discord hides it. */
export async function openGuild(
  { parts, cache }: Answering,
  context: Context,
): Promise<Asked | null> {
  const guild = context.req.param('guild') ?? '';
  const community = zSnowflake.safeParse(guild).success ? parts.community(guild) : null;
  if (community === null) {
    // That it is here is nobody's business where it has no page.
    if (parts.isAway(guild) && (await readWebSettings(parts.store, guild)).open) {
      throw new Away('Discord does not show this guild now.');
    }
    return null;
  }
  const { settings, zone, locale } = await cache.small(guild, 'settings', async () => ({
    settings: await readWebSettings(parts.store, guild),
    zone: await parts.zone(guild),
    locale: (await readSettings(parts.store, guild)).language,
  }));
  if (!settings.open) return null;
  const spoken = { ...community, locale: locale ?? community.locale };
  return { guild, community: spoken, settings, zone };
}

/** What a page shows and how it is written. Data of null has no page. */
type PageOf<D> = {
  /** Only known values, so that invented addresses do not push others out of the cache. */
  about: string;
  /** The list that it shows, whose feed it has. */
  list?: View | Place | 'editions';
  /** It is of this kind, and shows no list. */
  beside?: 'editions';
  read: () => Promise<D | null>;
  write: (frame: Frame, data: D) => Html;
};

/** An open guild that an address asks for, and the making of its pages. */
async function guildOf(on: Answering, context: Context) {
  const { parts, cache, styleAddress } = on;
  const { address, clock } = parts;
  const asked = await openGuild(on, context);
  if (asked === null) return null;
  const { guild, community, settings, zone } = asked;
  const language = languageFor(context, community.locale);
  const isChosen = context.req.query('lang') === language;
  const page = async <D>({ about, list, beside, read, write }: PageOf<D>) => {
    const made = await cache.document(guild, {
      about,
      variant: `${isChosen} ${language}`,
      read,
      write: async (data) => {
        const hasEditions = await cache.data(guild, 'has editions', async () => {
          const [newest] = await visibleEditions(parts, { guild, community, most: 1 });
          return newest !== undefined;
        });
        const frame: Frame = {
          guild,
          community,
          settings,
          language,
          isChosen,
          address,
          styleAddress,
          feed: settings.feeds ? feedOf(guild, list, beside) : null,
          hasEditions,
          now: clock.now(),
          zone,
        };
        return String(await write(frame, data));
      },
    });
    if (made === null) return null;
    return send(context, made, {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      vary: 'accept-language',
    });
  };
  return { guild, community, settings, zone, page };
}

/** The Atom feed of the list that a page shows; else of what it stands beside. */
function feedOf(
  guild: Snowflake,
  list: View | Place | 'editions' | undefined,
  beside: 'editions' | undefined,
): PageFeed {
  const ofEditions = `/feeds/${guild}/digest`;
  if (list === 'editions') return { path: ofEditions, of: 'list' };
  if (list === undefined) {
    return beside === 'editions'
      ? { path: ofEditions, of: 'editions' }
      : { path: frontFeed(guild), of: 'front' };
  }
  const path =
    'order' in list
      ? pathOf(guild, { ...list, page: 1 }, 'feeds')
      : placePath(guild, list, undefined, 'feeds');
  return { path, of: 'list' };
}

/** Who posted these, where the guild names its members and they want it. */
export async function namesOf(
  { parts }: Answering,
  { guild, settings }: { guild: Snowflake; settings: WebSettings },
  articles: readonly Article[],
): Promise<Names> {
  if (!settings.names) return new Map();
  const posters = [...new Set(articles.map(({ poster }) => poster))];
  const unnamed = await unnamedAmong(parts.store, guild, posters);
  return parts.names.known(
    guild,
    posters.filter((id) => !unnamed.has(id)),
  );
}

/** What Discord found about these. Nothing of a spoiler: nobody has asked yet what it is about. */
async function aboutsOf(
  on: Answering,
  guild: Snowflake,
  articles: readonly Article[],
): Promise<Abouts> {
  const shown = articles.filter(({ title }) => !isSpoiler(title));
  const ids = shown.map(({ id }) => id);
  const [previews, standing] = await Promise.all([
    readPreviews(on.parts.ranking, guild, ids),
    standingOf(on, guild),
  ]);
  return new Map(
    previews.map((preview, at) => {
      const { description = '' } = preview;
      const found = standing.text(description) ? description : '';
      return [
        ids[at]!,
        { description: found, picture: pictureOf(preview, on.parts.pictures) },
      ] as const;
    }),
  );
}

/** Who posted these, what Discord found about them, and how many comments they have. */
export async function itemsOf(
  on: Answering,
  asked: { guild: Snowflake; settings: WebSettings },
  articles: readonly Article[],
) {
  const [names, abouts, replies] = await Promise.all([
    namesOf(on, asked, articles),
    aboutsOf(on, asked.guild, articles),
    readReplies(on.parts.ranking, asked.guild, articles),
  ]);
  return { names, abouts, replies };
}

/** Whether the first of the best is also the best of today; null where none leads. */
async function leadOf(
  { parts }: Answering,
  { guild, zone }: Asked,
  view: View,
  first: Article | undefined,
): Promise<{ isOfDay: boolean } | null> {
  if (first === undefined || view.page > 1 || view.order !== 'score') return null;
  const { fromMs } = periodAt('day', parts.clock.now(), zone);
  const [best] = await bestOf(parts, { guild, group: view.group, fromMs, untilMs: Infinity });
  return { isOfDay: best === first.id && first.up - first.down >= LEAST_TO_LEAD };
}

export async function listAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { ranking } = on.parts;
  const asked = await guildOf(on, context);
  const view = asked && viewOf(context, asked.community);
  if (!asked || !view) return null;
  const { guild, community } = asked;
  return asked.page({
    about: `page ${aboutView(view)}`,
    list: view,
    read: async () => {
      const [shown, filled] = await Promise.all([
        articlesOf(on, guild, view),
        countByGroup(
          ranking,
          guild,
          community.groups.map(({ id }) => id),
        ),
      ]);
      const lead = await leadOf(on, asked, view, shown.articles[0]);
      return { ...shown, filled, lead, ...(await itemsOf(on, asked, shown.articles)) };
    },
    write: (frame, data) => guildPage({ ...frame, ...data, view }),
  });
}

export async function channelsAnswer(on: Answering, context: Context): Promise<Response | null> {
  const asked = await guildOf(on, context);
  if (asked === null) return null;
  const groups = asked.community.groups.map(({ id }) => id);
  return asked.page({
    about: 'channels',
    read: async () => ({ filled: await countByGroup(on.parts.ranking, asked.guild, groups) }),
    write: channelsPage,
  });
}

const SEARCHED_LENGTH = 100;
const FOUND_AT_MOST = 30;

/** In the one spelling that links have: `xn--bcher-kva.example` for `bücher.example`, `[::1]`, `a_b.example`. */
function isHost(site: string): boolean {
  return parseUrl(`https://${site}/`)?.hostname === site;
}

/** A site, a member who is named, or the words of a search, which an address asks for. */
export function placeOf(context: Context): Place | null {
  const { site, member } = context.req.param() as { site?: string; member?: string };
  if (site !== undefined) return isHost(site) ? { site } : null;
  if (member !== undefined) return zSnowflake.safeParse(member).success ? { by: member } : null;
  return { words: cleanLine(context.req.query('q') ?? '', SEARCHED_LENGTH) };
}

export async function placeAnswer(on: Answering, context: Context): Promise<Response | null> {
  const asked = await guildOf(on, context);
  const place = placeOf(context);
  if (asked === null || place === null) return null;
  return asked.page({
    about: placePath(asked.guild, place),
    list: place,
    read: () => foundIn(on, asked, place),
    write: (frame, data) => placePage(frame, { ...data, place }),
  });
}

async function isUnnamed(on: Answering, guild: Snowflake, member: Snowflake): Promise<boolean> {
  return (await unnamedAmong(on.parts.store, guild, [member])).size > 0;
}

/** What a place is called; null for a member whom Discord knows none by. Throws `Away` until Discord has said it. */
function titleOf(
  names: NamesForPages,
  { guild, community }: { guild: Snowflake; community: Community },
  place: Place,
): string | null {
  if ('site' in place) return shownHost(place.site);
  if ('words' in place) return translate(community.locale, 'web.search.of', { words: place.words });
  const name = names.known(guild, [place.by]).get(place.by);
  if (name === undefined && names.isPending(guild, place.by)) {
    throw new Away('Discord is asked for a name.');
  }
  return name ?? null;
}

/** What everyone may see of a place, and what it is called; null where there is none. */
export async function foundIn(
  on: Answering,
  asked: { guild: Snowflake; settings: WebSettings; community: Community },
  place: Place,
) {
  const { guild, settings, community } = asked;
  // Nobody learns of a member whom the guild does not name.
  if ('by' in place && (!settings.names || (await isUnnamed(on, guild, place.by)))) return null;
  if ('words' in place && place.words === '') {
    return { title: '', articles: [], total: 0, starred: 0, ...(await itemsOf(on, asked, [])) };
  }
  const query =
    'by' in place
      ? { poster: place.by }
      : 'site' in place
        ? { host: place.site }
        : { words: place.words };
  const accept = matching(query);
  const standing = await standingOf(on, guild);
  // Those beyond the page are counted, and not kept.
  const articles: Article[] = [];
  let total = 0;
  let starred = 0;
  let walked = 0;
  const list = { guild, order: 'time' } as const;
  for await (const some of walkList(on.parts.ranking, list, LOOKED_THROUGH)) {
    walked += some.length;
    for (const one of accept(some)) {
      // A spoiler's site and words would say what it is about.
      if (!('by' in place) && isSpoiler(one.title)) continue;
      const isShown = articles.length < FOUND_AT_MOST;
      // Blocked words cost too much to be looked for in all that is only counted.
      if (isShown && !standing.article(one)) continue;
      total += 1;
      if (one.interesting) starred += 1;
      if (isShown) articles.push(one);
    }
  }
  // What a site has may stand beyond what was looked through.
  const isNone = 'by' in place || ('site' in place && walked < LOOKED_THROUGH);
  if (total === 0 && isNone) return null;
  // Only of a poster: names that invented members are asked for would push the others' out.
  const title = titleOf(on.parts.names, { guild, community }, place);
  if (title === null) return null;
  return { title, articles, total, starred, ...(await itemsOf(on, asked, articles)) };
}

export async function articleAnswer(on: Answering, context: Context): Promise<Response | null> {
  const asked = await guildOf(on, context);
  const id = zSnowflake.safeParse(context.req.param('article'));
  if (asked === null || !id.success) return null;
  const { guild } = asked;
  return asked.page({
    about: `article ${id.data}`,
    read: async () => {
      const [article] = await listedOf(on, guild, [id.data]);
      if (article === undefined) return null;
      const standing = await standingOf(on, guild);
      const isShown = (one: Article) => one.listed && standing.article(one);
      const earlier = await earlierThan(on.parts.ranking, guild, article, isShown);
      return { article, earlier, ...(await itemsOf(on, asked, [article, ...earlier])) };
    },
    write: articlePage,
  });
}

export async function archiveAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { clock } = on.parts;
  const { kind = '', period: text = '' } = context.req.param();
  const asked = await guildOf(on, context);
  const period = asked && parsePeriod(kind, text, asked.zone);
  if (asked === null || period === null) return null;
  const { guild } = asked;
  const firstMs = snowflakeTimeMs(guild);
  if (period.untilMs <= firstMs || period.fromMs > clock.now()) return null;
  return asked.page({
    about: `archive ${kind} ${text}`,
    read: async () => {
      const best = await bestOf(on.parts, { guild, group: null, ...period });
      const { articles } = await firstListed(on, guild, best, ARCHIVE_SIZE);
      const [first] = articles;
      const isLed = first !== undefined && first.up - first.down >= LEAST_TO_LEAD;
      return { articles, isLed, ...(await itemsOf(on, asked, articles)) };
    },
    write: (frame, data) => archivePage(frame, { ...data, period, firstMs }),
  });
}

/** The newest editions that everyone may see, of one digest if it is named, in bounded work. */
export async function visibleEditions(
  { store }: Pick<PageNeeds, 'store'>,
  of: {
    guild: Snowflake;
    community: Community;
    name?: string | undefined;
    beforeMs?: number;
    afterMs?: number;
    most: number;
  },
): Promise<NamedEdition[]> {
  const found: NamedEdition[] = [];
  const { guild, community, beforeMs, afterMs, name: only } = of;
  const accept = (posted: PostedIn) => isVisible(community, posted);
  const wanted = { beforeMs, afterMs, only, accept, most: EDITIONS_LOOKED_THROUGH };
  for await (const each of editionsBefore(store, guild, wanted)) {
    found.push(each);
    if (found.length === of.most) break;
  }
  return found;
}

const timeOf = (each: NamedEdition) => each.edition.postedAtMs;

/** The first of these for one page, and whether there are older ones. Editions of one moment stay together. */
export function onOnePage(found: readonly NamedEdition[], most: number) {
  const first = found.slice(0, most);
  const next = found[most];
  const whole = next ? first.filter((each) => timeOf(each) !== timeOf(next)) : first;
  return { editions: whole.length > 0 ? whole : first, hasOlder: next !== undefined };
}

export async function editionsAnswer(on: Answering, context: Context): Promise<Response | null> {
  const asked = await guildOf(on, context);
  const before = zBefore.safeParse(context.req.query('before'));
  if (asked === null || !before.success) return null;
  const { guild, community } = asked;
  return asked.page({
    about: `editions ${before.data}`,
    list: 'editions',
    read: async () => {
      // One more tells whether there are older ones.
      const wanted = { guild, community, beforeMs: before.data, most: EDITIONS_ON_PAGE + 1 };
      const { editions, hasOlder } = onOnePage(
        await visibleEditions(on.parts, wanted),
        EDITIONS_ON_PAGE,
      );
      const of = editions.map(({ edition }) => edition);
      const standing = await standingOf(on, guild);
      const shown = await shownEditions(on.parts.ranking, guild, of, standing);
      return {
        editions: editions.map((named, at) => ({ named, articles: shown[at]!.articles })),
        hasOlder,
      };
    },
    write: (frame, found) => {
      // One document for each time, whether or not the address says it.
      const beforeMs = before.data === LATEST_MS ? null : before.data;
      return editionList(frame, { ...found, beforeMs });
    },
  });
}

export async function editionAnswer(on: Answering, context: Context): Promise<Response | null> {
  const { store, ranking } = on.parts;
  const { name = '', date = '' } = context.req.param();
  const asked = await guildOf(on, context);
  if (asked === null || !zEditionDate.safeParse(date).success) return null;
  const { guild, community } = asked;
  return asked.page({
    about: `edition ${date} ${name}`,
    beside: 'editions',
    read: async () => {
      const edition = await readEdition(store, guild, { name, date });
      if (edition === null || !isVisible(community, edition)) return null;
      const standing = await standingOf(on, guild);
      const [shown] = await shownEditions(ranking, guild, [edition], standing);
      const articles = articlesOfEdition(shown!);
      const beside = { guild, community, name, most: 1 };
      const [names, abouts, [older], [newer]] = await Promise.all([
        namesOf(on, asked, articles),
        aboutsOf(on, guild, articles),
        visibleEditions(on.parts, { ...beside, beforeMs: edition.postedAtMs }),
        visibleEditions(on.parts, { ...beside, afterMs: edition.postedAtMs }),
      ]);
      return { named: { name, date, edition }, shown: shown!, names, abouts, older, newer };
    },
    write: editionPage,
  });
}

export async function iconAnswer(on: Answering, context: Context): Promise<Uint8Array | null> {
  const asked = await openGuild(on, context);
  const hash = asked?.community.icon ?? null;
  if (asked === null || hash === null || context.req.param('file') !== `${hash}.png`) return null;
  return on.icons(asked.guild, hash);
}

export const FIRST: View = { group: null, order: 'score', page: 1 };
/** Of 128 pixels each. */
const ICONS_AT_MOST = 200;
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
export function isVisible({ groups }: Community, { isPublic, channel }: PostedIn): boolean {
  return isPublic && groups.some(({ id }) => id === channel);
}

export function aboutView({ page, group, order }: View): string {
  return [page, group, order].join(' ');
}

/** The view that an address asks for. Null if there is none, or if not everyone may view the group. */
export function viewOf(context: Context, community: Community): View | null {
  const view = parseView(context.req.param('group') ?? null, context.req.query());
  const isPublic = view?.group == null || community.groups.some(({ id }) => id === view.group);
  return isPublic ? view : null;
}

/** The ids of what was posted in a time and everyone may see, best first. */
function bestOf({ ranking }: PageNeeds, of: Omit<PostedBetween, 'most'>): Promise<Snowflake[]> {
  return bestPostedBetween(ranking, { ...of, most: LOOKED_THROUGH });
}

/** The first of these that everyone may see, with how many on the way there are dropped. */
async function firstListed(
  on: Answering,
  guild: Snowflake,
  ids: readonly Snowflake[],
  most: number,
): Promise<{ articles: Article[]; dropped: number }> {
  const articles: Article[] = [];
  let read = 0;
  while (read < ids.length && articles.length < most) {
    const some = ids.slice(read, read + most);
    articles.push(...(await listedOf(on, guild, some)));
    read += some.length;
  }
  return { articles: articles.slice(0, most), dropped: read - articles.length };
}

/** The articles of a view. A group must be one that @everyone may view. */
export async function articlesOf(on: Answering, guild: Snowflake, view: View) {
  const { parts } = on;
  const { order, group, page } = view;
  if (order === 'votes') {
    const ofWeek = { fromMs: parts.clock.now() - LENGTH_MS.week, untilMs: Infinity };
    const ids = await bestOf(parts, { guild, group, ...ofWeek });
    const { articles, dropped } = await firstListed(on, guild, ids, page * WEB_PAGE_SIZE);
    const shown = articles.slice((page - 1) * WEB_PAGE_SIZE);
    return { articles: shown, total: ids.length - dropped };
  }
  const list = await parts.lists.page({ guild, ...view, pageSize: WEB_PAGE_SIZE });
  // Once more, though no list of such a group should hold an unlisted article.
  return { articles: shownOf(list.articles, await standingOf(on, guild)), total: list.total };
}

/** Compressed for those who say that they can read it. Caches must ask each time: articles are removed. */
export function send(
  context: Context,
  { plain, packed, tag }: PageDocument,
  { vary, ...headers }: Record<string, string>,
): Response {
  const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    context.req.header('accept-encoding') ?? '',
  );
  return context.body(isPacked ? packed : plain, 200, {
    'cache-control': 'no-cache',
    ...headers,
    etag: `"${tag}${isPacked ? '-gzip' : ''}"`,
    vary: [...(vary === undefined ? [] : [vary]), 'accept-encoding'].join(', '),
    ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
  });
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { fault, type Log } from '../log.ts';
import type { Store } from '../redis/store.ts';
import { readWebSettings, type WebSettings } from '../records/web-settings.ts';
import { languageOf, languages, translate } from '../text/catalogue.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import { countByGroup } from '../ranking/articles/groups.ts';
import { readReplies } from '../ranking/articles/discussions.ts';
import type { Community, Edge } from './pages/edge.ts';
import { TYPES, writeFeed } from './feeds/feed.ts';
import { feedPath, FORMATS, isSigned, parseFeedPath } from './feeds/feed-address.ts';
import type { Metrics } from './monitoring/prometheus.ts';
import { type Document, openPageCache, type PageCache } from './pages/page-cache.ts';
import { guildPage, plainPage } from './pages/guild-page.ts';
import { parseView, type View, WEB_PAGE_SIZE } from './pages/view.ts';

type PageParts = {
  ranking: Ranking;
  lists: TopLists;
  store: Store;
  edge: Edge;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'served'>;
  /** The public address of the pages, without a slash at the end. */
  address: string;
};

const style = readFileSync(join(import.meta.dirname, 'pages/style.css'), 'utf8');
const styleAddress = `/style-${hashOf(style).slice(0, 10)}.css`;

/** They forbid scripts, frames, and resources of other hosts. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const feedNames = { atom: 'Atom', rss: 'RSS', json: 'JSON Feed' };

/** The public pages of guilds, and their feeds. */
export function pageRoutes(parts: PageParts): Hono {
  const { lists, store, log } = parts;
  const app = new Hono();
  const kept = openPageCache({
    stamp: (guild) => lists.stamp(guild),
    readSettings: (guild) => readWebSettings(store, guild),
  });

  app.use(async (context, next) => {
    const startedMs = performance.now();
    // Set the headers before the response exists: Hono would copy a finished response.
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    await next();
    const kind = context.req.path.startsWith('/feeds/') ? 'feed' : 'page';
    parts.metrics.served(kind, context.res.status, (performance.now() - startedMs) / 1000);
  });

  app.get(styleAddress, (context) =>
    context.body(style, 200, {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    }),
  );

  app.get('/g/:guild/:group?', (context) => answerPage(context, parts, kept));
  app.get('/feeds/:guild/:group/:list/:file', (context) => answerFeed(context, parts, kept));

  app.notFound(notFoundPage);
  app.onError((error, context) => {
    log.warn(fault(error), 'A page could not be shown.');
    const language = languageFor(undefined, context.req.header('accept-language'), 'en');
    const page = plainPage(language, styleAddress, translate(language, 'web.away'));
    return context.html(page, 503, { 'retry-after': '60', 'cache-control': 'no-store' });
  });
  return app;
}

async function answerPage(context: Context, parts: PageParts, kept: PageCache): Promise<Response> {
  const guild = context.req.param('guild') ?? '';
  const { order, period, page, lang } = context.req.query();
  const view = parseView({ group: context.req.param('group') ?? null, order, period, page });
  const community = communityShown(parts.edge, guild, view);
  if (view === null || community === null) return notFoundPage(context);
  const settings = await kept.settings(guild);
  if (!settings.open) return notFoundPage(context);
  const language = languageFor(lang, context.req.header('accept-language'), community.locale);
  const isChosen = lang === language;
  // The key has only known values, so that invented addresses do not push others out of the cache.
  const { order: by, period: of, page: at } = view;
  const key = ['page', view.group, by, of, at, isChosen, language].join(' ');
  const document = await kept.document(guild, key, async () => {
    const { ranking, address, clock } = parts;
    const groups = community.groups.map(({ id }) => id);
    const [shown, filled] = await Promise.all([
      articlesOf(parts, guild, view, settings),
      countByGroup(ranking, guild, groups),
    ]);
    const { secret, invite } = settings;
    const feeds =
      secret === null
        ? []
        : FORMATS.map((format) => ({
            format: feedNames[format],
            type: TYPES[format].split(';')[0]!,
            address: feedPath(guild, view, secret, format),
          }));
    const asked = { guild, community, view, language, isChosen, address, now: clock.now() };
    const content = { ...asked, ...shown, filled, feeds, invite, styleAddress };
    return documentOf(String(await guildPage(content)));
  });
  return send(context, document, {
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    vary: 'accept-language',
  });
}

async function answerFeed(context: Context, parts: PageParts, kept: PageCache): Promise<Response> {
  const { guild = '', group = '', list = '', file = '' } = context.req.param();
  const asked = parseFeedPath({ group, list, file });
  const community = communityShown(parts.edge, guild, asked?.view ?? null);
  if (asked === null || community === null) return notFoundPage(context);
  const { view, signature, format } = asked;
  const settings = await kept.settings(guild);
  if (!isSigned(guild, view, settings.secret, signature)) return notFoundPage(context);
  const key = [format, view.group, view.order, view.period].join(' ');
  const document = await kept.document(guild, key, async () => {
    const { address } = parts;
    const shown = await articlesOf(parts, guild, view, settings);
    const self = `${address}${context.req.path}`;
    return documentOf(writeFeed({ guild, community, view, ...shown, address, self }, format));
  });
  return send(context, document, { 'content-type': TYPES[format] });
}

/** Null if the guild is not here, or if not everyone may view the group. */
function communityShown(edge: Edge, guild: Snowflake, view: View | null): Community | null {
  if (view === null || !zSnowflake.safeParse(guild).success) return null;
  const community = edge.community(guild);
  const isPublic =
    view.group === null || community?.groups.some(({ id }) => id === view.group) === true;
  return isPublic ? community : null;
}

/** The articles of a view with their facts. A group must be one that @everyone may view. */
async function articlesOf(
  { ranking, lists, edge }: PageParts,
  guild: Snowflake,
  view: View,
  settings: WebSettings,
) {
  const list = await lists.page({ guild, ...view, pageSize: WEB_PAGE_SIZE });
  // Once more, though no list of such a group should hold an unlisted article.
  const articles = list.articles.filter(({ listed }) => listed);
  const posters = new Set(settings.names ? articles.map(({ poster }) => poster) : []);
  const names = new Map<Snowflake, string>();
  const [replies] = await Promise.all([
    readReplies(ranking, guild, articles),
    ...[...posters].map(async (poster) => {
      const name = await edge.displayName(guild, poster);
      if (name !== null) names.set(poster, name);
    }),
  ]);
  return { articles, total: list.total, names, replies };
}

function notFoundPage(context: Context): Response | Promise<Response> {
  const { lang } = context.req.query();
  const language = languageFor(lang, context.req.header('accept-language'), 'en');
  const title = translate(language, 'web.missing');
  const page = plainPage(language, styleAddress, title, translate(language, 'web.missing.more'));
  return context.html(page, 404, { 'cache-control': 'no-store' });
}

/**
 * Answers 304 if the visitor has the document. Caches must ask each time, because articles are
 * removed.
 */
function send(
  context: Context,
  { body, etag }: Document,
  headers: Record<string, string>,
): Response {
  const always = { ...headers, etag, 'cache-control': 'no-cache' };
  const known = context.req.header('if-none-match');
  const isKnown = known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  if (isKnown === true) {
    const { 'content-type': _, ...rest } = always as Record<string, string>;
    return context.body(null, 304, rest);
  }
  return context.body(body, 200, always);
}

function documentOf(body: string): Document {
  return { body: new TextEncoder().encode(body), etag: `"${hashOf(body)}"` };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The language that a visitor asked for, or prefers, or else that of the guild. */
function languageFor(
  asked: string | undefined,
  accepted: string | undefined,
  guildLocale: string,
): string {
  if (asked !== undefined && languages.has(asked)) return asked;
  for (const range of (accepted ?? '').split(',')) {
    const wanted = range.split(';')[0]?.trim() ?? '';
    const base = wanted.split('-')[0]?.toLowerCase();
    for (const known of languages.keys()) if (known.split('-')[0] === base) return known;
  }
  return languageOf(guildLocale);
}

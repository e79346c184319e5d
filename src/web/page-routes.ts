import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import type { Clock } from '../runtime/clock.ts';
import { fault, type Log } from '../runtime/log.ts';
import { emitMetric } from '../runtime/metrics.ts';
import type { Store } from '../redis/store.ts';
import { languageOf, languages, translate } from '../text/catalogue.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import { countByGroup } from '../ranking/articles/groups.ts';
import { readReplies } from '../ranking/articles/discussions.ts';
import { writeFeed } from './pages/feed.ts';
import { guildPage, plainPage } from './pages/guild-page.ts';
import { openPageCache, type PageCache } from './pages/page-cache.ts';
import { type Community, parseView, pathOf, type View, WEB_PAGE_SIZE } from './pages/view.ts';

export type PageParts = {
  ranking: Ranking;
  lists: TopLists;
  store: Store;
  /** Null for a guild that this process does not serve. */
  community(guild: Snowflake): Community | null;
  clock: Clock;
  log: Log;
  /** The public address of the pages, without a slash at the end. */
  address: string;
};

const style = readFileSync(join(import.meta.dirname, 'pages/style.css'), 'utf8');
const styleHash = createHash('sha256').update(style).digest('hex');
const styleAddress = `/style-${styleHash.slice(0, 10)}.css`;

/** They forbid scripts, frames, and resources of other hosts. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The public pages of guilds, and their feeds. */
export function pageRoutes(parts: PageParts): Hono {
  const app = new Hono();
  const cached = openPageCache(parts);

  app.use(async (context, next) => {
    const startedMs = performance.now();
    // Set the headers before the response exists: Hono would copy a finished response.
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    await next();
    const kind = context.req.path.startsWith('/feeds/') ? 'feed' : 'page';
    const seconds = (performance.now() - startedMs) / 1000;
    emitMetric('page', { kind, status: String(context.res.status), seconds });
  });

  app.use(etag());

  app.get(styleAddress, (context) =>
    context.body(style, 200, {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    }),
  );

  app.get('/g/:guild/:group?', (context) => answerPage(context, parts, cached));
  app.get('/feeds/:guild/:secret/:group?', (context) => answerFeed(context, parts, cached));

  app.notFound(notFoundPage);
  app.onError((error, context) => {
    parts.log.warn(fault(error), 'A page could not be shown.');
    const language = languageFor(context, 'en');
    const page = plainPage(language, styleAddress, translate(language, 'web.away'));
    return context.html(page, 503, { 'retry-after': '60', 'cache-control': 'no-store' });
  });
  return app;
}

async function answerPage(
  context: Context,
  parts: PageParts,
  cached: PageCache,
): Promise<Response> {
  const asked = askedFor(context, parts);
  if (asked === null) return notFoundPage(context);
  const { guild, view, community } = asked;
  const settings = await cached.settings(guild);
  if (!settings.open) return notFoundPage(context);
  const language = languageFor(context, community.locale);
  const isChosen = context.req.query('lang') === language;
  // The key has only known values, so that invented addresses do not push others out of the cache.
  const key = ['page', isChosen, language, view.page, view.group, view.order].join(' ');
  const document = await cached.document(guild, key, async () => {
    const { ranking, address, clock } = parts;
    const groups = community.groups.map(({ id }) => id);
    const [shown, filled] = await Promise.all([
      articlesOf(parts, guild, view),
      countByGroup(ranking, guild, groups),
    ]);
    const { secret, invite } = settings;
    const feed = secret === null ? null : pathOf(guild, { ...view, page: 1 }, { secret });
    const list = { guild, community, view, language, isChosen, address, now: clock.now() };
    return String(await guildPage({ ...list, ...shown, filled, feed, invite, styleAddress }));
  });
  return send(context, document, {
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    vary: 'accept-language',
  });
}

/** The guild's secret in the path is the key to its feeds; a new secret ends all earlier addresses. */
async function answerFeed(
  context: Context,
  parts: PageParts,
  cached: PageCache,
): Promise<Response> {
  const asked = askedFor(context, parts);
  if (asked === null) return notFoundPage(context);
  const { guild, community } = asked;
  const secret = context.req.param('secret') ?? '';
  const settings = await cached.settings(guild);
  if (!isSame(settings.secret, secret)) return notFoundPage(context);
  const view = { ...asked.view, page: 1 };
  const key = ['feed', view.group, view.order].join(' ');
  const document = await cached.document(guild, key, async () => {
    const { address } = parts;
    const shown = await articlesOf(parts, guild, view);
    const self = `${address}${pathOf(guild, view, { secret })}`;
    return writeFeed({ guild, community, view, ...shown, address, self });
  });
  return send(context, document, { 'content-type': 'application/atom+xml; charset=utf-8' });
}

function isSame(secret: string | null, secretInAddress: string): boolean {
  if (secret === null) return false;
  const [wanted, typed] = [Buffer.from(secret), Buffer.from(secretInAddress)];
  return wanted.length === typed.length && timingSafeEqual(wanted, typed);
}

/**
 * The view that an address asks for, and the guild. Null if there is no such view, if the guild is not
 * here, or if not everyone may view the group.
 */
function askedFor(context: Context, parts: PageParts) {
  const guild = context.req.param('guild') ?? '';
  const view = parseView(context.req.param('group') ?? null, context.req.query());
  if (view === null || !zSnowflake.safeParse(guild).success) return null;
  const community = parts.community(guild);
  const isPublic =
    view.group === null || community?.groups.some(({ id }) => id === view.group) === true;
  return community !== null && isPublic ? { guild, view, community } : null;
}

/** The articles of a view with their facts. A group must be one that @everyone may view. */
async function articlesOf({ ranking, lists }: PageParts, guild: Snowflake, view: View) {
  // The period of a list by votes.
  const list = await lists.page({ guild, ...view, period: 'week', pageSize: WEB_PAGE_SIZE });
  // Once more, though no list of such a group should hold an unlisted article.
  const articles = list.articles.filter(({ listed }) => listed);
  return { articles, total: list.total, replies: await readReplies(ranking, guild, articles) };
}

function notFoundPage(context: Context): Response | Promise<Response> {
  const language = languageFor(context, 'en');
  const title = translate(language, 'web.missing');
  const page = plainPage(language, styleAddress, title, translate(language, 'web.missing.more'));
  return context.html(page, 404, { 'cache-control': 'no-store' });
}

/** Caches must ask each time, because articles are removed. */
function send(context: Context, document: string, headers: Record<string, string>): Response {
  return context.body(document, 200, { ...headers, 'cache-control': 'no-cache' });
}

/** The language that a visitor asked for, or prefers, or else that of the guild. */
function languageFor({ req }: Context, guildLocale: string): string {
  const { lang = '' } = req.query();
  if (languages.has(lang)) return lang;
  for (const range of (req.header('accept-language') ?? '').split(',')) {
    const [base] = range
      .trim()
      .toLowerCase()
      .split(/[-;\s]/);
    for (const known of languages.keys()) if (known.split('-')[0] === base) return known;
  }
  return languageOf(guildLocale);
}

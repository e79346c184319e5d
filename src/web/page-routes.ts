import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import { fault } from '../runtime/log.ts';
import { isFaultOfRedis } from '../redis/errors.ts';
import { emitMetric } from '../runtime/metrics.ts';
import { languages, translate } from '../text/catalogue.ts';
import { editionFeedAnswer, feedAnswer, placeFeedAnswer } from './feed-answers.ts';
import {
  type Answering,
  archiveAnswer,
  Away,
  articleAnswer,
  channelsAnswer,
  editionAnswer,
  editionsAnswer,
  iconAnswer,
  listAnswer,
  openAnswering,
  placeAnswer,
  type PageNeeds,
  send,
} from './page-answers.ts';
import { newsletterAnswer } from './newsletter-answers.ts';
import { RETRY_AFTER_SECONDS, TOO_MANY, TOO_MANY_HEADERS, WebIsBusy } from './budget.ts';
import { languageFor } from './page-language.ts';
import { asDocument } from './pages/page-cache.ts';
import { plainPage } from './pages/page-frame.ts';

export type { PageNeeds } from './page-answers.ts';

/** Without comments and indentation. */
const styleText = readFileSync(join(import.meta.dirname, 'pages/style.css'), 'utf8')
  .replace(/\/\*[\s\S]*?\*\//g, '')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '')
  .join('\n');
const style = await asDocument(styleText);
const styleHash = createHash('sha256').update(styleText).digest('hex');
const styleAddress = `/style-${styleHash.slice(0, 10)}.css`;

/** What a visitor reads when there are too many, by language: made once, since a crowd gets it. */
const busyPages = new Map(
  await Promise.all(
    [...languages.keys()].map(async (language) => {
      const title = translate(language, 'web.busy');
      return [language, String(await plainPage(language, styleAddress, title))] as const;
    }),
  ),
);

const FOR_EVER = 'public, max-age=31536000, immutable';

/** They forbid scripts, frames, and resources of other hosts, but for pictures where the host wants them. */
function securityHeaders(pictures: readonly string[]): Record<string, string> {
  const images = ["img-src 'self'", ...pictures].join(' ');
  return {
    'content-security-policy': `default-src 'none'; style-src 'self'; ${images}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** The public pages of guilds, and their feeds. */
export function pageRoutes(parts: PageNeeds): Hono {
  const app = new Hono();
  const answering = openAnswering(parts, styleAddress);
  const headers = Object.entries(securityHeaders(parts.pictures));

  app.use(async (context, next) => {
    const startedMs = performance.now();
    // Set the headers before the response exists: Hono would copy a finished response.
    for (const [name, value] of headers) context.header(name, value);
    await next();
    const kind = context.req.path.startsWith('/feeds/') ? 'feed' : 'page';
    const seconds = (performance.now() - startedMs) / 1000;
    emitMetric('page', { kind, status: String(context.res.status), seconds });
  });

  app.use(etag());

  app.get(styleAddress, (context) =>
    send(context, style, {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': FOR_EVER,
    }),
  );
  app.get('/', (context) => {
    const language = languageFor(context, 'en');
    const [title, more] = ['web.home', 'web.home.more'] as const;
    return context.html(
      plainPage(language, styleAddress, translate(language, title), translate(language, more)),
    );
  });

  type Answer = (on: Answering, context: Context) => Promise<Response | null>;
  const get = (path: string, answer: Answer) =>
    app.get(path, async (context) => (await answer(answering, context)) ?? notFoundPage(context));
  get('/g/:guild/icon/:file', async (on, context) => {
    const icon = await iconAnswer(on, context);
    if (icon === null) return null;
    return context.body(new Uint8Array(icon), 200, {
      'content-type': 'image/png',
      'cache-control': FOR_EVER,
    });
  });
  get('/g/:guild/digest', editionsAnswer);
  get('/g/:guild/digest/:name/:date', editionAnswer);
  get('/g/:guild/channels', channelsAnswer);
  get('/g/:guild/search', placeAnswer);
  get('/g/:guild/site/:site', placeAnswer);
  get('/g/:guild/by/:member', placeAnswer);
  get('/g/:guild/article/:article', articleAnswer);
  get('/g/:guild/newsletter/:secret/:part?', newsletterAnswer);
  get('/g/:guild/:kind/:period', archiveAnswer);
  get('/g/:guild/:group?', listAnswer);
  get('/feeds/:guild/digest/:name?', editionFeedAnswer);
  get('/feeds/:guild/search', placeFeedAnswer);
  get('/feeds/:guild/site/:site', placeFeedAnswer);
  get('/feeds/:guild/by/:member', placeFeedAnswer);
  get('/feeds/:guild/:group?', feedAnswer);

  // With a slash too many, as people write addresses.
  app.get('*', (context) => {
    const { pathname, search } = new URL(context.req.url);
    return /^\/(?:g|feeds)\/\d+(?:\/[\w%.-]+)*\/$/.test(pathname)
      ? context.redirect(`${pathname.slice(0, -1)}${search}`, 301)
      : notFoundPage(context);
  });
  app.notFound(notFoundPage);
  app.onError((error, context) => {
    if (error instanceof WebIsBusy) {
      const retryAfter = { 'retry-after': String(RETRY_AFTER_SECONDS) };
      if (context.req.path.startsWith('/feeds/'))
        return context.body(TOO_MANY, 503, { ...retryAfter, ...TOO_MANY_HEADERS });
      const page = busyPages.get(languageFor(context, 'en'))!;
      return context.html(page, 503, { ...retryAfter, 'cache-control': 'no-store' });
    }
    if (!(error instanceof Away)) parts.log.warn(fault(error), 'A page could not be shown.');
    // It may be that nothing else reads what is damaged.
    const guild = context.req.param('guild') ?? '';
    if (isFaultOfRedis(error) && parts.community(guild) !== null) parts.ranking.onDamaged(guild);
    const language = languageFor(context, 'en');
    const page = plainPage(language, styleAddress, translate(language, 'web.away'));
    return context.html(page, 503, { 'retry-after': '60', 'cache-control': 'no-store' });
  });
  return app;
}

function notFoundPage(context: Context): Response | Promise<Response> {
  const language = languageFor(context, 'en');
  const title = translate(language, 'web.missing');
  const page = plainPage(language, styleAddress, title, translate(language, 'web.missing.more'));
  return context.html(page, 404, { 'cache-control': 'no-store' });
}

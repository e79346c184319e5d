import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { bundler } from './bundle.ts';
import { emojiPicture } from './emoji.ts';

const INDEX = new URL('../browser/static/index.html', import.meta.url);
const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
/** The page asks nothing of any other host. The components style themselves within the page. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/**
 * The page itself. `entry` is the caller's module that starts it in the browser, and `icon` the
 * picture of the window's tab.
 */
export function pageFiles({ entry, icon }: { entry: URL; icon: URL }): Hono {
  const routes = new Hono();
  const bundle = bundler(fileURLToPath(entry));

  routes.get('/', async () => served('html', await readFile(INDEX, 'utf8')));
  routes.get('/page.js', async () => served('js', (await bundle()).js));
  routes.get('/page.css', async () => served('css', (await bundle()).css));
  routes.get('/icon.svg', async () => served('svg', await readFile(icon, 'utf8')));
  routes.get('/emoji/:name', async (context) => {
    const picture = await emojiPicture(context.req.param('name'));
    if (picture === undefined) return context.notFound();
    return served('svg', picture, 'max-age=86400');
  });

  return routes;
}

function served(kind: keyof typeof TYPES, data: string, cache = 'no-cache'): Response {
  return new Response(data, {
    headers: {
      'content-type': TYPES[kind],
      'cache-control': cache,
      'content-security-policy': POLICY,
    },
  });
}

import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { bundlePage } from './bundle.ts';

const FOLDERS = [
  new URL('../browser/static/', import.meta.url),
  new URL('../../tour/panel/', import.meta.url),
];
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
/** The page asks nothing of any other host. The components style themselves within the page. */
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

/** The page itself. */
export function pageFiles(): Hono {
  const routes = new Hono();

  routes.get('/', async (context) => (await send('index.html')) ?? context.notFound());
  routes.get('/page.js', async () => served('js', await bundlePage()));
  routes.get(
    '/:name',
    async (context) => (await send(context.req.param('name'))) ?? context.notFound(),
  );

  return routes;
}

async function send(name: string): Promise<Response | undefined> {
  const kind = name.split('.').at(-1) ?? '';
  if (!/^[\w-]+\.\w+$/.test(name) || TYPES[kind] === undefined) return undefined;
  for (const folder of FOLDERS) {
    const data = await readFile(new URL(name, folder), 'utf8').catch(() => undefined);
    if (data !== undefined) return served(kind, data);
  }
  return undefined;
}

function served(kind: string, data: string): Response {
  return new Response(data, {
    headers: {
      'content-type': TYPES[kind] ?? 'text/plain',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
    },
  });
}

import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { World } from '../world/world.ts';
import { bundlePage } from './bundle.ts';

const PAGE = new URL('../page/', import.meta.url);
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
/** Nothing is asked of any other host. The components style themselves within the page. */
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

/** The page itself, and the files that messages carry. */
export function fileRoutes(world: World): Hono {
  const routes = new Hono();

  routes.get('/attachments/:channel/:attachment/:filename', (context) => {
    const messages = world.channels.get(context.req.param('channel'))?.messages.values() ?? [];
    for (const { attachments } of messages) {
      const file = attachments.find((one) => one.id === context.req.param('attachment'));
      if (file === undefined) continue;
      // A file of the bot's is shown, never run.
      return context.body(Buffer.from(file.data), 200, {
        'content-type': file.contentType,
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'x-content-type-options': 'nosniff',
      });
    }
    return context.notFound();
  });

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
  const data = await readFile(new URL(name, PAGE), 'utf8').catch(() => undefined);
  return data === undefined ? undefined : served(kind, data);
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

import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { World } from '../world/world.ts';

const PAGE = new URL('../page/', import.meta.url);
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

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
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
    }
    return context.notFound();
  });

  routes.get('/', async (context) => (await send('index.html')) ?? context.notFound());
  routes.get(
    '/:name',
    async (context) => (await send(context.req.param('name'))) ?? context.notFound(),
  );

  return routes;
}

async function send(name: string): Promise<Response | undefined> {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  const known = /^[\w-]+\.\w+$/.test(name) && type !== undefined;
  const data = known ? await readFile(new URL(name, PAGE)).catch(() => undefined) : undefined;
  if (data === undefined || type === undefined) return undefined;
  return new Response(new Uint8Array(data), {
    headers: {
      'content-type': type,
      'cache-control': 'no-cache',
      // Nothing is asked of any other host.
      'content-security-policy': "default-src 'self'; img-src 'self' data:",
    },
  });
}

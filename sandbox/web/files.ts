import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { Attachment } from '../world/message.ts';
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
      if (file !== undefined) return handedOut(file);
    }
    return context.notFound();
  });

  routes.get('/ephemeral-attachments/:application/:attachment/:filename', (context) => {
    const file = world.uploads.get(context.req.param('attachment'));
    return file === undefined ? context.notFound() : handedOut(file);
  });

  routes.get('/', async (context) => (await send('index.html')) ?? context.notFound());
  routes.get('/page.js', async () => served('js', await bundlePage()));
  routes.get(
    '/:name',
    async (context) => (await send(context.req.param('name'))) ?? context.notFound(),
  );

  return routes;
}

/** A file of the bot's or of a member's is shown, never run. */
function handedOut({ data, contentType }: Attachment): Response {
  return new Response(Buffer.from(data), {
    headers: {
      'content-type': contentType,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    },
  });
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

import { Hono } from 'hono';
import type { World } from '../../model/world.ts';

/** The files that messages carry, and those that members gave to commands. */
export function attachmentRoutes(world: World): Hono {
  const routes = new Hono();

  routes.get('/attachments/:channel/:attachment/:filename', (context) => {
    const messages = world.channels.get(context.req.param('channel'))?.messages.values() ?? [];
    for (const { attachments } of messages) {
      const file = attachments.find((one) => one.id === context.req.param('attachment'));
      if (file !== undefined) return sendFile(file);
    }
    return context.notFound();
  });

  routes.get('/ephemeral-attachments/:application/:attachment/:filename', (context) => {
    const file = world.uploads.get(context.req.param('attachment'));
    return file === undefined ? context.notFound() : sendFile(file);
  });

  return routes;
}

/** A browser shows the file and runs nothing of it. */
export function sendFile({
  data,
  contentType,
}: {
  data: string | Uint8Array;
  contentType: string;
}): Response {
  return new Response(typeof data === 'string' ? data : Buffer.from(data), {
    headers: {
      'content-type': contentType,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    },
  });
}

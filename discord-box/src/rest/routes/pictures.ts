import { Hono } from 'hono';
import type { World } from '../../model/world.ts';
import { sendFile } from './attachments.ts';

/** The pictures of embeds: as in Discord, they come from its own host and not from the page's. */
export function pictureRoutes(world: World): Hono {
  const routes = new Hono();
  routes.get('/external/:address', (context) => {
    const picture = world.web.picture(context.req.param('address'));
    return picture === undefined ? context.notFound() : sendFile(picture);
  });
  return routes;
}

import { Hono } from 'hono';
import { z } from 'zod';
import type { Gateway } from '../../discord/gateway/gateway.ts';
import type { RestFault, RestFaults } from '../../discord/rest/faults.ts';

const zShare = z.number().min(0).max(1).default(0);
const zRest = z.object({
  method: z.string().optional(),
  route: z.string().optional(),
  chance: z.number().min(0).max(1).optional(),
  times: z.int().min(1).optional(),
  delayMs: z.number().min(0).max(60_000).optional(),
  status: z.int().min(400).max(599).optional(),
  afterTheWork: z.boolean().optional(),
  cut: z.boolean().optional(),
});

/** What goes wrong, over HTTP: the gateway's connections and events, and REST. */
export function gatewayFaultRoutes(gateway: Gateway, rest: RestFaults): Hono {
  const routes = new Hono();
  const resumable = z.object({ resumable: z.boolean().default(true) });

  routes.post('/drop', async (context) => {
    gateway.drop(resumable.parse(await context.req.json()));
    return context.json(null);
  });
  routes.post('/invalidate', async (context) => {
    gateway.invalidate(resumable.parse(await context.req.json()));
    return context.json(null);
  });
  routes.post('/reconnect', (context) => {
    gateway.askToReconnect();
    return context.json(null);
  });
  routes.post('/gateway', async (context) => {
    const form = z.object({ open: z.boolean().optional(), acknowledging: z.boolean().optional() });
    const { open, acknowledging } = form.parse(await context.req.json());
    if (open !== undefined) gateway.open = open;
    if (acknowledging !== undefined) gateway.acknowledging = acknowledging;
    return context.json(null);
  });
  routes.post('/events', async (context) => {
    const form = z.object({ drop: zShare, double: zShare, reorder: zShare });
    const shares = form.parse(await context.req.json());
    const none = shares.drop + shares.double + shares.reorder === 0;
    gateway.events.set(none ? undefined : shares);
    return context.json(null);
  });
  routes.post('/rest', async (context) => {
    const { route, ...fault } = zRest.parse(await context.req.json());
    const given = Object.entries(fault).filter(([, value]) => value !== undefined);
    const matching = route === undefined ? {} : { route: new RegExp(route) };
    rest.add({ ...(Object.fromEntries(given) as RestFault), ...matching });
    return context.json(null);
  });
  routes.delete('/rest', (context) => {
    rest.clear();
    return context.json(null);
  });
  return routes;
}

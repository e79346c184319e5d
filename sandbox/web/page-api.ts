import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Gateway } from '../gateway/gateway.ts';
import { isOnline } from '../gateway/presence.ts';
import { actAs } from '../members/actor.ts';
import { Refusal } from '../members/refusal.ts';
import type { Operator } from '../operator.ts';
import type { RestFaults } from '../rest/faults.ts';
import type { RequestLog } from '../rest/request-log.ts';
import { channelPayload } from '../world/channel-payload.ts';
import { rolePayload } from '../world/guild-payload.ts';
import { memberPayload } from '../world/member.ts';
import { userPayload, type World } from '../world/world.ts';
import { gatewayFaultRoutes } from './fault-api.ts';
import { moveClock } from './move-clock.ts';
import { streamTo } from './stream.ts';
import { ACTOR_VERBS, OPERATOR_VERBS } from './verbs.ts';

export type PageParts = {
  world: World;
  gateway: Gateway;
  requests: RequestLog;
  faults: RestFaults;
  operator: Operator;
  clockFile: string | undefined;
};

/**
 * What the page and separate processes use, all under `/sandbox`:
 * `GET community`, `GET as/:user/channels|messages|commands|events`, `POST as/:user/<verb>`,
 * `POST operate/<verb>`, `GET requests`, and the faults.
 */
export function pageApi(parts: PageParts): Hono {
  const { world, gateway, requests, operator, clockFile } = parts;
  const api = new Hono();

  api.onError((error, context) => {
    const refused = error instanceof Refusal;
    if (!refused) console.error('The sandbox failed:', error);
    return context.json({ refused: error.message }, refused ? 422 : 500);
  });

  api.get('/community', (context) =>
    context.json({
      bot: { ...userPayload(world, world.application.botId), online: isOnline(gateway) },
      guilds: [...world.guilds.values()].map((guild) => ({
        id: guild.id,
        name: guild.name,
        ownerId: guild.ownerId,
        unavailable: guild.unavailable,
        roles: [...guild.roles.values()].map(rolePayload),
        members: [...guild.members.values()].map((member) => ({
          ...memberPayload(world, member),
          locale: world.users.get(member.userId)?.locale,
        })),
      })),
    }),
  );

  const actor = (context: Context) => {
    const userId = context.req.param('user') ?? '';
    if (!world.users.has(userId)) throw new Refusal('There is no such member.');
    return actAs(world, userId);
  };

  api.get('/as/:user/channels', (context) =>
    context.json(
      actor(context)
        .channels()
        .map((channel) => channelPayload(channel, world)),
    ),
  );
  api.get('/as/:user/messages', (context) =>
    context.json(actor(context).messages(channelOf(context), 100)),
  );
  api.get('/as/:user/commands', (context) =>
    context.json(actor(context).commands(channelOf(context))),
  );
  api.get('/as/:user/events', (context) => streamTo(world, actor(context).userId, context));

  api.post('/as/:user/:verb', async (context) => {
    const verb = ACTOR_VERBS[context.req.param('verb')];
    if (verb === undefined) return context.notFound();
    const input = verb.form.safeParse(await context.req.json());
    if (!input.success) return context.json({ refused: input.error.message }, 400);
    return context.json((await verb.act(actor(context), input.data as never)) ?? null);
  });

  api.post('/operate/:verb', async (context) => {
    const verb = OPERATOR_VERBS[context.req.param('verb')];
    if (verb === undefined) return context.notFound();
    const input = verb.form.safeParse(await context.req.json());
    if (!input.success) return context.json({ refused: input.error.message }, 400);
    return context.json((await verb.act(operator, input.data as never)) ?? null);
  });

  api.get('/requests', (context) =>
    context.json({
      recent: requests.recent.slice(-200),
      counts: Object.fromEntries(requests.counts),
    }),
  );
  api.get('/clock', (context) => context.json({ nowMs: world.clock.now() }));
  /** Moves time forward for the sandbox and the bot alike; both watch the same file. */
  api.post('/clock', async (context) => {
    const { addMs } = z.object({ addMs: z.int().min(0) }).parse(await context.req.json());
    if (clockFile === undefined) throw new Refusal('This sandbox has no clock to move.');
    moveClock(clockFile, addMs);
    // Told once this clock has seen the file, as the bot's soon does.
    const before = world.clock.now();
    await world.changes.until(
      () => (addMs === 0 || world.clock.now() - before >= addMs / 2 ? true : undefined),
      'the clock',
    );
    tellClock();
    return context.json(null);
  });
  const tellClock = (): void => {
    const d = { nowMs: world.clock.now() };
    world.changes.emit({ t: 'SANDBOX_CLOCK', d, intents: 0, pageOnly: true });
  };
  api.route('/faults', gatewayFaultRoutes(gateway, parts.faults));
  return api;
}

function channelOf(context: Context): string {
  return context.req.query('channel') ?? '';
}

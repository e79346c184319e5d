import { Routes } from 'discord-api-types/v10';
import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { tellRequests } from './exchanges.ts';
import type { World } from '../model/world.ts';
import { audited } from './audited.ts';
import { ApiError, refuse } from './errors.ts';
import type { RestFault, RestFaults } from './faults.ts';
import { openInvalidRequests } from './invalid-requests.ts';
import type { Limits } from './limits.ts';
import type { RequestLog } from './request-log.ts';
import { archivedThreadRoutes } from './routes/archived-threads.ts';
import { auditLogRoutes } from './routes/audit-log.ts';
import { automodRoutes } from './routes/automod.ts';
import { banRoutes } from './routes/bans.ts';
import { channelRoutes } from './routes/channels.ts';
import { commandRoutes } from './routes/commands.ts';
import { emojiRoutes } from './routes/emojis.ts';
import { guildRoutes } from './routes/guilds.ts';
import { channelWebhookRoutes } from './routes/channel-webhooks.ts';
import { interactionRoutes } from './routes/interactions.ts';
import { inviteRoutes } from './routes/invites.ts';
import { memberRoutes } from './routes/members.ts';
import { messageRoutes } from './routes/messages.ts';
import { ownEmojiRoutes } from './routes/own-emojis.ts';
import { pinRoutes } from './routes/pins.ts';
import { pollRoutes } from './routes/polls.ts';
import { pruneRoutes } from './routes/prune.ts';
import { reactionRoutes } from './routes/reactions.ts';
import { roleRoutes } from './routes/roles.ts';
import { scheduledEventRoutes } from './routes/scheduled-events.ts';
import { searchRoutes } from './routes/search.ts';
import { stageRoutes } from './routes/stages.ts';
import { stickerRoutes } from './routes/stickers.ts';
import { threadRoutes } from './routes/threads.ts';
import { userRoutes } from './routes/users.ts';
import { integrationRoutes } from './routes/integrations.ts';
import { newcomerRoutes } from './routes/newcomers.ts';
import { soundRoutes } from './routes/sounds.ts';
import { widgetRoutes } from './routes/widget.ts';
import { voiceRoutes } from './routes/voice.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { tellsUnknownKeys } from './tell-unknown-keys.ts';

type ApiParts = {
  world: World;
  log: RequestLog;
  faults: RestFaults;
  /** undefined: no rate limits. */
  limits: Limits | undefined;
  /** Adds routes that this Discord does not have. */
  routes?: ((api: Hono, world: World) => void) | undefined;
};

/** REST as the bot sees it, under `/api/v10` and `/api`. */
export function restApi(parts: ApiParts): Hono {
  const { world } = parts;
  const api = new Hono();
  // From the outside in: what is logged is what the bot receives.
  const { outmost, inmost } = tellRequests(world, routeOf);
  api.use(dated(world), openInvalidRequests(world), outmost, logged(parts.log));
  api.use(faulty(parts.faults), authorized(world));
  api.use(limited(parts.limits), inmost, audited(world, routeOf));
  api.use(tellsUnknownKeys(routeOf));
  for (const routes of [
    userRoutes(world),
    guildRoutes(world),
    memberRoutes(world),
    banRoutes(world),
    pruneRoutes(world),
    roleRoutes(world),
    emojiRoutes(world),
    stickerRoutes(world),
    soundRoutes(world),
    newcomerRoutes(world),
    widgetRoutes(world),
    integrationRoutes(world),
    scheduledEventRoutes(world),
    voiceRoutes(world),
    stageRoutes(world),
    auditLogRoutes(world),
    automodRoutes(world),
    threadRoutes(world),
    archivedThreadRoutes(world),
    channelRoutes(world),
    pinRoutes(world),
    messageRoutes(world),
    searchRoutes(world),
    pollRoutes(world),
    reactionRoutes(world),
    commandRoutes(world),
    ownEmojiRoutes(world),
    interactionRoutes(world),
    channelWebhookRoutes(world),
    inviteRoutes(world),
    webhookRoutes(world),
  ]) {
    api.route('/', routes);
  }
  parts.routes?.(api, world);
  api.onError((error, context) => errorResponse(error, context));
  api.all('*', missingRoutes());
  return api;
}

/**
 * Discord has more routes than this box. One that is missing here says so, once on the terminal too, so
 * that nobody takes it for an address that Discord does not have either. 400: clients show its sentence,
 * while they try again what they hear with 501.
 */
function missingRoutes(): Handler {
  const told = new Set<string>();
  return (context) => {
    const path = pathOf(context);
    if (!isOfDiscord(path)) return errorResponse(refuse('notFound'), context);
    const route = `${context.req.method} ${path.replace(/\d{15,20}/g, '{id}')}`;
    const message = `This Discord in a box has no route ${route}. Its README says how to add one.`;
    if (!told.has(route)) console.error(message);
    told.add(route);
    return context.json({ message, code: 0 }, 400);
  };
}

const ANY = '_';
/** The paths of Discord's API, with `_` for each id. A path whose last parts may be left out is several. */
const PATHS = Object.values(Routes).flatMap((path) =>
  [0, 1, 2, 3, 4, 5].map((count) => {
    const write = path as (...parts: string[]) => string;
    const written = write.apply(
      Routes,
      Array.from({ length: count }, () => ANY),
    );
    return written.replaceAll('undefined', ANY).split('/');
  }),
);

function isOfDiscord(path: string): boolean {
  const steps = path.split('/');
  return PATHS.some(
    (wanted) =>
      wanted.length === steps.length &&
      wanted.every((step, at) => step === ANY || step === steps[at]),
  );
}

function pathOf(context: Context): string {
  return context.req.path.replace(/^\/api(?:\/v\d+)?/, '');
}

function errorResponse(error: unknown, context: Context): Response {
  if (!(error instanceof ApiError)) {
    // A client that went away amid its request is no failure.
    if (!context.req.raw.signal.aborted) console.error('The Discord in a box failed:', error);
    return context.json({ message: '500: Internal Server Error', code: 0 }, 500);
  }
  const { status, code, message, errors, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) {
    context.header('retry-after', String(Math.ceil(retryAfterSeconds)));
  }
  return context.json(
    {
      message,
      code,
      ...(errors === undefined ? {} : { errors }),
      ...(retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds, global: false }),
    },
    status as 400,
  );
}

/** The pattern of the route that handles it, such as `/channels/:channel/messages`. */
function routeOf(context: Context): string {
  // The first one handles it: `/users/@me` matches `/users/:user` too.
  const path = matchedRoutes(context).find((route) => route.method !== 'ALL')?.path ?? '*';
  return path.replace(/^\/api(?:\/v\d+)?/, '');
}

/** The time of a response is this Discord's. */
function dated({ clock }: World): MiddlewareHandler {
  return async (context, next) => {
    await next();
    context.res.headers.set('date', new Date(clock.now()).toUTCString());
  };
}

function logged(log: RequestLog): MiddlewareHandler {
  return async (context, next) => {
    const startedMs = performance.now();
    log.begin();
    await next();
    log.add({
      method: context.req.method,
      route: routeOf(context),
      status: context.res.status,
      tookMs: Math.round(performance.now() - startedMs),
      channelId: /\/channels\/(\d+)/.exec(context.req.path)?.[1] ?? null,
    });
  };
}

function faulty(faults: RestFaults): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    const body = () => req.text();
    const fault = await faults.match(req.method, routeOf(context), req.path, body);
    if (fault === undefined) return next();
    if (fault.delayMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    }
    if (fault.afterTheWork !== true) await fault.until?.();
    if (fault.staleMs !== undefined) context.set('staleMs', fault.staleMs);
    context.set('reactorsAtMost', fault.reactorsAtMost);
    if (fault.afterTheWork === true || (fault.status === undefined && fault.cut !== true)) {
      await next();
    }
    if (fault.afterTheWork === true) await fault.until?.();
    if (fault.lagMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, fault.lagMs));
    }
    if (fault.cut === true) cut(context);
    if (fault.status !== undefined) context.res = faultyResponse(fault.status, fault);
    return undefined;
  };
}

function faultyResponse(status: number, fault: RestFault): Response {
  const message = `${status}: A fault was asked for`;
  if (fault.html === true) {
    const page = `<!doctype html><title>${status}</title><h1>${message}</h1>`;
    return new Response(page, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
  }
  const headers = { 'content-type': 'application/json' };
  if (status !== 429) {
    return new Response(JSON.stringify({ message, code: fault.code ?? 0 }), { status, headers });
  }
  const { retryAfterSeconds = 1, scope = 'user', code = 0 } = fault;
  const isGlobal = scope === 'global';
  return new Response(
    JSON.stringify({
      message,
      retry_after: retryAfterSeconds ?? undefined,
      global: isGlobal,
      code,
    }),
    {
      status,
      headers: {
        ...headers,
        ...(retryAfterSeconds !== null && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
        'x-ratelimit-scope': scope,
        ...(isGlobal ? { 'x-ratelimit-global': 'true' } : {}),
      },
    },
  );
}

function cut(context: Context): void {
  const { incoming } = context.env as { incoming?: { socket: { destroy(): void } } };
  incoming?.socket.destroy();
}

function authorized(world: World): MiddlewareHandler {
  return async (context, next) => {
    const open = /^\/(?:interactions\/|webhooks\/\d+\/|gateway$|guilds\/\d+\/widget\.json$)/.test(
      pathOf(context),
    );
    const given = context.req.header('authorization');
    const { token, tokenIsReset } = world.application;
    if (!open && (tokenIsReset || given !== `Bot ${token}`)) throw refuse('unauthorized');
    await next();
  };
}

const MAJOR = /\/(?:(?:channels|guilds)\/[^/]+|webhooks\/[^/]+\/[^/]+)/;

function limited(limits: Limits | undefined): MiddlewareHandler {
  return async (context, next) => {
    if (limits === undefined) return next();
    const major = MAJOR.exec(context.req.path)?.[0] ?? '';
    const { headers, exceeded } = limits.take(context.req.method, routeOf(context), major);
    if (exceeded === undefined) await next();
    else {
      const { message, retryAfterSeconds, global } = exceeded;
      context.res = new Response(
        JSON.stringify({ message, retry_after: retryAfterSeconds, global }),
        { status: 429, headers: { 'content-type': 'application/json' } },
      );
    }
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
    return undefined;
  };
}

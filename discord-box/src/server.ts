import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { attachmentRoutes } from './rest/routes/attachments.ts';
import type { Gateway } from './gateway/gateway.ts';
import { openGateway } from './gateway/open-gateway.ts';
import { isLocal, localOnly } from './rest/local-only.ts';
import { addPreviews } from './world/messages/previews.ts';
import { type Actor, actAs } from './act/actor.ts';
import { operate, type Operator } from './act/operator.ts';
import type { World } from './model/world.ts';
import { restApi } from './rest/api.ts';
import { refuse } from './rest/errors.ts';
import { openRestFaults, type RestFaults } from './rest/faults.ts';
import { openLimits } from './rest/limits.ts';
import { pictureRoutes } from './rest/routes/pictures.ts';
import { openRequestLog, type RequestLog } from './rest/request-log.ts';
import { type Clock, type MovableClock, openClock } from './model/clock.ts';
import { actByTime } from './world/act-by-time.ts';
import { createWorld, type WorldOptions } from './world/create-world.ts';
import { type Random, seededRandom } from './world/random.ts';
import type { Snowflake } from './model/snowflakes.ts';

export type DiscordOptions = Partial<Omit<WorldOptions, 'clock'>> & {
  /** Its own by default, which `discord.clock` moves. */
  clock?: Clock;
  /** Seeds the faults, so that a run can be repeated. */
  seed?: number;
  /** Discord's rate limits; on by default. */
  rateLimits?: boolean;
  /** Routes of Discord's that this one does not have, such as `routes.get('/guilds/:guild/templates', …)`. */
  routes?: (routes: Hono, world: World) => void;
  heartbeatMs?: number;
  /** How long after a message the previews of its links come. */
  previewDelayMs?: number;
};

/** A Discord in a box: a world, and the REST API and gateway through which a bot meets it. */
export type Discord = {
  /** What a client is given as its API's address: without the version. */
  apiBase: string;
  address: string;
  token: string;
  applicationId: Snowflake;
  /** Everything that this Discord knows; tests compare the bot's view with it. */
  world: World;
  /** Limits, sessions, tokens, polls, time-outs and threads go by it; a test moves it. */
  clock: MovableClock;
  gateway: Gateway;
  faults: RestFaults;
  requests: RequestLog;
  random: Random;
  /** Acts as a member, within its permissions. */
  as(userId: Snowflake): Actor;
  /** Acts as the owner or as Discord itself. */
  operator: Operator;
  /** Resolves with the first result that is not undefined, asked after every change. */
  until<T>(ask: () => T | undefined, what: string): Promise<T>;
  /**
   * Resolves when the bot has asked nothing for so long, 200 ms by default: before a member reacts to
   * what the bot has just sent, or to see that it says nothing.
   */
  quiet(forMs?: number): Promise<void>;
  stop(): Promise<void>;
};

/** Takes a WebSocket, which a client asks for. */
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** It responds to nobody before `listen` is called; until then, routes can be added to `app`. */
type UnstartedDiscord = Pick<
  Discord,
  'world' | 'random' | 'gateway' | 'faults' | 'requests' | 'operator'
> & {
  app: Hono;
  /** WebSockets whose path begins so are not the gateway's. */
  upgrades: Map<string, Upgrade>;
  listen: (port?: number) => Promise<Discord>;
};

export function openDiscord(options: DiscordOptions = {}): UnstartedDiscord {
  const clock = options.clock ?? openClock();
  const world = createWorld({ ...options, clock });
  const random = seededRandom(options.seed ?? 1);
  const gateway = openGateway(world, random, {
    heartbeatMs: options.heartbeatMs ?? 41_250,
    rateLimits: options.rateLimits !== false,
  });
  const faults = openRestFaults(random);
  const requests = openRequestLog(clock, (request) => {
    world.changes.emit({ t: 'BOX_REQUEST', d: request, intents: 0, pageOnly: true });
  });
  const limits = options.rateLimits === false ? undefined : openLimits(clock);

  const stopPreviews = addPreviews(world, options.previewDelayMs ?? 50);
  const stopTime = actByTime(world);

  // Some clients write `@me` as `%40me`.
  const app = new Hono({ getPath: (request) => getPath(request).replaceAll('%40', '@') });
  app.use(localOnly(world));
  const rest = restApi({ world, log: requests, faults, limits, routes: options.routes });
  app.route('/api/v10', rest);
  app.route('/api/v9', rest);
  app.all('/api/:version{v\\d+}/*', otherVersions);
  app.route('/api', rest);
  app.route('/', attachmentRoutes(world));
  app.route('/', pictureRoutes(world));

  const server = createAdaptorServer({ fetch: app.fetch, hostname: '127.0.0.1' });
  const upgrades = new Map<string, Upgrade>();
  server.on('upgrade', (request, socket, head) => {
    // A page reaches a WebSocket without asking first.
    if (!isLocal(world, request.headers)) return void socket.destroy();
    const other = [...upgrades].find(([path]) => request.url?.startsWith(path));
    if (other === undefined) gateway.upgrade(request, socket, head);
    else other[1](request, socket, head);
  });

  const operator = operate(world);
  return { world, random, gateway, faults, requests, operator, app, upgrades, listen };

  async function listen(port = 0): Promise<Discord> {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    world.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      apiBase: `${world.address}/api`,
      address: world.address,
      token: world.application.token,
      applicationId: world.application.id,
      world,
      clock: 'move' in clock ? (clock as MovableClock) : { ...clock, move: refuseToMove },
      gateway,
      faults,
      requests,
      random,
      operator,
      as: (userId) => actAs(world, userId),
      until: (ask, what) => world.changes.until(ask, what),
      quiet: async (forMs = 200) => {
        let heardMs = performance.now();
        const stopListening = world.changes.listen(({ t }) => {
          if (t === 'BOX_REQUEST') heardMs = performance.now();
        });
        const isQuiet = (): true | undefined =>
          requests.isIdle() && performance.now() - heardMs >= forMs ? true : undefined;
        await world.changes.until(isQuiet, 'the bot to ask nothing').finally(stopListening);
      },
      stop: async () => {
        stopPreviews();
        stopTime();
        for (const { deadline } of world.interactions.values()) {
          if (deadline !== null) clearTimeout(deadline);
        }
        await gateway.stop();
        if ('closeAllConnections' in server) server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
}

function refuseToMove(): never {
  throw new Error('This Discord goes by a clock that it was given. Move that one.');
}

/** Starts on a free port of 127.0.0.1, or on `port`. Its world is empty. */
export async function startDiscord({
  port = 0,
  ...options
}: DiscordOptions & { port?: number } = {}): Promise<Discord> {
  return openDiscord(options).listen(port);
}

/** Discord refuses versions of its API below 6. 6 to 8 are deprecated, and say many things otherwise. */
function otherVersions(context: Context): Response {
  const { status, message, code } = refuse('invalidApiVersion');
  const version = context.req.param('version') ?? '';
  if (!/^v[678]$/.test(version)) return context.json({ message, code }, status as 400);
  const missing = `This Discord in a box speaks the versions 9 and 10 of the API, not ${version}.`;
  console.error(missing);
  return context.json({ message: missing, code: 0 }, 400);
}

import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { type Clock, startClock } from '../src/clock.ts';
import { type Community, seedCommunity } from './community.ts';
import { type Gateway, openGateway } from './gateway/gateway.ts';
import { type Actor, actAs } from './members/actor.ts';
import { openRedisSide, type RedisSide } from './redis-side.ts';
import { localOnly } from './local-only.ts';
import { operate, type Operator } from './operator.ts';
import { seedPast } from './past.ts';
import { seededRandom } from './random.ts';
import { restApi } from './rest/api.ts';
import { ApiError } from './rest/errors.ts';
import { openRestFaults, type RestFaults } from './rest/faults.ts';
import { openLimits } from './rest/limits.ts';
import { openRequestLog, type RequestLog } from './rest/request-log.ts';
import type { Snowflake } from './world/snowflakes.ts';
import { fileRoutes } from './web/files.ts';
import { pageApi } from './web/page-api.ts';
import { openTour, type Tour } from './tour.ts';
import { openTrouble, type Trouble } from './trouble.ts';
import { keepWorldSaved, restoreWorld } from './saved-world.ts';
import { createWorld, type World, type WorldOptions } from './world/world.ts';

export type SandboxOptions = {
  /** 0, the default, takes a free one. */
  port?: number;
  clock?: Clock;
  token?: string;
  /** The community's seed, and that of the faults. */
  seed?: number;
  /** Discord's rate limits; on by default. */
  rateLimits?: boolean;
  /** Which privileged intents the application has; none by default. */
  privileged?: WorldOptions['privileged'];
  botPermissions?: bigint;
  heartbeatMs?: number;
  /** How often sessions may begin; as often as they want by default. Discord's is 1 bucket, 5 s. */
  identifies?: WorldOptions['identifies'];
  /** Where the world is kept from one start to the next; nowhere by default. */
  saveFile?: string;
  /** The file whose offset the clock follows, so that the page can move time. */
  clockFile?: string;
  /** The bot's data folder: the page shows what the private Redis in it holds. */
  botData?: string;
  /** A new world begins with a day of articles and votes. */
  past?: boolean;
};

/** A Discord in a box. */
export type Sandbox = Community & {
  /** For `DISCORD_API_BASE`: without the version. */
  apiBase: string;
  /** Where the page is. */
  address: string;
  token: string;
  applicationId: Snowflake;
  guildId: Snowflake;
  /** Everything it knows; tests compare the bot's view with it. */
  world: World;
  gateway: Gateway;
  faults: RestFaults;
  requests: RequestLog;
  tour: Tour;
  trouble: Trouble;
  /** The bot's Redis, where `botData` tells of it. */
  redis: RedisSide | undefined;
  /** The world was made now, and not found where it was kept. */
  isNew: boolean;
  /** Acts as a member, within its permissions. */
  as(userId: Snowflake): Actor;
  /** Acts as the owner or as Discord itself. */
  operator: Operator;
  /** Resolves with the first result that is not undefined, asked after every change. */
  until<T>(ask: () => T | undefined, what: string, deadlineMs?: number): Promise<T>;
  stop(): Promise<void>;
};

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = options.clock ?? startClock();
  const token = options.token ?? `sandbox.${randomBytes(24).toString('base64url')}`;
  const { privileged, identifies } = options;
  const world = createWorld({
    clock,
    token,
    ...(privileged === undefined ? {} : { privileged }),
    ...(identifies === undefined ? {} : { identifies }),
  });
  const random = seededRandom(options.seed ?? 1);
  const { botPermissions, saveFile, clockFile } = options;
  const restored = saveFile === undefined ? undefined : restoreWorld(world, saveFile);
  const community =
    restored ??
    seedCommunity(world, random, {
      ...(botPermissions === undefined ? {} : { botPermissions }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    });
  if (restored === undefined && options.past === true) seedPast(world, community, random);
  const operator = operate(world, community.guild);
  const gateway = openGateway(world, random, options.heartbeatMs ?? 41_250);
  const faults = openRestFaults(random);
  const requests = openRequestLog(clock, (request) => {
    world.changes.emit({ t: 'SANDBOX_REQUEST', d: request, intents: 0, pageOnly: true });
  });
  const redis: RedisSide | undefined =
    options.botData === undefined
      ? undefined
      : openRedisSide(options.botData, world.application.id);
  const trouble = openTrouble(world, gateway, faults, redis);
  const tour = openTour(world, redis);
  const limits = options.rateLimits === false ? undefined : openLimits();

  const app = new Hono();
  app.use(localOnly(world));
  const rest = restApi({ world, log: requests, faults, limits });
  app.route('/api/v10', rest);
  app.all('/api/:version{v\\d+}/*', (context) => {
    const { status, message, code } = new ApiError(400, 50041, 'Invalid API version');
    return context.json({ message, code }, status as 400);
  });
  app.route('/api', rest);
  app.route(
    '/sandbox',
    pageApi({
      world,
      gateway,
      requests,
      faults,
      operator,
      clockFile,
      random,
      trouble,
      tour,
      redis,
    }),
  );
  app.route('/', fileRoutes(world));

  const server = createAdaptorServer({ fetch: app.fetch, hostname: '127.0.0.1' });
  server.on('upgrade', (request, socket, head) => gateway.upgrade(request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  world.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endSaving = saveFile === undefined ? undefined : keepWorldSaved(world, community, saveFile);

  return {
    ...community,
    apiBase: `${world.address}/api`,
    address: world.address,
    token,
    applicationId: world.application.id,
    guildId: community.guild.id,
    world,
    gateway,
    faults,
    requests,
    tour,
    trouble,
    redis,
    isNew: restored === undefined,
    operator,
    as: (userId) => actAs(world, userId),
    until: (ask, what, deadlineMs) => world.changes.until(ask, what, deadlineMs),
    stop: async () => {
      for (const { deadline } of world.interactions.values()) {
        if (deadline !== null) clearTimeout(deadline);
      }
      tour.stop();
      await redis?.close();
      endSaving?.();
      await gateway.stop();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

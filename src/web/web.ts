import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { healthRoutes, openMonitoring, type Watched } from '../monitoring/monitoring.ts';
import { TOO_MANY, TOO_MANY_HEADERS } from './budget.ts';
import { type PageNeeds, pageRoutes } from './page-routes.ts';

/** The parts that exist once the bot is on Discord. */
export type Served = Watched & Omit<PageNeeds, 'clock' | 'log' | 'address' | 'pictures'>;

export interface WebNeeds {
  /** The address to listen on. */
  host: string;
  /** 0: any free port. */
  port: number;
  /** The public address. By default, the address on which it listens. */
  publicAddress: string | undefined;
  /** The origins whose pictures pages show, such as `DISCORD_PICTURES`. None by default. */
  pictures?: readonly string[];
  /** The host and port of readiness and metrics. By default they are not served. */
  monitoring?: { host: string; port: number } | undefined;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
}

/** The public pages, and health for the host's monitoring. */
export interface Web {
  /** The address on which it listens. */
  address: string;
  /** The address of readiness and metrics; undefined if they are not served. */
  monitoringAddress: string | undefined;
  /** Starts serving pages. Before, only health is served. */
  serve(parts: Served): void;
  /** Closes all connections, of visitors too. */
  stop(): Promise<void>;
}

/**
 * The number of requests that are answered in `THROTTLE_MS`. Each takes less than a millisecond, besides the
 * making of a document, which has a budget of its own.
 */
export const REQUESTS_AT_ONCE = 50;
const THROTTLE_MS = 250;
/** The time that a client has to send its request, and the time after which one that is late is noticed. */
const REQUEST_MS = 10_000;
const LATE_MS = 2000;
/**
 * The time for which a connection may be silent: its client sends nothing, or reads nothing of its answers. The system
 * takes a whole answer at once, so that who reads one slowly costs the process nothing; who asks on is not read until
 * the earlier answers are taken. It is longer than a visitor waits for a turn.
 */
const SILENT_MS = 15_000;
/**
 * The time for which a connection is left open after an answer: longer than a proxy before it does (nginx a minute, Caddy
 * two), which would else ask on one that is just being closed, and answer its visitor 502.
 */
const OPEN_AFTER_ANSWER_MS = 150_000;
/** Beyond it the oldest connection is closed. A refused new one could be the host's own probe. */
export const CONNECTIONS_AT_MOST = 500;

/** Listens before the bot is on Discord, so that monitoring sees it start. */
export async function startWeb(options: WebNeeds): Promise<Web> {
  const { host, port, clock, log } = options;
  let served: Served | undefined;
  let pages: Hono | undefined;
  const app = healthRoutes();
  app.all('*', (context) =>
    pages === undefined
      ? context.text('Frontpage is starting.\n', 503, { 'retry-after': '10' })
      : pages.fetch(context.req.raw),
  );
  const server = await listen(app, { host, port });
  const { address } = server;
  const watch = options.monitoring && openMonitoring({ watched: () => served, log });
  const monitoring =
    watch &&
    (await listen(watch.app, options.monitoring!).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    }));
  log.info(
    { address, monitoring: monitoring?.address },
    'Pages, readiness and metrics are served.',
  );
  return {
    address,
    monitoringAddress: monitoring?.address,
    serve(parts: Served): void {
      served = parts;
      pages = pageRoutes({
        ...parts,
        clock,
        log,
        address: options.publicAddress ?? address,
        pictures: options.pictures ?? [],
      });
    },
    async stop(): Promise<void> {
      watch?.stop();
      await Promise.all([server.stop(), monitoring?.stop()]);
    },
  };
}

async function listen(app: Hono, { host, port }: { host: string; port: number }) {
  const answer = getRequestListener(app.fetch, { hostname: host });
  // The host's own probes are counted apart, so that a flood of pages does not fail them.
  const isTooMuch = { pages: openThrottle(), health: openThrottle() };
  const server = createServer({ connectionsCheckingInterval: LATE_MS }, (request, response) => {
    const kind = request.url === '/healthz' ? 'health' : 'pages';
    if (isTooMuch[kind]()) refuse(response);
    else void answer(request, response);
  });
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = REQUEST_MS;
  server.timeout = SILENT_MS;
  server.keepAliveTimeout = OPEN_AFTER_ANSWER_MS;
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > CONNECTIONS_AT_MOST) oldest?.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async stop(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      // A visitor's open connection must not delay the end.
      const late = setTimeout(() => server.closeAllConnections(), 1000);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Whether a request is beyond the limit, so that a flood takes a small part of the process's time. */
function openThrottle(): () => boolean {
  let count = 0;
  let windowMs = performance.now();
  return () => {
    const now = performance.now();
    if (now - windowMs >= THROTTLE_MS) {
      windowMs = now;
      count = 0;
    }
    count += 1;
    return count > REQUESTS_AT_ONCE;
  };
}

/** Without Hono, which would take ten times as long. */
function refuse(response: ServerResponse): void {
  response.writeHead(503, { 'retry-after': '1', ...TOO_MANY_HEADERS }).end(TOO_MANY);
}

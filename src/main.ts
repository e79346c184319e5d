// Before discord.js.
import './discord/gateway/through-proxy.ts';
import { makeNightly } from './backup/nightly.ts';
import { exitCodes } from './runtime/cannot-start.ts';
import { startClock } from './runtime/clock.ts';
import { type Config, loadConfig } from './config.ts';
import { openJobs, runJobs, startBot } from './bot.ts';
import { explain } from './explain.ts';
import { openDiscordClock } from './discord/requests/discord-clock.ts';
import { inviteLink, permissionNames, OPTIONAL_PERMISSIONS } from './discord/access/permissions.ts';
import { createLog, fault, type Log } from './runtime/log.ts';
import { startPrivateServer } from './redis/private-server/private-server.ts';
import { awaitLoaded, connectRedis } from './redis/connection.ts';
import { openDriverWarnings } from './redis/driver-warnings.ts';
import { checkServer } from './redis/startup-checks/check-server.ts';
import { tellServiceManager } from './runtime/service-manager.ts';
import { build } from './runtime/version.ts';
import { served } from './served.ts';

/** The documentation promises an end within 10 s, even if something hangs. */
const SHUTDOWN_MS = 9000;

const outcome = loadConfig();
if (outcome.status === 'faulty') {
  console.error(['Frontpage cannot start:', ...outcome.faults].join('\n- '));
  process.exit(exitCodes.config);
}
const { config, proxy } = outcome;
const log = createLog(config.logLevel);
for (const note of outcome.notes) log.warn(note);
if (proxy) log[proxy.isUsed ? 'info' : 'warn'](proxy.sentence);

/** Functions for the end. The last one is called first. */
const closers: (() => unknown)[] = [];
let stopping: Promise<void> | undefined;

// SIGHUP: the terminal was closed. The private server would stay behind.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void stop(0));
// Node and ioredis would write their warnings to the terminal themselves.
console.warn = openDriverWarnings(log);
process.removeAllListeners('warning');
process.on('warning', (warning) => log.warn(fault(warning), 'Node warns.'));
process.on('uncaughtException', (error) => log.error(fault(error), 'An exception was not caught.'));
process.on('unhandledRejection', (error) =>
  log.error(fault(error), 'A rejection was not handled.'),
);

try {
  await start(config, log);
} catch (error) {
  if (stopping === undefined) {
    const known = explain(error);
    if (!known) log.fatal(fault(error), 'Frontpage cannot start.');
    await stop(known?.code ?? exitCodes.software, known?.message);
  }
}

async function start(config: Config, log: Log): Promise<void> {
  log.info({ node: process.versions.node }, `Frontpage ${build} starts.`);
  const clock = openDiscordClock(startClock(config.clockOffsetFile), log);
  closers.push(() => clock.stop());
  const url = await redisUrl(config, log);
  if (stopping) return;
  const redis = connectRedis(url, { log, name: 'frontpage' });
  closers.push(() => redis.disconnect());
  await awaitLoaded(redis, log);
  const server = await checkServer(redis);
  for (const warning of server.warnings) log.warn(warning);
  if (stopping) return;

  // The packages of the web pages are loaded only if they are needed.
  const web =
    config.web &&
    (await import('./web/web.ts').then(({ startWeb }) => startWeb({ ...config.web!, clock, log })));
  if (web) closers.push(() => web.stop());
  // The address that it listens on leads whoever reads it elsewhere to a machine of their own.
  const webAddress = config.web?.publicAddress ?? null;
  const running = await startBot({ ...config, redis, clock, log, webAddress });
  closers.push(() => running.stop());
  running.lost.catch((error: unknown) => {
    const known = explain(error);
    log.fatal(known ? {} : fault(error), known?.message ?? 'The bot cannot go on.');
    void stop(known?.code ?? exitCodes.software);
  });
  if (stopping) return;
  const jobs = openJobs(running);
  const backups = { ...running, folder: config.backupDir ?? '' };
  const nightly = { name: 'backup', run: () => makeNightly(backups) };
  const minutely = config.backupDir === undefined ? jobs.minutely : [...jobs.minutely, nightly];
  closers.push(runJobs({ ...jobs, minutely }, running, clock));
  if (web) web.serve(served({ ...running, ...config, clock }));
  const { client, store } = running;
  log.info(
    { guilds: client.guilds.cache.size, [server.engine.toLowerCase()]: server.version },
    `Frontpage is on. Add it to a server with ${inviteLink(store.applicationId)}`,
  );
  void tellServiceManager('READY=1', 'STATUS=Frontpage is on.');
  log.info(
    `Optional permissions, for what a server wants of them: ${permissionNames(OPTIONAL_PERMISSIONS)('en')}.`,
  );
}

async function redisUrl({ redisUrl, dataDir, appendFsync }: Config, log: Log): Promise<string> {
  if (redisUrl !== undefined) return redisUrl;
  const starting = startPrivateServer({ dataDir, log, appendFsync });
  // If the bot must stop during the start, it must not leave the server running.
  closers.push(() =>
    starting.then(
      (server) => server.stop(),
      () => {},
    ),
  );
  return (await starting).url;
}

/** `reason`: a sentence for the host if the bot could not start. It is the last line. */
function stop(code: number, reason?: string): Promise<void> {
  stopping ??= (async () => {
    const deadline = setTimeout(() => {
      log.warn('Something did not end in time.');
      process.exit(code);
    }, SHUTDOWN_MS);
    const status = reason === undefined ? [] : [`STATUS=Frontpage cannot start: ${reason}`];
    const told = tellServiceManager('STOPPING=1', ...status);
    // A second signal or a failing closer must not interrupt the orderly end.
    for (let close = closers.pop(); close; close = closers.pop()) {
      try {
        await close();
      } catch (error) {
        log.warn(fault(error), 'Something did not end well.');
      }
    }
    await told;
    clearTimeout(deadline);
    if (reason === undefined) log.info('Frontpage is off.');
    else console.error(`Frontpage cannot start: ${reason}`);
    process.exit(code);
  })();
  return stopping;
}

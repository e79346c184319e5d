import { lookup } from 'node:dns/promises';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { ApplicationFlagsBitField, REST, Routes } from 'discord.js';
import { z } from 'zod';
import { type Config, loadConfig } from './config.ts';
import { readAnswer } from './discord/api-errors.ts';
import { openSocket } from './discord/gateway/through-proxy.ts';
import { openDiscordClock } from './discord/requests/discord-clock.ts';
import { limitAnswers, refuseForeignAnswers } from './discord/requests/rest-hooks.ts';
import { explain } from './explain.ts';
import { awaitLoaded, connectRedis } from './redis/connection.ts';
import { findServerBinary } from './redis/private-server/binary.ts';
import { findPrivateServer } from './redis/private-server/private-server.ts';
import { checkServer } from './redis/startup-checks/check-server.ts';
import { sharedKeys } from './redis/store-keys.ts';
import { CannotStart, codeOfFolder, exitCodes } from './runtime/cannot-start.ts';
import { startClock } from './runtime/clock.ts';
import { freeBytes } from './runtime/free-bytes.ts';
import { createLog } from './runtime/log.ts';
import { zSnowflake } from './runtime/snowflake.ts';
import { build } from './runtime/version.ts';

// `npm start -- check`: tries what a start needs, and changes nothing. One line each; the exit code is that of the
// first line that a start would end with, or 0.

/** Worth a line, though a start goes on. */
class Worth extends Error {}

/** How much room is worth a line: Redis writes its whole file anew beside the old one. */
const LITTLE_ROOM_MB = 500;
const ANSWER_MS = 10_000;

const zWho = z.object({ id: zSnowflake, name: z.string(), flags: z.int().optional() });

const zGateway = z.object({ url: z.url() });

let code = 0;

async function line(what: string, attempt: () => Promise<string>): Promise<void> {
  try {
    console.log(`✓ ${what}: ${await attempt()}`);
  } catch (error) {
    if (error instanceof Worth) return console.log(`! ${what}: ${error.message}`);
    const known = explain(error);
    console.log(`✗ ${what}: ${known?.message ?? (error as Error).message}`);
    code ||= known?.code ?? exitCodes.software;
  }
}

const outcome = loadConfig();
if (outcome.status === 'faulty') {
  for (const fault of outcome.faults) console.log(`✗ Settings: ${fault}`);
  process.exitCode = exitCodes.config;
} else {
  await check(outcome);
  process.exitCode = code;
}

async function check({ config, notes, proxy }: Extract<typeof outcome, { status: 'ok' }>) {
  console.log(`✓ Program: Frontpage ${build} on Node ${process.versions.node}.`);
  for (const note of notes) console.log(`! Settings: ${note}`);
  if (notes.length === 0) console.log('✓ Settings: all of them are understood.');
  if (proxy) console.log(`${proxy.isUsed ? '✓' : '!'} Proxy: ${proxy.sentence}`);
  const discord = openDiscord(config);
  let application: z.infer<typeof zWho> | null = null;
  await line('Token', async () => {
    application = await discord.who();
    return `Discord accepts it, as that of the application ${application.name} (${application.id}).`;
  });
  if (application !== null) {
    await line('Intents', async () => judgeIntents(config, application!.flags ?? 0));
    await line('Gateway', async () => tryGateway(await discord.gateway()));
    await line('Clock', async () => judgeClock(discord.clock.offSeconds()));
  }
  await line('Redis', () => tryRedis(config, application?.id ?? '0'));
  if (config.redisUrl === undefined)
    await line('Folder', () => tryFolder('DATA_DIR', config.dataDir));
  const { backupDir } = config;
  if (backupDir !== undefined) await line('Backups', () => tryFolder('BACKUP_DIR', backupDir));
  for (const [name, address] of [
    ['WEB_PORT', config.web],
    ['METRICS_PORT', config.web?.monitoring],
  ] as const) {
    if (address !== undefined) await line(name, () => tryPort(address));
  }
  const address = config.web?.publicAddress;
  if (address !== undefined) await line('WEB_URL', () => tryAddress(address));
}

function openDiscord({ apiBase, token, clockOffsetFile }: Config) {
  const rest = new REST({ api: apiBase, retries: 0 }).setToken(token);
  limitAnswers(rest, ANSWER_MS);
  refuseForeignAnswers(rest);
  const clock = openDiscordClock(startClock(clockOffsetFile), createLog('silent'));
  clock.follow(rest);
  // The offset is read, and this process ends soon.
  clock.stop();
  return {
    clock,
    who: async () => readAnswer(zWho, await rest.get(Routes.currentApplication())),
    gateway: async () => readAnswer(zGateway, await rest.get(Routes.gateway())).url,
  };
}

function judgeIntents({ messageContent }: Config, bits: number): string {
  const { GatewayMessageContent: large, GatewayMessageContentLimited: small } =
    ApplicationFlagsBitField.Flags;
  const isOn = (bits & (large | small)) !== 0;
  if (messageContent && !isOn) {
    throw new CannotStart(
      'MESSAGE_CONTENT=on, and Discord does not allow it: switch on Message Content Intent at https://discord.com/developers/applications (page Bot), or write MESSAGE_CONTENT=off.',
      'config',
    );
  }
  if (messageContent) return 'Message Content is on, here and at Discord.';
  if (!isOn) return 'Message Content is off, so that links are posted with /post alone.';
  throw new Worth('Message Content is on at Discord, and has no use without MESSAGE_CONTENT=on.');
}

/** It greets whoever connects, before anybody logs in. */
async function tryGateway(url: string): Promise<string> {
  const socket = openSocket(`${url}/?v=10&encoding=json`);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('message', () => resolve());
      socket.on('error', reject);
      socket.once('close', (closeCode) => reject(new Error(`it hung up with ${closeCode}`)));
      setTimeout(reject, ANSWER_MS, new Error('no answer in 10 s')).unref();
    });
    return `${url} answers.`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CannotStart(
      `${url} cannot be used (${code ?? message}): see whether a firewall or a proxy is in the way.`,
      'unavailable',
    );
  } finally {
    socket.terminate();
  }
}

/** A difference that the bot takes for none is 0 here, too. */
function judgeClock(offSeconds: number): string {
  const seconds = Math.round(Math.abs(offSeconds));
  if (seconds === 0) return "this machine's is right.";
  throw new Worth(
    `this machine's is ${seconds} s ${offSeconds > 0 ? 'ahead' : 'behind'}: type  timedatectl set-ntp true`,
  );
}

async function tryRedis({ redisUrl, dataDir }: Config, application: string): Promise<string> {
  const url = redisUrl ?? (await findPrivateServer(dataDir));
  if (url === null) {
    const { command, version } = findServerBinary();
    return `the bot starts one of its own, of version ${version} (the program ${command}).`;
  }
  const log = createLog('silent');
  const redis = connectRedis(url, { log, name: 'frontpage-check' });
  try {
    // A start waits for it, too.
    await awaitLoaded(redis, log);
    const { engine, version, warnings } = await checkServer(redis);
    const { probe } = sharedKeys({ applicationId: application });
    await redis.set(probe, '1', 'PX', 1000);
    if (warnings.length > 0) throw new Worth(warnings.join(' '));
    const whose = redisUrl === undefined ? 'the one of the bot that runs' : 'that of REDIS_URL';
    return `${whose}, ${engine} ${version}, takes writes and permits all that Frontpage needs.`;
  } finally {
    redis.disconnect();
  }
}

/** The folder itself, or the one in which it will be made. */
async function tryFolder(variable: string, path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const { code: why } = error as NodeJS.ErrnoException;
      if (why === 'ENOENT' && folder !== dirname(folder)) continue;
      throw new CannotStart(
        `${folder} cannot be used by this user (${why}): set ${variable} to a folder that this user may write to.`,
        codeOfFolder(why),
      );
    }
    const megabytes = Math.floor(freeBytes(folder) / 1e6);
    const room = `${megabytes} MB are free.`;
    if (megabytes < LITTLE_ROOM_MB) throw new Worth(`${path} has little room: ${room}`);
    return `${path} can be written, and ${room}`;
  }
}

async function tryPort({ host, port }: { host: string; port: number }): Promise<string> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return `${port} is free.`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' && (await isFrontpage(host, port))) {
      return `${port} is Frontpage's own, which runs.`;
    }
    throw error;
  } finally {
    server.close();
  }
}

async function isFrontpage(host: string, port: number): Promise<boolean> {
  const isAny = host === '0.0.0.0' || host === '::';
  const at = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(`http://${at}:${port}/healthz`, { signal }).catch(() => null);
  return (await answer?.text()) === 'ok\n';
}

/** Whatever answers there, since a proxy before the bot has no page while the bot is off. */
async function tryAddress(address: string): Promise<string> {
  const { hostname } = new URL(address);
  try {
    await lookup(hostname.replace(/^\[|\]$/g, ''));
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { status } = await fetch(address, { redirect: 'manual', signal });
    return `something answers there (status ${status}).`;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    const why = cause?.code ?? (error as NodeJS.ErrnoException).code ?? message;
    throw new Worth(
      `nothing answers this machine at ${address} (${why}): look at the name, the proxy and its certificate.`,
    );
  }
}

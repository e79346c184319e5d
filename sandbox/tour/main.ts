import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startClock } from '../../src/runtime/clock.ts';
import { startBotProcess } from './bot/bot-process.ts';
import { botIsReady } from './bot/bot-ready.ts';
import { samePort } from './bot/free-port.ts';
import { setUp } from './bot/set-up.ts';
import { INVITE_PERMISSIONS } from './community/community.ts';
import { forgetWorld } from './community/saved-world.ts';
import { awaitFirstVisit } from './first-visit.ts';
import { type Language, languageOf } from './languages/languages.ts';
import { openBrowser } from './prepare/open-browser.ts';
import { ensureRedis } from './prepare/prepare.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

const usage = `npm run sandbox -- [options]

  --empty            a server that the bot has just joined, without articles and messages
  --links            the same with two months of links that were posted before the bot came
  --fresh            delete the saved world first
  --language <code>  what a new world speaks, such as de or zh-CN; usually your browser's language
  --inside           show also what Redis holds, the bot's requests, a crowd, the clock and troubles
  --port <number>    the page's port, usually 4790
  --no-open          do not open the browser`;

const options = readOptions();
if (options.help === true) {
  console.log(usage);
  process.exit(0);
}

/** About as long as Discord needs to make a preview. */
const PREVIEW_DELAY_MS = 700;
const USUAL_PORT = 4790;
const past = options.empty === true ? 'empty' : options.links === true ? 'links' : 'month';
/** Each kind of world has its own files, clock and Redis, so that none moves another. */
const folder = resolve(past === 'month' ? 'data/sandbox' : `data/sandbox-${past}`);
const files = {
  world: join(folder, 'world.json'),
  clock: join(folder, 'clock-offset'),
  running: join(folder, 'running.json'),
  webPort: join(folder, 'web-port'),
};

// Only this user may read the files.
process.umask(0o077);
try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  await ensureRedis();
  const other = await runningAddress();
  if (other !== undefined) {
    throw new Error(`A sandbox is already running here: ${other}\nEnd it first.`);
  }
  mkdirSync(folder, { recursive: true });
  if (options.fresh === true) {
    forgetWorld(files.world);
    rmSync(files.clock, { force: true });
  }
  const first = await firstVisit();
  console.log('  Building a Discord…');
  const clock = startClock(files.clock);
  const sandbox = await startOnFreePort(first.port, {
    language: first.language,
    inside: options.inside ?? false,
    clock,
    clockFile: files.clock,
    saveFile: files.world,
    botData: folder,
    botPermissions: INVITE_PERMISSIONS,
    past,
    phase: 'bot',
    privileged: { messageContent: true },
    previewDelayMs: PREVIEW_DELAY_MS,
  });
  const webPort = await samePort(files.webPort);
  // In the other worlds, an admin has to open the page first.
  if (past === 'month') {
    sandbox.tour.setWebPage(`http://127.0.0.1:${webPort}/g/${sandbox.guildId}`);
  }
  console.log('  Starting the bot…');
  const bot = startBotProcess({
    DISCORD_TOKEN: sandbox.token,
    DISCORD_TOKEN_FILE: '',
    DISCORD_API_BASE: sandbox.apiBase,
    // Never the Redis of the real bot, whatever .env says: an empty value is no value.
    REDIS_URL: '',
    DATA_DIR: folder,
    CLOCK_OFFSET_FILE: files.clock,
    MESSAGE_CONTENT: 'on',
    WEB_PORT: String(webPort),
    WEB_HOST: '127.0.0.1',
    WEB_PICTURES: 'on',
    WEB_URL: `http://127.0.0.1:${webPort}`,
    // The page shows what matters. A bot that cannot start logs the reason as an error.
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  });

  const { address, applicationId } = sandbox;
  writeFileSync(files.running, JSON.stringify({ address, applicationId, botPid: bot.pid }));

  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    await bot.stop();
    await sandbox.stop();
    clock.stop();
    rmSync(files.running, { force: true });
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end(0));
  }
  void bot.ended.then(({ code, signal }) => {
    if (ending) return;
    console.error(
      `The bot ended by itself (${signal ?? `exit code ${code}`}): see what it said above.`,
    );
    void end(1);
  });

  await Promise.race([
    bot.ended,
    botIsReady(sandbox, () => {
      console.log('  The bot is online and reads what was posted before…');
      sandbox.tour.setPhase('reading');
      sandbox.inviteBot();
    }),
  ]);
  if (ending) return;
  // The other worlds are set up by the person who tries them.
  if (sandbox.toSetUp()) {
    console.log('  Setting up the digest and the page on the web…');
    sandbox.tour.setPhase('set-up');
    // What is not done to its end is done by the next start.
    await setUp(sandbox, { hasWeb: true }).then(sandbox.noteSetUp, (error: Error) =>
      console.error(error.message),
    );
  }
  sandbox.tour.setPhase(null);
  console.log(`\n  Frontpage's sandbox is at ${sandbox.address}\n  Ctrl-C ends it.\n`);
  if (options['no-open'] !== true && first.port === undefined) openBrowser(sandbox.address);
}

/**
 * A new world waits for the first browser and speaks its language, unless the command line names one.
 * `port` is where that browser waits.
 */
async function firstVisit(): Promise<{ language: Language; port: number | undefined }> {
  const { language } = options;
  if (language !== undefined) return { language: languageOf(language), port: undefined };
  // Its world has a language already.
  if (existsSync(files.world)) return { language: languageOf(undefined), port: undefined };
  const visit = await onFreePort(awaitFirstVisit);
  writeFileSync(files.running, JSON.stringify({ address: visit.address }));
  const forget = (): void => rmSync(files.running, { force: true });
  const end = (): void => {
    forget();
    process.exit(0);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  console.log(`\n  Open ${visit.address} in your browser: the sandbox speaks its language.\n`);
  if (options['no-open'] !== true) openBrowser(visit.address);
  const wished = await visit.language;
  await visit.stop();
  for (const signal of signals) process.off(signal, end);
  return { language: wished, port: Number(new URL(visit.address).port) };
}

/** The options of the command line. Ends the process if one is wrong. */
function readOptions() {
  const flag = { type: 'boolean' } as const;
  try {
    const { values } = parseArgs({
      options: {
        empty: flag,
        links: flag,
        fresh: flag,
        inside: flag,
        language: { type: 'string' },
        port: { type: 'string' },
        'no-open': flag,
        help: flag,
      },
    });
    const { port = '0' } = values;
    if (!/^\d+$/.test(port) || Number(port) > 65_535) throw new Error(`${port} is not a port.`);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(64);
  }
}

/** Where the first browser waits, or else on the usual port, or else on a free one. */
async function startOnFreePort(
  known: number | undefined,
  rest: Parameters<typeof startSandbox>[0],
): Promise<Sandbox> {
  if (known !== undefined) return startSandbox({ ...rest, port: known });
  return onFreePort((port) => startSandbox({ ...rest, port }));
}

async function onFreePort<Server>(start: (port: number) => Promise<Server>): Promise<Server> {
  try {
    return await start(Number(options.port ?? USUAL_PORT));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (options.port === undefined) return start(0);
    throw new Error(`The port ${options.port} is taken: name another one.`, { cause: error });
  }
}

/** `applicationId`: undefined while the sandbox waits for its first visitor. */
type Running = { address: string; applicationId?: string };

/** The address of another running sandbox with the same data. */
async function runningAddress(): Promise<string | undefined> {
  try {
    const file = readFileSync(files.running, 'utf8');
    const { address, applicationId } = JSON.parse(file) as Running;
    const response = await fetch(`${address}/sandbox/community`, {
      signal: AbortSignal.timeout(1000),
    });
    const { bot } = (await response.json()) as { bot?: { id: string } };
    // A world that was killed leaves its file, and another one may have its port by now.
    return bot?.id === applicationId ? address : undefined;
  } catch {
    return undefined;
  }
}

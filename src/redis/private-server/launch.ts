import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { CannotStart, cannotUse } from '../../runtime/cannot-start.ts';
import type { Log } from '../../runtime/log.ts';
import { freeBytes } from '../../runtime/free-bytes.ts';
import { storeKeys } from '../store-keys.ts';
import { scanKeys } from '../scan.ts';
import type { ServerBinary } from './binary.ts';
import type { FileLock } from './bot-lock.ts';
import { type AppendFsync, serverConfig } from './server-config.ts';
import {
  copyAside,
  cutDamage,
  lookForData,
  putBack,
  removeData,
  writerOfData,
} from './data-files.ts';
import { socketOf } from './folder.ts';
import { findServersIn, probe, type Server } from './probe.ts';

/** The folder of a server, which this bot alone uses, and how it starts the server. */
export type Home = {
  /** An absolute path without links, with all that the server writes. */
  folder: string;
  lock: FileLock;
  binary: ServerBinary;
  appendFsync: AppendFsync;
  log: Log;
  /** Aborted when the bot is stopping. */
  stopping: AbortController;
};

/** A server that begins or ends, or a child of one that was killed, may be there a little longer. */
const ANSWER_WAIT_MS = 10_000;
const END_WAIT_MS = 4000;
const POLL_MS = 20;
/** A server that begins needs less, and a disk with less than this is full for a person. */
const LEAST_FREE_BYTES = 1024 * 1024;
const LARGEST_LOG_BYTES = 10 * 1024 * 1024;

/** In all data of a private server since its first start. */
const STARTED_KEY = 'frontpage:started';

const configPath = (folder: string) => join(folder, 'redis.conf');
const logPath = (folder: string) => join(folder, 'server.log');

/**
 * Returns the folder's server with its data loaded: one that already runs, or a new one, which is
 * started where no other works in the folder. The caller is the folder's only bot. Throws if another
 * process is in the way, or our server does not answer.
 */
export async function openServer(home: Home): Promise<Server> {
  const { folder, appendFsync } = home;
  const isFree = async () => (await findServersIn(folder)).length === 0;
  const found = await awaitServer(home, isFree);
  if (found === null) return launch(home);
  // The only one of its settings that a host can change.
  await found.connection.config('SET', 'appendfsync', appendFsync);
  return found;
}

/**
 * Waits for the folder's server, and for as long as it loads its data. Null: nobody answers, and nobody
 * will. Throws if another process is in the way, or if the server does not answer.
 */
async function awaitServer(
  { folder, stopping }: Home,
  isNobodyLeft: () => boolean | Promise<boolean>,
): Promise<Server | null> {
  let sinceMs = performance.now();
  for (;;) {
    const answer = await probe(folder);
    if (answer.status === 'ours') {
      if (!answer.server.loading) return answer.server;
      answer.server.connection.disconnect();
      sinceMs = performance.now();
    } else if (answer.status === 'nobody' && (await isNobodyLeft())) {
      return null;
    }
    if (performance.now() - sinceMs > ANSWER_WAIT_MS || stopping.signal.aborted) {
      throw await inTheWay(folder, answer.status === 'stranger' ? answer.pid : null);
    }
    await pause(POLL_MS);
  }
}

/**
 * Starts a server on the data. If the server starts only without the data, the data is damaged: a
 * damaged end is cut off, and other data is set aside.
 */
async function launch(home: Home): Promise<Server> {
  const { folder, binary, log, stopping } = home;
  const data = await lookForData(folder);
  const isFirst = !existsSync(configPath(folder));
  let reason: unknown;
  // Without its list of files, a server would begin anew over them.
  if (data !== 'without manifest') {
    try {
      const server = await startServer(home);
      // A file system can leave an empty file after a power cut.
      if (!server.hadData && !isFirst) log.error({ folder }, dataIsGone);
      return server;
    } catch (error) {
      // The next start would take it that the data of this one is gone.
      if (isFirst) await rm(configPath(folder), { force: true });
      if (stopping.signal.aborted || data === 'none' || !(error instanceof ServerEnded))
        throw error;
      reason = error;
    }
  }
  const copy = await copyAside(folder);
  await cutDamage(folder, binary);
  const server = reason !== undefined && (await startServer(home).catch(() => null));
  if (!server) return startEmpty(home, copy, reason);
  await askForRebuild(server.connection);
  log.error(
    { copy },
    'The data had a damaged end, as after a power cut, which was cut off. Articles and votes are read again from Discord. Settings and digests are as they were before the damage; docs/recovery.md says how to restore newer ones.',
  );
  return server;
}

export const dataIsGone =
  'The data of an earlier start is gone. Articles and votes are read again from Discord. Settings and digests are not in Discord: docs/recovery.md says how to restore them.';

async function startEmpty(home: Home, copy: string, reason: unknown): Promise<Server> {
  const { folder, log } = home;
  await removeData(folder);
  const server = await startServer(home).catch(async (error: unknown) => {
    await putBack(copy, folder);
    throw reason ?? error;
  });
  log.error(
    { copy },
    'The data could not be read and was set aside. Articles and votes are read again from Discord. Settings and digests are not in Discord: docs/recovery.md says how to restore them.',
  );
  return server;
}

/** A guild without its key `complete` is read again from Discord (see `store-keys.ts`). */
async function askForRebuild(redis: Redis): Promise<void> {
  for await (const keys of scanKeys(redis, storeKeys({ applicationId: '*' }, '*').complete))
    await redis.del(keys);
}

/**
 * Starts a server and waits until it has loaded its data.
 * It is detached, so that Ctrl-C in a terminal reaches the bot alone.
 */
async function startServer(home: Home): Promise<Server & { hadData: boolean }> {
  const { folder, binary } = home;
  const log = await writeFiles(home);
  const child = spawnPrivately(binary, folder, log.fd);
  // Listen before the first wait, since a server may end at once.
  const exited = once(child, 'exit') as Promise<Exit>;
  let isGone = false;
  exited.then(
    () => (isGone = true),
    () => {},
  );
  await once(child, 'spawn')
    .catch(({ message }: Error) => {
      const reason = `The private Redis server did not start: ${message}.`;
      throw new CannotStart(reason, 'unavailable');
    })
    .finally(() => log.close());
  const server = await awaitServer(home, () => isGone).catch(() => null);
  if (server === null) {
    child.kill('SIGKILL');
    throw await didNotStart(home, await exited);
  }
  child.unref(); // The child must not keep the bot's process alive.
  const before = await server.connection.set(STARTED_KEY, '', 'GET').catch(() => '');
  return { ...server, hadData: before !== null };
}

/** Returns the file of the server's log. */
async function writeFiles({ folder, appendFsync, binary }: Home): Promise<FileHandle> {
  try {
    // A new file: who opened the old one while the folder stood open can still write to that.
    const config = configPath(folder);
    await rm(`${config}.new`, { force: true });
    const text = serverConfig(appendFsync, binary.version);
    await writeFile(`${config}.new`, text, { flag: 'wx', mode: 0o600 });
    await rename(`${config}.new`, config);
    const entry = await stat(logPath(folder)).catch(() => null);
    const isFull = entry !== null && entry.size > LARGEST_LOG_BYTES;
    if (isFull) await rename(logPath(folder), `${logPath(folder)}.1`);
    return await open(logPath(folder), 'a', 0o600);
  } catch (error) {
    throw cannotUse(folder, error);
  }
}

/** Only this user can read the files of the server. */
function spawnPrivately(binary: ServerBinary, folder: string, log: number): ChildProcess {
  const before = process.umask(0o077);
  try {
    return spawn(binary.command, [configPath(folder)], {
      argv0: binary.argv0,
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    process.umask(before);
  }
}

/** Ends a folder's server and waits until its process is gone. Acknowledged writes are on the disk. */
export async function endServer(folder: string, server: Server): Promise<void> {
  // Only its connection may have ended: then it still answers.
  for (let one: Server | null = server; one !== null; ) {
    await shutDown(one);
    const answer = await probe(folder);
    one = answer.status === 'ours' ? answer.server : null;
  }
  // The process, and its children, may end later.
  const deadline = performance.now() + END_WAIT_MS;
  let left = await findServersIn(folder);
  while (left.length > 0 && performance.now() < deadline) {
    await pause(POLL_MS);
    left = await findServersIn(folder);
  }
  left.forEach(kill);
}

/** Returns when the server ends, or its connection alone. */
async function shutDown({ connection, pid, ended }: Server): Promise<void> {
  // The answer is the end of the connection.
  connection.shutdown('NOSAVE').catch(() => {});
  // While its connection is open, this process id is still the server's.
  const hung = setTimeout(() => kill(pid), END_WAIT_MS);
  await ended;
  clearTimeout(hung);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {} // It has just ended.
}

/** Another server ends at SIGTERM; our own server that hangs needs SIGKILL. */
async function inTheWay(folder: string, stranger: number | null): Promise<CannotStart> {
  const socket = socketOf(folder);
  const [hung = null] = await findServersIn(folder);
  const pid = stranger ?? hung;
  const [name, cure] =
    pid === null
      ? ['A process', `Find it with  lsof ${socket}  and end it`]
      : [`A Redis server (process ${pid})`, `End it with  kill ${stranger ? '' : '-9 '}${pid} `];
  return new CannotStart(
    `${name} is in the way at ${socket} and does not answer as Frontpage's own server. ${cure} and start again; what Redis acknowledged is on the disk.`,
    'temporary',
  );
}

type Exit = [code: number | null, signal: NodeJS.Signals | null];

async function didNotStart({ folder, binary }: Home, [code, signal]: Exit): Promise<CannotStart> {
  const lines = (await readFile(logPath(folder), 'utf8')).trimEnd().split('\n').slice(-5);
  // On a full disk the server cannot even write why it ended.
  const isFull = freeBytes(folder) < LEAST_FREE_BYTES;
  if (isFull || lines.some((line) => line.includes('No space left on device'))) {
    return cannotUse(folder, { code: 'ENOSPC' });
  }
  // Such data is whole, and must not be taken for damaged.
  if (lines.some((line) => /Can't handle (\w+ )?RDB format version/.test(line))) {
    const writer = (await writerOfData(folder)) ?? 'a newer server';
    return new CannotStart(
      `The data in ${folder} was written by ${writer}, and the server that was found here (${binary.command}, version ${binary.version}) is older: install the newer one again. Or move ${folder} away, start, and restore a backup (docs/recovery.md).`,
      'config',
    );
  }
  const isEnded = code === 0 || signal === 'SIGKILL' || signal === 'SIGTERM';
  const Kind = isEnded ? CannotStart : ServerEnded;
  return new Kind(
    `The private Redis server did not start: it ended with ${signal ?? `code ${code}`}.\nThe last lines of ${logPath(folder)}:\n${lines.join('\n')}`,
    'unavailable',
  );
}

/** The server ended by itself while it started, which may be because of its data. */
class ServerEnded extends CannotStart {}

import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../log.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { findServerBinary, missingServerMessage, type ServerBinary } from './binary.ts';
import { type AppendFsync, serverConfig } from './config.ts';
import {
  configPath,
  endServer,
  findOrphan,
  launchServer,
  type ServerProcess,
  ServerUnavailable,
} from './process.ts';
import { readRecord, recogniseServer, removeRecord, writeRecord } from './record.ts';
import { superviseServer } from './supervisor.ts';
import { findSocketPlace, leaveSocketPlace } from './socket.ts';

export { findServerBinary, missingServerMessage, ServerUnavailable };

export type PrivateServer = {
  /** The socket's path, for `connectRedis`. It stays the same when the server is started again. */
  url: string;
  /** The server's process as it is now. */
  pid(): number;
  /** Ends the server, waits until its process is gone, and lets go of the folder. */
  stop(): Promise<void>;
};

/**
 * Starts a Redis server of our own with its data in `dataDir`/redis, or finds the one that a killed
 * bot left there, and keeps it running until `stop`. What it acknowledged survives the end of any
 * process; with `appendFsync: 'always'` a power cut as well, which otherwise costs the last second.
 *
 * Throws `ServerUnavailable`, whose message is for the person who hosts the bot, when there is no
 * program to run, another bot uses the folder, or the server does not start.
 */
export async function startPrivateServer(options: {
  dataDir: string;
  log: Log;
  appendFsync?: AppendFsync;
}): Promise<PrivateServer> {
  const { dataDir, log, appendFsync = 'everysec' } = options;
  const search = await findServerBinary();
  if (search.status === 'missing') throw new ServerUnavailable(missingServerMessage(search.tooOld));
  const folder = await makeFolder(dataDir);
  const lock = await lockFolder(folder, log);
  try {
    return await run({ folder, appendFsync, binary: search.binary, lock, log });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The address of the private server that a running bot has on `dataDir`; null where there is none. */
export async function findPrivateServer(dataDir: string): Promise<string | null> {
  const folder = await realpath(join(dataDir, 'redis')).catch(() => null);
  const record = folder === null ? null : await readRecord(folder);
  if (folder === null || record === null) return null;
  const server = await recogniseServer(folder, record);
  server?.connection.disconnect();
  return server === null ? null : record.socket;
}

type Setup = {
  folder: string;
  appendFsync: AppendFsync;
  binary: ServerBinary;
  lock: FileLock;
  log: Log;
};

async function run({ folder, appendFsync, binary, lock, log }: Setup): Promise<PrivateServer> {
  const orphan = await adopt(folder, appendFsync, log);
  const socket = orphan?.record.socket ?? (await findSocketPlace(folder));
  const launch = { folder, socket, config: serverConfig({ folder, socket, appendFsync }), binary };
  const server = orphan ?? (await launchServer(launch));
  const supervisor = superviseServer(server, launch, log);
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await supervisor.stop();
    await removeRecord(folder);
    await leaveSocketPlace(socket);
    await lock.release();
  }
  return {
    url: socket,
    pid: () => supervisor.current().record.pid,
    stop: () => (stopped ??= stop()),
  };
}

/** The orphan in the folder, unless it runs with the settings of an older version of the bot. */
async function adopt(
  folder: string,
  appendFsync: AppendFsync,
  log: Log,
): Promise<ServerProcess | null> {
  const orphan = await findOrphan(folder);
  if (orphan === null) return null;
  const { record } = orphan;
  const wanted = serverConfig({ folder, socket: record.socket, appendFsync });
  const present = await readFile(configPath(folder), 'utf8').catch(() => null);
  if (present !== wanted) {
    log.info(
      { pid: record.pid },
      'The private Redis server has old settings: it is started again.',
    );
    await endServer(folder, orphan);
    return null;
  }
  await writeRecord(folder, record);
  log.info({ pid: record.pid }, 'The private Redis server that an earlier start left is used.');
  return orphan;
}

async function makeFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'redis');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await realpath(folder);
  } catch (error) {
    const { message } = error as Error;
    throw new ServerUnavailable(
      `The folder ${folder} cannot be made (${message}): set DATA_DIR to one that this user may write to.`,
    );
  }
}

/** One bot at a time: each would end the server under the other. */
async function lockFolder(folder: string, log: Log): Promise<FileLock> {
  const path = join(folder, 'bot.lock');
  const outcome = await lockFile(path);
  if (outcome.status === 'held') {
    const holder = (await readFile(path, 'utf8')).trim() || 'unknown';
    throw new ServerUnavailable(
      `Another Frontpage (process ${holder}) uses the data in ${dirname(folder)}: end it first, or set another DATA_DIR for this one.`,
    );
  }
  if (outcome.status === 'unguarded') {
    log.warn('Neither flock nor perl is here, so that a second Frontpage cannot be kept away.');
  }
  await writeFile(path, `${process.pid}\n`);
  return outcome.lock;
}

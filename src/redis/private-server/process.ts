import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lockFile } from './file-lock.ts';
import type { ServerBinary } from './binary.ts';
import { type KnownServer, readRecord, recogniseServer, writeRecord } from './record.ts';
import { claimFolder, leaveSocketPlace } from './socket.ts';

/** Why there is no private server, in words for the person who hosts the bot. */
export class ServerUnavailable extends Error {
  override name = 'ServerUnavailable';
}

/** A running private server. One that was adopted is no child of ours. */
export type ServerProcess = KnownServer & { child?: ChildProcess };

export type Launch = {
  /** An absolute path without links, with all that the server writes. */
  folder: string;
  socket: string;
  config: string;
  binary: ServerBinary;
};

/** A server that was killed holds its lock until a fork of it has noticed. */
const lockWaitMs = 60_000;
const answerWaitMs = 15_000;
const endWaitMs = 4000;
const pollMs = 20;
const largestLogBytes = 10 * 1024 * 1024;

export const configPath = (folder: string) => join(folder, 'redis.conf');
const lockPath = (folder: string) => join(folder, 'server.lock');
const logPath = (folder: string) => join(folder, 'server.log');

/**
 * Starts a server and waits until it has loaded its data.
 * It is detached, so that Ctrl-C in a terminal reaches the bot alone, and it holds the lock of its
 * folder for as long as it lives, so that no second one ever writes there.
 */
export async function launchServer(launch: Launch, signal?: AbortSignal): Promise<ServerProcess> {
  const { folder, socket, config, binary } = launch;
  if (!(await claimFolder(dirname(socket)))) {
    throw new ServerUnavailable(`The folder ${dirname(socket)} belongs to somebody else.`);
  }
  const outcome = await lockFile(lockPath(folder), lockWaitMs, signal);
  if (outcome.status === 'held') throw stillHeld(folder);
  await writeFile(configPath(folder), config, { mode: 0o600 });
  const log = await openLog(folder);
  const child = spawn(binary.command, [configPath(folder)], {
    argv0: binary.argv0,
    cwd: folder,
    detached: true,
    stdio: ['ignore', log.fd, log.fd, outcome.lock.fd],
  });
  const exited = exitOf(child);
  await Promise.all([log.close(), outcome.lock.release()]);
  try {
    const server = child.pid && (await untilReady(launch, child.pid, exited, signal));
    if (server) {
      await writeRecord(folder, server.record);
      child.unref(); // A bot that ends without ending the server is not held up by it.
      return { ...server, child };
    }
    child.kill('SIGKILL');
  } catch (error) {
    child.kill('SIGKILL'); // A server without a record would never be found again.
    throw error;
  }
  const end = await exited;
  await leaveSocketPlace(socket);
  throw new ServerUnavailable(
    `The private Redis server did not start: ${end}.\nThe last lines of ${logPath(folder)}:\n${await lastLines(folder)}`,
  );
}

/** Null when the server ended, never answered, or is wanted no longer. */
async function untilReady(
  { folder, socket }: Launch,
  pid: number,
  exited: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<KnownServer | null> {
  await writeRecord(folder, { pid, socket, runId: null });
  const gone = new AbortController();
  void exited.then(() => gone.abort());
  let deadline = performance.now() + answerWaitMs;
  for (;;) {
    const server = await recogniseServer(folder, { pid, socket, runId: null });
    if (server !== null && !server.loading) return server;
    if (server !== null) {
      server.connection.disconnect();
      deadline = performance.now() + answerWaitMs; // It may load for as long as it must.
    }
    if (gone.signal.aborted || signal?.aborted || performance.now() > deadline) return null;
    await pause(pollMs);
  }
}

/**
 * The server that an earlier bot left behind, once it has loaded its data, or null.
 * Throws while something else holds the folder: starting a second server would spoil the data.
 */
export async function findOrphan(folder: string): Promise<ServerProcess | null> {
  const record = await readRecord(folder);
  let deadline = performance.now() + lockWaitMs;
  for (;;) {
    const server = record === null ? null : await recogniseServer(folder, record);
    if (server !== null && !server.loading) return server;
    if (server !== null) {
      server.connection.disconnect();
      deadline = performance.now() + lockWaitMs;
    } else {
      const outcome = await lockFile(lockPath(folder));
      if (outcome.status !== 'held') {
        await outcome.lock.release();
        return null;
      }
    }
    if (performance.now() > deadline) throw stillHeld(folder);
    await pause(pollMs);
  }
}

/** Ends a server and waits until its process is gone. What it acknowledged is on the disk. */
export async function endServer(folder: string, server: ServerProcess): Promise<void> {
  const { connection, record, ended } = server;
  // The answer is the end of the connection.
  connection.shutdown('NOSAVE').catch(() => {});
  const hung = await Promise.race([
    ended.then(() => false),
    pause(endWaitMs, true, { ref: false }),
  ]);
  // Its connection is open, so this process id is still the server's.
  if (hung) process.kill(record.pid, 'SIGKILL');
  await ended;
  const { child } = server;
  if (child !== undefined) {
    child.ref();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return;
  }
  const outcome = await lockFile(lockPath(folder), endWaitMs);
  if (outcome.status !== 'held') await outcome.lock.release();
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`));
  });
}

function stillHeld(folder: string): ServerUnavailable {
  return new ServerUnavailable(
    `A Redis server that does not answer still holds the data in ${folder}: end that process, then start again.`,
  );
}

async function openLog(folder: string): Promise<FileHandle> {
  const size = await stat(logPath(folder)).then(
    (entry) => entry.size,
    () => 0,
  );
  if (size > largestLogBytes) await rename(logPath(folder), `${logPath(folder)}.1`);
  return open(logPath(folder), 'a', 0o600);
}

async function lastLines(folder: string): Promise<string> {
  const lines = (await readFile(logPath(folder), 'utf8')).trimEnd().split('\n');
  return lines.slice(-5).join('\n');
}

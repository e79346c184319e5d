import { readdir, readFile, readlink } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { parseInfo } from '../server-info.ts';
import { socketOf } from './folder.ts';

/** The server of a folder, and the connection over which it named that folder. */
export type Server = {
  pid: number;
  loading: boolean;
  connection: Redis;
  /** Resolves when the connection ends, which it does at once when the server dies. */
  ended: Promise<void>;
};

type Answer =
  | { status: 'ours'; server: Server }
  /** Something accepts connections, but it did not name our folder in time. */
  | { status: 'stranger'; pid: number | null }
  | { status: 'nobody' };

const ANSWER_MS = 2000;

/** Asks what listens at the socket of a folder for the folder of its data. */
export async function probe(folder: string): Promise<Answer> {
  const connection = new Redis({
    path: socketOf(folder),
    lazyConnect: true,
    // A server that still loads its data answers INFO and CONFIG, but is not ready.
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  const ended = new Promise<void>((resolve) => connection.once('end', resolve));
  connection.on('error', () => {}); // The commands below fail with it.
  let answer: Answer = { status: 'nobody' };
  try {
    await connection.connect();
    answer = { status: 'stranger', pid: null };
    const info = parseInfo(await connection.info());
    const pid = Number(info.get('process_id'));
    answer = { status: 'stranger', pid };
    const [, named] = await connection.config('GET', 'dir');
    if (named === folder) {
      const loading = info.get('loading') === '1';
      return { status: 'ours', server: { pid, loading, connection, ended } };
    }
  } catch {
    // It went away, hangs, or does not speak as Redis does.
  }
  // A connection that has ended already would keep the process waiting for 2 s.
  if (connection.status !== 'end') connection.disconnect();
  return answer;
}

/**
 * The process ids of the Redis servers and their children that work in a folder, whether they answer or
 * not. Only Linux tells.
 */
export async function findServersIn(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    if ((await readlink(`/proc/${pid}/cwd`).catch(() => null)) !== folder) continue;
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    // A shell may stand there as well.
    if (/^(redis|valkey)-(server|check)/.test(name)) found.push(Number(pid));
  }
  return found;
}

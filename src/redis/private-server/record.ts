import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { parseInfo } from './version.ts';

/**
 * The private server as its bot knew it, kept beside the data, so that a bot that comes after a
 * kill -9 finds the server again and takes no other process for it.
 */
export type ServerRecord = z.infer<typeof zServerRecord>;

const zServerRecord = z.object({
  pid: z.number().int().positive(),
  socket: z.string().startsWith('/'),
  /** Null from the server's start until it first answers. */
  runId: z.string().nullable(),
});

const fileName = 'server.json';

export async function readRecord(folder: string): Promise<ServerRecord | null> {
  try {
    return zServerRecord.parse(JSON.parse(await readFile(join(folder, fileName), 'utf8')));
  } catch {
    return null; // Missing or not ours: either way there is no server to be found by it.
  }
}

export async function writeRecord(folder: string, record: ServerRecord): Promise<void> {
  const path = join(folder, fileName);
  await writeFile(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

export async function removeRecord(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true });
}

/** A server that was asked who it is, and the connection over which it answered. */
export type KnownServer = {
  record: ServerRecord & { runId: string };
  loading: boolean;
  connection: Redis;
  /** Resolves when the connection ends, which it does at once when the server dies. */
  ended: Promise<void>;
};

/**
 * Asks what answers at the record's socket whether it is the process of the record, with its data
 * in `folder`. Null when nothing answers, or something else.
 */
export async function recogniseServer(
  folder: string,
  { pid, socket, runId }: ServerRecord,
): Promise<KnownServer | null> {
  const connection = new Redis({
    path: socket,
    lazyConnect: true,
    // A server that still loads its data answers INFO and CONFIG, but is not ready.
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
    connectTimeout: 2000,
    commandTimeout: 2000,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  const ended = new Promise<void>((resolve) => connection.once('end', resolve));
  connection.on('error', () => {}); // The commands below fail with it.
  try {
    await connection.connect();
    const info = parseInfo(await connection.info());
    const answeredRunId = info.get('run_id');
    const [, answeredFolder] = await connection.config('GET', 'dir');
    const same =
      info.get('process_id') === String(pid) &&
      answeredFolder === folder &&
      answeredRunId !== undefined &&
      (runId === null || answeredRunId === runId);
    if (same) {
      const loading = info.get('loading') === '1';
      return { record: { pid, socket, runId: answeredRunId }, loading, connection, ended };
    }
  } catch {
    // Nobody listens, or it does not speak as Redis does.
  }
  // What has ended already would keep the process waiting for 2 s.
  if (connection.status !== 'end') connection.disconnect();
  return null;
}

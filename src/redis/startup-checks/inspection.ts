import { checkServer, type ServerCheck } from './check-server.ts';
import { parseInfo } from '../server-info.ts';
import type { Store } from '../store.ts';

type Inspection = {
  check: ServerCheck;
  /** null where the server does not say. */
  usedBytes: number | null;
  /** null: no limit, or the server does not say. */
  maxBytes: number | null;
  /** The median of several round trips; null where the server lets nobody in. */
  latencyMs: number | null;
};

const TRIPS = 5;

/** The server's health, memory and latency, as far as it reports them. */
export async function inspectServer({ redis }: Store): Promise<Inspection> {
  const check = await checkServer(redis);
  if (check.status === 'refused' && check.is === 'password') {
    return { check, usedBytes: null, maxBytes: null, latencyMs: null };
  }
  const memory = parseInfo(await redis.info('memory').catch(() => ''));
  const bytes = (name: string): number | null => Number(memory.get(name)) || null;
  const times: number[] = [];
  for (let n = 0; n < TRIPS; n += 1) {
    const begun = performance.now();
    await redis.ping();
    times.push(performance.now() - begun);
  }
  return {
    check,
    usedBytes: bytes('used_memory'),
    maxBytes: bytes('maxmemory'),
    latencyMs: times.sort((a, b) => a - b)[Math.floor(TRIPS / 2)] ?? 0,
  };
}

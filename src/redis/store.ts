import { join } from 'node:path';
import type { Callback, Redis, Result } from 'ioredis';
import type { Log } from '../log.ts';
import { readScript } from './scripts.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    claimPosting(
      claim: string,
      token: string,
      now: number,
      until: number,
      sweepSeconds: number,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    holdClaim(
      claim: string,
      token: string,
      until: number,
      tried: number,
      plan: string,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    releaseClaim(
      claim: string,
      token: string,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    finishClaim(
      claim: string,
      token: string,
      outcome: string,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    recordEdition(
      claim: string,
      runs: string,
      token: string,
      digest: string,
      run: string,
      outcome: string,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    takeLease(
      lease: string,
      token: string,
      now: number,
      until: number,
      sweepSeconds: number,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    holdLease(
      lease: string,
      token: string,
      until: number,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    releaseLease(
      lease: string,
      token: string,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    noteRebuild(
      lease: string,
      rebuild: string,
      token: string,
      channel: string,
      cursor: string,
      articles: number,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    finishRebuild(
      lease: string,
      rebuild: string,
      born: string,
      token: string,
      now: number,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    noteImport(
      lease: string,
      importKey: string,
      token: string,
      run: string,
      place: string,
      cursor: string,
      counts: string,
      now: number,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
    moveImport(
      importKey: string,
      run: string,
      from: string,
      to: string,
      now: number,
      callback?: Callback<unknown>,
    ): Result<unknown, Context>;
  }
}

/** Name of the script in TypeScript, its room under `src/`, its file and its number of keys. */
const scripts = [
  ['claimPosting', 'records/digests', 'claim-posting', 1],
  ['holdClaim', 'records/digests', 'hold-claim', 1],
  ['releaseClaim', 'records/digests', 'release-claim', 1],
  ['finishClaim', 'records/digests', 'finish-claim', 1],
  ['recordEdition', 'records/digests', 'record-edition', 2],
  ['takeLease', 'redis', 'take-lease', 1],
  ['holdLease', 'redis', 'hold-lease', 1],
  ['releaseLease', 'redis', 'release-lease', 1],
  ['noteRebuild', 'records', 'note-rebuild', 2],
  ['finishRebuild', 'records', 'finish-rebuild', 3],
  ['noteImport', 'records', 'note-import', 2],
  ['moveImport', 'records', 'move-import', 1],
] as const;

/** Where settings, schedules and claims are kept. */
export type Store = { redis: Redis; applicationId: string; log: Log };

export function openStore(redis: Redis, applicationId: string, log: Log): Store {
  for (const [name, room, verb, numberOfKeys] of scripts) {
    const lua = readScript(join(import.meta.dirname, '..', room), verb);
    redis.defineCommand(name, { lua, numberOfKeys });
  }
  return { redis, applicationId, log };
}

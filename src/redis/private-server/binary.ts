import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isSupported, OLDEST_VERSION } from '../server-info.ts';

/** A program that acts as a Redis server when it is called by the name `argv0`. */
export type ServerBinary = { command: string; argv0: string; version: string };

type BinarySearch =
  | { status: 'found'; binary: ServerBinary }
  /** `unusable`: what is wrong with the first one that was found, such as "redis-server is 6.0.16". */
  | { status: 'missing'; unusable: string | null };

/**
 * The server and the offline checker are one program, which looks at the name it is called by.
 * Debian's redis-tools brings it as the checker alone, without the service on port 6379 that the
 * package redis-server starts.
 */
const programs = [
  { file: 'redis-server', argv0: 'redis-server' },
  { file: 'valkey-server', argv0: 'valkey-server' },
  { file: 'redis-check-rdb', argv0: 'redis-server' },
  { file: 'valkey-check-rdb', argv0: 'valkey-server' },
] as const;

/** An empty place is PATH. The others come after it, because a service often has a short PATH. */
const USUAL_PLACES = ['', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/opt/local/bin'];

/** The first server of this system that is recent enough; servers come before checkers. */
export async function findServerBinary(places = USUAL_PLACES): Promise<BinarySearch> {
  let unusable: string | null = null;
  for (const { file, argv0 } of programs) {
    for (const place of places) {
      const command = join(place, file);
      const answer = await askVersion(command, argv0);
      if (answer === null) continue;
      const version = /server v=(\d+\.\d+\.\d+)/.exec(answer)?.[1];
      if (version !== undefined && isSupported(version)) {
        return { status: 'found', binary: { command, argv0, version } };
      }
      if (version !== undefined) unusable ??= `${command} is ${version}`;
      // A checker that does not hold the server answers otherwise.
      else if (file === argv0 || answer === '')
        unusable ??= `${command} does not answer --version as a server does`;
    }
  }
  return { status: 'missing', unusable };
}

const VERSION_WAIT_MS = 5000;

/** What a program says to `--version`: nothing if it hangs. Null if it cannot be run. */
async function askVersion(command: string, argv0: string): Promise<string | null> {
  const signal = AbortSignal.timeout(VERSION_WAIT_MS); // Unlike `timeout`, it keeps no process waiting.
  const child = spawn(command, ['--version'], {
    argv0,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  });
  const started = new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (!(await started)) return null;
  // A child of the program may keep the output open after the program was ended.
  return text(addAbortSignal(signal, child.stdout)).catch(() => '');
}

/** What to tell someone whose system has no server, or only one that cannot be used. */
export function missingServerMessage(unusable: string | null): string {
  return `Frontpage needs a Redis or Valkey server of version ${OLDEST_VERSION} or later, and ${unusable ?? 'this machine has none'}. Type one of

  sudo apt-get install -y redis-tools
  sudo dnf install -y redis || sudo dnf install -y valkey
  sudo apk add redis
  brew install redis

and start again. Or set REDIS_URL to a server that runs elsewhere.`;
}

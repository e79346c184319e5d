import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CannotStart } from '../../runtime/cannot-start.ts';
import { isSupported, OLDEST_VERSION } from '../server-info.ts';

/** A program that acts as a Redis server when it is called by the name `argv0`. */
export type ServerBinary = { command: string; argv0: string; version: string };

/**
 * The server and the offline checker are one program, which looks at the name it is called by.
 * Debian's redis-tools brings it as the checker alone, without the service on port 6379 that the
 * package redis-server starts.
 */
const programs = ['redis-server', 'valkey-server', 'redis-check-rdb', 'valkey-check-rdb'];

/** An empty place is PATH. The others come after it, because a service often has a short PATH. */
const USUAL_PLACES = ['', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/opt/local/bin'];

const VERSION_WAIT_MS = 5000;

/**
 * The first server of this system that is recent enough; servers come before checkers. Throws
 * `CannotStart` with what to type where there is none.
 */
export function findServerBinary(places = USUAL_PLACES): ServerBinary {
  /** What is wrong with the first one that was found. */
  let unusable: string | undefined;
  for (const file of programs) {
    const argv0 = file.replace('check-rdb', 'server');
    for (const place of places) {
      const command = join(place, file);
      const { pid, stdout: answer } = spawnSync(command, ['--version'], {
        argv0,
        encoding: 'utf8',
        timeout: VERSION_WAIT_MS,
        killSignal: 'SIGKILL',
      });
      if (pid === 0) continue; // There is no such program.
      const version = /server v=(\d+\.\d+\.\d+)/.exec(answer)?.[1];
      if (version !== undefined && isSupported(version)) return { command, argv0, version };
      if (version !== undefined) unusable ??= `${command} is ${version}`;
      // A checker that does not hold the server answers otherwise.
      else if (file === argv0 || answer === '')
        unusable ??= `${command} does not answer --version as a server does`;
    }
  }
  throw new CannotStart(
    `${needServer(unusable)} Or set REDIS_URL to a server that runs elsewhere.`,
    'unavailable',
  );
}

/** What to type on a machine without a server. */
export function needServer(found = 'this machine has none'): string {
  return `Frontpage needs a Redis or Valkey server of version ${OLDEST_VERSION} or later, and ${found}. Type one of

  sudo apt-get install -y redis-tools
  sudo dnf install -y redis || sudo dnf install -y valkey
  sudo apk add redis
  brew install redis

and start again.`;
}

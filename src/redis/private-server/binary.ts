import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isSupported, OLDEST_VERSION } from '../server-info.ts';

/** A program that acts as a Redis server when it is called by the name `argv0`. */
export type ServerBinary = { command: string; argv0: string; version: string };

type BinarySearch =
  | { status: 'found'; binary: ServerBinary }
  /** `tooOld` holds those that were found but may not be used. */
  | { status: 'missing'; tooOld: ServerBinary[] };

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
  const tooOld: ServerBinary[] = [];
  for (const { file, argv0 } of programs) {
    for (const place of places) {
      const command = join(place, file);
      const version = await readVersion(command, argv0);
      if (version === null) continue;
      const binary = { command, argv0, version };
      if (isSupported(version)) return { status: 'found', binary };
      tooOld.push(binary);
    }
  }
  return { status: 'missing', tooOld };
}

const VERSION_WAIT_MS = 5000;

/** Null unless the program answers `--version` as a server does; a checker answers otherwise. */
async function readVersion(command: string, argv0: string): Promise<string | null> {
  const child = spawn(command, ['--version'], {
    argv0,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: AbortSignal.timeout(VERSION_WAIT_MS), // Unlike `timeout`, it keeps no process waiting.
  });
  const started = new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (!(await started)) return null;
  const answer = await text(child.stdout);
  return /server v=(\d+\.\d+\.\d+)/.exec(answer)?.[1] ?? null;
}

/** How systems install a server, in the order in which they are looked for. */
const packages = [
  { tool: '/usr/bin/apt-get', command: 'sudo apt-get install -y redis-tools' },
  { tool: '/usr/bin/dnf', command: 'sudo dnf install -y redis || sudo dnf install -y valkey' },
  { tool: '/sbin/apk', command: 'sudo apk add redis' },
  { tool: '/opt/homebrew/bin/brew', command: 'brew install redis' },
  { tool: '/usr/local/bin/brew', command: 'brew install redis' },
];

const docker =
  'docker run -d --name frontpage-redis --restart unless-stopped -p 127.0.0.1:6379:6379 -v frontpage-redis:/data redis:7 redis-server --appendonly yes';

/**
 * What to tell someone whose system has no server: the one command to type.
 * Where the system's own server is too old, its packages do not help, and Docker does.
 */
export function missingServerMessage(tooOld: ServerBinary[] = [], exists = existsSync): string {
  const installer = packages.find(({ tool }) => exists(tool));
  const viaDocker = `${docker}\nand set REDIS_URL=redis://127.0.0.1:6379`;
  if (tooOld.length > 0) {
    const found = tooOld.map(({ command, version }) => `${command} is ${version}`).join(', ');
    return `Frontpage needs a Redis server of version ${OLDEST_VERSION} or later, and ${found}. With Docker, type\n\n  ${viaDocker}`;
  }
  const nothing = `Frontpage needs a Redis server (${OLDEST_VERSION} or later), and this machine has none.`;
  if (installer === undefined) return `${nothing} With Docker, type\n\n  ${viaDocker}`;
  return `${nothing} Type\n\n  ${installer.command}\n\nand start again. Or with Docker, type\n\n  ${viaDocker}`;
}

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Servers, and the offline checkers of Debian's redis-tools and valkey-tools, which are the same
 * program: it looks at the name that it is called by.
 */
const PROGRAMS = [
  { file: 'redis-server', argv0: 'redis-server' },
  { file: 'valkey-server', argv0: 'valkey-server' },
  { file: 'redis-check-rdb', argv0: 'redis-server' },
  { file: 'valkey-check-rdb', argv0: 'valkey-server' },
];
/** The empty place is PATH. */
const PLACES = ['', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/opt/local/bin'];
/** How systems install a server, in the order in which they are looked for. */
const INSTALLERS = [
  { tool: '/usr/bin/apt-get', command: 'sudo apt-get install -y redis-tools' },
  { tool: '/usr/bin/dnf', command: 'sudo dnf install -y redis || sudo dnf install -y valkey' },
  { tool: '/sbin/apk', command: 'sudo apk add redis' },
  { tool: '/opt/homebrew/bin/brew', command: 'brew install redis' },
  { tool: '/usr/local/bin/brew', command: 'brew install redis' },
];

/** The program and version of a Redis server on this machine that is recent enough, or null. */
export function findRedisServer(): string | null {
  for (const { file, argv0 } of PROGRAMS) {
    for (const place of PLACES) {
      const command = join(place, file);
      const { stdout } = spawnSync(command, ['--version'], {
        argv0,
        encoding: 'utf8',
        timeout: 5000,
      });
      const version = /server v=(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
      if (version !== undefined && isRecent(version)) return `${command} ${version}`;
    }
  }
  return null;
}

/** Frontpage needs 6.2 or later. */
function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 2);
}

/** What to tell someone whose machine has no server: the one command to type. */
export function missingRedisMessage(): string {
  const needed = 'Frontpage needs a Redis server (6.2 or later), and this machine has none.';
  const installer = INSTALLERS.find(({ tool }) => existsSync(tool));
  if (installer === undefined) return `${needed} Install one, and start again.`;
  return `${needed} Type\n\n  ${installer.command}\n\nand start again.`;
}

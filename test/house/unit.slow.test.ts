import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startCommunity } from '../../discord-box/test/community.ts';

const unit = readFileSync('packaging/frontpage.service', 'utf8');
const [, execStart = ''] = /^ExecStart=\/usr\/bin\/node (.*)$/m.exec(unit) ?? [];

/** A user that systemd may make up for DynamicUser=yes. */
const user = 61_184;
const canRestrict = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!canRestrict) console.warn('The unit is not tried: that needs root and mount namespaces.');

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean();
});

/**
 * What the unit asks for and this machine can do without systemd: a user of its own without any right,
 * a file system that is read-only but for the state folder, and a temporary folder, which is its own
 * unless Frontpage lies there. Not the filter of system calls.
 */
function restricted(state: string, environment: Record<string, string>) {
  const ownTmp = import.meta.dirname.startsWith('/tmp/')
    ? 'mount --bind /tmp /tmp'
    : 'mount -t tmpfs -o mode=1777 tmpfs /tmp';
  const script = `
    mount --make-rprivate / &&
    ${ownTmp} &&
    mount --bind ${state} ${state} && mount --bind -o remount,ro / / &&
    exec setpriv --reuid ${user} --regid ${user} --clear-groups --inh-caps=-all --bounding-set=-all \
      --no-new-privs "$@"`;
  const words = [
    '--mount',
    'bash',
    '-c',
    script,
    'bash',
    process.execPath,
    ...execStart.split(' '),
  ];
  const { PATH = '' } = process.env;
  const child = spawn('unshare', words, { env: { PATH, ...environment } });
  cleanUp.push(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, said: () => said };
}

/** Hears what a service tells systemd. Node knows no such socket, so Python has it. */
async function listenAsSystemd() {
  const folder = mkdtempSync('/run/frontpage-test-');
  cleanUp.push(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const socket = join(folder, 'notify');
  const program = `
import os, socket, sys
one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
one.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
print('listens', flush=True)
while True:
    print(one.recv(4096).decode(), flush=True)`;
  const canTell = spawnSync('systemd-notify', ['--version']).status === 0;
  const listener = spawn('python3', ['-c', program, socket]);
  let told = '';
  listener.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const isThere = await new Promise<boolean>((resolve) => {
    listener.once('error', () => resolve(false));
    listener.stdout.once('data', () => resolve(canTell));
  });
  cleanUp.push(() => listener.kill('SIGKILL'));
  if (!isThere) console.warn('What systemd is told is not tried: that needs Python and systemd.');
  /** Whether it was told, where that can be tried. */
  const heard = (what: RegExp): boolean => !isThere || what.test(told);
  return { socket, told: () => told, heard };
}

test.runIf(canRestrict)(
  "the unit's command runs under its restrictions, and root makes a backup beside it",
  async () => {
    const sandbox = await startCommunity({ rateLimits: false, answerWithinMs: 30_000 });
    cleanUp.push(() => sandbox.stop());
    const state = mkdtempSync('/var/lib/frontpage-test-');
    cleanUp.push(() => rmSync(state, { recursive: true }));
    chownSync(state, user, user);
    // Root left a file here once.
    writeFileSync(join(state, 'old.backup.gz'), '', { mode: 0o600 });
    const environment = {
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_BASE: sandbox.apiBase,
      DATA_DIR: state,
    };

    const systemd = await listenAsSystemd();
    const clock = join(state, 'clock');
    writeFileSync(clock, '0', { mode: 0o644 });
    const watched = { NOTIFY_SOCKET: systemd.socket, CLOCK_OFFSET_FILE: clock };
    const refused = restricted(state, { ...environment, ...watched, DISCORD_TOKEN: 'wrong' });
    expect((await once(refused.child, 'exit'))[0]).toBe(78);
    expect(systemd.heard(/STATUS=Frontpage cannot start: Discord does not accept/)).toBe(true);
    expect(systemd.told()).not.toContain('READY=1');

    const bot = restricted(state, { ...environment, ...watched });
    await expect.poll(bot.said).toContain('The ranking of a guild is whole');
    await expect.poll(() => systemd.heard(/READY=1/)).toBe(true);
    writeFileSync(clock, '60000');
    await expect.poll(() => systemd.heard(/WATCHDOG=1/)).toBe(true);
    expect(readdirSync(join(state, 'redis'))).toContain('redis.sock');
    await sandbox
      .as(sandbox.admin)
      .command(sandbox.channels.general.id, 'post', { link: 'https://news.example/' });
    const { PATH = '' } = process.env;
    const frontpage = (...words: string[]) =>
      new Promise<string>((resolve) => {
        const env = { PATH, ...environment };
        const child = spawn(process.execPath, ['bin/frontpage.js', ...words], { env });
        let said = '';
        child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
        child.once('close', () => resolve(said));
      });
    expect(await frontpage('backup')).toContain('Servers: 1, articles: 1.');
    const name = readdirSync(state).find((file) => file.startsWith('frontpage-')) ?? '';
    expect(statSync(join(state, name)).uid).toBe(user);
    expect(await frontpage('restore', join(state, name))).toContain('1 unchanged');

    const ended = once(bot.child, 'exit');
    bot.child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    expect(systemd.heard(/READY=1[^]*WATCHDOG=1[^]*STOPPING=1/)).toBe(true);
    expect(await frontpage('backup')).toContain('start the bot as that user');

    const again = restricted(state, environment);
    await expect.poll(again.said).toContain('Frontpage is on');
    const endedAgain = once(again.child, 'exit');
    again.child.kill('SIGTERM');
    expect((await endedAgain)[0]).toBe(0);
  },
  // Six processes, one after the other.
  300_000,
);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findServerBinary } from '../../../src/redis/private-server/binary.ts';
import { lockFile } from '../../../src/redis/private-server/bot-lock.ts';
import { openServer } from '../../../src/redis/private-server/launch.ts';
import { findServersIn } from '../../../src/redis/private-server/probe.ts';
import { findPrivateServer } from '../../../src/redis/private-server/private-server.ts';
import { isWhole, sample } from '../../fixtures/sample.ts';
import { cleanup, connect, dataDir, listening, said, start, useDataFolder } from './data-folder.ts';

useDataFolder();

test('a data folder whose path is too long for a socket is a sentence', async () => {
  await expect(start(join(dataDir, 'x'.repeat(100)))).rejects.toMatchObject({
    message: expect.stringContaining('set DATA_DIR to a folder with a shorter path'),
    code: 78,
  });
});

test('a data folder that cannot be made is a sentence, not a stack', async () => {
  const file = join(dataDir, 'file');
  writeFileSync(file, '');
  await expect(start(file)).rejects.toMatchObject({
    message: expect.stringContaining('set DATA_DIR to a folder that this user may write to'),
    code: 78,
  });
});

test.runIf(process.getuid?.() === 0)(
  'root is refused in the folder of another user, and leaves nothing there',
  async () => {
    chownSync(dataDir, 12_345, 12_345);
    await expect(start()).rejects.toMatchObject({
      message: expect.stringContaining('belongs to another user (number 12345)'),
      code: 77,
    });
    expect(readdirSync(dataDir)).toEqual([]);
  },
);

function appendOnlyFile(kind: string, root = join(dataDir, 'redis')): string {
  const folder = join(root, 'appendonlydir');
  return join(folder, readdirSync(folder).find((name) => name.includes(kind)) ?? '');
}

/** The same file in the copy of damaged data. */
function asideFile(kind: string): string {
  const folder = join(dataDir, 'redis');
  const copy = readdirSync(folder).find((name) => name.startsWith('damaged-')) ?? '';
  return appendOnlyFile(kind, join(folder, copy));
}

test.each(
  sample(
    [
      ['half a command', '*3\r\n$3\r\nSET\r\n$3\r\nke'],
      ['a tail of zeros', '\0'.repeat(5000)],
      ['half a command and zeros', `*3\r\n$3\r\nSE${'\0'.repeat(4000)}`],
    ],
    1,
  ),
)('%s at the end of the data is cut off, and the host is told', async (_, tail) => {
  const first = await start();
  const redis = connect(first.url);
  await redis.set('key', 'value');
  await redis.set('frontpage:1:{2}:complete', '1');
  await redis.set('frontpage:1:{2}:settings', 'kept');
  await first.stop();
  appendFileSync(appendOnlyFile('.incr.'), tail);
  const second = await start(dataDir, { heard: listening });
  expect(await connect(second.url).mget('key', 'frontpage:1:{2}:settings')).toEqual([
    'value',
    'kept',
  ]);
  expect(await connect(second.url).exists('frontpage:1:{2}:complete')).toBe(0);
  expect(said()).toContain('which was cut off');
  expect(readFileSync(asideFile('.incr.'), 'utf8')).toContain(tail);
});

const damages: [what: string, damage: () => void][] = [
  ['the list of files is gone', () => rmSync(appendOnlyFile('.manifest'))],
  ['the list of files is nonsense', () => writeFileSync(appendOnlyFile('.manifest'), 'nonsense')],
  ['the first file is cut', () => truncateSync(appendOnlyFile('.base.'), 20)],
  ['the list of files is empty', () => writeFileSync(appendOnlyFile('.manifest'), '')],
  [
    'a whole command is unknown',
    () => appendFileSync(appendOnlyFile('.incr.'), '*2\r\n$4\r\nNOPE\r\n$1\r\na\r\n'),
  ],
];

// Withstands (The private server): It does not start with its data (six reasons)
// → the data is set aside and read from Discord
test.each(sample(damages, 2))(
  'where %s, the data is set aside and the host is told',
  async (_, damage) => {
    const first = await start();
    await connect(first.url).set('key', 'value');
    await first.stop();
    damage();
    const second = await start(dataDir, { heard: listening });
    expect(await connect(second.url).get('key')).toBeNull();
    expect(said()).toContain('could not be read and was set aside');
    expect(said()).not.toContain('is gone');
    expect(readFileSync(asideFile('.incr.'), 'utf8')).toContain('value');
  },
);

test.runIf(isWhole)(
  'a file in the place of the data is set aside and the host is told',
  async () => {
    await (await start()).stop();
    const parts = join(dataDir, 'redis', 'appendonlydir');
    rmSync(parts, { recursive: true });
    writeFileSync(parts, 'a file');
    const second = await start(dataDir, { heard: listening });
    expect(await connect(second.url).set('key', 'value')).toBe('OK');
    expect(said()).toContain('could not be read and was set aside');
  },
);

const losses: [what: string, lose: (parts: string) => void][] = [
  [
    'empty',
    (parts) => {
      for (const name of readdirSync(parts)) {
        if (/incr|appendonly.aof$/.test(name)) truncateSync(join(parts, name));
      }
    },
  ],
  ['gone', (parts) => rmSync(parts, { recursive: true })],
];

// Withstands (The private server): Its data is gone at a start, or its file empty
// → the log says so
test.each(sample(losses, 1))(
  'data of an earlier start that is gone is said to be: its files are %s',
  async (_, damage) => {
    const first = await start(dataDir, { heard: listening });
    await first.stop();
    await (await start(dataDir, { heard: listening })).stop();
    expect(said()).toBe('');
    damage(join(dataDir, 'redis', 'appendonlydir'));
    await start(dataDir, { heard: listening });
    expect(said()).toContain('The data of an earlier start is gone.');
  },
);

test('after a first start that failed, no data is said to be gone', async () => {
  const socket = join(dataDir, 'redis', 'redis.sock');
  mkdirSync(socket, { recursive: true });
  await expect(start()).rejects.toThrow('did not start');
  rmSync(socket, { recursive: true });
  await start(dataDir, { heard: listening });
  expect(said()).toBe('');
});

test('a server that cannot start for another reason keeps its data, and the folder is free again', async () => {
  const first = await start();
  await connect(first.url).set('key', 'value');
  await first.stop();
  const log = join(dataDir, 'redis', 'server.log');
  rmSync(log);
  mkdirSync(log);
  await expect(start()).rejects.toThrow('cannot be used');
  rmSync(log, { recursive: true });
  expect(await connect((await start()).url).get('key')).toBe('value');
});

test('data that a newer server wrote is not taken for damaged, and stays as it is', async () => {
  const first = await start();
  const redis = connect(first.url);
  await redis.set('key', 'value');
  await first.stop();
  const parts = join(dataDir, 'redis', 'appendonlydir');
  const base = join(parts, readdirSync(parts).find((name) => name.endsWith('.base.rdb'))!);
  const written = readFileSync(base);
  const newer = Buffer.from(written);
  newer.write('REDIS0099', 0, 'latin1');
  writeFileSync(base, newer);
  await expect(start(dataDir, { heard: listening })).rejects.toThrow(
    /was written by (Redis|Valkey) \d+\.\d+\.\d+, and .* is older: install the newer one/,
  );
  // Not each one says who it was.
  const nameless = Buffer.from(
    newer.toString('latin1').replace(/(redis|valkey)-ver/, (name) => 'x'.repeat(name.length)),
    'latin1',
  );
  writeFileSync(base, nameless);
  await expect(start(dataDir, { heard: listening })).rejects.toThrow('by a newer server, and');
  expect(said()).toBe('');
  writeFileSync(base, written);
  expect(await connect((await start()).url).get('key')).toBe('value');
});

test('data that a server cannot load because something ends it, as where memory is short, or on a full disk, is not taken for damaged', async () => {
  const first = await start();
  await connect(first.url).set('key', 'value');
  await first.stop();
  const { command, argv0 } = findServerBinary(['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin']);
  const programs = join(dataDir, 'programs');
  mkdirSync(programs);
  vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
  cleanup.push(() => vi.unstubAllEnvs());
  for (const [end, said] of [
    ['kill -KILL $$', 'did not start: it ended with SIGKILL'],
    ['kill -TERM $$', 'did not start: it ended with SIGTERM'],
    ['exit 0', 'did not start: it ended with code 0'],
    ['{ echo "Write error: No space left on device"; exit 1; }', 'There is no room left for'],
  ] as const) {
    // Without the data it would start.
    const script = `#!/bin/bash\n[ -e appendonlydir ] && ${end}\nexec -a ${argv0} ${command} "$@"\n`;
    writeFileSync(join(programs, 'redis-server'), script, { mode: 0o755 });
    await expect(start()).rejects.toThrow(said);
  }
  vi.unstubAllEnvs();
  expect(await connect((await start()).url).get('key')).toBe('value');
});

test('a large log of the server is set aside at a start, and replaces the one before', async () => {
  const log = join(dataDir, 'redis', 'server.log');
  mkdirSync(join(dataDir, 'redis'));
  writeFileSync(log, 'Latest.');
  writeFileSync(`${log}.1`, 'Oldest.');
  truncateSync(log, 11 * 1024 * 1024);
  await start();
  expect(readFileSync(`${log}.1`, 'utf8')).toMatch(/^Latest\./);
  expect(statSync(log).size).toBeLessThan(100_000);
});

test('a server that still runs after its bot was killed writes as often as the host asks now', async () => {
  const { url } = await start(dataDir, { appendFsync: 'everysec' });
  const folder = realpathSync(join(dataDir, 'redis'));
  const lock = (await lockFile(join(dataDir, 'lock')))!;
  const binary = findServerBinary();
  const home = { folder, lock, binary, log: listening, stopping: new AbortController() };
  const found = await openServer({ ...home, appendFsync: 'always' });
  cleanup.push(() => found.connection.disconnect());
  const redis = connect(url);
  expect(await redis.config('GET', 'appendfsync')).toEqual(['appendfsync', 'always']);
  expect(Number((await redis.info('server')).match(/process_id:(\d+)/)?.[1])).toBe(found.pid);
  await lock.file.close();
});

test('a server that dies is started again with its data, and the bot is told', async () => {
  const server = await start(dataDir, { heard: listening });
  const redis = connect(server.url);
  await redis.set('key', 'value');
  const before = server.pid();
  process.kill(before, 'SIGKILL');
  await expect.poll(() => server.pid()).not.toBe(before);
  expect(await redis.get('key')).toBe('value');
  expect(said()).toContain('The private Redis server has ended.');
});

test('a server that starts neither with its data nor without it keeps the data', async () => {
  const first = await start();
  await connect(first.url).set('key', 'value');
  await first.stop();
  const programs = join(dataDir, 'programs');
  mkdirSync(programs);
  const script =
    '#!/bin/sh\n[ "$1" = --version ] && echo "Redis server v=7.0.15 sha=0" || exit 1\n';
  writeFileSync(join(programs, 'redis-server'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
  cleanup.push(() => vi.unstubAllEnvs());
  await expect(start()).rejects.toThrow('did not start: it ended with code 1');
  // Also where it is not even tried with its data.
  const list = appendOnlyFile('.manifest');
  const text = readFileSync(list);
  rmSync(list);
  expect(await start().catch(String)).toContain('did not start: it ended with code 1');
  writeFileSync(list, text);
  vi.unstubAllEnvs();
  expect(await connect((await start()).url).get('key')).toBe('value');
  expect(readdirSync(join(dataDir, 'redis')).filter((name) => name.startsWith('dam'))).toEqual([]);
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

// Withstands (Attacks): Another user reads, replaces or holds files
// → DATA_DIR is private, links are not followed, each start writes anew
test('what stood open to others becomes private, with all that is in it', async () => {
  const folder = join(dataDir, 'redis');
  mkdirSync(folder);
  const files = ['../a.backup', 'server.log', 'other', 'redis.conf', 'bot.lock'];
  for (const path of files.slice(0, 3).map((name) => join(folder, name))) {
    writeFileSync(path, '');
    chmodSync(path, 0o666);
  }
  for (const path of [dataDir, folder]) chmodSync(path, 0o777);
  const server = await start();
  await connect(server.url).set('key', 'value');
  expect([dataDir, folder].map(mode)).toEqual(['700', '700']);
  expect(files.map((name) => mode(join(folder, name)))).toEqual(files.map(() => '600'));
  expect(mode(appendOnlyFile('.incr.'))).toBe('600');
});

test('who opened the configuration while the folder stood open cannot change it later', async () => {
  const folder = join(dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'redis.conf');
  const held = openSync(path, 'w', 0o666);
  cleanup.push(() => closeSync(held));
  await start();
  writeSync(held, 'loadmodule /tmp/evil.so\n');
  expect(readFileSync(path, 'utf8')).not.toContain('evil');
});

test('in a folder that all users share, the data and the backups become private', async () => {
  chmodSync(dataDir, 0o1777);
  const names = ['frontpage-2026-11-20.backup.gz', 'another.txt'];
  for (const name of names) {
    writeFileSync(join(dataDir, name), '');
    chmodSync(join(dataDir, name), 0o666);
  }
  const server = await start();
  await connect(server.url).set('key', 'value');
  expect(['.', 'redis', ...names].map((name) => mode(join(dataDir, name)))).toEqual([
    '777',
    '700',
    '600',
    '666',
  ]);
});

test('a second name of a file where the bot writes is refused', async () => {
  const folder = join(dataDir, 'redis');
  mkdirSync(folder);
  const precious = join(dataDir, 'precious');
  writeFileSync(precious, 'precious');
  linkSync(precious, join(folder, 'redis.conf'));
  await expect(start()).rejects.toThrow('is a link, which would be written through');
  expect(readFileSync(precious, 'utf8')).toBe('precious');
});

test('a link where the bot or its server writes is refused, but not for DATA_DIR itself', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'frontpage-outside-'));
  cleanup.push(() => rmSync(outside, { recursive: true }));
  const target = join(outside, 'file');
  writeFileSync(target, 'mine');
  const folder = join(dataDir, 'redis');
  mkdirSync(join(folder, 'appendonlydir'), { recursive: true });
  for (const name of ['redis.conf', 'server.log', 'bot.lock', 'appendonlydir/x.aof']) {
    symlinkSync(target, join(folder, name));
    await expect(start()).rejects.toThrow(`${name} is a link`);
    rmSync(join(folder, name));
  }
  for (const path of [join(folder, 'appendonlydir'), folder]) {
    rmSync(path, { recursive: true });
    symlinkSync(outside, path);
    await expect(start()).rejects.toThrow(`${path} is a link`);
    rmSync(path);
  }
  expect(readdirSync(outside)).toEqual(['file']);
  expect(readFileSync(target, 'utf8')).toBe('mine');
  const link = join(outside, 'data');
  symlinkSync(dataDir, link);
  const server = await start(link);
  expect(await connect(server.url).ping()).toBe('PONG');
});

test('the command line finds the server in its folder, and follows no link to another', async () => {
  const server = await start();
  const other = mkdtempSync(join(tmpdir(), 'frontpage-outside-'));
  cleanup.push(() => rmSync(other, { recursive: true }));
  expect(await findPrivateServer(other)).toBeNull();
  const link = join(other, 'link');
  symlinkSync(dataDir, link);
  expect([await findPrivateServer(dataDir), await findPrivateServer(link)]).toEqual([
    server.url,
    server.url,
  ]);
  symlinkSync(join(dataDir, 'redis'), join(other, 'redis'));
  expect(await findPrivateServer(other)).toBeNull();
});

test('a server that has another folder is not taken for the private one', async () => {
  const { url } = await start();
  expect(await findPrivateServer(dataDir)).toBe(url);
  const other = join(dataDir, 'other');
  mkdirSync(join(other, 'redis'), { recursive: true });
  symlinkSync(url, join(other, 'redis', 'redis.sock'));
  expect(await findPrivateServer(other)).toBeNull();
});

test('a snapshot of hard links to the data hinders no start', async () => {
  const first = await start();
  await connect(first.url).set('key', 'value');
  await first.stop();
  linkSync(appendOnlyFile('.incr.'), join(dataDir, 'snapshot'));
  expect(await connect((await start()).url).get('key')).toBe('value');
});

test.runIf(process.platform === 'linux')(
  'a shell that stands in the folder of the data is not taken for a server, and is not ended',
  async () => {
    const server = await start();
    const shell = spawn('sleep', ['60'], { cwd: join(dataDir, 'redis') });
    cleanup.push(() => shell.kill());
    await once(shell, 'spawn');
    expect(await findServersIn(join(dataDir, 'redis'))).toEqual([server.pid()]);
    await server.stop();
    expect(shell.exitCode ?? shell.signalCode).toBeNull();
  },
);

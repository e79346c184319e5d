import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig, readConfig, zEnvironment } from '../../src/config.ts';
import { describeProxy } from '../../src/discord/gateway/through-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'frontpage-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, `token-${content.length}`);
  writeFileSync(path, content);
  return path;
}

function faultsOf(environment: Record<string, string>): string[] {
  const outcome = readConfig(environment);
  return outcome.status === 'faulty' ? outcome.faults : [];
}

test('a token is all that is required', () => {
  expect(readConfig({ DISCORD_TOKEN: 'abc.def' })).toEqual({
    status: 'ok',
    config: {
      token: 'abc.def',
      apiBase: 'https://discord.com/api',
      redisUrl: undefined,
      dataDir: resolve('data'),
      backupDir: undefined,
      appendFsync: 'everysec',
      logLevel: 'info',
      clockOffsetFile: undefined,
      messageContent: false,
      shards: 'auto',
      requestsPerSecond: 50,
      web: undefined,
    },
  });
});

test('a proxy that is set for other addresses alone is told of with the name that Discord’s needs', () => {
  const [http_proxy, HTTPS_PROXY] = ['http://proxy.example', 'http://proxy.example'];
  const told = describeProxy({ http_proxy });
  expect(told).toMatchObject({
    isUsed: false,
    sentence: expect.stringMatching(/^http_proxy is set/),
  });
  expect(told?.sentence).toContain('set HTTPS_PROXY');
  expect(describeProxy({ http_proxy, HTTPS_PROXY })?.sentence).toMatch(/^HTTPS_PROXY is set/);
  expect(describeProxy({ HTTPS_PROXY: '', no_proxy: 'localhost' })).toBeNull();
});

test('what is served over HTTP stays on this machine unless told otherwise', () => {
  expect(readConfig({ DISCORD_TOKEN: 'abc', WEB_PORT: '8080' })).toMatchObject({
    config: { web: { host: '127.0.0.1', port: 8080, publicAddress: undefined } },
  });
  const told = { WEB_PORT: '80', WEB_HOST: '::', WEB_URL: 'https://news.example/' };
  expect(readConfig({ DISCORD_TOKEN: 'abc', ...told })).toMatchObject({
    config: { web: { host: '::', port: 80, publicAddress: 'https://news.example' } },
  });
});

test('what is served over HTTP is at the addresses and ports that the host says, with pictures where it says so', () => {
  const ports = { WEB_PORT: '8080', METRICS_PORT: '9464' };
  const told = { WEB_HOST: 'localhost', METRICS_HOST: '0.0.0.0', WEB_PICTURES: 'on' };
  const api = { DISCORD_API_BASE: 'http://127.0.0.1:4000/api' };
  const { config } = readConfig({ DISCORD_TOKEN: 'abc', ...ports, ...told, ...api }) as {
    config?: { web: { host: string; pictures: string[]; monitoring: object } };
  };
  expect(config?.web).toMatchObject({
    host: 'localhost',
    monitoring: { host: '0.0.0.0', port: 9464 },
  });
  expect(config?.web.pictures).toContain('http://127.0.0.1:4000');
  expect(config?.web.pictures.length).toBeGreaterThan(1);
  expect(readConfig({ DISCORD_TOKEN: 'abc', ...ports, WEB_PICTURES: 'off' })).toMatchObject({
    config: { web: { pictures: [], monitoring: { host: '127.0.0.1', port: 9464 } } },
  });
});

test('an image without a Redis says so where no server is named', () => {
  const image = { DISCORD_TOKEN: 'abc', FRONTPAGE_IMAGE: 'yes' };
  expect(faultsOf(image)).toEqual([expect.stringMatching(/^REDIS_URL is missing, and this image/)]);
  expect(faultsOf({ ...image, REDIS_URL: 'redis://redis' })).toEqual([]);
});

test.each([
  ['DISCORD_API_BASE', 'https://'],
  ['DISCORD_API_BASE', 'ftp://127.0.0.1/api'],
  ['WEB_URL', 'https://a b'],
  ['WEB_URL', 'https://news.example/path'],
  ['WEB_URL', 'https://news.example?a'],
  ['WEB_URL', 'https://news.example#a'],
  ['WEB_URL', 'ftp://news.example'],
  ['WEB_HOST', 'news.example'],
  ['METRICS_HOST', 'news.example'],
])('the address in %s is refused where it is %s', (name, value) => {
  expect(faultsOf({ DISCORD_TOKEN: 'abc', [name]: value })).toEqual([
    expect.stringMatching(new RegExp(`^${name} is not an`)),
  ]);
});

test('a token in a file is read without the line break at its end', () => {
  const outcome = readConfig({ DISCORD_TOKEN_FILE: file('abc.def\n') });
  expect(outcome).toMatchObject({ status: 'ok', config: { token: 'abc.def' } });
});

test('a variable that is set to nothing is not set', () => {
  const outcome = readConfig({
    DISCORD_TOKEN: 'abc',
    DISCORD_TOKEN_FILE: '',
    REDIS_URL: ' ',
    LOG_LEVEL: '',
  });
  expect(outcome).toMatchObject({
    config: { token: 'abc', redisUrl: undefined, logLevel: 'info' },
  });
});

test.each([
  'http://127.0.0.1:4000/api',
  'http://127.0.0.1:4000/api/',
  'http://127.0.0.1:4000/api/v10',
  'http://127.0.0.1:4000/api/v10/',
])('the API base %s is used without version and slash', (base) => {
  const outcome = readConfig({ DISCORD_TOKEN: 'abc', DISCORD_API_BASE: base });
  expect(outcome).toMatchObject({ config: { apiBase: 'http://127.0.0.1:4000/api' } });
});

test('all faults are listed at once, and none repeats what it found', () => {
  const faults = faultsOf({
    DISCORD_TOKEN: 'my-secret',
    DISCORD_TOKEN_FILE: 'my-secret-file',
    DISCORD_API_BASE: 'my-secret-base',
    REDIS_URL: 'http://user:my-secret@host',
    LOG_LEVEL: 'my-secret-level',
    MESSAGE_CONTENT: 'my-secret-switch',
    WEB_PORT: 'my-secret-port',
    WEB_HOST: 'my-secret-host',
    WEB_URL: 'my-secret-url',
  });
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
    'DISCORD_TOKEN',
    'DISCORD_API_BASE',
    'REDIS_URL',
    'LOG_LEVEL',
    'MESSAGE_CONTENT',
    'WEB_PORT',
    'WEB_HOST',
    'WEB_URL',
  ]);
  expect(faults.join('\n')).not.toContain('my-secret');
  for (const fault of faults) expect(fault).toMatch(/^\w+ .+: .+\.$/);
});

const shards = (given: Record<string, string>) =>
  readConfig({ DISCORD_TOKEN: 'abc', ...given }) as { config?: { shards: unknown } };

test('metrics need the port of the pages too, and do not silently stay away', () => {
  expect(faultsOf({ DISCORD_TOKEN: 'abc', METRICS_PORT: '9464' })).toEqual([
    expect.stringMatching(/^METRICS_PORT is set without WEB_PORT: set both/),
  ]);
});

test('metrics and pages on one port are named as a fault of the two', () => {
  expect(faultsOf({ DISCORD_TOKEN: 'abc', WEB_PORT: '8080', METRICS_PORT: '8080' })).toEqual([
    'METRICS_PORT is the same as WEB_PORT: the two must differ, so set another port.',
  ]);
});

test('a faulty number is named beside the others, and what depends on it is not judged', () => {
  const wrong = { SHARD_COUNT: '2', SHARDS: '0, 1', WEB_PORT: '8080/tcp', METRICS_PORT: '9464' };
  const faults = faultsOf({ DISCORD_TOKEN: 'abc', LOG_LEVEL: 'all', ...wrong });
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['LOG_LEVEL', 'SHARDS', 'WEB_PORT']);
});

test('what is wrong with two variables together is named beside other faults', () => {
  const faults = faultsOf({ DISCORD_TOKEN: 'abc', LOG_LEVEL: 'all', METRICS_PORT: '9464' });
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['LOG_LEVEL', 'METRICS_PORT']);
});

test('a choice may be written in capitals', () => {
  const typed = { MESSAGE_CONTENT: 'On', LOG_LEVEL: 'INFO', APPENDFSYNC: 'Always' };
  expect(readConfig({ DISCORD_TOKEN: 'abc', ...typed })).toMatchObject({
    config: { messageContent: true, logLevel: 'info', appendFsync: 'always' },
  });
});

test.each(['~/data', '~', '$HOME/data', '${HOME}/data'])(
  'the folder %s is refused, since only a shell would know it',
  (folder) => {
    expect(faultsOf({ DISCORD_TOKEN: 'abc', DATA_DIR: folder, BACKUP_DIR: folder })).toEqual([
      expect.stringMatching(/^DATA_DIR .*: write the whole path/),
      expect.stringMatching(/^BACKUP_DIR .*: write the whole path/),
    ]);
  },
);

test('a folder is that of the place in which the process starts', () => {
  const folders = { DATA_DIR: 'a', BACKUP_DIR: './b' };
  expect(readConfig({ DISCORD_TOKEN: 'abc', ...folders })).toMatchObject({
    config: { dataDir: join(process.cwd(), 'a'), backupDir: join(process.cwd(), 'b') },
  });
});

test.each(['WEB_PORT', 'METRICS_PORT'])('%s is a number that a port can have', (name) => {
  const faultsWith = (port: string) =>
    faultsOf({ DISCORD_TOKEN: 'abc', WEB_PORT: '8080', [name]: port });
  expect(['1', '65535'].map(faultsWith)).toEqual([[], []]);
  for (const port of ['0', '65536', '70000', '080', '1e3']) {
    expect(faultsWith(port)).toEqual([expect.stringContaining(`${name} is not a port`)]);
  }
});

test('the public address of the pages takes no login', () => {
  expect(faultsOf({ DISCORD_TOKEN: 'abc', WEB_URL: 'https://a:b@news.example' })).toEqual([
    expect.stringContaining('WEB_URL'),
  ]);
});

test.each([
  ['redis://:p@ss@host', 'as %40 for @'],
  ['redis://host?ssl=true', 'rediss://'],
  ['redis+sentinel://a,b', 'group'],
])('the fault of the address %s is named for itself', (address, words) => {
  expect(faultsOf({ DISCORD_TOKEN: 'abc', REDIS_URL: address })).toEqual([
    expect.stringContaining(words),
  ]);
});

test('a process serves all shards, or those that it is given', () => {
  expect(shards({ SHARD_COUNT: '3' }).config?.shards).toEqual({ ids: [0, 1, 2], count: 3 });
  expect(shards({ SHARD_COUNT: '9', SHARDS: '0-2,7,1' }).config?.shards).toEqual({
    ids: [0, 1, 2, 7],
    count: 9,
  });
  for (const wrong of ['3', '2-1', '0-3']) {
    expect(faultsOf({ DISCORD_TOKEN: 'abc', SHARD_COUNT: '3', SHARDS: wrong })).toHaveLength(1);
  }
  expect(faultsOf({ DISCORD_TOKEN: 'abc', SHARDS: '0' })[0]).toContain('SHARD_COUNT');
  expect(faultsOf({ DISCORD_TOKEN: 'abc', SHARD_COUNT: '0' })[0]).toContain('SHARD_COUNT');
});

describe('the file .env', () => {
  const environment = { ...process.env };
  const project = process.cwd();
  beforeEach(() => {
    const place = mkdtempSync(join(folder, 'env-'));
    writeFileSync(join(place, '.env'), 'DISCORD_TOKEN=abc.def\nLOG_LEVEL=warn\n');
    process.chdir(place);
  });
  afterEach(() => {
    process.chdir(project);
    process.env = { ...environment };
  });

  test.each([
    ['UTF-8', (utf16: Buffer) => Buffer.from(utf16.toString('utf16le'))],
    ['UTF-16', (utf16: Buffer) => utf16],
    ['UTF-16, big-endian', (utf16: Buffer) => utf16.swap16()],
  ])('the file .env is read in %s with its mark, as Windows writes it', (_, encode) => {
    const text = '\uFEFFDISCORD_TOKEN=abc.def\r\nLOG_LEVEL=warn\r\n';
    writeFileSync('.env', encode(Buffer.from(text, 'utf16le')));
    delete process.env['DISCORD_TOKEN'];
    expect(loadConfig()).toMatchObject({ config: { token: 'abc.def', logLevel: 'warn' } });
  });
  test.each(['mkdir', 'mkfifo'])(
    'the file .env is refused with a sentence where %s made it',
    (make) => {
      rmSync('.env');
      execFileSync(make, ['.env']);
      expect(loadConfig()).toEqual({
        status: 'faulty',
        faults: ['.env cannot be read: make it a file of this user.'],
      });
    },
  );
  test('the file .env is not silently read in part: unknown names and lines without = are told', () => {
    const lines = [
      '# MESSAGECONTENT',
      '',
      'export DISCORD_TOKEN=abc',
      'webport=80',
      'WEB_PORT: 80',
    ];
    const known = ['LOG_LEVEL=debug', 'NODE_EXTRA_CA_CERTS=/ca', 'FRONTPAGE_VERSION=1'];
    writeFileSync('.env', [...lines, ...known].join('\n'));
    delete process.env['DISCORD_TOKEN'];
    expect(loadConfig()).toMatchObject({
      config: { token: 'abc', logLevel: 'debug' },
      notes: [
        'Line 5 of .env has no =, so it counts for nothing: write NAME=value.',
        '.env sets NODE_EXTRA_CA_CERTS, which Node reads before .env: set it in the environment instead.',
        '.env sets webport, which is no setting of Frontpage: .env.example lists them.',
      ],
    });
  });
  test('the file .env says with its faults which of its lines counted for nothing', () => {
    writeFileSync('.env', 'DISCORD_TOKEN: abc');
    delete process.env['DISCORD_TOKEN'];
    expect(loadConfig()).toMatchObject({
      faults: [
        expect.stringContaining('DISCORD_TOKEN is missing'),
        expect.stringContaining('Line 1 of .env'),
      ],
    });
  });
  test.each([
    ['redis://user:12#34@host', 'DISCORD_TOKEN=abc\nREDIS_URL=redis://user:12#34@host\n'],
    ['redis://:pass@w#ord@host', 'DISCORD_TOKEN=abc\nexport REDIS_URL = redis://:pass@w#ord@host'],
  ])('the file .env does not cut the address %s at its #: it is refused', (_, text) => {
    writeFileSync('.env', text);
    delete process.env['REDIS_URL'];
    const refused = {
      status: 'faulty',
      faults: [expect.stringMatching(/^REDIS_URL has a # .* write %23/)],
    };
    expect(loadConfig()).toEqual(refused);
    // As `node --env-file=.env` reads it, before the program begins.
    Object.assign(process.env, parseEnv(text));
    rmSync('.env');
    writeFileSync('service.env', text);
    process.execArgv.push('--env-file=service.env');
    const again = loadConfig();
    process.execArgv.pop();
    expect(again).toEqual(refused);
  });
  test.each([
    ['REDIS_URL="redis://:pa#ss@host"', 'redis://:pa#ss@host'],
    ['REDIS_URL=redis://host # the one beside', 'redis://host'],
    ['# REDIS_URL=redis://:pa#ss@host\nREDIS_URL=redis://host', 'redis://host'],
    ['REDIS_URL=\n\n# The folder of the data', undefined],
    ['REDIS_URL= # none', undefined],
  ])('the file .env may hold %s', (text, redisUrl) => {
    writeFileSync('.env', `DISCORD_TOKEN=abc\n${text}\n`);
    delete process.env['REDIS_URL'];
    expect(loadConfig()).toMatchObject({ status: 'ok', config: { redisUrl } });
  });
  test('the file .env is not judged where the environment has another address', () => {
    writeFileSync('.env', 'DISCORD_TOKEN=abc\nREDIS_URL=redis://:pa#ss@host\n');
    process.env['REDIS_URL'] = 'redis://other';
    const ofOther = { status: 'ok', config: { redisUrl: 'redis://other' } };
    expect(loadConfig()).toMatchObject(ofOther);
    // Nor is a file of the environment, which it overrules.
    process.execArgv.push('--env-file=.env');
    const again = loadConfig();
    process.execArgv.pop();
    expect(again).toMatchObject(ofOther);
  });
  test('the file .env is not judged by another file of the environment that cannot be read, or holds no address', () => {
    writeFileSync('other.env', 'LOG_LEVEL=info\n');
    const { length } = process.execArgv;
    process.execArgv.push('--env-file=missing.env', '--env-file-if-exists=other.env');
    const outcome = loadConfig();
    process.execArgv.splice(length);
    expect(outcome).toMatchObject({ status: 'ok' });
  });
  test('the file .env keeps a quotation mark that nothing closes in its line', () => {
    writeFileSync('.env', 'DISCORD_TOKEN=abc\nLOG_LEVEL="warn\nno variable\n');
    delete process.env['DISCORD_TOKEN'];
    expect(JSON.stringify(loadConfig())).toContain('Line 3 of .env has no =');
  });
  test('the file .env may hold a value of several lines in quotation marks', () => {
    writeFileSync('.env', 'DISCORD_TOKEN=abc\nWEB_URL="\nhttps://news.example\n"\n');
    expect(loadConfig()).toMatchObject({ status: 'ok', notes: [] });
  });
  test('the file .env counts where the environment sets a variable to nothing, and only there', () => {
    Object.assign(process.env, { DISCORD_TOKEN: '', LOG_LEVEL: 'error' });
    expect(loadConfig()).toMatchObject({ config: { token: 'abc.def', logLevel: 'error' } });
  });
});

describe('a token is refused', () => {
  test('a start without a token is refused', () => {
    expect(faultsOf({})).toEqual([expect.stringContaining('DISCORD_TOKEN is missing')]);
  });
  test('a token is refused when its file cannot be read', () => {
    const faults = faultsOf({ DISCORD_TOKEN_FILE: join(folder, 'none') });
    expect(faults).toEqual([expect.stringContaining('cannot be read (ENOENT)')]);
  });
  test('a token is refused when its file is empty', () => {
    const faults = faultsOf({ DISCORD_TOKEN_FILE: file('\n') });
    expect(faults).toEqual([expect.stringContaining('holds nothing')]);
  });
  test.each(['Bot abc', '…', '"abc.def"', '<token>', 'токен'])(
    'the token %s is refused',
    (token) => {
      expect(faultsOf({ DISCORD_TOKEN: token })).toEqual([
        expect.stringContaining('the token alone'),
      ]);
    },
  );
});

describe('.env.example', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n');
  const examples = lines.flatMap((line) => {
    const [, name, value] = /^(?:# )?([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value: value ?? '' }];
  });

  test('.env.example documents every variable that is read, and no other', () => {
    const documented = examples.map(({ name }) => name).sort();
    expect(documented).toEqual(Object.keys(zEnvironment.shape).sort());
  });

  test('.env.example shows the default of every variable', () => {
    const shown = Object.fromEntries(examples.map(({ name, value }) => [name, value]));
    expect(readConfig({ ...shown, DISCORD_TOKEN: 'abc' })).toEqual(
      readConfig({ DISCORD_TOKEN: 'abc' }),
    );
  });
});

test('the private server waits for the disk at every vote where the host wants that', () => {
  const token = { DISCORD_TOKEN: 'abc' };
  expect(readConfig({ ...token, APPENDFSYNC: 'always' })).toMatchObject({
    config: { appendFsync: 'always' },
  });
  expect(faultsOf({ ...token, APPENDFSYNC: 'never' })).toEqual([
    'APPENDFSYNC is neither everysec nor always: write one of the two.',
  ]);
});

test('how many requests Discord allows is fifty a second unless the host says otherwise', () => {
  const token = { DISCORD_TOKEN: 'abc' };
  expect(readConfig(token)).toMatchObject({ config: { requestsPerSecond: 50 } });
  expect(readConfig({ ...token, REQUESTS_PER_SECOND: '1200' })).toMatchObject({
    config: { requestsPerSecond: 1200 },
  });
  for (const wrong of ['0', '-5', 'many', '1.5']) {
    expect(faultsOf({ DISCORD_TOKEN: 'abc', REQUESTS_PER_SECOND: wrong })).toEqual([
      'REQUESTS_PER_SECOND is not a number of requests: write 1 or more.',
    ]);
  }
});

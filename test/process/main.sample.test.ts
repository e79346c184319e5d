import { once } from 'node:events';
import { createServer as createApi } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Community, startCommunity } from '../../discord-box/test/community.ts';
import { HOUR_MS, startClock, type StoppableClock } from '../../src/runtime/clock.ts';
import { freePort } from '../fixtures/cluster.ts';
import { type Run, runFrontpage } from '../fixtures/bot-process.ts';
import { startTestRedis } from '../fixtures/private-redis.ts';
import { isWhole } from '../fixtures/sample.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let sandbox: Community;
let dataDir: string;
/** Moves the time of Discord, and of the bots that look at it. */
let offsetFile: string;
let clock: StoppableClock;
const runs: Run[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'frontpage-main-'));
  offsetFile = join(dataDir, 'clock');
  clock = startClock(offsetFile);
  sandbox = await startCommunity({ rateLimits: false, answerWithinMs: 30_000, clock });
});
afterEach(async () => {
  // Not SIGKILL: that would leave its Redis behind.
  await Promise.all(runs.splice(0).map((run) => run.end()));
});
afterAll(async () => {
  clock.stop();
  await sandbox.stop();
  await rm(dataDir, { recursive: true });
});

function run(environment: Record<string, string>, folder?: string): Run {
  const usual = { DATA_DIR: dataDir, DISCORD_API_BASE: sandbox.apiBase };
  const started = runFrontpage(
    { ...usual, ...environment },
    folder === undefined ? {} : { folder },
  );
  runs.push(started);
  return started;
}

/** Of the private server. */
function serverSettings(): Promise<string> {
  return readFile(join(dataDir, 'redis', 'redis.conf'), 'utf8');
}

async function read(port: number, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

function post(link: string) {
  return sandbox.as(sandbox.admin).command(sandbox.channels.general.id, 'post', { link });
}

describe('the process', () => {
  // Withstands (The gateway): Discord ends the connection for good
  // → a reason and an exit code
  test('the process starts a Redis of its own, serves, ends cleanly on SIGTERM, finds its data again, and ends with a reason when Discord ends the connection for good', async () => {
    const first = run({ DISCORD_TOKEN: sandbox.token });
    await expect.poll(first.said).toContain('Optional permissions');
    expect(await serverSettings()).toContain('appendfsync everysec');
    expect(first.said()).toContain('https://discord.com/oauth2/authorize?client_id=');
    expect(first.said()).toContain('Manage Messages');
    expect(first.said()).not.toContain(sandbox.token);
    expect(first.said()).not.toContain('Node warns');
    const answer = await post('https://news.example/process');
    expect(answer.ephemeral).toBe(false);
    first.child.kill('SIGTERM');
    expect(await first.code).toBe(0);
    // And not because its time was over.
    expect(first.said()).toContain('Frontpage is off');

    const [web, metrics] = [await freePort(), await freePort()];
    const second = run({
      DISCORD_TOKEN: sandbox.token,
      APPENDFSYNC: 'always',
      WEB_PORT: String(web),
      METRICS_PORT: String(metrics),
      BACKUP_DIR: join(dataDir, 'backups'),
    });
    await second.isOn();
    // What it serves is of this bot, and tells the host of its disk and backups.
    await expect.poll(() => read(metrics, '/metrics')).toContain('\nfrontpage_guilds 1\n');
    const figures = await read(metrics, '/metrics');
    expect(figures).toContain('\nfrontpage_on_discord 1\n');
    expect(figures).toMatch(/\nfrontpage_disk_free_bytes \d+\n/);
    expect(figures).toMatch(/\nfrontpage_backup_age_seconds \d/);
    expect(await read(web, '/healthz')).toBe('ok\n');
    expect(await serverSettings()).toContain('appendfsync always');
    const again = await post('https://news.example/process');
    expect(again.ephemeral).toBe(true);
    expect(again.message?.content).toContain(answer.message?.id);
    sandbox.gateway.drop({ resumable: false, code: 4004 });
    expect(await second.code).toBe(78);
    expect(second.said()).toContain('Discord does not accept the token');
    expect(second.said()).not.toContain('WebSocketShard');
  });

  test.runIf(isWhole)('the process posts a digest as soon as its clock is moved', async () => {
    const { isOn } = run({ DISCORD_TOKEN: sandbox.token, CLOCK_OFFSET_FILE: offsetFile });
    await isOn();
    const { ai } = sandbox.channels;
    const time = new Date(Date.now() + 2 * HOUR_MS).toISOString().slice(11, 16);
    const settings = { channel: ai.id, time, timezone: 'UTC' };
    const admin = sandbox.as(sandbox.admin);
    await admin.command(ai.id, 'digest set', settings);
    await post('https://news.example/in-time');
    await writeFile(offsetFile, String(2 * HOUR_MS));
    const posted = () => admin.messages(ai.id).map(({ content }) => content);
    await expect.poll(posted).toContainEqual(expect.stringContaining('Daily digest'));
  });

  test.runIf(isWhole)(
    'the process announces an article with the vote that makes it interesting',
    async () => {
      const fresh = join(dataDir, 'fresh');
      const { said } = run({ DISCORD_TOKEN: sandbox.token, DATA_DIR: fresh });
      // Until then whatever is interesting counts as found by the rebuild.
      await expect.poll(said).toContain('The ranking of a guild is whole');
      const { ai, general } = sandbox.channels;
      const admin = sandbox.as(sandbox.admin);
      await setSetting(sandbox, 'mark', '2');
      await setSetting(sandbox, 'announcements', [ai.id]);
      const { message } = await post('https://news.example/interesting');
      sandbox.as(sandbox.members[0] ?? '').react(general.id, message?.id ?? '', '👍');
      const posted = () => admin.messages(ai.id).map(({ content }) => content);
      await expect
        .poll(posted)
        .toContainEqual(expect.stringContaining('one of the best here lately'));
    },
  );

  test.runIf(isWhole)('the process lists all faults of the configuration at once', async () => {
    const { code, said } = run({ LOG_LEVEL: 'loud', REDIS_URL: 'http://nowhere' });
    expect(await code).toBe(78);
    expect(said()).toContain('DISCORD_TOKEN');
    expect(said()).toContain('LOG_LEVEL');
    expect(said()).toContain('REDIS_URL');
  });

  // Withstands (Starts that fail, with one sentence): The token is wrong
  // → code 78
  test.runIf(isWhole)('the process says in one sentence that the token is wrong', async () => {
    const { code, said } = run({ DISCORD_TOKEN: 'wrong' });
    expect(await code).toBe(78);
    expect(said()).toContain('Discord does not accept the token');
  });

  test.runIf(isWhole)('the process ends cleanly when its terminal is closed', async () => {
    const { child, code, isOn } = run({ DISCORD_TOKEN: sandbox.token });
    await isOn();
    child.kill('SIGHUP');
    expect(await code).toBe(0);
  });

  // Withstands (Starts that fail, with one sentence): The gateway cannot be reached
  // → it is tried again after growing pauses
  test.runIf(isWhole)(
    'the process waits longer and longer for a gateway that is away, and says why',
    async () => {
      sandbox.gateway.open = false;
      const { said, isOn } = run({ DISCORD_TOKEN: sandbox.token });
      await expect.poll(said).toContain('It is tried again in 2 s.');
      expect(said()).toContain("Discord's gateway cannot be reached");
      sandbox.gateway.open = true;
      await isOn();
    },
  );

  test.runIf(isWhole)('the process says what answers in the place of Discord', async () => {
    let status = 200;
    const api = createApi((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3600' });
      response.end('null');
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const { port } = api.address() as AddressInfo;
    const given = {
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_BASE: `http://127.0.0.1:${port}/api`,
    };
    const first = run(given);
    expect(await first.code).toBe(69);
    expect(first.said()).toContain('Discord answers with something else');
    status = 429;
    const second = run(given);
    await expect.poll(second.said).toContain('Discord takes no requests of this bot');
    second.child.kill('SIGTERM');
    await second.code;
    api.close();
  });

  test.runIf(isWhole)(
    'the process says in one sentence that Redis refuses the database',
    async () => {
      const redis = await startTestRedis();
      const REDIS_URL = `redis+unix://${redis.url}?db=99`;
      const { code, said } = run({ DISCORD_TOKEN: sandbox.token, REDIS_URL });
      expect(await code).toBe(78);
      expect(said()).toContain('Redis refuses the database 99');
      await redis.stop();
    },
  );

  // Withstands (Starts that fail, with one sentence): Discord, Redis or the port cannot be had
  // → code 69
  test.runIf(isWhole)(
    'the process says in one sentence that Discord cannot be reached',
    async () => {
      const { code, said } = run({
        DISCORD_TOKEN: sandbox.token,
        DISCORD_API_BASE: 'http://127.0.0.1:1/api',
      });
      expect(await code).toBe(69);
      expect(said()).toContain('Discord cannot be reached (ECONNREFUSED)');
    },
  );

  test.runIf(isWhole)('the process says in one sentence that Redis does not answer', async () => {
    const { code, said } = run({
      DISCORD_TOKEN: sandbox.token,
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect(await code).toBe(69);
    expect(said()).toContain('Redis does not answer (connect ECONNREFUSED');
    expect(said()).not.toContain('maxRetriesPerRequest');
  });

  test.runIf(isWhole)('the process says in one sentence that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, said } = run({ DISCORD_TOKEN: sandbox.token, WEB_PORT: String(port) });
    expect(await code).toBe(69);
    expect(said()).toContain(`The port ${port} is taken`);
    other.close();
  });

  test.runIf(isWhole)('the process says in one sentence that .env is a folder', async () => {
    const folder = join(dataDir, 'set-up');
    await mkdir(join(folder, '.env'), { recursive: true });
    const { code, said } = run({ DISCORD_TOKEN: sandbox.token }, folder);
    expect(await code).toBe(78);
    expect(said()).toContain('.env cannot be read');
    expect(said()).not.toContain('    at ');
  });

  // Withstands (Starts that fail, with one sentence): DATA_DIR is no folder
  // → the sentence names it
  test.runIf(isWhole)('the process says in one sentence that its folder is none', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    const { code, said } = run({ DISCORD_TOKEN: sandbox.token, DATA_DIR: file });
    expect(await code).toBe(78);
    expect(said()).toContain('set DATA_DIR to a folder that this user may write to');
    expect(said()).not.toContain('    at ');
  });

  // Withstands (Starts that fail, with one sentence): Redis forbids a command
  // → the sentence names the missing rule
  test.runIf(isWhole)('the process says in one sentence what Redis does not permit', async () => {
    const redis = await startTestRedis();
    const rules = ['on', '>right', '~*', '&*', '+@all', '-zadd', '-evalsha'];
    await redis.redis.call('ACL', 'SETUSER', 'limited', ...rules);
    const url = `redis+unix://limited:right@${redis.url}`;
    const { code, said } = run({ DISCORD_TOKEN: sandbox.token, REDIS_URL: url });
    expect(await code).toBe(78);
    expect(said()).toMatch(/ACL SETUSER .* \+zadd \+evalsha\n/);
    await redis.stop();
  });
});

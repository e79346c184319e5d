import { on, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startClock } from '../../../src/runtime/clock.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/tour/sandbox.ts';

let folder: string;
let sandbox: Sandbox;

const start = (options: SandboxOptions = {}) =>
  startSandbox({
    ...options,
    saveFile: join(folder, 'world.json'),
    clockFile: join(folder, 'clock-offset'),
    clock: startClock(join(folder, 'clock-offset')),
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  sandbox = await start();
});
afterEach(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${sandbox.address}/sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

function streamOf(member: string, origin = sandbox.address): WebSocket {
  const { host } = new URL(sandbox.address);
  return new WebSocket(`ws://${host}/sandbox/as/${member}/events`, { origin });
}

const grace = () => sandbox.members[0] ?? '';

describe('over HTTP', () => {
  test('a member sends, reacts and is told why something is refused', async () => {
    const channel = sandbox.channels.general.id;
    const sent = await post(`as/${grace()}/send`, { channel, content: 'hello' });
    const { id } = sent.body as { id: string };
    expect(await post(`as/${grace()}/react`, { channel, message: id, emoji: '👍' })).toEqual({
      status: 200,
      body: true,
    });
    const hidden = { channel: sandbox.channels.moderators.id, content: 'hello' };
    expect(await post(`as/${grace()}/send`, hidden)).toEqual({
      status: 422,
      body: { refused: 'You cannot see this channel.' },
    });
  });

  test('the stream tells a member what it may see, and nobody else of ephemeral messages', async () => {
    const stream = streamOf(grace());
    const heard = on(stream, 'message') as AsyncIterator<[Buffer]>;
    const next = async (): Promise<string> => String((await heard.next()).value[0]);
    const admin = sandbox.as(sandbox.admin);
    expect(await next()).toContain('"event":"hello"');
    admin.send(sandbox.channels.moderators.id, 'between us');
    admin.send(sandbox.channels.general.id, 'for all');
    const event = await next();
    expect(event).toContain('"event":"message"');
    expect(event).toContain('for all');
    expect(event).not.toContain('between us');
    stream.terminate();
  });

  test("the stream is for members and this page: it is refused to a stranger and to another site's page", async () => {
    const refused = 'socket hang up';
    await expect(once(streamOf('1'), 'open')).rejects.toThrow(refused);
    const foreign = streamOf(grace(), 'https://evil.example');
    await expect(once(foreign, 'open')).rejects.toThrow(refused);
  });

  test('time moves for everything at once', async () => {
    const before = sandbox.world.clock.now();
    await post('clock', { addMs: 3_600_000 });
    await sandbox.until(
      () => (sandbox.world.clock.now() - before >= 3_600_000 ? true : undefined),
      'an hour to pass',
    );
    expect(sandbox.world.clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
  });

  test("another site's page is refused, by origin and by name", async () => {
    const foreign = await fetch(`${sandbox.address}/sandbox/community`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    const status = await new Promise((resolve) => {
      const { port } = new URL(sandbox.address);
      const headers = { host: 'evil.example' };
      request({ host: '127.0.0.1', port, path: '/sandbox/community', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end();
    });
    expect(status).toBe(403);
  });

  test('the page and its parts are served, and nothing beside them', async () => {
    const page = await (await fetch(sandbox.address)).text();
    expect(page).toContain('<div id="page">');
    const { headers } = await fetch(sandbox.address);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect((await fetch(`${sandbox.address}/page.js`)).headers.get('content-type')).toMatch(
      /javascript/,
    );
    expect((await fetch(`${sandbox.address}/..%2fserver.ts`)).status).toBe(404);
    expect((await fetch(`${sandbox.address}/server.ts`)).status).toBe(404);
  });
});

describe('a world that is kept', () => {
  test('a world that is kept is the same after a new start', async () => {
    const { general } = sandbox.channels;
    const { id } = sandbox.as(sandbox.admin).send(general.id, 'still here');
    sandbox.as(grace()).react(general.id, id, '👍');
    const { applicationId, guildId } = sandbox;
    await sandbox.stop();
    sandbox = await start();
    expect(sandbox).toMatchObject({ applicationId, guildId });
    expect(sandbox.channels.general.messages.get(id)?.content).toBe('still here');
    const [message] = sandbox.as(grace()).messages(general.id);
    expect(message?.reactions).toMatchObject([{ count: 1, me: true }]);
  });

  test('a month whose set-up was interrupted is set up by the next start, and by none after that', async () => {
    const restart = async (): Promise<boolean> => {
      await sandbox.stop();
      sandbox = await start({ past: 'month' });
      return sandbox.toSetUp();
    };
    // Another kind of world, which needs none.
    expect(await restart()).toBe(false);
    await sandbox.stop();
    rmSync(join(folder, 'world.json'));
    sandbox = await start({ past: 'month' });
    expect(await restart()).toBe(true);
    sandbox.noteSetUp();
    expect(await restart()).toBe(false);
  });
});

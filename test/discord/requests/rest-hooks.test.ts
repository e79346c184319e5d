import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Worker } from 'node:worker_threads';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { REST } from 'discord.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NOON } from '../../fixtures/test-clock.ts';
import { recordLog } from '../../fixtures/record-log.ts';
import { NotDiscord } from '../../../src/discord/api-errors.ts';
import {
  countAnswers,
  keepToken,
  limitAnswers,
  refuseForeignAnswers,
  tellLongWaits,
} from '../../../src/discord/requests/rest-hooks.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('an answer that stops in its middle ends the request, also after a garbage collection', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 });
    response.write('{"id":');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const rest = new REST({ api: `http://127.0.0.1:${port}/api`, retries: 0 }).setToken('any');
  limitAnswers(rest, 3000);
  const collecting = setInterval(collectGarbage, 50);
  const answer = rest.post('/interactions/1/any/callback', { body: { type: 5 } });
  await expect(answer).rejects.toThrow('took too long');
  clearInterval(collecting);
  server.closeAllConnections();
  server.close();
}, 20_000);

/** A Discord that says when it is asked, and when it has answered. */
const discordBeside = `
  const { parentPort, workerData: answered } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    response.on('finish', () => {
      Atomics.store(answered, 0, 1);
      Atomics.notify(answered, 0);
    });
    parentPort.postMessage('asked');
    setTimeout(() => response.setHeader('content-type', 'application/json').end('{"type":5}'), 50);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

test('an answer that arrived while the process stood still is read, though its time is over', async () => {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const discord = new Worker(discordBeside, { eval: true, workerData: answered });
  const [port] = (await once(discord, 'message')) as [number];
  const rest = new REST({ api: `http://127.0.0.1:${port}/api`, retries: 0 }).setToken('any');
  const limitMs = 1000;
  limitAnswers(rest, 3 * limitMs);
  const answer = rest.post('/interactions/1/any/callback', { body: { type: 5 } });
  const overMs = performance.now() + limitMs;
  await once(discord, 'message');
  Atomics.wait(answered, 0, 0, 20_000);
  Atomics.wait(answered, 0, 1, overMs - performance.now() + 1);
  await expect(answer).resolves.toEqual({ type: 5 });
  await discord.terminate();
});

describe('an answer that does not come', () => {
  const json = { 'content-type': 'application/json' };
  let waiting: ServerResponse[];
  let server: Server;
  let rest: REST;
  beforeEach(async () => {
    waiting = [];
    server = createServer((request, response) => {
      request.resume();
      waiting.push(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    rest = new REST({ api: `http://127.0.0.1:${port}/api`, retries: 0 }).setToken('any');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  test('is waited for where it is one to a file, which takes longer to send', async () => {
    limitAnswers(rest, 300);
    const file = { name: 'copy.json', data: '{}' };
    const ended = { file: '', text: '' };
    const send = (what: 'file' | 'text', id: number) =>
      rest
        .post(`/interactions/${id}/any/callback`, {
          body: { type: 4 },
          ...(what === 'file' && { files: [file] }),
        })
        .then(() => 'sent', String)
        .then((how) => (ended[what] = how));
    const sent = send('file', 1);
    await expect.poll(() => waiting.length).toBe(1);
    await send('text', 2);
    expect(ended).toEqual({ file: '', text: expect.stringContaining('took too long') });
    waiting[0]!.writeHead(200, json).end('{}');
    expect(await sent).toBe('sent');
  });

  test('is waited for no longer when whoever asked gives up', async () => {
    limitAnswers(rest, 300);
    const ending = new AbortController();
    let ended = '';
    const asked = rest.get('/gateway', { signal: ending.signal }).catch((error: unknown) => {
      ended = String(error);
    });
    await expect.poll(() => waiting.length).toBe(1);
    ending.abort();
    await expect.poll(() => ended).toContain('abort');
    await asked;
  });
});

describe('a client with hooks', () => {
  type Answer = { status: number; headers?: Record<string, string>; body?: string };
  const json = { 'content-type': 'application/json' };
  let server: Server;
  let answer: Answer;
  let asked: IncomingMessage['headers'][];
  let rest: REST;
  beforeAll(async () => {
    server = createServer(({ headers }, response) => {
      asked.push(headers);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => {
    asked = [];
    const { port } = server.address() as AddressInfo;
    const api = `http://127.0.0.1:${port}/api`;
    rest = new REST({ api, retries: 0, rejectOnRateLimit: () => true }).setToken('mine');
  });
  afterAll(() => server.close());
  const ask = (given: Answer) => {
    answer = given;
    return rest.get('/gateway');
  };

  test('a success in another form than Discord’s is none, whatever its status says', async () => {
    refuseForeignAnswers(rest);
    const page = { 'content-type': 'text/html' };
    expect(await ask({ status: 200, headers: json, body: '{"url":"x"}' })).toEqual({ url: 'x' });
    await expect(ask({ status: 204 })).resolves.toBeDefined();
    for (const status of [200, 302]) {
      await expect(ask({ status, headers: page, body: '<p>Log in.' })).rejects.toThrow(NotDiscord);
    }
    await expect(
      ask({ status: 404, headers: json, body: '{"code":10003,"message":"none"}' }),
    ).rejects.toThrow('none');
  });

  test('the token is kept after an answer that refuses it', async () => {
    keepToken(rest, 'mine');
    await expect(
      ask({ status: 401, headers: json, body: '{"code":0,"message":"401"}' }),
    ).rejects.toThrow('401');
    await ask({ status: 200, headers: json, body: '{}' });
    expect(asked.map(({ authorization }) => authorization)).toEqual(['Bot mine', 'Bot mine']);
  });

  test('an answer counts as one unless it is a fault of Discord’s servers', async () => {
    const answers = countAnswers(rest);
    for (const status of [200, 404, 503, 500]) {
      await ask({ status, headers: json, body: '{"code":0,"message":""}' }).catch(() => {});
    }
    expect(answers()).toBe(2);
  });

  test('the log says until when Discord takes no requests, once, and nothing of a limit of one route', async () => {
    const { log, text } = recordLog();
    tellLongWaits(rest, { now: () => NOON }, log);
    const told = () => text().split('\n').filter(Boolean).length;
    const refuse = (seconds: number, more: Record<string, string> = {}) => {
      const headers = { 'retry-after': `${seconds}`, ...more };
      rest.emit('response', {} as never, new Response('{}', { status: 429, headers }));
    };
    refuse(29);
    refuse(600, { 'x-ratelimit-bucket': 'a' });
    expect(told()).toBe(0);
    refuse(600);
    expect(text()).toContain('until 2027-03-10T12:10:00 UTC');
    refuse(610);
    expect(told()).toBe(1);
    refuse(1200);
    expect(told()).toBe(2);
  });
});

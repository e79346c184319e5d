import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { REST } from 'discord.js';
import { expect, test } from 'vitest';
import { limitAnswers } from '../../../src/discord/requests/rest-hooks.ts';

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

import { once } from 'node:events';
import { createServer } from 'node:http';
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
  limitAnswers(rest);
  const collecting = setInterval(collectGarbage, 50);
  const answer = rest.post('/interactions/1/any/callback', { body: { type: 5 } });
  await expect(answer).rejects.toThrow('took too long');
  clearInterval(collecting);
  server.closeAllConnections();
  server.close();
}, 20_000);

import { once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { type WebServer, startWebServer } from './web-server.ts';

let server: WebServer;
let path: string;
/** The server's ends of the connections that asked for something. */
const ends = new Set<Socket>();
const note = (message: unknown) => void ends.add((message as { socket: Socket }).socket);

beforeAll(async () => {
  server = await startWebServer();
  const guild = server.newGuild();
  await writeWebSettings(server.store, guild, { open: true });
  for (let n = 0; n < 25; n += 1) await server.post(guild);
  path = `/g/${guild}`;
  await server.get(path);
  subscribe('http.server.request.start', note);
});
afterAll(async () => {
  unsubscribe('http.server.request.start', note);
  await server.stop();
});

/** A client that reads nothing of what it gets. */
async function unreading(): Promise<Socket> {
  const { hostname, port } = new URL(server.web.address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  return socket;
}

const ASKED = () => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

// Withstands (Attacks): A client asks for page after page and reads none of them
// → it is not answered on and on, and its connection is closed; pages are there for the others
test('a client that asks for page after page and reads nothing is not answered on and on, and its connection is closed', async () => {
  const client = await unreading();
  try {
    client.write(ASKED());
    await expect.poll(() => ends.size).toBe(1);
    const [end] = ends;
    // Until the system takes no more of the answers.
    for (let asked = 0; end!.writableLength === 0 && asked < 20_000; asked += 25) {
      client.write(ASKED().repeat(25));
      await pause(100);
    }
    expect(end!.writableLength).toBeGreaterThan(0);
    expect(end!.destroyed).toBe(false);
    await expect.poll(() => end!.destroyed).toBe(true);
    expect((await server.get(path)).status).toBe(200);
  } finally {
    client.destroy();
  }
  // How much a system takes before it stops is its own.
}, 300_000);

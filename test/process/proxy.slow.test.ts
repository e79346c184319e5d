import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Community, startCommunity } from '../../discord-box/test/community.ts';
import { runFrontpage } from '../fixtures/bot-process.ts';

const pem = (name: string) => join(import.meta.dirname, '../fixtures/tls', `discord-${name}.pem`);

const canUse = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
if (!canUse) console.warn('A proxy is not tried: Node can use one from 22.21 and 24.5 on.');

let sandbox: Community;
let folder: string;
/** Whom the proxy was asked to lead to, and with which password. */
const asked: string[] = [];
const servers: Server[] = [];
const sockets = new Set<Socket>();
beforeAll(async () => {
  [sandbox, folder] = await Promise.all([
    startCommunity({ rateLimits: false }),
    mkdtemp(join(tmpdir(), 'frontpage-proxy-')),
  ]);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  await sandbox.stop();
  await rm(folder, { recursive: true });
});

function listening(server: Server): Promise<number> {
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function lead(near: Socket, port: number): void {
  const far = connect(port, '127.0.0.1');
  for (const socket of [near, far]) {
    sockets.add(socket);
    socket.on('error', () => near.destroy());
  }
  near.pipe(far).pipe(near);
}

/** The address of a proxy that leads whoever asks for Discord, by TLS, to the Discord in a box. */
async function startProxyToBox(): Promise<string> {
  const box = Number(new URL(sandbox.apiBase).port);
  const options = { key: readFileSync(pem('key')), cert: readFileSync(pem('certificate')) };
  const discord = await listening(tls.createServer(options, (socket) => lead(socket, box)));
  const proxy = createServer();
  proxy.on('connect', ({ url = '', headers }, socket: Socket) => {
    const [, login = ''] = headers['proxy-authorization']?.split(' ') ?? [];
    asked.push(`${Buffer.from(login, 'base64').toString()} ${url}`);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    lead(socket, discord);
  });
  return `http://host:secret@127.0.0.1:${await listening(proxy)}`;
}

test.runIf(canUse)(
  'a bot that knows nothing but a proxy reaches Discord and its gateway through it, and so does the check',
  async () => {
    const environment = {
      DISCORD_TOKEN: sandbox.token,
      DATA_DIR: join(folder, 'data'),
      HTTPS_PROXY: await startProxyToBox(),
      NODE_USE_ENV_PROXY: '1',
      NODE_EXTRA_CA_CERTS: pem('certificate'),
    };
    const check = runFrontpage(environment, { words: ['check'], folder });
    expect(await check.code).toBe(0);
    expect(check.said()).toContain('✓ Proxy: Discord is reached through the proxy of HTTPS_PROXY');
    expect(check.said()).toContain('✓ Gateway: wss://gateway.discord.gg answers');
    const ofCheck = asked.splice(0);

    const bot = runFrontpage(environment, { folder });
    await bot.isOn();
    expect(bot.said()).toContain('Discord is reached through the proxy of HTTPS_PROXY');
    const { message } = await sandbox
      .as(sandbox.admin)
      .command(sandbox.channels.general.id, 'post', { link: 'https://news.example/' });
    expect(message?.content).toContain('news.example');
    expect(await bot.end()).toBe(0);
    for (const hosts of [ofCheck, asked]) {
      expect(new Set(hosts)).toEqual(
        new Set(['host:secret discord.com:443', 'host:secret gateway.discord.gg:443']),
      );
    }
    expect(check.said() + bot.said()).not.toContain('secret');
  },
);

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { type Client, REST } from 'discord.js';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  ATTACHED_AT_MOST,
  fetchGuildIcon,
  fileOf,
  readAttachment,
} from '../../../src/discord/requests/attachment.ts';
import { UserError } from '../../../src/discord/user-error.ts';

let server: Server;
let origin: string;
let hits = 0;
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    hits += 1;
    if (url === '/moved') response.writeHead(302, { location: '/file' }).end();
    else if (url === '/none') response.writeHead(404).end();
    else if (url === '/file') response.end('hello');
    else if (url?.startsWith('/icons/9/')) response.end(icons.get(url.slice(9, 41)));
    else if (url?.startsWith('/icons/')) response.write('Its end does not come.');
    else {
      // Without end, as far as the reader lets it.
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
      };
      response.on('drain', more);
      more();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
/** By their hash, what the server has for icons of the guild 9. */
const icons = new Map<string, Buffer>();
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const clientOf = (api: string) => ({ options: { rest: new REST({ api }).options } }) as Client;
async function refusal(url: string, { api = `${origin}/api`, size = 5 } = {}): Promise<string> {
  const error = await readAttachment(clientOf(api), { url, size }).catch((error: unknown) => error);
  return error instanceof UserError ? error.key : String(error);
}

test('a file is read from where the Discord that told of it keeps its files', async () => {
  const file = await readAttachment(clientOf(`${origin}/api`), { url: `${origin}/file`, size: 5 });
  expect(file.toString()).toBe('hello');
});

// Withstands (Attacks): An attachment leads into the host’s network
// → only Discord’s file hosts are asked
test('nothing is asked of any other host, whatever the attachment says', async () => {
  const before = hits;
  const discord = { api: 'https://discord.com/api' };
  const elsewhere = [
    `${origin}/file`,
    'http://cdn.discordapp.com/a',
    'https://cdn.discordapp.com.evil.example/a',
    'https://cdn.discordapp.com@evil.example/a',
    'https://cdn.discordapp.com:8443/a',
    'https://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'no address',
  ];
  for (const url of elsewhere) expect(await refusal(url, discord)).toBe('data.file.elsewhere');
  const other = origin.replace('127.0.0.1', 'localhost');
  expect(await refusal(`${other}/file`)).toBe('data.file.elsewhere');
  expect(hits).toBe(before);
});

test('a redirection, a missing file and one that is larger than it may be are refused', async () => {
  expect(await refusal(`${origin}/moved`)).toBe('data.file.gone');
  expect(await refusal(`${origin}/none`)).toBe('data.file.gone');
  expect(await refusal(`${origin}/file`, { size: ATTACHED_AT_MOST + 1 })).toBe('data.file.big');
  expect(await refusal(`${origin}/endless`)).toBe('data.file.big');
});

test('an icon that stops in its middle is given up, also after a garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc') as () => void, 50);
  const icon = fetchGuildIcon(clientOf(`${origin}/api`), '1', '0'.repeat(32), 500);
  expect(await icon).toBeNull();
  clearInterval(collecting);
}, 20_000);

test('an icon is a small PNG of Discord’s, and nothing else is shown as one', async () => {
  const client = clientOf(`${origin}/api`);
  const icon = (data: Buffer) => {
    const hash = `${icons.size}`.padStart(32, 'a');
    icons.set(hash, data);
    return fetchGuildIcon(client, '9', hash);
  };
  const [small, large] = [1000, 256 * 1024].map((more) => Buffer.concat([PNG, Buffer.alloc(more)]));
  expect(await icon(small!)).toEqual(small);
  expect(await icon(large!)).toBeNull();
  expect(await icon(Buffer.from('<html>'))).toBeNull();
  const before = hits;
  expect(await fetchGuildIcon(client, '9', '../../file?')).toBeNull();
  expect(hits).toBe(before);
});

test('a file and an icon are asked of the hosts where the real Discord keeps its files', async () => {
  const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('No network.'));
  onTestFinished(() => asked.mockRestore());
  expect(await fetchGuildIcon(clientOf('https://discord.com/api'), '9', 'b'.repeat(32))).toBeNull();
  const [[address] = []] = asked.mock.calls;
  expect(address).toMatch(/^https:\/\/cdn\.discordapp\.com\/icons\/9\/b+\.png/);
  const discord = { api: 'https://discord.com/api' };
  for (const host of ['cdn.discordapp.com', 'media.discordapp.net'])
    expect(await refusal(`https://${host}/attachments/1/2/a.json`, discord)).toBe('data.file.gone');
  expect(asked).toHaveBeenCalledTimes(3);
});

test('a file that is too long even when it is packed is none, and never a part of one', async () => {
  const lines = Array.from({ length: 400 }, () => `${randomBytes(1000).toString('hex')}\n`);
  async function* read() {
    yield* lines;
  }
  expect(await fileOf(read(), 300_000)).toBeNull();
  const whole = await fileOf(read(), 1_000_000);
  expect(whole?.isPacked).toBe(true);
  expect(gunzipSync(whole!.data).toString()).toBe(lines.join(''));
});

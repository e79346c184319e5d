import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';

/** A port of 127.0.0.1 that nobody uses now, any by default. Rejects where the wished one is taken. */
export async function freePort(wished = 0): Promise<number> {
  const server = createServer().listen(wished, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The port of the last start, which a file keeps, as long as it is free: links in earlier messages lead on. */
export async function samePort(file: string): Promise<number> {
  const port = await freePort(keptIn(file)).catch(() => freePort());
  writeFileSync(file, String(port));
  return port;
}

function keptIn(file: string): number {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port < 65_536 ? port : 0;
  } catch {
    return 0; // The first start.
  }
}

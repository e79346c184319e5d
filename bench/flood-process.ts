import { connect } from 'node:net';

/**
 * A crowd of visitors for `flood.ts`: it asks for pages in turn over open connections, evenly, so many times
 * a second, and tells each second how many answers came, and how many of them were pages or said when to come again.
 */

const [address = '', perSecond = '0', pathList = ''] = process.argv.slice(2);
const paths = pathList.split(' ');
const { hostname, port } = new URL(address);
const CONNECTIONS = 50;
const TICK_MS = 10;

const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
const counts = { sent: 0, answered: 0, pages: 0, told: 0 };
const sockets = Array.from({ length: CONNECTIONS }, () =>
  connect(Number(port), hostname)
    .on('data', (chunk) => {
      const text = chunk.toString('latin1');
      counts.answered += text.split('HTTP/1.1 ').length - 1;
      counts.pages += text.split('HTTP/1.1 200').length - 1;
      counts.told += text.split('retry-after: ').length - 1;
    })
    // A bot that does not keep up resets connections. The fewer answers tell of it.
    .on('error', () => {}),
);
process.on('disconnect', () => process.exit());

const startMs = performance.now();
setInterval(() => {
  const due = ((performance.now() - startMs) / 1000) * Number(perSecond);
  for (; counts.sent < due; counts.sent += 1) {
    sockets[counts.sent % CONNECTIONS]!.write(requests[counts.sent % requests.length]!);
  }
}, TICK_MS);
setInterval(() => process.send?.(counts), 1000);

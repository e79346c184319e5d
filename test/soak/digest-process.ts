import { once } from 'node:events';
import { connect } from 'node:net';
import { openPress, type Press } from '../../src/digest/press.ts';
import { runDueDigests } from '../../src/digest/tick.ts';
import { type RunningBot, startBot } from '../../src/discord/bot.ts';
import { createLog } from '../../src/log.ts';
import { connectRedis } from '../../src/store/redis.ts';
import { type Death, mortal } from '../digest/mortal.ts';

/** A real process with a real bot, which posts digests when it is told to, and may die at it. */
export type Order =
  | { do: 'start'; token: string; apiBase: string; redisUrl: string; offsetMs: number }
  | { do: 'clock'; offsetMs: number }
  | { do: 'tick'; death?: Death | 'half a request' };

let offsetMs = 0;
let apiBase = '';
let running: RunningBot | undefined;
let ticking: Promise<void> | undefined;
const clock = { now: () => Date.now() + offsetMs };
const log = createLog('silent');

process.on('message', (order: Order) => void obey(order));
process.on('SIGTERM', () => void end());
// The tests are over, or died.
process.on('disconnect', () => process.exit());

async function obey(order: Order): Promise<void> {
  if (order.do === 'tick') {
    ticking = tick(order.death);
    await ticking;
  } else {
    ({ offsetMs } = order);
    if (order.do === 'start') await start(order);
  }
  process.send?.('done');
}

async function start({ token, redisUrl, ...order }: Extract<Order, { do: 'start' }>) {
  ({ apiBase } = order);
  const redis = connectRedis(redisUrl, { log, name: 'soak' });
  running = await startBot({ token, apiBase, redis, clock, log });
}

async function tick(death: Death | 'half a request' | undefined): Promise<void> {
  const { bot } = running!;
  let press = openPress(bot);
  if (death === 'half a request') {
    press = { ...press, outlet: { ...press.outlet, send: dyingSend(bot.client.token ?? '') } };
  } else if (death !== undefined) {
    const doomed = mortal(press, death);
    ({ press } = doomed);
    void doomed.died.then(die);
  }
  await runDueDigests(press, bot.stopping).catch(() => {}); // The next tick tries again.
}

/** Discord never gets the whole of it. */
function dyingSend(token: string): Press['outlet']['send'] {
  return async (channel, body, nonce) => {
    const { hostname, port, pathname } = new URL(`${apiBase}/v10/channels/${channel}/messages`);
    const json = Buffer.from(JSON.stringify({ ...body, nonce, enforce_nonce: true }));
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `Authorization: Bot ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${json.length}`,
    ];
    const half = json.subarray(0, json.length / 2);
    await new Promise((sent) =>
      socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), half]), sent),
    );
    return die();
  };
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('Nobody hears this.');
}

/** As `main.ts` ends: what is under way is finished, and nothing is begun. */
async function end(): Promise<void> {
  if (ticking) running?.hold(ticking);
  await running?.stop();
  process.exit();
}

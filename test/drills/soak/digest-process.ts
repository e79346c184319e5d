import { openDigestContext } from '../../../src/digests/posting/posting-context.ts';
import { runDueDigests } from '../../digests/due-digests.ts';
import type { RunningBot } from '../../../src/bot.ts';
import { startBot } from '../../../src/bot.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { type Death, sendHalf, dyingAt } from '../../digests/dying-process.ts';

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
// As `main.ts` does.
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
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
  let context = openDigestContext(running!);
  if (death === 'half a request') {
    context = sendHalf(context, { apiBase, token: running!.client.token ?? '' }, die);
  } else if (death !== undefined) {
    const doomed = dyingAt(context, death);
    ({ context } = doomed);
    void doomed.died.then(die);
  }
  await runDueDigests(context, running!.stopping).catch(() => {}); // The next tick tries again.
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** As `main.ts` ends: what is under way is finished, and nothing is begun. */
async function end(): Promise<void> {
  if (ticking) running?.hold(ticking);
  await running?.stop();
  process.exit();
}

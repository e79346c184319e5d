import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '../src/runtime/log.ts';
import { connectRedis } from '../src/redis/connection.ts';

/** The other client of `bystander.ts`: it watches between `start` and `stop`. */

const redis = connectRedis(process.argv[2]!, { log: createLog('error'), name: 'bystander' });
const tell = process.send!.bind(process);
const watch = { on: false };
process.on('message', (message) => {
  watch.on = message === 'start';
});
process.on('disconnect', () => process.exit());
await redis.ping();
tell(0);
for (;;) {
  while (!watch.on) await pause(1);
  let worst = 0;
  tell(0);
  while (watch.on) {
    const start = performance.now();
    await redis.ping();
    worst = Math.max(worst, performance.now() - start);
    await pause(1);
  }
  tell(worst);
}

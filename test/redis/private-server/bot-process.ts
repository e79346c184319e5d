/** A bot that does nothing but look after its server: it is killed, or ended by Ctrl-C. */
import { createLog } from '../../../src/runtime/log.ts';
import { startPrivateServer } from '../../../src/redis/private-server/private-server.ts';
import { connectRedis } from '../../../src/redis/connection.ts';

const [dataDir = ''] = process.argv.slice(2);
const log = createLog('silent');

try {
  const server = await startPrivateServer({ dataDir, log, appendFsync: 'no' });
  const redis = connectRedis(server.url, { log, name: 'bot' });
  await redis.set('written by', 'a bot');
  process.once('SIGINT', () => void end());
  console.log(JSON.stringify({ url: server.url, pid: server.pid() }));

  async function end(): Promise<void> {
    console.log(await redis.get('written by'));
    redis.disconnect();
    await server.stop();
    console.log('ended');
  }
} catch (error) {
  console.log((error as Error).message);
}

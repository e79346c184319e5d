import { parseArgs } from 'node:util';
import { startClock } from './clock.ts';
import { type Config, loadEnvironment, readConfig } from './config.ts';
import { forgetEverywhere } from './discord/forgetting.ts';
import { createLog, fault, type Log } from './log.ts';
import { findPrivateServer, startPrivateServer } from './store/private-server.ts';
import { checkServer, connectRedis } from './store/redis.ts';
import { zSnowflake } from './voting/snowflake.ts';

/**
 * `npm run forget -- <member id> [--opt-out]`: erases what is kept of a member in every server, as the
 * member can with /privacy. It uses the Redis that the bot uses, whether the bot is running or not.
 */

const closers: (() => unknown)[] = [];
process.exitCode = await main().catch((error: unknown) => {
  createLog('info').error(fault(error), 'Not all is erased. Started again, it goes on from there.');
  return 1;
});
for (let close = closers.pop(); close; close = closers.pop()) await close();

/** Returns the exit code. */
async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'opt-out': { type: 'boolean', default: false } },
  });
  const member = zSnowflake.safeParse(positionals[0]);
  if (!member.success) return refuse('Usage: npm run forget -- <member id> [--opt-out]');
  const outcome = readConfig(loadEnvironment());
  if (outcome.status === 'faulty') {
    return refuse(['Nothing is erased:', ...outcome.faults].join('\n- '));
  }
  const { config } = outcome;
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const clock = startClock(config.clockOffsetFile);
  closers.push(() => clock.stop());
  const redis = connectRedis(await redisUrl(config, log), { log, name: 'frontpage-forget' });
  closers.push(() => redis.disconnect());
  const server = await checkServer(redis);
  if (server.status !== 'accepted') return refuse(server.reason);
  const settings = { ...config, redis, clock, log, optOut: values['opt-out'] };
  const done = await forgetEverywhere(settings, member.data);
  for (const { guild, posts, votes } of done) {
    console.log(`Server ${guild}: ${posts} articles and ${votes} votes erased.`);
  }
  console.log(done.length === 0 ? 'Nothing is kept of that member.' : 'Done.');
  return 0;
}

/** A running bot's own server, or else one that ends with us. */
async function redisUrl({ redisUrl, dataDir }: Config, log: Log): Promise<string> {
  if (redisUrl !== undefined) return redisUrl;
  const running = await findPrivateServer(dataDir);
  if (running !== null) return running;
  const server = await startPrivateServer({ dataDir, log });
  closers.push(() => server.stop());
  return server.url;
}

function refuse(reason: string): number {
  console.error(reason);
  return 1;
}

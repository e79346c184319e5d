import { startClock } from './clock.ts';
import { type Config, loadEnvironment, readConfig } from './config.ts';
import { openOverRest } from './discord/bot.ts';
import type { RebuildStep } from './discord/rebuild-step.ts';
import { createLog, fault, type Log } from './log.ts';
import { rebuildGuild } from './recount/rebuild.ts';
import { findPrivateServer, startPrivateServer } from './store/private-server.ts';
import { checkServer, connectRedis } from './store/redis.ts';
import { zSnowflake } from './voting/snowflake.ts';

/**
 * `npm run rebuild -- <guild id>`: what `/admin rebuild` does, from the command line. It asks Discord
 * over REST alone, and uses the Redis that the bot uses, whether the bot is running or not.
 */

const showEveryMs = 1000;

const closers: (() => unknown)[] = [];
process.exitCode = await main(process.argv[2]).catch((error: unknown) => {
  createLog('info').error(
    fault(error),
    'The rebuild stopped. Started again, it goes on from there.',
  );
  return 1;
});
for (let close = closers.pop(); close; close = closers.pop()) await close();

/** Returns the exit code. */
async function main(argument: string | undefined): Promise<number> {
  const id = zSnowflake.safeParse(argument);
  if (!id.success) return refuse('Usage: npm run rebuild -- <guild id>');
  const outcome = readConfig(loadEnvironment());
  if (outcome.status === 'faulty') {
    return refuse(['Frontpage cannot start:', ...outcome.faults].join('\n- '));
  }
  const { config } = outcome;
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const clock = startClock(config.clockOffsetFile);
  closers.push(() => clock.stop());
  const redis = connectRedis(await redisUrl(config, log), { log, name: 'frontpage-rebuild' });
  closers.push(() => redis.disconnect());
  const server = await checkServer(redis);
  if (server.status !== 'accepted') return refuse(server.reason);

  const opened = await openOverRest({ ...config, redis, clock, log }, id.data);
  if (opened === null) return refuse(`The bot is in no guild ${id.data}.`);
  const { bot, guild } = opened;
  closers.push(() => opened.stop());
  const rebuilt = await rebuildGuild(bot, guild, { onStep: shower() });
  if (rebuilt.status === 'held') return refuse('Another process is rebuilding this guild.');
  if (rebuilt.status !== 'finished') {
    return refuse('Another process went on with the rebuild, or Redis was emptied.');
  }
  console.log(`Done: ${rebuilt.articles} articles of ${guild.name} are in place.`);
  for (const channel of rebuilt.unread) {
    const name = guild.channels.cache.get(channel)?.name ?? channel;
    console.log(`Not read, for want of View Channel or Read Message History: #${name}`);
  }
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

function shower(): (step: RebuildStep) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  return ({ phase, done, places, articles }) => {
    if (done < places && performance.now() - shownMs < showEveryMs) return;
    shownMs = performance.now();
    const part = phase === 'recent' ? 'Last eight days' : 'Older messages';
    console.log(`${part}: ${done} of ${places} channels and threads, ${articles} articles.`);
  };
}

function refuse(reason: string): number {
  console.error(reason);
  return 1;
}

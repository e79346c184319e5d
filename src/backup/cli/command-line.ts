import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CannotStart, exitCodes } from '../../runtime/cannot-start.ts';
import { startClock } from '../../runtime/clock.ts';
import { type Config, loadConfig } from '../../config.ts';
import { openDiscordClock } from '../../discord/requests/discord-clock.ts';
import { explain } from '../../explain.ts';
import { createLog, fault } from '../../runtime/log.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import { connectRedis } from '../../redis/connection.ts';
import {
  findPrivateServer,
  startPrivateServer,
} from '../../redis/private-server/private-server.ts';
import { checkServer } from '../../redis/startup-checks/check-server.ts';
import { type BotOverRest, openOverRest } from '../../bot.ts';

/** The id of a member or server that a person typed. Throws `CannotStart`: a shorter number is a slip. */
export function readId(word: string, usage: string): Snowflake {
  const id = zSnowflake.min(15).safeParse(word);
  if (id.success) return id.data;
  throw new CannotStart(
    `${word} is not an id. Discord copies one by a right click → Copy ID, with Developer Mode on (Settings → Advanced).\n\n${usage}`,
    'usage',
  );
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Arguments<O extends Options> = {
  words: string[];
  flags: ReturnType<typeof parseArgs<{ allowPositionals: true; options: O }>>['values'];
};

/**
 * Runs a command of the host: reads the arguments, then with `open` the bot, and sets the exit code, one
 * of `exitCodes`. Redis's CLIENT LIST shows `name`, and --help shows `usage`.
 */
export async function atCommandLine<O extends Options>(
  command: { name: string; usage: string; options: O; whenItFails: string },
  work: (args: Arguments<O>, open: () => Promise<OpenedBot>) => Promise<void>,
): Promise<void> {
  const closers: (() => unknown)[] = [];
  // The work goes on if nobody reads what it says, as behind `| head -1`.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  try {
    const args = readArguments(command.usage, command.options);
    if (args === 'help') return console.log(command.usage);
    await work(args, () => openBot(command.name, closers));
  } catch (error) {
    const known = explain(error);
    if (error instanceof CannotStart) {
      console.error(error.message);
    } else if (known !== null) {
      const isAway = known.code === exitCodes.unavailable;
      console.error(isAway ? `${known.message} ${command.whenItFails}` : known.message);
    } else {
      createLog('info').error(fault(error), command.whenItFails);
    }
    process.exitCode = known?.code ?? exitCodes.software;
  }
  for (let close = closers.pop(); close; close = closers.pop()) await close();
}

function readArguments<O extends Options>(usage: string, options: O): Arguments<O> | 'help' {
  const help = { type: 'boolean', short: 'h' } as const;
  try {
    if (parseArgs({ strict: false, options: { help } }).values.help === true) return 'help';
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    return { words: positionals, flags: values };
  } catch (error) {
    throw new CannotStart(`${(error as Error).message}\n\n${usage}`, 'usage');
  }
}

type OpenedBot = BotOverRest & { config: Config };

/**
 * Opens the bot, whether another process runs it or not: on the Redis that this one uses, or on a private
 * server, which is started and ends with the command. `closers` are for the end, the last one first.
 */
async function openBot(name: string, closers: (() => unknown)[]): Promise<OpenedBot> {
  const outcome = loadConfig();
  if (outcome.status === 'faulty') {
    throw new CannotStart(['Nothing is done:', ...outcome.faults].join('\n- '), 'config');
  }
  const { config } = outcome;
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const clock = openDiscordClock(startClock(config.clockOffsetFile), log);
  closers.push(() => clock.stop());
  let url = config.redisUrl ?? (await findPrivateServer(config.dataDir));
  if (url === null) {
    const server = await startPrivateServer({ ...config, log });
    closers.push(() => server.stop());
    url = server.url;
  }
  const redis = connectRedis(url, { log, name: `frontpage-${name}` });
  closers.push(() => redis.disconnect());
  await checkServer(redis);
  const bot = await openOverRest({ ...config, redis, clock, log });
  closers.push(() => bot.stop());
  return { ...bot, config };
}

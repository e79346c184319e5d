import { parseArgs, type ParseArgsConfig } from 'node:util';
import { startClock } from '../clock.ts';
import { type DiscordClock, openDiscordClock } from '../discord/requests/discord-clock.ts';
import { type Config, loadConfig } from '../config.ts';
import { createLog, fault, type Log } from '../log.ts';
import { CannotStart, exitCodes, explain, refusedServer } from '../cannot-start.ts';
import {
  findPrivateServer,
  ServerUnavailable,
  startPrivateServer,
} from '../redis/private-server/private-server.ts';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { connectRedis } from '../redis/connection.ts';
import { checkServer } from '../redis/startup-checks/check-server.ts';

/** A refusal. The host sees its message without changes. */
export class CommandRefused extends CannotStart {
  constructor(message: string, code: CannotStart['code'] = exitCodes.usage) {
    super(message, code);
  }
}

/** The id of a member or server that a person typed. Throws `CommandRefused`: a shorter number is a slip. */
export function readId(word: string, usage: string): Snowflake {
  const id = zSnowflake.min(15).safeParse(word);
  if (id.success) return id.data;
  throw new CommandRefused(
    `${word} is not an id. Discord copies one by a right click → Copy ID, with Developer Mode on (Settings → Advanced).\n\n${usage}`,
  );
}

type Redis = ReturnType<typeof connectRedis>;

/** The parts that the commands of the host need, whether the bot is running or not. */
export type CommandLine = {
  config: Config;
  clock: DiscordClock;
  log: Log;
  /**
   * Connects to the Redis that the bot uses. If the bot's private server is not running, it is started
   * and ends with this command. Throws `CommandRefused` if Redis cannot be used.
   */
  connect: () => Promise<Redis>;
  /** Registers a function for the end, also of failed work. The last one is called first. */
  onEnd: (close: () => unknown) => void;
};

type Options = NonNullable<ParseArgsConfig['options']>;
type Given<O extends Options> = {
  words: string[];
  flags: ReturnType<typeof parseArgs<{ allowPositionals: true; options: O }>>['values'];
};

/**
 * Runs a command of the host: reads the arguments, then with `open` the configuration, and sets the exit
 * code, one of `exitCodes`. Redis's CLIENT LIST shows `name`, and --help shows `usage`.
 */
export async function atCommandLine<O extends Options>(
  command: { name: string; usage: string; options: O; whenItFails: string },
  work: (given: Given<O>, open: () => CommandLine) => Promise<void>,
): Promise<void> {
  const closers: (() => unknown)[] = [];
  // The work goes on if nobody reads what it says, as behind `| head -1`.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  try {
    const given = readArguments(command);
    if (given === 'help') return console.log(command.usage);
    await work(given, () => open(command.name, closers));
  } catch (error) {
    const known = explain(error);
    if (error instanceof CannotStart || error instanceof ServerUnavailable) {
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

function readArguments<O extends Options>({
  usage,
  options,
}: {
  usage: string;
  options: O;
}): Given<O> | 'help' {
  const help = { type: 'boolean', short: 'h' } as const;
  try {
    if (parseArgs({ strict: false, options: { help } }).values.help === true) return 'help';
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    return { words: positionals, flags: values };
  } catch (error) {
    throw new CommandRefused(`${(error as Error).message}\n\n${usage}`);
  }
}

function open(name: string, closers: (() => unknown)[]): CommandLine {
  const outcome = loadConfig();
  if (outcome.status === 'faulty') {
    throw new CommandRefused(
      ['Nothing is done:', ...outcome.faults].join('\n- '),
      exitCodes.config,
    );
  }
  const { config } = outcome;
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const clock = openDiscordClock(startClock(config.clockOffsetFile), log);
  closers.push(() => clock.stop());

  async function redisUrl({ redisUrl, dataDir, appendFsync }: Config): Promise<string> {
    if (redisUrl !== undefined) return redisUrl;
    const running = await findPrivateServer(dataDir);
    if (running !== null) return running;
    const server = await startPrivateServer({ dataDir, log, appendFsync });
    closers.push(() => server.stop());
    return server.url;
  }

  return {
    config,
    clock,
    log,
    async connect() {
      const redis = connectRedis(await redisUrl(config), { log, name: `frontpage-${name}` });
      closers.push(() => redis.disconnect());
      const server = await checkServer(redis);
      if (server.status !== 'accepted') throw refusedServer(server);
      return redis;
    },
    onEnd: (close) => void closers.push(close),
  };
}

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { startClock } from '../clock.ts';
import { type DiscordClock, openDiscordClock } from '../discord/discord-clock.ts';
import { type Config, loadConfig } from '../config.ts';
import { createLog, fault, type Log } from '../log.ts';
import {
  findPrivateServer,
  ServerUnavailable,
  startPrivateServer,
} from '../redis/private-server/server.ts';
import { checkServer, connectRedis } from '../redis/connection.ts';

/** Why something was not done, for the person who hosts the bot. Printed as it is. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export type Redis = ReturnType<typeof connectRedis>;

/** What work by hand needs, whether the bot is running or not. */
export type CommandLine = {
  config: Config;
  clock: DiscordClock;
  log: Log;
  /**
   * The Redis that the bot uses. Its private server runs with the bot, or is started, and ends with
   * us. Throws `Refused` where it can not be used.
   */
  connect: () => Promise<Redis>;
  /** Called at the end, the last one first, also when the work fails. */
  onEnd: (close: () => unknown) => void;
};

type Options = NonNullable<ParseArgsConfig['options']>;
type Given<O extends Options> = {
  words: string[];
  flags: ReturnType<typeof parseArgs<{ allowPositionals: true; options: O }>>['values'];
};

/**
 * The start and the end of every command that is started by hand: reads the configuration and the arguments, and
 * sets the exit code. `name` is what Redis's CLIENT LIST shows; `usage` is also the answer to --help.
 */
export async function atCommandLine<O extends Options>(
  command: { name: string; usage: string; options: O; whenItFails: string },
  work: (given: Given<O>, line: CommandLine) => Promise<void>,
): Promise<void> {
  const closers: (() => unknown)[] = [];
  try {
    const given = readArguments(command);
    if (given === 'help') return console.log(command.usage);
    await work(given, open(command.name, closers));
  } catch (error) {
    if (error instanceof Refused || error instanceof ServerUnavailable)
      console.error(error.message);
    else createLog('info').error(fault(error), command.whenItFails);
    process.exitCode = 1;
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
    throw new Refused(`${(error as Error).message}\n${usage}`);
  }
}

function open(name: string, closers: (() => unknown)[]): CommandLine {
  const outcome = loadConfig();
  if (outcome.status === 'faulty') {
    throw new Refused(['Nothing is done:', ...outcome.faults].join('\n- '));
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
      if (server.status !== 'accepted') throw new Refused(server.reason);
      return redis;
    },
    onEnd: (close) => void closers.push(close),
  };
}

/** On a terminal, one line that changes; in a log, a line now and then. */
export function progressLine(): { show(text: string): void; end(): void } {
  const isTerminal = process.stderr.isTTY;
  let shownMs = Number.NEGATIVE_INFINITY;
  let last = '';
  return {
    show(text) {
      last = text;
      if (performance.now() - shownMs < (isTerminal ? 100 : 10_000)) return;
      shownMs = performance.now();
      process.stderr.write(isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
    },
    end() {
      if (last !== '') process.stderr.write(isTerminal ? `\r${last}\u001b[K\n` : `${last}\n`);
    },
  };
}

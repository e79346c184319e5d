import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { addressForms, parseRedisAddress } from './redis/address.ts';
import { parseUrl } from './runtime/url.ts';

export type Config = ReturnType<typeof configOf>;

type ConfigOutcome =
  | { status: 'ok'; config: Config }
  /** Sentences that name the variable and the cure, and never repeat a value. */
  | { status: 'faulty'; faults: string[] };

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function zNumber(error: string, most = 99_999) {
  return z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error })
    .transform(Number)
    .refine((number) => number <= most, { error });
}
const zPort = zNumber('is not a port: write a number from 1 to 65535', 65_535);
const zHost = z
  .string()
  .default('127.0.0.1')
  .refine((host) => isIP(host) !== 0 || host === 'localhost', {
    error: 'is not an address of this machine: write 127.0.0.1, or 0.0.0.0 for all of them',
  });

/** Every variable that Frontpage reads. `.env.example` explains them. */
export const zEnvironment = z.object({
  DISCORD_TOKEN: z.string().optional(),
  DISCORD_TOKEN_FILE: z.string().optional(),
  DISCORD_API_BASE: z
    .string()
    .default('https://discord.com/api')
    .refine((base) => /^https?:\/\//i.test(base) && parseUrl(base) !== null, {
      error: 'is not an http or https address: leave it out to use Discord itself',
    })
    .transform((base) => base.replace(/\/+$/, '').replace(/\/v\d+$/, '')),
  REDIS_URL: z
    .string()
    .refine((url) => parseRedisAddress(url) !== null, {
      error: `is not an address of Redis: write ${addressForms}`,
    })
    .optional(),
  DATA_DIR: z
    .string()
    .default('./data')
    .transform((path) => resolve(path)),
  APPENDFSYNC: z
    .enum(['everysec', 'always'], {
      error: 'is neither everysec nor always: write one of the two',
    })
    .default('everysec'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `is not a level: write one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
  CLOCK_OFFSET_FILE: z
    .string()
    .transform((path) => resolve(path))
    .optional(),
  MESSAGE_CONTENT: z
    .enum(['on', 'off'], { error: 'is neither on nor off: write one of the two' })
    .default('off'),
  SHARD_COUNT: zNumber('is not a number of shards: write 1 or more').optional(),
  SHARDS: z
    .string()
    .regex(/^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$/, {
      error: 'is not a list of shards: write numbers from 0 and ranges, such as 0-3,7',
    })
    .transform(listOfShards)
    .optional(),
  REQUESTS_PER_SECOND: zNumber('is not a number of requests: write 1 or more').default(50),
  WEB_PORT: zPort.optional(),
  WEB_HOST: zHost,
  /** Whether the pages show pictures of links, from Discord's own copies. */
  WEB_PICTURES: z
    .enum(['on', 'off'], { error: 'is neither on nor off: write one of the two' })
    .default('off'),
  METRICS_PORT: zPort.optional(),
  METRICS_HOST: zHost,
  WEB_URL: z
    .string()
    .refine((address) => /^https?:\/\/[^/?#]+\/?$/i.test(address) && parseUrl(address) !== null, {
      error: 'is not an http or https address without a path: write https:// and a host name',
    })
    .transform((address) => address.replace(/\/+$/, ''))
    .optional(),
});

type Given = z.infer<typeof zEnvironment>;

/** What is wrong with several variables together. */
const zWholeEnvironment = zEnvironment.superRefine((input, context) => {
  const refuse = (name: keyof Given, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const { WEB_PORT: webPort, METRICS_PORT: metricsPort, SHARDS: ids, SHARD_COUNT: count } = input;
  if (metricsPort !== undefined && webPort === undefined) {
    const cure = 'set both, no page is public until a server wants it';
    refuse('METRICS_PORT', `is set without WEB_PORT: ${cure}`);
  } else if (metricsPort !== undefined && metricsPort === webPort) {
    refuse('METRICS_PORT', 'is the same as WEB_PORT: the two must differ, so set another port');
  }
  if (ids === undefined) return;
  if (count === undefined) {
    const cure = 'write how many shards all processes have together';
    refuse('SHARDS', `is set without SHARD_COUNT: ${cure}`);
  } else if (ids.length === 0 || ids.some((id) => id >= count)) {
    const cure = 'write numbers from 0 to one less than SHARD_COUNT';
    refuse('SHARDS', `names a shard that there is not: ${cure}`);
  }
});

const UNREADABLE = '.env cannot be read: make it a file of this user.';

/** The configuration from the environment and from `.env` in the working directory. */
export function loadConfig(): ConfigOutcome {
  let file: Environment = {};
  try {
    // A pipe would hold the start until somebody writes into it.
    if (statSync('.env').isFIFO()) return { status: 'faulty', faults: [UNREADABLE] };
    file = parseEnv(readText('.env'));
  } catch (error) {
    // The file is optional.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return { status: 'faulty', faults: [UNREADABLE] };
    }
  }
  return readConfig({ ...file, ...withoutEmpty(process.env) });
}

/** Editors and shells on Windows write UTF-16, or begin a file with a mark of its encoding. */
function readText(path: string): string {
  const bytes = readFileSync(path);
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** The configuration in an environment, or all of its faults at once. */
export function readConfig(environment: Environment): ConfigOutcome {
  const input = withoutEmpty(environment);
  const faults: string[] = [];
  const token = readToken(input, faults);
  const { data, error } = zWholeEnvironment.safeParse(input);
  for (const { path, message } of error?.issues ?? []) {
    faults.push(`${path.join('.')} ${message}.`);
  }
  if (data === undefined || faults.length > 0) return { status: 'faulty', faults };
  return { status: 'ok', config: configOf(data, token) };
}

function configOf(data: Given, token: string) {
  const { WEB_PORT: webPort, METRICS_PORT: metricsPort } = data;
  const monitoring =
    metricsPort === undefined ? undefined : { host: data.METRICS_HOST, port: metricsPort };
  const pictures = data.WEB_PICTURES === 'on';
  const web = { host: data.WEB_HOST, publicAddress: data.WEB_URL, pictures, monitoring };
  return {
    token,
    /** Without a version and without a slash at its end. */
    apiBase: data.DISCORD_API_BASE,
    /** Undefined: the bot starts its private server. */
    redisUrl: data.REDIS_URL,
    dataDir: data.DATA_DIR,
    /** The fsync policy of the private server. */
    appendFsync: data.APPENDFSYNC,
    logLevel: data.LOG_LEVEL,
    clockOffsetFile: data.CLOCK_OFFSET_FILE,
    messageContent: data.MESSAGE_CONTENT === 'on',
    shards: shardsOf(data),
    /** Discord's limit for all processes of the bot; this process uses its shards' part of it. */
    requestsPerSecond: data.REQUESTS_PER_SECOND,
    /** Undefined: nothing is served over HTTP. */
    web: webPort === undefined ? undefined : { ...web, port: webPort },
  };
}

function listOfShards(text: string): number[] {
  const ids = text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  });
  return [...new Set(ids)];
}

/** The shards of this process; `auto`: one process serves as many as Discord recommends. */
function shardsOf({ SHARDS: ids, SHARD_COUNT: count }: Given) {
  if (count === undefined) return 'auto' as const;
  return { ids: ids ?? Array.from({ length: count }, (_, i) => i), count };
}

/** Docker Compose sets a variable without a value to an empty text. It counts as not set. */
function withoutEmpty(environment: Environment): Environment {
  const entries = Object.entries(environment).map(([name, value]) => [name, value?.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value));
}

/** The token. Adds to the faults if there is none. */
function readToken(input: Environment, faults: string[]): string {
  const { DISCORD_TOKEN: inPlace, DISCORD_TOKEN_FILE: file } = input;
  if (inPlace !== undefined && file !== undefined) {
    faults.push('DISCORD_TOKEN and DISCORD_TOKEN_FILE are both set: leave one of them out.');
    return '';
  }
  if (inPlace === undefined && file === undefined) {
    faults.push(
      'DISCORD_TOKEN is missing: copy the token of your application from https://discord.com/developers/applications (page Bot) into .env or the environment.',
    );
    return '';
  }
  try {
    const token = inPlace ?? readText(file!).trim();
    if (!/^[\w.-]+$/.test(token)) {
      faults.push(
        `${file === undefined ? 'DISCORD_TOKEN' : 'DISCORD_TOKEN_FILE'} holds nothing, or what no token has, such as a space, a quotation mark or …: give the token alone, without "Bot " before it.`,
      );
    }
    return token;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    faults.push(
      `DISCORD_TOKEN_FILE cannot be read (${code}): give the path of a file that this user may read and that holds the token alone.`,
    );
    return '';
  }
}

import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { parseRedisAddress } from './redis/address.ts';
import { parseUrl } from './url.ts';

export type Config = {
  token: string;
  /** Without a version and without a slash at its end. */
  apiBase: string;
  /** Undefined: the bot starts its private server. */
  redisUrl: string | undefined;
  dataDir: string;
  /** The fsync policy of the private server. */
  appendFsync: 'everysec' | 'always';
  logLevel: string;
  clockOffsetFile: string | undefined;
  messageContent: boolean;
  /** The shards of this process; `auto`: one process serves as many as Discord recommends. */
  shards: { ids: number[]; count: number } | 'auto';
  /** Discord's limit for all processes of the bot; this process uses its shards' part of it. */
  requestsPerSecond: number;
  /** Undefined: nothing is served over HTTP. */
  web:
    | {
        host: string;
        port: number;
        publicAddress: string | undefined;
        /** Undefined: readiness and metrics are not served. */
        monitoring: { host: string; port: number } | undefined;
      }
    | undefined;
};

type ConfigOutcome =
  | { status: 'ok'; config: Config }
  /** Sentences that name the variable and the cure, and never repeat a value. */
  | { status: 'faulty'; faults: string[] };

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const zPort = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'is not a port: write a number from 1 to 65535' })
  .transform(Number)
  .refine((port) => port >= 1 && port <= 65_535, {
    error: 'is not a port: write a number from 1 to 65535',
  });
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
    .superRefine((url, context) => {
      const parsed = parseRedisAddress(url);
      if (parsed.status === 'faulty') context.addIssue({ code: 'custom', message: parsed.fault });
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
  SHARD_COUNT: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: 'is not a number of shards: write 1 or more' })
    .transform(Number)
    .optional(),
  SHARDS: z
    .string()
    .regex(/^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$/, {
      error: 'is not a list of shards: write numbers from 0 and ranges, such as 0-3,7',
    })
    .transform(listOfShards)
    .optional(),
  REQUESTS_PER_SECOND: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: 'is not a number of requests: write 1 or more' })
    .default('50')
    .transform(Number),
  WEB_PORT: zPort.optional(),
  WEB_HOST: zHost,
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

const zWholeEnvironment = zEnvironment.refine(
  (given) => given.WEB_PORT === undefined || given.WEB_PORT !== given.METRICS_PORT,
  {
    path: ['METRICS_PORT'],
    error: 'is the same as WEB_PORT: the two must differ, so set another port',
  },
);

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
  const given = withoutEmpty(environment);
  const parsed = zWholeEnvironment.safeParse(given);
  const token = readToken(given);
  const faults = token.status === 'faulty' ? [token.fault] : [];
  for (const { path, message } of parsed.error?.issues ?? []) {
    faults.push(`${path.join('.')} ${message}.`);
  }
  const shards = parsed.data === undefined ? null : shardsOf(parsed.data);
  if (typeof shards === 'string' && shards !== 'auto') faults.push(shards);
  if (given['METRICS_PORT'] !== undefined && given['WEB_PORT'] === undefined) {
    faults.push(
      'METRICS_PORT is set without WEB_PORT: set both, no page is public until a server wants it.',
    );
  }
  if (parsed.data === undefined || token.status === 'faulty' || faults.length > 0) {
    return { status: 'faulty', faults };
  }
  const { data } = parsed;
  return {
    status: 'ok',
    config: {
      token: token.token,
      apiBase: data.DISCORD_API_BASE,
      redisUrl: data.REDIS_URL,
      dataDir: data.DATA_DIR,
      appendFsync: data.APPENDFSYNC,
      logLevel: data.LOG_LEVEL,
      clockOffsetFile: data.CLOCK_OFFSET_FILE,
      messageContent: data.MESSAGE_CONTENT === 'on',
      shards: shards as Config['shards'],
      requestsPerSecond: data.REQUESTS_PER_SECOND,
      web:
        data.WEB_PORT === undefined
          ? undefined
          : {
              host: data.WEB_HOST,
              port: data.WEB_PORT,
              publicAddress: data.WEB_URL,
              monitoring:
                data.METRICS_PORT === undefined
                  ? undefined
                  : { host: data.METRICS_HOST, port: data.METRICS_PORT },
            },
    },
  };
}

function listOfShards(text: string): number[] {
  const ids = text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  });
  return [...new Set(ids)];
}

/** The shards of this process, or a sentence about the fault in them. */
function shardsOf({
  SHARDS: ids,
  SHARD_COUNT: count,
}: z.infer<typeof zEnvironment>): Config['shards'] | (string & {}) {
  if (count === undefined) {
    if (ids === undefined) return 'auto';
    return 'SHARDS is set without SHARD_COUNT: write how many shards all processes have together.';
  }
  if (ids === undefined) return { ids: Array.from({ length: count }, (_, i) => i), count };
  if (ids.length > 0 && ids.every((id) => id < count)) return { ids, count };
  return 'SHARDS names a shard that there is not: write numbers from 0 to one less than SHARD_COUNT.';
}

/** Docker Compose sets a variable without a value to an empty text. It counts as not set. */
function withoutEmpty(environment: Environment): Environment {
  const entries = Object.entries(environment).map(([name, value]) => [name, value?.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value));
}

type Token = { status: 'ok'; token: string } | { status: 'faulty'; fault: string };

function readToken({ DISCORD_TOKEN: token, DISCORD_TOKEN_FILE: file }: Environment): Token {
  if (token !== undefined && file !== undefined) {
    return faulty('DISCORD_TOKEN and DISCORD_TOKEN_FILE are both set: leave one of them out.');
  }
  if (token !== undefined) return checkToken('DISCORD_TOKEN', token);
  if (file === undefined) {
    return faulty(
      'DISCORD_TOKEN is missing: copy the token of your application from https://discord.com/developers/applications (page Bot) into .env or the environment.',
    );
  }
  try {
    return checkToken('DISCORD_TOKEN_FILE', readText(file).trim());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return faulty(
      `DISCORD_TOKEN_FILE cannot be read (${code}): give the path of a file that this user may read and that holds the token alone.`,
    );
  }
}

function checkToken(source: string, token: string): Token {
  if (token === '') return faulty(`${source} holds an empty file: write the token into it.`);
  if (!/^[\w.-]+$/.test(token)) {
    return faulty(
      `${source} holds what no token has, such as a space, a quotation mark or …: give the token alone, without "Bot " before it.`,
    );
  }
  return { status: 'ok', token };
}

function faulty(fault: string): Token {
  return { status: 'faulty', fault };
}

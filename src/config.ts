import { DISCORD_PICTURES } from './web/picture-origins.ts';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { describeProxy } from './discord/gateway/through-proxy.ts';
import { faultOfAddress } from './redis/address.ts';
import { parseUrl } from './runtime/url.ts';

export type Config = ReturnType<typeof configOf>;

type Configured = { status: 'ok'; config: Config };
/** Sentences that name the variable and the cure, and never repeat a value. */
type Faulty = { status: 'faulty'; faults: string[] };

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
/** One of several words, in small letters or capitals. */
function zWord<const Words extends readonly [string, ...string[]]>(words: Words, error: string) {
  return z.string().toLowerCase().pipe(z.enum(words, { error }));
}
const zSwitch = zWord(['on', 'off'], 'is neither on nor off: write one of the two').default('off');
const zHost = z
  .string()
  .default('127.0.0.1')
  .refine((host) => isIP(host) !== 0 || host === 'localhost', {
    error: 'is not an address of this machine: write 127.0.0.1, or 0.0.0.0 for all of them',
  });

const zFolder = z
  .string()
  .refine((path) => !/^[~$]/.test(path), {
    error: 'begins with a sign that only a shell knows: write the whole path',
  })
  .transform((path) => resolve(path));

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
      const message = faultOfAddress(url);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional(),
  DATA_DIR: zFolder.default(() => resolve('./data')),
  BACKUP_DIR: zFolder.optional(),
  APPENDFSYNC: zWord(
    ['everysec', 'always'],
    'is neither everysec nor always: write one of the two',
  ).default('everysec'),
  LOG_LEVEL: zWord(LOG_LEVELS, `is not a level: write one of ${LOG_LEVELS.join(', ')}`).default(
    'info',
  ),
  CLOCK_OFFSET_FILE: z
    .string()
    .transform((path) => resolve(path))
    .optional(),
  MESSAGE_CONTENT: zSwitch,
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
  WEB_PICTURES: zSwitch,
  METRICS_PORT: zPort.optional(),
  METRICS_HOST: zHost,
  WEB_URL: z
    .string()
    .refine((address) => /^https?:\/\/[^/?#@]+\/?$/i.test(address) && parseUrl(address) !== null, {
      error: 'is not an http or https address without a path: write https:// and a host name',
    })
    .transform((address) => address.replace(/\/+$/, ''))
    .optional(),
});

type Given = z.infer<typeof zEnvironment>;

/** What is wrong with several variables together: the one to correct, the other that it depends on, and a sentence. */
function faultsTogether(input: Given): [name: keyof Given, other: keyof Given, fault: string][] {
  const { WEB_PORT: webPort, METRICS_PORT: metricsPort, SHARDS: ids, SHARD_COUNT: count } = input;
  const found: ReturnType<typeof faultsTogether> = [];
  if (metricsPort !== undefined && webPort === undefined) {
    const cure = 'set both, no page is public until a server wants it';
    found.push(['METRICS_PORT', 'WEB_PORT', `is set without WEB_PORT: ${cure}`]);
  } else if (metricsPort !== undefined && metricsPort === webPort) {
    const cure = 'the two must differ, so set another port';
    found.push(['METRICS_PORT', 'WEB_PORT', `is the same as WEB_PORT: ${cure}`]);
  }
  if (ids !== undefined && count === undefined) {
    const cure = 'write how many shards all processes have together';
    found.push(['SHARDS', 'SHARD_COUNT', `is set without SHARD_COUNT: ${cure}`]);
  } else if (ids?.length === 0 || ids?.some((id) => id >= count!)) {
    const cure = 'write numbers from 0 to one less than SHARD_COUNT';
    found.push(['SHARDS', 'SHARD_COUNT', `names a shard that there is not: ${cure}`]);
  }
  return found;
}

const UNREADABLE = '.env cannot be read: make it a file of this user.';

/**
 * The configuration from the environment and from `.env` in the working directory. The notes are sentences about
 * lines of `.env` that count for nothing; where there are faults, they stand among these.
 */
export function loadConfig():
  | Faulty
  | (Configured & { notes: string[]; proxy: ReturnType<typeof describeProxy> }) {
  let text = '';
  try {
    // A pipe would hold the start until somebody writes into it.
    if (statSync('.env').isFIFO()) return { status: 'faulty', faults: [UNREADABLE] };
    text = readText('.env');
  } catch (error) {
    // The file is optional.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return { status: 'faulty', faults: [UNREADABLE] };
    }
  }
  const { file, notes } = readFile(text);
  const environment = withoutEmpty(process.env);
  const cut = findCutAddress(text, environment);
  // What is left of it could name a part of the password as the host, which the log would show.
  const outcome = readConfig({ ...file, ...environment, ...(cut && { REDIS_URL: '' }) });
  if (outcome.status === 'ok' && cut === null) {
    return { ...outcome, notes, proxy: describeProxy(environment) };
  }
  const faults = outcome.status === 'ok' ? [] : outcome.faults;
  return { status: 'faulty', faults: [...faults, ...(cut === null ? [] : [cut]), ...notes] };
}

/**
 * A sentence if REDIS_URL comes from a file in which a # ends it, where Node reads the rest as a comment: .env, or what
 * `node --env-file` names.
 */
function findCutAddress(text: string, environment: Environment): string | null {
  const named = process.execArgv.flatMap((word) => /^--env-file[^=]*=(.+)$/.exec(word)?.[1] ?? []);
  const texts = named.flatMap((path) => readIfThere(path) ?? []);
  if (environment['REDIS_URL'] === undefined) texts.push(text);
  const isCut = texts.some((one) => {
    const { REDIS_URL: address = '' } = parseEnv(one);
    const [, value] =
      /^[^\S\n]*(?:export\s+)?REDIS_URL[^\S\n]*=[^\S\n]*([^\s"'`#]+#\S*)/m.exec(one) ?? [];
    const counts = environment['REDIS_URL'] ?? address;
    return value !== undefined && counts === address;
  });
  return isCut
    ? 'REDIS_URL has a # that ends it, and the rest of its line counts for nothing: write %23 for a # in a password.'
    : null;
}

function readIfThere(path: string): string | null {
  try {
    return readText(path);
  } catch {
    return null;
  }
}

/** What compose.yaml reads in `.env`, beside the bot's own settings. */
const OF_COMPOSE = ['FRONTPAGE_VERSION', 'COMPOSE_FILE'];

/** The variables of `.env`, and sentences about what in it counts for nothing. */
function readFile(text: string): { file: Environment; notes: string[] } {
  const lines = text.split('\n');
  const stray = strayLines(lines);
  // Node takes such a line and the next one for one name, and the next one would be lost as well.
  const file = parseEnv(lines.filter((_, at) => !stray.includes(at)).join('\n'));
  const notes = stray.map(
    (at) => `Line ${at + 1} of .env has no =, so it counts for nothing: write NAME=value.`,
  );
  for (const name of Object.keys(file).sort()) {
    if (Object.hasOwn(zEnvironment.shape, name) || OF_COMPOSE.includes(name)) continue;
    notes.push(
      /^NODE_|_proxy$/i.test(name)
        ? `.env sets ${name}, which Node reads before .env: set it in the environment instead.`
        : `.env sets ${name}, which is no setting of Frontpage: .env.example lists them.`,
    );
  }
  return { file, notes };
}

/** The places of lines that are neither a comment, nor a variable, nor within quotation marks of a longer value. */
function strayLines(lines: string[]): number[] {
  const found: number[] = [];
  let quote: string | undefined;
  for (const [at, line] of lines.entries()) {
    if (quote !== undefined) {
      if (line.includes(quote)) quote = undefined;
    } else if (line.includes('=')) {
      const [, mark = '', rest = ''] = /^[^#=]*=\s*(["'`])(.*)/.exec(line) ?? [];
      const isLong = mark !== '' && !rest.includes(mark);
      // A quotation mark that nothing closes is part of the value.
      if (isLong && lines.slice(at + 1).some((later) => later.includes(mark))) quote = mark;
    } else if (!/^\s*(#|$)/.test(line)) {
      found.push(at);
    }
  }
  return found;
}

/** Editors and shells on Windows write UTF-16, or begin a file with a mark of its encoding. */
function readText(path: string): string {
  const bytes = readFileSync(path);
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** The configuration in an environment, or all of its faults at once. */
export function readConfig(environment: Environment): Configured | Faulty {
  const input = withoutEmpty(environment);
  const faults: string[] = [];
  const token = readToken(input, faults);
  if (input['FRONTPAGE_IMAGE'] !== undefined && input['REDIS_URL'] === undefined) {
    faults.push(
      'REDIS_URL is missing, and this image holds no Redis: name a server of yours, or use compose.yaml, which brings one.',
    );
  }
  const issues = zEnvironment.safeParse(input).error?.issues ?? [];
  const faulty = new Set(issues.map(({ path }) => String(path[0])));
  for (const { path, message } of issues) faults.push(`${path.join('.')} ${message}.`);
  // What depends on a faulty variable is not judged: the variable may be meant rightly.
  const sound = Object.entries(input).filter(([name]) => !faulty.has(name));
  const data = zEnvironment.parse(Object.fromEntries(sound));
  for (const [name, other, fault] of faultsTogether(data)) {
    if (!faulty.has(other)) faults.push(`${name} ${fault}.`);
  }
  if (faults.length > 0) return { status: 'faulty', faults };
  return { status: 'ok', config: configOf(data, token) };
}

function configOf(data: Given, token: string) {
  const { WEB_PORT: webPort, METRICS_PORT: metricsPort } = data;
  const monitoring =
    metricsPort === undefined ? undefined : { host: data.METRICS_HOST, port: metricsPort };
  // What speaks Discord's API has its copies of pictures too.
  const ofApi = new URL(data.DISCORD_API_BASE).origin;
  const pictures = data.WEB_PICTURES === 'on' ? [...DISCORD_PICTURES, ofApi] : [];
  const web = { host: data.WEB_HOST, publicAddress: data.WEB_URL, pictures, monitoring };
  return {
    token,
    /** Without a version and without a slash at its end. */
    apiBase: data.DISCORD_API_BASE,
    /** Undefined: the bot starts its private server. */
    redisUrl: data.REDIS_URL,
    dataDir: data.DATA_DIR,
    /** Where a backup is written each night; undefined: nowhere. */
    backupDir: data.BACKUP_DIR,
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

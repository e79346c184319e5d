import { parseArgs } from 'node:util';
import { startClock } from './clock.ts';
import { type Config, loadEnvironment, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { readBackup } from './store/backup.ts';
import { readLines, writeLines } from './store/backup-file.ts';
import { findPrivateServer, startPrivateServer } from './store/private-server.ts';
import { connectRedis } from './store/redis.ts';
import { checkBackup, deleteData, holdsData, writeBackup } from './store/restore.ts';
import { schemaVersion } from './store/schema.ts';

/** `npm run backup` and `npm run restore`, by hand or from a timer. */

/** Why it was not done, for the person who hosts the bot. */
class Refused extends Error {}

type Connection = ReturnType<typeof connectRedis>;

const usage = 'Type npm run backup [-- FILE], or npm run restore -- FILE [--replace].';
const log = createLog('warn');
const clock = startClock();

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { replace: { type: 'boolean', default: false } },
  });
  const [verb, file] = positionals;
  const outcome = readConfig(loadEnvironment());
  if (outcome.status === 'faulty') throw new Refused(outcome.faults.join('\n'));
  const { config } = outcome;
  if (verb === 'backup') {
    await withRedis(config, (redis) => backup(redis, file ?? defaultName()));
  } else if (verb === 'restore' && file !== undefined) {
    await restore(config, file, values.replace);
  } else throw new Refused(usage);
}

function defaultName(): string {
  const at = new Date(clock.now()).toISOString().slice(0, 16).replace(/[:T]/g, '-');
  return `frontpage-${at}.backup.gz`;
}

async function backup(redis: Connection, file: string): Promise<void> {
  const show = progressLine();
  const lines = readBackup(redis, clock.now(), ({ guilds, of, keys, values }) =>
    show(`${guilds} of ${of} parts, ${keys} keys, ${values} values`),
  );
  try {
    await writeLines(file, lines);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refused(`There is a file ${file} already: name another one.`);
    throw error;
  }
  show.end();
  // What was written is read once more, since nobody looks before it is needed.
  const { total } = await checkBackup(readLines(file));
  console.log(`${file} holds ${total.keys} keys and was read back without a fault.`);
}

async function restore(config: Config, file: string, replace: boolean): Promise<void> {
  const checked = await checkBackup(readLines(file));
  const newest = Math.max(0, ...checked.schemas.values());
  if (newest > schemaVersion()) {
    throw new Refused(
      `${file} is of a newer Frontpage (version ${newest} of the stored data, and this one knows up to ${schemaVersion()}): restore it with that one.`,
    );
  }
  if (config.redisUrl === undefined && (await findPrivateServer(config.dataDir)) !== null) {
    throw new Refused(`Frontpage runs on the data in ${config.dataDir}: end it first.`);
  }
  await withRedis(config, async (redis) => {
    if (await isBotConnected(redis)) {
      throw new Refused('Frontpage is connected to this Redis: end it first.');
    }
    if (await holdsData(redis)) {
      if (!replace) {
        throw new Refused(
          'This Redis holds data of Frontpage already. To delete that and put the backup in its place, add --replace.',
        );
      }
      await deleteData(redis);
    }
    const show = progressLine();
    const { keys } = await writeBackup(
      redis,
      readLines(file),
      checked,
      clock.now(),
      ({ keys, values }) => show(`${keys} of ${checked.total.keys} keys, ${values} values`),
    );
    show.end();
    console.log(`Restored ${keys} keys as they were on ${checked.madeAt}. Start Frontpage now:`);
    console.log('it recounts from Discord what happened since.');
  });
}

async function isBotConnected(redis: Connection): Promise<boolean> {
  const clients = String(await redis.client('LIST').catch(() => ''));
  return /\bname=frontpage /.test(clients);
}

/** The Redis that the bot uses: its private server runs with the bot, or is started for this. */
async function withRedis(
  { redisUrl, dataDir }: Config,
  work: (redis: Connection) => Promise<void>,
): Promise<void> {
  const running = redisUrl ?? (await findPrivateServer(dataDir));
  const started = running === null ? await startPrivateServer({ dataDir, log }) : null;
  const redis = connectRedis(running ?? started!.url, { log, name: 'frontpage-backup' });
  try {
    await work(redis);
  } finally {
    redis.disconnect();
    await started?.stop();
  }
}

/** On a terminal, one line that changes; in a log, a line now and then. */
function progressLine(): ((text: string) => void) & { end(): void } {
  const isTerminal = process.stderr.isTTY;
  let shownMs = Number.NEGATIVE_INFINITY;
  let last = '';
  const show = (text: string): void => {
    last = text;
    if (performance.now() - shownMs < (isTerminal ? 100 : 10_000)) return;
    shownMs = performance.now();
    process.stderr.write(isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
  };
  const end = (): void =>
    void process.stderr.write(isTerminal ? `\r${last}\u001b[K\n` : `${last}\n`);
  return Object.assign(show, { end });
}

import { atCommandLine, type CommandLine, progressLine, Refused } from './command-line.ts';
import { readBackup } from '../records/backup/backup.ts';
import { readLines, writeLines } from '../records/backup/lines.ts';
import { findPrivateServer } from '../redis/private-server/server.ts';
import {
  BrokenBackup,
  checkBackup,
  deleteData,
  holdsData,
  isBotConnected,
  writeBackup,
} from '../records/backup/restore-backup.ts';
import { SCHEMA_VERSION } from '../redis/schema-version.ts';

/** `npm run backup` and `npm run restore`, by hand or from a timer. */

const usage = 'Type npm run backup [-- FILE], or npm run restore -- FILE [--replace].';

await atCommandLine(
  {
    name: 'backup',
    usage,
    options: { replace: { type: 'boolean', default: false } },
    whenItFails:
      'It stopped half-way. A backup that was begun is no backup; a restore begins anew.',
  },
  async ({ words, flags }, line) => {
    const [verb, file] = words;
    try {
      if (verb === 'backup') await backup(line, file ?? defaultName(line.clock.now()));
      else if (verb === 'restore' && file !== undefined) await restore(line, file, flags.replace);
      else throw new Refused(usage);
    } catch (error) {
      const { code, path } = error as NodeJS.ErrnoException;
      if (error instanceof BrokenBackup) throw new Refused(error.message);
      if (code !== undefined && path !== undefined) {
        throw new Refused(`${path} cannot be used (${code}).`);
      }
      throw error;
    }
  },
);

function defaultName(now: number): string {
  const at = new Date(now).toISOString().slice(0, 16).replace(/[:T]/g, '-');
  return `frontpage-${at}.backup.gz`;
}

async function backup({ connect, clock }: CommandLine, file: string): Promise<void> {
  const progress = progressLine();
  const redis = await connect();
  const lines = readBackup(redis, clock.now(), ({ guilds, of, keys, values }) =>
    progress.show(`${guilds} of ${of} parts, ${keys} keys, ${values} values`),
  );
  try {
    await writeLines(file, lines);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refused(`There is a file ${file} already: name another one.`);
    throw error;
  }
  progress.end();
  // What was written is read once more, since nobody looks before it is needed.
  const { total } = await checkBackup(readLines(file));
  console.log(`${file} holds ${total.keys} keys and was read back without a fault.`);
}

async function restore(
  { config, connect, clock }: CommandLine,
  file: string,
  replace: boolean,
): Promise<void> {
  const checked = await checkBackup(readLines(file));
  const newest = Math.max(0, ...checked.schemas.values());
  if (newest > SCHEMA_VERSION) {
    throw new Refused(
      `${file} is of a newer Frontpage (version ${newest} of the stored data, and this one knows up to ${SCHEMA_VERSION}): restore it with that one.`,
    );
  }
  if (config.redisUrl === undefined && (await findPrivateServer(config.dataDir)) !== null) {
    throw new Refused(`Frontpage runs on the data in ${config.dataDir}: end it first.`);
  }
  const redis = await connect();
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
  const progress = progressLine();
  const written = await writeBackup(
    redis,
    readLines(file),
    checked,
    clock.now(),
    ({ keys, values }) => progress.show(`${keys} of ${checked.total.keys} keys, ${values} values`),
  );
  progress.end();
  console.log(
    `Restored ${written.keys} keys as they were on ${checked.madeAt}. Start Frontpage now:`,
  );
  console.log('it recounts from Discord what happened since.');
}

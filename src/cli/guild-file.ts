import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { atCommandLine, type CommandLine, progressLine, Refused } from './command-line.ts';
import { readApplicationId } from '../discord/application.ts';
import { openOverRest } from '../start.ts';
import {
  fateLines,
  faultText,
  mismatchOf,
  mismatchText,
  restoreFile,
} from '../admin/guild-file.ts';
import { writeLines } from '../records/backup/lines.ts';
import { exportGuild } from '../records/guild-file/export.ts';
import { KINDS } from '../records/guild-file/format.ts';
import { BrokenGuildFile, type Bytes, checkGuildFile } from '../records/guild-file/read.ts';
import { otherSchema } from '../redis/schema-version.ts';
import { openStore, type Store } from '../redis/store.ts';
import { openRanking } from '../ranking/ranking.ts';
import { zSnowflake } from '../ranking/snowflake.ts';

/**
 * `npm run export` and `npm run restore-guild`: what `/data` does, from the command line and without
 * its limits. The bot may be running meanwhile or not.
 */

const usage = [
  'Usage: npm run export -- <guild id> [file]',
  '       npm run restore-guild -- <file> [--dry-run] [--from-another-application]',
].join('\n');

type Flags = { 'dry-run': boolean; 'from-another-application': boolean };

await atCommandLine(
  {
    name: 'guild-file',
    usage,
    options: {
      'dry-run': { type: 'boolean', default: false },
      'from-another-application': { type: 'boolean', default: false },
    },
    whenItFails:
      'It stopped half-way. An export is made anew; a restore with the same file goes on from there.',
  },
  async ({ words, flags }, line) => {
    const [verb, given, file] = words;
    if (verb === 'export') await save(line, given, file);
    else if (verb === 'restore' && given !== undefined) await restore(line, given, flags);
    else throw new Refused(usage);
  },
);

async function save(
  { config, clock, log, connect }: CommandLine,
  given: string | undefined,
  path: string | undefined,
): Promise<void> {
  const guild = zSnowflake.safeParse(given);
  if (!guild.success) throw new Refused(usage);
  const redis = await connect();
  const application = await readApplicationId(config);
  const store = openStore(redis, application, log);
  await demandSchema(store);
  const now = clock.now();
  const minute = new Date(now).toISOString().slice(0, 16).replace(/[:T]/g, '-');
  const file = path ?? `frontpage-${guild.data}-${minute}.ndjson.gz`;
  const progress = progressLine();
  const source = { ranking: openRanking(redis, application), store };
  const lines = exportGuild(source, guild.data, now, (articles) =>
    progress.show(`${articles} articles`),
  );
  await usingFile(file, () => writeLines(file, lines, { isPacked: file.endsWith('.gz') }));
  progress.end();
  // What was written is read once more, since nobody looks before it is needed.
  const { counts } = await checked(file);
  if (KINDS.every((kind) => counts[kind] === 0)) {
    await rm(file);
    throw new Refused(`Nothing is kept of a server ${guild.data}.`);
  }
  console.log(`${file} holds ${counts.article} articles and was read back without a fault.`);
}

async function restore(
  { config, clock, log, connect, onEnd }: CommandLine,
  path: string,
  flags: Flags,
): Promise<void> {
  const file = await checked(path);
  const redis = await connect();
  const opened = await openOverRest({ ...config, redis, clock, log }, file.guild);
  if (opened === null)
    throw new Refused(`The bot is in no server ${file.guild}: add it there first.`);
  const { app, guild } = opened;
  onEnd(() => opened.stop());
  const { applicationId: application } = app.store;
  await demandSchema(app.store);
  const mismatch = mismatchOf(file, { guild: guild.id, application, now: clock.now() });
  const isTakenOver = mismatch === 'application' && flags['from-another-application'];
  if (mismatch !== null && !isTakenOver) throw new Refused(mismatchText('en', mismatch));
  const write = !flags['dry-run'];
  const progress = progressLine();
  const outcome = await restoreFile(app, guild, {
    file,
    bytes: bytesOf(path),
    write,
    onLine: (done) => progress.show(`${done} of ${file.lines} lines`),
  });
  progress.end();
  if (outcome.status === 'held') throw new Refused('Another process restores this server’s file.');
  console.log(`${guild.name}, as it was on ${file.madeAt}${write ? '' : ' (nothing is written)'}:`);
  for (const line of fateLines('en', outcome.restored)) console.log(line);
  if (write)
    console.log('A running Frontpage compares the votes within the hour, or when it starts.');
}

async function demandSchema(store: Store): Promise<void> {
  const other = await otherSchema(store);
  if (other !== null) throw new Refused(other);
}

function bytesOf(path: string): Bytes {
  return () => createReadStream(path);
}

async function checked(path: string) {
  return usingFile(path, async () => {
    try {
      return await checkGuildFile(bytesOf(path));
    } catch (error) {
      if (error instanceof BrokenGuildFile) throw new Refused(faultText('en', error.fault));
      throw error;
    }
  });
}

async function usingFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refused(`There is a file ${path} already: name another one.`);
    if (syscall !== undefined) throw new Refused(`${path} cannot be used (${code}).`);
    throw error;
  }
}

import { exitCodes } from '../cannot-start.ts';
import {
  fateLines,
  faultText,
  mismatchOf,
  mismatchText,
  restoreFile,
} from '../admin/guild-file.ts';
import type { Header, Line } from '../records/guild-file/format.ts';
import { BrokenGuildFile, checkGuildFiles, guildFiles } from '../records/guild-file/read.ts';
import { otherSchema } from '../redis/startup-checks/schema-version.ts';
import { openOverRest } from '../start.ts';
import { atCommandLine, type CommandLine, CommandRefused, readId } from './command-line.ts';
import { bytesOf } from './private-file.ts';

const usage = `Usage: npm run restore -- <file> [--guild <server id>] [--from-another-application]

Puts back what a backup or a server's file holds. Settings become those of the file;
newer digests and blocks, and articles that are there, stay.
The bot may be running or not.
  --guild <server id>         this server's part of the file alone
  --from-another-application  takes over the closed articles of another bot`;

type Flags = {
  guild?: string | undefined;
  'from-another-application': boolean;
};

await atCommandLine(
  {
    name: 'restore',
    usage,
    options: {
      guild: { type: 'string' },
      'from-another-application': { type: 'boolean', default: false },
    },
    whenItFails: 'It stopped half-way. Started again with the same file, it goes on from there.',
  },
  async ({ words: [file, ...more], flags }, open) => {
    if (file === undefined || more.length > 0) throw new CommandRefused(usage);
    if (flags.guild !== undefined) readId(flags.guild, usage);
    try {
      await restoreAll(open(), file, flags);
    } catch (error) {
      if (error instanceof BrokenGuildFile) {
        throw new CommandRefused(faultText('en', error.fault), exitCodes.data);
      }
      throw error;
    }
  },
);

async function restoreAll(line: CommandLine, path: string, flags: Flags): Promise<void> {
  const isWanted = ({ guild }: Header) => flags.guild === undefined || flags.guild === guild;
  const held = await checkGuildFiles(bytesOf(path));
  if (!held.some(isWanted)) {
    throw new CommandRefused(`${path} holds nothing of that server.`, exitCodes.noInput);
  }
  const { config, clock, log, connect, onEnd } = line;
  const bot = await openOverRest({ ...config, redis: await connect(), clock, log });
  onEnd(() => bot.stop());
  const other = await otherSchema(bot.app.store);
  if (other !== null) throw new CommandRefused(other, exitCodes.config);
  const left: string[] = [];
  for await (const file of guildFiles(bytesOf(path))) {
    if (!isWanted(file.header)) continue;
    const refusal = await restoreOne(bot, file, flags);
    if (refusal !== null) left.push(refusal);
  }
  if (left.length > 0) throw new CommandRefused(left.join('\n'), exitCodes.data);
  console.log('A running Frontpage compares the votes within the hour, or when it starts.');
}

/** Returns the reason if this server is left out, or null. */
async function restoreOne(
  { app, guild: read }: Awaited<ReturnType<typeof openOverRest>>,
  { header, lines }: { header: Header; lines: AsyncIterable<Line> },
  flags: Flags,
): Promise<string | null> {
  const guild = await read(header.guild);
  if (guild === null) {
    return `The bot is in no server ${header.guild}: invite it there, then restore again with --guild ${header.guild}.`;
  }
  const here = { application: app.store.applicationId, now: app.clock.now() };
  const mismatch = mismatchOf(header, here);
  const isTakenOver = mismatch === 'application' && flags['from-another-application'];
  if (mismatch !== null && !isTakenOver) return `${guild.name}: ${mismatchText('en', mismatch)}`;
  const outcome = await restoreFile(app, guild, {
    header,
    lines,
  });
  if (outcome.status === 'held') return `${guild.name}: another process restores its file.`;
  console.log(`${guild.name}, as it was on ${header.madeAt}:`);
  for (const text of fateLines('en', outcome.restored)) console.log(text);
  return null;
}

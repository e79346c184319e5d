import { fateLines, faultText, mismatchOf } from '../attached-file.ts';
import { CannotStart } from '../../runtime/cannot-start.ts';
import type { Header, Line } from '../guild-file/format.ts';
import { BrokenGuildFile, checkGuildFiles, guildFiles } from '../guild-file/read.ts';
import { noteGuilds } from '../../community/known-guilds.ts';
import type { BotOverRest } from '../../bot.ts';
import { translate } from '../../text/catalogue.ts';
import { atCommandLine, readId } from './command-line.ts';
import { bytesOfFile } from './private-file.ts';

const usage = `Usage: node bin/frontpage.js restore <file> [--guild <server id>] [--from-another-application]

Puts back what a backup or a server's file holds. Settings become those of the file;
newer digests and blocks, and articles that are there, stay.
The bot may be running or not.
  --guild <server id>         this server's part of the file alone
  --from-another-application  takes over the closed articles of another bot`;

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
  async ({ words: [path, ...more], flags }, open) => {
    if (path === undefined || more.length > 0) throw new CannotStart(usage, 'usage');
    const guild = flags.guild === undefined ? null : readId(flags.guild, usage);
    const isWanted = (header: Header) => guild === null || guild === header.guild;
    const held = await checkGuildFiles(bytesOfFile(path)).catch((error: unknown) => {
      if (!(error instanceof BrokenGuildFile)) throw error;
      const { fault } = error;
      const detail = fault.status === 'line' ? ` (${fault.what})` : '';
      throw new CannotStart(faultText('en', fault) + detail, 'data');
    });
    if (!held.some(isWanted)) {
      throw new CannotStart(`${path} holds nothing of that server.`, 'noInput');
    }
    const bot = await open();
    const left: string[] = [];
    for await (const file of guildFiles(bytesOfFile(path))) {
      if (!isWanted(file.header)) continue;
      const refusal = await restoreOne(bot, file, flags['from-another-application']);
      if (refusal !== null) left.push(refusal);
    }
    if (left.length > 0) throw new CannotStart(left.join('\n'), 'data');
    console.log('A running Frontpage compares the votes within the hour, or when it starts.');
  },
);

/** Returns the reason if this server is left out, or null. */
async function restoreOne(
  bot: BotOverRest,
  { header, lines }: { header: Header; lines: AsyncIterable<Line> },
  fromAnother: boolean,
): Promise<string | null> {
  const { app } = bot;
  const guild = await bot.guild(header.guild);
  if (guild === null) {
    return `The bot is in no server ${header.guild}: invite it there, then restore again with --guild ${header.guild}.`;
  }
  const here = { application: app.store.applicationId, now: app.clock.now() };
  const mismatch = mismatchOf(header, here);
  if (mismatch !== null && !(mismatch === 'application' && fromAnother)) {
    return `${guild.name}: ${translate('en', `data.mismatch.${mismatch}`)}`;
  }
  // A running bot notes its servers. Without this, no other command would find what is restored before.
  await noteGuilds(app.store, [guild.id]);
  const restored = await app.backup.restore(guild, { header, lines });
  if ('status' in restored) return `${guild.name}: another process restores its file.`;
  console.log(`${guild.name}, as it was on ${header.madeAt}:`);
  for (const text of fateLines('en', restored)) console.log(text);
  return null;
}

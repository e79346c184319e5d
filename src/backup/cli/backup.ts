import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotStart } from '../../runtime/cannot-start.ts';
import { storedGuilds, writeBackup } from '../nightly.ts';
import { atCommandLine, readId } from './command-line.ts';

const usage = `Usage: node bin/frontpage.js backup [<file or folder>] [--guild <server id>]

Writes the data of all servers, or of one, into a new file. The bot may be running or not.
Without a name the file lands in DATA_DIR, and for a folder that exists, in that folder.
A file whose name ends in .gz is packed.
Keep the file to yourself: it names who voted.`;

await atCommandLine(
  {
    name: 'backup',
    usage,
    options: { guild: { type: 'string' } },
    whenItFails: 'It stopped half-way, and there is no file. Start it again.',
  },
  async ({ words: [word, ...more], flags }, open) => {
    if (more.length > 0) throw new CannotStart(usage, 'usage');
    const guild = flags.guild === undefined ? null : readId(flags.guild, usage);
    const bot = await open();
    const now = bot.clock.now();
    const at = new Date(now).toISOString().slice(0, 19).replace(/[:T]/g, '-');
    const name = `frontpage-${guild === null ? '' : `${guild}-`}${at}.backup.gz`;
    const isFolder = word === undefined || (await isFolderThere(word));
    const file = isFolder ? join(word ?? bot.config.dataDir, name) : word;
    const guilds = guild === null ? await storedGuilds(bot, now) : [guild];
    const made = await writeBackup(bot, file, { guilds, now });
    if (made === null) {
      throw new CannotStart(`Nothing is stored about ${guild ?? 'any server'}.`, 'noInput');
    }
    const { servers, articles } = made;
    console.log(
      `${file} was read back without a fault. Servers: ${servers}, articles: ${articles}.`,
    );
  },
);

async function isFolderThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

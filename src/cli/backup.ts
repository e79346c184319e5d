import { REST } from 'discord.js';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodes } from '../cannot-start.ts';
import { readApplicationId } from '../discord/application.ts';
import { readGuilds, readLeft } from '../records/guilds.ts';
import { exportGuild } from '../records/guild-file/export.ts';
import { checkGuildFiles } from '../records/guild-file/read.ts';
import { openRanking } from '../ranking/ranking.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { otherSchema } from '../redis/startup-checks/schema-version.ts';
import { atCommandLine, type CommandLine, CommandRefused, readId } from './command-line.ts';
import { bytesOf, writePrivately } from './private-file.ts';

const usage = `Usage: npm run backup -- [<file>] [--guild <server id>]

Writes the data of all servers, or of one, into a new file. The bot may be running or not.
Without a name the file lands in DATA_DIR. A file whose name ends in .gz is packed.
Keep the file to yourself: it names who voted.`;

await atCommandLine(
  {
    name: 'backup',
    usage,
    options: { guild: { type: 'string' } },
    whenItFails: 'It stopped half-way, and there is no file. Start it again.',
  },
  async ({ words, flags }, open) => {
    if (words.length > 1) throw new CommandRefused(usage);
    const guild = flags.guild === undefined ? null : readId(flags.guild, usage);
    const line = open();
    await backup(line, words[0] ?? defaultName(line, guild), guild);
  },
);

function defaultName({ config, clock }: CommandLine, guild: Snowflake | null): string {
  const at = new Date(clock.now()).toISOString().slice(0, 19).replace(/[:T]/g, '-');
  return join(config.dataDir, `frontpage-${guild === null ? '' : `${guild}-`}${at}.backup.gz`);
}

async function backup(
  { config, clock, log, connect }: CommandLine,
  file: string,
  guild: Snowflake | null,
): Promise<void> {
  const redis = await connect();
  const application = await readApplicationId(
    new REST({ api: config.apiBase }).setToken(config.token),
  );
  const store = { redis, applicationId: application, log };
  const other = await otherSchema(store);
  if (other !== null) throw new CommandRefused(other, exitCodes.config);
  const now = clock.now();
  const source = { ranking: openRanking(redis, application), store };
  // A server that removed the bot may invite it again.
  const all = new Set([...(await readGuilds(store)), ...(await readLeft(store, now))]);
  const guilds = guild === null ? [...all] : [guild];
  async function* lines(): AsyncGenerator<string> {
    for (const one of guilds) yield* exportGuild(source, one, now);
  }
  await writePrivately(file, lines());
  // Read the file again, because nobody looks into it before it is needed.
  const files = guilds.length > 0 ? await checkGuildFiles(bytesOf(file)) : [];
  if (files.every((one) => one.lines === 0)) {
    await rm(file);
    throw new CommandRefused(`Nothing is kept of ${guild ?? 'any server'}.`, exitCodes.noInput);
  }
  const articles = files.reduce((sum, one) => sum + one.articles, 0);
  console.log(
    `${file} was read back without a fault. Servers: ${files.length}, articles: ${articles}.`,
  );
}

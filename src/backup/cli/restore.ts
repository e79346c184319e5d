import { fateLines, faultText, mismatchOf } from '../attached-file.ts';
import { CannotStart } from '../../runtime/cannot-start.ts';
import type { Header, Line } from '../guild-file/format.ts';
import { guildParts, surveyedParts } from '../guild-file/read.ts';
import { isOfOneChannel } from '../../discord/requests/refusals.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { noteGuilds } from '../../community/known-guilds.ts';
import type { BotOverRest } from '../../bot.ts';
import { translate } from '../../text/catalogue.ts';
import { atCommandLine, readId } from './command-line.ts';
import { bytesOfFile } from '../private-file.ts';

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
    const found = await surveyParts(path, guild);
    if (found.whole.size === 0) {
      const nothing = guild === null ? 'no server' : 'nothing of that server';
      throw found.left.length > 0
        ? new CannotStart(found.left.join('\n'), 'data')
        : new CannotStart(`${path} holds ${nothing}.`, 'noInput');
    }
    const bot = await open();
    const left = [...found.left];
    let isOfDiscord = left.length === 0;
    for await (const part of guildParts(bytesOfFile(path))) {
      if (part.header === null || !found.whole.has(part.at)) continue;
      const fate = await restoreOne(bot, part, flags['from-another-application']).catch(
        (error: unknown) => couldNot(error, part.header.guild),
      );
      if (fate === null) continue;
      left.push(fate.why);
      isOfDiscord &&= fate.isOfDiscord === true;
    }
    if (left.length > 0) {
      throw new CannotStart(left.join('\n'), isOfDiscord ? 'unavailable' : 'data');
    }
    console.log('A running Frontpage compares the votes within the hour, or when it starts.');
  },
);

/** Reads the whole file before anything rests on it: which parts can be restored, and why others cannot. */
async function surveyParts(path: string, guild: Snowflake | null) {
  /** Their places in the file. */
  const whole = new Set<number>();
  const left: string[] = [];
  /** Of no server that can be named. */
  const strays: string[] = [];
  for await (const { at, header, fault } of surveyedParts(bytesOfFile(path))) {
    if (header !== null && guild !== null && guild !== header.guild) continue;
    if (fault === null) {
      whole.add(at);
      continue;
    }
    const what = fault.status === 'line' ? ` (${fault.what})` : '';
    const why = `${faultText('en', fault)}${what}`;
    if (header === null) strays.push(why);
    else left.push(`Server ${header.guild} is left out. ${why}`);
  }
  // Of one server alone, they matter only if it is not there.
  if (guild === null || whole.size === 0) left.push(...strays);
  return { whole, left };
}

/** Why a server is left out, for the host. */
type Refusal = { why: string; isOfDiscord?: boolean };

/** What Discord fails to answer about one server stops no other. */
function couldNot(error: unknown, guild: Snowflake): Refusal {
  if (!isOfOneChannel(error)) throw error;
  const { status } = error as { status?: number };
  const answer = status === undefined ? '' : ` (${status})`;
  return {
    why: `Discord gave no answer about the server ${guild}${answer}: restore again with --guild ${guild}.`,
    isOfDiscord: true,
  };
}

/** Returns the reason if this server is left out, or null. */
async function restoreOne(
  bot: BotOverRest,
  { header, lines }: { header: Header; lines: AsyncIterable<Line> },
  fromAnother: boolean,
): Promise<Refusal | null> {
  const guild = await bot.readGuild(header.guild);
  if (guild === null) {
    const { guild: id } = header;
    const why = `The bot is in no server ${id}: invite it there, then restore again with --guild ${id}.`;
    return { why };
  }
  const here = { application: bot.store.applicationId, now: bot.clock.now() };
  const mismatch = mismatchOf(header, here);
  if (mismatch !== null && !(mismatch === 'application' && fromAnother)) {
    return { why: `${guild.name}: ${translate('en', `data.mismatch.${mismatch}`)}` };
  }
  // A running bot notes its servers. Without this, no other command would find what is restored before.
  await noteGuilds(bot.store, [guild.id]);
  const restored = await bot.backup.restore(guild, { header, lines });
  if ('status' in restored) return { why: `${guild.name}: another process restores its file.` };
  console.log(`${guild.name}, as it was on ${header.madeAt}:`);
  for (const text of fateLines('en', restored)) console.log(text);
  return null;
}

import type { Guild } from 'discord.js';
import { exitCodes } from '../cannot-start.ts';
import { atCommandLine, progressLine, readId, CommandRefused } from './command-line.ts';
import { openOverRest } from '../start.ts';
import type { RebuildStep } from '../articles/completeness.ts';
import type { UnreadPlace } from '../recount/history/unread.ts';
import { rebuildGuild } from '../recount/rebuild/rebuild-guild.ts';

const usage = `Usage: npm run rebuild -- <server id>

Reads the articles and votes of a server from Discord again. The bot may be running or not.`;

await atCommandLine(
  {
    name: 'rebuild',
    usage,
    options: {},
    whenItFails: 'The rebuild stopped. Started again, it goes on from there.',
  },
  async ({ words: [word, ...more] }, open) => {
    if (word === undefined || more.length > 0) throw new CommandRefused(usage);
    const id = readId(word, usage);
    const { config, clock, log, connect, onEnd } = open();
    const redis = await connect();
    const { app, guild: read, stop } = await openOverRest({ ...config, redis, clock, log });
    onEnd(stop);
    const guild = await read(id);
    if (guild === null) {
      throw new CommandRefused(`The bot is in no server ${id}.`, exitCodes.noInput);
    }
    const progress = progressLine();
    const rebuilt = await rebuildGuild(app, guild, {
      onStep: (step) => progress.show(stepText(step)),
    });
    progress.end();
    if (rebuilt.status !== 'finished') {
      throw new CommandRefused('Another process is rebuilding this server.', exitCodes.temporary);
    }
    console.log(`Done: ${rebuilt.articles} articles of ${guild.name} are in place.`);
    for (const place of rebuilt.unread) {
      console.log(
        `Not read: ${nameOf(guild, place)}. View Channel or Read Message History may be missing there.`,
      );
    }
  },
);

function nameOf(guild: Guild, place: UnreadPlace): string {
  const [group = '', inGroup] = place.split('/');
  const channel = `#${guild.channels.cache.get(group)?.name ?? group}`;
  if (inGroup === undefined) return channel;
  return `${channel} (${inGroup === 'threads' ? 'its threads' : `its thread ${inGroup}`})`;
}

function stepText({ phase, done, places, articles }: RebuildStep): string {
  const part = phase === 'recent' ? 'Newest messages' : 'Older messages';
  return `${part}: ${done} of ${places} channels and threads, ${articles} articles.`;
}

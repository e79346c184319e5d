import type { Bot } from '../discord/bot.ts';
import { alone } from '../discord/held-lease.ts';
import { noteGuilds } from '../store/guilds.ts';
import { readRefreshed, writeRefreshed } from '../store/rebuilds.ts';
import { sweepPostings } from '../voting/postings.ts';
import { sweepRemoved } from '../voting/removed.ts';
import type { Snowflake } from '../voting/snowflake.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Guilds have their turns between 01:00 and 05:00 UTC. */
const nightFromMs = hourMs;
const nightMs = 4 * hourMs;

/** Raise it when the refresh derives more: the next tick then does it, whatever the night did. */
const VERSION = 1;

/**
 * Derives anew what is only an index over a guild's data, once a night among all processes: who is
 * first does it, and the night that was refreshed last is stored. A missed night is made up for.
 */
export async function refreshGuild(
  bot: Bot,
  guild: Snowflake,
  refresh: () => Promise<void>,
): Promise<void> {
  const { store, ranking, clock } = bot;
  const now = clock.now();
  const night = nightOf(guild, now);
  if ((await readRefreshed(store, guild)) === night) return;
  await alone(bot, { guild, work: 'refresh' }, async () => {
    if ((await readRefreshed(store, guild)) === night) return;
    await noteGuilds(store, [guild]);
    await sweepPostings(ranking, guild, now - dayMs);
    await sweepRemoved(ranking, guild, now);
    await refresh();
    await writeRefreshed(store, guild, night);
    // Roles of voters change, and nobody tells the bot.
    bot.judging.soon(guild);
  });
}

/** The last night in which the guild has had its turn, and the version. */
function nightOf(guild: Snowflake, now: number): string {
  const turnMs = nightFromMs + Number((BigInt(guild) >> 22n) % BigInt(nightMs));
  const date = new Date(Math.floor((now - turnMs) / dayMs) * dayMs).toISOString().slice(0, 10);
  return `${date} ${VERSION}`;
}

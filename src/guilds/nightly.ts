import type { Guild } from 'discord.js';
import { DAY_MS } from '../clock.ts';
import type { App } from '../app.ts';
import type { LogChannelParts } from '../discord/requests/log-channel.ts';
import { type LeaseParts, withLease } from '../redis/lease.ts';
import { sweepBlocks } from '../records/blocks.ts';
import { noteGuilds } from '../records/guilds.ts';
import { readRefreshed, writeRefreshed } from '../records/history/rebuilds.ts';
import { sweepReservations } from '../ranking/links/reservations.ts';
import { sweepRemoved, walkRemoved } from '../ranking/articles/removed.ts';
import { fitGuildMark, startGuildMark } from '../articles/guild-mark.ts';
import { NIGHT_FROM_MS, NIGHT_MS } from '../recount/scheduler.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/**
 * Rebuilds the indexes over a guild's data, once per night in one of the processes. The last refreshed
 * night is stored, so the first process does it, and a missed night is made up for.
 */
export async function refreshGuild(
  app: LeaseParts & LogChannelParts & Pick<App, 'ranking' | 'messageUpdates'>,
  of: Guild,
  refresh: () => Promise<void>,
): Promise<void> {
  const guild = of.id;
  const { store, ranking, clock } = app;
  const now = clock.now();
  const night = nightOf(guild, now);
  if ((await readRefreshed(store, guild)) === night) return;
  await withLease(app, { guild, work: 'refresh' }, async () => {
    if ((await readRefreshed(store, guild)) === night) return;
    await noteGuilds(store, [guild]);
    await sweepReservations(ranking, guild, now - DAY_MS);
    await sweepRemoved(ranking, guild, now);
    await sweepBlocks(store, guild, now);
    await showRemovals(app, guild);
    await refresh();
    // Last, because a step of the mark cannot be repeated: a failure above repeats the night's work.
    // The mark may have been lost with the articles, and steps from the default would take nights.
    await startGuildMark(app, of);
    await fitGuildMark(app, of);
    await writeRefreshed(store, guild, night);
  });
}

/** Edits the messages of recent removals that still show their articles, such as after a death of the bot. */
export async function showRemovals(
  { ranking, clock, messageUpdates }: Pick<App, 'ranking' | 'clock' | 'messageUpdates'>,
  guild: Snowflake,
): Promise<void> {
  const fromMs = clock.now() - 2 * DAY_MS;
  for await (const { article, atMs } of walkRemoved(ranking, guild)) {
    if (atMs > fromMs) messageUpdates.note(guild, article.id);
  }
}

/** The date of the guild's last due refresh. Each guild has its own time of the night. */
function nightOf(guild: Snowflake, now: number): string {
  const turnMs = NIGHT_FROM_MS + Number((BigInt(guild) >> 22n) % BigInt(NIGHT_MS));
  return new Date(Math.floor((now - turnMs) / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
}

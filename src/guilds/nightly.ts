import type { App } from '../app.ts';
import { withLease } from '../redis/lease.ts';
import { noteGuilds } from '../records/guilds.ts';
import { readRefreshed, writeRefreshed } from '../records/rebuilds.ts';
import { sweepReservations } from '../ranking/links/reservations.ts';
import { listRemoved, sweepRemoved } from '../ranking/articles/removed.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

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
  app: App,
  guild: Snowflake,
  refresh: () => Promise<void>,
): Promise<void> {
  const { store, ranking, clock } = app;
  const now = clock.now();
  const night = nightOf(guild, now);
  if ((await readRefreshed(store, guild)) === night) return;
  await withLease(app, { guild, work: 'refresh' }, async () => {
    if ((await readRefreshed(store, guild)) === night) return;
    await noteGuilds(store, [guild]);
    await sweepReservations(ranking, guild, now - dayMs);
    await sweepRemoved(ranking, guild, now);
    // A removal whose message could not be edited in time.
    for (const { article, atMs } of await listRemoved(ranking, guild)) {
      if (now - atMs < 2 * dayMs) app.messageUpdates.note(guild, article.id);
    }
    await refresh();
    await writeRefreshed(store, guild, night);
  });
}

/** The last night in which the guild has had its turn, and the version. */
function nightOf(guild: Snowflake, now: number): string {
  const turnMs = nightFromMs + Number((BigInt(guild) >> 22n) % BigInt(nightMs));
  const date = new Date(Math.floor((now - turnMs) / dayMs) * dayMs).toISOString().slice(0, 10);
  return `${date} ${VERSION}`;
}

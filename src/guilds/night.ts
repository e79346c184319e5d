import type { Guild } from 'discord.js';
import { DAY_MS } from '../runtime/clock.ts';
import { forEach } from '../runtime/for-each.ts';
import { fitGuildMark, startGuildMark } from '../articles/guild-mark.ts';
import type { Listing } from '../articles/listing.ts';
import { sweepBlocks } from '../community/blocks.ts';
import { noteGuilds, readRefreshed, writeRefreshed } from '../community/known-guilds.ts';
import type { Due } from '../due/due.ts';
import { isPlanned, type Kind } from '../due/kind.ts';
import { guildKeys } from '../ranking/keys.ts';
import { sweepRemoved } from '../ranking/articles/removed.ts';
import { isFaultOfRedis } from '../redis/errors.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { lookAtClosed } from '../votes/recount/closed-articles.ts';
import type { RecountNeeds } from '../votes/recount-needs.ts';
import { NIGHT_FROM_MS, NIGHT_MS } from '../votes/recount/recount-kinds.ts';

/** What the night's work needs. */
export interface NightNeeds extends RecountNeeds {
  /** Writes articles into the lists of those who may view their channels. */
  listing: Listing;
  /** The night is planned, and what it finds. */
  due: Due;
}

const SIDE_BY_SIDE = 8;
const WEEK_MS = 7 * DAY_MS;

/**
 * What a guild needs once in the night in which something changed, was removed or blocked, or is open; else once a
 * week, at any time of the day, so that idle guilds ask nothing of Redis.
 */
export function nightKind(needs: NightNeeds): Kind {
  const { client, store, ranking, clock, due } = needs;
  /** The planned nights of guilds that changed. */
  const plannedMs = new Map<Snowflake, number>();

  ranking.changes.listen((guild) => {
    const now = clock.now();
    if ((plannedMs.get(guild) ?? 0) > now) return;
    const atMs = nextNight(guild, now);
    plannedMs.set(guild, atMs);
    due.plan(guild, 'night', atMs).catch(() => plannedMs.delete(guild));
  });

  return {
    name: 'night',
    sideBySide: SIDE_BY_SIDE,
    async standing(guild) {
      const refreshed = await readRefreshed(store, guild);
      // A new guild's first night is at once, though a change may have planned the next one before.
      if (refreshed !== null && (await isPlanned(store, guild, 'night'))) return [];
      const now = clock.now();
      const isDone = refreshed === nightOf(guild, now);
      return [{ row: 'night', atMs: isDone ? nextNight(guild, now) : 0 }];
    },
    async run({ guild: id }) {
      const guild = client.guilds.cache.get(id);
      // It is planned again when the guild arrives.
      if (!guild?.available) return { atMs: null };
      const night = nightOf(id, clock.now());
      // A missed night is made up for, and an older process may have done it.
      if ((await readRefreshed(store, id)) !== night) await refresh(needs, guild, night);
      const { open, removed } = guildKeys(ranking, id);
      const isBusy = (await store.redis.exists(open, removed, storeKeys(store, id).blocks)) > 0;
      const now = clock.now();
      const isChanged = (plannedMs.get(id) ?? 0) > now;
      return { atMs: (isBusy || isChanged ? nextNight : nextWeek)(id, now) };
    },
  };
}

async function refresh(needs: NightNeeds, of: Guild, night: string): Promise<void> {
  const { store, ranking, clock, due } = needs;
  const guild = of.id;
  const now = clock.now();
  await eachOf(needs, of, [
    () => noteGuilds(store, [guild]),
    () => sweepRemoved(ranking, guild, now),
    () => sweepBlocks(store, guild, now),
    () => needs.listing.compare(of),
    () => lookAtClosed(needs, guild),
    // What a failover lost of a rebuild or an erasure is found by its own data.
    () => due.arrive(guild),
  ]);
  // Last, because a step of the mark cannot be repeated: a failure above repeats the night's work.
  // The mark may have been lost with the articles, and steps from the default would take nights.
  await startGuildMark(needs, of);
  await fitGuildMark(needs, of);
  await writeRefreshed(store, guild, night);
}

/** Takes all steps in their order: one that fails stops no later one. Then throws the first fault. */
function eachOf(
  { ranking }: NightNeeds,
  { id }: Guild,
  steps: readonly (() => Promise<unknown>)[],
): Promise<void> {
  return forEach(steps, async (step) => {
    await step().catch((error: unknown) => {
      if (isFaultOfRedis(error)) ranking.onDamaged(id);
      throw error;
    });
  });
}

/** The guild's own time of the night. */
function turnOf(guild: Snowflake): number {
  return NIGHT_FROM_MS + (snowflakeTimeMs(guild) % NIGHT_MS);
}

/** The date of the guild's last night. */
function nightOf(guild: Snowflake, now: number): string {
  const turnMs = turnOf(guild);
  return new Date(Math.floor((now - turnMs) / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
}

function nextNight(guild: Snowflake, now: number): number {
  return nextTurn(turnOf(guild), now, DAY_MS);
}

function nextWeek(guild: Snowflake, now: number): number {
  return nextTurn(snowflakeTimeMs(guild) % WEEK_MS, now + DAY_MS, WEEK_MS);
}

/** The first of the turns with this distance that is later. */
function nextTurn(turnMs: number, afterMs: number, everyMs: number): number {
  return Math.floor((afterMs - turnMs) / everyMs + 1) * everyMs + turnMs;
}

import { checkGuild, compareEntries, deleteUnreadable } from '../../ranking/articles/check.ts';
import { readOwnScale } from '../../ranking/articles/mark.ts';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { withLease } from '../../redis/lease.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { declareIncomplete, readRebuildState } from './stored-rebuilds.ts';
import { forgetImported } from '../../articles/imported.ts';
import { setAsideWrongTypes } from '../../community/known-guilds.ts';
import { startGuildMark } from '../../articles/guild-mark.ts';
import type { Due } from '../../due/due.ts';
import { isPlanned, type Kind } from '../../due/kind.ts';
import type { RecountNeeds } from '../../votes/recount-needs.ts';

/**
 * A check asks Redis about each key: thousands of guilds at once, as after a start, made commands wait beyond their
 * time limit.
 */
const SIDE_BY_SIDE = 8;

const someGone = 'Stored articles of a guild are damaged or gone, and are read again from Discord.';
const allGone =
  'All stored articles of a guild are gone, and are read again from Discord. A fitted mark begins anew, and imported articles have to be imported again.';

/** What repairing damage needs. */
export interface RepairNeeds extends RecountNeeds {
  /** A rebuild reads what is lost. */
  due: Due;
  /** Votes that a damage took away are counted again. */
  recount(guild: Snowflake): void;
}

/**
 * Checks whether a guild's keys fit one another, and repairs them from the rows and from Discord: when the guild
 * arrives, in the night, and when something could not be read.
 */
export function checkKind(needs: RepairNeeds): Kind {
  const { client, clock, due } = needs;
  return {
    name: 'check',
    sideBySide: SIDE_BY_SIDE,
    standing: async () => [{ row: 'check', atMs: 0 }],
    async run({ guild: id }) {
      const status = await repairDamage(needs, id);
      if (status === 'held') return { atMs: clock.now() + MINUTE_MS };
      const guild = client.guilds.cache.get(id);
      // Rows that were evicted with the mark may all have been taken in again.
      const isMarkLost = async () => (await readOwnScale(needs.ranking, id)).mark === null;
      const isDamaged = status !== 'incomplete' && (status !== 'nothing' || (await isMarkLost()));
      if (guild && isDamaged) await startGuildMark(needs, guild);
      // Its end plans the check that could not be made.
      if (status === 'lost') await due.plan(id, 'rebuild', 0);
      if (status === 'incomplete') await planRebuild(needs, id);
      if (status === 'lists') needs.recount(id);
      return { atMs: null };
    },
  };
}

/**
 * Compares the numbers of entries of a guild's keys within a minute of somebody's reading or changing them, because a
 * key that was evicted and written again is read without a fault. Where nothing happens, the night finds it.
 */
export function compareKind(needs: RepairNeeds): Kind {
  const { store, ranking, clock, due } = needs;
  /** When each guild was compared last, and when it is to be next. */
  const comparedMs = new Map<Snowflake, number>();
  const plannedMs = new Map<Snowflake, number>();
  /** The articles of each guild without a link in the index, at the last comparison. */
  const unlinkedBefore = new Map<Snowflake, number>();

  function plan(guild: Snowflake): void {
    const now = clock.now();
    // Redis may have lost the plan of longer ago.
    if (Math.abs(now - (plannedMs.get(guild) ?? 0)) <= MINUTE_MS) return;
    const restMs = (comparedMs.get(guild) ?? 0) + MINUTE_MS - now;
    const atMs = now + Math.min(Math.max(restMs, 0), MINUTE_MS);
    plannedMs.set(guild, atMs);
    due.plan(guild, 'compare', atMs).catch(() => plannedMs.delete(guild));
  }
  ranking.reads.listen(plan);
  ranking.changes.listen(plan);

  return {
    name: 'compare',
    sideBySide: SIDE_BY_SIDE,
    async run({ guild }) {
      plannedMs.delete(guild);
      comparedMs.set(guild, clock.now());
      const { fit, unlinked } = await compareEntries(ranking, guild, clock.now());
      const before = unlinkedBefore.get(guild) ?? unlinked;
      unlinkedBefore.set(guild, unlinked);
      if (!fit || unlinked > before) await due.plan(guild, 'check', 0);
      const { complete, begun } = await readRebuildState(store, guild);
      if (!complete && !begun) await planRebuild(needs, guild);
      return { atMs: null };
    },
  };
}

/** A rebuild that failed is planned, and keeps its rest. */
async function planRebuild({ store, due }: RepairNeeds, guild: Snowflake): Promise<void> {
  if (!(await isPlanned(store, guild, 'rebuild'))) await due.plan(guild, 'rebuild', 0);
}

/**
 * `lost`: articles are missing, which a rebuild has to read from Discord. `incomplete`: one is due or under way.
 * `held`: one was begun meanwhile.
 */
async function repairDamage(
  needs: RecountNeeds,
  guild: Snowflake,
): Promise<'nothing' | 'lists' | 'lost' | 'incomplete' | 'held'> {
  const { store, log } = needs;
  await setAside(needs, guild);
  const state = await readRebuildState(store, guild);
  // A rebuild under way changes the keys.
  if (!state.complete || state.begun) return 'incomplete';
  const damage = await check(needs, guild);
  const { broken, rowless, wrongTypes, misplaced, isGone } = damage;
  if (broken > 0 || rowless > 0 || isGone) {
    // A rebuild under way could pass by an article that is deleted after that.
    const work = { guild, work: 'rebuild' };
    const outcome = await withLease(needs, work, () => deleteLost(needs, guild, isGone));
    if (outcome.status === 'held') return 'held';
    log.error({ guild, ...damage }, isGone ? allGone : someGone);
    return 'lost';
  }
  if (wrongTypes.length === 0 && misplaced === 0) return 'nothing';
  log.error({ guild, ...damage }, 'Stored lists of a guild were damaged, and are made again.');
  return 'lists';
}

/** Repairs what a rebuild could not read or write. It begins anew then. Call it under the lease of the rebuild. */
export async function repairForRebuild(needs: RecountNeeds, guild: Snowflake): Promise<void> {
  await setAside(needs, guild);
  const { isGone } = await check(needs, guild);
  await deleteLost(needs, guild, isGone);
}

/**
 * Notes that articles are to be read from Discord, and then deletes those that cannot be read: nobody would look for
 * them if the process died in between. Call it under the lease of the rebuild.
 */
async function deleteLost(
  needs: RecountNeeds,
  guild: Snowflake,
  isGone: boolean,
): Promise<{ status: 'deleted' }> {
  const { store, ranking } = needs;
  if (isGone) await forgetImported(store, guild);
  await declareIncomplete(store, guild);
  await deleteUnreadable(ranking, guild, channelsOf(needs, guild));
  return { status: 'deleted' };
}

function check(needs: RecountNeeds, guild: Snowflake): ReturnType<typeof checkGuild> {
  return checkGuild(needs.ranking, guild, channelsOf(needs, guild));
}

function channelsOf({ client }: RecountNeeds, guild: Snowflake): Iterable<Snowflake> {
  return client.guilds.cache.get(guild)?.channels.cache.keys() ?? [];
}

async function setAside({ store, rules, log }: RecountNeeds, guild: Snowflake): Promise<void> {
  const aside = await setAsideWrongTypes(store, guild);
  if (Object.keys(aside).length === 0) return;
  await rules.reload(guild);
  log.error({ guild, aside }, 'Stored data of a guild cannot be read and was set aside.');
}

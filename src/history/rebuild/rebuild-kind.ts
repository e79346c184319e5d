import type { Guild } from 'discord.js';
import { asLease, type Held, type Kind, type Next, restOf } from '../../due/kind.ts';
import type { Due } from '../../due/due.ts';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { isFaultOfRedis } from '../../redis/errors.ts';
import { lacksRecords } from '../../community/lost-records.ts';
import { readRebuildState, readUnread, type RebuildStep } from './stored-rebuilds.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { repairForRebuild } from './repair-damage.ts';
import { rebuildUnder } from './rebuild-guild.ts';
import { groupsOf } from '../../discord/access/visibility.ts';
import { channelOfUnread, groupOfUnread } from '../walk/channels.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import type { RecountNeeds } from '../../votes/recount-needs.ts';

/** Each one uses up Discord's limits. */
const SIDE_BY_SIDE = 2;

const UNREAD = { why: 'fault', detail: 'Some channels cannot be read.' };

const noRecords =
  'A guild has articles, but no settings, digests and blocks. If it had some, restore them: docs/recovery.md says how.';

export interface RebuildNeeds extends RecountNeeds {
  /** What waits for a whole ranking is planned at its end. */
  due: Due;
  /** The rebuilds of guilds that this process knows of. */
  rebuilding: Map<Snowflake, RebuildStep>;
  /** Repeats what a rebuild could not read of an article's votes, until it can be read. */
  recount(guild: Snowflake): void;
}

/**
 * Keeps the ranking of every guild complete: it is rebuilt if it is not, or if a rebuild is unfinished. Groups that
 * could not be read are read when they may be readable: Discord can refuse a channel for some seconds.
 */
export function rebuildKind(needs: RebuildNeeds): Kind {
  const { client, store, clock } = needs;
  return {
    name: 'rebuild',
    sideBySide: SIDE_BY_SIDE,
    async standing(guild) {
      const { complete, begun } = await readRebuildState(store, guild);
      const isDue = !complete || begun || (await readUnread(store, guild)).length > 0;
      return isDue ? [{ row: 'rebuild', atMs: 0 }] : [];
    },
    async run(held) {
      const guild = client.guilds.cache.get(held.guild);
      // It is planned again when the guild arrives.
      if (!guild?.available) return { atMs: null };
      const { complete, begun } = await readRebuildState(store, guild.id);
      if (!complete || begun) return rebuild(needs, guild, held);
      const { readable, isRefused } = await findReadable(needs, guild);
      const next =
        readable.length > 0 ? await rebuild(needs, guild, held, readable) : { atMs: null };
      // Those that Discord refuses still are asked when they have rested, whatever became of the others.
      return isRefused ? { ...next, atMs: next.atMs ?? clock.now() + MINUTE_MS } : next;
    },
  };
}

/** `only`: these groups of a guild that is complete. */
async function rebuild(
  needs: RebuildNeeds,
  guild: Guild,
  held: Held,
  only?: readonly Snowflake[],
): Promise<Next> {
  const { log, clock, rebuilding, due } = needs;
  const { id } = guild;
  try {
    const outcome = await rebuildUnder(needs, guild, asLease(held), {
      onStep: (step) => rebuilding.set(id, step),
      ...(only ? { only } : { unlessComplete: true }),
    }).finally(() => rebuilding.delete(id));
    if (outcome.status === 'unneeded') return { atMs: null };
    const { articles, unread } = outcome;
    log.info({ guild: id, articles, unread }, 'The ranking of a guild is whole.');
    needs.recount(id);
    for (const row of ['check', 'erase', 'import', 'scan']) await due.plan(id, row, 0);
    if (await lacksRecords(needs, id)) log.warn({ guild: id }, noRecords);
    if (unread.length === 0) return { atMs: null };
    return { atMs: clock.now() + restOf(held, clock.now()), trouble: UNREAD };
  } catch (error) {
    if (isFaultOfRedis(error) && !held.signal.aborted) await repairForRebuild(needs, id);
    throw error;
  }
}

/** The groups that were not read wholly and may be read now. `isRefused`: others may soon be. */
async function findReadable(
  { store, requests }: RebuildNeeds,
  guild: Guild,
): Promise<{ readable: Snowflake[]; isRefused: boolean }> {
  const may = new Set(
    groupsOf(guild)
      .filter(mayReadHistory)
      .map(({ id }) => id),
  );
  const readable = new Set<Snowflake>();
  let isRefused = false;
  for (const toRead of await readUnread(store, guild.id)) {
    const group = groupOfUnread(toRead);
    if (!may.has(group)) continue;
    const channel = channelOfUnread(toRead);
    const asked = requests.requireAllowed({ guild: guild.id, channel }, 'GET');
    await asked.then(
      () => readable.add(group),
      () => (isRefused = true),
    );
  }
  return { readable: [...readable], isRefused };
}

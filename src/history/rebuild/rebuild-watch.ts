import type { Guild } from 'discord.js';
import PQueue from 'p-queue';
import { HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { openRests } from '../../runtime/retry.ts';
import { isFaultOfRedis, openWarnings } from '../../redis/errors.ts';
import { lacksRecords } from '../../community/lost-records.ts';
import { readRebuildState, readUnread, type RebuildStep } from './stored-rebuilds.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { repairForRebuild } from './repair-damage.ts';
import { rebuildGuild } from './rebuild-guild.ts';
import { groupsOf } from '../../discord/access/visibility.ts';
import { channelOfUnread, groupOfUnread } from '../walk/channels.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import type { RecountNeeds } from '../../votes/recount-needs.ts';

/** A guild whose groups still cannot be read waits longer each time before they are read again. */
const RESTS = { firstMs: MINUTE_MS, longestMs: HOUR_MS };

/** The number of rebuilds that run in parallel, since each one uses up Discord's limits. */
const SIDE_BY_SIDE = 2;

const noRecords =
  'A guild has articles, but no settings, digests and blocks. If it had some, restore them: docs/recovery.md says how.';

/** Keeps the ranking of every guild complete. */
export interface RebuildWatch {
  /**
   * Rebuilds the guild if it has no complete ranking, or an unfinished rebuild. Call it when the guild has
   * become available.
   */
  check(guild: Guild): Promise<void>;
  /** Call it every ten seconds. */
  checkAll(): Promise<void>;
  /** Whether a rebuild of the guild waits or runs in this process. */
  isRebuilding(guild: Snowflake): boolean;
  /**
   * Rebuilds groups that could not be read before and may be readable now. Call it when permissions
   * change (`isChanged`), and once a minute: Discord can refuse a channel for some seconds.
   */
  readable(guild: Guild, isChanged?: boolean): Promise<void>;
}

export interface RebuildWatchNeeds extends RecountNeeds {
  /** The rebuilds of guilds that this process knows of. */
  rebuilding: Map<Snowflake, RebuildStep>;
  /** Repeats what a rebuild could not read of an article's votes, until it can be read. */
  recount(guild: Snowflake): void;
  /** Finishes erasures of which the ranking held no article until now. */
  erase(guild: Snowflake): Promise<void>;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

export function openRebuildWatch(needs: RebuildWatchNeeds): RebuildWatch {
  const { client, store, log, rebuilding, stopping } = needs;
  const warn = openWarnings(log);
  const queue = new PQueue({ concurrency: SIDE_BY_SIDE });
  /** The guilds whose rebuild waits or runs. */
  const wanted = new Set<Snowflake>();
  /** Those of them in which a channel became readable meanwhile, which the rebuild may have passed by. */
  const readableSince = new Set<Snowflake>();
  const rests = openRests<Snowflake>(needs.clock, RESTS);

  /** `only`: these groups of a guild that is complete. */
  function want(guild: Snowflake, only?: readonly Snowflake[]): void {
    if (stopping.aborted) return;
    if (wanted.has(guild)) {
      if (only) readableSince.add(guild);
      return;
    }
    wanted.add(guild);
    const work = queue
      .add(() => rebuild(guild, only))
      .catch((error: unknown) => {
        if (stopping.aborted) return;
        warn(error, { guild }, 'A rebuild could not end. It is tried again every ten seconds.');
      });
    const ended = async (): Promise<void> => {
      await work;
      wanted.delete(guild);
      const found = client.guilds.cache.get(guild);
      if (readableSince.delete(guild) && found) await readable(found, true);
    };
    needs.hold(ended());
  }

  async function readable(guild: Guild, isChanged = false): Promise<void> {
    if (!isChanged && rests.isResting(guild.id)) return;
    const only = await readableGroups(needs, guild);
    if (only.length > 0) want(guild.id, only);
  }

  async function rebuild(id: Snowflake, only?: readonly Snowflake[]): Promise<void> {
    const guild = client.guilds.cache.get(id);
    if (!guild?.available || stopping.aborted) return;
    try {
      const outcome = await rebuildGuild(needs, guild, {
        onStep: (step) => rebuilding.set(id, step),
        ...(only ? { only } : { unlessComplete: true }),
      });
      if (outcome.status === 'held') {
        // The next check sees the end of another process's rebuild, or runs it.
        rebuilding.set(id, { phase: 'recent', done: 0, channels: 0, articles: 0 });
        return;
      }
      rebuilding.delete(id);
      if (outcome.status === 'unneeded') return;
      const { articles, unread } = outcome;
      if (only && unread.length > 0) rests.noteFailure(id);
      else rests.noteSuccess(id);
      log.info({ guild: id, articles, unread }, 'The ranking of a guild is whole.');
      needs.recount(id);
      // What fails is done in the night.
      needs.hold(needs.erase(id).catch(() => {}));
      if (await lacksRecords(needs, id)) log.warn({ guild: id }, noRecords);
    } catch (error) {
      rebuilding.delete(id);
      if (isFaultOfRedis(error) && !stopping.aborted) await repairForRebuild(needs, id);
      throw error;
    }
  }

  async function check({ id }: Guild): Promise<void> {
    const { complete, begun } = await readRebuildState(store, id);
    if (!complete || begun) want(id);
    else if (!wanted.has(id)) rebuilding.delete(id);
  }

  return {
    check,
    async checkAll() {
      await Promise.all(client.guilds.cache.filter(({ available }) => available).map(check));
    },
    isRebuilding: (guild) => wanted.has(guild),
    readable,
  };
}

/** The groups that were not read wholly, and that may be read now. */
async function readableGroups(
  { store, requests }: RebuildWatchNeeds,
  guild: Guild,
): Promise<Snowflake[]> {
  const unread = new Set<Snowflake>();
  for (const toRead of await readUnread(store, guild.id)) {
    const channel = channelOfUnread(toRead);
    const asked = requests.requireAllowed({ guild: guild.id, channel }, 'GET');
    await asked.then(
      () => unread.add(groupOfUnread(toRead)),
      () => {},
    );
  }
  return groupsOf(guild)
    .filter((group) => unread.has(group.id) && mayReadHistory(group))
    .map(({ id }) => id);
}

import type { Guild } from 'discord.js';
import type { RunningApp } from '../../app.ts';
import { fault } from '../../log.ts';
import { isFaultOfRedis } from '../../redis/errors.ts';
import { lacksRecords } from '../../records/lost-records.ts';
import { readRebuildState, readUnread } from '../../records/history/rebuilds.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { repairForRebuild } from './repair-damage.ts';
import { rebuildGuild, type RebuildOptions } from './rebuild-guild.ts';
import { groupsOf } from '../../discord/access/visibility.ts';
import { channelOfUnread, groupOfUnread, type UnreadPlace } from '../history/unread.ts';
import { openTasks } from '../../discord/requests/tasks.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';

/** Keeps the ranking of every guild complete. */
export type RebuildWatch = {
  /** Call it every ten seconds. It finds guilds that have no complete ranking or an unfinished rebuild. */
  checkAll(): Promise<void>;
  /** Does the same for one guild that has just become available. */
  check(guild: Guild): Promise<void>;
  /**
   * Rebuilds groups that could not be read before and may be readable now. Call it when permissions
   * change, and once a minute: Discord can refuse a channel for some seconds.
   */
  readable(guild: Guild): Promise<void>;
};

/** The number of rebuilds that run in parallel, since each one uses up Discord's limits. */
const SIDE_BY_SIDE = 2;

const noRecords =
  'A guild has articles, but no settings, digests and blocks. If it had some, restore them: docs/recovery.md says how.';

/** `recount`: repeats what a rebuild could not read of an article's votes, until it can be read. */
export function openRebuildWatch(
  running: RunningApp,
  recount: (guild: Snowflake) => void,
): RebuildWatch {
  const { app } = running;
  const { client, store, log, rebuilding, stopping } = app;
  const queue = openTasks(log, SIDE_BY_SIDE);
  const underWay = new Set<Snowflake>();

  function want(guild: Snowflake, options: RebuildOptions): void {
    if (stopping.aborted || underWay.has(guild)) return;
    queue.add(guild, async () => {
      underWay.add(guild);
      const work = rebuild(guild, options).finally(() => underWay.delete(guild));
      app.hold(work);
      await work;
    });
  }

  async function rebuild(id: Snowflake, options: RebuildOptions): Promise<void> {
    const guild = client.guilds.cache.get(id);
    if (!guild?.available || stopping.aborted) return;
    try {
      const outcome = await rebuildGuild(app, guild, {
        ...options,
        onStep: (step) => rebuilding.set(id, step),
      });
      if (outcome.status === 'held') {
        // The next check sees the end of another process's rebuild, or runs it.
        rebuilding.set(id, { phase: 'recent', done: 0, places: 0, articles: 0 });
        return;
      }
      rebuilding.delete(id);
      if (outcome.status === 'finished') {
        const { articles, unread } = outcome;
        log.info({ guild: id, articles, unread }, 'The ranking of a guild is whole.');
        recount(id);
        if (await lacksRecords(app, id)) log.warn({ guild: id }, noRecords);
      }
    } catch (error) {
      rebuilding.delete(id);
      if (stopping.aborted) return;
      log.warn({ ...fault(error), guild: id }, 'A rebuild is tried again in a minute.');
      if (isFaultOfRedis(error)) await repairForRebuild(app, id);
    }
  }

  /** Whether the place may be read again, after Discord refused it. */
  async function hasRested(guild: Snowflake, place: UnreadPlace): Promise<boolean> {
    const read = app.refusals.demand({ guild, channel: channelOfUnread(place) }, 'GET');
    return read.then(
      () => true,
      () => false,
    );
  }

  async function check({ id }: Guild): Promise<void> {
    const { complete, begun } = await readRebuildState(store, id);
    if (!complete || begun) want(id, { unlessComplete: true });
    else if (!underWay.has(id)) rebuilding.delete(id);
  }

  return {
    async checkAll() {
      await Promise.all(client.guilds.cache.filter(({ available }) => available).map(check));
    },
    check,
    async readable(guild) {
      const rested = [];
      for (const place of await readUnread(store, guild.id)) {
        if (await hasRested(guild.id, place)) rested.push(place);
      }
      const unread = new Set(rested.map(groupOfUnread));
      const only = groupsOf(guild)
        .filter((group) => unread.has(group.id) && mayReadHistory(group))
        .map(({ id }) => id);
      if (only.length > 0) want(guild.id, { only });
    },
  };
}

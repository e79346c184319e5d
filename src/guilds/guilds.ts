import { Events, type Guild } from 'discord.js';
import { z } from 'zod';
import { beginSpread } from '../runtime/begin-spread.ts';
import { endTimeout } from '../discord/access/permissions.ts';
import { onPacket } from '../discord/gateway/packets.ts';
import { forEach } from '../runtime/for-each.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import { countIndexes, deleteWrongIndexes, noteGuilds } from '../community/known-guilds.ts';
import { declareIncomplete, type RebuildStep } from '../history/rebuild/stored-rebuilds.ts';
import { openDataSetWatch } from './data-set.ts';
import { openRebuildWatch } from '../history/rebuild/rebuild-watch.ts';
import { openWarnings } from '../redis/errors.ts';
import { openWriteWatch } from '../redis/refused-writes.ts';
import { beginSession, forgetLeft, leave, noteLeft } from './membership.ts';
import { openUpkeep, type UpkeepNeeds } from './upkeep.ts';

/** All guilds of the shard that have the bot, reachable or not. */
const zReady = z.object({
  guilds: z.array(z.object({ id: zSnowflake })),
  shard: z.tuple([z.int(), z.int()]).default([0, 1]),
});

export interface GuildsNeeds extends UpkeepNeeds {
  /** The rebuilds of guilds that this process knows of. */
  rebuilding: Map<Snowflake, RebuildStep>;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

/** Joining, leaving and the nightly work of the guilds of this process. */
export interface Guilds {
  /** Call it every second: it checks the guilds in which something could not be read. */
  checkSuspects(): void;
  /** Call it every ten seconds: it finds rankings that are gone, or that another data set has replaced. */
  checkRankings(): void;
  /** Call it once a minute: it checks expired data and the nightly refresh. */
  tick(): void;
}

/** Updates the guilds' stored data when guilds add or remove the bot. */
export function openGuilds(needs: GuildsNeeds): Guilds {
  const { client, store, ranking, log, stopping } = needs;
  const warn = openWarnings(log);
  const dataSet = openDataSetWatch(store, needs.clock);
  const writes = openWriteWatch(log);
  const watch = openRebuildWatch(needs);
  const { arrive, check, visit } = openUpkeep(needs, watch);
  const reachable = () => [...client.guilds.cache.values()].filter(({ available }) => available);

  /** The next session or tick repairs a failure. */
  function inBackground(guild: Snowflake | undefined, what: () => Promise<unknown>): void {
    if (stopping.aborted) return;
    const work = what().catch((error: unknown) => {
      if (stopping.aborted) return;
      warn(error, { guild }, 'The upkeep of a guild failed, and is tried again.');
    });
    needs.hold(work);
  }

  /** It is reachable and its channels are cached: it is new, or an outage ended. */
  const present = (guild: Guild) => {
    endTimeout(guild, needs.clock.now());
    inBackground(guild.id, () => arrive(guild));
  };
  /** The bot may have got the permission to read channels that it could not read before. */
  function permissions(guild: Guild): void {
    needs.recount(guild.id);
    inBackground(guild.id, () => watch.readable(guild, true));
  }
  onPacket(client, 'READY', zReady, ({ guilds, shard: [shard] }) => {
    const ids = guilds.map(({ id }) => id);
    inBackground(undefined, () => beginSession(needs, shard, ids));
  });
  client.on(Events.GuildAvailable, present);
  client.on(Events.GuildCreate, present);
  client.on(Events.GuildDelete, ({ id }) => inBackground(id, () => leave(needs, id)));
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) permissions(channel.guild);
  });
  client.on(Events.GuildRoleUpdate, (_, { guild }) => permissions(guild));
  client.on(Events.GuildRoleDelete, ({ guild }) => permissions(guild));
  client.on(Events.GuildMemberUpdate, (_, { id, guild }) => {
    if (id === client.user?.id) permissions(guild);
  });
  // The first session began before its events were listened to.
  inBackground(undefined, () => noteLeft(needs));
  void beginSpread(reachable(), stopping, async (guild) => present(guild));

  /** The indexes over all guilds that were there a minute ago. */
  let indexes = 0;
  /** Writes the indexes over all guilds again if one is damaged or gone. */
  async function keepIndexes(): Promise<void> {
    const isDamaged = await deleteWrongIndexes(store);
    if (isDamaged || (await countIndexes(store)) < indexes) {
      const guilds = [...client.guilds.cache.keys()];
      await noteGuilds(store, guilds);
      await forEach(guilds, (guild) => needs.refresh(guild));
    }
    indexes = await countIndexes(store);
  }

  return {
    checkSuspects(): void {
      for (const guild of reachable()) {
        if (ranking.suspects.has(guild.id)) inBackground(guild.id, () => check(guild));
      }
    },
    checkRankings(): void {
      inBackground(undefined, async () => {
        const isOther = await writes.attempt(() => dataSet.isOther());
        if (isOther === 'refused') return;
        if (isOther) await readAnew(needs, reachable());
        await watch.checkAll();
      });
    },
    tick(): void {
      inBackground(undefined, async () => {
        await keepIndexes();
        await forgetLeft(needs);
      });
      void beginSpread(reachable(), stopping, async (guild) => {
        // What Discord did not let the bot do meanwhile is made up for.
        if (endTimeout(guild, needs.clock.now())) permissions(guild);
        needs.takenAwayReactions.again(guild.id);
        inBackground(guild.id, () => visit(guild));
      });
    },
  };
}

/** What this process keeps, and what the data says of its own completeness, is of other data. */
async function readAnew(
  { store, rules, ranking, log }: GuildsNeeds,
  guilds: readonly Guild[],
): Promise<void> {
  log.error(
    'Redis has another data set than before. Articles and votes are read again from Discord; see whether settings and digests are as they should be.',
  );
  await forEach(guilds, async ({ id }) => {
    await declareIncomplete(store, id);
    ranking.changes.note(id);
    await rules.reload(id);
  });
}

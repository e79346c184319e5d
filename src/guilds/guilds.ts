import { type Client, Events, type Guild } from 'discord.js';
import { z } from 'zod';
import { beginSpread } from '../runtime/begin-spread.ts';
import { endTimeout } from '../discord/access/permissions.ts';
import { onPacket } from '../discord/gateway/packets.ts';
import { forEach } from '../runtime/for-each.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import { areGuildsNoted, deleteWrongIndexes, noteGuilds } from '../community/known-guilds.ts';
import { declareIncomplete, readUnread } from '../history/rebuild/stored-rebuilds.ts';
import { startGuildMark } from '../articles/guild-mark.ts';
import { type Kind, restOf } from '../due/kind.ts';
import { reindexLinks } from '../ranking/articles/reindex.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { HOUR_MS } from '../runtime/clock.ts';
import { referencesKind } from './dead-references.ts';
import type { Twin } from '../discord/twin.ts';
import { openDataSetWatch } from './data-set.ts';
import { type RebuildNeeds, rebuildKind } from '../history/rebuild/rebuild-kind.ts';
import { type RepairNeeds, checkKind, compareKind } from '../history/rebuild/repair-damage.ts';
import { openWarnings } from '../redis/errors.ts';
import { openWriteWatch } from '../redis/refused-writes.ts';
import { beginSession, forgetLeft, leave, noteLeft, noteMembership } from './membership.ts';
import { nightKind, type NightNeeds } from './night.ts';

/** All guilds of the shard that have the bot, reachable or not. */
const zReady = z.object({
  guilds: z.array(z.object({ id: zSnowflake })),
  shard: z.tuple([z.int(), z.int()]).default([0, 1]),
});

export interface GuildsNeeds extends NightNeeds, RebuildNeeds, RepairNeeds {
  /** Is told whether another process has this data. */
  twin: Twin;
  /** Deletes what erasures left. Returns whether some cannot be deleted now. */
  eraseLeft: (guild: Snowflake) => Promise<boolean>;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

/** Joining, leaving and the nightly work of the guilds of this process. */
export interface Guilds {
  /** Call it every ten seconds: it finds that another data set is there, or none. */
  checkDataSet(): void;
  /** Call it once a minute: it looks whether the bot may act again in a guild, and each hour for expired data. */
  tick(): void;
}

function shardsOf(client: Client) {
  return { ids: [...client.ws.shards.keys()], of: client.options.shardCount ?? 1 };
}

/** Updates the guilds' stored data when guilds add or remove the bot. */
export function openGuilds(needs: GuildsNeeds): Guilds {
  const { client, store, log, stopping, due, clock } = needs;
  const warn = openWarnings(log);
  const dataSet = openDataSetWatch(store, clock, () => shardsOf(client));
  const writes = openWriteWatch(log);
  const keepIndexes = openIndexes(needs);
  const reachable = () => [...client.guilds.cache.values()].filter(({ available }) => available);
  handleKinds(needs);

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
    endTimeout(guild, clock.now());
    needs.recount(guild.id);
    inBackground(guild.id, async () => {
      await noteMembership(needs, guild.id).finally(() => due.arrive(guild.id));
      await startGuildMark(needs, guild);
    });
  };
  /** The bot may have got the permission to read channels that it could not read before. */
  function permissions(guild: Guild): void {
    needs.recount(guild.id);
    inBackground(guild.id, async () => {
      const unread = await readUnread(store, guild.id);
      if (unread.length > 0) await due.plan(guild.id, 'rebuild', 0);
    });
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

  function checkDataSet(): void {
    inBackground(undefined, async () => {
      const isOther = await writes.attempt(() => dataSet.isOther());
      if (isOther === 'refused') return;
      needs.twin.judge(dataSet.isShared());
      if (isOther) await readAnew(needs, reachable());
    });
  }

  checkDataSet();
  let forgotMs = 0;
  return {
    checkDataSet,
    tick(): void {
      inBackground(undefined, async () => {
        await keepIndexes();
        if (clock.now() - forgotMs < HOUR_MS) return;
        forgotMs = clock.now();
        await forgetLeft(needs);
      });
      for (const guild of reachable()) {
        // What Discord did not let the bot do meanwhile is made up for.
        if (endTimeout(guild, clock.now())) permissions(guild);
        needs.takenAwayReactions.again(guild.id);
      }
    },
  };
}

function handleKinds(needs: GuildsNeeds): void {
  const kinds = [
    rebuildKind(needs),
    checkKind(needs),
    compareKind(needs),
    nightKind(needs),
    referencesKind(needs),
    eraseKind(needs),
    linksKind(needs),
  ];
  for (const kind of kinds) needs.due.handle(kind);
}

/** Returns a function that writes the indexes over all guilds again if one is damaged or gone. */
function openIndexes({ client, store }: GuildsNeeds): () => Promise<void> {
  return async () => {
    const isDamaged = await deleteWrongIndexes(store);
    if (isDamaged || !(await areGuildsNoted(store))) {
      await noteGuilds(store, [...client.guilds.cache.keys()]);
    }
  };
}

const ERASED_SIDE_BY_SIDE = 4;
const UNERASED = { why: 'fault', detail: 'Some erased messages could not be deleted yet.' };

/** Deletes the messages of erased articles whose deletion was interrupted or refused. */
function eraseKind({ store, clock, eraseLeft }: GuildsNeeds): Kind {
  return {
    name: 'erase',
    sideBySide: ERASED_SIDE_BY_SIDE,
    async standing(guild) {
      const isDue = (await store.redis.exists(storeKeys(store, guild).erasing)) === 1;
      return isDue ? [{ row: 'erase', atMs: 0 }] : [];
    },
    async run(held) {
      // The row rests by how long it is hindered. A try that was planned besides would come before.
      if (!(await eraseLeft(held.guild))) return { atMs: null };
      return { atMs: clock.now() + restOf(held, clock.now()), trouble: UNERASED };
    },
  };
}

/** Names links by this version's rules. */
function linksKind({ ranking }: GuildsNeeds): Kind {
  return {
    name: 'links',
    sideBySide: 1,
    standing: async () => [{ row: 'links', atMs: 0 }],
    async run({ guild, signal }) {
      await reindexLinks(ranking, guild, signal);
      signal.throwIfAborted();
      return { atMs: null };
    },
  };
}

/** What this process keeps, and what the data says of its own completeness, is of other data. */
async function readAnew(
  { store, rules, ranking, log, due }: GuildsNeeds,
  guilds: readonly Guild[],
): Promise<void> {
  log.error(
    'Redis has another data set than before. Articles and votes are read again from Discord; see whether settings and digests are as they should be.',
  );
  await forEach(guilds, async ({ id }) => {
    await declareIncomplete(store, id);
    ranking.changes.note(id);
    await rules.reload(id);
    await due.arrive(id);
  });
}

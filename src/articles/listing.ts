import { type Client, Events, type Guild, type Role } from 'discord.js';
import { z } from 'zod';
import type { GuildRules } from '../community/guild-rules.ts';
import { everybodyBy, type Settings, STANDARD } from '../community/settings.ts';
import { decideEverybody, type Everybody, listedIn } from '../discord/access/visibility.ts';
import { onPacket } from '../discord/gateway/packets.ts';
import { remember } from '../discord/remember.ts';
import { isGone } from '../discord/requests/is-gone.ts';
import type { Requests } from '../discord/requests/requests.ts';
import { openTasks } from '../discord/requests/tasks.ts';
import { deleteArticle } from '../ranking/articles/articles.ts';
import {
  type CompareOptions,
  compareListing,
  deleteArticlesIn,
  removeGroup,
} from '../ranking/articles/groups.ts';
import { walkNewest } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Due } from '../due/due.ts';
import type { Log } from '../runtime/log.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';

/** What the listing of articles needs. */
export interface ListingNeeds {
  /** Its cache says what @everyone may view. Its events say what changed. */
  client: Client;
  /** Its lists follow what everyone may view. */
  ranking: Ranking;
  /** Asks whether a channel is gone. */
  requests: Requests;
  /** They say who counts as everybody. */
  rules: GuildRules;
  /** Says what could not be done. */
  log: Log;
  /** Has what everybody may view again announced. */
  due: Due;
}

/** Where an article stands: the channels whose change or deletion changes its lists. */
export type ArticlePlaces = {
  guild: Snowflake;
  /** The home group from now on. */
  home: Snowflake;
  /** The channel or thread of its message. Default: the home group. */
  channel?: Snowflake | undefined;
  /** Further groups. */
  groups?: readonly Snowflake[] | undefined;
};

/** Keeps the guild's lists equal to what everyone may view, and deletes what stood in deleted channels. */
export interface Listing {
  /**
   * Writes an article. `write` is told whether its home channel is listed at that moment, and must send
   * the write before it waits for anything else. What changed until the write was done is followed then:
   * an event that came before the write found no article.
   */
  write<T>(places: ArticlePlaces, write: (listed: boolean) => Promise<T>): Promise<T>;
  /**
   * Compares all articles of a guild with what everyone may view, and with the channels that are there. Nothing
   * that is stored counts as done.
   */
  compare(guild: Guild): Promise<void>;
  /** Follows the guild's settings: others may count as everybody by them than before. */
  followSettings(guild: Snowflake, settings: Settings): void;
  /** Resolves when the running walks have ended. */
  stop(): Promise<void>;
}

/** Deletions that a write under way can meet. */
const DELETED_AT_MOST = 10_000;

const zChannel = z.object({ guild_id: zSnowflake, id: zSnowflake });
const zThread = zChannel.extend({ parent_id: zSnowflake });
type DeletedThread = z.infer<typeof zThread>;

export function openListing({ client, ranking, requests, rules, log, due }: ListingNeeds): Listing {
  /** Its own queue: what became private does not wait for other long work. */
  const tasks = openTasks(log, 2);
  /** Deleted channels, and deleted threads with their parents. */
  const deleted = new Map<Snowflake, DeletedThread | null>();

  const isListed = listedIn(client);
  /** Who counted as everybody when the settings of a guild were last read. */
  const everybodies = new Map<Snowflake, Everybody>();
  decideEverybody(client, (guild) => everybodies.get(guild) ?? everybodyBy(STANDARD));

  async function compare({ id: guild }: Guild): Promise<void> {
    // In an outage nothing is known of the channels.
    if (client.guilds.cache.get(guild)?.available !== true) return;
    await compareWith(guild, {
      // The bot may have been off when a channel was deleted.
      isGone: (channel) => isGone({ client, requests }, guild, channel),
    });
  }

  async function compareWith(guild: Snowflake, options: CompareOptions): Promise<void> {
    const { settings } = await rules.read(guild);
    await compareListing(ranking, guild, (home) => isListed(guild, home), options);
    // While everybody could not view it, an article may have been left out that no list left.
    if (settings.announcements !== null) await due.plan(guild, 'announce', 0);
  }

  function follow(guild: Snowflake, home: Snowflake): void {
    // Readers ask about each article, and what they cached is made anew at once.
    ranking.changes.note(guild);
    tasks.add(`visibility of ${home}`, () => compareWith(guild, { only: home }));
  }

  function followAll(guild: Guild): void {
    ranking.changes.note(guild.id);
    tasks.add(`visibility in ${guild.id}`, () => compare(guild));
  }

  function followDeletion(guild: Snowflake, id: Snowflake, thread: DeletedThread | null): void {
    remember(deleted, id, thread, DELETED_AT_MOST);
    tasks.add(`deletion of ${id}`, () =>
      thread === null ? removeGroup(ranking, guild, id) : removeThread(ranking, thread),
    );
    // Once for all channels that are deleted together.
    if (thread === null)
      tasks.add(`messages of deleted channels in ${guild}`, () => removeMoved(guild));
  }

  /** Deletes the articles that were moved out of a channel, where their messages stayed. */
  const removeMoved = (guild: Snowflake): Promise<void> =>
    deleteArticlesIn(ranking, guild, (channel) => deleted.get(channel) === null);

  client.on(Events.GuildAvailable, followAll);
  client.on(Events.GuildCreate, followAll);
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) follow(channel.guildId, channel.id);
  });
  /** What @everyone may, everybody may, whoever that is. */
  const followRole = ({ id, guild }: Role): void => {
    if (id === guild.id || id === everybodies.get(guild.id)?.role) followAll(guild);
  };
  client.on(Events.GuildRoleUpdate, (_, role) => followRole(role));
  client.on(Events.GuildRoleDelete, followRole);
  onPacket(client, 'CHANNEL_DELETE', zChannel, ({ guild_id, id }) =>
    followDeletion(guild_id, id, null),
  );
  onPacket(client, 'THREAD_DELETE', zThread, (thread) =>
    followDeletion(thread.guild_id, thread.id, thread),
  );

  return {
    async write({ guild, home, channel = home, groups = [] }, write) {
      const listed = isListed(guild, home);
      try {
        return await write(listed);
      } finally {
        // Also after an error: a command that timed out may have been done.
        if (isListed(guild, home) !== listed) follow(guild, home);
        for (const id of new Set([home, channel, ...groups])) {
          const thread = deleted.get(id);
          if (thread !== undefined) followDeletion(guild, id, thread);
        }
      }
    },
    compare,
    followSettings(guild, settings) {
      const everybody = everybodyBy(settings);
      const before = everybodies.get(guild);
      everybodies.set(guild, everybody);
      const of = client.guilds.cache.get(guild);
      if (before !== undefined && !isSame(before, everybody) && of !== undefined) followAll(of);
    },
    stop: () => tasks.stop(),
  };
}

/**
 * Deletes the articles whose messages were in a deleted thread. They are in the list of its parent and
 * not older than the thread. Bounded steps; idempotent.
 */
async function removeThread(
  ranking: Ranking,
  { guild_id: guild, id: thread, parent_id: parent }: DeletedThread,
): Promise<void> {
  const gone: Snowflake[] = [];
  const list = { guild, group: parent };
  for await (const articles of walkNewest(ranking, list, snowflakeTimeMs(thread), Infinity)) {
    gone.push(...articles.filter(({ channel }) => channel === thread).map(({ id }) => id));
  }
  // Delete after the walk, because a deletion shifts the pages.
  for (const id of gone) await deleteArticle(ranking, guild, id);
}

function isSame(a: Everybody, b: Everybody): boolean {
  return a.role === b.role && a.seesAgeRestricted === b.seesAgeRestricted;
}

import { type Client, Status } from 'discord.js';
import { backupAgeSeconds } from './backup/nightly.ts';
import { communityOf, isGated, isPublic, listedIn } from './discord/access/visibility.ts';
import { fetchGuildIcon } from './discord/requests/attachment.ts';
import type { DiscordClock } from './discord/requests/discord-clock.ts';
import type { TopLists } from './ranking/lists/top-lists.ts';
import { freeBytes } from './runtime/free-bytes.ts';
import type { Snowflake } from './runtime/snowflake.ts';
import type { Served } from './web/web.ts';

/** What of the bot and its configuration is served over HTTP. */
export interface ServedNeeds extends Pick<Served, 'ranking' | 'store' | 'names'> {
  /** The connection to Discord, which knows the guilds and who may view what. */
  client: Client;
  /** The lists of members. The web has its own of them. */
  lists: TopLists;
  /** Know the zone of a guild. */
  digests: { zone(guild: Snowflake): Promise<string> };
  /** Discord's time, and how far the machine's clock is off. */
  clock: Pick<DiscordClock, 'now' | 'offSeconds'>;
  /** Where a backup is written each night; undefined: nowhere. */
  backupDir: string | undefined;
  /** Undefined: the bot has a private server. */
  redisUrl: string | undefined;
  /** Where the private server has its data. */
  dataDir: string;
}

/** What the web shows to visitors, and monitoring to the host. */
export function served(needs: ServedNeeds): Served {
  const { client, ranking, store, names, clock, backupDir, redisUrl, dataDir } = needs;
  const isOnWeb = listedIn(client, isPublic);
  return {
    store,
    names,
    // What the web shows, everyone who joins may view, whoever counts as everybody in a server.
    ranking: { ...ranking, isListed: isOnWeb },
    lists: needs.lists.by(isOnWeb, (guild) => isGated(client, guild)),
    isOnDiscord: () => client.ws.status === Status.Ready,
    guilds: () => client.guilds.cache.size,
    clockOffSeconds: () => clock.offSeconds(),
    backupAgeSeconds: () =>
      backupDir === undefined ? null : (backupAgeSeconds(backupDir, clock) ?? process.uptime()),
    diskFreeBytes: () => (redisUrl === undefined ? freeBytesOrNull(dataDir) : null),
    community: (guild) => communityOf(client, guild),
    isAway: (guild) => client.guilds.cache.get(guild)?.available === false,
    icon: (guild, hash) => fetchGuildIcon(client, guild, hash),
    zone: (guild) => needs.digests.zone(guild),
  };
}

function freeBytesOrNull(folder: string): number | null {
  try {
    return freeBytes(folder);
  } catch {
    return null;
  }
}

import type { Client, Guild } from 'discord.js';
import type { Kind } from '../due/kind.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { DraftContext } from './content/draft.ts';
import { type DraftNow, draftNow, postNow } from './posting/post-now.ts';
import { openDigestContext } from './posting/posting-context.ts';
import { digestKinds } from './run-due.ts';
import { readDigests, type StoredDigest } from './stored-digests.ts';

export interface DigestsNeeds {
  /** Sends editions and announcements; its cache tells which guilds are there. */
  client: Client;
  /** Where the articles are. */
  ranking: Ranking;
  /** Where the schedules, their history and the leases are, and the members who opted out. */
  store: Store;
  /** Digests have their own turn in it, before what can wait. */
  requests: Requests;
  /** The commands as Discord has them, for the mention of one. */
  deployedCommands: DraftContext['deployedCommands'];
  /** The address of an edition's page on the web. By default editions have none. */
  editionAddress?: DraftContext['editionAddress'];
  /** Discord's time. */
  clock: Clock;
  /** Says what was posted, and what could not be. */
  log: Log;
  /**
   * Makes the tallies of articles equal to Discord's reactions, as far as possible now. Without it,
   * editions show the tallies as they are.
   */
  recount?: DraftContext['recount'];
}

/** The digests of all guilds of this process, and their announcements. */
export interface Digests {
  /** How what is due of them is posted. */
  kinds: readonly Kind[];
  /** The zone of the guild's first digest, in which its days begin and end; UTC without one. */
  zone(guild: Snowflake): Promise<string>;
  /** Drafts the edition that a digest would post now, with the tallies as they are. */
  preview(guild: Guild, stored: StoredDigest): Promise<DraftNow>;
  /** The same, after a recount. */
  draft(guild: Guild, stored: StoredDigest): Promise<DraftNow>;
  /**
   * Posts a draft, once in its minute, records it, and publishes it where the managers want that: what it lists,
   * no other edition will. The schedule stays.
   */
  post(drafted: DraftNow): ReturnType<typeof postNow>;
}

export function openDigests(needs: DigestsNeeds): Digests {
  const context = openDigestContext(needs, needs.recount);
  return {
    kinds: digestKinds(context),
    async zone(guild) {
      const [first] = await readDigests(needs.store, guild);
      return first?.digest.schedule.zone ?? 'UTC';
    },
    preview: (guild, stored) => draftNow({ ...context, recount: undefined }, guild, stored),
    draft: (guild, stored) => draftNow(context, guild, stored),
    post: (drafted) => postNow(context, drafted),
  };
}

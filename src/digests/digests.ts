import type { Client, Guild } from 'discord.js';
import type { Requests } from '../discord/requests/requests.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { DraftContext } from './content/draft.ts';
import type { Body } from './content/edition-message.ts';
import { type DraftNow, draftNow, postNow } from './posting/post-now.ts';
import { openDigestContext, type Refused } from './posting/posting-context.ts';
import { rebuildDue, runDueDigests } from './run-due.ts';
import type { StoredDigest } from './stored-digests.ts';

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
  /** Aborted when the bot is stopping: the running editions are finished, and none is started. */
  stopping: AbortSignal;
}

/** The digests of all guilds of this process, and their announcements. */
export interface Digests {
  /** Posts what is due. Call it once a minute, and not again before it has ended. */
  runDue(): Promise<void>;
  /** Rebuilds the times of what is due from the guilds' own data: at the start, for new guilds, and nightly. */
  rebuildDue(guilds: Iterable<Snowflake>): Promise<void>;
  /** Drafts the edition that a digest would post now, with the tallies as they are. */
  preview(guild: Guild, stored: StoredDigest): Promise<DraftNow>;
  /** The same, after a recount. */
  draft(guild: Guild, stored: StoredDigest): Promise<DraftNow>;
  /** Posts a draft once for an interaction, and records it. Neither the schedule nor what is new changes. */
  post(
    edition: { guild: Snowflake; stored: StoredDigest; by: Snowflake },
    drafted: DraftNow,
    body: Body,
  ): Promise<{ status: 'sent'; message: Snowflake } | Refused>;
}

export function openDigests(needs: DigestsNeeds): Digests {
  const context = openDigestContext(needs, needs.recount);
  return {
    runDue: () => runDueDigests(context, needs.stopping),
    rebuildDue: (guilds) => rebuildDue(context, guilds),
    preview: (guild, stored) => draftNow({ ...context, recount: undefined }, guild, stored),
    draft: (guild, stored) => draftNow(context, guild, stored),
    post: (edition, drafted, body) => postNow(context, edition, drafted, body),
  };
}

import { isUnanswered } from '../discord/api-errors.ts';
import type { Held, Kind, Next, Planned } from '../due/kind.ts';
import { readSettings } from '../community/settings.ts';
import { isFaultOfRedis } from '../redis/errors.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { announceInteresting } from './announcements.ts';
import { AGAIN_MS } from './posting/end-edition.ts';
import type { DigestContext } from './posting/posting-context.ts';
import { runDigest } from './posting/run-digest.ts';
import { nextLookAtMs } from './schedule/due.ts';
import { ANNOUNCE, digestRow, readDigests } from './stored-digests.ts';

/**
 * The number of digests that are posted in parallel. Each mostly waits for Discord, the longest where its votes are
 * read anew, ten lists in five seconds a channel.
 */
const SIDE_BY_SIDE = 32;

/** How digests and announcements are posted when they are due. */
export function digestKinds(context: DigestContext): Kind[] {
  const { store, clock, ranking, warn } = context;

  /** Looks again in a minute where Discord does not answer: the hour of a digest is what its readers see. */
  async function orInAMinute({ guild, trouble }: Held, run: () => Promise<Next>): Promise<Next> {
    try {
      return await run();
    } catch (error) {
      if (isFaultOfRedis(error)) ranking.onDamaged(guild);
      if (!isUnanswered(error)) throw error;
      warn(error, { guild }, 'Discord does not answer; what is due is tried again in a minute.');
      return { atMs: clock.now() + AGAIN_MS, ...(trouble && { trouble }) };
    }
  }

  return [
    {
      name: 'digest',
      sideBySide: SIDE_BY_SIDE,
      ofGuild: SIDE_BY_SIDE,
      standing: (guild) => dueDigests(store, guild),
      run: (held) => orInAMinute(held, () => runDigest(context, held.guild, held.id)),
    },
    {
      name: ANNOUNCE,
      sideBySide: SIDE_BY_SIDE,
      standing: (guild) => dueAnnouncements(store, guild),
      run: (held) =>
        orInAMinute(held, () => announceInteresting(context, held.guild, held.trouble)),
    },
  ];
}

/** What a guild's settings have posted by itself, and when. */
export async function duePosts(store: Store, guild: Snowflake): Promise<Planned[]> {
  return [...(await dueDigests(store, guild)), ...(await dueAnnouncements(store, guild))];
}

async function dueDigests(store: Store, guild: Snowflake): Promise<Planned[]> {
  const digests = await readDigests(store, guild);
  return digests.map(({ name, digest, run }) => {
    return { row: digestRow(name), atMs: nextLookAtMs(digest, run) };
  });
}

async function dueAnnouncements(store: Store, guild: Snowflake): Promise<Planned[]> {
  const { announcements } = await readSettings(store, guild);
  return announcements === null ? [] : [{ row: ANNOUNCE, atMs: 0 }];
}

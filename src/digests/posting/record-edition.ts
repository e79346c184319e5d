import { isListed } from '../../discord/access/visibility.ts';
import { writeEdition } from '../../editions/stored-editions.ts';
import type { Lease } from '../../redis/lease.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Draft } from '../content/draft.ts';
import type { Digest } from '../digest-settings.ts';
import type { TimeRange } from '../schedule/due.ts';
import type { DigestContext } from './posting-context.ts';

/**
 * Records what an edition shows, for its page. Recorded again, it stays what it was, unless `lease` says who
 * posts it. False if another process has taken that lease.
 */
export async function recordEdition(
  { client, store, clock }: Pick<DigestContext, 'client' | 'store' | 'clock'>,
  edition: {
    guild: Snowflake;
    name: string;
    date: string;
    digest: Digest;
    window: TimeRange;
    draft: Draft;
    message: Snowflake | null;
  },
  lease?: Lease,
): Promise<boolean> {
  const { guild, name, date, digest, window, draft, message } = edition;
  const { channel } = digest;
  if (draft.shown === null) return true;
  const at = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  const isPublic = isListed(at);
  const { fromMs, untilMs: postedAtMs } = window;
  const record = { ...draft.shown, postedAtMs, fromMs, channel, message, isPublic };
  const by = lease && { lease, now: clock.now() };
  return writeEdition(store, guild, { name, date }, record, by);
}

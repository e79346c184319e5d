import { isListed, isPublic } from '../../discord/access/visibility.ts';
import { writeEdition } from '../../editions/stored-editions.ts';
import { noteLed } from '../../ranking/outcomes.ts';
import type { Lease } from '../../redis/lease.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Draft } from '../content/draft.ts';
import type { Edition } from '../content/edition-message.ts';
import { daysOf } from '../schedule/due.ts';
import type { DigestContext } from './posting-context.ts';

/**
 * Records what an edition shows, for its page, and which article leads it. Recorded again, it stays what it was,
 * unless `lease` says who posts it. False if another process has taken that lease.
 */
export async function recordEdition(
  { client, ranking, store, clock }: Pick<DigestContext, 'client' | 'ranking' | 'store' | 'clock'>,
  { guild, name, date, digest, period }: Edition,
  { draft, message }: { draft: Draft; message: Snowflake | null },
  lease?: Lease,
): Promise<boolean> {
  if (draft.shown === null) return true;
  const { channel } = digest;
  const at = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  const record = {
    ...draft.shown,
    postedAtMs: period.untilMs,
    fromMs: period.fromMs,
    days: daysOf(digest, period),
    channel,
    message,
    isPublic: isPublic(at),
  };
  const by = lease && { lease, now: clock.now() };
  if (!(await writeEdition(store, guild, { name, date }, record, by))) return false;
  const [leader] = draft.shown.articles;
  // Of an edition that not everybody sees, nothing is said in a thread.
  if (leader && message !== null && isListed(at)) {
    await noteLed(ranking, guild, leader.id, { name, date });
  }
  return true;
}

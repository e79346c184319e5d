import { isListed } from '../../discord/access/visibility.ts';
import { writeEdition } from '../../editions/stored-editions.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Draft } from '../content/draft.ts';
import type { Digest } from '../digest-settings.ts';
import type { TimeRange } from '../schedule/due.ts';
import type { DigestContext } from './posting-context.ts';

/** Records what an edition shows, for its page. Recorded again, it stays what it was. */
export async function recordEdition(
  { client, store }: Pick<DigestContext, 'client' | 'store'>,
  edition: {
    guild: Snowflake;
    name: string;
    date: string;
    digest: Digest;
    window: TimeRange;
    draft: Draft;
    message: Snowflake | null;
  },
): Promise<void> {
  const { guild, name, date, digest, window, draft, message } = edition;
  const { channel } = digest;
  if (draft.shown === null) return;
  const at = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  const isPublic = isListed(at);
  const { fromMs, untilMs: postedAtMs } = window;
  const record = { ...draft.shown, postedAtMs, fromMs, channel, message, isPublic };
  await writeEdition(store, guild, { name, date }, record);
}

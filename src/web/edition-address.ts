import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { editionPath } from './pages/edition-path.ts';
import type { Community } from './pages/list-view.ts';
import { readWebSettings } from './web-settings.ts';

/** The page of an edition on the web; null where nobody can read it there. */
export async function editionAddress(
  {
    store,
    address,
    community,
  }: {
    store: Store;
    /** The public address of the pages, without a slash at the end; null if the host serves none. */
    address: string | null;
    community: (guild: Snowflake) => Community | null;
  },
  {
    guild,
    channel,
    name,
    date,
  }: { guild: Snowflake; channel: Snowflake; name: string; date: string },
): Promise<string | null> {
  if (address === null) return null;
  const isPublic = community(guild)?.groups.some(({ id }) => id === channel) === true;
  if (!isPublic || !(await readWebSettings(store, guild)).open) return null;
  return `${address}${editionPath(guild, name, date)}`;
}

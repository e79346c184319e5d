import type { Guild } from 'discord.js';
import { isGroup } from '../../community/guild-rules.ts';
import { readSettings, type Settings } from '../../community/settings.ts';
import { groupsOf, isListed } from '../../discord/access/visibility.ts';
import type { Store } from '../../redis/store.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import type { Digest } from '../digest-settings.ts';

/** Whether anything that is posted from now on can be in a digest. */
export function canHold(guild: Guild, settings: Settings, { channel, groups }: Digest): boolean {
  return groupsOf(guild).some(
    (group) =>
      isGroup(settings, group.id) &&
      (groups.length === 0 || groups.includes(group.id)) &&
      // A digest of the whole server has the server's lists, in whichever channel it stands.
      (isListed(group) || (groups.length > 0 && group.id === channel)),
  );
}

/** Why an edition has nothing in it: `usually`, or that nothing can be. */
export async function nothingText(
  locale: string,
  guild: Guild,
  { store, digest, usually }: { store: Store; digest: Digest; usually: Key },
): Promise<string> {
  const settings = await readSettings(store, guild.id);
  return translate(locale, canHold(guild, settings, digest) ? usually : 'check-up.digest.closed');
}

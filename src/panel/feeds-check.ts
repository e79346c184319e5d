import type { Guild } from 'discord.js';
import type { Settings } from '../community/settings.ts';
import { isListed } from '../discord/access/visibility.ts';
import { postingPermissions } from '../articles/posting/posting-rules.ts';
import type { GuildCommand, GuildComponent } from '../discord/commands/command.ts';
import type { ImportNeeds } from '../history/import/import-needs.ts';
import { countMessages } from '../history/import/link-counts.ts';
import type { Nominations } from '../nominations/nominations.ts';
import { DAY_MS, type Clock } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { mentions } from '../text/mentions.ts';
import { checkChannel, type Finding, finding, named } from './checks.ts';

export interface FeedsCheckNeeds extends Pick<ImportNeeds, 'requests' | 'stopping' | 'log'> {
  /** The bot's own user: its articles have links too. */
  self: Snowflake;
  /** Counts what became of the links. */
  nominations: Nominations;
  /** Discord's time. */
  clock: Clock;
  /** Without the intent, no link is seen. */
  messageContent: boolean;
}

/** What the feed channels came to in the last week, and what is missing in them. */
export async function checkFeeds(
  { guild, locale }: Pick<GuildCommand | GuildComponent, 'guild' | 'locale'>,
  needs: FeedsCheckNeeds,
  settings: Settings,
): Promise<Finding[]> {
  const channels = settings['nomination-channels'].flatMap(
    (id) => guild.channels.cache.get(id) ?? [],
  );
  if (channels.length === 0 || settings.nominations === 0 || !needs.messageContent) return [];
  const closed = channels.filter((one) => !isListed(one)).map(({ id }) => id);
  const lacking = channels
    .flatMap((one) =>
      one.isTextBased() ? checkChannel(locale, guild, one.id, postingPermissions(one)) : [],
    )
    .filter(({ state }) => state !== 'ok');
  const links = await countLinks(
    needs,
    guild,
    channels.map(({ id }) => id),
  );
  const count = await needs.nominations.count(guild.id);
  const came =
    links === null
      ? finding(locale, 'ok', 'check-up.feeds.made', { count })
      : finding(locale, 'ok', 'check-up.feeds', { links: Math.max(links, count), count });
  const findings = [
    ...(closed.length > 0
      ? [finding(locale, 'warning', 'check-up.feeds.closed', { channels: mentions('#', closed) })]
      : []),
    ...lacking,
    came,
  ];
  const use = translate(locale, 'settings.nomination-channels');
  return findings.map((one) => named(locale, use, one));
}

/** The messages with links of the last week, without the bot's own; null: Discord does not say. */
async function countLinks(
  needs: FeedsCheckNeeds,
  guild: Guild,
  channels: Snowflake[],
): Promise<number | null> {
  const fromMs = needs.clock.now() - 7 * DAY_MS;
  const count = (filter: Parameters<typeof countMessages>[3]) =>
    countMessages(needs, guild.id, channels, { fromMs, ...filter });
  const links = await count({ has: 'link' });
  const own =
    typeof links === 'string' ? links : await count({ has: 'link', by: { member: needs.self } });
  if (typeof links === 'string' || typeof own === 'string') return null;
  // A feed's link can stand in an embed alone.
  const embeds = await count({ has: 'embed', by: 'bots' });
  return Math.max(links - own, typeof embeds === 'number' ? embeds : 0);
}

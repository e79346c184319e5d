import type { Guild, GuildBasedChannel } from 'discord.js';
import type { GuildCommand, GuildComponent } from '../../discord/commands/command.ts';
import { UserError } from '../../discord/user-error.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { messageLink } from '../../text/mentions.ts';
import type { Digests } from '../digests.ts';
import { isPostedNow } from '../posting/post-now.ts';
import { brokenText } from '../posting/posting-context.ts';
import type { StoredDigest } from '../stored-digests.ts';
import type { Store } from '../../redis/store.ts';
import { nothingText } from './can-hold.ts';
import { digestTitle } from './describe.ts';
import { inspect } from './options.ts';

/**
 * Posts an edition for who asked, and says where it is, and if it is not published or has no links; or that there is
 * nothing to post.
 */
export async function postEditionNow(
  interaction: GuildCommand | GuildComponent,
  { digests, store }: { digests: Pick<Digests, 'draft' | 'post'>; store: Store },
  stored: StoredDigest,
): Promise<string> {
  const { guild, guildId, locale } = interaction;
  const { channel } = stored.digest;
  requireThere(guild, channel, locale);
  inspect(interaction, stored.digest);
  const drafted = await digests.draft(guild, stored);
  if (await isPostedNow(store, drafted)) return translate(locale, 'digest.posted.minute');
  if (drafted.draft.body === null) {
    const { digest } = stored;
    return nothingText(locale, guild, { store, digest, usually: 'digest.posted.nothing' });
  }
  const sent = await digests.post(drafted);
  if (sent.status === 'refused') {
    throw new UserError('digest.unposted', { reason: brokenText(locale, channel, sent) });
  }
  const message = messageLink(guildId, { channel, id: sent.message });
  const { unpublished, refusedLinks: code } = sent;
  const named = { digest: digestTitle(locale, stored), channel: `<#${channel}>` };
  return [
    translate(locale, 'digest.posted', { message }),
    ...(code === undefined ? [] : [translate(locale, 'digest.notify.links', { ...named, code })]),
    ...(unpublished === null
      ? []
      : [translate(locale, `digest.unpublished.${unpublished.status}`, named)]),
  ].join('\n');
}

/** What a private channel held stays private when the channel is deleted. */
export function requireThere(guild: Guild, id: Snowflake, locale: string): GuildBasedChannel {
  const channel = guild.channels.cache.get(id);
  if (channel) return channel;
  throw new UserError('digest.unposted', { reason: translate(locale, 'digest.broken.gone') });
}

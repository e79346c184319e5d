import type { APIEmbed } from 'discord.js';
import type { AuditEntry } from '../records/audit-log.ts';
import { translate } from '../text/catalogue.ts';
import { GREY } from '../discord/colours.ts';

/**
 * What stands in place of a removed article: neither its link nor its title, so that no rebuild takes
 * it for an article. The reason stands in a footer, where Discord parses nothing.
 */
export function removedMessage(
  deed: Pick<AuditEntry, 'own' | 'reason'> | null,
  locale: string | null,
): {
  content: string;
  embeds: APIEmbed[];
  components: never[];
  allowed_mentions: { parse: never[] };
} {
  const embed: APIEmbed = {
    color: GREY,
    description: translate(
      locale,
      deed?.own === true ? 'removed-message.own' : 'removed-message.moderator',
    ),
    ...(deed?.reason ? { footer: { text: deed.reason } } : {}),
  };
  return { content: '', embeds: [embed], components: [], allowed_mentions: { parse: [] } };
}

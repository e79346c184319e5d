import type { Guild, GuildMember } from 'discord.js';
import { reasonText } from './block-texts.ts';
import { isListed } from '../discord/access/visibility.ts';
import { button, GREY, row } from '../discord/interactions/components.ts';
import { type LogChannelNeeds, writeToLogChannel } from './admin-messages.ts';
import type { Article } from '../ranking/row.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { code } from '../text/clean.ts';

export const MAX_REASON_LENGTH = 200;

export type Act = {
  by: GuildMember;
  reason?: string;
  /** The poster acts, not a moderator. */
  own?: boolean;
};

/**
 * Reports an action in the guild's log channel, in one line and a reason. `about`: a button shows what they posted.
 * `key`: Discord makes one message of two with it, for some minutes.
 */
export async function logAction(
  needs: LogChannelNeeds,
  { by, reason = '' }: Act,
  lineOf: (locale: string | null, by: string) => string,
  about: readonly Snowflake[] = [],
  key?: string,
): Promise<void> {
  const draw = (locale: string | null) => {
    const lines = [lineOf(locale, `<@${by.id}>`)];
    if (reason !== '') {
      lines.push(translate(locale, 'audit.reason', { reason: reasonText(reason) }));
    }
    const [poster] = about.length === 1 ? about : [];
    const label = translate(locale, 'audit.links');
    const components = poster === undefined ? [] : [row(button(`moderate|links|${poster}`, label))];
    return { embeds: [{ color: GREY, description: lines.join('\n') }], components };
  };
  await writeToLogChannel(needs, by.guild.id, draw, key);
}

/** How the log names an article: by its title, but where not everybody may view its home, which a moderator who reads the log may not view either. */
export function loggedName(
  guild: Guild,
  { id, home, title }: Pick<Article, 'id' | 'home' | 'title'>,
): string {
  return isListed(guild.channels.cache.get(home)) ? code(title) : code(id);
}

import type { GuildMember } from 'discord.js';
import type { App } from '../../app.ts';
import { originName, reasonText } from '../../articles/posting/block-text.ts';
import { GREY } from '../../discord/colours.ts';
import { type LogChannelParts, writeToLogChannel } from '../../discord/requests/log-channel.ts';
import { type Block, blockedMember } from '../../records/blocks.ts';
import { translate } from '../../text/catalogue.ts';
import { code } from '../../text/clean.ts';

export type ModerationParts = LogChannelParts &
  Pick<
    App,
    | 'ranking'
    | 'store'
    | 'clock'
    | 'messageUpdates'
    | 'takenAwayReactions'
    | 'tasks'
    | 'recountArticleSoon'
  >;

export type Act = {
  by: GuildMember;
  reason?: string;
  /** The poster acts, not a moderator. */
  own?: boolean;
};

/** Reports an action in the guild's log channel, in one line and a reason. */
export async function logAction(
  app: LogChannelParts,
  { by, reason = '' }: Act,
  lineOf: (locale: string | null, by: string) => string,
): Promise<void> {
  await writeToLogChannel(app, by.guild.id, (locale) => {
    const lines = [lineOf(locale, `<@${by.id}>`)];
    if (reason !== '') {
      lines.push(translate(locale, 'audit.reason', { reason: reasonText(reason) }));
    }
    return { embeds: [{ color: GREY, description: lines.join('\n') }] };
  });
}

export function blockScopeText(
  locale: string | null,
  { subject, posting, voting }: Pick<Block, 'subject' | 'posting' | 'voting'>,
): string {
  if (subject.startsWith('origin:')) return translate(locale, 'mod.links');
  const what = posting && voting ? 'both' : posting ? 'post' : 'vote';
  return translate(locale, `mod.what.${what}`);
}

export function subjectText(subject: string): string {
  const member = blockedMember(subject);
  return member === null ? code(originName(subject)) : `<@${member}>`;
}

import type { APIMessage } from 'discord.js';
import { plainText } from '../../text/clean.ts';
import { translate } from '../../text/catalogue.ts';

const MAX_REASON_LENGTH = 500;

/**
 * The tombstone of a removed article: one line without its link and title, so that no rebuild reads it
 * as an article.
 */
export function removedMessage(
  { own, reason = '' }: { own: boolean; reason?: string },
  locale: string | null,
): { content: string; embeds: never[]; allowed_mentions: { parse: never[] } } {
  const by = own ? 'removed-message.own' : 'removed-message.moderator';
  const lines = [translate(locale, by)];
  if (reason !== '') {
    const shown = plainText(reason, MAX_REASON_LENGTH);
    lines.push(translate(locale, 'audit.reason', { reason: shown }));
  }
  const content = `-# ${lines.join(' ')}`;
  return { content, embeds: [], allowed_mentions: { parse: [] } };
}

export function isRemovedMessage({ content }: Pick<APIMessage, 'content'>): boolean {
  return /^-# [^\n]+$/.test(content);
}

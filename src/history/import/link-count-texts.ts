import { translate } from '../../text/catalogue.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { mentions } from '../../text/mentions.ts';
import type { LinkCounts } from './import-needs.ts';
import type { ImportState } from './stored-imports.ts';

/** A welcome and the set-up name the channels with most links. */
const NAMED_AT_MOST = 5;
const UNCOUNTED_AT_MOST = 10;

/**
 * What a server already has: its channels with most links, and what could not be counted. Without the
 * Message Content intent, what switching it on would give. `counts`: null while Discord is asked. Empty if
 * there is nothing to say.
 */
export function pastLines(
  locale: string | null,
  { messageContent, counts }: { messageContent: boolean; counts: LinkCounts | null },
): string[] {
  if (!messageContent) return [translate(locale, 'setup.past.intent')];
  if (counts === null) return [`-# ${translate(locale, 'setup.past.counting')}`];
  const named = counts.channels
    .slice(0, NAMED_AT_MOST)
    .map(({ id, links }) =>
      translate(locale, 'setup.past.channel', { channel: `<#${id}>`, count: links }),
    );
  return [
    ...(named.length > 0
      ? [translate(locale, 'setup.past.counts', { channels: named.join(' · ') })]
      : []),
    ...uncountedLines(locale, counts),
  ];
}

/** The counts of the channels that their reader may view: how much others hold is not for that reader. */
export function countsFor(
  counts: LinkCounts | null,
  maySee: (channel: Snowflake) => boolean,
): LinkCounts | null {
  if (counts === null) return null;
  return {
    channels: counts.channels.filter(({ id }) => maySee(id)),
    uncounted: counts.uncounted.filter(maySee),
  };
}

/** The counts without the channels whose links the guild's last import takes in, or has taken in. */
export function notTakenIn(counts: LinkCounts | null, last: ImportState | null): LinkCounts | null {
  const isTaken = last !== null && ['running', 'paused', 'finished'].includes(last.phase);
  if (counts === null || !isTaken) return counts;
  const { channels } = last.plan;
  return { ...counts, channels: counts.channels.filter(({ id }) => !channels.includes(id)) };
}

/** What Discord's search could not see. */
export function uncountedLines(locale: string | null, counts: LinkCounts | null): string[] {
  const uncounted = counts?.uncounted ?? [];
  if (uncounted.length === 0) return [];
  const channels = mentions('#', uncounted.slice(0, UNCOUNTED_AT_MOST));
  return [translate(locale, 'import.uncounted', { channels })];
}

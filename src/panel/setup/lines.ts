import { isOfItsChannel } from '../../digests/command/apply-options.ts';
import { digestTitle, nextText, scheduleText } from '../../digests/command/describe.ts';
import { type Digest, NO_RUN } from '../../digests/digest-settings.ts';
import { brokenReason } from '../../digests/schedule/due.ts';
import { brokenText, DIGEST_PERMISSIONS } from '../../digests/posting/posting-context.ts';
import type { StoredDigest } from '../../digests/stored-digests.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  type Permission,
} from '../../discord/access/permissions.ts';
import { isListed, mayView } from '../../discord/access/visibility.ts';
import type { GuildComponent } from '../../discord/commands/command.ts';
import { hasChannel, livingMentions } from '../../community/dead-references.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { checkBoard } from '../check-up-section.ts';
import { lackText, undiscussed } from '../checks.ts';
import { valueText } from '../setting-values.ts';
import type { Chosen, Line } from './chosen.ts';
import type { Plan } from './plan.ts';

/** `coming`: the button would set it up. `left`: it stays as it is. `lacking`: something has to be allowed first. */
type State = 'there' | 'coming' | 'left' | 'lacking';
const signs = { there: '✅', coming: '➕', left: '➖', lacking: '⚠️' };

/** A line of the set-up. */
export interface SetupLine {
  /** What it is about. */
  line: Line;
  /** Whether the button would set it up. */
  state: State;
  /** Its name for the reader. */
  label: string;
  /** How it is, or would be. */
  value: string;
  /** What to do or to know, below it. */
  notes: string[];
}

export function lineText({ state, label, value, notes }: SetupLine): string {
  return [`${signs[state]} **${label}** · ${value}`, ...notes.map((note) => `-# ${note}`)].join(
    '\n',
  );
}

/** The lines. `digest`: as it is or would be; null: there is no channel for one. */
export function linesOf(
  interaction: GuildComponent,
  plan: Plan,
  digest: { name: string; digest: Digest } | null,
  chosen: Chosen,
  messageContent: boolean,
): SetupLine[] {
  const lines = [
    digestLine(interaction, plan, digest),
    discussionLine(interaction, plan),
    boardLine(interaction, plan),
    linksLine(interaction, plan, messageContent),
    votesLine(interaction, plan),
    ...feedsLine(interaction, plan, messageContent),
  ];
  return lines.map((one) => {
    const isLeft = one.state === 'coming' && chosen.without.includes(one.line);
    return isLeft ? { ...one, state: 'left', notes: [] } : one;
  });
}

function digestLine(
  { guild, locale }: GuildComponent,
  { stored }: Plan,
  made: { name: string; digest: Digest } | null,
): SetupLine {
  const none = { line: 'digest' as const, label: translate(locale, 'setup.digest') };
  if (made === null) {
    const notes = [translate(locale, 'setup.digest.nowhere')];
    return { ...none, state: 'lacking', value: translate(locale, 'settings.none'), notes };
  }
  const { name, digest } = made;
  const now: StoredDigest = stored ?? { name, digest, run: NO_RUN };
  const channel = livingMentions(guild, '#', [digest.channel], locale).join('');
  // As it was saved: a digest that is only shown counts as saved now.
  const broken = stored === null ? null : brokenReason(stored.digest, stored.run);
  const lack = lackIn({ guild, locale }, digest.channel, DIGEST_PERMISSIONS);
  const cure = lack ?? (broken === null ? null : brokenText(locale, digest.channel, broken));
  const isOwn = isOfItsChannel(digest) && !isListed(guild.channels.cache.get(digest.channel));
  const isWeekly = stored === null && digest.schedule.every === 'week';
  return {
    ...none,
    label: digestTitle(locale, made),
    state: cure !== null ? 'lacking' : stored === null ? 'coming' : 'there',
    value: `${scheduleText(locale, digest.schedule)} · ${channel}`,
    notes: [
      cure ?? `${translate(locale, 'digest.show.next')} · ${nextText(now)}`,
      ...(isWeekly ? [translate(locale, 'setup.weekly')] : []),
      ...(isOwn && hasChannel(guild, digest.channel)
        ? [translate(locale, 'digest.own', { channel })]
        : []),
    ],
  };
}

function discussionLine({ guild, locale, member }: GuildComponent, { settings }: Plan): SetupLine {
  const maySee = (channel: Snowflake) => mayView(member, channel);
  const isOff = settings.discussion === false;
  const channels = isOff ? [] : undiscussed(guild, settings, maySee).map(({ id }) => `<#${id}>`);
  return {
    line: 'discussion',
    label: translate(locale, 'settings.discussion'),
    state: isOff ? 'left' : channels.length > 0 ? 'lacking' : 'there',
    value: valueText(locale, guild, 'discussion', settings.discussion),
    notes:
      channels.length === 0
        ? []
        : [translate(locale, 'setup.discussion.needs', { channels: channels.join(' ') })],
  };
}

function boardLine({ guild, locale }: GuildComponent, { board, channel: usual }: Plan): SetupLine {
  const channel = board?.choice.channel ?? usual;
  const label = translate(locale, 'frontpage.button.board');
  const value = translate(locale, 'setup.board');
  if (channel === null) {
    const notes = [translate(locale, 'setup.digest.nowhere')];
    return { line: 'board', label, state: 'lacking', value, notes };
  }
  const found = board === null ? null : checkBoard(locale, guild, board);
  const ofBoard = found === null || found.state === 'ok' ? null : found.text;
  const cure = board === null ? lackIn({ guild, locale }, channel, MESSAGE_PERMISSIONS) : ofBoard;
  return {
    line: 'board',
    label,
    state: cure !== null ? 'lacking' : board === null ? 'coming' : 'there',
    value: `${value} · ${livingMentions(guild, '#', [channel], locale).join('')}`,
    notes: cure === null ? [] : [cure],
  };
}

function linksLine(
  { guild, locale }: GuildComponent,
  { settings, linkChannels }: Plan,
  messageContent: boolean,
): SetupLine {
  const own = settings['link-channels'];
  const ids = own.length > 0 ? own : linkChannels;
  const line = {
    line: 'links' as const,
    label: translate(locale, 'settings.link-channels'),
    value: valueText(locale, guild, 'link-channels', [...ids]),
    notes: [],
  };
  if (!messageContent) {
    return { ...line, state: 'lacking', notes: [translate(locale, 'setup.links.needs')] };
  }
  if (own.length > 0) return { ...line, state: 'there' };
  return { ...line, state: ids.length > 0 ? 'coming' : 'left' };
}

/** Only where bots post links or nobody could count them, or where there is a choice already. */
function feedsLine(
  { guild, locale }: GuildComponent,
  { settings, feedChannels, counts }: Plan,
  messageContent: boolean,
): SetupLine[] {
  const own = settings['nomination-channels'];
  const ids = own.length > 0 ? own : feedChannels;
  const isUncounted = counts?.channels.length === 0 && counts.uncounted.length > 0;
  if (ids.length === 0 && !isUncounted) return [];
  const line = {
    line: 'feeds' as const,
    label: translate(locale, 'settings.nomination-channels'),
    value: valueText(locale, guild, 'nomination-channels', [...ids]),
    notes: [],
  };
  if (!messageContent) {
    return [{ ...line, state: 'lacking', notes: [translate(locale, 'setup.links.needs')] }];
  }
  if (own.length > 0) return [{ ...line, state: 'there' }];
  return [{ ...line, state: ids.length > 0 ? 'coming' : 'left' }];
}

/** There is always an answer to it, of which nothing is to be set up. */
function votesLine({ guild, locale }: GuildComponent, { settings }: Plan): SetupLine {
  return {
    line: 'votes',
    state: 'there',
    label: translate(locale, 'settings.votes'),
    value: valueText(locale, guild, 'votes', settings.votes),
    notes: [],
  };
}

/** What is missing in a channel, with the way to give it; null: nothing. */
function lackIn(
  { guild, locale }: Pick<GuildComponent, 'guild' | 'locale'>,
  id: Snowflake,
  wanted: readonly Permission[],
): string | null {
  const channel = guild.channels.cache.get(id);
  if (channel === undefined) return translate(locale, 'digest.broken.gone');
  const lack = missingPermissions(channel, wanted);
  return lack.length > 0 ? lackText(locale, id, lack) : null;
}

import type { APIEmbed, Guild } from 'discord.js';
import { livingMentions } from '../../community/dead-references.ts';
import type { StoredDigest } from '../stored-digests.ts';
import type { Digest, Schedule } from '../digest-settings.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import { titleOf } from '../../editions/edition-title.ts';
import { brokenText } from '../posting/posting-context.ts';
import { timestamp } from '../../text/mentions.ts';
import { card, COLOUR } from '../../discord/interactions/components.ts';
import { brokenReason, plannedSlot } from '../schedule/due.ts';
import { zoneText } from '../schedule/time-zones.ts';
import { weekdayNames } from '../schedule/weekdays.ts';

export function describeDigests(
  locale: string,
  guild: Guild,
  all: readonly StoredDigest[],
): APIEmbed {
  const lines = all.map((each) => {
    const isBroken = brokenReason(each.digest, each.run) !== null;
    const trouble = isBroken ? ` · ${translate(locale, 'digest.show.trouble')}` : '';
    const channel = livingMentions(guild, '#', [each.digest.channel], locale).join('');
    return `**${digestTitle(locale, each)}** · ${channel} · ${nextText(each)}${trouble}`;
  });
  return card(translate(locale, 'digest.list.title'), lines);
}

/** Of a deleted digest only the settings, with which it can be set up again. */
export function describeDigest(
  locale: string,
  guild: Guild,
  stored: StoredDigest,
  isDeleted = false,
): APIEmbed {
  const { digest, run } = stored;
  const broken = isDeleted ? null : brokenReason(digest, run);
  const fields: [Key, string][] = [
    ['digest.show.next', isDeleted ? '' : nextText(stored)],
    ['digest.show.schedule', scheduleText(locale, digest.schedule)],
    ['digest.show.channel', livingMentions(guild, '#', [digest.channel], locale).join('')],
    ['digest.show.articles', articlesText(locale, guild, digest)],
    ['digest.show.extras', extrasText(locale, guild, digest)],
    ['digest.show.trouble', broken === null ? '' : brokenText(locale, digest.channel, broken)],
  ];
  return {
    color: COLOUR,
    title: digestTitle(locale, stored),
    fields: fields
      .filter(([, value]) => value !== '')
      .map(([field, value]) => ({ name: translate(locale, field), value })),
  };
}

/** Its name as a person says it, by what it is now. */
export function digestTitle(
  locale: string,
  { name, digest }: Pick<StoredDigest, 'name' | 'digest'>,
): string {
  return titleOf(locale, name, digest.schedule.every);
}

/** Returns the time of the next posting, which Discord shows in the reader's own zone. */
export function nextText({ digest, run }: StoredDigest): string {
  const { atMs } = plannedSlot(digest, run);
  return `${timestamp(atMs, 'F')} (${timestamp(atMs, 'R')})`;
}

/** When a digest comes, such as `Every day at 09:00, Berlin`. */
export function scheduleText(locale: string, schedule: Schedule): string {
  return translate(locale, `digest.show.${schedule.every}`, {
    time: schedule.time,
    zone: zoneText(schedule.zone, locale),
    days: schedule.every === 'week' ? weekdayNames(locale, schedule.weekdays) : '',
    day: schedule.every === 'month' ? schedule.day : '',
  });
}

function articlesText(locale: string, guild: Guild, { count, groups, ...digest }: Digest): string {
  const selection = translate(locale, `digest.selection.${digest.selection}`);
  const chosen = translate(locale, 'digest.show.count', { count, selection });
  if (groups.length === 0) return chosen;
  const channels = livingMentions(guild, '#', groups, locale).join(' ');
  return `${chosen}\n${translate(locale, 'digest.show.source', { channels })}`;
}

function extrasText(
  locale: string,
  guild: Guild,
  { role: pinged, postEmpty, publish, silent }: Digest,
): string {
  const [role = ''] = pinged === null ? [] : livingMentions(guild, '@&', [pinged], locale);
  return [
    ...(role === '' ? [] : [translate(locale, 'digest.show.role', { role })]),
    ...(postEmpty ? [translate(locale, 'digest.show.empty')] : []),
    ...(publish ? [translate(locale, 'digest.show.publish')] : []),
    ...(silent ? [translate(locale, 'digest.show.silent')] : []),
  ].join('\n');
}

import type { APIEmbed } from 'discord.js';
import type { StoredDigest } from '../../records/digests/digests.ts';
import type { Digest, Schedule } from '../../records/digests/digest-settings.ts';
import { translate } from '../../text/catalogue.ts';
import { brokenText } from '../posting/channel.ts';
import { timestamp } from '../../text/mentions.ts';
import { COLOUR } from '../../discord/colours.ts';
import { card } from '../../discord/interactions/components.ts';
import { brokenReason, plannedSlot } from '../schedule/due.ts';
import { zoneText } from '../schedule/time-zones.ts';
import { weekdayNames } from '../schedule/weekdays.ts';

export function describeDigests(locale: string, all: readonly StoredDigest[]): APIEmbed {
  const lines = all.map((each) => {
    const isBroken = brokenReason(each.digest, each.run) !== null;
    const trouble = isBroken ? ` · ${translate(locale, 'digest.show.trouble')}` : '';
    return `**${titleOf(locale, each.name)}** · <#${each.digest.channel}> · ${nextText(each)}${trouble}`;
  });
  return card(translate(locale, 'digest.list.title'), lines);
}

/** Of a deleted digest only the settings, with which it can be set up again. */
export function describeDigest(locale: string, stored: StoredDigest, isDeleted = false): APIEmbed {
  const { name, digest, run } = stored;
  const broken = isDeleted ? null : brokenReason(digest, run);
  const fields = {
    next: isDeleted ? '' : nextText(stored),
    schedule: scheduleText(locale, digest.schedule),
    channel: `<#${digest.channel}>`,
    articles: articlesText(locale, digest),
    extras: extrasText(locale, digest),
    trouble: broken === null ? '' : brokenText(locale, digest.channel, broken),
  };
  return {
    color: COLOUR,
    title: titleOf(locale, name),
    fields: Object.entries(fields)
      .filter(([, value]) => value !== '')
      .map(([field, value]) => ({
        name: translate(locale, `digest.show.${field as keyof typeof fields}`),
        value,
      })),
  };
}

/** A digest's name for readers: that of the usual one, `daily`, is translated. */
export function titleOf(locale: string, name: string): string {
  return translate(locale, 'digest.show.title', { name });
}

/** Returns the time of the next posting, which Discord shows in the reader's own zone. */
export function nextText({ digest, run }: StoredDigest): string {
  const { atMs } = plannedSlot(digest, run);
  return `${timestamp(atMs, 'F')} (${timestamp(atMs, 'R')})`;
}

function scheduleText(locale: string, schedule: Schedule): string {
  const { time } = schedule;
  const zone = zoneText(schedule.zone);
  if (schedule.every === 'week') {
    const days = weekdayNames(locale, schedule.weekdays);
    return translate(locale, 'digest.show.week', { days, time, zone });
  }
  if (schedule.every === 'month') {
    return translate(locale, 'digest.show.month', { day: schedule.day, time, zone });
  }
  return translate(locale, 'digest.show.day', { time, zone });
}

function articlesText(locale: string, digest: Digest): string {
  const selection = translate(locale, `digest.selection.${digest.selection}`);
  const lines = [translate(locale, 'digest.show.count', { count: digest.count, selection })];
  if (digest.groups.length > 0) {
    const channels = digest.groups.map((group) => `<#${group}>`).join(' ');
    lines.push(translate(locale, 'digest.show.source', { channels }));
  }
  return lines.join('\n');
}

function extrasText(locale: string, digest: Digest): string {
  const lines: string[] = [];
  const { role, postEmpty } = digest;
  if (role !== null) lines.push(translate(locale, 'digest.show.role', { role: `<@&${role}>` }));
  if (postEmpty) lines.push(translate(locale, 'digest.show.empty'));
  return lines.join('\n');
}

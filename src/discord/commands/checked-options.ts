import type { NonThreadGuildBasedChannel } from 'discord.js';
import { z } from 'zod';
import { DAY_MS } from '../../runtime/clock.ts';
import { zSnowflake } from '../../runtime/snowflake.ts';
import type { GuildCommand } from './command.ts';
import { optionText } from './localized.ts';
import { UserError } from '../user-error.ts';
import { code } from '../../text/clean.ts';
import { groupOf, requireView } from '../access/visibility.ts';

/**
 * The group that a channel option means, or null without the option. Throws `channel.unknown` for a
 * channel of another guild, a channel that the member may not view, and one that is not cached, such as
 * an archived thread.
 */
export function groupOption(
  interaction: GuildCommand,
  name: string,
): NonThreadGuildBasedChannel | null {
  const option = interaction.options.get(name);
  if (!option) return null;
  const id = zSnowflake.safeParse(option.value).data ?? '';
  const channel = interaction.guild.channels.cache.get(id);
  const group = channel && groupOf(channel);
  if (!group) throw new UserError('channel.unknown');
  requireView(interaction.member, group.id);
  return group;
}

/** An option's value, checked by its schema. Discord's own limits can be bypassed. */
export function validOption<T>(interaction: GuildCommand, name: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(interaction.options.get(name)?.value);
  if (!parsed.success)
    throw new UserError('invalid.option', { option: optionText(interaction, name) });
  return parsed.data;
}

/** Instead of an id in a custom id. */
export const NONE = '-';
/** An id of a custom id, or null. */
export const zIdOrNone = z
  .literal(NONE)
  .or(zSnowflake)
  .transform((id) => (id === NONE ? null : id));

/** The arguments of a custom id, which can be of an older version, or forged. */
export function parseArgs<T>(schema: z.ZodType<T>, args: readonly unknown[]): T {
  const parsed = schema.safeParse(args);
  if (!parsed.success) throw new UserError('stale');
  return parsed.data;
}

const zDay = z.string().max(20).optional();

/** The instant that a typed day means (see `parseDay`), or null without the option. */
export function dayOption(interaction: GuildCommand, name: string, now: number): number | null {
  const typed = validOption(interaction, name, zDay);
  if (typed === undefined) return null;
  const fromMs = parseDay(typed, now);
  if (fromMs === null) throw new UserError('invalid.day', { input: code(typed) });
  return fromMs;
}

const unitDays = { d: 1, w: 7, m: 30, y: 365 };

/**
 * Parses a typed day: 2026-03-01, 2026-03 or 2026 (its beginning, in UTC), or 7d, 2w, 3m, 1y ago. Null
 * for anything else.
 */
export function parseDay(text: string, now: number): number | null {
  const typed = text.trim().toLowerCase();
  const [, count, unit] = /^(\d{1,4})\s?([dwmy])$/.exec(typed) ?? [];
  if (count !== undefined && unit !== undefined) {
    const days = Number(count) * unitDays[unit as keyof typeof unitDays];
    return now - days * DAY_MS;
  }
  const [, year, month = '01', day = '01'] =
    /^(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?)?月?)?年?$/.exec(typed) ?? [];
  if (year === undefined) return null;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const fromMs = Date.parse(`${date}T00:00:00Z`);
  // Refuse days that do not exist, such as 31 February.
  if (Number.isNaN(fromMs) || new Date(fromMs).toISOString().slice(0, 10) !== date) return null;
  return fromMs;
}

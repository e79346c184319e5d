import type { NonThreadGuildBasedChannel } from 'discord.js';
import { z } from 'zod';
import { zSnowflake } from '../../ranking/snowflake.ts';
import type { GuildCommand } from './command.ts';
import { UserError } from '../user-error.ts';
import { code } from '../../text/clean.ts';
import { parseDay } from '../../text/parse-day.ts';
import { groupOf, mayView } from '../access/visibility.ts';

/**
 * The group that a channel option means, or null without the option. Throws `channel.unknown` for a
 * channel of another guild, a channel that the member may not view, and one that is not cached, such as
 * an archived thread.
 */
export function groupOption(
  interaction: GuildCommand,
  name: string,
): NonThreadGuildBasedChannel | null {
  const given = interaction.options.get(name);
  if (!given) return null;
  const id = zSnowflake.safeParse(given.value).data ?? '';
  const channel = interaction.guild.channels.cache.get(id);
  const group = channel && groupOf(channel);
  if (!group || !mayView(interaction.member, group.id)) throw new UserError('channel.unknown');
  return group;
}

/** An option's value, checked by its schema. Discord's own limits can be bypassed. */
export function validOption<T>(interaction: GuildCommand, name: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(interaction.options.get(name)?.value);
  if (!parsed.success) throw new UserError('invalid.option', { option: name });
  return parsed.data;
}

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
  const day = parseDay(typed, now);
  if (!day) throw new UserError('search.day', { given: code(typed) });
  return day.fromMs;
}

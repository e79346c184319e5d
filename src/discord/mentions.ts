import type { TimestampStylesString } from 'discord.js';
import type { Snowflake } from '../ranking/snowflake.ts';

/** A time that Discord shows in the reader's own zone and language. */
export function timestamp(atMs: number, style: TimestampStylesString): string {
  return `<t:${Math.floor(atMs / 1000)}:${style}>`;
}

export function mentions(kind: '#' | '@&', ids: readonly Snowflake[]): string {
  return ids.map((id) => `<${kind}${id}>`).join(' ');
}

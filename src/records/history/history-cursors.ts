import { zSnowflake } from '../../ranking/snowflake.ts';

/** Instead of a message: the channel or thread is read to its end. */
export const END = 'end';

/** The cursors among the fields of a stored walk: channel or thread to the last message read. */
export function cursorsAmong(fields: Record<string, string>): Map<string, string> {
  return new Map(Object.entries(fields).filter(([field]) => zSnowflake.safeParse(field).success));
}

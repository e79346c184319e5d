import { withdraw } from '../articles/posting/withdraw.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Nominating } from './nominations-needs.ts';

/** The likes went with the message; so does its article, unless others have voted on it. */
export async function takeBack(
  needs: Nominating,
  guild: Snowflake,
  of: { id: Snowflake; source: Snowflake },
): Promise<void> {
  await needs.recount(guild, of.id);
  await withdraw(needs, guild, of);
}

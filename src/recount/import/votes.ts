import { type APIMessage } from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import type { App } from '../../app.ts';
import type { Rules } from '../../eligibility/guild-rules.ts';
import { erasedAmong, isErased } from '../../records/opted-out.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { type Both, countsOf } from '../reactions/counts.ts';
import { Incomplete, readReactors } from '../reactions/lists.ts';

/** Whether any user except the bot shows a reaction that is a vote. */
export function hasVotes(message: APIMessage): boolean {
  const { up, down } = countsOf(message);
  return up > 0 || down > 0;
}

/**
 * Returns the final result of a member's message: one up vote for its poster, and one vote for each
 * member who shows one of the two reactions. Counts do not show whether they include the poster or a
 * bot, so the lists are read if anybody except this bot reacted: one request for each kind, and one
 * for each further hundred members. Returns null if the lists cannot be read completely.
 */
export async function readResult(
  app: Pick<App, 'self' | 'store' | 'requests'>,
  guild: Snowflake,
  rules: Rules,
  message: APIMessage,
): Promise<Both | null> {
  const { id, channel_id: channel, author } = message;
  const none = { up: 1, down: 0 };
  if (!hasVotes(message)) return none;
  try {
    const of = { id, channel, poster: author.id, ...none };
    const { reactors } = await readReactors(app, guild, of, message);
    const members = [...reactors.up, ...reactors.down];
    const erased = await erasedAmong(app.store, guild, members);
    const stays = (member: Snowflake): boolean =>
      !rules.optedOut.has(member) && !isErased(erased, member, snowflakeTimeMs(id));
    const up = [...reactors.up].filter(stays);
    const down = [...reactors.down].filter(stays);
    // Lists do not show which of two reactions is newer, so a member who shows both has no vote.
    return {
      up: 1 + up.filter((member) => !reactors.down.has(member)).length,
      down: down.filter((member) => !reactors.up.has(member)).length,
    };
  } catch (error) {
    const isGone = isApiError(error, 'UnknownMessage');
    if (isGone || error instanceof Incomplete) return null;
    throw error;
  }
}

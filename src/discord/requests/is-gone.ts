import type { Client } from 'discord.js';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isApiError } from '../api-errors.ts';
import { ChannelRefused, isOfOneChannel } from './refusals.ts';
import { NotOurs, type Requests } from './requests.ts';

/**
 * Where a channel or thread is, by Discord's answer about its id. `hidden`: the bot may not view it, and whose
 * it is cannot be said. `gone`: it is deleted, or of another guild. `unknown`: Discord gives no answer.
 */
export type Whereabouts = 'here' | 'hidden' | 'gone' | 'unknown';

export interface WhereaboutsNeeds {
  /** Its cache has all channels of a guild that the gateway told of, also the hidden ones. */
  client: Client;
  /** Asks about one id. */
  requests: Requests;
}

/**
 * Asks where a channel or thread is that no list names. Over HTTP Discord leaves out what the bot may not
 * view, so that absence from a list is never an end.
 */
export async function whereaboutsOf(
  { requests }: Pick<WhereaboutsNeeds, 'requests'>,
  guild: Snowflake,
  channel: Snowflake,
): Promise<Whereabouts> {
  try {
    return await requests.ask({ guild, channel }, 'GET', async () => 'here' as const);
  } catch (error) {
    if (error instanceof NotOurs) return 'gone';
    if (error instanceof ChannelRefused) return 'hidden';
    if (isApiError(error, 'UnknownChannel')) {
      return requests.isOfOutage(guild, error) ? 'unknown' : 'gone';
    }
    if (isOfOneChannel(error)) return 'unknown';
    throw error;
  }
}

/** Whether a channel or thread of a guild is gone for certain. The only answer on which something may end. */
export async function isGone(
  needs: WhereaboutsNeeds,
  guild: Snowflake,
  channel: Snowflake,
): Promise<boolean> {
  if (needs.client.guilds.cache.get(guild)?.channels.cache.has(channel) === true) return false;
  return (await whereaboutsOf(needs, guild, channel)) === 'gone';
}

import type { Client } from 'discord.js';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isApiError } from '../api-errors.ts';
import { ChannelRefused, isOfOneChannel } from './refusals.ts';
import { NotOurs, type Requests } from './requests.ts';

/** Where a channel or thread is. `hidden`: the bot may not view it, and whose it is cannot be said. `missed`: no answer shows it. */
export type Whereabouts = 'here' | 'hidden' | 'missed';

export interface WhereaboutsNeeds {
  /** Its cache has all channels of a guild that the gateway told of, also the hidden ones. */
  client: Client;
  /** Asks about one id. */
  requests: Requests;
}

/** Asks where a channel or thread is that no list names. */
export async function whereaboutsOf(
  { requests }: Pick<WhereaboutsNeeds, 'requests'>,
  guild: Snowflake,
  channel: Snowflake,
): Promise<Whereabouts> {
  try {
    return await requests.ask({ guild, channel }, 'GET', async () => 'here' as const);
  } catch (error) {
    if (!isOfOneChannel(error)) throw error;
    return error instanceof ChannelRefused && !(error instanceof NotOurs) ? 'hidden' : 'missed';
  }
}

/**
 * Whether a channel or thread of a guild is gone for certain: deleted, or of another guild. The only answer on which
 * something may end. Over HTTP Discord leaves out what the bot may not view, so that absence from a list is never an end.
 */
export async function isGone(
  { client, requests }: WhereaboutsNeeds,
  guild: Snowflake,
  channel: Snowflake,
): Promise<boolean> {
  if (client.guilds.cache.get(guild)?.channels.cache.has(channel) === true) return false;
  try {
    return await requests.ask({ guild, channel }, 'GET', async () => false);
  } catch (error) {
    if (!isOfOneChannel(error)) throw error;
    if (error instanceof NotOurs) return true;
    return (
      isApiError(error, 'UnknownChannel') && !(await requests.isOfOutage({ guild, channel }, error))
    );
  }
}

import { type APIEmbed, Routes } from 'discord.js';
import type { App } from '../../app.ts';
import { fault } from '../../log.ts';
import type { Place } from './refusals.ts';

export type LogChannelParts = Pick<App, 'client' | 'ownMessages' | 'refusals' | 'log'>;

/**
 * Sends a message to a guild's log channel. If it cannot be sent, that is only logged: the event stays
 * without its line, and the check-up reports the fault.
 */
export async function sendToLogChannel(
  { client, ownMessages, refusals, log }: LogChannelParts,
  place: Place,
  message: { content: string } | { embeds: APIEmbed[] },
): Promise<void> {
  try {
    await refusals.demand(place);
    await ownMessages.demandChannel(place);
    await client.rest.post(Routes.channelMessages(place.channel), {
      body: { ...message, allowed_mentions: { parse: [] } },
    });
  } catch (error) {
    log.warn({ ...fault(error), ...place }, 'The log channel cannot be written.');
  }
}

import { type APIEmbed, Routes } from 'discord.js';
import type { App } from '../../app.ts';
import { fault } from '../../log.ts';
import { languageOfGuild } from '../../records/settings.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

export type LogChannelParts = Pick<App, 'client' | 'rules' | 'ownMessages' | 'refusals' | 'log'>;

/**
 * Sends a message to a guild's log channel, if it has one. If it cannot be sent, that is only logged:
 * the event stays without its line, and the check-up reports the fault.
 */
export async function writeToLogChannel(
  { client, rules, ownMessages, refusals, log }: LogChannelParts,
  guild: Snowflake,
  draw: (locale: string | null) => { content: string } | { embeds: APIEmbed[] },
): Promise<void> {
  const read = await rules.read(guild);
  const channel = read.settings.log;
  if (channel === null) return;
  const message = draw(languageOfGuild(read, client.guilds.cache.get(guild)));
  const place = { guild, channel };
  try {
    await refusals.ask(place, 'POST', async () => {
      await ownMessages.demandChannel(place);
      const body = { ...message, allowed_mentions: { parse: [] } };
      await client.rest.post(Routes.channelMessages(channel), { body });
    });
  } catch (error) {
    log.warn({ ...fault(error), ...place }, 'The log channel cannot be written.');
  }
}

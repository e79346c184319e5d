import type { Guild } from 'discord.js';
import type { App } from '../../app.ts';
import { languageOfGuild } from '../../eligibility/guild-rules.ts';
import { type LogChannelParts, sendToLogChannel } from '../../discord/requests/log-channel.ts';
import type { ImportState } from '../../records/history/imports.ts';
import { endShown } from './progress-text.ts';

/** Reports a finished import in the guild's log channel, if it has one: an import can take hours. */
export async function tellLog(
  app: LogChannelParts & Pick<App, 'rules'>,
  guild: Guild,
  state: ImportState,
): Promise<void> {
  const rules = await app.rules.read(guild.id);
  const channel = rules.settings.log;
  if (channel === null) return;
  const { content } = endShown(languageOfGuild(rules, guild), state);
  await sendToLogChannel(app, { guild: guild.id, channel }, { content });
}

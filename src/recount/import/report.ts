import { type LogChannelParts, writeToLogChannel } from '../../discord/requests/log-channel.ts';
import type { ImportState } from '../../records/history/imports.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { endShown } from './progress-text.ts';

/** Reports a finished import in the guild's log channel, if it has one: an import can take hours. */
export async function reportImport(
  app: LogChannelParts,
  guild: Snowflake,
  state: ImportState,
): Promise<void> {
  await writeToLogChannel(app, guild, (locale) => ({ content: endShown(locale, state).content }));
}

import { type Guild, Routes } from 'discord.js';
import type { App } from '../../app.ts';
import { languageOfGuild } from '../../eligibility/guild-rules.ts';
import { fault } from '../../log.ts';
import type { ImportState } from '../../records/history/imports.ts';
import { endShown } from './progress-text.ts';

/** Reports a finished import in the guild's log channel, if it has one: an import can take hours. */
export async function tellLog(app: App, guild: Guild, state: ImportState): Promise<void> {
  const rules = await app.rules.read(guild.id);
  const channel = rules.settings.log;
  if (channel === null) return;
  const { content } = endShown(languageOfGuild(rules, guild), state);
  try {
    await app.refusals.demand({ guild: guild.id, channel });
    await app.ownMessages.demandChannel({ guild: guild.id, channel });
    await app.client.rest.post(Routes.channelMessages(channel), {
      body: { content, allowed_mentions: { parse: [] } },
    });
  } catch (error) {
    app.log.warn(
      { ...fault(error), guild: guild.id, channel },
      'The log channel cannot be written.',
    );
  }
}

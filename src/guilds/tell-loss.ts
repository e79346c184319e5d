import type { Guild } from 'discord.js';
import type { App } from '../app.ts';
import { notifyAdmins } from '../discord/requests/notify-admins.ts';
import { findLostRecords } from '../records/lost-records.ts';
import { languageOfGuild } from '../records/settings.ts';
import { translate } from '../text/catalogue.ts';

const saidToHost =
  'Stored records of a guild are gone, and nobody deleted them. Restore them: docs/recovery.md says how.';

const texts = {
  settings: 'data.kind.setting',
  digests: 'data.kind.digest',
  blocks: 'data.kind.block',
  optedOut: 'data.kind.opted-out',
} as const;

/** Says once that records of a guild are gone, in the log and to the guild's admins. */
export async function tellLoss(
  app: Pick<App, 'client' | 'store' | 'rules' | 'refusals' | 'log'>,
  { id: guild, ownerId, preferredLocale }: Pick<Guild, 'id' | 'ownerId' | 'preferredLocale'>,
): Promise<void> {
  const lost = await findLostRecords(app.store, guild);
  if (lost.length === 0) return;
  app.log.error({ guild, lost }, saidToHost);
  const locale = languageOfGuild(await app.rules.reload(guild), { preferredLocale });
  const names = lost.map((name) => translate(locale, texts[name])).join(', ');
  const text = translate(locale, 'check-up.record.gone', { names });
  await notifyAdmins(app, { guild }, text, ownerId);
}

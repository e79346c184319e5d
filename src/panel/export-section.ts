import { ApplicationCommandOptionType, AttachmentBuilder, type Client } from 'discord.js';
import { answer, showProgress } from '../discord/interactions/answer.ts';
import { requireWithinLimit } from '../community/member-limits.ts';
import { fileOf, readAttachment } from '../discord/requests/attachment.ts';
import type { GuildCommand, GuildComponent } from '../discord/commands/command.ts';
import { bytesOf, fateLines, faultText, findPart, mismatchOf } from '../backup/attached-file.ts';
import { UserError } from '../discord/user-error.ts';
import { localized, subcommand } from '../discord/commands/localized.ts';
import { recountGuild } from '../votes/recount/recount-guild.ts';
import { exportGuild } from '../backup/guild-file/export.ts';
import { readRebuildState } from '../history/rebuild/stored-rebuilds.ts';
import {
  importData,
  importHistory,
  importPressed,
  openImport,
} from '../history/import/import-command.ts';
import { translate } from '../text/catalogue.ts';
import type { Section } from './section.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Backup } from '../backup/backup.ts';

export const importSection: Section = {
  option: importData,
  run: importHistory,
  open: openImport,
  component: importPressed,
};

export const exportSection: Section = {
  async open(interaction, needs) {
    requireAdministrator(interaction);
    const { guildId, locale, attachmentSizeLimit, user } = interaction;
    requireWithinLimit(needs, guildId, user.id, 'export');
    const now = needs.clock.now();
    const file = await fileOf(exportGuild(needs, guildId, now), attachmentSizeLimit);
    if (file === null) throw new UserError('data.export.big', { guild: guildId });
    const day = new Date(now).toISOString().slice(0, 10);
    const name = `frontpage-${guildId}-${day}.ndjson${file.isPacked ? '.gz' : ''}`;
    const files = [new AttachmentBuilder(file.data, { name })];
    await answer(interaction, { content: translate(locale, 'data.exported'), files });
  },
};

export const restore: Section = {
  option: subcommand('command.frontpage.restore', [
    {
      type: ApplicationCommandOptionType.Attachment,
      required: true,
      ...localized('command.frontpage.restore.file'),
    },
  ]),

  /** A file is held in memory meanwhile, so a guild restores one at a time, and the process a few. */
  async run(interaction, needs) {
    requireAdministrator(interaction);
    const { guild, guildId } = interaction;
    requireWithinLimit(needs, guildId, guildId, 'restore');
    const outcome = await needs.backup.whileRestoring(guild, (signal) =>
      restoreAttachment(interaction, needs, signal),
    );
    if (outcome.status === 'held') throw new UserError('data.restore.held');
    if (outcome.status === 'done') await recountGuild(needs, guildId);
  },
};

/** A file names channels that a member may not view, and its lines can block and unblock members. */
function requireAdministrator({ memberPermissions }: GuildCommand | GuildComponent): void {
  if (!memberPermissions.has('Administrator')) throw new UserError('data.forbidden');
}

/** What finding the file needs. */
type Found = { client: Client; store: Store; clock: Clock };

async function restoreAttachment(
  interaction: GuildCommand,
  needs: Found & { backup: Backup; stopping: AbortSignal },
  signal: AbortSignal,
): Promise<{ status: 'done' | 'stopped' }> {
  const { guild, locale, user } = interaction;
  const { header, count, lines, left } = await read(interaction, needs);
  await answer(interaction, translate(locale, 'data.restore.begun'));
  const progress = showProgress(interaction);
  const onLine = (done: number) =>
    progress.show(() => ({
      content: translate(locale, 'data.restore.step', { done, lines: count }),
    }));
  try {
    const restored = await needs.backup.put(guild, { header, lines, by: user.id, onLine, signal });
    const done = [translate(locale, 'data.restore.done'), ...fateLines(locale, restored)];
    if (left !== null) {
      done.push(translate(locale, 'data.restore.left', { why: faultText(locale, left) }));
    }
    await progress.end({ content: done.join('\n') });
    return { status: 'done' };
  } catch (error) {
    // Or the message would show the last step for ever.
    await progress.end({ content: translate(locale, 'data.restore.stopped') });
    if (!needs.stopping.aborted) throw error;
    return { status: 'stopped' };
  }
}

/** The guild's part of the file. Refuses a file without a whole one, and one that does not belong here. */
async function read({ guildId, locale, options }: GuildCommand, { client, store, clock }: Found) {
  const ranked = await readRebuildState(store, guildId);
  // A rebuild has to finish first: its data is newer than any file's.
  if (!ranked.complete) throw new UserError('data.restore.rebuilding');
  const bytes = bytesOf(await readAttachment(client, options.getAttachment('file', true)));
  const part = await findPart(bytes, guildId);
  if (part.header === null) {
    const { fault } = part;
    const isElsewhere = fault === 'other-guild';
    throw refused(
      isElsewhere ? translate(locale, 'data.mismatch.guild') : faultText(locale, fault),
    );
  }
  const here = { application: store.applicationId, now: clock.now() };
  const mismatch = mismatchOf(part.header, here);
  if (mismatch !== null) throw refused(translate(locale, `data.mismatch.${mismatch}`));
  return part;
}

function refused(why: string): UserError {
  return new UserError('data.refused', { why });
}

import { createHash } from 'node:crypto';
import { ApplicationCommandOptionType, AttachmentBuilder } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../../src/discord/interactions/answer.ts';
import { demandWithinLimit } from '../../src/discord/access/member-limits.ts';
import { fileOf, readAttachment } from '../../src/discord/requests/attachment.ts';
import type { RecountParts } from '../../src/recount/recount-parts.ts';
import type { App } from '../../src/app.ts';
import type { GuildCommand, GuildComponent } from '../../src/discord/commands/command.ts';
import {
  bytesOf,
  fateLines,
  faultText,
  linesOfGuild,
  mismatchOf,
  mismatchText,
  restoreFile,
  type RestoreParts,
  UNPACKED_AT_MOST,
} from '../../src/admin/guild-file.ts';
import type { RestoreOffer } from '../../src/admin/restore-offers.ts';
import { button, row } from '../../src/discord/interactions/components.ts';
import { showProgress } from '../../src/discord/interactions/progress-message.ts';
import { timestamp } from '../../src/text/mentions.ts';
import { UserError } from '../../src/discord/user-error.ts';
import { localized, subcommand } from '../../src/discord/commands/localized.ts';
import { recountGuild } from '../../src/recount/guild.ts';
import type { Line } from '../../src/records/guild-file/format.ts';
import { exportGuild } from '../../src/records/guild-file/export.ts';
import {
  BrokenGuildFile,
  checkGuildFiles,
  type CheckedGuildFile,
} from '../../src/records/guild-file/read.ts';
import { readRebuildStates } from '../../src/records/history/rebuilds.ts';
import { translate } from '../../src/text/catalogue.ts';
import type { Section } from './section.ts';

const zArgs = z.tuple([z.enum(['go', 'leave']), z.uuid()]);

export const exportSection: Section = {
  open: exportFile,
};

export const restoreSection: Section = {
  option: subcommand('command.frontpage.restore', [
    {
      type: ApplicationCommandOptionType.Attachment,
      required: true,
      ...localized('command.frontpage.restore.file'),
    },
  ]),
  run: previewRestore,

  async component(interaction, args, app) {
    demandAdministrator(interaction);
    const parsed = zArgs.safeParse(args);
    const offer = parsed.success ? app.restoreOffers.find(parsed.data[1]) : undefined;
    if (!parsed.success || offer?.guild !== interaction.guildId) throw new UserError('stale');
    const [what, token] = parsed.data;
    if (what === 'go') return restore(interaction, app, { ...offer, token });
    app.restoreOffers.remove(token);
    const content = translate(interaction.locale, 'data.restore.left');
    await updateMessage(interaction, { content, components: [] });
  },
};

/** A file names channels that a member may not view, and its lines can block and unblock members. */
function demandAdministrator({ memberPermissions }: GuildCommand | GuildComponent): void {
  if (!memberPermissions.has('Administrator')) throw new UserError('data.forbidden');
}

async function exportFile(
  interaction: GuildComponent,
  app: Pick<App, 'ranking' | 'store' | 'clock' | 'memberLimits'>,
): Promise<void> {
  demandAdministrator(interaction);
  const { guildId, locale, attachmentSizeLimit, user } = interaction;
  demandWithinLimit(app, guildId, user.id, 'export');
  const now = app.clock.now();
  const file = await fileOf(exportGuild(app, guildId, now), attachmentSizeLimit);
  if (file === null) throw new UserError('data.export.big', { guild: guildId });
  const day = new Date(now).toISOString().slice(0, 10);
  const name = `frontpage-${guildId}-${day}.ndjson${file.isPacked ? '.gz' : ''}`;
  await answer(interaction, {
    content: translate(locale, 'data.exported'),
    files: [new AttachmentBuilder(file.data, { name })],
  });
}

async function previewRestore(
  interaction: GuildCommand,
  app: RestoreParts & Pick<App, 'client' | 'restoreOffers' | 'memberLimits'>,
): Promise<void> {
  demandAdministrator(interaction);
  const { guild, guildId, locale } = interaction;
  const { url, size } = interaction.options.getAttachment('file', true);
  demandWithinLimit(app, guildId, guildId, 'restore');
  const found = await app.restoreOffers.alone(guildId, async () => {
    const { header, lines: given, sha256 } = await read(interaction, app, { url, size });
    const outcome = await restoreFile(app, guild, {
      header,
      lines: given(),
      write: false,
      by: interaction.user.id,
    });
    if (outcome.status === 'held') throw new UserError('data.restore.held');
    const lines = fateLines(locale, outcome.restored);
    const when = timestamp(Date.parse(header.madeAt), 'f');
    const token = app.restoreOffers.add({ guild: guildId, url, size, sha256 });
    return {
      content: [
        translate(locale, 'data.restore.found', { when }),
        ...lines,
        translate(locale, 'data.restore.ask'),
      ].join('\n'),
      components: [
        row(
          button(`frontpage|restore|go|${token}`, translate(locale, 'data.button.go'), 'danger'),
          button(`frontpage|restore|leave|${token}`, translate(locale, 'data.button.leave')),
        ),
      ],
    };
  });
  await answer(interaction, found);
}

async function restore(
  interaction: GuildComponent,
  app: RecountParts & Pick<App, 'restoreOffers' | 'refusals'>,
  wanted: RestoreOffer & { token: string },
): Promise<void> {
  const { guild, guildId, locale } = interaction;
  await app.restoreOffers.alone(guildId, async () => {
    // Delete it only now: a member who has to wait for another file presses the same button again.
    if (!app.restoreOffers.remove(wanted.token)) throw new UserError('stale');
    await updateMessage(interaction, {
      content: translate(locale, 'data.restore.begun'),
      components: [],
    });
    const progress = showProgress(interaction);
    const only = (content: string) => progress.end({ content, components: [] });
    try {
      const { header, lines: given, sha256 } = await read(interaction, app, wanted);
      if (sha256 !== wanted.sha256) throw new UserError('data.file.gone');
      const outcome = await restoreFile(app, guild, {
        header,
        lines: given(),
        write: true,
        by: interaction.user.id,
        onLine: (done) =>
          progress.show(() => ({
            content: translate(locale, 'data.restore.step', { done, lines: header.lines }),
          })),
      });
      if (outcome.status === 'held') throw new UserError('data.restore.held');
      const lines = fateLines(locale, outcome.restored);
      await only([translate(locale, 'data.restore.done'), ...lines].join('\n'));
    } catch (error) {
      // Or the message would show the last step for ever.
      await only(translate(locale, 'data.restore.stopped'));
      if (!app.stopping.aborted) throw error;
      return;
    }
  });
  if (app.stopping.aborted) return;
  await recountGuild(app, guildId);
}

/** The guild's lines. Refuses a broken file and one that does not belong here. */
async function read(
  { guildId, locale }: GuildCommand | GuildComponent,
  app: Pick<App, 'client' | 'store' | 'clock'>,
  attachment: { url: string; size: number },
): Promise<{ header: CheckedGuildFile; lines: () => AsyncIterable<Line>; sha256: string }> {
  const { client, store, clock } = app;
  const [ranked] = await readRebuildStates(store, [guildId]);
  // A rebuild has to finish first: its data is newer than any file's.
  if (!ranked?.complete) throw new UserError('data.restore.rebuilding');
  const data = await readAttachment(client, attachment);
  const bytes = bytesOf(data);
  try {
    const files = await checkGuildFiles(bytes, { atMostBytes: UNPACKED_AT_MOST });
    const header = files.find(({ guild }) => guild === guildId);
    const here = { application: store.applicationId, now: clock.now() };
    const mismatch = header ? mismatchOf(header, here) : 'guild';
    if (!header || mismatch !== null) {
      throw new UserError('data.refused', { why: mismatchText(locale, mismatch ?? 'guild') });
    }
    const sha256 = createHash('sha256').update(data).digest('hex');
    return { header, lines: () => linesOfGuild(bytes, guildId), sha256 };
  } catch (error) {
    if (!(error instanceof BrokenGuildFile)) throw error;
    throw new UserError('data.refused', { why: faultText(locale, error.fault) });
  }
}

import type { NonThreadGuildBasedChannel } from 'discord.js';
import { z } from 'zod';
import {
  answer,
  type Shown,
  showProgress,
  updateMessage,
} from '../../discord/interactions/answer.ts';
import { button, row } from '../../discord/interactions/components.ts';
import type { GuildCommand, GuildComponent } from '../../discord/commands/command.ts';
import { isGroup, type GuildRules } from '../../community/guild-rules.ts';
import { dayOption, groupOption, parseArgs } from '../../discord/commands/checked-options.ts';
import { requirePermissions } from '../../discord/access/permissions.ts';
import { withLease } from '../../redis/lease.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import { channelOption, subcommand, textOption } from '../../discord/commands/localized.ts';
import { beginImport, endImport, type ImportState, readImport } from './stored-imports.ts';
import { zSnowflake } from '../../runtime/snowflake.ts';
import { readRebuildState } from '../rebuild/stored-rebuilds.ts';
import { translate } from '../../text/catalogue.ts';
import { endText, progressText, runImport } from './import.ts';
import type { Store } from '../../redis/store.ts';
import type { HistoryNeeds } from '../needs.ts';

export const importData = subcommand('command.frontpage.import', [
  { ...channelOption('command.frontpage.import.channel'), required: true },
  textOption('command.frontpage.import.after', { max_length: 20 }),
  textOption('command.frontpage.import.before', { max_length: 20 }),
]);

const zSeconds = z.coerce.number().pipe(z.int().min(0).max(1e10));
/** `go`: the channel, and from and until when. */
const zArgs = z.union([
  z.tuple([z.literal('go'), zSnowflake, zSeconds, zSeconds]),
  z.tuple([z.enum(['leave', 'cancel'])]),
]);

/** `/frontpage import`: shows the running import, or how the last one ended and asks whether to begin one. */
export async function importHistory(interaction: GuildCommand, app: HistoryNeeds): Promise<void> {
  const { locale, guildId } = interaction;
  const group = groupOption(interaction, 'channel');
  if (!group) throw new UserError('channel.unknown');
  const now = app.clock.now();
  const fromMs = dayOption(interaction, 'after', now) ?? 0;
  const untilMs = Math.min(dayOption(interaction, 'before', now) ?? now, now);
  if (fromMs >= untilMs) throw new UserError('import.days');
  await requireImport(interaction, app, group);
  const state = await readImport(app.store, guildId);
  if (state?.phase === 'running') return answer(interaction, runningShown(locale, state));
  const [from, until] = [fromMs, untilMs].map((ms) => Math.floor(ms / 1000));
  const go = ['frontpage', 'import', 'go', group.id, from, until].join('|');
  const buttons = row(
    button(go, translate(locale, 'import.button.go'), 'main'),
    button('frontpage|import|leave', translate(locale, 'import.button.leave')),
  );
  const question = translate(locale, 'import.ask', { channel: `<#${group.id}>` });
  // An answer can be edited for 15 minutes only, so many an import ends unseen.
  const content = state === null ? question : `${endText(locale, state)}\n\n${question}`;
  await answer(interaction, { content, components: [buttons] });
}

/** Handles a button of an import, for members who may manage the server. */
export async function importPressed(
  interaction: GuildComponent,
  args: string[],
  app: HistoryNeeds,
): Promise<void> {
  const [what, ...plan] = parseArgs(zArgs, args);
  const { guildId, locale } = interaction;
  if (plan.length === 3) return go(interaction, app, plan);
  let content = translate(locale, 'import.left');
  if (what === 'cancel') {
    const { status } = await endImport(app.store, guildId, 'cancelled');
    const state = await readImport(app.store, guildId);
    if (status === 'over' || state === null) throw new UserError('stale');
    content = endText(locale, state);
  }
  await updateMessage(interaction, { content, components: [] });
}

/** Refuses before anything is read; the refusal says what to do. */
async function requireImport(
  { member, guildId }: GuildCommand | GuildComponent,
  app: { store: Store; messageContent: boolean; rules: GuildRules },
  group: NonThreadGuildBasedChannel,
): Promise<void> {
  if (!app.messageContent) throw new UserError('import.intent');
  requirePermissions(group, ['ViewChannel', 'ReadMessageHistory'], member);
  requirePermissions(group, ['ViewChannel', 'ReadMessageHistory', 'SendMessages', 'EmbedLinks']);
  const { settings } = await app.rules.read(guildId);
  if (!isGroup(settings, group.id)) {
    throw new UserError('channel.no-group', { channel: `<#${group.id}>` });
  }
  const ranked = await readRebuildState(app.store, guildId);
  if (!ranked.complete) throw new UserError('import.rebuilding');
}

async function go(
  interaction: GuildComponent,
  app: HistoryNeeds,
  [id, from, until]: [string, number, number],
): Promise<void> {
  const { guild, guildId, locale } = interaction;
  const channel = guild.channels.cache.get(id);
  const group = channel ? groupOf(channel) : null;
  if (!group) throw new UserError('channel.unknown');
  // Permissions and settings may have changed since the question.
  await requireImport(interaction, app, group);
  const plan = { channel: id, fromMs: from * 1000, untilMs: until * 1000 };
  // Under the lease, or the plan of another admin who presses at the same moment is lost.
  const begun = await withLease(app, { guild: guildId, work: 'import' }, async () => {
    const before = await readImport(app.store, guildId);
    return before?.phase === 'running' ? null : beginImport(app.store, guildId, plan);
  });
  if (begun === null || 'status' in begun) throw new UserError('import.held');
  await updateMessage(interaction, runningShown(locale, begun));
  const progress = showProgress(interaction);
  const end = (content: string) => progress.end({ content, components: [] });
  const onStep = (state: ImportState) => progress.show(() => runningShown(locale, state));
  try {
    const outcome = await runImport(app, guild, onStep);
    if (outcome.status === 'ended') await end(endText(locale, outcome.state));
    else if (outcome.status === 'held') await end(translate(locale, 'import.goes-on'));
    else await end(translate(locale, 'import.waits', { channel: `<#${id}>` }));
  } catch (error) {
    // The next process that looks continues the import.
    await end(translate(locale, 'import.goes-on'));
    if (!app.stopping.aborted) throw error;
  }
}

function runningShown(locale: string | null, state: ImportState): Shown {
  const cancel = button('frontpage|import|cancel', translate(locale, 'import.button.cancel'));
  return { content: progressText(locale, state), components: [row(cancel)] };
}

import type { NonThreadGuildBasedChannel } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../../discord/interactions/answer.ts';
import type { App } from '../../app.ts';
import type { GuildCommand, GuildComponent } from '../../discord/commands/command.ts';
import { isGroup } from '../../eligibility/guild-rules.ts';
import { dayOption, groupOption, parseArgs } from '../../discord/commands/checked-options.ts';
import { MINUTE_MS } from '../../clock.ts';
import type { LogChannelParts } from '../../discord/requests/log-channel.ts';
import { requirePermissions, requireMemberPermissions } from '../../discord/access/permissions.ts';
import { showProgress } from '../../discord/interactions/progress-message.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import { channelOption, subcommand, textOption } from '../../discord/commands/localized.ts';
import {
  endImport,
  importsUnderWay,
  type ImportState,
  noCounts,
  type Plan,
  readImport,
} from '../../records/history/imports.ts';
import { zSnowflake } from '../../ranking/snowflake.ts';
import { readRebuildStates } from '../../records/history/rebuilds.ts';
import { translate } from '../../text/catalogue.ts';
import type { RecountParts } from '../recount-parts.ts';
import { lookAtHistory, runImport } from './import.ts';
import { endShown, foundShown, lookingShown, lookShown, runningShown } from './progress-text.ts';

export const importData = subcommand('command.frontpage.import', [
  { ...channelOption('command.frontpage.import.channel'), required: true },
  textOption('command.frontpage.import.after', { max_length: 20 }),
  textOption('command.frontpage.import.before', { max_length: 20 }),
]);

/** The arguments of the buttons: see `progress-text.ts`. */
const zSeconds = z.coerce.number().pipe(z.int().min(0).max(1e10));
const zArgs = z.union([
  z.tuple([z.literal('go'), zSnowflake, zSeconds, zSeconds, zSeconds]),
  z.tuple([z.enum(['leave', 'cancel'])]),
]);

/** An answer can be edited for 15 minutes. */
const LOOK_MS = 13 * MINUTE_MS;

type Asked = GuildCommand | GuildComponent;

/** What an import needs, and what writes to the log channel. */
type ImportParts = RecountParts & LogChannelParts & Pick<App, 'messageContent'>;

/** `/frontpage import`: shows the running import, or does the dry run of a new one. */
export async function importHistory(interaction: GuildCommand, app: ImportParts): Promise<void> {
  const { locale, guildId } = interaction;
  const group = groupOption(interaction, 'channel');
  if (!group) throw new UserError('channel.unknown');
  const now = app.clock.now();
  const fromMs = dayOption(interaction, 'after', now) ?? 0;
  const untilMs = Math.min(dayOption(interaction, 'before', now) ?? now, now);
  if (fromMs >= untilMs) throw new UserError('import.days');
  await demandImport(interaction, app, group);
  const state = await readImport(app.store, guildId);
  if (state?.phase === 'running') return answer(interaction, runningShown(locale, state));
  await answer(interaction, lookingShown(locale, group.id));
  await look(interaction, app, group, { channel: group.id, fromMs, untilMs, messages: 0 });
}

/** Handles a button of an import, for members who may manage the server. */
export async function importPressed(
  interaction: GuildComponent,
  args: string[],
  app: ImportParts,
): Promise<void> {
  const [what, ...plan] = parseArgs(zArgs, args);
  const { guildId, locale } = interaction;
  if (what === 'cancel') {
    const { status } = await endImport(app.store, guildId, 'cancelled');
    const state = await readImport(app.store, guildId);
    if (status === 'over' || state === null) throw new UserError('stale');
    return updateMessage(interaction, endShown(locale, state));
  }
  app.recountState.looks.get(guildId)?.abort();
  if (plan.length === 4) return go(interaction, app, plan);
  const content = translate(locale, 'import.left');
  await updateMessage(interaction, { content, components: [] });
}

/** Refuses before anything is read; the refusal says what to do. */
async function demandImport(
  { member, guildId }: Asked,
  app: Pick<App, 'store' | 'messageContent' | 'rules'>,
  group: NonThreadGuildBasedChannel,
): Promise<void> {
  if (!app.messageContent) throw new UserError('import.intent');
  requireMemberPermissions(member, group, ['ViewChannel', 'ReadMessageHistory']);
  requirePermissions(group, ['ViewChannel', 'ReadMessageHistory', 'SendMessages', 'EmbedLinks']);
  const { settings } = await app.rules.read(guildId);
  if (!isGroup(settings, group.id)) {
    throw new UserError('channel.no-group', { channel: `<#${group.id}>` });
  }
  const [ranked] = await readRebuildStates(app.store, [guildId]);
  if (!ranked?.complete) throw new UserError('import.rebuilding');
}

/** The dry run, unless another one or the import itself ends it. */
async function look(
  interaction: GuildCommand,
  app: RecountParts,
  group: NonThreadGuildBasedChannel,
  plan: Plan,
): Promise<void> {
  const { guild, guildId, locale } = interaction;
  const { looks } = app.recountState;
  looks.get(guildId)?.abort();
  const ended = new AbortController();
  looks.set(guildId, ended);
  const late = AbortSignal.timeout(LOOK_MS);
  const signal = AbortSignal.any([app.stopping, ended.signal, late]);
  const progress = showProgress(interaction);
  const only = (content: string) => progress.end({ content, components: [] });
  const counts = noCounts();
  try {
    const wanted = { group, plan, counts, signal };
    const looked = await lookAtHistory(app, guild, wanted, (upToMs) => {
      if (!ended.signal.aborted) progress.show(() => lookShown(locale, plan, counts, upToMs));
    });
    if (looked) await progress.end(foundShown(locale, plan, { ...looked, isPart: false }));
    else await only(translate(locale, 'import.hidden', { channel: `<#${group.id}>` }));
  } catch (error) {
    if (!signal.aborted) throw error;
    if (app.stopping.aborted) await only(translate(locale, 'import.look.stopped'));
    else if (!ended.signal.aborted) {
      await progress.end(foundShown(locale, plan, { counts, unread: [], isPart: true }));
    }
  } finally {
    if (looks.get(guildId) === ended) looks.delete(guildId);
  }
}

async function go(
  interaction: GuildComponent,
  app: ImportParts,
  [id, from, until, messages]: [string, number, number, number],
): Promise<void> {
  const { guild, guildId, locale } = interaction;
  const channel = guild.channels.cache.get(id);
  const group = channel ? groupOf(channel) : null;
  if (!group) throw new UserError('channel.unknown');
  // Permissions and settings may have changed since the dry run.
  await demandImport(interaction, app, group);
  if ((await importsUnderWay(app.store, [guildId])).length > 0) throw new UserError('import.held');
  const plan = { channel: id, fromMs: from * 1000, untilMs: until * 1000, messages };
  await updateMessage(interaction, runningShown(locale, { plan, counts: noCounts() }));
  const progress = showProgress(interaction);
  const only = (key: 'import.goes-on' | 'import.held') =>
    progress.end({ content: translate(locale, key), components: [] });
  const onStep = (state: ImportState) => progress.show(() => runningShown(locale, state));
  try {
    const outcome = await runImport(app, guild, onStep, plan);
    if (outcome.status === 'ended') {
      await progress.end(endShown(locale, outcome.state));
    } else if (outcome.status === 'unreadable') {
      await progress.end({ content: translate(locale, 'import.waits', { channel: `<#${id}>` }) });
    } else {
      const isUnderWay = (await importsUnderWay(app.store, [guildId])).length > 0;
      await only(isUnderWay ? 'import.goes-on' : 'import.held');
    }
  } catch (error) {
    // The next process that looks continues the import.
    await only('import.goes-on');
    if (!app.stopping.aborted) throw error;
  }
}

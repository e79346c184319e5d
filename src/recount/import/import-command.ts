import type { NonThreadGuildBasedChannel } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../../discord/interactions/answer.ts';
import type { App } from '../../app.ts';
import type { GuildCommand, GuildComponent } from '../../discord/commands/command.ts';
import { isGroup } from '../../eligibility/guild-rules.ts';
import { dayOption, groupOption } from '../../discord/commands/checked-options.ts';
import { DAY_MS } from '../../clock.ts';
import type { LogChannelParts } from '../../discord/requests/log-channel.ts';
import { requirePermissions, requireMemberPermissions } from '../../discord/access/permissions.ts';
import { showProgress } from '../../discord/interactions/progress-message.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import { channelOption, subcommand, textOption } from '../../discord/commands/localized.ts';
import {
  type ImportState,
  moveImport,
  type Plan,
  readImport,
} from '../../records/history/imports.ts';
import { readRebuildStates } from '../../records/history/rebuilds.ts';
import { translate } from '../../text/catalogue.ts';
import type { RecountParts } from '../recount-parts.ts';
import { type ImportOutcome, lookAtHistory, runImport } from './import.ts';
import {
  endShown,
  foundShown,
  IMPORT_BUTTONS,
  lookingShown,
  lookShown,
  runningShown,
} from './progress-text.ts';

export const importData = subcommand('command.frontpage.import', [
  { ...channelOption('command.frontpage.import.channel'), required: true },
  textOption('command.frontpage.import.after', { max_length: 20 }),
  textOption('command.frontpage.import.before', { max_length: 20 }),
]);

const zArgs = z.tuple([z.enum(IMPORT_BUTTONS), z.uuid()]);

/** The result of a dry run is offered for a day; then it is out of date. */
const OFFERED_MS = DAY_MS;

type Asked = GuildCommand | GuildComponent;

/** What an import needs, and what writes to the log channel. */
type ImportParts = RecountParts & LogChannelParts & Pick<App, 'messageContent'>;

/** `/frontpage import`: shows the running import, or does the dry run of a new one. */
export async function importHistory(interaction: GuildCommand, app: ImportParts): Promise<void> {
  const { locale, guildId, user } = interaction;
  const group = groupOption(interaction, 'channel');
  if (!group) throw new UserError('channel.unknown');
  const now = app.clock.now();
  const fromMs = dayOption(interaction, 'after', now) ?? 0;
  const untilMs = Math.min(dayOption(interaction, 'before', now) ?? now, now);
  if (fromMs >= untilMs) throw new UserError('import.days');
  await demandImport(interaction, app, group);
  const state = await readImport(app.store, guildId);
  if (state?.phase === 'running') return answer(interaction, runningShown(locale, state));
  const plan = { channel: group.id, by: user.id, fromMs, untilMs };
  // A finished dry run may have taken longer than its answer could be edited, so show its result.
  if (state?.phase === 'looked' && now - state.atMs < OFFERED_MS && isSame(state.plan, plan)) {
    return answer(interaction, foundShown(locale, state, state.atMs));
  }
  await answer(interaction, lookingShown(locale, group.id));
  await look(interaction, app, group, plan);
}

/** Relative dates such as "3 days ago" resolve to a later time on each call. */
function isSame(one: Plan, other: Plan): boolean {
  return (
    one.channel === other.channel &&
    Math.abs(one.fromMs - other.fromMs) < OFFERED_MS &&
    Math.abs(one.untilMs - other.untilMs) < OFFERED_MS
  );
}

/** Handles a button of an import, for members who may manage the server. */
export async function importPressed(
  interaction: GuildComponent,
  args: string[],
  app: ImportParts,
): Promise<void> {
  const parsed = zArgs.safeParse(args);
  const state = await readImport(app.store, interaction.guildId);
  if (!parsed.success || state?.run !== parsed.data[1]) throw new UserError('stale');
  switch (parsed.data[0]) {
    case 'go':
      return go(interaction, app, state);
    case 'again':
      return lookAgain(interaction, app, state);
    case 'leave':
      return end(interaction, app, state, 'looked');
    case 'cancel':
      return end(interaction, app, state, state.phase === 'looking' ? 'looking' : 'running');
  }
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

async function look(
  interaction: Asked,
  app: RecountParts,
  group: NonThreadGuildBasedChannel,
  plan: Plan,
): Promise<void> {
  const { guild, locale } = interaction;
  const progress = showProgress(interaction);
  const only = (content: string) => progress.end({ content, components: [] });
  let outcome: ImportOutcome;
  try {
    outcome = await lookAtHistory(app, guild, group, plan, (state, upToMs) =>
      progress.show(() => lookShown(locale, state, upToMs)),
    );
  } catch (error) {
    if (!app.stopping.aborted) throw error;
    await only(translate(locale, 'import.look.stopped'));
    return;
  }
  if (outcome.status === 'ended' && outcome.state.phase === 'looked') {
    await progress.end(foundShown(locale, outcome.state));
  } else if (outcome.status === 'unreadable') {
    await only(translate(locale, 'import.hidden', { channel: `<#${group.id}>` }));
  } else await only(translate(locale, outcome.status === 'held' ? 'import.held' : 'import.left'));
}

async function lookAgain(
  interaction: GuildComponent,
  app: ImportParts,
  state: ImportState,
): Promise<void> {
  const group = await groupAgain(interaction, app, state);
  await updateMessage(interaction, {
    ...lookingShown(interaction.locale, group.id),
    components: [],
  });
  await look(interaction, app, group, { ...state.plan, by: interaction.user.id });
}

/** Checks the channel again, because permissions and settings may have changed since the dry run. */
async function groupAgain(
  interaction: GuildComponent,
  app: Pick<App, 'store' | 'messageContent' | 'rules'>,
  { plan }: ImportState,
): Promise<NonThreadGuildBasedChannel> {
  const channel = interaction.guild.channels.cache.get(plan.channel);
  const group = channel ? groupOf(channel) : null;
  if (!group) throw new UserError('channel.unknown');
  await demandImport(interaction, app, group);
  return group;
}

async function go(
  interaction: GuildComponent,
  app: ImportParts,
  state: ImportState,
): Promise<void> {
  const { guild, guildId, locale } = interaction;
  await groupAgain(interaction, app, state);
  const looked: ImportState = { ...state, phase: 'looked' };
  const { status } = await moveImport(app.store, guildId, looked, 'running', app.clock.now());
  if (status === 'stale') throw new UserError('stale');
  const begun = await readImport(app.store, guildId);
  await updateMessage(interaction, runningShown(locale, begun ?? state));
  const progress = showProgress(interaction);
  const goesOn = { content: translate(locale, 'import.goes-on'), components: [] };
  try {
    const outcome = await runImport(app, guild, (now) =>
      progress.show(() => runningShown(locale, now)),
    );
    if (outcome.status === 'ended') {
      await progress.end(endShown(locale, outcome.state));
    } else if (outcome.status === 'unreadable') {
      const channel = `<#${state.plan.channel}>`;
      await progress.end({ content: translate(locale, 'import.waits', { channel }) });
    } else await progress.end(goesOn);
  } catch (error) {
    // The next process that looks continues the import.
    await progress.end(goesOn);
    if (!app.stopping.aborted) throw error;
  }
}

/** Ends a dry run or an import. The process that runs it notices at its next page. */
async function end(
  interaction: GuildComponent,
  app: Pick<App, 'store' | 'clock'>,
  before: ImportState,
  phase: 'looking' | 'looked' | 'running',
): Promise<void> {
  const { guildId, locale } = interaction;
  const to = phase === 'running' ? 'cancelled' : 'left';
  const from = { ...before, phase };
  const { status } = await moveImport(app.store, guildId, from, to, app.clock.now());
  if (status === 'stale') throw new UserError('stale');
  const state = await readImport(app.store, guildId);
  const shown =
    to === 'left' || !state
      ? { content: translate(locale, 'import.left'), components: [] }
      : endShown(locale, state);
  await updateMessage(interaction, shown);
}

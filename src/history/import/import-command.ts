import {
  ComponentType,
  type Guild,
  type GuildMember,
  type NonThreadGuildBasedChannel,
} from 'discord.js';
import { z } from 'zod';
import { besideTitle, linkedTitle, maskedAddress } from '../../articles/linked-title.ts';
import { type GuildRules, isGroup } from '../../community/guild-rules.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  type Permission,
  requirePermissions,
} from '../../discord/access/permissions.ts';
import { groupName, isListed } from '../../discord/access/visibility.ts';
import { dayOption, groupOption } from '../../discord/commands/checked-options.ts';
import type { GuildCommand, GuildComponent } from '../../discord/commands/command.ts';
import { channelOption, subcommand, textOption } from '../../discord/commands/localized.ts';
import {
  answer,
  type Shown,
  showProgress,
  updateMessage,
} from '../../discord/interactions/answer.ts';
import { button, row } from '../../discord/interactions/components.ts';
import { limits } from '../../discord/limits.ts';
import { UserError } from '../../discord/user-error.ts';
import { type Clock, DAY_MS } from '../../runtime/clock.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { shortened } from '../../text/clean.ts';
import { dateFormat, netVotesText } from '../../text/facts.ts';
import { messageLink } from '../../text/mentions.ts';
import type { Change, Imports, LinkCounts, Preview } from './import-needs.ts';
import { uncountedLines } from './link-count-texts.ts';
import { liveliestFirst, readableGroups } from './link-counts.ts';
import { CHANNELS_AT_MOST, type ImportState, isOver, type Plan } from './stored-imports.ts';

/** What the screens of an import need. */
interface ImportScreenNeeds {
  /** Previews, begins, pauses and undoes imports. */
  imports: Imports;
  /** Discord's time. */
  clock: Clock;
  /** Each guild's settings, among them which channels are groups. */
  rules: GuildRules;
  /** Whether the host has switched on the Message Content intent. */
  messageContent: boolean;
}

export const importData = subcommand('command.frontpage.import', [
  channelOption('command.frontpage.import.channel'),
  textOption('command.frontpage.import.after', { max_length: 20 }),
  textOption('command.frontpage.import.before', { max_length: 20 }),
]);

/** In the select: all channels that everyone may view, instead of single ones. */
const PUBLIC = 'public';
const SPANS = ['month', 'year', 'all'] as const;
/** A named span, or from and until when in seconds. */
const zSpan = z.union([
  z.enum(SPANS),
  z
    .string()
    .regex(/^\d{1,10}-\d{1,10}$/)
    .transform((text) => {
      const [from = 0, until = 0] = text.split('-').map(Number);
      return { from, until };
    }),
]);
type Span = z.output<typeof zSpan>;

/** What both the bot and whoever begins an import need in a channel. */
const HISTORY: readonly Permission[] = ['ViewChannel', 'ReadMessageHistory'];

type Choice = { channels: readonly string[]; span: Span };

/** `/frontpage import`: the same as the button, with a channel and days chosen already. */
export async function importHistory(
  interaction: GuildCommand,
  needs: ImportScreenNeeds,
): Promise<void> {
  const group = groupOption(interaction, 'channel');
  if (group) await requireReadable(interaction, needs, group);
  const now = needs.clock.now();
  const fromMs = dayOption(interaction, 'after', now);
  const beforeMs = dayOption(interaction, 'before', now);
  const untilMs = Math.min(beforeMs ?? now, now);
  const isNamed = fromMs !== null || beforeMs !== null;
  if ((fromMs ?? 0) >= untilMs) throw new UserError('import.days');
  const from = Math.floor((fromMs ?? interaction.guild.createdTimestamp) / 1000);
  await open(interaction, needs, {
    ...(group ? { channels: [group.id] } : {}),
    ...(isNamed ? { span: { from, until: Math.floor(untilMs / 1000) } } : {}),
  });
}

async function requireReadable(
  { member, guildId }: GuildCommand,
  needs: ImportScreenNeeds,
  group: NonThreadGuildBasedChannel,
): Promise<void> {
  requirePermissions(group, HISTORY);
  requirePermissions(group, HISTORY, member);
  const { settings } = await needs.rules.read(guildId);
  if (!isGroup(settings, group.id)) {
    throw new UserError('channel.no-group', { channel: `<#${group.id}>` });
  }
}

/** The button of the panel, the set-up and the welcome. */
export async function openImport(
  interaction: GuildComponent,
  needs: ImportScreenNeeds,
): Promise<void> {
  const lost = await needs.imports.lost(interaction.guildId);
  if (lost.length === 0) return open(interaction, needs, {});
  const channels = [...new Set(lost.flatMap((one) => one.channels))];
  const from = Math.floor(Math.min(...lost.map(({ fromMs }) => fromMs)) / 1000);
  const until = Math.ceil(Math.max(...lost.map(({ untilMs }) => untilMs)) / 1000);
  await open(interaction, needs, { channels, span: { from, until } });
}

/** Handles the selects and buttons, for members who may manage the server. */
export async function importPressed(
  interaction: GuildComponent,
  [what = '']: string[],
  needs: ImportScreenNeeds,
): Promise<void> {
  const { guild, guildId, member, locale } = interaction;
  switch (what) {
    case 'start':
      return openImport(interaction, needs);
    case 'leave':
      needs.imports.endPreview(guildId, member.id);
      return updateMessage(interaction, {
        content: translate(locale, 'import.left-alone'),
        components: [],
      });
    case 'channels':
    case 'span':
      return draw(interaction, needs, choiceOf(interaction), 'update');
    case 'begin':
      return begin(interaction, needs);
    case 'pause':
    case 'resume':
    case 'stop':
    case 'undo': {
      const { status } = await needs.imports.change(guild, what);
      if (status === 'stale') throw new UserError(what === 'undo' ? 'import.late' : 'stale');
      return answer(interaction, translate(locale, `import.done.${what satisfies Change}`));
    }
    default:
      throw new UserError('stale');
  }
}

async function open(
  interaction: GuildCommand | GuildComponent,
  needs: ImportScreenNeeds,
  chosen: Partial<Choice>,
): Promise<void> {
  await requireImport(interaction, needs);
  await draw(interaction, needs, { channels: [PUBLIC], span: 'year', ...chosen }, 'answer');
}

/** Refuses before anything is read; the refusal says what to do. */
async function requireImport(
  { guildId, channel, locale }: GuildCommand | GuildComponent,
  needs: ImportScreenNeeds,
): Promise<void> {
  if (!needs.messageContent) throw new UserError('import.intent');
  if (!channel) throw new UserError('channel.unknown');
  // Its progress and its report stand here.
  requirePermissions(channel, [...MESSAGE_PERMISSIONS, 'ReadMessageHistory']);
  if (!(await needs.imports.isComplete(guildId))) throw new UserError('import.rebuilding');
  const state = await needs.imports.read(guildId);
  if (state && !isOver(state.phase)) {
    throw new UserError('import.held', { link: linkTo(guildId, state, locale) });
  }
}

function linkTo(guild: Snowflake, { report }: ImportState, _locale: string): string {
  const { channel, message } = report;
  return message === null ? `<#${channel}>` : messageLink(guild, { channel, id: message });
}

/** What the two selects of the message show. */
function choiceOf(interaction: GuildComponent): Choice {
  const values = interaction.isStringSelectMenu() ? interaction.values : null;
  const valueOf = (what: 'channels' | 'span'): string[] => {
    const id = `frontpage|import|${what}`;
    if (interaction.customId === id && values) return values;
    const shown = zRows.safeParse(interaction.message.components.map((one) => one.toJSON()));
    const selects = (shown.data ?? []).flatMap(({ components }) => components);
    const select = selects.find(({ custom_id }) => custom_id === id);
    return (select?.options ?? []).filter((one) => one.default).map(({ value }) => value);
  };
  const span = zSpan.safeParse(valueOf('span')[0] ?? 'year');
  if (!span.success) throw new UserError('stale');
  return { channels: valueOf('channels'), span: span.data };
}

const zRows = z.array(
  z.object({
    components: z.array(
      z.object({
        custom_id: z.string().optional(),
        options: z
          .array(z.object({ value: z.string(), default: z.boolean().default(false) }))
          .optional(),
      }),
    ),
  }),
);

/** Shows the choice at once, and then what would come by it. */
async function draw(
  interaction: GuildCommand | GuildComponent,
  needs: ImportScreenNeeds,
  choice: Choice,
  how: 'answer' | 'update',
): Promise<void> {
  const { guild, guildId, member, locale } = interaction;
  const groups = await groupsFor(needs, guild, member);
  let counts = needs.imports.counts.known(guildId);
  const show = (preview: Preview | null): Shown => ({
    content: contentOf({
      locale,
      guild: guildId,
      counts,
      preview,
      isCut: wantedGroups(choice, groups, counts).length > CHANNELS_AT_MOST,
    }),
    components: [
      channelsSelect(locale, groups, counts, choice),
      spanSelect(locale, choice.span),
      row(
        button('frontpage|import|begin', translate(locale, 'import.button.begin'), 'main'),
        button('frontpage|import|leave', translate(locale, 'import.button.leave')),
      ),
    ],
  });
  const progress = showProgress(interaction);
  let isOfNone = false;
  const makePlan = async (): Promise<Plan> => {
    if (how === 'answer') await answer(interaction, show(null));
    else await updateMessage(interaction as GuildComponent, show(null));
    counts ??= await needs.imports.counts.read(guild);
    const plan = planOf(choice, groups, counts, { guild, now: needs.clock.now() });
    isOfNone = plan.channels.length === 0;
    return plan;
  };
  const onStep = (preview: Preview) => progress.show(() => show(preview));
  const preview = await needs.imports.preview(guild, { makePlan, member: member.id, onStep });
  // Null: another choice was made since the first showing, or the bot is stopping.
  if (preview !== null) await progress.end(show(isOfNone ? null : preview));
}

/** Discord limits searches: to count hundreds of channels takes minutes, and nobody waits for that. */
const COUNTED_WITHIN_MS = 1500;

async function begin(interaction: GuildComponent, needs: ImportScreenNeeds): Promise<void> {
  const { guild, guildId, member, locale, channelId } = interaction;
  // Permissions and settings may have changed since the question.
  await requireImport(interaction, needs);
  needs.imports.endPreview(guildId, member.id);
  const groups = await groupsFor(needs, guild, member);
  const choice = choiceOf(interaction);
  // Only where some channels are left out it matters which ones have most links.
  const isCut = wantedGroups(choice, groups, null).length > CHANNELS_AT_MOST;
  const counts =
    needs.imports.counts.known(guildId) ??
    (isCut ? await needs.imports.counts.soon(guild, COUNTED_WITHIN_MS) : null);
  const plan = planOf(choice, groups, counts, { guild, now: needs.clock.now() });
  if (plan.channels.length === 0) throw new UserError('import.none');
  const { status } = await needs.imports.begin(guild, { plan, by: member.id, channel: channelId });
  if (status === 'held') {
    const state = await needs.imports.read(guildId);
    throw new UserError('import.held', { link: state ? linkTo(guildId, state, locale) : '' });
  }
  const content = translate(locale, 'import.begun', { channel: `<#${channelId}>` });
  await updateMessage(interaction, { content, components: [] });
}

/** The groups that both the bot and the member may read. */
async function groupsFor(
  needs: ImportScreenNeeds,
  guild: Guild,
  member: GuildMember,
): Promise<NonThreadGuildBasedChannel[]> {
  const readable = await readableGroups(needs, guild);
  return readable.filter((group) => missingPermissions(group, HISTORY, member).length === 0);
}

/**
 * Those with most links first; then those that are not counted yet, the liveliest first. Without any count, as
 * they stand in Discord.
 */
function byLinks(
  groups: readonly NonThreadGuildBasedChannel[],
  counts: LinkCounts | null,
): NonThreadGuildBasedChannel[] {
  if (counts === null) return [...groups];
  const links = new Map(counts.channels.map((one) => [one.id, one.links]));
  const uncounted = new Set(counts.uncounted);
  const worth = ({ id }: NonThreadGuildBasedChannel) =>
    links.get(id) ?? (uncounted.has(id) ? 0.5 : 0);
  return groups.toSorted(
    (a, b) => worth(b) - worth(a) || (uncounted.has(a.id) ? liveliestFirst(a, b) : 0),
  );
}

/** The chosen channels, those with most links first. */
function wantedGroups(
  { channels }: Choice,
  groups: readonly NonThreadGuildBasedChannel[],
  counts: LinkCounts | null,
): NonThreadGuildBasedChannel[] {
  return byLinks(groups, counts).filter(
    (group) => channels.includes(group.id) || (channels.includes(PUBLIC) && isListed(group)),
  );
}

function planOf(
  choice: Choice,
  groups: readonly NonThreadGuildBasedChannel[],
  counts: LinkCounts | null,
  { guild, now }: { guild: Guild; now: number },
): Plan {
  const { span } = choice;
  const wanted = wantedGroups(choice, groups, counts);
  const named = {
    month: { fromMs: now - 30 * DAY_MS, untilMs: now },
    year: { fromMs: now - 365 * DAY_MS, untilMs: now },
    all: { fromMs: guild.createdTimestamp, untilMs: now },
  };
  const range =
    typeof span === 'string'
      ? named[span]
      : { fromMs: span.from * 1000, untilMs: Math.min(span.until * 1000, now) };
  const ids = wanted.slice(0, CHANNELS_AT_MOST).map(({ id }) => id);
  return { channels: ids, fromMs: Math.floor(range.fromMs), untilMs: Math.floor(range.untilMs) };
}

function channelsSelect(
  locale: string,
  groups: readonly NonThreadGuildBasedChannel[],
  counts: LinkCounts | null,
  { channels }: Choice,
) {
  const links = new Map(counts?.channels.map((one) => [one.id, one.links]));
  const chosenFirst = byLinks(groups, counts).sort(
    (a, b) => Number(channels.includes(b.id)) - Number(channels.includes(a.id)),
  );
  const single = chosenFirst.slice(0, limits.selectOptions - 1).map((group) => {
    const count = links.get(group.id);
    return {
      label: shortened(`#${groupName(group)}`, limits.selectOptionLength),
      value: group.id,
      ...(count === undefined ? {} : { description: translate(locale, 'import.links', { count }) }),
      default: channels.includes(group.id),
    };
  });
  const all = {
    label: translate(locale, 'import.public', { count: groups.filter(isListed).length }),
    value: PUBLIC,
    default: channels.includes(PUBLIC),
  };
  const options = [all, ...single];
  return row({
    type: ComponentType.StringSelect,
    custom_id: 'frontpage|import|channels',
    placeholder: translate(locale, 'import.pick.channels'),
    min_values: 1,
    max_values: options.length,
    options,
  });
}

function spanSelect(locale: string, span: Span) {
  const days = typeof span === 'string' ? null : span;
  const options = [
    ...SPANS.map((name) => ({
      label: translate(locale, `import.span.${name}`),
      value: name as string,
      default: span === name,
    })),
    ...(days === null
      ? []
      : [
          {
            label: `${dayText(locale, days.from)} – ${dayText(locale, days.until)}`,
            value: `${days.from}-${days.until}`,
            default: true,
          },
        ]),
  ];
  const placeholder = translate(locale, 'import.pick.span');
  return row({
    type: ComponentType.StringSelect,
    custom_id: 'frontpage|import|span',
    placeholder,
    options,
  });
}

function dayText(locale: string, seconds: number): string {
  return dateFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(seconds * 1000);
}

const TITLE_LENGTH = 70;

function contentOf({
  locale,
  guild,
  counts,
  preview,
  isCut,
}: {
  locale: string;
  guild: Snowflake;
  counts: LinkCounts | null;
  preview: Preview | null;
  /** More channels are chosen than an import takes. */
  isCut: boolean;
}): string {
  const lines = [
    translate(locale, 'import.ask'),
    ...uncountedLines(locale, counts),
    ...(isCut ? [translate(locale, 'import.most', { count: CHANNELS_AT_MOST })] : []),
    '',
    ...(preview === null
      ? [translate(locale, 'import.looking')]
      : previewLines(locale, guild, preview)),
  ];
  return lines.join('\n').slice(0, limits.contentLength);
}

function previewLines(locale: string, guild: Snowflake, preview: Preview): string[] {
  const { messages, articles, best, left, isWhole } = preview;
  const key = isWhole ? 'import.preview.whole' : 'import.preview';
  const reasons = (['duplicate', 'known', 'unwanted', 'bot', 'refused'] as const).filter(
    (fate) => left[fate] > 0,
  );
  return [
    translate(locale, key, { messages, articles }),
    ...best.map(({ id, channel, title, link, up, down }) => {
      const word = translate(locale, 'list.open');
      // A long link would leave no room for the others.
      const target = link.length <= TITLE_LENGTH * 2 ? `<${maskedAddress(link)}>` : null;
      const shown = linkedTitle(title, target, { shownIn: 'content', length: TITLE_LENGTH, word });
      const message = `[${word}](<${messageLink(guild, { channel, id })}>)`;
      return `${netVotesText(locale, { up, down })} · ${shown}${besideTitle({ title, link })} · ${message}`;
    }),
    ...(reasons.length > 0 ? [translate(locale, 'import.skipped')] : []),
    ...reasons.map((fate) => {
      const text = fate === 'duplicate' ? 'import.again' : (`import.fate.${fate}` as const);
      return `- ${translate(locale, text, { count: left[fate] })}`;
    }),
    `-# ${translate(locale, 'import.private')}`,
  ];
}

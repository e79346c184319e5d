import type { APIButtonComponentWithCustomId } from 'discord.js';
import { hasChannel } from '../../community/dead-references.ts';
import { scheduleDigest } from '../../digests/command/apply-options.ts';
import { postEditionNow } from '../../digests/command/edition-now.ts';
import { inspectChannel } from '../../digests/command/options.ts';
import { DIGEST_CHANNEL_TYPES } from '../../digests/posting/posting-context.ts';
import { zoneChoices, zoneNamed, zoneText } from '../../digests/schedule/time-zones.ts';
import type { Closed } from '../../discord/access/visibility.ts';
import type { GuildComponent } from '../../discord/commands/command.ts';
import { answer, updateMessage } from '../../discord/interactions/answer.ts';
import {
  type ActionRow,
  button,
  card,
  channelSelect,
  choiceSelect,
  row,
} from '../../discord/interactions/components.ts';
import { UserError } from '../../discord/user-error.ts';
import { pastLines } from '../../history/import/link-count-texts.ts';
import { countListed } from '../../ranking/lists/ranked.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import { cleanLine, shortened } from '../../text/clean.ts';
import { boardLines, putBoard, takeBoardDown } from '../board-section.ts';
import type { Section } from '../section.ts';
import { changeSetting, chosenValue, settingSelect } from '../setting-values.ts';
import { carried, type Chosen, HOURS, hourNamed, type Line, LINES, readChosen } from './chosen.ts';
import { linesOf, lineText, type SetupLine } from './lines.ts';
import { digestOf, type Plan, readPlan } from './plan.ts';
import type { SetupNeeds } from './setup-needs.ts';

const NOTHING: Chosen = { zone: null, time: null, without: [] };

export const setup: Section = {
  async open(interaction, needs) {
    await begin(interaction, needs);
  },

  /** Custom ids are `frontpage|setup|<action>|<what is carried>`, or `…|everybody|<role>|<what is carried>`. */
  async component(interaction, [action = '', ...args], needs) {
    const { guildId, member } = interaction;
    const values = interaction.isAnySelectMenu() ? interaction.values : [];
    const [pick = null] = values;
    const [role] = args;
    const chosen = readChosen(action === 'everybody' ? args.slice(1) : args);
    const line = LINES.find((one) => one === action);
    if (line !== undefined) return showLine(interaction, needs, { line, chosen });
    switch (action) {
      case 'start':
        // The button is in a public message.
        return begin(interaction, needs);
      // What they carry says what is left out.
      case 'lines':
      case 'leave':
      case 'take':
      // The button of an older version.
      case 'done':
        break;
      case 'all':
        await setUpAll(interaction, needs, chosen);
        break;
      case 'everybody':
        await changeSetting(needs, member, 'everybody', role);
        break;
      case 'age-restricted':
        await changeSetting(needs, member, 'age-restricted', true);
        break;
      case 'zone':
        chosen.zone = zoneNamed(pick ?? '');
        if (chosen.zone === null) throw new UserError('stale');
        await changeDigest(interaction, needs, { zone: chosen.zone, time: null });
        return showLine(interaction, needs, { line: 'digest', chosen });
      case 'time':
        chosen.time = hourNamed(pick);
        if (chosen.time === null) throw new UserError('stale');
        await changeDigest(interaction, needs, { zone: null, time: chosen.time });
        return showLine(interaction, needs, { line: 'digest', chosen });
      case 'digest-channel':
        if (pick !== null) {
          await saveDigest(interaction, needs, await readPlan(interaction, needs), chosen, pick);
        }
        return showLine(interaction, needs, { line: 'digest', chosen });
      case 'board-channel':
        if (pick === null) throw new UserError('stale');
        await putBoard(interaction, needs, pick);
        return showLine(interaction, needs, { line: 'board', chosen });
      case 'board-down':
        await takeBoardDown(interaction, needs);
        break;
      case 'discussion-is':
        await changeSetting(
          needs,
          member,
          'discussion',
          chosenValue('discussion', values, guildId),
        );
        return showLine(interaction, needs, { line: 'discussion', chosen });
      case 'votes-are':
        await changeSetting(needs, member, 'votes', chosenValue('votes', values, guildId));
        return showLine(interaction, needs, { line: 'votes', chosen });
      case 'link-channels':
        await changeSetting(needs, member, 'link-channels', values);
        return showLine(interaction, needs, { line: 'links', chosen });
      case 'nomination-channels':
        await changeSetting(needs, member, 'nomination-channels', values);
        return showLine(interaction, needs, { line: 'feeds', chosen });
      case 'edition': {
        const { stored } = await readPlan(interaction, needs);
        if (stored === null) throw new UserError('stale');
        const content = await postEditionNow(interaction, needs, stored);
        return updateMessage(interaction, { content, embeds: [], components: [] });
      }
      default:
        throw new UserError('stale');
    }
    await updateMessage(interaction, await view(interaction, needs, chosen));
  },
};

/** Shows the set-up, and once more when the links that the server already has are counted. */
async function begin(interaction: GuildComponent, needs: SetupNeeds): Promise<void> {
  const { guild, guildId } = interaction;
  await answer(interaction, await view(interaction, needs, NOTHING));
  if (!needs.messageContent || needs.imports.counts.known(guildId) !== null) return;
  await needs.imports.counts.read(guild);
  // The answer may be dismissed by now.
  await interaction.editReply(await view(interaction, needs, NOTHING)).catch(() => {});
}

/** Sets up what is not there yet. What is there, or lacks a permission, stays as it is. */
async function setUpAll(
  interaction: GuildComponent,
  needs: SetupNeeds,
  chosen: Chosen,
): Promise<void> {
  const plan = await readPlan(interaction, needs);
  const digest = await digestOf(interaction, needs, plan, chosen);
  const lines = linesOf(interaction, plan, digest, chosen, needs.messageContent);
  const isComing = (line: Line) => lines.some((one) => one.line === line && one.state === 'coming');
  if (isComing('digest')) await saveDigest(interaction, needs, plan, chosen, plan.channel);
  if (isComing('board') && plan.channel !== null) {
    await putBoard(interaction, needs, plan.channel);
  }
  if (isComing('links')) {
    await changeSetting(needs, interaction.member, 'link-channels', [...plan.linkChannels]);
  }
  if (isComing('feeds')) {
    await changeSetting(needs, interaction.member, 'nomination-channels', [...plan.feedChannels]);
  }
}

/** Changes the digest's zone or hour if there is a digest. */
async function changeDigest(
  interaction: GuildComponent,
  needs: SetupNeeds,
  change: Pick<Chosen, 'zone' | 'time'>,
): Promise<void> {
  const plan = await readPlan(interaction, needs);
  if (plan.stored !== null) await saveDigest(interaction, needs, plan, change, null);
}

/** Creates the digest, or changes what is chosen of it. */
async function saveDigest(
  interaction: GuildComponent,
  needs: SetupNeeds,
  plan: Plan,
  chosen: Pick<Chosen, 'zone' | 'time'>,
  channel: Snowflake | null,
): Promise<void> {
  if (channel !== null) inspectChannel(interaction, channel);
  const made = await digestOf(interaction, needs, plan, chosen, channel);
  if (made !== null) await scheduleDigest(needs, interaction.guildId, made.name, made.digest);
}

/** The lines. When nothing is left to set up, what comes when, and what can be done next. */
async function view(interaction: GuildComponent, needs: SetupNeeds, chosen: Chosen) {
  const { locale } = interaction;
  const { messageContent } = needs;
  const plan = await readPlan(interaction, needs);
  const digest = await digestOf(interaction, needs, plan, chosen);
  const lines = linesOf(interaction, plan, digest, chosen, messageContent);
  const isComing = lines.some(({ state }) => state === 'coming');
  const past = pastLines(locale, { messageContent, counts: plan.counts });
  const hasPast = (plan.counts?.channels.length ?? 0) > 0;
  const hasNews = !isComing && (await isNews(interaction, needs, plan));
  const text = [
    isComing ? translate(locale, 'setup.intro') : await endText(interaction, needs, lines),
    '',
    ...closedLines(locale, plan.closed),
    ...lines.map(lineText),
    ...(past.length > 0 ? ['', ...past] : []),
  ];
  const id = (action: string) => `frontpage|setup|${action}|${carried(chosen)}`;
  const imported = translate(locale, 'frontpage.button.import');
  const buttons = [
    ...openButtons(locale, plan.closed, chosen),
    ...(isComing ? [button(id('all'), translate(locale, 'setup.begin'), 'main')] : []),
    ...(hasNews ? [button(id('edition'), translate(locale, 'setup.edition'), 'main')] : []),
    ...(messageContent
      ? [button('frontpage|import|start', imported, !isComing && hasPast ? 'main' : 'plain')]
      : []),
  ];
  return {
    content: '',
    embeds: [card(translate(locale, 'setup.title'), text)],
    components: [
      ...(buttons.length > 0 ? [row(...buttons)] : []),
      ...rowsOf(lines.map(({ line, label }) => button(id(line), shortened(label, 80)))),
    ],
  };
}

/** Discord's rows hold five buttons. */
function rowsOf(buttons: APIButtonComponentWithCustomId[]): ActionRow[] {
  return buttons.length <= 5
    ? [row(...buttons)]
    : [row(...buttons.slice(0, 3)), row(...buttons.slice(3))];
}

/** What is in the lists, with the command that shows it; or the command that posts the first link. */
async function endText(
  { guildId, locale }: GuildComponent,
  { ranking }: SetupNeeds,
  lines: readonly SetupLine[],
): Promise<string> {
  const total = await countListed(ranking, guildId);
  const named = (command: 'post' | 'top') => `/${translate(locale, `command.${command}.name`)}`;
  const next =
    total === 0
      ? translate(locale, 'setup.finished.first', { command: named('post') })
      : translate(locale, 'setup.finished.lists', { count: total, command: named('top') });
  const isLacking = lines.some(({ state }) => state === 'lacking');
  const end = translate(locale, isLacking ? 'setup.finished.lacking' : 'setup.finished');
  return `${end} ${next}`;
}

async function isNews({ guild }: GuildComponent, needs: SetupNeeds, { stored }: Plan) {
  if (stored === null || !hasChannel(guild, stored.digest.channel)) return false;
  const { draft } = await needs.digests.preview(guild, stored);
  return (draft.shown?.articles.length ?? 0) > 0;
}

/** One line, with all that can be chosen in it; what is chosen takes effect at once. */
async function showLine(
  interaction: GuildComponent,
  needs: SetupNeeds,
  { line, chosen }: { line: Line; chosen: Chosen },
): Promise<void> {
  const { locale } = interaction;
  const plan = await readPlan(interaction, needs);
  const digest = await digestOf(interaction, needs, plan, chosen);
  const all = linesOf(interaction, plan, digest, chosen, needs.messageContent);
  const shown = all.find((one) => one.line === line);
  // Nothing is left to say of it.
  if (shown === undefined)
    return updateMessage(interaction, await view(interaction, needs, chosen));
  const isLeft = chosen.without.includes(line);
  const without = isLeft ? chosen.without.filter((one) => one !== line) : [...chosen.without, line];
  const id = (action: string, of = chosen) => `frontpage|setup|${action}|${carried(of)}`;
  const isOpen = shown.state === 'coming' || isLeft;
  const buttons = [
    ...(isOpen
      ? [
          button(
            id(isLeft ? 'take' : 'leave', { ...chosen, without }),
            translate(locale, isLeft ? 'setup.take' : 'setup.leave'),
          ),
        ]
      : []),
    ...(line === 'board' && plan.board !== null
      ? [button(id('board-down'), translate(locale, 'board.down'), 'danger')]
      : []),
    button(id('lines'), translate(locale, 'setup.back')),
  ];
  await updateMessage(interaction, {
    content: '',
    embeds: [card(shown.label, aboutLines(interaction, needs, { plan, shown }))],
    components: [
      ...selectsOf(interaction, needs, { line, plan, chosen, digest: digest?.digest ?? null }),
      row(...buttons),
    ],
  });
}

/** What each line is for. */
const ABOUT: Record<Line, Key> = {
  digest: 'setup.about.digest',
  board: 'board.panel.about',
  discussion: 'settings.about.discussion',
  links: 'settings.about.link-channels',
  votes: 'settings.about.votes',
  feeds: 'settings.about.nomination-channels',
};

function aboutLines(
  { guild, locale }: GuildComponent,
  { clock }: SetupNeeds,
  { plan, shown }: { plan: Plan; shown: SetupLine },
): string[] {
  const { line } = shown;
  if (line === 'board' && plan.board !== null)
    return boardLines(locale, guild, plan.board, clock.now());
  return [translate(locale, ABOUT[line]), '', lineText(shown)];
}

type Selects = {
  line: Line;
  plan: Plan;
  chosen: Chosen;
  digest: { schedule: { zone: string; time: string }; channel: Snowflake } | null;
};

function selectsOf(
  interaction: GuildComponent,
  { clock }: SetupNeeds,
  { line, plan, chosen, digest }: Selects,
): ActionRow[] {
  const { guild, locale } = interaction;
  const { settings, stored, board } = plan;
  const control = (action: string, placeholder: string) => ({
    custom_id: `frontpage|setup|${action}|${carried(chosen)}`,
    placeholder,
  });
  const there = (id: Snowflake | undefined) =>
    id !== undefined && hasChannel(guild, id) ? [id] : [];
  switch (line) {
    case 'digest': {
      const zone = digest?.schedule.zone ?? chosen.zone;
      const time = digest?.schedule.time ?? chosen.time ?? '';
      return [
        choiceSelect(
          control('zone', translate(locale, 'setup.pick.zone')),
          zoneOptions(interaction, zone, clock.now()),
          zone,
        ),
        choiceSelect(
          control('time', translate(locale, 'setup.pick.time')),
          timeOptions(time),
          time,
        ),
        channelSelect(
          control('digest-channel', translate(locale, 'setup.pick.digest')),
          [...DIGEST_CHANNEL_TYPES],
          there(stored?.digest.channel),
          { least: 1, isOne: true },
        ),
      ];
    }
    case 'board':
      return [
        channelSelect(
          control('board-channel', translate(locale, 'board.pick')),
          [...DIGEST_CHANNEL_TYPES],
          there(board?.choice.channel),
          { least: 1, isOne: true },
        ),
      ];
    case 'discussion': {
      const common = control('discussion-is', translate(locale, 'settings.discussion'));
      return [settingSelect(locale, guild, 'discussion', settings.discussion, common)];
    }
    case 'links': {
      const common = control('link-channels', translate(locale, 'setup.pick.links'));
      const value = settings['link-channels'];
      return [settingSelect(locale, guild, 'link-channels', value, common)];
    }
    case 'feeds': {
      const common = control('nomination-channels', translate(locale, 'setup.pick.feeds'));
      const value = settings['nomination-channels'];
      return [settingSelect(locale, guild, 'nomination-channels', value, common)];
    }
    case 'votes': {
      const common = control('votes-are', translate(locale, 'settings.votes'));
      return [settingSelect(locale, guild, 'votes', settings.votes, common)];
    }
    default:
      return line satisfies never;
  }
}

/** Says that nothing would be in the lists of the whole server, and who could count as everybody. */
function closedLines(locale: string, closed: Closed | null): string[] {
  if (closed === null) return [];
  return [translate(locale, closed.why === 'age' ? 'setup.closed.age' : 'setup.closed'), ''];
}

function openButtons(
  locale: string,
  closed: Closed | null,
  chosen: Chosen,
): APIButtonComponentWithCustomId[] {
  if (closed?.why === 'age') {
    const text = translate(locale, 'setup.closed.include');
    return [button(`frontpage|setup|age-restricted|${carried(chosen)}`, text, 'main')];
  }
  const role = closed?.proposed ?? null;
  if (role === null) return [];
  const text = translate(locale, 'setup.closed.use', { role: cleanLine(role.name, 60) || role.id });
  const id = `frontpage|setup|everybody|${role.id}|${carried(chosen)}`;
  return [button(id, shortened(text, 80), 'main')];
}

/** The zone that is chosen, and common ones. */
function zoneOptions(interaction: GuildComponent, zone: string | null, now: number) {
  const { locale } = interaction;
  const common = zoneChoices('', interaction, now).map(({ name, value }) => ({
    label: name,
    value: String(value),
  }));
  const isCommon = zone === null || common.some(({ value }) => value === zone);
  return isCommon ? common : [{ label: zoneText(zone, locale), value: zone }, ...common];
}

/** The full hours, and the time that was chosen elsewhere. */
function timeOptions(time: string) {
  const all = time === '' || HOURS.includes(time) ? HOURS : [time, ...HOURS];
  return all.map((value) => ({ label: value, value }));
}

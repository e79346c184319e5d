import type { Guild, GuildMember } from 'discord.js';
import { answer, openForm, updateMessage } from '../discord/interactions/answer.ts';
import type { GuildComponent, GuildForm } from '../discord/commands/command.ts';
import { readThreadless } from '../articles/messages/discussion.ts';
import { checkSetting } from './checks.ts';
import {
  changeSetting,
  chosenValue,
  isTyped,
  rangeText,
  settingSelect,
  typedValue,
  valueText,
} from './setting-values.ts';
import {
  type ActionRow,
  button,
  card,
  choiceSelect,
  row,
  textInput,
} from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import { readStarredShare } from '../ranking/articles/fit-sample.ts';
import { readScale } from '../ranking/articles/mark.ts';
import { type Scale, TEXTBOOK } from '../ranking/rules.ts';
import { UserError } from '../discord/user-error.ts';
import {
  isSettingName,
  isStandard,
  type SettingName,
  type Settings,
  STANDARD,
} from '../community/settings.ts';
import { isSignSetting, readLostSigns, signsOfGuild } from '../community/vote-offer.ts';
import { spanText } from '../text/facts.ts';
import { numberText, translate } from '../text/catalogue.ts';
import { cleanLine } from '../text/clean.ts';
import { digestTitle, nextText } from '../digests/command/describe.ts';
import { readDigests } from '../digests/stored-digests.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { livingMentions } from '../community/dead-references.ts';
import { openButton } from './open-button.ts';
import {
  type Offer,
  offerNamed,
  offerOf,
  offersOf,
  type Screen,
  screenOf,
  SCREENS,
} from './settings-screens.ts';
import type { Section } from './section.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { GuildRules } from '../community/guild-rules.ts';

/** So that all settings fit in one description. */
const LENGTH_IN_LIST = 200;

type Interaction = GuildComponent | GuildForm;

/** What the section of the settings needs. */
interface SettingsSectionNeeds {
  /** Discord's time. */
  clock: Clock;
  /** Where the mark and the span stand that are not fixed. */
  ranking: Ranking;
  /** Where it stands that Discord's limit of threads is reached. */
  store: Store;
  /** The settings of each guild. */
  rules: GuildRules;
  /** Whether the host has switched on the Message Content intent, without which some settings do nothing. */
  messageContent: boolean;
}

/** Custom ids are `frontpage|settings|<action>|<setting, screen or choice>`. */
export const settings: Section = {
  async open(interaction, needs, [input]) {
    await answer(interaction, await screenView(interaction, needs, screenNamed(input)));
  },

  async component(interaction, [action, input], needs) {
    const { guildId, locale, member } = interaction;
    const chosen = interaction.isAnySelectMenu() ? interaction.values : [];
    const show = async (offer: Offer | undefined) => {
      if (offer === undefined) throw new UserError('stale');
      await updateMessage(interaction, await offerView(interaction, needs, offer));
    };
    switch (action) {
      case 'back':
        return updateMessage(interaction, await screenView(interaction, needs, screenNamed(input)));
      case 'pick':
        return show(offerNamed(chosen[0]));
      case 'show':
        return show(offerNamed(input));
      case 'ranking': {
        const isOwn = await chooseRanking(needs, member, chosen[0]);
        return updateMessage(interaction, await rankingView(interaction, needs, isOwn));
      }
      case 'channels': {
        const how = await chooseChannels(needs, member, { how: input, chosen });
        return updateMessage(interaction, await channelsView(interaction, needs, how));
      }
      default:
        break;
    }
    const name = nameOf(input);
    switch (action) {
      case 'number':
        break;
      case 'form': {
        if (!isTyped(name)) throw new UserError('stale');
        const shown = await needs.rules.refresh(guildId);
        return openForm(interaction, numberForm(locale, name, shown.settings[name]));
      }
      case 'reset':
        await changeSetting(needs, member, name, STANDARD[name]);
        break;
      case 'value':
        await changeSetting(needs, member, name, chosenValue(name, chosen, guildId));
        break;
      default:
        throw new UserError('stale');
    }
    await updateMessage(interaction, await settingView(interaction, needs, name));
  },

  async form(interaction, [input], needs) {
    const name = nameOf(input);
    const typed = interaction.fields.getTextInputValue('value');
    await changeSetting(
      needs,
      interaction.member,
      name,
      await typedValue(interaction.guild, name, typed),
    );
    await updateMessage(interaction, await settingView(interaction, needs, name));
  },
};

function nameOf(input: string | undefined): SettingName {
  if (input === undefined || !isSettingName(input)) throw new UserError('stale');
  return input;
}

function screenNamed(input: string | undefined): Screen {
  const screen = SCREENS.find((one) => one === input);
  if (screen === undefined) throw new UserError('stale');
  return screen;
}

/** Shows the settings of one purpose with their values, a line each. */
async function screenView(interaction: Interaction, needs: SettingsSectionNeeds, screen: Screen) {
  const { locale } = interaction;
  const shown = await readShown(interaction, needs);
  const lines = offersOf(screen).map(
    (offer) => `**${translate(locale, `settings.${offer}`)}** · ${offerText(shown, offer)}`,
  );
  const top = screen === 'posts' ? await postsLines(interaction, needs) : [];
  const buttons = ['setup', 'board', 'newsletter', 'import'] as const;
  return {
    embeds: [card(translate(locale, `frontpage.door.${screen}`), [...top, ...lines])],
    components: [
      ...(screen === 'posts' ? [row(...buttons.map((name) => openButton(locale, name)))] : []),
      picker(locale, screen),
    ],
  };
}

/** The digests, each with the time of its next edition. */
async function postsLines(
  { guild, guildId, locale }: Interaction,
  { store }: SettingsSectionNeeds,
): Promise<string[]> {
  const digests = await readDigests(store, guildId);
  if (digests.length === 0) return [translate(locale, 'check-up.digests.none'), ''];
  const lines = digests.map((stored) => {
    const channel = livingMentions(guild, '#', [stored.digest.channel], locale).join('');
    return `**${digestTitle(locale, stored)}** · ${channel} · ${nextText(stored)}`;
  });
  return [...lines, ''];
}

async function offerView(interaction: Interaction, needs: SettingsSectionNeeds, offer: Offer) {
  switch (offer) {
    case 'ranking':
      return rankingView(interaction, needs, false);
    case 'channels':
      return channelsView(interaction, needs, null);
    default:
      return settingView(interaction, needs, offer);
  }
}

function offerText(shown: Shown, offer: Offer): string {
  const { locale } = shown;
  switch (offer) {
    case 'ranking':
      return rankingText(shown);
    case 'channels':
      return channelsText(locale, shown.guild, shown.settings, LENGTH_IN_LIST);
    default:
      return stateText(shown, offer, LENGTH_IN_LIST);
  }
}

function ownButton(
  locale: string,
  id: string,
  label: 'change' | 'enter' | 'reset' | 'back',
  style?: 'main',
) {
  return button(`frontpage|settings|${id}`, translate(locale, `settings.${label}`), style);
}

/** Shows one setting with the controls to change it. */
async function settingView(
  interaction: Interaction,
  needs: SettingsSectionNeeds,
  name: SettingName,
) {
  const { locale } = interaction;
  const shown = await readShown(interaction, needs);
  const value = shown.settings[name];
  const threadless = await readThreadless(needs.store, interaction.guildId);
  const lostSigns = isSignSetting(name)
    ? await readLostSigns(interaction.guild, shown.settings)
    : [];
  const checks = { ...needs, threadless, lostSigns };
  const need = checkSetting(locale, interaction.guild, shown.settings, name, checks);
  const lines = [
    translate(locale, `settings.about.${name}`),
    '',
    translate(locale, 'settings.value', { value: stateText(shown, name) }),
    ...(need === null || need.state === 'ok' ? [] : ['', need.text]),
  ];
  const select = { custom_id: `frontpage|settings|value|${name}` };
  const offer = offerOf(name);
  const back = offer === name ? `back|${screenOf(offer)}` : `show|${offer}`;
  const buttons = row(
    // Numbers and emoji are typed in a form, so they only have a button.
    ...(isTyped(name)
      ? [ownButton(locale, `form|${name}`, isSignSetting(name) ? 'enter' : 'change', 'main')]
      : []),
    ...(isStandard(shown.settings, name) ? [] : [ownButton(locale, `reset|${name}`, 'reset')]),
    ownButton(locale, back, 'back'),
  );
  return {
    embeds: [card(translate(locale, `settings.${name}`), lines)],
    components: [
      ...(isTyped(name) ? [] : [settingSelect(locale, shown.guild, name, value, select)]),
      buttons,
      picker(locale, screenOf(offer)),
    ],
  };
}

/** How votes are weighed: one choice of three, with its numbers behind the third. */
async function rankingView(interaction: Interaction, needs: SettingsSectionNeeds, isOwn: boolean) {
  const { guildId, locale } = interaction;
  const [shown, share] = await Promise.all([
    readShown(interaction, needs),
    readStarredShare(needs.ranking, guildId, needs.clock.now()),
  ]);
  const { settings: own, scale } = shown;
  const choice = isOwn ? 'own' : rankingOf(own);
  const lines = [
    translate(locale, 'frontpage.mark', {
      mark: scale.mark,
      up: signsOfGuild(own).up,
      is: own.mark === null ? 'fitted' : 'fixed',
    }),
    ...(share.of > 0 ? [translate(locale, 'frontpage.mark.share', share)] : []),
    translate(locale, 'frontpage.span', {
      span: spanText(locale, scale.spanDays),
      is: own.span === null ? 'fitted' : 'fixed',
    }),
  ];
  const options = RANKINGS.map((value) => ({ label: choiceText(locale, value), value }));
  const number = (name: 'mark' | 'span') =>
    button(`frontpage|settings|number|${name}`, translate(locale, `settings.${name}`));
  return {
    embeds: [card(translate(locale, 'settings.ranking'), lines)],
    components: [
      choiceSelect({ custom_id: 'frontpage|settings|ranking' }, options, choice),
      row(
        ...(choice === 'own' ? [number('mark'), number('span')] : []),
        ownButton(locale, 'back|more', 'back'),
      ),
      picker(locale, 'more'),
    ],
  };
}

const RANKINGS = ['fits', 'textbook', 'own'] as const;
type Ranked = (typeof RANKINGS)[number];

function rankingOf({ mark, span }: Settings): Ranked {
  if (mark === null && span === null) return 'fits';
  return mark === TEXTBOOK.mark && span === TEXTBOOK.spanDays ? 'textbook' : 'own';
}

function choiceText(locale: string, choice: Ranked): string {
  const { mark, spanDays } = TEXTBOOK;
  switch (choice) {
    case 'fits':
      return translate(locale, 'settings.fitted.choice');
    case 'textbook':
      return translate(locale, 'settings.textbook', { mark, span: spanText(locale, spanDays) });
    case 'own':
      return translate(locale, 'settings.ranking.own');
    default:
      return choice satisfies never;
  }
}

function rankingText({ locale, settings, scale }: Shown): string {
  const choice = rankingOf(settings);
  const text = choiceText(locale, choice);
  if (choice === 'textbook') return text;
  return `${text} · ${numberText(locale, scale.mark)} ${signsOfGuild(settings).up}, ${spanText(locale, scale.spanDays)}`;
}

/** Returns whether the manager wants numbers of their own, which are then chosen one by one. */
async function chooseRanking(
  needs: Parameters<typeof changeSetting>[0],
  by: GuildMember,
  chosen: string | undefined,
): Promise<boolean> {
  const choice = RANKINGS.find((one) => one === chosen);
  if (choice === undefined) throw new UserError('stale');
  if (choice === 'own') return true;
  const { mark, spanDays: span } = TEXTBOOK;
  const values = choice === 'fits' ? { mark: null, span: null } : { mark, span };
  await changeSetting(needs, by, 'mark', values.mark);
  await changeSetting(needs, by, 'span', values.span);
  return false;
}

/** Where links and articles may be: in all channels, only in some, or in all but some. */
const CHANNELS = ['all', 'only', 'except'] as const;
type How = (typeof CHANNELS)[number];

/** The two stored lists as one choice. */
function channelsOf({ groups, 'no-groups': without }: Settings): { how: How; ids: Snowflake[] } {
  if (groups.length > 0) return { how: 'only', ids: groups.filter((id) => !without.includes(id)) };
  return { how: without.length > 0 ? 'except' : 'all', ids: without };
}

function channelsText(locale: string, guild: Guild, settings: Settings, length?: number): string {
  const { how, ids } = channelsOf(settings);
  if (how === 'all') return translate(locale, 'settings.all');
  const channels = valueText(locale, guild, 'no-groups', ids, length);
  return how === 'only' ? channels : translate(locale, 'settings.channels.but', { channels });
}

/** `chosen`: how, before its channels are chosen; null: as it is. */
async function channelsView(
  interaction: Interaction,
  needs: SettingsSectionNeeds,
  chosen: How | null,
) {
  const { guild, locale } = interaction;
  const { settings: own } = await readShown(interaction, needs);
  const stored = channelsOf(own);
  const how = chosen ?? stored.how;
  const options = CHANNELS.map((value) => ({
    label: translate(locale, value === 'all' ? 'settings.all' : `settings.channels.${value}`),
    value,
  }));
  const value = how === stored.how ? stored.ids : [];
  const select = {
    custom_id: `frontpage|settings|channels|${how}`,
    placeholder: translate(locale, 'settings.channels'),
  };
  const lines = [
    translate(locale, 'settings.about.channels'),
    '',
    translate(locale, 'settings.value', { value: channelsText(locale, guild, own) }),
  ];
  return {
    embeds: [card(translate(locale, 'settings.channels'), lines)],
    components: [
      choiceSelect({ custom_id: 'frontpage|settings|channels' }, options, how),
      ...(how === 'all' ? [] : [settingSelect(locale, guild, 'no-groups', value, select)]),
      row(ownButton(locale, 'back|more', 'back')),
      picker(locale, 'more'),
    ],
  };
}

/** Chooses how, and then which: only the second changes anything, but for all channels. */
async function chooseChannels(
  needs: Parameters<typeof changeSetting>[0],
  by: GuildMember,
  { how, chosen }: { how: string | undefined; chosen: readonly string[] },
): Promise<How | null> {
  const mode = CHANNELS.find((one) => one === (how ?? chosen[0]));
  if (mode === undefined) throw new UserError('stale');
  if (how === undefined && mode !== 'all') return mode;
  const [first, second] =
    mode === 'only' ? (['groups', 'no-groups'] as const) : (['no-groups', 'groups'] as const);
  // A channel that is refused changes nothing.
  await changeSetting(needs, by, first, mode === 'all' ? [] : chosen);
  await changeSetting(needs, by, second, []);
  return null;
}

type Shown = { locale: string; guild: Guild; settings: Settings; scale: Scale };

async function readShown(
  { guild, guildId, locale }: Interaction,
  needs: SettingsSectionNeeds,
): Promise<Shown> {
  const [{ settings }, scale] = await Promise.all([
    needs.rules.refresh(guildId),
    readScale(needs.ranking, guildId),
  ]);
  return { locale, guild, settings, scale };
}

/** The value. What is fitted is shown as it is now. */
function stateText(shown: Shown, name: SettingName, length?: number): string {
  const { locale, guild, settings } = shown;
  const fitted = settings[name] === null ? fittedText(shown, name) : null;
  return fitted === null
    ? valueText(locale, guild, name, settings[name], length)
    : translate(locale, 'settings.fitted.now', { value: fitted });
}

/** The present value of a setting that fits the server by itself; null for any other. */
function fittedText({ locale, scale }: Shown, name: SettingName): string | null {
  if (name === 'mark') return numberText(locale, scale.mark);
  if (name === 'span') return spanText(locale, scale.spanDays);
  return null;
}

/** The first line of what a choice is about, which is short enough for a list. */
function shortAbout(locale: string, offer: Offer): string {
  return translate(locale, `settings.about.${offer}`).split('\n', 1)[0]!;
}

function picker(locale: string, screen: Screen): ActionRow {
  const options = offersOf(screen).map((offer) => ({
    label: translate(locale, `settings.${offer}`),
    description: shortAbout(locale, offer),
    value: offer,
  }));
  const placeholder = translate(locale, 'settings.pick');
  return choiceSelect({ custom_id: 'frontpage|settings|pick', placeholder }, options, null);
}

/** The form in which a number or an emoji is typed. */
function numberForm(locale: string, name: SettingName, value: unknown) {
  return {
    custom_id: `frontpage|settings|${name}`,
    title: cleanLine(translate(locale, `settings.${name}`), limits.modalTitleLength),
    components: [
      textInput(rangeText(locale, name), {
        custom_id: 'value',
        // Nothing typed means fitted, no limit, or the thumb.
        value: typeof value === 'string' || Number(value) > 0 ? String(value) : '',
        max_length: isSignSetting(name) ? 60 : 20,
        required: false,
      }),
    ],
  };
}

import type { Guild } from 'discord.js';
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
import { readScale } from '../ranking/articles/mark.ts';
import { type Scale, TEXTBOOK } from '../ranking/rules.ts';
import { UserError } from '../discord/user-error.ts';
import {
  isSettingName,
  isStandard,
  type SettingName,
  settingNames,
  type Settings,
  STANDARD,
} from '../community/settings.ts';
import { spanText } from '../text/facts.ts';
import { numberText, translate } from '../text/catalogue.ts';
import { cleanLine } from '../text/clean.ts';
import type { Section } from './section.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { GuildRules } from '../community/guild-rules.ts';

/** So that all settings fit in one description. */
const LENGTH_IN_LIST = 200;

type Interaction = GuildComponent | GuildForm;

/** What the section of the settings needs. */
interface SettingsSectionNeeds {
  /** Where the mark and the span stand that are not fixed. */
  ranking: Ranking;
  /** Where it stands that Discord's limit of threads is reached. */
  store: Store;
  /** The settings of each guild. */
  rules: GuildRules;
  /** Whether the host has switched on the Message Content intent, without which some settings do nothing. */
  messageContent: boolean;
}

/** Custom ids are `frontpage|settings|<action>|<setting>`. */
export const settings: Section = {
  async open(interaction, needs) {
    await answer(interaction, await listView(interaction, needs));
  },

  async component(interaction, [action, input], needs) {
    const { guildId, locale, member } = interaction;
    if (action === 'back') {
      return updateMessage(interaction, await listView(interaction, needs));
    }
    const chosen = interaction.isAnySelectMenu() ? interaction.values : [];
    const name = nameOf(action === 'pick' ? chosen[0] : input);
    switch (action) {
      case 'pick':
        break;
      case 'form': {
        if (!isTyped(name)) throw new UserError('stale');
        const shown = await needs.rules.refresh(guildId);
        return openForm(interaction, numberForm(locale, name, shown.settings[name]));
      }
      case 'reset':
        await changeSetting(needs, member, name, STANDARD[name]);
        break;
      case 'textbook':
        await changeSetting(needs, member, 'mark', TEXTBOOK.mark);
        await changeSetting(needs, member, 'span', TEXTBOOK.spanDays);
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
    await changeSetting(needs, interaction.member, name, typedValue(name, typed));
    await updateMessage(interaction, await settingView(interaction, needs, name));
  },
};

function nameOf(input: string | undefined): SettingName {
  if (input === undefined || !isSettingName(input)) throw new UserError('stale');
  return input;
}

/** Shows all settings with their values, a line each, and the defaults of changed ones. */
async function listView(interaction: Interaction, needs: SettingsSectionNeeds) {
  const { locale } = interaction;
  const shown = await readShown(interaction, needs);
  const lines = settingNames.map((name) => {
    return `**${translate(locale, `settings.${name}`)}** · ${stateText(shown, name, LENGTH_IN_LIST)}`;
  });
  return {
    embeds: [card(translate(locale, 'frontpage.button.settings'), lines)],
    components: [picker(locale)],
  };
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
  const checks = { ...needs, threadless };
  const need = checkSetting(locale, interaction.guild, shown.settings, name, checks);
  const lines = [
    translate(locale, `settings.about.${name}`),
    '',
    translate(locale, 'settings.value', { value: stateText(shown, name) }),
    ...(need === null || need.state === 'ok' ? [] : ['', need.text]),
  ];
  const own = (id: string, label: 'change' | 'reset' | 'back', style?: 'main') =>
    button(`frontpage|settings|${id}`, translate(locale, `settings.${label}`), style);
  // The mark and the span go together there, so either setting offers both.
  const hasTextbook = name === 'mark' || name === 'span';
  const isTextbook =
    shown.settings.mark === TEXTBOOK.mark && shown.settings.span === TEXTBOOK.spanDays;
  const select = { custom_id: `frontpage|settings|value|${name}` };
  const buttons = row(
    // Numbers are typed in a form, so they only have a button.
    ...(isTyped(name) ? [own(`form|${name}`, 'change', 'main')] : []),
    ...(hasTextbook && !isTextbook ? [textbookButton(locale, name)] : []),
    ...(isStandard(shown.settings, name) ? [] : [own(`reset|${name}`, 'reset')]),
    own('back', 'back'),
  );
  return {
    embeds: [card(translate(locale, `settings.${name}`), lines)],
    components: [
      ...(isTyped(name) ? [] : [settingSelect(locale, shown.guild, name, value, select)]),
      buttons,
      picker(locale),
    ],
  };
}

/** One choice for both: 200 up votes, and a day. */
function textbookButton(locale: string, name: SettingName) {
  const { mark, spanDays } = TEXTBOOK;
  const label = translate(locale, 'settings.textbook', { mark, span: spanText(locale, spanDays) });
  return button(`frontpage|settings|textbook|${name}`, label);
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

/** The value, and the default if that is another. What is fitted is shown as it is now. */
function stateText(shown: Shown, name: SettingName, length?: number): string {
  const { locale, guild, settings } = shown;
  const fitted = settings[name] === null ? fittedText(shown, name) : null;
  const value =
    fitted === null
      ? valueText(locale, guild, name, settings[name], length)
      : translate(locale, 'settings.fitted.now', { value: fitted });
  if (isStandard(settings, name)) return value;
  const standard = valueText(locale, guild, name, STANDARD[name]);
  return `${value} · ${translate(locale, 'settings.default', { value: standard })}`;
}

/** The present value of a setting that fits the server by itself; null for any other. */
function fittedText({ locale, scale }: Shown, name: SettingName): string | null {
  if (name === 'mark') return numberText(locale, scale.mark);
  if (name === 'span') return spanText(locale, scale.spanDays);
  return null;
}

/** The first line of what a setting is about, which is short enough for a list. */
function shortAbout(locale: string, name: SettingName): string {
  return translate(locale, `settings.about.${name}`).split('\n', 1)[0]!;
}

function picker(locale: string): ActionRow {
  const options = settingNames.map((name) => ({
    label: translate(locale, `settings.${name}`),
    description: shortAbout(locale, name),
    value: name,
  }));
  const placeholder = translate(locale, 'settings.pick');
  return choiceSelect({ custom_id: 'frontpage|settings|pick', placeholder }, options, null);
}

/** The form in which a number is typed. */
function numberForm(locale: string, name: SettingName, value: unknown) {
  return {
    custom_id: `frontpage|settings|${name}`,
    title: cleanLine(translate(locale, `settings.${name}`), limits.modalTitleLength),
    components: [
      textInput(rangeText(locale, name), {
        custom_id: 'value',
        // Nothing typed means fitted, or no limit.
        value: typeof value === 'number' && value > 0 ? String(value) : '',
        max_length: 20,
        required: false,
      }),
    ],
  };
}

import {
  type APIEmbed,
  type APIModalInteractionResponseCallbackData,
  ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
} from 'discord.js';
import {
  isStandard,
  kindOf,
  type SettingName,
  type Settings,
  settingNames,
  STANDARD,
} from '../../records/settings.ts';
import { languageName, languages, translate } from '../../text/catalogue.ts';
import { rangeText, valueText } from './values.ts';
import { cleanLine, shortened } from '../../text/clean.ts';
import { GROUP_SELECT_TYPES } from '../../discord/access/visibility.ts';
import {
  button,
  card,
  channelSelect,
  choiceSelect,
  type ActionRow,
  row,
} from '../../discord/interactions/components.ts';
import { textInput } from '../../discord/interactions/text-input.ts';
import { limits } from '../../discord/limits.ts';

/** The select value that means "no value". */
const THE_SERVERS = 'server';
/** So that all settings fit in one description. */
const LENGTH_IN_LIST = 200;

type View = { embeds: APIEmbed[]; components: ActionRow[] };

/** A guild's settings and its mark, for a reader. */
type Shown = { locale: string; settings: Settings; mark: number };

/** Shows all settings with their values, a line each, and the defaults of changed ones. */
export function settingsView(shown: Shown): View {
  const { locale } = shown;
  const lines = settingNames.map((name) => {
    const value = stateText(shown, name, LENGTH_IN_LIST);
    return `**${translate(locale, `settings.${name}`)}** · ${value}`;
  });
  return {
    embeds: [card(translate(locale, 'frontpage.button.settings'), lines)],
    components: [picker(locale)],
  };
}

/** Shows one setting with the controls to change it. */
export function settingView(shown: Shown, name: SettingName, hint: string | null): View {
  const { locale, settings } = shown;
  const lines = [
    translate(locale, `settings.about.${name}`),
    '',
    translate(locale, 'settings.value', { value: stateText(shown, name) }),
    ...(hint === null ? [] : ['', hint]),
  ];
  return {
    embeds: [card(translate(locale, `settings.${name}`), lines)],
    components: [
      // Numbers are typed in a form, so they only have a button.
      ...(isTyped(name)
        ? []
        : [settingSelect(shown, name, { custom_id: `frontpage|settings|value|${name}` })]),
      buttons(locale, name, settings),
      picker(locale),
    ],
  };
}

/** The form in which a number is typed. */
export function numberForm(
  locale: string,
  name: SettingName,
  settings: Settings,
): APIModalInteractionResponseCallbackData {
  const value = settings[name];
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

/** The value, and the default if that is another. A fitted mark is shown as the number that it is now. */
function stateText({ locale, settings, mark }: Shown, name: SettingName, length?: number): string {
  const own = settings[name];
  const value =
    name === 'mark' && own === null
      ? translate(locale, 'settings.fitted.now', { mark })
      : valueText(locale, name, own, length);
  if (isStandard(settings, name)) return value;
  const standard = valueText(locale, name, STANDARD[name]);
  return `${value} · ${translate(locale, 'settings.default', { value: standard })}`;
}

function picker(locale: string): ActionRow {
  const options = settingNames.map((name) => ({
    label: translate(locale, `settings.${name}`),
    description: shortened(translate(locale, `settings.about.${name}`), limits.selectOptionLength),
    value: name,
  }));
  const placeholder = translate(locale, 'settings.pick');
  return choiceSelect({ custom_id: 'frontpage|settings|pick', placeholder }, options, null);
}

/** A select that shows a setting's value. `chosenValue` reads what a member chooses in it. */
export function settingSelect(
  { locale, settings }: Pick<Shown, 'locale' | 'settings'>,
  name: SettingName,
  common: { custom_id: string; placeholder?: string },
): ActionRow {
  const value = settings[name];
  switch (kindOf(name)) {
    case 'switch': {
      const options = (['on', 'off'] as const).map((way) => ({
        label: translate(locale, `settings.${way}`),
        value: way,
      }));
      return choiceSelect(common, options, value === true ? 'on' : 'off');
    }
    case 'language': {
      const theirs = { label: translate(locale, 'settings.language.server'), value: THE_SERVERS };
      const others = [...languages.keys()].map((known) => ({
        label: languageName(known),
        value: known,
      }));
      return choiceSelect(common, [theirs, ...others], (value as string | null) ?? THE_SERVERS);
    }
    case 'roles':
      return row({
        type: ComponentType.RoleSelect,
        ...common,
        min_values: 0,
        max_values: limits.selectOptions,
        default_values: (value as string[]).map((id) => ({
          id,
          type: SelectMenuDefaultValueType.Role,
        })),
      });
    case 'channel': {
      const types = [ChannelType.GuildText, ChannelType.GuildAnnouncement];
      const chosen = value === null ? [] : [value as string];
      return channelSelect(common, types, chosen, { isOne: true });
    }
    default:
      return channelSelect(common, GROUP_SELECT_TYPES, value as string[], { isOne: false });
  }
}

/** The value that a member chose in a `settingSelect`. It is not checked. */
export function chosenValue(
  name: SettingName,
  chosen: readonly string[],
  { id: everyone }: { id: string },
): unknown {
  switch (kindOf(name)) {
    case 'language':
      return chosen[0] === THE_SERVERS ? null : chosen[0];
    case 'switch':
      return chosen[0] === 'on';
    case 'channel':
      return chosen[0] ?? null;
    case 'roles':
      // No role means everyone.
      return chosen.includes(everyone) ? [] : [...chosen];
    default:
      return [...chosen];
  }
}

function buttons(locale: string, name: SettingName, settings: Settings): ActionRow {
  const own = (id: string, label: 'change' | 'reset' | 'back', style?: 'main') =>
    button(`frontpage|settings|${id}`, translate(locale, `settings.${label}`), style);
  return row(
    ...(isTyped(name) ? [own(`form|${name}`, 'change', 'main')] : []),
    ...(isStandard(settings, name) ? [] : [own(`reset|${name}`, 'reset')]),
    own('back', 'back'),
  );
}

/** Whether a value is typed in a form. */
export function isTyped(name: SettingName): boolean {
  return kindOf(name) === 'number' || kindOf(name) === 'mark';
}

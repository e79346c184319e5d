import {
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  type APIModalInteractionResponseCallbackData,
  ButtonStyle,
  ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord.js';
import {
  kindOf,
  type SettingName,
  type Settings,
  settingNames,
  STANDARD,
} from '../../records/settings.ts';
import { languages, translate } from '../../text/catalogue.ts';
import { isStandard, kindText, languageName, valueText } from './values.ts';
import { cleanLine, shortened } from '../../text/clean.ts';
import { groupSelectTypes } from '../../discord/access/visibility.ts';
import { COLOUR } from '../../discord/colours.ts';

/** The select value that means "no value". */
export const THE_SERVERS = 'server';
const chosenAtMost = 25;

type Row = APIActionRowComponent<APIComponentInMessageActionRow>;
type View = { embeds: APIEmbed[]; components: Row[] };

/** Shows all settings with their values, and the defaults of changed ones. */
export function settingsView(locale: string, settings: Settings, mayChange: boolean): View {
  const fields = settingNames.map((name) => {
    // All settings together have to fit an embed.
    const value = valueText(locale, name, settings[name], 300);
    const lines = isStandard(name, settings[name])
      ? [translate(locale, 'settings.value.default', { value })]
      : [translate(locale, 'settings.value', { value }), standardText(locale, name)];
    return {
      name: translate(locale, `settings.${name}`),
      value: lines.join('\n'),
      inline: true,
    };
  });
  return {
    embeds: [{ color: COLOUR, title: translate(locale, 'settings.title'), fields }],
    components: mayChange ? [picker(locale)] : [],
  };
}

/** Shows one setting with the controls to change it. */
export function settingView(
  locale: string,
  name: SettingName,
  settings: Settings,
  hint: string | null,
): View {
  const lines = [
    translate(locale, `settings.about.${name}`),
    '',
    translate(locale, 'settings.value', { value: valueText(locale, name, settings[name]) }),
    standardText(locale, name),
    ...(hint === null ? [] : ['', hint]),
  ];
  return {
    embeds: [
      {
        color: COLOUR,
        title: translate(locale, `settings.${name}`),
        description: lines.join('\n'),
      },
    ],
    components: [...control(locale, name, settings), buttons(locale, name), picker(locale)],
  };
}

/** The form in which a number is typed. */
export function numberForm(
  locale: string,
  name: SettingName,
  settings: Settings,
): APIModalInteractionResponseCallbackData {
  const value = settings[name];
  return form(`frontpage|settings|${name}`, translate(locale, `settings.${name}`), {
    label: kindText(locale, name),
    // Nothing typed means fitted, or no limit.
    value: typeof value === 'number' && value > 0 ? String(value) : '',
    most: 20,
    required: false,
  });
}

/** The form in which a group's name is typed. */
export function nameForm(
  locale: string,
  channel: { id: string; name: string },
  settings: Settings,
): APIModalInteractionResponseCallbackData {
  const title = translate(locale, 'settings.name.for', { channel: channel.name });
  return form(`frontpage|settings|group-names|${channel.id}`, title, {
    label: translate(locale, 'settings.group-names'),
    value: settings['group-names'][channel.id] ?? '',
    most: 50,
    required: false,
  });
}

function form(
  customId: string,
  title: string,
  input: { label: string; value: string; most: number; required: boolean },
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: customId,
    title: cleanLine(title, 45),
    components: [
      {
        type: ComponentType.Label,
        label: shortened(input.label, 45),
        component: {
          type: ComponentType.TextInput,
          custom_id: 'value',
          style: TextInputStyle.Short,
          value: cleanLine(input.value, input.most),
          max_length: input.most,
          required: input.required,
        },
      },
    ],
  };
}

function standardText(locale: string, name: SettingName): string {
  const value = valueText(locale, name, STANDARD[name]);
  return translate(locale, 'settings.default', { value });
}

function picker(locale: string): Row {
  return row({
    type: ComponentType.StringSelect,
    custom_id: 'frontpage|settings|pick',
    placeholder: translate(locale, 'settings.pick'),
    options: settingNames.map((name) => ({
      label: translate(locale, `settings.${name}`),
      description: shortened(translate(locale, `settings.about.${name}`), 100),
      value: name,
    })),
  });
}

/** Numbers are typed in a form, so they only have a button. */
function control(locale: string, name: SettingName, settings: Settings): Row[] {
  const custom_id = `frontpage|settings|value|${name}`;
  const value = settings[name];
  switch (kindOf(name)) {
    case 'mark':
    case 'number':
      return [];
    case 'switch':
      return [
        row({
          type: ComponentType.StringSelect,
          custom_id,
          options: (
            [
              ['on', true],
              ['off', false],
            ] as const
          ).map(([chosen, is]) => ({
            label: translate(locale, `settings.${chosen}`),
            value: chosen,
            default: value === is,
          })),
        }),
      ];
    case 'language':
      return [
        row({
          type: ComponentType.StringSelect,
          custom_id,
          options: [
            {
              label: translate(locale, 'settings.language.server'),
              value: THE_SERVERS,
              default: value === null,
            },
            ...[...languages.keys()].map((known) => ({
              label: languageName(known),
              value: known,
              default: value === known,
            })),
          ],
        }),
      ];
    case 'channel':
      return [
        row({
          type: ComponentType.ChannelSelect,
          custom_id,
          channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
          min_values: 0,
          max_values: 1,
          default_values: chosen(SelectMenuDefaultValueType.Channel, value === null ? [] : [value]),
        }),
      ];
    case 'channels':
      return [
        row({
          type: ComponentType.ChannelSelect,
          custom_id,
          channel_types: groupSelectTypes,
          min_values: 0,
          max_values: chosenAtMost,
          default_values: chosen(SelectMenuDefaultValueType.Channel, value),
        }),
      ];
    case 'roles':
      return [
        row({
          type: ComponentType.RoleSelect,
          custom_id,
          min_values: 0,
          max_values: chosenAtMost,
          default_values: chosen(SelectMenuDefaultValueType.Role, value),
        }),
      ];
    default:
      return [
        row({
          type: ComponentType.ChannelSelect,
          custom_id: 'frontpage|settings|name',
          channel_types: groupSelectTypes,
          placeholder: translate(locale, 'settings.name.pick'),
        }),
      ];
  }
}

function chosen<T>(type: T, value: unknown): { id: string; type: T }[] {
  return (value as string[]).map((id) => ({ id, type }));
}

function buttons(locale: string, name: SettingName): Row {
  const change = {
    type: ComponentType.Button as const,
    style: ButtonStyle.Primary as const,
    label: translate(locale, 'settings.change'),
    custom_id: `frontpage|settings|form|${name}`,
  };
  return {
    type: ComponentType.ActionRow,
    components: [
      ...(isTyped(name) ? [change] : []),
      {
        type: ComponentType.Button,
        style: ButtonStyle.Secondary,
        label: translate(locale, 'settings.reset'),
        custom_id: `frontpage|settings|reset|${name}`,
      },
      {
        type: ComponentType.Button,
        style: ButtonStyle.Secondary,
        label: translate(locale, 'settings.back'),
        custom_id: 'frontpage|settings|back',
      },
    ],
  };
}

/** Whether a value is typed in a form. */
export function isTyped(name: SettingName): boolean {
  return kindOf(name) === 'number' || kindOf(name) === 'mark';
}

function row(component: APIComponentInMessageActionRow): Row {
  return { type: ComponentType.ActionRow, components: [component] };
}

import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIButtonComponentWithURL,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  type APILabelComponent,
  type APISelectMenuOption,
  type APITextInputComponent,
  ButtonStyle,
  type ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord.js';
import { shortened } from '../../text/clean.ts';
import { limits } from '../limits.ts';

/** The parts of which the bot's own messages and panels are made. */
export type ActionRow = APIActionRowComponent<APIComponentInMessageActionRow>;

/** The stripe beside the bot's embeds. */
export const COLOUR = 0xff6a3d;
/** The stripe beside a line of the log channel. */
export const GREY = 0x80848e;

/** An embed with the bot's stripe. */
export function card(title: string, lines: string | readonly string[]): APIEmbed {
  const description = typeof lines === 'string' ? lines : lines.join('\n');
  return { color: COLOUR, title, description };
}

/** Buttons side by side, or one select. */
export function row(...components: APIComponentInMessageActionRow[]): ActionRow {
  return { type: ComponentType.ActionRow, components };
}

const { Primary, Secondary, Success, Danger } = ButtonStyle;
const styles = { main: Primary, plain: Secondary, done: Success, danger: Danger } as const;

export function button(
  custom_id: string,
  label: string,
  style: keyof typeof styles = 'plain',
): APIButtonComponentWithCustomId {
  return { type: ComponentType.Button, style: styles[style], label, custom_id };
}

/** A button that opens an address. */
export function linkButton(url: string, label: string): APIButtonComponentWithURL {
  return { type: ComponentType.Button, style: ButtonStyle.Link, label, url };
}

type Common = { custom_id: string; placeholder?: string };

/** A select in which the option with the value `chosen` is chosen. */
export function choiceSelect(
  common: Common,
  options: readonly APISelectMenuOption[],
  chosen: string | null,
): ActionRow {
  return row({
    type: ComponentType.StringSelect,
    ...common,
    options: options.map((option) => ({ ...option, default: option.value === chosen })),
  });
}

/** A select of one channel or of many; `least` 0 allows none. */
export function channelSelect(
  common: Common,
  channel_types: ChannelType[],
  chosen: readonly string[],
  { least = 0, isOne }: { least?: 0 | 1; isOne: boolean },
): ActionRow {
  return row({
    type: ComponentType.ChannelSelect,
    ...common,
    channel_types,
    min_values: least,
    max_values: isOne ? 1 : limits.selectOptions,
    default_values: chosen.map((id) => ({ id, type: SelectMenuDefaultValueType.Channel })),
  });
}

/** A labelled field of a form in which a text is typed. Without a style, it has one line. */
export function textInput(
  label: string,
  input: Pick<APITextInputComponent, 'custom_id' | 'value' | 'max_length' | 'required'> & {
    style?: TextInputStyle;
  },
): APILabelComponent {
  return {
    type: ComponentType.Label,
    label: shortened(label, limits.labelLength),
    component: { type: ComponentType.TextInput, style: TextInputStyle.Short, ...input },
  };
}

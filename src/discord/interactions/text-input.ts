import {
  type APILabelComponent,
  type APITextInputComponent,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import { shortened } from '../../text/clean.ts';
import { limits } from '../limits.ts';

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

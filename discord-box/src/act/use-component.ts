import { ComponentType, InteractionType } from 'discord-api-types/v10';
import { resolve } from '../world/interactions/interaction-payload.ts';
import { openInteraction } from '../world/interactions/open-interaction.ts';
import type { Interaction } from '../model/interaction.ts';
import type { Json, Message } from '../model/message.ts';
import { mayView } from '../world/permissions.ts';
import type { OptionValue } from './command-options.ts';
import { findComponent } from './find-component.ts';
import type { Place } from './invoke-command.ts';
import { ActorError } from './actor-error.ts';

/** Presses a button, or chooses `values` in a select. */
export function invokeComponent(
  place: Place,
  message: Message,
  customId: string,
  values?: string[],
): Interaction {
  const { world, channel, userId } = place;
  if (!mayView(world, channel, userId)) throw new ActorError('You cannot see this channel.');
  const component = findComponent(message.components, customId);
  if (component === undefined) throw new ActorError('This message has no such component.');
  if (component['disabled'] === true) throw new ActorError('This component is disabled.');
  const type = component['type'] as ComponentType;
  const isSelect = type !== ComponentType.Button;
  if (isSelect) checkChosen(component, values ?? []);
  const chosen = values ?? [];
  const resolved = resolve(world, channel, userId, {
    users: type === ComponentType.UserSelect ? chosen : [],
    roles: type === ComponentType.RoleSelect ? chosen : [],
    channels: type === ComponentType.ChannelSelect ? chosen : [],
  });
  return openInteraction(world, {
    type: InteractionType.MessageComponent,
    userId,
    channel,
    sourceId: message.id,
    data: {
      custom_id: customId,
      component_type: type,
      id: component['id'] ?? 1,
      ...(isSelect ? { values: chosen } : {}),
      ...(isSelect && type !== ComponentType.StringSelect ? { resolved } : {}),
    },
  });
}

function checkChosen(component: Json, values: string[]): void {
  const min = (component['min_values'] as number | undefined) ?? 1;
  const max = (component['max_values'] as number | undefined) ?? 1;
  if (values.length < min || values.length > max) {
    throw new ActorError(`Between ${min} and ${max} can be chosen.`);
  }
  const options = component['options'] as { value: string }[] | undefined;
  const stray = values.find((value) => options?.every((option) => option.value !== value) === true);
  if (stray !== undefined) throw new ActorError(`There is no choice ${stray}.`);
}

/** Submits the modal that an interaction was answered with. */
export function invokeModal(
  place: Place,
  opened: Interaction,
  fields: Record<string, OptionValue>,
): Interaction {
  const { modal } = opened;
  if (modal === null) throw new ActorError('No form is open.');
  const fill = (part: Json, label = ''): Json => {
    if (part['type'] === ComponentType.TextDisplay) return { type: part['type'], id: 1 };
    if (part['type'] === ComponentType.ActionRow) {
      const inner = part['components'] as Json[];
      const components = inner.map((child) => fill(child, String(child['label'])));
      return { type: part['type'], id: 1, components };
    }
    const single = part['component'] as Json | undefined;
    if (single !== undefined)
      return { type: part['type'], id: 1, component: fill(single, String(part['label'])) };
    const customId = part['custom_id'] as string;
    const preset = typeof part['value'] === 'string' ? part['value'] : '';
    const value = String(fields[customId] ?? preset);
    if (part['type'] === ComponentType.TextInput) checkText(part, value, label);
    const isText = part['type'] === ComponentType.TextInput;
    return {
      type: part['type'],
      id: 1,
      custom_id: customId,
      ...(isText ? { value } : { values: value === '' ? [] : value.split(',') }),
    };
  };
  const components = (modal['components'] as Json[]).map((part) => fill(part));
  return openInteraction(place.world, {
    type: InteractionType.ModalSubmit,
    userId: place.userId,
    channel: place.channel,
    formOf: opened,
    ...(opened.sourceId === null ? {} : { sourceId: opened.sourceId }),
    data: { custom_id: modal['custom_id'], components },
  });
}

function checkText(input: Json, value: string, label: string): void {
  if (value === '' && input['required'] !== false) throw new ActorError(`${label} is required.`);
  if (value === '') return;
  const min = (input['min_length'] as number | undefined) ?? 0;
  const max = (input['max_length'] as number | undefined) ?? 4000;
  if (value.length < min || value.length > max) {
    throw new ActorError(`${label} must have between ${min} and ${max} characters.`);
  }
}

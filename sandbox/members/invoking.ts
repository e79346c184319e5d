import { ComponentType, InteractionType } from 'discord-api-types/v10';
import type { Channel } from '../world/channel.ts';
import { commandsFor, commandType, type StoredCommand } from '../world/command.ts';
import { findComponent } from './components.ts';
import { resolve } from '../world/interaction-payload.ts';
import { type Interaction, openInteraction } from '../world/interaction.ts';
import type { Json, Message } from '../world/message.ts';
import { mayView, permissionsIn } from '../world/permissions.ts';
import type { Snowflake } from '../world/snowflakes.ts';
import type { World } from '../world/world.ts';
import { fillOptions, type OptionValues } from './options.ts';
import { Refusal } from './refusal.ts';

/** Where and as whom something is done. */
export type Place = { world: World; channel: Channel; userId: Snowflake };

/** Finds `group add` or a message command's name among what the member is shown. */
function chooseCommand(
  place: Place,
  words: string,
  type: 1 | 2 | 3,
): { command: StoredCommand; path: string[] } {
  const { world, channel, userId } = place;
  const [name, ...path] = type === 1 ? words.split(' ') : [words];
  const command = commandsFor(world, channel, userId).find(
    (one) => one.form.name === name && commandType(one) === type,
  );
  if (command === undefined) throw new Refusal(`You have no command ${words} here.`);
  if (channel.thread?.archived === true) throw new Refusal('This thread is archived.');
  return { command, path };
}

function commandData(place: Place, command: StoredCommand): Json {
  const { guildId } = place.channel;
  return {
    id: command.id,
    name: command.form.name,
    type: commandType(command),
    ...(command.guildId === null || guildId === null ? {} : { guild_id: guildId }),
  };
}

/** `words` are the command and its subcommands: `top`, `group add`. */
export function invokeSlash(place: Place, words: string, values: OptionValues): Interaction {
  const { world, channel, userId } = place;
  const { command, path } = chooseCommand(place, words, 1);
  const filled = fillOptions(place, command, path, values);
  const resolved = resolve(world, channel, userId, filled);
  return openInteraction(world, {
    type: InteractionType.ApplicationCommand,
    userId,
    channel,
    name: words,
    data: {
      ...commandData(place, command),
      options: filled.options,
      ...(Object.keys(resolved).length === 0 ? {} : { resolved }),
    },
  });
}

/** Asks for the completion of one option while it is being typed. */
export function invokeCompletion(
  place: Place,
  words: string,
  values: OptionValues,
  focused: string,
): Interaction {
  const { world, channel, userId } = place;
  const { command, path } = chooseCommand(place, words, 1);
  const { options } = fillOptions(place, command, path, values, focused);
  return openInteraction(world, {
    type: InteractionType.ApplicationCommandAutocomplete,
    userId,
    channel,
    name: words,
    data: { ...commandData(place, command), options },
  });
}

export function invokeOnMessage(place: Place, name: string, message: Message): Interaction {
  const { world, channel, userId } = place;
  const { command } = chooseCommand(place, name, 3);
  return openInteraction(world, {
    type: InteractionType.ApplicationCommand,
    userId,
    channel,
    name,
    data: {
      ...commandData(place, command),
      target_id: message.id,
      resolved: resolve(world, channel, userId, { messages: [message.id] }),
    },
  });
}

export function invokeOnUser(place: Place, name: string, targetId: Snowflake): Interaction {
  const { world, channel, userId } = place;
  const { command } = chooseCommand(place, name, 2);
  return openInteraction(world, {
    type: InteractionType.ApplicationCommand,
    userId,
    channel,
    name,
    data: {
      ...commandData(place, command),
      target_id: targetId,
      resolved: resolve(world, channel, userId, { users: [targetId] }),
    },
  });
}

/** Presses a button, or chooses `values` in a select. */
export function invokeComponent(
  place: Place,
  message: Message,
  customId: string,
  values?: string[],
): Interaction {
  const { world, channel, userId } = place;
  if (!mayView(world, channel, userId)) throw new Refusal('You cannot see this channel.');
  if (permissionsIn(world, channel, userId) === 0n) throw new Refusal('You are not a member.');
  const component = findComponent(message.components, customId);
  if (component === undefined) throw new Refusal('This message has no such component.');
  if (component['disabled'] === true) throw new Refusal('This component is disabled.');
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
      ...(isSelect ? { values: chosen, resolved } : {}),
    },
  });
}

function checkChosen(component: Json, values: string[]): void {
  const min = (component['min_values'] as number | undefined) ?? 1;
  const max = (component['max_values'] as number | undefined) ?? 1;
  if (values.length < min || values.length > max) {
    throw new Refusal(`Between ${min} and ${max} can be chosen.`);
  }
  const options = component['options'] as { value: string }[] | undefined;
  const stray = values.find((value) => options?.every((option) => option.value !== value) === true);
  if (stray !== undefined) throw new Refusal(`There is no choice ${stray}.`);
}

/** Submits the modal that an interaction was answered with. */
export function invokeModal(place: Place, opened: Interaction, fields: OptionValues): Interaction {
  const { modal } = opened;
  if (modal === null) throw new Refusal('No form is open.');
  const fill = (part: Json): Json => {
    const inner = part['components'] as Json[] | undefined;
    const single = part['component'] as Json | undefined;
    if (inner !== undefined) return { type: part['type'], id: 1, components: inner.map(fill) };
    if (single !== undefined) return { type: part['type'], id: 1, component: fill(single) };
    const customId = part['custom_id'] as string;
    const preset = typeof part['value'] === 'string' ? part['value'] : '';
    const value = String(fields[customId] ?? preset);
    if (part['type'] === ComponentType.TextInput) checkText(part, value);
    const isText = part['type'] === ComponentType.TextInput;
    return {
      type: part['type'],
      id: 1,
      custom_id: customId,
      ...(isText ? { value } : { values: value === '' ? [] : value.split(',') }),
    };
  };
  const components = (modal['components'] as Json[]).map(fill);
  return openInteraction(place.world, {
    type: InteractionType.ModalSubmit,
    userId: place.userId,
    channel: place.channel,
    ...(opened.sourceId === null ? {} : { sourceId: opened.sourceId }),
    data: { custom_id: modal['custom_id'], components },
  });
}

function checkText(input: Json, value: string): void {
  const label = String(input['label'] ?? input['custom_id']);
  if (value === '' && input['required'] !== false) throw new Refusal(`${label} is required.`);
  if (value === '') return;
  const min = (input['min_length'] as number | undefined) ?? 0;
  const max = (input['max_length'] as number | undefined) ?? 4000;
  if (value.length < min || value.length > max) {
    throw new Refusal(`${label} must have between ${min} and ${max} characters.`);
  }
}

import { ComponentType, InteractionType } from 'discord-api-types/v10';
import { resolve } from '../world/interactions/interaction-payload.ts';
import { openInteraction } from '../world/interactions/open-interaction.ts';
import type { Interaction } from '../model/interaction.ts';
import type { Json, Message } from '../model/message.ts';
import { mayView } from '../world/permissions.ts';
import type { OptionFile, OptionValue } from './command-options.ts';
import type { Channel } from '../model/channel.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import type { World } from '../model/world.ts';
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
  const resolved = resolve(world, channel, userId, idsIn(world, channel, type, chosen));
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

/**
 * What a member enters, by the field's custom id: a text, the ids or values chosen in a select or a
 * group (several as a list), true or false for a checkbox, files for an upload.
 */
export type FormValues = Record<
  string,
  OptionValue | OptionFile | readonly (OptionValue | OptionFile)[]
>;

/** Submits the modal that an interaction was answered with. */
export function invokeModal(place: Place, opened: Interaction, fields: FormValues): Interaction {
  const { modal } = opened;
  if (modal === null) throw new ActorError('No form is open.');
  const { world, channel, userId } = place;
  const named: Record<'users' | 'roles' | 'channels' | 'attachments', Snowflake[]> = {
    users: [],
    roles: [],
    channels: [],
    attachments: [],
  };
  let lastId = 0;
  const fill = (part: Json, label = ''): Json => {
    lastId += 1;
    const common = { type: part['type'], id: part['id'] ?? lastId };
    if (part['type'] === ComponentType.TextDisplay) return common;
    if (part['type'] === ComponentType.ActionRow) {
      const inner = part['components'] as Json[];
      return { ...common, components: inner.map((child) => fill(child, String(child['label']))) };
    }
    const single = part['component'] as Json | undefined;
    if (single !== undefined) return { ...common, component: fill(single, String(part['label'])) };
    return { ...common, custom_id: part['custom_id'], ...enter(part, label) };
  };
  const enter = (part: Json, label: string): Json => {
    const given = fields[part['custom_id'] as string];
    const type = part['type'] as ComponentType;
    if (type === ComponentType.TextInput) {
      const value = textOf(given ?? (part['value'] as string | undefined));
      checkText(part, value, label);
      return { value };
    }
    if (type === ComponentType.Checkbox) {
      return { value: given === undefined ? part['default'] === true : given === true };
    }
    const values = valuesOf(world, part, given);
    checkCount(part, values.length, label);
    const target = idsIn(world, channel, type, values);
    for (const key of ['users', 'roles', 'channels', 'attachments'] as const) {
      named[key].push(...target[key]);
    }
    if (type !== ComponentType.RadioGroup) return { values };
    return { value: values[0] ?? null };
  };
  const components = (modal['components'] as Json[]).map((part) => fill(part));
  const resolved = resolve(world, channel, userId, named);
  return openInteraction(world, {
    type: InteractionType.ModalSubmit,
    userId,
    channel,
    formOf: opened,
    ...(opened.sourceId === null ? {} : { sourceId: opened.sourceId }),
    data: {
      custom_id: modal['custom_id'],
      components,
      ...(Object.keys(resolved).length === 0 ? {} : { resolved }),
    },
  });
}

/** What is chosen in a field; what stood there before, where the member changes nothing. */
function valuesOf(world: World, part: Json, given: FormValues[string] | undefined): string[] {
  if (given === undefined) {
    const options = (part['options'] ?? []) as { value: string; default?: boolean }[];
    const people = (part['default_values'] ?? []) as { id: string }[];
    const chosen = options.filter((option) => option.default === true);
    return [...chosen.map(({ value }) => value), ...people.map(({ id }) => id)];
  }
  const list = typeof given === 'string' ? given.split(',') : [given].flat();
  return list.filter((one) => one !== '').map((one) => uploadedId(world, one));
}

/** A file goes to Discord at once, and its id to the bot. */
function uploadedId(world: World, value: OptionValue | OptionFile): string {
  if (typeof value !== 'object') return String(value);
  const id = world.snowflake();
  const contentType = 'application/octet-stream';
  world.uploads.set(id, { id, contentType, description: null, ...value });
  return id;
}

function checkCount(part: Json, count: number, label: string): void {
  if (count === 0 && part['required'] !== false) throw new ActorError(`${label} is required.`);
  const most = (part['max_values'] as number | undefined) ?? 1;
  const isGroup = part['type'] === ComponentType.CheckboxGroup && part['max_values'] === undefined;
  if (count > most && !isGroup) throw new ActorError(`${label} takes ${most} at most.`);
  const least = count === 0 ? 0 : ((part['min_values'] as number | undefined) ?? 0);
  if (count < least) throw new ActorError(`${label} takes ${least} at least.`);
}

/** Which of the chosen ids are people, roles, channels and files. */
function idsIn(world: World, channel: Channel, type: ComponentType, chosen: string[]) {
  const roles = world.guilds.get(channel.guildId ?? '')?.roles;
  const isMixed = type === ComponentType.MentionableSelect;
  return {
    users: chosen.filter(
      (id) => type === ComponentType.UserSelect || (isMixed && world.users.has(id)),
    ),
    roles: chosen.filter(
      (id) => type === ComponentType.RoleSelect || (isMixed && roles?.has(id) === true),
    ),
    channels: type === ComponentType.ChannelSelect ? chosen : [],
    attachments: type === ComponentType.FileUpload ? chosen : [],
  };
}

/** What somebody writes into a field of text. */
function textOf(given: FormValues[string] | undefined): string {
  if (given === undefined) return '';
  if (typeof given === 'object') throw new ActorError('A field of text takes a text.');
  return String(given);
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

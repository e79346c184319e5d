import { ApplicationCommandOptionType as Type, type ChannelType } from 'discord-api-types/v10';
import type { CommandOption } from '../forms/command-form.ts';
import type { Channel } from '../model/channel.ts';
import type { StoredCommand } from '../model/command.ts';
import type { World } from '../model/world.ts';
import { mayView } from '../world/permissions.ts';
import { isSnowflake, type Snowflake } from '../model/snowflakes.ts';
import { ActorError } from './actor-error.ts';

export type OptionValue = string | number | boolean;
/** A file that the member chooses. */
export type OptionFile = { filename: string; data: Uint8Array };
export type OptionValues = Record<string, OptionValue | OptionFile>;

type FilledOption = {
  name: string;
  type: Type;
  value?: OptionValue;
  focused?: true;
  options?: FilledOption[];
};

export type Filled = {
  options: FilledOption[];
  users: Snowflake[];
  roles: Snowflake[];
  channels: Snowflake[];
  attachments: Snowflake[];
};

type Asker = { world: World; channel: Channel; userId: Snowflake };

/**
 * Fills a command's options from `path` (its subcommands, such as ['add']) and values by name, as
 * the client does: required ones present, types right, choices kept, limits held.
 * With `focused` it is for completion: only that option is being typed, and the rest may be missing.
 */
export function fillOptions(
  asker: Asker,
  command: StoredCommand,
  path: string[],
  values: OptionValues,
  focused?: string,
): Filled {
  const filled: Filled = { options: [], users: [], roles: [], channels: [], attachments: [] };
  let options = ('options' in command.form ? command.form.options : null) ?? [];
  let place = filled.options;
  for (const step of path) {
    const sub = options.find(
      (option) => option.name === step && option.type <= Type.SubcommandGroup,
    );
    if (sub === undefined) throw new ActorError(`There is no subcommand ${step}.`);
    const inner: FilledOption[] = [];
    place.push({ name: sub.name, type: sub.type, options: inner });
    place = inner;
    options = sub.options ?? [];
  }
  if (options.some((option) => option.type <= Type.SubcommandGroup)) {
    throw new ActorError('A subcommand is needed.');
  }
  for (const name of Object.keys(values)) {
    if (!options.some((option) => option.name === name)) {
      throw new ActorError(`There is no option ${name}.`);
    }
  }
  for (const option of options) {
    const value = uploaded(asker, option, values[option.name]);
    if (option.name === focused) {
      place.push({ name: option.name, type: option.type, value: value ?? '', focused: true });
    } else if (value === undefined) {
      if (option.required === true && focused === undefined) {
        throw new ActorError(`The option ${option.name} is required.`);
      }
    } else {
      const checked = focused === undefined ? check(asker, option, value) : value;
      place.push({ name: option.name, type: option.type, value: checked });
      note(filled, option, value);
    }
  }
  return filled;
}

/** A file goes to Discord at once, and its id to the bot. */
function uploaded(
  { world }: Asker,
  option: CommandOption,
  value: OptionValues[string] | undefined,
): OptionValue | undefined {
  if (typeof value !== 'object') return value;
  if (option.type !== Type.Attachment)
    throw new ActorError(`The option ${option.name} is no file.`);
  const contentType = 'application/octet-stream';
  const id = world.snowflake();
  world.uploads.set(id, { id, contentType, description: null, ...value });
  return id;
}

function note(filled: Filled, option: CommandOption, value: OptionValue): void {
  const id = String(value);
  if (option.type === Type.User || option.type === Type.Mentionable) filled.users.push(id);
  if (option.type === Type.Role || option.type === Type.Mentionable) filled.roles.push(id);
  if (option.type === Type.Channel) filled.channels.push(id);
  if (option.type === Type.Attachment) filled.attachments.push(id);
}

function check(asker: Asker, option: CommandOption, value: OptionValue): OptionValue {
  const wrong = (why: string): ActorError => new ActorError(`The option ${option.name} ${why}.`);
  const choices = option.choices ?? [];
  if (choices.length > 0 && !choices.some((choice) => choice.value === value)) {
    throw wrong('is none of the choices');
  }
  switch (option.type) {
    case Type.String: {
      if (typeof value !== 'string') throw wrong('must be a text');
      const [min, max] = [option.min_length ?? 0, option.max_length ?? 6000];
      if (value.length < min) throw wrong(`must have at least ${min} characters`);
      if (value.length > max) throw wrong(`must have at most ${max} characters`);
      if (value === '' && option.required === true) throw wrong('is required');
      return value;
    }
    case Type.Integer:
    case Type.Number: {
      if (typeof value !== 'number') throw wrong('must be a number');
      if (option.type === Type.Integer && !Number.isSafeInteger(value)) {
        throw wrong('must be a whole number');
      }
      if (value < (option.min_value ?? -Infinity))
        throw wrong(`must be at least ${option.min_value}`);
      if (value > (option.max_value ?? Infinity))
        throw wrong(`must be at most ${option.max_value}`);
      return value;
    }
    case Type.Boolean:
      if (typeof value !== 'boolean') throw wrong('must be true or false');
      return value;
    case Type.Channel: {
      const channel = asker.world.channels.get(String(value));
      if (channel === undefined || !mayView(asker.world, channel, asker.userId)) {
        throw wrong('names no channel that you can see');
      }
      const types: ChannelType[] = option.channel_types ?? [];
      if (types.length > 0 && !types.includes(channel.type))
        throw wrong('is the wrong kind of channel');
      return value;
    }
    default:
      if (typeof value !== 'string' || !isSnowflake(value)) throw wrong('must be an id');
      return value;
  }
}

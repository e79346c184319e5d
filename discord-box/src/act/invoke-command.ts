import { InteractionType } from 'discord-api-types/v10';
import { resolve } from '../world/interactions/interaction-payload.ts';
import { openInteraction } from '../world/interactions/open-interaction.ts';
import { commandsFor, commandType } from '../world/interactions/stored-commands.ts';
import { type Channel, holdsMessages } from '../model/channel.ts';
import type { StoredCommand } from '../model/command.ts';
import type { Interaction } from '../model/interaction.ts';
import type { Json, Message } from '../model/message.ts';
import type { World } from '../model/world.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import { fillOptions, type OptionValues } from './command-options.ts';
import { ActorError } from './actor-error.ts';

/** The member who acts, and the channel. */
export type Place = { world: World; channel: Channel; userId: Snowflake };

/** Finds `group add` or a message command's name among what the member is shown. */
function chooseCommand(
  place: Place,
  words: string,
  type: 1 | 2 | 3,
): { command: StoredCommand; path: string[] } {
  const { world, channel, userId } = place;
  if (!holdsMessages(channel)) throw new ActorError('There are no commands in this channel.');
  const [name, ...path] = type === 1 ? words.split(' ') : [words];
  const command = commandsFor(world, channel, userId).find(
    (one) => one.form.name === name && commandType(one) === type,
  );
  if (command === undefined) throw new ActorError(`You have no command ${words} here.`);
  if (channel.thread?.archived === true) throw new ActorError('This thread is archived.');
  return { command, path };
}

function commandData(command: StoredCommand): Json {
  const { id, form, guildId } = command;
  const ofGuild = guildId ? { guild_id: guildId } : {};
  return { id, name: form.name, type: commandType(command), ...ofGuild };
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
      ...commandData(command),
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
    data: { ...commandData(command), options },
  });
}

export function invokeOnUser(place: Place, name: string, target: Snowflake): Interaction {
  const { world, channel, userId } = place;
  const { command } = chooseCommand(place, name, 2);
  return openInteraction(world, {
    type: InteractionType.ApplicationCommand,
    userId,
    channel,
    name,
    data: {
      ...commandData(command),
      target_id: target,
      resolved: resolve(world, channel, userId, { users: [target] }),
    },
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
      ...commandData(command),
      target_id: message.id,
      resolved: resolve(world, channel, userId, { messages: [message.id] }),
    },
  });
}

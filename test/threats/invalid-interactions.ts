import { ApplicationCommandOptionType as Type, InteractionType } from 'discord-api-types/v10';
import type { Answer, Channel, Json } from '../../discord-box/src/index.ts';
import { answerTo, choicesOf } from '../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import type { Command, Commands } from '../../src/discord/commands/command.ts';
import type { Scene } from '../fixtures/scene.ts';

/** A command, or one of its subcommands (`web on` is one of a group), with its options. */
export type Verb = { name: string; subcommand: string | null; type: number; options: Option[] };
export type Option = { name: string; type: Type; required?: boolean; autocomplete?: boolean };

type Data = { name: string; type?: number; options?: (Option & { options?: Option[] })[] };

/** Every command and subcommand that there is: whoever adds one finds it tried here. */
export function verbsOf(commands: Commands<never>): Verb[] {
  return [...commands.values()].flatMap(({ data }): Verb[] => {
    const { name, type = 1, options = [] } = data as Data;
    const verbs = options.flatMap((one): Verb[] => {
      if (one.type === Type.SubcommandGroup) {
        return ((one.options ?? []) as Data['options'] & Option[]).map((inner) => ({
          name,
          subcommand: `${one.name} ${inner.name}`,
          type,
          options: (inner as { options?: Option[] }).options ?? [],
        }));
      }
      if (one.type !== Type.Subcommand) return [];
      return [{ name, subcommand: one.name, type, options: one.options ?? [] }];
    });
    return verbs.length === 0 ? [{ name, subcommand: null, type, options }] : verbs;
  });
}

export function wordsOf({ name, subcommand }: Verb): string {
  return subcommand === null ? `/${name}` : `/${name} ${subcommand}`;
}

function dataOf({ name, subcommand, type }: Verb, options: Json[]): Json {
  return {
    id: '1',
    name,
    type,
    // Of a message that is not there.
    ...(type === 1 ? {} : { target_id: '1', resolved: {} }),
    options: subcommand === null ? options : nested(subcommand.split(' '), options),
  };
}

function nested([first = '', ...rest]: string[], options: Json[]): Json[] {
  return rest.length === 0
    ? [{ name: first, type: Type.Subcommand, options }]
    : [{ name: first, type: Type.SubcommandGroup, options: nested(rest, options) }];
}

/** What Discord's client would not send, as somebody in a channel. */
export function forgery(scene: Scene, channel: Channel = scene.sandbox.channels.general) {
  const { world } = scene.sandbox;
  const open = (type: InteractionType, userId: string, data: Json, more: Json = {}) =>
    openInteraction(world, { type, userId, channel, data, ...more });

  return {
    command(who: string, verb: Verb, options: Json[]): Promise<Answer> {
      const opened = open(InteractionType.ApplicationCommand, who, dataOf(verb, options), {
        name: verb.name,
      });
      return answerTo(world, opened);
    },
    /** With options just as they are, whatever subcommand that makes. */
    raw(who: string, name: string, data: Json): Promise<Answer> {
      const whole = { id: '1', name, type: 1, ...data };
      return answerTo(world, open(InteractionType.ApplicationCommand, who, whole, { name }));
    },
    async completion(who: string, verb: Verb, focused: Option, value: string, others: Json[]) {
      const options = [...others, { name: focused.name, type: focused.type, value, focused: true }];
      const type = InteractionType.ApplicationCommandAutocomplete;
      const opened = open(type, who, dataOf(verb, options));
      return { choices: await choicesOf(world, opened), state: opened.state };
    },
    component(who: string, customId: string, sourceId: string, values?: string[]) {
      const data = { custom_id: customId, component_type: values ? 3 : 2, id: 1 };
      const type = InteractionType.MessageComponent;
      const full = values ? { ...data, values, resolved: {} } : data;
      return answerTo(world, open(type, who, full, { sourceId }));
    },
    form(who: string, customId: string, fields: Record<string, string>): Promise<Answer> {
      const components = Object.entries(fields).map(([custom_id, value]) => ({
        type: 1,
        id: 1,
        components: [{ type: 4, id: 1, custom_id, value }],
      }));
      const data = { custom_id: customId, components };
      return answerTo(world, open(InteractionType.ModalSubmit, who, data));
    },
  };
}

/** The values that an option of a type could be given by hand: each by what is wrong with it. */
export function wrongValues(
  option: Option,
  other: { channel: string; user: string; role: string },
) {
  const megabyte = 'A'.repeat(1_000_000);
  const texts: [string, unknown, number?][] = [
    ['1 MB', megabyte],
    ['lone surrogates', '\ud800a\udc00b\udfff'],
    ['a prototype', '__proto__'],
    ['nothing', ''],
    ['a pipe and a null', 'a|b\u0000c'],
    ['a number', 7, Type.Integer],
    ['a channel from another server', other.channel],
  ];
  switch (option.type) {
    case Type.String:
      return texts;
    case Type.Integer:
    case Type.Number:
      return [
        ['too small', -1_000_000_000],
        ['too large', 9_007_199_254_740_991],
        ['a fraction', 0.5],
        ['a text', 'many', Type.String],
        ['no number', null],
      ] as [string, unknown, number?][];
    case Type.Boolean:
      return [
        ['a text', 'true', Type.String],
        ['nothing', null],
      ] as [string, unknown, number?][];
    case Type.Channel:
      return [
        ['from another server', other.channel],
        ['of nowhere', '99999999999999999'],
        ['no snowflake', 'general'],
        ['a text', megabyte, Type.String],
      ] as [string, unknown, number?][];
    case Type.User:
    case Type.Mentionable:
      return [
        ['from another server', other.user],
        ['of nowhere', '99999999999999999'],
        ['no snowflake', "1'; DROP TABLE"],
        ['a text', megabyte, Type.String],
      ] as [string, unknown, number?][];
    case Type.Role:
      return [
        ['from another server', other.role],
        ['of nowhere', '99999999999999999'],
        ['no snowflake', '@everyone'],
        ['a text', megabyte, Type.String],
      ] as [string, unknown, number?][];
    default:
      return [
        ['of nowhere', '99999999999999999'],
        ['a text', megabyte, Type.String],
      ] as [string, unknown, number?][];
  }
}

/** The custom ids in a message or a form. */
export function customIdsIn(shown: unknown): string[] {
  return [...JSON.stringify(shown ?? null).matchAll(/"custom_id":"([^"]+)"/g)].map(
    ([, id]) => id ?? '',
  );
}

/** A custom id with each of its parts in turn made into something else. */
export function mutationsOf(customId: string, others: readonly string[]): string[] {
  const parts = customId.split('|');
  const changed = parts.flatMap((_, i) =>
    i === 0 ? [] : others.map((other) => parts.with(i, other).join('|').slice(0, 100)),
  );
  return [...new Set([parts[0]!, `${parts[0]}|`, `${customId}|more`.slice(0, 100), ...changed])];
}

export function hasComponents(command: Command<never>): boolean {
  return 'component' in command || (command.direct !== undefined && 'component' in command.direct);
}

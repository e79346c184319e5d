import { InteractionResponseType as Answer } from 'discord-api-types/v10';
import type { Exchange } from '../../discord/rest/exchanges.ts';
import type { Fault } from '../compare.ts';
import { choiceFaults, type Command, commandFaults } from './commands.ts';
import { type Message, messageFaults } from './messages.ts';
import { type Modal, modalFaults } from './modals.ts';

type Request = Exchange & { kind: 'request' };
type Choices = { choices?: Parameters<typeof choiceFaults>[0][] | null };
type Thread = { name: string; message?: Message | null };

/**
 * The limits of Discord's documentation that its specification does not know.
 * The forms of the sandbox hold some others. The body must fit the specification.
 */
export function bodyLimits({ method, route, body, files }: Request): Fault[] {
  if (method === 'PUT' || method === 'POST') {
    if (route.endsWith('/commands')) return [...commandsFaults(body as Command | Command[])];
    if (route.endsWith('/callback')) return [...callbackFaults(body as Callback, files)];
    if (route.endsWith('/threads')) return [...threadFaults(body as Thread, files)];
  }
  const isMessage = /\/messages(?:\/:message)?$|^\/webhooks\/[^/]+\/[^/]+$/.test(route);
  const sends = method === 'POST' || method === 'PATCH';
  return isMessage && sends ? [...messageFaults(body as Message, '', files)] : [];
}

export function queryLimits({ route, query }: Request): Fault[] {
  const { before } = query;
  const isArchive = /^\/channels\/[^/]+\/threads\/archived\//.test(route);
  if (!isArchive || before === undefined || /^\d{4}-\d\d-\d\dT/.test(before)) return [];
  return [{ path: '.before', why: `must be a time of ISO 8601, but is ${before}` }];
}

function* commandsFaults(body: Command | Command[]): Iterable<Fault> {
  if (!Array.isArray(body)) return yield* commandFaults(body, '');
  for (const [index, command] of body.entries()) yield* commandFaults(command, `[${index}]`);
}

type Callback =
  | {
      type: Answer.ChannelMessageWithSource | Answer.UpdateMessage;
      data?: Message | null;
    }
  | { type: Answer.ApplicationCommandAutocompleteResult; data: Choices }
  | { type: Answer.Modal; data: Modal };

function* callbackFaults({ type, data }: Callback, files: string[]): Iterable<Fault> {
  switch (type) {
    case Answer.ChannelMessageWithSource:
    case Answer.UpdateMessage:
      return yield* messageFaults(data ?? {}, '.data', files);
    case Answer.ApplicationCommandAutocompleteResult:
      for (const [index, choice] of (data.choices ?? []).entries()) {
        yield* choiceFaults(choice, `.data.choices[${index}]`);
      }
      return;
    case Answer.Modal:
      yield* modalFaults(data, '.data');
  }
}

function* threadFaults({ name, message }: Thread, files: string[]): Iterable<Fault> {
  if (!name.trim()) yield { path: '.name', why: 'is blank' };
  if (message) yield* messageFaults(message, '.message', files);
}

import { beforeAll, describe, expect, test } from 'vitest';
import { ComponentType } from 'discord-api-types/v10';
import type { $ZodObject } from 'zod/v4/core';
import { type Check, loadCheck } from '../../contract/check.ts';
import { loadSchemas } from '../../contract/schemas.ts';
import { commandForm } from '../../src/forms/command-form.ts';
import { zMessageFields, zWebhookFields } from '../../src/forms/message-form.ts';
import { knownParts, unknownKeys } from '../../src/forms/unknown-keys.ts';
import type { Exchange } from '../../src/index.ts';

let check: Check;
beforeAll(async () => {
  check = await loadCheck();
});

const post = (body: object, more: Partial<Exchange & { kind: 'request' }> = {}): Exchange => ({
  kind: 'request',
  method: 'POST',
  route: '/channels/:channel/messages',
  query: {},
  files: [],
  body,
  status: 403,
  response: { code: 50013, message: 'Missing Permissions' },
  ...more,
});
const asked = (query: Record<string, string>) => check(post({}, { method: 'GET', query }));
const commands = (command: object): Exchange =>
  post([{ name: 'top', description: 'Shows', ...command }], {
    method: 'PUT',
    route: '/applications/:application/commands',
  });

/** What is wrong with a request, and the violation's beginning. */
const invalid: [string, Exchange, string][] = [
  ['a field of the wrong type', post({ content: 7 }), '.content '],
  ['a field that Discord does not know', post({ contents: 'a' }), '.contents the specification'],
  ['a text that is too long', post({ embeds: [{ title: 'x'.repeat(257) }] }), '.embeds[0].title '],
  [
    'a violation in one part of many kinds',
    post({ components: [{ type: 1, components: [{ type: 2, style: 9, label: 'a' }] }] }),
    '.components[0].components[0].style ',
  ],
  [
    'a channel type that Discord does not publish',
    commands({ options: [{ type: 7, name: 'a', description: 'b', channel_types: [0, 99] }] }),
    '[0].options[0].channel_types[1] ',
  ],
];

describe('a request with', () => {
  test.each(invalid)('a request with %s is named with its place', (_, exchange, place) => {
    const { ofBot } = check(exchange);
    expect(ofBot).toHaveLength(1);
    expect(ofBot[0]).toContain(`sent: ${place}`);
  });

  test('what only the forms refuse is named with what Discord says', () => {
    const response = { code: 50035, message: 'Invalid Form Body', errors: { embeds: {} } };
    const { ofBot } = check(post({ content: 'a' }, { status: 400, response }));
    expect(ofBot).toEqual([
      `POST /channels/:channel/messages refused: ${JSON.stringify(response)}`,
    ]);
  });

  test('a parameter that Discord does not know, or of the wrong type, is named', () => {
    expect(asked({ limit: '100', before: '1100000000000000001' }).ofBot).toEqual([]);
    const { ofBot } = asked({ limit: 'many', befor: '1100000000000000001' });
    expect(ofBot).toHaveLength(2);
    expect(ofBot[0]).toContain('asked: .limit ');
    expect(ofBot[1]).toContain('asked: .befor the specification knows no such field');
  });

  test('a response with a status that Discord does not give there is named', () => {
    expect(check(post({ content: 'a' }, { status: 204, response: undefined })).ofDiscord).toEqual([
      'POST /channels/:channel/messages: the specification has no response with 204',
    ]);
  });

  test('a route that Discord does not have is named', () => {
    const { ofBot } = check(post({}, { route: '/channels/:channel/votes' }));
    expect(ofBot[0]).toContain('no such route');
  });

  test('permissions of a command as text is as the documentation has it', () => {
    expect(check(commands({ default_member_permissions: '32' })).ofBot).toEqual([]);
    expect(check(commands({ default_member_permissions: true })).ofBot).toHaveLength(1);
  });
});

test('a response or event that Discord would not send is named', () => {
  const answered = check(post({ content: 'a' }, { status: 200, response: { id: '1' } })).ofDiscord;
  expect(answered).toContainEqual(expect.stringContaining('200: .channel_id '));
  const event = {
    kind: 'event',
    name: 'MESSAGE_DELETE',
    data: { id: '1', channel_id: 2 },
  } as const;
  expect(check(event).ofDiscord).toEqual([expect.stringContaining('MESSAGE_DELETE: .channel_id ')]);
});

test('no key that the specification knows is told as one that Discord does not know', async () => {
  const schemas = (await loadSchemas()) as Record<string, $ZodObject>;
  const keysOf = (name: string) =>
    Object.fromEntries(
      Object.keys(schemas[`${name}Schema`]!._zod.def.shape).map((key) => [key, 1]),
    );
  const told: string[] = [
    ...unknownKeys(zMessageFields, {
      ...keysOf('MessageCreateRequest'),
      ...keysOf('MessageEditRequestPartial'),
      embeds: [{ ...keysOf('RichEmbed'), image: keysOf('RichEmbedImage') }],
      attachments: [keysOf('MessageAttachmentRequest')],
      message_reference: keysOf('MessageReferenceRequest'),
      poll: keysOf('PollCreateRequest'),
    }),
    ...unknownKeys(zWebhookFields, keysOf('IncomingWebhookRequestPartial')),
    ...unknownKeys(commandForm({}), {
      ...keysOf('ApplicationCommandUpdateRequest'),
      options: [keysOf('ApplicationCommandAttachmentOption')],
    }),
  ];
  const named = Object.entries(ComponentType).flatMap(([name, type]) =>
    ['Message', 'Modal']
      .map((of) => `${name}ComponentFor${of}Request`)
      .filter((schema) => schemas[`${schema}Schema`] !== undefined)
      .map((schema) => ({ ...keysOf(schema), type })),
  );
  knownParts(named, (path) => told.push(path));
  expect(named.length).toBeGreaterThan(20);
  expect(told).toEqual([]);
});

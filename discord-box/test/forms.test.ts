import { describe, expect, test } from 'vitest';
import { commandForm } from '../src/forms/command-form.ts';
import { zModal } from '../src/forms/component-form.ts';
import { readDraft } from '../src/rest/send.ts';
import { parseForm } from '../src/rest/parse-form.ts';

const text = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const button = (id: number | string = 1) => ({
  type: 2,
  style: 1,
  label: 'Press',
  custom_id: String(id),
});
const labelled = (component: object, label = 'Why?') => ({ type: 18, label, component });
const row = (...components: object[]) => ({ type: 1, components });
const option = (index: number) => ({ label: `${index}`, value: `${index}` });
const select = (options: object[]) => ({ type: 3, custom_id: 'select', options });
const input = { type: 4, style: 1, custom_id: 'input' };
const role = { type: 6, custom_id: 'role' };
const roles = (type: string) => ({ ...role, default_values: [{ id: '1', type }] });

const message = (body: object): unknown => readDraft(body as Record<string, unknown>, []);
const embed = (fields: object): unknown => message({ embeds: [fields] });
const components = (...rows: object[]): unknown => message({ components: rows });
const command = (more: object): unknown => {
  const body = { name: 'wave', description: 'Waves', ...more };
  return parseForm(commandForm(body), body);
};
const modal = (more: object): unknown =>
  parseForm(zModal, {
    custom_id: 'form',
    title: 'Form',
    components: [labelled(input)],
    ...more,
  });

const SNOWFLAKE = '123456789012345678';
const said = (content: string) => ({ type: 10, content });
const texts = (count: number) => times(count, () => said('a'));
const layout = (parts: object[]): unknown => message({ flags: 1 << 15, components: parts });
const gallery = (count: number) => ({
  type: 12,
  items: times(count, () => ({ media: { url: 'https://a.example/a.png' } })),
});
const pinging = (allowed_mentions: object): unknown => message({ content: 'a', allowed_mentions });
const poll = (count: number, duration = 1): unknown => {
  const answers = times(count, (index) => ({ poll_media: { text: `${index}` } }));
  return message({ poll: { question: { text: 'Tea?' }, answers, duration } });
};

/** A limit, what stays within it, and what goes beyond it. */
const limits: [string, within: () => unknown, beyond: () => unknown][] = [
  [
    '2 000 characters',
    () => message({ content: text(2000) }),
    () => message({ content: text(2001) }),
  ],
  [
    '25 characters of a nonce',
    () => message({ content: 'a', nonce: text(25) }),
    () => message({ content: 'a', nonce: text(26) }),
  ],
  [
    'ten embeds',
    () => message({ embeds: times(10, () => ({ title: 'a' })) }),
    () => message({ embeds: times(11, () => ({ title: 'a' })) }),
  ],
  [
    '6 000 characters in all embeds',
    () => message({ embeds: times(2, () => ({ description: text(3000) })) }),
    () => message({ embeds: times(2, () => ({ description: text(3001) })) }),
  ],
  ['an embed’s title', () => embed({ title: text(256) }), () => embed({ title: text(257) })],
  [
    'an embed’s description',
    () => embed({ description: text(4096) }),
    () => embed({ description: text(4097) }),
  ],
  [
    'an embed’s footer',
    () => embed({ footer: { text: text(2048) } }),
    () => embed({ footer: { text: text(2049) } }),
  ],
  [
    'an embed’s fields',
    () => embed({ fields: times(25, () => ({ name: 'a', value: 'b' })) }),
    () => embed({ fields: times(26, () => ({ name: 'a', value: 'b' })) }),
  ],
  [
    'a field’s value',
    () => embed({ fields: [{ name: 'a', value: text(1024) }] }),
    () => embed({ fields: [{ name: 'a', value: text(1025) }] }),
  ],
  [
    'five rows',
    () => components(...times(5, (index) => row(button(index)))),
    () => components(...times(6, (index) => row(button(index)))),
  ],
  [
    'five buttons in a row',
    () => components(row(...times(5, button))),
    () => components(row(...times(6, button))),
  ],
  [
    'one select in a row',
    () => components(row(select([option(1)]))),
    () => components(row(select([option(1)]), button())),
  ],
  [
    'a text input in a form alone',
    () => modal({}),
    () => components(row({ ...input, label: 'Why?' })),
  ],
  [
    'the two styles of a text input',
    () => modal({ components: [labelled({ ...input, style: 2 })] }),
    () => modal({ components: [labelled({ ...input, style: 3 })] }),
  ],
  [
    '4 000 characters of a text input',
    () => modal({ components: [labelled({ ...input, max_length: 4000 })] }),
    () => modal({ components: [labelled({ ...input, max_length: 4001 })] }),
  ],
  [
    'a button in a message alone',
    () => components(row(button())),
    () => modal({ components: [row(button())] }),
  ],
  ['no row in a row', () => components(row(button())), () => components(row(row(button())))],
  [
    '25 options of a select',
    () => components(row(select(times(25, option)))),
    () => components(row(select(times(26, option)))),
  ],
  [
    'a value of a select once',
    () => components(row(select([option(1), option(2)]))),
    () => components(row(select([option(1), option(1)]))),
  ],
  [
    '100 characters of a custom id',
    () => components(row(button(text(100)))),
    () => components(row(button(text(101)))),
  ],
  [
    'a custom id once in a message',
    () => components(row(button(1)), row(button(2))),
    () => components(row(button(1)), row(button(1))),
  ],
  [
    'a layout of components, which has no content beside it',
    () => message({ flags: 1 << 15, components: [{ type: 10, content: 'a' }, row(button())] }),
    () => message({ flags: 1 << 15, content: 'a', components: [row(button())] }),
  ],
  [
    'parts of the layout with its flag alone',
    () => components(row(button())),
    () => components({ type: 10, content: 'a' }),
  ],
  ['40 parts of a layout', () => layout(texts(40)), () => layout(texts(41))],
  [
    '40 parts of a layout, those within others too',
    () => layout([{ type: 17, components: texts(39) }]),
    () => layout([{ type: 17, components: texts(40) }]),
  ],
  [
    '4 000 characters in all texts of a layout',
    () => layout([said(text(2000)), said(text(2000))]),
    () => layout([said(text(2000)), said(text(2001))]),
  ],
  [
    'no container in a container',
    () => layout([{ type: 17, components: texts(1) }]),
    () => layout([{ type: 17, components: [{ type: 17, components: texts(1) }] }]),
  ],
  ['ten pictures of a gallery', () => layout([gallery(10)]), () => layout([gallery(11)])],
  [
    'three stickers',
    () => message({ sticker_ids: times(3, () => SNOWFLAKE) }),
    () => message({ sticker_ids: times(4, () => SNOWFLAKE) }),
  ],
  [
    '100 users who may be pinged',
    () => pinging({ users: times(100, () => SNOWFLAKE) }),
    () => pinging({ users: times(101, () => SNOWFLAKE) }),
  ],
  [
    'kinds of pings that there are',
    () => pinging({ parse: ['users'] }),
    () => pinging({ parse: ['all'] }),
  ],
  [
    'users who may be pinged by list or all of them',
    () => pinging({ users: [SNOWFLAKE] }),
    () => pinging({ users: [SNOWFLAKE], parse: ['users'] }),
  ],
  ['ten answers of a poll', () => poll(10), () => poll(11)],
  ['32 days of a poll', () => poll(2, 768), () => poll(2, 769)],
  [
    'an emoji of a button',
    () => components(row({ ...button(), emoji: { name: '👍🏽' } })),
    () => components(row({ ...button(), emoji: { name: 'thumbsup' } })),
  ],
  [
    'what a select can hold',
    () => components(row(roles('role'))),
    () => components(row(roles('user'))),
  ],
  [
    '45 characters of a form’s title',
    () => modal({ title: text(45) }),
    () => modal({ title: text(46) }),
  ],
  [
    '45 characters of a label',
    () => modal({ components: [labelled(input, text(45))] }),
    () => modal({ components: [labelled(input, text(46))] }),
  ],
  [
    'an entry of a select that is required',
    () => modal({ components: [labelled({ ...role, required: false, min_values: 0 })] }),
    () => modal({ components: [labelled({ ...role, min_values: 0 })] }),
  ],
  [
    'an option’s name in a language, which is no other option’s own name',
    () => command({ options: [named('by', { de: 'von' }), named('from', { de: 'aus' })] }),
    () => command({ options: [named('by', { de: 'from' }), named('from', { de: 'aus' })] }),
  ],
  [
    '100 characters of a command’s description',
    () => command({ description: text(100) }),
    () => command({ description: text(101) }),
  ],
  [
    '25 options of a command',
    () =>
      command({
        options: times(25, (index) => ({ type: 3, name: `o${index}`, description: 'a' })),
      }),
    () =>
      command({
        options: times(26, (index) => ({ type: 3, name: `o${index}`, description: 'a' })),
      }),
  ],
  [
    '25 choices',
    () =>
      command({ options: [choosing(times(25, (index) => ({ name: `${index}`, value: index })))] }),
    () =>
      command({ options: [choosing(times(26, (index) => ({ name: `${index}`, value: index })))] }),
  ],
  [
    '8 000 characters of a command, in its longest language',
    () => command({ options: times(25, (index) => large(index, 90)) }),
    () => command({ options: times(25, (index) => large(index, 100)) }),
  ],
  [
    'the permissions as text',
    () => command({ default_member_permissions: '32' }),
    () => command({ default_member_permissions: 'ManageGuild' }),
  ],
];

function named(name: string, name_localizations: object) {
  return { type: 3, name, name_localizations, description: 'a' };
}

function choosing(choices: object[]) {
  return { type: 4, name: 'choice', description: 'Chooses', choices };
}

/** An option whose German description alone is long, with two choices. */
function large(index: number, length: number) {
  return {
    type: 3,
    name: `o${index}`,
    description: 'a',
    description_localizations: { de: text(length) },
    choices: times(2, (choice) => ({
      name: `${choice}`.padEnd(length),
      value: `${choice}`.padEnd(10, 'x'),
    })),
  };
}

describe('a request at the limit is taken, and one beyond it refused:', () => {
  test.each(limits)(
    'a request at the limit is taken, and one beyond it refused: %s',
    (_, within, beyond) => {
      expect(within).not.toThrow();
      expect(beyond).toThrow('Invalid Form Body');
    },
  );
});

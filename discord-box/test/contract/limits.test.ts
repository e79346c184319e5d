import { beforeAll, describe, expect, test } from 'vitest';
import { type Check, loadCheck } from '../../contract/check.ts';
import { zThreadForm } from '../../src/forms/channel-form.ts';
import { commandForm } from '../../src/forms/command-form.ts';
import { zModal } from '../../src/forms/component-form.ts';
import { parseForm } from '../../src/rest/parse-form.ts';
import { zArchivedPage } from '../../src/rest/routes/archived-threads.ts';
import { zChoices } from '../../src/rest/routes/interactions.ts';
import { readDraft } from '../../src/rest/send.ts';

let check: Check;
beforeAll(async () => {
  check = await loadCheck();
});

type Sent = { body?: object; query?: Record<string, string>; files?: string[] };

/** What the specification says of a request, and what this Discord does. */
function violationsOf(request: string, sent: Sent): string[] {
  const { body, query = {}, files = [] } = sent;
  const [method = '', route = ''] = request.split(' ');
  const response = { code: 50013, message: 'Missing Permissions' };
  const { ofBot } = check({
    kind: 'request',
    method,
    route,
    query,
    body,
    files,
    status: 403,
    response,
  });
  return [...ofBot, ...formErrorsOf(route, sent)];
}

function formErrorsOf(route: string, { body, query, files = [] }: Sent): string[] {
  try {
    if (route.endsWith('/commands')) {
      for (const one of body as object[]) parseForm(commandForm(one), one);
    } else if (route.endsWith('/callback')) {
      const { type, data } = body as { type: number; data: object };
      parseForm(type === 9 ? zModal : zChoices, data);
    } else if (route.endsWith('/threads')) parseForm(zThreadForm, body);
    else if (route.includes('/archived/')) parseForm(zArchivedPage, query);
    else if (body !== undefined) {
      const uploads = files.map((field) => ({ field, data: new Uint8Array() }) as never);
      readDraft(body as Record<string, unknown>, uploads);
    }
    return [];
  } catch (error) {
    return placesIn((error as { errors?: object }).errors ?? {});
  }
}

/** `.embeds[0].title` and what is wrong there. */
function placesIn(errors: object, path = ''): string[] {
  return Object.entries(errors).flatMap(([step, inner]) =>
    step === '_errors'
      ? [`${path} ${JSON.stringify(inner)}`]
      : placesIn(inner as object, /^\d+$/.test(step) ? `${path}[${step}]` : `${path}.${step}`),
  );
}

const toMessages = 'POST /channels/:channel/messages';
const toCallback = 'POST /interactions/:interaction/:token/callback';
const toThreads = 'POST /channels/:channel/threads';

const command = (more: object) =>
  violationsOf('PUT /applications/:application/commands', {
    body: [{ name: 'top', description: 'Shows', ...more }],
  });
const options = (...given: object[]) =>
  command({ options: given.map((one, i) => ({ name: `o${i}`, description: 'a', ...one })) });
const choices = (type: number, ...given: object[]) => options({ type, choices: given });
const sub = (more: object = {}) => ({ type: 1, name: 'a', description: 'a', ...more });

const message = (body: object, files: string[] = []) => violationsOf(toMessages, { body, files });
const row = (...components: object[]) => message({ components: [{ type: 1, components }] });
const button = (more: object = {}) => ({ type: 2, style: 1, label: 'a', custom_id: 'a', ...more });
const link = (more: object = {}) => ({
  type: 2,
  style: 5,
  label: 'a',
  url: 'https://a.b',
  ...more,
});
const select = (more: object = {}) => ({
  type: 3,
  custom_id: 'a',
  options: ['a', 'b'].map((value) => ({ label: value, value })),
  ...more,
});
const labelled = (component?: object) => ({ type: 18, label: 'a', component });

const modal = (components: object[], title = 'a') =>
  violationsOf(toCallback, { body: { type: 9, data: { custom_id: 'a', title, components } } });
const label = (component: object) => modal([{ type: 18, label: 'a', component }]);
const input = (more: object = {}) => ({ type: 4, custom_id: 'a', style: 1, ...more });

const complete = (...given: object[]) =>
  violationsOf(toCallback, { body: { type: 8, data: { choices: given } } });

const thread = (more: object) =>
  violationsOf(toThreads, { body: { name: 'a', type: 11, ...more } });
const asked = (route: string, query: Record<string, string>) =>
  violationsOf(`GET ${route}`, { query });

const MESSAGES = '/channels/:channel/messages';
const ARCHIVE = '/channels/:channel/threads/archived/public';
const REACTIONS = '/channels/:channel/messages/:message/reactions/:emoji';

const chosen = { label: 'a', value: 'a', default: true };

/** What Discord takes. */
const fine: [string, () => string[]][] = [
  [
    'command',
    () => options({ type: 3, min_length: 1, max_length: 1, choices: [{ name: 'a', value: 'a' }] }),
  ],
  ['subcommands', () => options({ type: 2, options: [sub()] }, { type: 1 })],
  ['context menu', () => command({ type: 3, description: '' })],
  ['row', () => row(button(), link())],
  ['select', () => row(select({ min_values: 0, max_values: 2 }))],
  ['modal', () => label(input({ value: 'abc', max_length: 3 }))],
  ['label', () => label(input({ min_length: 1, max_length: 1 }))],
  ['completion', () => complete({ name: 'a', value: 'a' })],
  ['embed', () => message({ embeds: [{ title: 'a' }], attachments: [{ id: '0' }] }, ['files[0]'])],
  ['thread', () => thread({})],
  ['archive', () => asked(ARCHIVE, { before: '2026-01-02T03:04:05.678Z' })],
  ['reactions', () => asked(REACTIONS, { type: '1' })],
];

/** What Discord refuses, and the place of the violation. */
const invalid: [string, () => string[], string][] = [
  // Commands
  ['a subcommand beside an option', () => options({ type: 1 }, { type: 3 }), '.options '],
  ['a group without subcommands', () => options({ type: 2, options: [] }), '.options[0].options '],
  ['a group without options', () => options({ type: 2 }), '.options[0].options '],
  [
    'a subcommand in a subcommand',
    () => options({ type: 1, options: [sub()] }),
    '.options[0].options[0].type ',
  ],
  [
    'a group in a group',
    () => options({ type: 2, options: [sub({ type: 2 })] }),
    '.options[0].options[0].type ',
  ],
  [
    'an option in a group',
    () => options({ type: 2, options: [sub({ type: 3 })] }),
    '.options[0].options[0].type ',
  ],
  ['options of a text', () => options({ type: 3, options: [sub()] }), '.options[0].options '],
  [
    'a smallest number above the largest',
    () => options({ type: 4, min_value: 2, max_value: 1 }),
    '.options[0].min_value ',
  ],
  [
    'a shortest length above the longest',
    () => options({ type: 3, min_length: 2, max_length: 1 }),
    '.options[0].min_length ',
  ],
  [
    'two choices of one name',
    () => choices(3, { name: 'a', value: 'b' }, { name: 'a', value: 'c' }),
    '.options[0].choices[1].name ',
  ],
  [
    'a choice without a value',
    () => choices(3, { name: 'a', value: '' }),
    '.options[0].choices[0].value ',
  ],
  ['a blank choice', () => choices(3, { name: ' ', value: 'a' }), '.options[0].choices[0].name '],
  [
    'a fraction as a choice of a whole number',
    () => choices(4, { name: 'a', value: 1.5 }),
    '.options[0].choices[0].value ',
  ],
  [
    'a text as a choice of a whole number',
    () => choices(4, { name: 'a', value: 'a' }),
    '.options[0].choices[0].value ',
  ],
  [
    'a media channel as an option',
    () => options({ type: 7, channel_types: [0, 16] }),
    '.options[0].channel_types[1] ',
  ],
  [
    'a media channel in a select',
    () => row(select({ type: 8, options: undefined, channel_types: [16] })),
    '.channel_types ',
  ],
  ['choices of a user', () => choices(6, { name: 'a', value: 'a' }), '.options[0].choices '],
  [
    'two options of one name in a language',
    () =>
      options(
        { type: 3, name_localizations: { de: 'a' } },
        { type: 3, name_localizations: { de: 'a' } },
      ),
    '.options[1].name_localizations.de ',
  ],
  ['a blank description', () => command({ description: ' ' }), '.description '],
  [
    'a blank description of an option',
    () => options({ type: 3, description: ' ' }),
    '.options[0].description ',
  ],
  [
    'a context menu with options',
    () => command({ type: 2, description: '', options: [sub()] }),
    '.options',
  ],
  ['a context menu with a description', () => command({ type: 3 }), '.description '],
  // Components
  ['a link to another scheme', () => row(link({ url: 'ftp://a.b' })), '.url '],
  ['a link with a custom id', () => row(link({ custom_id: 'a' })), '.custom_id '],
  ['a link on a button that is none', () => row(button({ url: 'https://a.b' })), '.url '],
  ['a blank label', () => row(button({ label: ' ' })), '.label '],
  [
    'a blank entry of a select',
    () => row(select({ options: [{ label: ' ', value: 'a' }] })),
    '.options[0].label ',
  ],
  ['more to choose than there is', () => row(select({ max_values: 3 })), '.max_values '],
  [
    'more than 25 to choose',
    () => row(select({ type: 5, options: undefined, max_values: 26 })),
    '.max_values ',
  ],
  [
    'more to choose at least than at most',
    () => row(select({ min_values: 2, max_values: 1 })),
    '.min_values ',
  ],
  [
    'two chosen where one can be',
    () => row(select({ options: [chosen, { ...chosen, value: 'b' }] })),
    '.options ',
  ],
  [
    'too many users chosen',
    () =>
      row(
        select({
          type: 5,
          options: undefined,
          default_values: ['1', '2'].map((id) => ({ type: 'user', id })),
        }),
      ),
    '.default_values ',
  ],
  ['two parts of one id', () => row(button({ id: 7 }), button({ id: 7, custom_id: 'b' })), '.id '],
  ['a text field', () => row(input()), '.components[0]'],
  ['a label', () => message({ components: [labelled(input())] }), '.components[0]'],
  ['a button at the top', () => message({ components: [button()] }), '.components[0]'],
  // Modals
  ['a blank title', () => modal([{ type: 18, label: 'a', component: input() }], ' '), '.title '],
  [
    'a text field in a label with one of its own',
    () => label(input({ label: 'a' })),
    '.components[0].component.label ',
  ],
  [
    'a value longer than its field',
    () => label(input({ value: 'ab', max_length: 1 })),
    '.components[0].component.value ',
  ],
  [
    'a field with a shortest above its longest',
    () => label(input({ min_length: 2, max_length: 1 })),
    '.components[0].component.min_length ',
  ],
  [
    'a field of over 4 000 characters',
    () => label(input({ max_length: 4001 })),
    '.components[0].component.max_length ',
  ],
  [
    'a field without a style',
    () => label(input({ style: undefined })),
    '.components[0].component.style ',
  ],
  [
    'a select that is off',
    () => label(select({ disabled: true })),
    '.components[0].component.disabled ',
  ],
  ['a button in a form', () => modal([{ type: 1, components: [button()] }]), '.components[0]'],
  ['an empty label', () => modal([{ type: 18, label: 'a' }]), '.components[0].component '],
  [
    'a blank label of a field',
    () => modal([{ type: 18, label: ' ', component: input() }]),
    '.components[0].label ',
  ],
  // Autocomplete
  ['a completion of a blank name', () => complete({ name: ' ', value: 'a' }), '.choices[0].name '],
  ['a completion without a value', () => complete({ name: 'a', value: '' }), '.choices[0].value '],
  [
    'completions of two types',
    () => complete({ name: 'a', value: 'a' }, { name: 'b', value: 1 }),
    '.data ',
  ],
  // Messages
  ['an empty embed', () => message({ embeds: [{}] }), '.embeds[0] '],
  [
    'an embed of a colour alone',
    () => message({ embeds: [{ color: 1, url: 'https://a.b', title: ' ' }] }),
    '.embeds[0] ',
  ],
  [
    'an attachment without a file',
    () => message({ content: 'a', attachments: [{ id: '0' }] }),
    '.attachments[0].id ',
  ],
  ['an empty poll', () => message({ poll: {} }), '.poll'],
  // Threads and queries
  ['a thread of a blank name', () => thread({ name: ' ' }), '.name '],
  ['a thread that is a channel', () => thread({ type: 0 }), '.type '],
  ['an archive before no time', () => asked(ARCHIVE, { before: 'yesterday' }), '.before '],
  [
    'an archive before a number',
    () => asked(ARCHIVE, { before: '1100000000000000001' }),
    '.before ',
  ],
  ['messages before no message', () => asked(MESSAGES, { before: 'a' }), '.before '],
  ['reactions of a third type', () => asked(REACTIONS, { type: '2' }), 'asked: .type '],
];

describe('the check finds no violation in', () => {
  test.each(fine)('the check finds no violation in a valid %s', (_, violations) => {
    expect(violations()).toEqual([]);
  });
});

describe('the check names the place of a violation:', () => {
  test.each(invalid)('the check names the place of a violation: %s', (_, violations, place) => {
    expect(violations()).toContainEqual(expect.stringContaining(place));
  });
});

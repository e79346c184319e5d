import { type APIMessage, ComponentType as Type } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { languages } from '../../src/text/catalogue.ts';
import type { Answer } from '../../discord-box/src/act/answer.ts';
import { faultsOf } from '../threats/message-faults.ts';
import { isWhole } from '../fixtures/sample.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { openPanel } from '../fixtures/open-panel.ts';

/**
 * Every view in each language, of a server whose lists are full of long names; as a whole also what
 * its buttons, lists and forms lead to. The sandbox refuses what Discord would refuse, such as a label
 * that is too long, and the bot then answers that something went wrong.
 */
let scene: Scene;
let article = '';
let general = '';
const long = (text: string, length: number) => text.padEnd(length, ' and more of it').trim();

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  const { admin } = sandbox;
  for (let i = 0; i < 11; i++) article = await scene.post(admin, { title: long(`${i}.`, 250) });
  const [member = ''] = sandbox.members;
  await scene.vote(member, article);
  const as = sandbox.as(admin);
  const reason = long('A reason', 200);
  for (let i = 0; i < 11; i++) {
    await as.command(general, 'mod block', {
      site: `evil${i}.example/${'a'.repeat(60)}`,
      reason,
    });
  }
  await scene.moderate(admin, 'lock', article);
  for (let i = 0; i < 5; i++) {
    const name = `digest-${i}-${'a'.repeat(20)}`;
    await as.command(general, 'digest set', { name, time: '09:00', timezone: 'Europe/Berlin' });
  }
});
afterAll(() => scene.stop());

type Words = [name: string, options?: Record<string, string | boolean>];

const commands: Words[] = [
  ['help'],
  ['me articles'],
  ['me data'],
  ['top'],
  ['top', { show: 'more' }],
  ['search', { words: 'more' }],
  ['search', { words: 'nothing' }],
  ['stats server'],
  ['stats members'],
  ['digest set', { time: '09:00', timezone: 'Europe/Berlin' }],
  ['digest show'],
  ['digest preview'],
  ['frontpage panel'],
  ['mod blocks'],
];

type Component = {
  type: Type;
  custom_id?: string;
  disabled?: boolean;
  components?: Component[];
  options?: { value: string }[];
};
const allIn = (components: readonly Component[] = []): Component[] =>
  components.flatMap((one) => [one, ...allIn(one.components)]);

/** Takes away what the views are made of. */
const notPressed = ['me|leave'];

/** What a member can do with a view: presses its buttons, and chooses each of a list's entries. */
function usesOf(message: APIMessage | undefined): { id: string; value?: string }[] {
  const usable = allIn(message?.components).filter(
    ({ type, disabled }) => (type === Type.Button || type === Type.StringSelect) && !disabled,
  );
  return usable.flatMap(({ custom_id: id, options }) => {
    if (id === undefined || notPressed.includes(id)) return [];
    return options ? options.map(({ value }) => ({ id, value })) : [{ id }];
  });
}

const faultsIn = ({ kind, message }: Answer) =>
  kind === 'message' || kind === 'update' ? faultsOf(message) : [];

test.each([...languages.keys()])('every view is drawn whole in %s', async (locale) => {
  const member = scene.sandbox.as(scene.sandbox.admin);
  member.speak(locale);
  const used = new Set<string>();
  const views = [
    ...commands.map(([name, options = {}]) => ({
      name,
      open: () => member.command(general, name, options),
    })),
    ...(['setup', 'settings|posts', 'settings|who', 'settings|more', 'check-up'] as const).map(
      (section) => ({
        name: section,
        open: () => openPanel(member, general, section),
      }),
    ),
    ...['Moderate', 'Why this rank?'].map((name) => ({
      name,
      open: () => member.messageCommand(general, article, name),
    })),
  ];
  for (const { name, open } of views) {
    const opened = await open();
    expect([name, opened.kind, faultsIn(opened)]).toEqual([name, 'message', []]);
    const uses = isWhole ? usesOf(opened.message) : [];
    for (const index of uses.keys()) {
      // Names of components hold what is shown, such as the time of a click: the place is the same.
      const { message } = await open();
      const { id = '', value } = usesOf(message)[index] ?? {};
      if (used.has(`${id} ${value}`)) continue;
      used.add(`${id} ${value}`);
      const shown = message?.id ?? '';
      const answer = await (value === undefined
        ? member.press(general, shown, id)
        : member.choose(general, shown, id, [value]));
      expect([name, id, value, faultsIn(answer)]).toEqual([name, id, value, []]);
      expect([name, id, value, answer.kind]).not.toContain('failed');
    }
  }
});

test.each([...languages.keys()])('what all members read is whole in %s', async (locale) => {
  const { sandbox } = scene;
  const member = sandbox.as(sandbox.admin);
  member.speak(locale);
  const ask = async (words: string, options: Record<string, string | boolean>) => {
    const answer = await member.command(general, words, options);
    expect([words, answer.kind, faultsIn(answer)]).toEqual([words, 'message', []]);
  };
  await setSetting(sandbox, 'language', [locale]);
  for (const action of ['unlock', 'lock', 'remove', 'restore'] as const) {
    const answer = await scene.moderate(sandbox.admin, action, article, 'A reason');
    expect([action, faultsIn(answer)]).toEqual([action, []]);
  }
  const elsewhere = sandbox.channels.rust.id;
  const digest = { name: `digest-${locale}`, channel: elsewhere, time: '09:00', timezone: 'UTC' };
  await ask('digest set', digest);
  await ask('digest now', { name: digest.name });
  await ask('digest delete', { name: digest.name });
  const edition = member.messages(elsewhere, 1)[0];
  const weekday = { weekday: 'long', timeZone: 'UTC' } as const;
  expect(edition?.content).toContain(
    new Intl.DateTimeFormat(locale, weekday).format(scene.clock.now()),
  );
  const read = [edition, member.messages(general, 5000).find(({ id }) => id === article)];
  for (const message of read) expect(faultsOf(message)).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/act/answer.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { readWebSettings } from '../../src/web/web-settings.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let sourceId: string;
beforeAll(async () => {
  scene = await startScene({ webAddress: 'https://front.example' });
  general = scene.sandbox.channels.general.id;
  const { sandbox } = scene;
  sandbox.as(sandbox.admin).speak('en-US');
  sandbox.as(sandbox.members[0]!).speak('en-US');
  sourceId = sandbox.as(sandbox.admin).send(general, 'Hello').id;
});
afterAll(() => scene.stop());

const admin = () => scene.sandbox.as(scene.sandbox.admin);
const settings = () => readWebSettings(scene.bot.store, scene.sandbox.guildId);
const textOf = ({ message }: Answer) =>
  `${message?.content ?? ''}${message?.embeds[0]?.description ?? ''}`;
const buttonsOf = ({ message }: Answer) =>
  [...JSON.stringify(message?.components ?? []).matchAll(/"custom_id":"([^"]+)"/g)].map(
    ([, id = '']) => id,
  );
const forge = (userId: string, customId: string, values?: string[]) =>
  forgeComponent(scene.sandbox, { userId, sourceId }, customId, values);
function boards(): string[] {
  const { world } = scene.sandbox;
  return [...(world.channels.get(general)?.messages.values() ?? [])].flatMap(
    ({ components, id }) => (JSON.stringify(components).includes('top|open|score|') ? [id] : []),
  );
}

describe('the web page’s buttons', () => {
  test.each([
    ['show', 'close', (state: Awaited<ReturnType<typeof settings>>) => state.open],
    ['named', 'nameless', (state: Awaited<ReturnType<typeof settings>>) => state.names],
  ])(
    'the buttons %s and %s switch the web page on and off, and pressed twice change nothing more',
    async (on, off, read) => {
      const panel = await openPanel(admin(), general, 'web');
      const id = panel.message!.id;
      expect(read(await settings())).toBe(false);
      const first = await admin().press(general, id, `frontpage|web|${on}`);
      expect([first.kind, read(await settings())]).toEqual(['update', true]);
      expect(buttonsOf(first)).toContain(`frontpage|web|${off}`);
      // A second window has the earlier buttons.
      await forge(scene.sandbox.admin, `frontpage|web|${on}`);
      expect(read(await settings())).toBe(true);
      await scene.restartBot();
      const last = await admin().press(general, id, `frontpage|web|${off}`);
      expect([last.kind, read(await settings())]).toEqual(['update', false]);
      await forge(scene.sandbox.admin, `frontpage|web|${off}`);
      expect(read(await settings())).toBe(false);
    },
  );

  test('what the buttons of the web page change holds for its pages at once', async () => {
    const { bot, sandbox } = scene;
    const stamp = () => bot.lists.stamp(sandbox.guildId);
    await expect.poll(stamp).not.toBeNull();
    const { message } = await openPanel(admin(), general, 'web');
    const before = stamp();
    await admin().press(general, message!.id, 'frontpage|web|named');
    await expect.poll(stamp).not.toBe(before);
    await admin().press(general, message!.id, 'frontpage|web|nameless');
  });

  test('the invite and the sentence of the web page take what is typed, refuse what is no invite, and empty it again', async () => {
    const { message } = await openPanel(admin(), general, 'web');
    const type = async (what: 'invite' | 'about', typed: string) => {
      const form = await admin().press(general, message!.id, `frontpage|web|${what}`);
      expect(form.kind).toBe('modal');
      return admin().submit(form.interactionId, { [what]: typed });
    };
    expect(textOf(await type('invite', 'discord.gg/abc'))).toContain('https://discord.gg/abc');
    expect((await settings()).invite).toBe('https://discord.gg/abc');
    const refused = await type('invite', 'https://evil.example/x');
    expect(textOf(refused)).toContain('isn’t an invite');
    expect((await settings()).invite).toBe('https://discord.gg/abc');
    await type('invite', '');
    expect((await settings()).invite).toBeNull();
    expect(textOf(await type('about', 'Makers & *owls*.'))).toContain('Makers & \\*owls\\*.');
    expect((await settings()).about).toBe('Makers & *owls*.');
    await type('about', '');
    expect((await settings()).about).toBeNull();
  });

  test('the address of the feeds stands with the open page alone, and that of the page in the panel', async () => {
    const { message } = await openPanel(admin(), general, 'web');
    const press = async (what: string) =>
      textOf(await admin().press(general, message!.id, `frontpage|web|${what}`));
    const address = /https:\/\/front\.example\/feeds\/\d+/;
    const first = async () => textOf(await admin().command(general, 'frontpage panel'));
    const page = `https://front.example/g/${scene.sandbox.guildId}`;
    expect(await first()).not.toContain(page);
    expect(await press('show')).toMatch(address);
    expect(await first()).toContain(page);
    expect(await press('no-feeds')).not.toMatch(address);
    expect(await press('feeds')).toMatch(address);
    expect(await press('close')).not.toMatch(address);
  });
});

describe('the board’s page', () => {
  test('the board’s page puts the board up, moves it and takes it down, once for two presses and after a start', async () => {
    const { guildId, channels } = scene.sandbox;
    await scene.post(scene.sandbox.admin, { title: 'On the board' });
    const { message } = await openPanel(admin(), general, 'board');
    const choose = (channel: string) =>
      admin().choose(general, message!.id, 'frontpage|board|channel', [channel]);
    await setSetting(scene.sandbox, 'log', [channels.rust.id]);
    const logged = () => {
      const lines = admin().messages(channels.rust.id);
      const said = lines.map(({ embeds }) => embeds[0]?.description ?? '');
      return said
        .filter((line) => line.includes('Board: '))
        .map((line) => line.split('Board: ')[1]);
    };
    expect(textOf(await choose(general))).toContain(`It’s in <#${general}>`);
    const [shown, ...more] = boards();
    expect(more).toEqual([]);
    await choose(general);
    expect(boards()).toEqual([shown]);
    await scene.restartBot();
    await choose(channels.rust.id);
    expect(boards()).toEqual([]);
    const taken = await admin().press(general, message!.id, 'frontpage|board|down');
    expect(textOf(taken)).toContain('There’s no board yet');
    const moves = [
      ['none', `<#${general}>`],
      [`<#${general}>`, `<#${channels.rust.id}>`],
      [`<#${channels.rust.id}>`, 'none'],
    ];
    expect(logged()).toEqual(moves.map((move) => move.join(' → ')));
    await setSetting(scene.sandbox, 'log', null);
    await forge(scene.sandbox.admin, 'frontpage|board|down');
    expect(await scene.bot.board.read(guildId)).toBeNull();
    const stale = await forge(scene.sandbox.admin, 'frontpage|board|again');
    expect(textOf(stale)).not.toBe('');
    expect(await scene.bot.board.read(guildId)).toBeNull();
  });

  test('the board’s page refuses a channel in which Frontpage may not write, before anything changes', async () => {
    const { operator, guildId } = scene.sandbox;
    const { id: channel } = operator.createChannel({ name: 'mute' });
    operator.setPermissions({ channel, who: 'bot', deny: ['SendMessages'] });
    const { message } = await openPanel(admin(), general, 'board');
    await expect
      .poll(async () =>
        textOf(await admin().choose(general, message!.id, 'frontpage|board|channel', [channel])),
      )
      .toContain('Send Messages');
    expect(await scene.bot.board.read(guildId)).toBeNull();
  });
});

test('a newsletter of an edition of which nothing is left, or that is gone, says so', async () => {
  const { guildId } = scene.sandbox;
  const id = await scene.post(scene.sandbox.admin, { title: 'Only story' });
  const of = { name: 'daily', date: '2027-03-09' };
  await writeEdition(scene.bot.store, guildId, of, {
    articles: [{ id, net: 5, replies: 0 }],
    rising: [],
    firstPosts: [],
    discussed: [],
    fromMs: 0,
    postedAtMs: scene.clock.now(),
    channel: general,
    message: null,
    isPublic: true,
  });
  const { message } = await openPanel(admin(), general, 'newsletter');
  const pick = 'frontpage|newsletter|pick';
  const form = await admin().choose(general, message!.id, pick, ['daily|2027-03-09']);
  expect(form.kind).toBe('modal');
  await deleteArticle(scene.bot.ranking, guildId, id);
  // The form was open meanwhile.
  const late = await admin().submit(form.interactionId, { intro: 'Hello', order: '' });
  expect(textOf(late)).toContain('Nothing is left of this edition');
  const again = await admin().choose(general, message!.id, pick, ['daily|2027-03-09']);
  expect(textOf(again)).toContain('Nothing is left of this edition');
  const gone = await forge(scene.sandbox.admin, pick, ['daily|1999-01-01']);
  expect(gone.ephemeral).toBe(true);
});

test.each([
  ['frontpage|web|show', undefined],
  ['frontpage|web|named', undefined],
  ['frontpage|web|feeds', undefined],
  ['frontpage|board|open', undefined],
  ['frontpage|board|channel', ['here']],
  ['frontpage|board|down', undefined],
  ['frontpage|newsletter|open', undefined],
  ['frontpage|newsletter|pick', ['daily|2027-03-09']],
  ['frontpage|setup|start', undefined],
  ['frontpage|setup|all|||', undefined],
  ['frontpage|setup|zone|||', ['Europe/Berlin']],
  ['frontpage|import|start', undefined],
  ['frontpage|import|pause', undefined],
  ['frontpage|import|undo', undefined],
])('a member without the right is refused what %s does', async (customId, values) => {
  const before = await settings();
  const member = scene.sandbox.members[0]!;
  const chosen = values?.map((value) => (value === 'here' ? general : value));
  const refused = await forge(member, customId, chosen);
  expect(refused.ephemeral).toBe(true);
  expect(textOf(refused)).toContain('You need the Manage Server permission');
  expect(await settings()).toEqual(before);
  expect(await scene.bot.board.read(scene.sandbox.guildId)).toBeNull();
});

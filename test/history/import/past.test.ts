import { afterEach, expect, test } from 'vitest';
import { openPanel } from '../../fixtures/open-panel.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';

let history: ImportScene | Scene;
afterEach(() => history.stop());

const textOf = (scene: Scene, id: string): string => {
  const { world, channels } = scene.sandbox;
  const message = world.channels.get(channels.general.id)?.messages.get(id);
  return JSON.stringify([message?.content, message?.embeds, message?.components]);
};

async function setUp(scene: Scene, holds: (text: string) => boolean): Promise<string> {
  const { sandbox } = scene;
  const page = await openPanel(sandbox.as(sandbox.admin), sandbox.channels.general.id, 'setup');
  const shown = () => textOf(scene, page.message?.id ?? '');
  return scene.eventually(shown, holds, 'set up');
}

test('the set-up names the channels with most links, and offers to begin with them', async () => {
  const scene = await startImportScene();
  history = scene;
  const { general, rust } = scene.sandbox.channels;
  for (let n = 0; n < 3; n += 1) scene.say(rust.id, { content: `https://news.example/${n}` });
  scene.say(general.id, { content: 'https://news.example/other' });
  scene.say(general.id, { content: 'no link' });
  const text = await setUp(scene, (shown) => shown.includes('Links are already here'));
  expect(text).toContain(
    `<#${rust.id}> about 3 messages with links · <#${general.id}> about 1 message with links`,
  );
  expect(text).toContain('frontpage|import|start');
});

test('the set-up says which channels Discord could not count, and asks it no more for the others', async () => {
  const scene = await startImportScene();
  history = scene;
  const { sandbox } = scene;
  scene.say(sandbox.channels.rust.id, { content: 'https://news.example/1' });
  sandbox.faults.add({ method: 'GET', route: /search/, status: 403, code: 50001 });
  const text = await setUp(scene, (shown) => shown.includes('couldn’t count'));
  expect(text).toContain(`<#${sandbox.channels.rust.id}>`);
  expect(sandbox.requests.count('GET', /search/, 403)).toBe(1);
  // What could not be counted can be imported all the same.
  await scene.importAll(sandbox.channels.rust.id);
  expect(scene.told().content).toContain('**1 link');
});

test('the set-up says without the intent what switching it on would give', async () => {
  const scene = await startScene();
  history = scene;
  const text = await setUp(scene, (shown) => shown.includes('could begin with the links'));
  expect(text).toContain('MESSAGE_CONTENT=on');
  expect(text).not.toContain('frontpage|import|start');
});

test('the newest links of all channels come first, and the best of them are a report in the channel', async () => {
  const scene = await startImportScene();
  history = scene;
  const { sandbox } = scene;
  const { general, rust, ai } = sandbox.channels;
  const [, linus = '', ada = ''] = sandbox.members;
  for (let n = 0; n < 120; n += 1) {
    scene.say(rust.id, { content: `https://old.example/${n}`, daysAgo: 300 - n });
  }
  const young = scene.say(ai.id, {
    content: 'https://young.example/',
    daysAgo: 0.5,
    up: [linus, ada],
  });
  const first = scene.say(general.id, { content: 'https://again.example/', daysAgo: 200 });
  scene.say(ai.id, { content: 'https://again.example/', daysAgo: 2 });
  // Only the first page of each channel is answered for now.
  const slowly = sandbox.faults.add({ method: 'GET', route: /messages$/, after: 8, delayMs: 3000 });
  await scene.press(await scene.askAll(), 'begin');
  await scene.eventually(
    () => scene.article(young),
    (article) => article?.closed === true,
    'in the lists',
  );
  expect((await scene.bot.app.imports.read(sandbox.guildId))?.phase).toBe('running');
  slowly();
  await scene.phase('finished');
  await scene.counted();
  expect(await scene.article(young)).toMatchObject({ up: 3, closed: true });
  // The earlier message has the link, although it was read later.
  expect(await scene.article(first)).toMatchObject({ link: 'https://again.example/' });
  const { content, list } = scene.told();
  expect(content).toContain('**122 links ');
  expect(content).toContain('1 message with a link that was posted before');
  expect(list.split('\n')[0]).toContain('young.example');
});

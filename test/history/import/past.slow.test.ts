import { afterEach, expect, test } from 'vitest';
import { createChannel } from '../../../discord-box/src/world/channels/change-channel.ts';
import { CHANNELS_AT_MOST } from '../../../src/history/import/stored-imports.ts';
import { readSettings } from '../../../src/community/settings.ts';
import { readReport } from '../../../src/history/import/import-report.ts';
import { readScale } from '../../../src/ranking/articles/mark.ts';
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
  const text = await setUp(scene, (shown) => shown.includes('are already here:'));
  expect(text).toContain(`<#${rust.id}> (about 3) · <#${general.id}> (about 1)`);
  expect(text).toContain('frontpage|import|start');
  // Where links already are, they become articles from now on; one link makes no link channel.
  expect(text).toContain(`➕ **Link channels** · <#${rust.id}>\\n`);
  const { sandbox, bot } = scene;
  const page = await openPanel(sandbox.as(sandbox.admin), general.id, 'setup');
  await sandbox.as(sandbox.admin).press(general.id, page.message!.id, 'frontpage|setup|all|||');
  const settings = await readSettings(bot.store, sandbox.guildId);
  expect(settings['link-channels']).toEqual([rust.id]);
});

test('the set-up no longer says that links are here which an import has taken in, until it is undone', async () => {
  const scene = await startImportScene();
  history = scene;
  const { general, rust } = scene.sandbox.channels;
  scene.say(rust.id, { content: 'https://news.example/1' });
  scene.say(general.id, { content: 'https://news.example/other' });
  await scene.importAll(rust.id);
  const after = await setUp(scene, (shown) => shown.includes('are already here:'));
  expect(after).toContain(`are already here:** <#${general.id}> (about 1).`);
  await scene.control('undo');
  await scene.phase('undone');
  const undone = await setUp(scene, (shown) => shown.includes('are already here:'));
  expect(undone).toContain(`<#${rust.id}> (about 1)`);
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
  expect(text).toContain('docs/hosting.md');
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
  expect((await scene.bot.imports.read(sandbox.guildId))?.phase).toBe('running');
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

test('the mark and the span fit what came as soon as the report is there, and its articles have their ★', async () => {
  const scene = await startImportScene();
  history = scene;
  const { sandbox } = scene;
  const { rust } = sandbox.channels;
  const crowd = scene.crowd(12);
  const liked: string[] = [];
  for (let n = 0; n < 60; n += 1) {
    const isLiked = n < 3;
    const up = crowd.slice(0, isLiked ? 12 : 2);
    const id = scene.say(rust.id, { content: `https://fit.example/${n}`, daysAgo: 8 + n / 3, up });
    if (isLiked) liked.push(id);
  }
  const { ranking } = scene.bot;
  const before = await readScale(ranking, sandbox.guildId);
  await scene.importAll(rust.id);
  await scene.counted();
  // Of 60 the best three are a twentieth: 13 votes with their poster's. Two a day are worth a week.
  const after = await readScale(ranking, sandbox.guildId);
  expect(before.mark).not.toBe(12);
  expect(after).toEqual({ mark: 12, spanDays: 7, isLimited: true });
  for (const id of liked) expect(await scene.article(id)).toMatchObject({ interesting: true });
});

test('a server with more channels than an import takes is told so, and its report says what to run again', async () => {
  const scene = await startImportScene();
  history = scene;
  const { sandbox } = scene;
  const { world, guildId, admin } = sandbox;
  const channels = Array.from({ length: CHANNELS_AT_MOST + 5 }, (_, n) => {
    const { id } = createChannel(world, { guildId, name: `topic-${n}` });
    scene.say(id, { content: `https://many.example/${n}` });
    return id;
  });
  const { client } = scene.bot;
  await expect.poll(() => client.channels.cache.has(channels.at(-1)!)).toBe(true);
  // To count them all would take more than a minute.
  sandbox.faults.add({ method: 'GET', route: /messages\/search/, delayMs: 1000 });
  const answer = await scene.askAll();
  await expect.poll(() => scene.shown(answer).content).toContain('60 channels at most');
  // Nobody waits for it, and channels without messages are left out all the same.
  await scene.press(answer, 'begin');
  await scene.phase('finished');
  await scene.counted();
  const { content, id } = scene.told();
  const message = sandbox
    .as(admin)
    .messages(sandbox.channels.general.id)
    .find((one) => one.id === id);
  expect(readReport(message!)?.channels).toHaveLength(CHANNELS_AT_MOST);
  expect(content.length).toBeLessThanOrEqual(2000);
  expect(content).toContain(`**${CHANNELS_AT_MOST} links`);
}, 60_000);

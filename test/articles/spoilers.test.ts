import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { saveArticle } from '../../src/personal/stored-personal.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { writeSetting } from '../../src/community/settings.ts';

let scene: Scene;
let general: string;
let grace: string;
let wang: string;
const link = 'https://news.example/snape';

beforeAll(async () => {
  scene = await startScene({
    privileged: { messageContent: true, guildMembers: false, presences: false },
  });
  general = scene.sandbox.channels.general.id;
  [grace = '', wang = ''] = scene.sandbox.members;
  const { store, rules } = scene.bot;
  await writeSetting(store, scene.sandbox.guildId, 'link-channels', [general]);
  await rules.refresh(scene.sandbox.guildId);
});
afterAll(() => scene.stop());

const committed = (id = '') =>
  scene.eventually(
    () => scene.article(id),
    (article) => article !== null,
    'committed',
  );

test('a link between bars is posted with its title and link between bars', async () => {
  const values = { link: `||${link}||`, title: 'Snape kills him' };
  const { message } = await scene.sandbox.as(grace).command(general, 'post', values);
  expect(message?.content).toMatch(/^\|\|\*\*\[Snape kills him\]\(.*\)\*\*\|\| · news\.example\n/);
  expect(await committed(message?.id)).toMatchObject({ title: '||Snape kills him||', link });
});

test('a spoiler’s thread is called by its site, and so is a spoiler among what a member saved', async () => {
  const { sandbox } = scene;
  const values = { link: '||https://news.example/thread||', title: 'Snape dies' };
  const { message } = await sandbox.as(grace).command(general, 'post', values);
  const id = message?.id ?? '';
  await committed(id);
  sandbox.as(wang).send(general, 'I knew it.', id);
  await expect.poll(() => sandbox.world.channels.get(id)?.name).toBe('news.example');
  await sandbox.as(grace).command(general, 'me retitle', { article: id, title: 'Snape lives' });
  await expect.poll(() => scene.message(id).content).toContain('Snape lives');
  await scene.bot.due.now(sandbox.guildId, `show:${id}`);
  expect(sandbox.world.channels.get(id)?.name).toBe('news.example');
  await saveArticle(scene.bot.store, sandbox.guildId, wang, id);
  const saved = await sandbox.as(wang).command(general, 'me saved');
  const text = JSON.stringify([saved.message?.embeds, saved.message?.components]);
  expect(text).toContain(id);
  expect(text).not.toContain('Snape');
  await deleteArticle(scene.bot.ranking, sandbox.guildId, id);
});

test('no list, choice or explanation shows a spoiler’s title or link', async () => {
  const { sandbox } = scene;
  // She reads Chinese.
  const list = await sandbox.as(wang).command(general, 'top');
  const text = JSON.stringify(list.message);
  expect(text).toContain('[剧透](https://discord.com/channels/');
  expect(text).not.toMatch(/Snape|snape/);
  const found = await sandbox.as(scene.sandbox.admin).complete(general, 'group add', 'article', {
    article: '',
  });
  expect(found.map(({ name }) => name)).toEqual(['Spoiler · news.example']);
});

test('a new title stays hidden', async () => {
  const { sandbox } = scene;
  const { message } = await sandbox
    .as(grace)
    .command(general, 'post', { link: '||https://news.example/other||' });
  const article = await committed(message?.id);
  expect(article?.title).toBe('||news.example/other||');
  const values = { article: article?.id ?? '', title: 'The butler' };
  await sandbox.as(grace).command(general, 'me retitle', values);
  expect(await scene.article(article?.id ?? '')).toMatchObject({ title: '||The butler||' });
});

test('in a link channel a spoiler is answered as one, and code is not answered', async () => {
  const member = scene.sandbox.as(grace);
  member.send(general, 'use `https://news.example/in-code` here');
  const said = member.send(general, 'do not look ||https://news.example/hidden||');
  const answers = () =>
    member.messages(general, 50).filter((one) => one.referenced_message?.id === said.id);
  await expect.poll(answers).toHaveLength(1);
  expect(answers()[0]?.content).toContain(
    '||**news.example/hidden**|| · news.example\n||<https://news.example/hidden>||',
  );
  const all = member.messages(general, 50).map(({ content }) => content);
  expect(all.filter((content) => content.includes('in-code'))).toHaveLength(1);
});

test('bars in a spoiler’s link do not end the spoiler', async () => {
  const values = { link: 'https://bars.example/a||b', title: '||The end||' };
  const { message } = await scene.sandbox.as(grace).command(general, 'post', values);
  const [line = ''] = message?.content.split('\n') ?? [];
  expect(line.match(/\|\|/g)).toHaveLength(2);
  expect(await committed(message?.id)).toMatchObject({ link: values.link });
});

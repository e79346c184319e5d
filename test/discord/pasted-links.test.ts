import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeSetting } from '../../src/store/settings.ts';
import { type Scene, startScene } from './scene.ts';

let scene: Scene;
let grace: string;
let general: string;
let rust: string;

beforeAll(async () => {
  scene = await startScene({
    privileged: { messageContent: true, guildMembers: false, presences: false },
  });
  const { sandbox } = scene;
  grace = sandbox.members[0] ?? '';
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  const { store, rules } = scene.bot.bot;
  await writeSetting(store, sandbox.guildId, 'link-channels', [general]);
  await rules.refresh(sandbox.guildId);
});
afterAll(() => scene.stop());

function answersTo(channel: string, id: string) {
  return scene.sandbox
    .as(grace)
    .messages(channel)
    .filter((message) => message.message_reference?.message_id === id);
}
const answerTo = (id: string, nth = 0) =>
  scene.sandbox.until(() => answersTo(general, id)[nth], 'an answer to a pasted link');

describe('a link that somebody writes', () => {
  test('in a link channel is answered by its article, and pings nobody', async () => {
    const said = scene.sandbox.as(grace).send(general, 'Look: https://news.example/pasted!');
    const answer = await answerTo(said.id);
    expect(answer.embeds[0]).toMatchObject({
      title: 'news.example/pasted',
      url: 'https://news.example/pasted',
    });
    expect(answer.mentions).toEqual([]);
    const article = await scene.eventually(
      () => scene.article(answer.id),
      (found) => found !== null,
      'committed',
    );
    expect(article).toMatchObject({ poster: grace, home: general, channel: general });
  });

  test('a second time is answered with where it is', async () => {
    const first = scene.sandbox.as(grace).send(general, 'https://news.example/twice');
    const article = await answerTo(first.id);
    await scene.eventually(
      () => scene.article(article.id),
      (found) => found !== null,
      'committed',
    );
    const second = scene.sandbox.as(grace).send(general, 'https://www.news.example/twice/');
    expect((await answerTo(second.id)).content).toContain(article.id);
  });

  test('elsewhere is left alone, and so is a message without one', async () => {
    const elsewhere = scene.sandbox.as(grace).send(rust, 'https://news.example/elsewhere');
    const without = scene.sandbox.as(grace).send(general, 'Nothing here.');
    const last = scene.sandbox.as(grace).send(general, 'https://news.example/last');
    await answerTo(last.id);
    expect(answersTo(rust, elsewhere.id)).toEqual([]);
    expect(answersTo(general, without.id)).toEqual([]);
  });
});

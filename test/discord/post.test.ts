import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Scene, startScene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

describe('/post', () => {
  test('answers in the channel with the article and puts both reactions under it', async () => {
    const { sandbox } = scene;
    const [member = ''] = sandbox.members;
    const general = sandbox.channels.general.id;
    const answer = await sandbox.as(member).command(general, 'post', {
      link: 'https://News.example/a?utm_source=x#top',
      title: 'A  title\u202e here',
    });
    expect(answer).toMatchObject({ kind: 'message', ephemeral: false });
    expect(answer.message?.embeds[0]).toMatchObject({
      title: 'A title here',
      url: 'https://news.example/a?utm_source=x#top',
      author: { name: 'news.example' },
      footer: { text: '▲ 1 ▼ 0' },
    });
  });
});

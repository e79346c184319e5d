import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { editMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import {
  articleMessage,
  readArticleMessage,
} from '../../../src/articles/messages/article-message.ts';
import { eraseMember } from '../../../src/privacy/member-data.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

describe('emptying Redis', () => {
  let scene: Scene;
  let groups: string[];
  let before: Awaited<ReturnType<typeof seen>>;

  beforeAll(async () => {
    scene = await startScene({ follows: true });
    const { sandbox } = scene;
    const { general, rust, ai, gameDev, lateNight, moderators, forum } = sandbox.channels;
    groups = [general, rust, ai, gameDev, lateNight, moderators, forum].map(({ id }) => id);
    await fill(scene, 'old');
    scene.clock.move(9 * DAY_MS);
    await closed(scene);
    await fill(scene, 'new');
    before = await seen();
  });
  afterAll(() => scene.stop());

  test('emptying Redis while the bot is off loses no article, vote, group and place', async () => {
    await scene.bot.stop();
    await scene.redis.flush();
    await scene.restartBot();
    await scene.whole();
    expect(await seen()).toEqual(before);
  });

  test('emptying Redis while the bot runs is noticed within a minute, and loses nothing either', async () => {
    await scene.redis.flush();
    await scene.minute();
    await scene.whole();
    expect(await seen()).toEqual(before);
  });

  // Withstands (Redis, while the bot runs): A member erases all data while the ranking is not whole
  // → the rebuild brings nothing back, and deletes the messages that the erasure did not find
  test('emptying Redis keeps no message of a member who had all data erased before the rebuild', async () => {
    const { guildId, members, channels, world } = scene.sandbox;
    const member = members[1] ?? '';
    const { id: thread } = scene.sandbox.as(member).startThread(channels.general.id, 'Mine');
    const links = [channels.general.id, thread].map((channel, at) =>
      scene.post(member, { channel, link: `https://erased.example/${at}` }),
    );
    const ids = await Promise.all(links);
    await scene.redis.flush();
    await eraseMember(scene.bot, guildId, member);
    await scene.minute();
    await scene.whole();
    const isThere = (id: string) =>
      [channels.general.id, thread].some((one) => world.channels.get(one)?.messages.has(id));
    await scene.eventually(
      () => ids.filter(isThere),
      (left) => left.length === 0,
      'deleted',
    );
    for (const id of ids) expect(await scene.article(id)).toBeNull();
  });

  const seen = async () => ({ keys: await scene.dump(), pages: await scene.pages(groups) });
});

/** Articles everywhere, with votes and further groups; some of one second and one score. */
async function fill(scene: Scene, name: string): Promise<void> {
  const { sandbox } = scene;
  const { general, rust, ai, gameDev, lateNight, moderators, forum } = sandbox.channels;
  const [a = '', b = '', c = '', d = ''] = sandbox.members;
  const admin = sandbox.as(sandbox.admin);
  const thread = admin.startThread(general.id, `${name} thread`);
  const archived = admin.startThread(rust.id, `${name} archived`);
  const post = admin.post(forum.id, `${name} post`, 'Look.');
  const places = [
    general,
    general,
    general,
    rust,
    gameDev,
    lateNight,
    moderators,
    thread,
    archived,
  ];
  const articles: { channel: string; id: string }[] = [];
  for (const [i, { id: channel }] of [...places, post].entries()) {
    const id = await scene.post(scene.sandbox.admin, {
      channel,
      link: `https://${name}.example/${i}`,
    });
    articles.push({ channel, id });
  }
  for (const [i, { channel, id }] of articles.entries()) {
    if (channel === moderators.id) continue;
    if (i % 3 > 0) scene.react(a, id, '👍');
    if (i % 4 === 0) for (const member of [b, c]) scene.react(member, id, '👎');
    if (i % 5 === 0) scene.react(d, id, '👍🏽');
  }
  const first = articles[0]?.id ?? '';
  for (const channel of [ai.id, rust.id]) {
    await admin.command(general.id, 'group add', { article: first, channel });
  }
  await counted(scene, articles);
  // Discord's record of the further groups is the message, which is edited soon after.
  await scene.eventually(
    async () => readArticleMessage(scene.message(first))?.groups,
    (shown) => shown?.length === 3,
    'with all groups in its message',
  );
  admin.archive(archived.id, true);
}

/** Every vote has arrived, as long as nobody shows both reactions. */
async function counted(scene: Scene, articles: { id: string }[]): Promise<void> {
  const { botId } = scene.sandbox.world.application;
  const shown = (id: string): number =>
    [...scene.message(id).reactions.values()]
      .flatMap(({ normal }) => [...normal])
      .filter((user) => user !== botId).length;
  await scene.eventually(
    async () => {
      const late: string[] = [];
      for (const { id } of articles) {
        const { up = 0, down = 0 } = (await scene.article(id)) ?? {};
        if (up - 1 + down !== shown(id)) late.push(id);
      }
      return late;
    },
    (late) => late.length === 0,
    'counted',
  );
}

/** Votes are frozen, and all messages say so: edits of old messages take their time. */
async function closed(scene: Scene): Promise<void> {
  await scene.minute();
  const { world } = scene.sandbox;
  for (const channel of world.channels.values()) {
    for (const message of channel.messages.values()) {
      const article = await scene.article(message.id);
      if (!article) continue;
      expect(article.closed).toBe(true);
      const content = articleMessage({ ...article, beside: false }, 'en-US');
      editMessage(world, channel, message, { content });
    }
  }
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editMessage } from '../../../sandbox/discord/index.ts';
import { articleMessage, carriedBy } from '../../../src/articles/messages/message.ts';
import { type Life, startLife } from '../life.ts';

const dayMs = 86_400_000;

describe('emptying Redis', () => {
  let life: Life;
  let groups: string[];
  let before: Awaited<ReturnType<typeof seen>>;

  beforeAll(async () => {
    life = await startLife();
    const { sandbox } = life;
    const { general, rust, ai, gameDev, lateNight, moderators, forum } = sandbox.channels;
    groups = [general, rust, ai, gameDev, lateNight, moderators, forum].map(({ id }) => id);
    await fill(life, 'old');
    life.clock.move(9 * dayMs);
    await closed(life);
    await fill(life, 'new');
    before = await seen();
  });
  afterAll(() => life.stop());

  test('while the bot is off loses no article, vote, group and place', async () => {
    await life.bot.stop();
    await life.redis.flush();
    await life.restart();
    await life.whole();
    expect(await seen()).toEqual(before);
  });

  test('while the bot runs is noticed within a minute, and loses nothing either', async () => {
    await life.redis.flush();
    await life.minute();
    await life.whole();
    expect(await seen()).toEqual(before);
  });

  const seen = async () => ({ keys: await life.dump(), pages: await life.pages(groups) });
});

/** Articles everywhere, with votes and further groups; some of one second and one score. */
async function fill(life: Life, name: string): Promise<void> {
  const { sandbox } = life;
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
    const id = await life.post(life.sandbox.admin, {
      channel,
      link: `https://${name}.example/${i}`,
    });
    articles.push({ channel, id });
  }
  for (const [i, { channel, id }] of articles.entries()) {
    if (channel === moderators.id) continue;
    if (i % 3 > 0) life.react(a, id, '👍');
    if (i % 4 === 0) for (const member of [b, c]) life.react(member, id, '👎');
    if (i % 5 === 0) life.react(d, id, '👍🏽');
  }
  const first = articles[0]?.id ?? '';
  for (const channel of [ai.id, rust.id]) {
    await admin.command(general.id, 'group add', { article: first, channel });
  }
  await counted(life, articles);
  admin.archive(archived.id, true);
}

/** Every vote has arrived, as long as nobody shows both reactions. */
async function counted(life: Life, articles: { id: string }[]): Promise<void> {
  const { botId } = life.sandbox.world.application;
  const shown = (id: string): number =>
    [...life.message(id).reactions.values()]
      .flatMap(({ normal }) => [...normal])
      .filter((user) => user !== botId).length;
  await life.eventually(
    async () => {
      const late: string[] = [];
      for (const { id } of articles) {
        const { up = 0, down = 0 } = (await life.article(id)) ?? {};
        if (up - 1 + down !== shown(id)) late.push(id);
      }
      return late;
    },
    (late) => late.length === 0,
    'counted',
  );
}

/** Votes are frozen, and all messages say so: edits of old messages take their time. */
async function closed(life: Life): Promise<void> {
  await life.minute();
  const { world } = life.sandbox;
  for (const channel of world.channels.values()) {
    for (const message of channel.messages.values()) {
      const article = await life.article(message.id);
      if (!article) continue;
      expect(article.closed).toBe(true);
      const carried = { ...carriedBy(article, false), closesAtMs: article.closesAtMs };
      const { content } = articleMessage(carried, 'en-US');
      editMessage(world, channel, message, { content });
    }
  }
}

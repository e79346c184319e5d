import { Events, PermissionsBitField } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { listArticles } from '../../src/ranking/lists/ranked.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
});
afterAll(() => scene.stop());

/** Posts in a channel, and makes a change after Discord has the message and before it answers. */
async function postDuring(channel: string, change: () => void): Promise<string> {
  const { sandbox } = scene;
  const lag = { method: 'POST', route: /callback/, lagMs: 300, times: 1 };
  const ended = sandbox.faults.add(lag);
  const options = { link: `https://during.example/${channel}` };
  const posting = sandbox.as(sandbox.admin).command(channel, 'post', options);
  const messages = () => [...sandbox.world.channels.get(channel)!.messages.values()];
  await scene.eventually(
    () => messages().find(({ content }) => content.includes('during.example')),
    Boolean,
    'on Discord',
  );
  const { id } = messages().at(-1)!;
  change();
  await posting.catch(() => {});
  // A deleted channel ends the member's wait before the bot has its answer.
  await scene.bot.pendingPosts.underWay(channel);
  ended();
  return id;
}

const storedIds = () => {
  const { ranking } = scene.bot;
  const { texts, time } = guildKeys(ranking, scene.sandbox.guildId);
  return Promise.all([ranking.redis.hkeys(texts), ranking.redis.zrange(time, 0, '-1')]);
};

describe('a channel that changes while a link is posted in it', () => {
  test.each([
    ['age-restricted', (channel: string) => ({ channel, ageRestricted: true })],
    ['a spoiler channel', (channel: string) => ({ channel, spoiler: true })],
  ])(
    'a channel that changes while a link is posted in it and becomes %s keeps its article to itself',
    async (_, restriction) => {
      const { operator } = scene.sandbox;
      const { id: channel } = operator.createChannel({ name: 'quiet' });
      await scene.settled();
      const id = await postDuring(channel, () => operator.restrictChannel(restriction(channel)));
      const article = () => scene.article(id);
      await scene.eventually(article, (found) => found?.listed === false, 'hidden');
      const [, listed] = await storedIds();
      expect(listed).not.toContain(id);
    },
  );

  test('a channel that becomes private while a link is posted in it keeps its article to itself', async () => {
    const { operator } = scene.sandbox;
    const { id: channel } = operator.createChannel({ name: 'private' });
    operator.setPermissions({ channel, who: 'bot', allow: ['ViewChannel'] });
    await scene.settled();
    const id = await postDuring(channel, () =>
      operator.setPermissions({ channel, who: 'everyone', deny: ['ViewChannel'] }),
    );
    await scene.eventually(
      () => scene.article(id),
      (found) => found?.listed === false,
      'hidden',
    );
    const [, listed] = await storedIds();
    expect(listed).not.toContain(id);
  });

  // Withstands (Attacks): A channel or thread is deleted during a post
  // → it leaves no article
  test.each(['text', 'voice'] as const)(
    'a channel of type %s that is deleted while a link is posted in it leaves no article',
    async (kind) => {
      const { operator } = scene.sandbox;
      const { id: channel } = operator.createChannel({ name: 'short-lived', kind });
      await scene.settled();
      const id = await postDuring(channel, () => operator.deleteChannel({ channel }));
      await scene.settled();
      await expect.poll(async () => (await storedIds())[0]).not.toContain(id);
    },
  );

  test('a thread that is deleted while a link is posted in it leaves none', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(sandbox.admin).startThread(sandbox.channels.rust.id, 'short').id;
    await scene.settled();
    const id = await postDuring(thread, () => sandbox.operator.deleteChannel({ channel: thread }));
    await scene.settled();
    await expect.poll(async () => (await storedIds())[0]).not.toContain(id);
  });
});

test('an article that is written only after its channel closed leaves the lists', async () => {
  const { operator, guildId: guild, admin } = scene.sandbox;
  const { ranking, listing } = scene.bot;
  const { id: home } = operator.createChannel({ name: 'closing' });
  await scene.settled();
  const earlier = await scene.post(admin, { channel: home });
  const leaves = (id: string) =>
    scene.eventually(storedIds, ([, listed]) => !listed.includes(id), `${id} out of the lists`);
  // No recount looks for the message of what is closed.
  const id = scene.sandbox.world.snowflake(scene.clock.now() - 8 * DAY_MS);
  const link = 'https://written-late.example/';
  const tally = { up: 1, down: 0, closed: true };
  await listing.write({ guild, home }, async (listed) => {
    expect(listed).toBe(true);
    operator.restrictChannel({ channel: home, ageRestricted: true });
    await leaves(earlier);
    const of = { guild, id, home, listed, poster: admin, title: 'Late', link, linkName: link };
    await postArticle(ranking, { ...of, tally });
  });
  await leaves(id);
  expect((await storedIds())[0]).toContain(id);
});

test.each<[string, Events.ChannelUpdate | Events.GuildRoleUpdate, (channel: string) => () => void]>(
  [
    [
      'its channel is age-restricted',
      Events.ChannelUpdate,
      (channel) => {
        scene.sandbox.operator.restrictChannel({ channel, ageRestricted: true });
        return () => {};
      },
    ],
    [
      'everyone may view no channel any more',
      Events.GuildRoleUpdate,
      () => {
        const { operator, guildId: role, guild } = scene.sandbox;
        const before = guild.roles.get(role)!.permissions;
        const names = new PermissionsBitField(before).toArray();
        const without = names.filter((name) => name !== 'ViewChannel') as never[];
        operator.setRolePermissions({ role, permissions: without });
        return () => operator.setRolePermissions({ role, permissions: names });
      },
    ],
  ],
)(
  'an article leaves the lists when %s, and what readers keep is made anew before',
  async (_, event, close) => {
    const { operator, guildId, admin } = scene.sandbox;
    const { client, ranking } = scene.bot;
    const { id: channel } = operator.createChannel({ name: 'kept' });
    await scene.settled();
    const id = await scene.post(admin, { channel });
    await ranking.changes.flush();
    const noted = new Promise((resolve) => {
      client.once(event as Events.ChannelUpdate, () => resolve(ranking.changes.isPending(guildId)));
    });
    const open = close(channel);
    expect(await noted).toBe(true);
    await scene.eventually(
      () => scene.article(id),
      (article) => article?.listed === false,
      'hidden',
    );
    open();
    await scene.settled();
  },
);

test('an article that is written only after one of its further channels was deleted names that channel no more', async () => {
  const { operator, guildId: guild, admin, channels, world } = scene.sandbox;
  const { ranking, listing, client } = scene.bot;
  const home = channels.general.id;
  const { id: doomed } = operator.createChannel({ name: 'doomed' });
  await scene.settled();
  // No recount looks for the message of what is closed.
  const id = world.snowflake(scene.clock.now() - 8 * DAY_MS);
  const link = 'https://written-late.example/further';
  const tally = { up: 1, down: 0, closed: true };
  await listing.write({ guild, home, groups: [doomed] }, async (listed) => {
    operator.deleteChannel({ channel: doomed });
    await expect.poll(() => client.channels.cache.has(doomed)).toBe(false);
    await scene.settled();
    const of = { guild, id, home, listed, poster: admin, title: 'Late', link, linkName: link };
    await postArticle(ranking, { ...of, groups: [doomed], tally });
    expect((await scene.article(id))?.groups).toContain(doomed);
  });
  await scene.eventually(
    () => scene.article(id),
    (article) => article?.groups.join() === home,
    'in its home alone',
  );
});

test('an article that was moved leaves the lists when the channel of its message is deleted', async () => {
  const { operator, channels, admin } = scene.sandbox;
  const { id: former } = operator.createChannel({ name: 'former' });
  await scene.settled();
  const moved = await scene.post(admin, { channel: former });
  const other = await scene.post(admin);
  await scene.moderate(admin, 'move', moved, channels.rust.id);
  await scene.eventually(
    () => scene.article(moved),
    (article) => article?.home === channels.rust.id,
    'moved',
  );
  operator.deleteChannel({ channel: former });
  await scene.eventually(
    () => scene.article(moved),
    (article) => article === null,
    'out of the lists',
  );
  expect(await scene.article(other)).not.toBeNull();
});

test('the night puts right what was stored wrongly, though nothing says that it changed', async () => {
  const { ranking } = scene.bot;
  const { guildId, channels, members } = scene.sandbox;
  const open = await scene.post(members[0]!);
  const hidden = await scene.post(scene.sandbox.admin, { channel: channels.lateNight.id });
  const { articles } = guildKeys(ranking, guildId);
  for (const [id, from, to] of [
    [open, ' ol ', ' oh '],
    [hidden, ' oh ', ' ol '],
  ] as const) {
    const row = (await ranking.redis.hget(articles, id))!;
    expect(row).toContain(from);
    await ranking.redis.hset(articles, id, row.replace(from, to));
  }
  await scene.pass(24 * 3_600_000);
  await scene.settled();
  const row = (id: string) => ranking.redis.hget(articles, id);
  await scene.eventually(
    () => Promise.all([row(open), row(hidden)]),
    ([one, other]) => / ol /.test(one ?? '') && / oh /.test(other ?? ''),
    'as Discord says',
  );
});

test('a list shows no article of a channel that is private, though the stored list still has it', async () => {
  const { ranking } = scene.bot;
  const { guildId, channels } = scene.sandbox;
  const hidden = await scene.post(scene.sandbox.admin, { channel: channels.lateNight.id });
  const keys = guildKeys(ranking, guildId);
  const stale = [keys.time, keys.ofGroup('time', channels.ai.id)];
  for (const key of stale) await ranking.redis.zadd(key, 1, hidden);
  const list = { guild: guildId, order: 'time', page: 1, pageSize: 100 } as const;
  const idsIn = async (group: string | null) =>
    (await listArticles(ranking, { ...list, group })).articles.map(({ id }) => id);
  expect(await idsIn(null)).not.toContain(hidden);
  expect(await idsIn(channels.ai.id)).not.toContain(hidden);
  expect(await idsIn(channels.lateNight.id)).toContain(hidden);
  for (const key of stale) await ranking.redis.zrem(key, hidden);
});

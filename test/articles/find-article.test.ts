import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { completeArticles, findArticle } from '../../src/articles/find-article.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { putArticle } from '../../src/ranking/ballots/put-article.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({
    privileged: { messageContent: true, guildMembers: false, presences: false },
  });
});
afterAll(() => scene.stop());

let put = 0;
/** Articles of the last days, the later ones older. */
async function fill(count: number): Promise<void> {
  const { guildId: guild, admin: poster, channels } = scene.sandbox;
  const now = scene.clock.now();
  for (let left = count; left > 0; left -= 500) {
    const some = Array.from({ length: Math.min(500, left) }, () => {
      put += 1;
      const link = `https://many.example/${put}`;
      const places = { guild, channel: channels.general.id, home: channels.general.id, groups: [] };
      return putArticle(scene.bot.ranking, {
        ...places,
        id: scene.sandbox.world.snowflake(now - put * 1000),
        title: `One of many ${put}`,
        link,
        poster,
        listed: true,
        voters: new Map(),
        locked: false,
      });
    });
    await Promise.all(some);
  }
}

async function member() {
  const guild = scene.bot.client.guilds.cache.get(scene.sandbox.guildId)!;
  return guild.members.fetch(scene.sandbox.admin);
}

/** The commands that Redis gets for a title that nobody used, without what is done beside the search. */
async function costOfSearch(): Promise<number> {
  const { redis } = scene.bot.ranking;
  const by = await member();
  const search = new AsyncLocalStorage<{ commands: number }>();
  const send = redis.sendCommand.bind(redis);
  const spy = vi.spyOn(redis, 'sendCommand').mockImplementation((...of) => {
    const cost = search.getStore();
    if (cost !== undefined) cost.commands += 1;
    return send(...of);
  });
  const cost = { commands: 0 };
  const { general } = scene.sandbox.channels;
  await search.run(cost, async () => {
    expect(await findArticle(scene.bot, by, 'No such title', general.id)).toBeNull();
  });
  spy.mockRestore();
  return cost.commands;
}

test('a title is found among the newest articles, in any case', async () => {
  await fill(100);
  const { bot } = scene;
  const found = await findArticle(bot, await member(), 'one of MANY 77', null);
  expect(found?.title).toBe('One of many 77');
});

test('an article of a channel that a member may not view is neither found nor offered to them elsewhere, though everybody else may', async () => {
  const { bot, sandbox } = scene;
  const { guildId: guild, channels, members, admin } = sandbox;
  const { client } = bot;
  const of = client.guilds.cache.get(guild)!;
  const places = { guild, channel: channels.ai.id, home: channels.ai.id };
  const title = 'Behind a closed door';
  const link = 'https://secret.example/1';
  const article = { ...places, groups: [], title, link, poster: admin };
  const id = sandbox.world.snowflake(scene.clock.now());
  await putArticle(bot.ranking, { ...article, id, listed: true });
  const [shut = ''] = members;
  sandbox.operator.setPermissions({ channel: channels.ai.id, who: shut, deny: ['ViewChannel'] });
  const door = of.channels.cache.get(channels.ai.id)!;
  const isShut = async () => !door.permissionsFor(await of.members.fetch(shut)).has('ViewChannel');
  await expect.poll(isShut).toBe(true);
  const here = of.channels.cache.get(channels.general.id)!;
  const seenBy = async (who: string) => {
    const by = await of.members.fetch(who);
    const asked = { guildId: guild, member: by, channel: here, locale: 'en' };
    const offered = await completeArticles(asked as never, bot, 'closed door');
    const found = [title, link].map((typed) => findArticle(bot, by, typed, here.id));
    const ids = (await Promise.all(found)).map((one) => one?.id);
    return [...ids, offered.map(({ value }) => value)];
  };
  expect(await seenBy(admin)).toEqual([id, id, [id]]);
  expect(await seenBy(shut)).toEqual([undefined, undefined, []]);
  await deleteArticle(bot.ranking, guild, id);
});

test('an article of a hidden channel is found there by its title, and by the address of its message in whichever client', async () => {
  const { bot, sandbox } = scene;
  const { guildId: guild, channels, admin: poster } = sandbox;
  const { id: home } = channels.moderators;
  const id = sandbox.world.snowflake(scene.clock.now());
  const title = 'Among moderators';
  const article = { guild, channel: home, home, groups: [], title, poster };
  const link = 'https://hidden.example/1';
  await putArticle(bot.ranking, { ...article, id, link, listed: false });
  const by = await member();
  const found = async (typed: string, here: string) =>
    (await findArticle(bot, by, typed, here))?.id ?? null;
  expect([await found(title, home), await found(title, channels.general.id)]).toEqual([id, null]);
  const path = `channels/${guild}/${home}/${id}`;
  for (const address of [
    `https://discord.com/${path}`,
    `https://ptb.discord.com/${path}`,
    `https://canary.discord.com/${path}`,
    `https://discordapp.com/${path}`,
    `<https://discord.com/${path}>`,
  ]) {
    expect(await found(address, channels.general.id)).toBe(id);
  }
  await deleteArticle(bot.ranking, guild, id);
});

test('the search for a title costs the same in a server of twice as many articles', async () => {
  await fill(2000);
  const once = await costOfSearch();
  await fill(2100);
  const twice = await costOfSearch();
  expect(once).toBeGreaterThan(5);
  expect(twice).toBe(once);
});

test('a member’s message leads to the article of its link, and a forward to that of what it forwards, unless its reader may not view it', async () => {
  const { general, rust } = scene.sandbox.channels;
  const as = scene.sandbox.as(scene.sandbox.admin);
  const link = 'https://linked.example/page';
  await scene.post(scene.sandbox.admin, { link, title: 'Linked to', channel: rust.id });
  const [, reader = '', shut = ''] = scene.sandbox.members;
  const why = async (message: string, who = reader) => {
    const answer = await scene.sandbox
      .as(who)
      .messageCommand(general.id, message, 'Why this rank?');
    return answer.message?.embeds[0]?.title;
  };
  const said = as.send(general.id, `I read ${link}?utm_source=x today`);
  expect(await why(said.id)).toBe('Linked to');
  const elsewhere = as.send(rust.id, `Also there: ${link}`);
  const forward = as.forward(general.id, rust.id, elsewhere.id);
  expect(await why(forward.id)).toBe('Linked to');
  scene.sandbox.operator.setPermissions({ channel: rust.id, who: shut, deny: ['ViewChannel'] });
  await scene.eventually(
    () => why(said.id, shut),
    (title) => title === undefined,
    'not told',
  );
  expect(await why(said.id)).toBe('Linked to');
  for (const text of ['I read nothing.', 'https://linked.example/not-posted']) {
    expect(await why(as.send(general.id, text).id)).toBeUndefined();
  }
});

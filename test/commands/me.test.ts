import { gunzipSync } from 'node:zlib';
import { InteractionType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/index.ts';
import { answerTo } from '../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import { recountGuild } from '../../src/votes/recount/recount-guild.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { isUnnamed } from '../../src/community/unnamed.ts';
import { deleteArticle, readArticle } from '../../src/ranking/articles/articles.ts';
import { putArticle } from '../../src/ranking/ballots/put-article.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { sharedKeys } from '../../src/redis/store-keys.ts';
import { MAX_COMMENT_LENGTH } from '../../src/text/clean.ts';
import { readVoter } from '../../src/ranking/ballots/voters.ts';
import { translate } from '../../src/text/catalogue.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let ada: string;
let grace: string;
let wang: string;
let lin: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  [ada, lin] = [sandbox.admin, sandbox.moderator];
  [grace = '', wang = ''] = sandbox.members;
});
afterAll(() => scene.stop());

function voterOf(article: string, who: string) {
  return readVoter(scene.bot.ranking, scene.sandbox.guildId, article, who);
}
async function press(who: string, what: string, shown: Answer, channel = general): Promise<Answer> {
  return scene.sandbox.as(who).press(channel, shown.message?.id ?? '', `me|${what}`);
}
async function erase(who: string): Promise<Answer> {
  const shown = await scene.sandbox.as(who).command(general, 'me data');
  const sure = await press(who, 'erase', shown);
  return press(who, 'really', sure);
}
async function exported(who: string): Promise<{ servers: any[] }> {
  const shown = await scene.sandbox.as(who).command(general, 'me data');
  const { message, ephemeral } = await press(who, 'export', shown);
  expect(ephemeral).toBe(true);
  const response = await fetch(message?.attachments[0]?.url ?? '');
  return (await response.json()) as { servers: any[] };
}
function recount() {
  return recountGuild(scene.bot, scene.sandbox.guildId, { full: true });
}

describe('/me data', () => {
  test('/me data says what is kept, to the asker alone and in the asker’s language', async () => {
    const shown = await scene.sandbox.as(lin).command(general, 'me data');
    expect(shown.ephemeral).toBe(true);
    expect(shown.message?.embeds[0]?.description).toContain('一周后投票截止');
    expect(JSON.stringify(shown.message?.components)).toContain('导出我的数据');
  });

  test('/me data hands out what is stored about the asker, and of nobody else', async () => {
    const [own, other] = [await scene.post(grace), await scene.post(ada)];
    await scene.vote(grace, other);
    await scene.vote(wang, own);
    const { servers } = await exported(grace);
    expect(servers).toHaveLength(1);
    expect(servers[0].posts).toMatchObject([{ id: own, up: 2, link: 'https://posted.example/1' }]);
    expect(servers[0].votes).toEqual([{ article: other, vote: 'up' }]);
    expect(JSON.stringify(servers)).not.toContain(wang);
  });

  test('/me data hands out and erases votes on articles that a moderator removed, which come back without them', async () => {
    const article = await scene.post(ada);
    for (const who of [lin, wang]) await scene.vote(who, article);
    await scene.moderate(ada, 'lock', article);
    await scene.moderate(ada, 'remove', article);
    const kept = (await exported(lin)).servers[0].votes.map(({ article }: any) => article);
    expect(kept).toEqual([article]);
    await erase(lin);
    expect(Object.keys((await exported(lin)).servers[0])).toEqual(['server', 'erased']);
    await scene.moderate(ada, 'restore', article);
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0 });
    expect(await voterOf(article, wang)).not.toBeNull();
    await recount();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0 });
  });

  test('/me data erases posts and stored votes, and neither a recount nor a rebuild brings them back', async () => {
    const { sandbox } = scene;
    const [own, other] = [await scene.post(grace), await scene.post(ada)];
    await scene.vote(grace, other);
    await scene.vote(wang, other);
    const done = await erase(grace);
    expect(done).toMatchObject({ kind: 'update' });
    expect(done.message?.content).toContain('2 articles and 2 votes');
    expect(await scene.article(own)).toBeNull();
    expect(await scene.article(other)).toMatchObject({ up: 2 });
    await sandbox.until(
      () => sandbox.world.channels.get(general)?.messages.has(own) === false || undefined,
      'the message to be deleted',
    );
    await recount();
    expect(await scene.article(other)).toMatchObject({ up: 2 });
    expect(await voterOf(other, grace)).toBeNull();
    const guild = scene.bot.client.guilds.cache.get(sandbox.guildId);
    if (guild) await rebuildGuild(scene.bot, guild, {});
    expect(await scene.article(own)).toBeNull();
    expect(Object.keys((await exported(grace)).servers[0])).toEqual(['server', 'erased']);
  });

  test('/me data erases in one server alone where it is asked there', async () => {
    const { sandbox, bot, clock } = scene;
    const { guild, general: there } = sandbox.operator.createGuild({ name: 'Other', owner: ada });
    const id = sandbox.world.snowflake(clock.now());
    const link = 'https://other.example/1';
    const article = { guild, id, title: 'Other', link, poster: grace, home: there, groups: [] };
    await expect.poll(() => bot.client.guilds.cache.has(guild)).toBe(true);
    await putArticle(bot.ranking, { ...article, channel: there, listed: true });
    const here = await scene.post(grace);
    expect((await erase(grace)).message?.content).toContain('1 article and 0 votes');
    expect(await scene.article(here)).toBeNull();
    expect(await readArticle(bot.ranking, guild, id)).not.toBeNull();
    await deleteArticle(bot.ranking, guild, id);
  });

  test('/me data hides a name on the web at once, and shows it again', async () => {
    const { sandbox, bot } = scene;
    const stamp = () => bot.lists.stamp(sandbox.guildId);
    await expect.poll(stamp).not.toBeNull();
    const shown = await sandbox.as(grace).command(general, 'me data');
    for (const what of ['unname', 'name']) {
      await bot.ranking.changes.flush();
      await scene.settled();
      const before = stamp();
      await press(grace, what, shown);
      await expect.poll(stamp, { timeout: 20_000 }).not.toBe(before);
      expect(await isUnnamed(bot.store, sandbox.guildId, grace)).toBe(what === 'unname');
    }
  });

  test('/me data takes a member who opts out from the server’s pages and boards at once', async () => {
    const { sandbox, bot } = scene;
    const [quiet = ''] = scene.crowd(1);
    const shown = await sandbox.as(quiet).command(general, 'me data');
    const sure = await press(quiet, 'out', shown);
    await bot.ranking.changes.flush();
    await scene.settled();
    const noted: string[] = [];
    bot.ranking.changes.listen((guild) => noted.push(guild));
    await press(quiet, 'leave', sure);
    await bot.ranking.changes.flush();
    expect(noted).toContain(sandbox.guildId);
  });

  test('/me data lets an erased member vote again, which a recount keeps', async () => {
    const article = await scene.post(ada);
    await erase(grace);
    await scene.vote(grace, article);
    await recount();
    expect(await voterOf(article, grace)).toMatchObject({ vote: 'up' });
    expect(await scene.article(article)).toMatchObject({ up: 2 });
  });

  test('/me data takes an opted-out member’s votes back, counts none, and lets them come back', async () => {
    const { sandbox } = scene;
    const article = await scene.post(ada);
    await scene.vote(wang, article);
    const shown = await sandbox.as(wang).command(general, 'me data');
    const sure = await press(wang, 'out', shown);
    expect(sure.message?.content).toContain('你可以随时重新加入');
    const back = await press(wang, 'cancel', sure);
    expect(back.message?.embeds).toEqual(shown.message?.embeds);
    expect(await scene.article(article)).toMatchObject({ up: 2 });
    const out = await press(wang, 'leave', await press(wang, 'out', back));
    expect(JSON.stringify(out.message)).toContain('重新加入');
    expect(await scene.article(article)).toMatchObject({ up: 1 });
    await recount();
    expect(await scene.article(article)).toMatchObject({ up: 1 });
    sandbox.as(wang).react(general, article, '👎');
    await scene.vote(lin, article);
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0 });
    const refused = await sandbox.as(wang).command(general, 'post', { link: 'https://a.example/' });
    expect(refused.message?.content).toContain('已在此退出');
    const older = await sandbox.as(wang).command(general, 'me data');
    await press(wang, 'in', out);
    sandbox.as(wang).unreact(general, article, '👍');
    sandbox.as(wang).unreact(general, article, '👎');
    await scene.vote(wang, article);
    expect(await scene.article(article)).toMatchObject({ up: 3 });
    await press(wang, 'in', older);
    expect(await scene.article(article)).toMatchObject({ up: 3 });
  });

  test('/me data works in direct messages, for all servers', async () => {
    const { sandbox } = scene;
    const article = await scene.post(lin);
    const direct = sandbox.as(lin).directMessages().id;
    const shown = await sandbox.as(lin).command(direct, 'me data');
    expect(shown.message?.embeds[0]?.description).toContain('所有服务器');
    // Not yet in the stored list of servers.
    const { redis, applicationId } = scene.bot.store;
    await redis.del(`frontpage:${applicationId}:guilds`);
    const sure = await press(lin, 'erase', shown, direct);
    const done = await press(lin, 'really', sure, direct);
    expect(done.message?.content).toContain('1 篇文章');
    expect(await scene.article(article)).toBeNull();
  });

  test('/me data hands out in direct messages what each server keeps, and names none that keeps nothing', async () => {
    const { sandbox, bot, clock } = scene;
    const [asker = ''] = scene.crowd(1);
    const made = ['One', 'Other', 'Nothing'].map((name) =>
      sandbox.operator.createGuild({ name, owner: ada }),
    );
    const { cache } = bot.client.guilds;
    await expect.poll(() => made.every(({ guild }) => cache.has(guild))).toBe(true);
    const keeping = made.slice(0, 2);
    for (const { guild, general: home } of keeping) {
      const id = sandbox.world.snowflake(clock.now());
      const link = 'https://taken.example/along';
      const article = { guild, id, title: 'Mine', link, poster: asker, home, groups: [] };
      await putArticle(bot.ranking, { ...article, channel: home, listed: true });
    }
    const direct = sandbox.as(asker).directMessages().id;
    const shown = await sandbox.as(asker).command(direct, 'me data');
    const { message } = await press(asker, 'export', shown, direct);
    const response = await fetch(message?.attachments[0]?.url ?? '');
    const { servers } = (await response.json()) as { servers: any[] };
    const named = new Set(servers.map(({ server }) => server));
    expect([servers.length, named]).toEqual([2, new Set(keeping.map(({ guild }) => guild))]);
    for (const { guild } of made) sandbox.operator.kickBot({ guild });
  });

  test('/me data erases in all servers, though the data of one that the bot has left cannot be read, and says that it failed there', async () => {
    const { sandbox, bot } = scene;
    const { store, ranking } = bot;
    const id = await scene.post(lin);
    const { texts } = guildKeys(ranking, '1');
    await store.redis.sadd(sharedKeys(store).guilds, '1');
    await store.redis.set(texts, 'of another type');
    const { id: direct, messages: told } = sandbox.as(lin).directMessages();
    const shown = await sandbox.as(lin).command(direct, 'me data');
    await press(lin, 'really', await press(lin, 'erase', shown, direct), direct);
    expect(await scene.article(id)).toBeNull();
    const said = () => [...told.values()].map(({ content }) => content).join('\n');
    await expect.poll(said).toContain('我们这边出了问题');
    const messages = () => sandbox.as(grace).messages(general, 50);
    await expect.poll(() => messages().some((message) => message.id === id)).toBe(false);
    await store.redis.del(texts);
    await store.redis.srem(sharedKeys(store).guilds, '1');
  });

  test('/me data answers another command in direct messages with where it works', async () => {
    const { sandbox } = scene;
    const direct = sandbox.as(lin).directMessages().id;
    const own = await sandbox.as(lin).command(direct, 'me articles');
    expect(own.message?.content).toBe(translate('zh-CN', 'guild.only'));
    await expect(sandbox.as(lin).command(direct, 'top')).rejects.toThrow('no command');
    // A client that still shows the commands of an earlier version.
    const opened = openInteraction(sandbox.world, {
      type: InteractionType.ApplicationCommand,
      userId: lin,
      channel: sandbox.world.channels.get(direct)!,
      name: 'top',
      data: { id: '1', name: 'top', type: 1 },
    });
    const { message } = await answerTo(sandbox.world, opened);
    expect(message?.content).toContain('服务器');
  });

  test('/me data packs what is large, so that the file stays below what Discord takes', async () => {
    const { bot } = scene;
    const poster = scene.sandbox.members[2] ?? '';
    const posts = 300;
    const nowMs = scene.clock.now();
    for (let i = 0; i < posts; i += 1) {
      await putArticle(bot.ranking, {
        guild: scene.sandbox.guildId,
        // An id that no message of before has.
        id: scene.sandbox.world.snowflake(nowMs - 1000 * (i + 1)),
        channel: general,
        home: general,
        poster,
        title: 'A large article',
        link: `https://large.example/${i}`,
        comment: 'x'.repeat(MAX_COMMENT_LENGTH),
        groups: [],
        listed: true,
      });
    }
    const shown = await scene.sandbox.as(poster).command(general, 'me data');
    const { message } = await press(poster, 'export', shown);
    expect(message?.attachments[0]?.filename).toBe('frontpage.json.gz');
    const response = await fetch(message?.attachments[0]?.url ?? '');
    const text = gunzipSync(await response.arrayBuffer()).toString();
    const { servers } = JSON.parse(text) as { servers: any[] };
    expect(servers[0].posts).toHaveLength(posts);
    // Where it is larger all the same, nothing is sent.
    scene.sandbox.world.attachmentSizeLimit = 100;
    const refused = await press(poster, 'export', shown);
    scene.sandbox.world.attachmentSizeLimit = 10_485_760;
    expect(refused.message?.content).toBe(translate('en', 'privacy.export.big'));
    expect(refused.message?.attachments).toEqual([]);
  });
});

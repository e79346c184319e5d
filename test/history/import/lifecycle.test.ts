import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { closeDueArticles } from '../../../src/votes/close-articles.ts';
import { recountGuild } from '../../../src/votes/recount/recount-guild.ts';
import { rebuildGuild } from '../../../src/history/rebuild/rebuild-guild.ts';
import { unannounced } from '../../../src/articles/announced.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { readScale, setScale } from '../../../src/ranking/articles/mark.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { readCandidates, shownBefore } from '../../../src/digests/content/candidates.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';

let history: ImportScene;
let general: string;
let rust: string;
let grace: string;
let linus: string;
let imported: string;

beforeAll(async () => {
  history = await startImportScene();
  const { sandbox } = history;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  [grace = '', linus = ''] = sandbox.members;
  imported = history.say(rust, {
    content: 'An old story https://news.example/old',
    by: grace,
    daysAgo: 8.5,
    up: [linus, sandbox.moderator],
  });
  await history.importAll(rust);
  await history.counted();
});
afterAll(() => history.stop());

const admin = () => history.sandbox.as(history.sandbox.admin);
/** What the bot did to messages, but for its own report. */
const touched = () =>
  history.sandbox.requests.recent
    .filter(({ channelId }) => channelId !== general)
    .filter(({ method, route }) => method !== 'GET' && route.includes('/messages/'))
    .map(({ method, route }) => `${method} ${route}`)
    .filter((request) => !request.includes('webhooks'));

describe('an imported article', () => {
  test('an imported article stands in lists, the leaderboard, search and statistics at the time of its message', async () => {
    const { ranking } = history.bot;
    const of = { guild: history.sandbox.guildId, page: 1, pageSize: 10 };
    const newer = await history.posted(general, 'https://news.example/newer', 3);
    const byTime = await listArticles(ranking, { ...of, order: 'time' });
    expect(byTime.articles.map(({ id }) => id)).toEqual([newer, imported]);
    expect((await listArticles(ranking, { ...of, group: rust, order: 'score' })).total).toBe(1);
    const leaders = await admin().command(general, 'stats members', { period: 'month' });
    expect(JSON.stringify(leaders.message?.embeds)).toContain(`<@${grace}>`);
    const found = await admin().command(general, 'search', { words: 'old' });
    const link = `https://discord.com/channels/${history.sandbox.guildId}/${rust}/${imported}`;
    expect(JSON.stringify(found.message?.embeds)).toContain(link);
    const stats = await admin().command(general, 'stats server');
    expect(stats.kind).toBe('message');
    const why = await admin().messageCommand(rust, imported, 'Why this rank?');
    expect(JSON.stringify(why.message?.embeds)).toContain(link);
  });

  test('an imported article stands among the most voted of its period', async () => {
    const { ranking } = history.bot;
    const guild = history.sandbox.guildId;
    const of = { guild, order: 'votes', page: 1, pageSize: 10 } as const;
    const now = history.clock.now();
    const month = await readList(ranking, { ...of, period: 'month' }, now);
    expect(month.articles[0]).toMatchObject({ id: imported, up: 3, closed: true });
    const week = await readList(ranking, { ...of, period: 'week' }, now);
    expect(week.articles.map(({ id }) => id)).not.toContain(imported);
  });

  test('an imported article is not touched by votes, recounts, closing or a rebuild', async () => {
    const { bot } = history;
    const { sandbox } = history;
    // A rebuild gives a guild without a mark the one that fits it.
    await setScale(bot.ranking, sandbox.guildId, { mark: 200 });
    const before = await history.article(imported);
    const young = history.say(rust, { content: 'nothing', daysAgo: 1 });
    sandbox.as(grace).react(rust, imported, '👎');
    sandbox.as(linus).unreact(rust, imported, '👍');
    sandbox.as(linus).delete(rust, sandbox.as(linus).send(rust, 'last').id);
    await recountGuild(bot, sandbox.guildId, { full: true });
    await closeDueArticles(bot, sandbox.guildId);
    const guild = bot.client.guilds.cache.get(sandbox.guildId);
    if (!guild) throw new Error('The guild is unknown.');
    expect(await rebuildGuild(bot, guild, {})).toMatchObject({ status: 'finished' });
    expect(await history.article(imported)).toEqual(before);
    expect(await history.article(young)).toBeNull();
    expect(touched()).toEqual([]);
  });

  test('an imported article whose voting is over is no news, however many votes it has', async () => {
    const { store, ranking } = history.bot;
    await ranking.redis.hset(
      `frontpage:${ranking.applicationId}:{${history.sandbox.guildId}}:articles`,
      'mark',
      2,
    );
    // A mark that an admin fixed is not fitted.
    const { settings } = storeKeys(store, history.sandbox.guildId);
    await store.redis.hset(settings, 'mark', '2');
    const id = history.say(rust, {
      content: 'https://news.example/hot',
      daysAgo: 7.5,
      up: [linus],
    });
    await history.importAll(rust);
    await history.counted();
    expect(await history.article(id)).toMatchObject({ interesting: true });
    await store.redis.hdel(settings, 'mark');
    expect(await unannounced(store, history.sandbox.guildId, [id])).toEqual([]);
    const now = history.clock.now();
    const digest = { groups: [], selection: 'interesting', channel: general } as never;
    const candidatesOf = async (days: number) => {
      const period = { fromMs: now - days * DAY_MS, untilMs: now };
      const of = { period, before: shownBefore([]) };
      const found = await readCandidates(ranking, history.sandbox.guildId, digest, of);
      return found.articles.map((article) => article.id);
    };
    expect(await candidatesOf(1)).toEqual([]);
    expect(await candidatesOf(30)).toEqual([]);
  });

  test('an imported article is retitled, grouped, removed and restored without a word to its message', async () => {
    const { sandbox } = history;
    const retitled = await history.moderate(sandbox.admin, 'retitle', imported, 'Better');
    expect(retitled.message?.content).toContain(imported);
    const grouped = await admin().command(general, 'group add', {
      article: imported,
      channel: general,
    });
    expect(grouped.message?.content.split('\n')).toHaveLength(1);
    expect(await history.article(imported)).toMatchObject({
      title: 'Better',
      groups: [rust, general],
    });
    const before = await history.article(imported);
    const removed = await history.moderate(sandbox.admin, 'remove', imported);
    expect(removed.message?.content).toContain('the message belongs to a member');
    expect(await history.article(imported)).toBeNull();
    // And it does not wait for what can never be shown.
    const { store } = history.bot;
    const rows = () => store.redis.zrange(storeKeys(store, sandbox.guildId).due, 0, '-1');
    const isAbout = (row: string) => row.includes(imported);
    await history.eventually(rows, (all) => !all.some(isAbout), 'nothing to be shown');
    const again = await sandbox
      .as(linus)
      .command(general, 'post', { link: 'https://news.example/old' });
    const posted = again.message?.id ?? '';
    await history.eventually(
      () => history.article(posted),
      (found) => found !== null,
      'posted',
    );
    const refused = await history.moderate(sandbox.admin, 'restore', imported);
    expect(refused.message?.content).toContain(posted);
    sandbox.operator.deleteMessages({ channel: general, messages: [posted] });
    await history.eventually(
      () => history.article(posted),
      (found) => found === null,
      'gone',
    );
    await history.moderate(sandbox.admin, 'restore', imported);
    expect(await history.article(imported)).toEqual(before);
    expect(touched().filter((request) => request.startsWith('PATCH'))).toEqual([]);
  });

  test('an imported article goes when its message is deleted', async () => {
    const id = history.say(rust, { content: 'https://news.example/going' });
    await history.importAll(rust);
    expect(await history.article(id)).not.toBeNull();
    history.sandbox.as(grace).delete(rust, id);
    await history.eventually(
      () => history.article(id),
      (found) => found === null,
      'gone',
    );
  });

  test('an imported article is erased without its message, and no import brings it back', async () => {
    const { sandbox } = history;
    const ada = sandbox.members[2] ?? '';
    const id = history.say(rust, { content: 'https://news.example/mine', by: ada });
    await history.importAll(rust);
    const page = await sandbox.as(ada).command(general, 'me data');
    const sure = await sandbox.as(ada).press(general, page.message?.id ?? '', 'me|erase');
    await sandbox.as(ada).press(general, sure.message?.id ?? '', 'me|really');
    expect(await history.article(id)).toBeNull();
    const keys = storeKeys(history.bot.store, sandbox.guildId);
    expect(await history.redis.redis.exists(keys.erasing)).toBe(0);
    // Nine days later nobody remembers the erasing itself.
    const { store } = history.bot;
    await store.redis.del(keys.erased);
    await history.bot.rules.refresh(sandbox.guildId);
    await history.importAll(rust);
    expect(await history.article(id)).toBeNull();
    expect(
      sandbox
        .as(grace)
        .messages(rust)
        .map((message) => message.id),
    ).toContain(id);
  });

  test('an imported article is back after Redis was emptied, by another import', async () => {
    const { redis, sandbox } = history;
    const ids = [imported];
    await redis.redis.flushall();
    await history.restartBot();
    const rebuilding = await admin().command(general, 'frontpage import', { channel: rust });
    expect(rebuilding.message?.content).toContain('still rebuilding its lists');
    const guild = history.bot.client.guilds.cache.get(sandbox.guildId);
    if (!guild) throw new Error('The guild is unknown.');
    await rebuildGuild(history.bot, guild, {});
    for (const id of ids) expect(await history.article(id)).toBeNull();
    const offer = history.offer();
    expect(offer?.content).toContain('the imported links are missing');
    const answer = await admin().press(general, offer?.id ?? '', 'frontpage|import|start');
    // What was asked for is read from the reports.
    await history.press(answer, 'begin');
    await history.phase('finished');
    expect(await history.bot.imports.lost(sandbox.guildId)).toEqual([]);
    for (const id of ids) expect(await history.article(id)).toMatchObject({ closed: true });
  });
});

test('a rebuild and an import find the ★ threshold that fits what was found, however many nights it took to come there', async () => {
  const { bot, sandbox, clock } = history;
  const { guildId } = sandbox;
  const tally = { up: 50, down: 0, closed: true };
  for (let n = 0; n < 40; n += 1) {
    const atMs = clock.now() - 10 * DAY_MS - n * 60_000;
    await history.rank({ title: `Much voted for ${n}`, atMs, tally });
  }
  await setScale(bot.ranking, guildId, { mark: 3 });
  const guild = bot.client.guilds.cache.get(guildId)!;
  const mark = async () => (await readScale(bot.ranking, guildId)).mark;
  // Where nothing was lost, only a night moves it.
  await rebuildGuild(bot, guild, { only: [rust] });
  expect(await mark()).toBe(3);
  await bot.store.redis.del(storeKeys(bot.store, guildId).complete);
  await rebuildGuild(bot, guild, {});
  expect(await mark()).toBe(50);
  // So does an import, and its articles have their ★ by the mark that fits.
  await setScale(bot.ranking, guildId, { mark: 3 });
  const up = [linus, ...history.crowd(2)];
  const id = history.say(rust, { content: 'https://starred.example/', by: grace, up });
  await history.importAll(rust);
  expect(await mark()).toBe(50);
  expect(await history.article(id)).toMatchObject({ up: 4, interesting: false });
});

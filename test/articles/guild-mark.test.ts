import { afterAll, beforeAll, expect, test } from 'vitest';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { fitGuildMark, fitGuildSpan, startGuildMark } from '../../src/articles/guild-mark.ts';
import { markByMembers } from '../../src/ranking/articles/fit-mark.ts';
import { readScale, setScale } from '../../src/ranking/articles/mark.ts';
import { readChannelScales } from '../../src/ranking/lists/channel-scales.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { DAY_MS, HOUR_MS } from '../../src/runtime/clock.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
  await scene.whole();
});
afterAll(() => scene.stop());

test('a re-scoring that a process began is finished by the next one that starts', async () => {
  const { guildId: guild, world, admin, channels } = scene.sandbox;
  const { ranking } = scene.bot;
  const id = world.snowflake(scene.clock.now() - 60_000);
  const link = 'https://news.example/rescored';
  const home = channels.general.id;
  const article = { guild, id, title: 'Re-scored', link, linkName: link, poster: admin, home };
  // It has no message, for which a recount would take it out while it is open.
  const tally = { up: 1, down: 0, closed: true };
  await postArticle(ranking, { ...article, listed: true, tally });
  // What a process does that dies before its first step.
  const keys = guildKeys(ranking, guild);
  await ranking.redis.set(keys.rescoring, '100');
  await ranking.redis.hset(keys.articles, 'mark', '100');
  await scene.restartBot();
  const seconds = Math.floor((scene.clock.now() - 60_000) / 1000);
  await expect
    .poll(() => scene.redis.redis.zscore(keys.score, id).then(Number))
    .toBeGreaterThan(seconds + 800);
  await expect.poll(() => scene.redis.redis.exists(keys.rescoring)).toBe(0);
});

test('articles that another version scored are scored anew when their guild arrives, without a limit where the textbook is fixed', async () => {
  const { guildId: guild, world, admin, channels } = scene.sandbox;
  const { ranking, store } = scene.bot;
  const { articles, score } = guildKeys(ranking, guild);
  const postedAtMs = scene.clock.now() - 60_000;
  const id = world.snowflake(postedAtMs);
  const link = 'https://news.example/scored-before';
  const article = { guild, id, title: 'Scored', link, linkName: link, poster: admin };
  // It has no message, for which a recount would take it out while it is open.
  const tally = { up: 1000, down: 0, closed: true };
  await postArticle(ranking, { ...article, home: channels.general.id, listed: true, tally });
  const scored = async (fixed: 'textbook' | null) => {
    await writeSetting(store, guild, 'mark', fixed && 200);
    await writeSetting(store, guild, 'span', fixed && 1);
    await ranking.redis.hset(articles, { mark: '200', span: '0.5' });
    await ranking.redis.hdel(articles, 'limit', 'scored');
    await scene.restartBot();
    await expect
      .poll(() => scene.redis.redis.hget(articles, 'scored').then(Boolean), { timeout: 20_000 })
      .toBe(true);
  };
  const lead = async () =>
    Number(await scene.redis.redis.zscore(score, id)) - Math.floor(postedAtMs / 1000);
  await scored(null);
  // The night may follow at once, and fit the span.
  const span = async () => (await readScale(ranking, guild)).spanDays;
  await expect.poll(async () => (await lead()) / (await span())).toBe(2 * 86_400);
  await scored('textbook');
  await expect.poll(lead).toBe(1000 * 432);
});

test('a server that has lost its mark gets what its admin fixed, else one by its members, and else keeps the one that it has', async () => {
  const { guildId: id } = scene.sandbox;
  const { ranking, store, client } = scene.bot;
  const guild = client.guilds.cache.get(id)!;
  const { articles } = guildKeys(ranking, id);
  const lost = async (...fields: string[]) => {
    if (fields.length > 0) await ranking.redis.hdel(articles, ...fields);
    await startGuildMark(scene.bot, guild);
    const { mark, spanDays } = await readScale(ranking, id);
    return { mark, spanDays };
  };
  await writeSetting(store, id, 'mark', 77);
  await writeSetting(store, id, 'span', 3);
  expect(await lost('mark', 'span')).toEqual({ mark: 77, spanDays: 3 });
  await writeSetting(store, id, 'mark', null);
  await writeSetting(store, id, 'span', null);
  expect(await lost()).toEqual({ mark: 77, spanDays: 3 });
  const { mark } = await lost('mark', 'span');
  expect(mark).toBe(markByMembers(guild.memberCount));
});

test('a ★ threshold that an admin fixes in the moment in which it is fitted holds from then on', async () => {
  const { guildId: id } = scene.sandbox;
  const { ranking, store, client } = scene.bot;
  const guild = client.guilds.cache.get(id)!;
  await setScale(ranking, id, { mark: 20, spanDays: 1 });
  let fixing: Promise<void> | undefined;
  // The span is another, so the scale is set.
  const onPlanned = () => void (fixing ??= writeSetting(store, id, 'mark', 77));
  await fitGuildMark({ ...scene.bot, ranking: { ...ranking, onPlanned } }, guild);
  await fixing;
  expect((await readScale(ranking, id)).mark).toBe(77);
  await writeSetting(store, id, 'mark', null);
});

test('a quiet channel has an order of its own where an admin fixed the ★ threshold alone, and none where the span is fixed', async () => {
  const { guildId: id, channels } = scene.sandbox;
  const { ranking, store, client, clock } = scene.bot;
  const guild = client.guilds.cache.get(id)!;
  const title = 'Of a busy and a quiet channel';
  const tally = { up: 1, down: 0, closed: true };
  const posted = (home: string, count: number, apartMs: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        scene.rank({ title, home, tally, atMs: clock.now() - (n + 1) * apartMs }),
      ),
    );
  await posted(channels.general.id, 60, HOUR_MS);
  await posted(channels.rust.id, 10, DAY_MS);
  const quiet = async () => {
    await fitGuildSpan(scene.bot, guild);
    return (await readChannelScales(ranking, id, [channels.rust.id])).scales.has(channels.rust.id);
  };
  await writeSetting(store, id, 'mark', 20);
  expect(await quiet()).toBe(true);
  await writeSetting(store, id, 'span', 1);
  expect(await quiet()).toBe(false);
  for (const name of ['mark', 'span'] as const) await writeSetting(store, id, name, null);
});

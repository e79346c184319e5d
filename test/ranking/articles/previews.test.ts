import { expect, test } from 'vitest';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { writeReplies } from '../../../src/ranking/articles/discussions.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { readOutcomes, restoreOutcome } from '../../../src/ranking/outcomes.ts';
import { readPreviews, writePreview } from '../../../src/ranking/articles/previews.ts';
import { removeArticle, sweepRemoved } from '../../../src/ranking/articles/removed.ts';
import { idAt, NOON, post, useRanking, WEEK } from '../test-ranking.ts';

const setup = useRanking();
const picture = 'https://images.example.org/hexagons.png';
const led = [{ name: 'daily', date: '2026-11-23' }];
const outcome = { best: 2, led, firstSinceMs: NOON, told: 'sL', isLedOn: true };

test('previews are read in the order asked for, and what Discord did not find is absent', async () => {
  const guild = setup.newGuild();
  const [both, words, nothing] = [idAt(NOON), idAt(NOON), idAt(NOON)];
  await writePreview(setup.ranking, guild, both, { description: 'Maps of\nhexagons', picture });
  await writePreview(setup.ranking, guild, words, { description: 'Only words' });
  expect(await readPreviews(setup.ranking, guild, [nothing, words, both])).toEqual([
    {},
    { description: 'Only words' },
    { description: 'Maps of hexagons', picture },
  ]);
});

test('a preview is bounded, and holds no address but that of a picture on https', async () => {
  const guild = setup.newGuild();
  const pictures = ['javascript:alert(1)', `${picture}\nmore`, `${picture}${'x'.repeat(500)}`];
  for (const bad of pictures) {
    const article = idAt(NOON);
    await writePreview(setup.ranking, guild, article, {
      picture: bad,
      description: 'd'.repeat(400),
    });
    expect(await readPreviews(setup.ranking, guild, [article])).toEqual([
      { description: 'd'.repeat(300) },
    ]);
  }
});

test('an article of which nothing is known gets no outcome, and none is made up for it', async () => {
  const guild = setup.newGuild();
  const article = idAt(NOON);
  const nothing = { best: null, led: [], firstSinceMs: null, told: '', isLedOn: false };
  await restoreOutcome(setup.ranking, guild, article, nothing);
  expect(await setup.server.redis.exists(guildKeys(setup.ranking, guild).outcomes)).toBe(0);
  expect(await readOutcomes(setup.ranking, guild, [article])).toEqual([nothing]);
});

test('another number of comments is told to whoever reads lists, and the same one is not', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const { changes } = setup.ranking;
  const isTold = async (count: number) => {
    await changes.flush();
    await writeReplies(setup.ranking, guild, article, count);
    return changes.isPending(guild);
  };
  expect([await isTold(2), await isTold(2), await isTold(0)]).toEqual([true, false, true]);
});

test('what a sweep that was interrupted left of a removed article goes with the next', async () => {
  const guild = setup.newGuild();
  const { previews, outcomes, replies, removed } = guildKeys(setup.ranking, guild);
  const article = await post(setup.ranking, guild);
  await writePreview(setup.ranking, guild, article, { picture });
  await restoreOutcome(setup.ranking, guild, article, outcome);
  await writeReplies(setup.ranking, guild, article, 7);
  await removeArticle(setup.ranking, guild, article, NOON);
  const left = async () => {
    const all = [previews, outcomes, replies, removed];
    return Promise.all(all.map((key) => setup.server.redis.exists(key)));
  };
  const over = NOON + 90 * 86_400_000;
  for (let steps = 0; steps < 4; steps += 1) {
    let done = 0;
    const redis = new Proxy(setup.ranking.redis, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (name === 'hdel' && done++ >= steps) throw new Error('the process ends');
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
    const sweep = sweepRemoved({ ...setup.ranking, redis }, guild, over);
    await expect(sweep).rejects.toThrow('the process ends');
    expect((await left()).at(-1)).toBe(1);
  }
  await sweepRemoved(setup.ranking, guild, over);
  expect(await left()).toEqual([0, 0, 0, 0]);
});

test('a preview, and what became of an article, go with it, and not with a removal that can be undone', async () => {
  const guild = setup.newGuild();
  const { previews, outcomes, replies } = guildKeys(setup.ranking, guild);
  const deleted = await post(setup.ranking, guild);
  const removed = await post(setup.ranking, guild);
  for (const article of [deleted, removed]) {
    await writePreview(setup.ranking, guild, article, { picture });
    await restoreOutcome(setup.ranking, guild, article, outcome);
    await writeReplies(setup.ranking, guild, article, 2);
  }
  await deleteArticle(setup.ranking, guild, deleted);
  await removeArticle(setup.ranking, guild, removed, NOON);
  await sweepRemoved(setup.ranking, guild, NOON + WEEK);
  expect(await setup.server.redis.hkeys(previews)).toEqual([removed]);
  expect(await readOutcomes(setup.ranking, guild, [removed])).toEqual([outcome]);
  await sweepRemoved(setup.ranking, guild, NOON + 90 * 86_400_000);
  for (const key of [previews, outcomes, replies]) {
    expect(await setup.server.redis.hkeys(key)).toEqual([]);
  }
});

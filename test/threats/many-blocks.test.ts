import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { siteSubject } from '../../src/community/block-subject.ts';
import { BLOCKS_AT_MOST, readBlock, writeBlock } from '../../src/community/blocks.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { commandstats, resetCommandstats } from '../fixtures/commandstats.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

const block = { posting: true, voting: false, sinceMs: 1, untilMs: null };
const hostOf = (i: number) => `${'a'.repeat(30)}.${'b'.repeat(30)}.spam${i}.example`;

let scene: Scene;
let guild: string;
let key: string;

/** A guild with as many blocks as it can have, each as long as it can be. */
beforeAll(async () => {
  scene = await startScene();
  guild = scene.sandbox.guildId;
  const { store, rules } = scene.bot;
  key = storeKeys(store, guild).blocks;
  const json = JSON.stringify({ ...block, reason: '語'.repeat(500), by: scene.sandbox.admin });
  for (let i = 0; i < BLOCKS_AT_MOST; i += 1000) {
    const fields = Array.from({ length: 1000 }, (_, j) => [`origin:${hostOf(i + j)}`, json]);
    await store.redis.hset(key, ...fields.flat());
  }
  await rules.reload(guild);
});
afterAll(() => scene.stop());

test('of thousands of blocks only those that are shown are put into words', async () => {
  // The slowest part of a line is to shorten it between graphemes.
  const shortened = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  try {
    const listed = await scene.command(scene.sandbox.admin, 'mod blocks');
    const blocks = `${BLOCKS_AT_MOST.toLocaleString('en')} blocks`;
    expect(listed.message?.embeds[0]?.footer?.text).toContain(blocks);
    expect(shortened.mock.calls.length).toBeLessThan(200);
  } finally {
    shortened.mockRestore();
  }
});

test('a block can be changed where the guild has as many as it can have', async () => {
  const { store } = scene.bot;
  const subject = siteSubject(hostOf(3))!;
  const changed = { ...block, subject, reason: 'changed', by: scene.sandbox.admin };
  expect(await store.redis.hlen(key)).toBe(BLOCKS_AT_MOST);
  expect(await writeBlock(store, guild, changed)).toEqual({ status: 'written' });
  expect(await readBlock(store, guild, subject)).toMatchObject({ reason: 'changed' });
});

test('no command about one block reads all', async () => {
  const { redis } = scene.bot.store;
  await resetCommandstats(redis);
  expect(
    (await scene.command(scene.sandbox.admin, 'mod block', { site: 'one-more.example' })).message
      ?.content,
  ).toContain(`has ${BLOCKS_AT_MOST.toLocaleString('en')} blocks`);
  for (const typed of [hostOf(1), `https://www.${hostOf(2)}/`]) {
    const lifted = await scene.command(scene.sandbox.admin, 'mod unblock', { site: typed });
    expect(lifted.message?.content).toContain('is no longer blocked');
  }
  await scene.command(scene.sandbox.admin, 'mod block', { site: 'one-more.example' });
  expect((await scene.bot.rules.read(guild)).blocks.has('origin:one-more.example')).toBe(true);
  expect(await redis.hlen(key)).toBe(BLOCKS_AT_MOST - 1);
  expect(await commandstats(redis)).not.toContain('cmdstat_hscan:');
});

test('whatever site somebody types, its block can be read again, or none is stored', async () => {
  const { store } = scene.bot;
  const piece = fc.constantFrom(
    'a',
    ':',
    '/',
    '%',
    '%20',
    '%3a',
    '?',
    '#',
    '@',
    ' ',
    '\u{a0}',
    '語',
  );
  const path = fc
    .array(fc.oneof(piece, fc.string()), { maxLength: 12 })
    .map((some) => some.join(''));
  await fc.assert(
    fc.asyncProperty(path, async (typed) => {
      const subject = siteSubject(`site.example/${typed}`);
      if (subject === null) return;
      const one = { ...block, subject, reason: '', by: scene.sandbox.admin };
      await writeBlock(store, 'other', one);
      expect(await readBlock(store, 'other', subject)).toEqual(one);
      await store.redis.del(storeKeys(store, 'other').blocks);
    }),
  );
  const forged = { ...block, reason: '', by: '1', subject: { kind: 'site', site: 'a b' } as const };
  await expect(writeBlock(store, 'other', forged)).rejects.toThrow('Invalid string');
});

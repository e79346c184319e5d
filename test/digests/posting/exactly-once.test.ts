import { MessageFlags, PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { editMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import { runDueDigests } from '../due-digests.ts';
import { CLAIM_MS } from '../../../src/digests/posting/run-digest.ts';
import { postArticle } from '../../../src/ranking/articles/articles.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { writePreview } from '../../../src/ranking/articles/previews.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { readEdition } from '../../../src/editions/stored-editions.ts';
import { readOutcomes } from '../../../src/ranking/outcomes.ts';
import { readDigest } from '../../../src/digests/stored-digests.ts';
import { type Death, sendHalf, dyingAt, pausedAt, type Step } from '../dying-process.ts';
import { type DigestScene, startDigestScene, SIX } from '../digest-scene.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { NOON } from '../../fixtures/test-clock.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

const many = Array.from({ length: 25 }, (_, at) => `${at} of many`);
const once = ['Daily digest · Wednesday, March 10'];
const headlines = () => scene.headlines();

/** Every process looks again each half minute, until the lease of a dead one is long over. */
async function others(count: number): Promise<void> {
  for (let at = 0; at <= 6; at += 1) {
    await Promise.all(Array.from({ length: count }, () => scene.runDigest()));
    scene.clock.move(CLAIM_MS / 3);
  }
}

const deaths: [string, Death][] = [
  ['before the claim', { step: 'takeLease', when: 'before' }],
  ['after the claim', { step: 'takeLease', when: 'after' }],
  ['before the read-back', { step: 'holdLease', when: 'before' }],
  ['after the read-back', { step: 'readBack', when: 'after' }],
  ['with the try noted and nothing sent', { step: 'sendMessage', when: 'before' }],
  ['with the message created and unanswered', { step: 'sendMessage', when: 'after' }],
  ['answered and unrecorded', { step: 'releaseLease', when: 'before' }],
  ['recorded', { step: 'releaseLease', when: 'after' }],
];

describe.each(deaths)('a process that dies %s', (_, death) => {
  test.each([1, 3])(
    'a process that dies before or after a step of a digest leaves one message to %i others',
    async (count) => {
      await scene.setUp('daily', { count: 25 });
      await scene.postArticles(many);
      scene.goTo(SIX);
      const { context, died } = dyingAt(scene.context, death);
      void scene.runDigest('daily', context);
      await died;
      await others(count);
      expect(headlines()).toEqual(once);
      expect(scene.titles()).toEqual([many]);
      const run = (await readDigest(scene.context.store, scene.guild, 'daily'))?.run;
      expect(run).toMatchObject({ lastSlotMs: SIX, lastDate: '2027-03-10' });
    },
  );
});

describe('a process that dies with half the request sent', () => {
  test.each([1, 3])(
    'a process that dies with half the request sent leaves one message to %i others',
    async (count) => {
      await scene.setUp('daily', { count: 25 });
      await scene.postArticles(many);
      scene.goTo(SIX);
      await new Promise<void>((died) => {
        void scene.runDigest('daily', sendHalf(scene.context, scene.sandbox, died));
      });
      await others(count);
      expect(headlines()).toEqual(once);
    },
  );
});

describe('a process that is told to end', () => {
  test.each([1, 3])(
    'a process that is told to end ends the digest that it has begun, besides %i others',
    async (count) => {
      await scene.setUp('daily', { count: 25 });
      await scene.postArticles(many);
      scene.goTo(SIX);
      const ending = new AbortController();
      const context = pausedAt(scene.context, { step: 'sendMessage' }, async () => ending.abort());
      await runDueDigests(context, ending.signal);
      expect(headlines()).toEqual(once);
      await others(count);
      expect(headlines()).toEqual(once);
    },
  );
});

// Until the edition is recorded.
describe.each(deaths.slice(0, 7))('in catch-up, a process that dies %s', (_, death) => {
  test('a process that dies in catch-up leaves one message, which says what is so when it is recorded', async () => {
    await scene.setUp('daily', { count: 25 });
    await scene.postArticles(many.slice(0, 9));
    scene.goTo(SIX + 5 * HOUR_MS);
    const { context, died } = dyingAt(scene.context, death);
    void scene.runDigest('daily', context);
    await died;
    await scene.postArticles(['New'], SIX - MINUTE_MS, 40);
    await others(2);
    expect(headlines()).toEqual(once);
    expect(scene.titles()).toEqual([['New', ...many.slice(0, 9)]]);
  });
});

test('an edition that was sent and not recorded says what is recorded, also minutes later', async () => {
  await scene.setUp('daily', {});
  const articles = await scene.postArticles(['Best', 'Second']);
  scene.goTo(SIX);
  const { context, died } = dyingAt(scene.context, { step: 'sendMessage', when: 'after' });
  void scene.runDigest('daily', context);
  await died;
  articles.unshift(...(await scene.postArticles(['New'], SIX - MINUTE_MS, 9)));
  scene.goTo(SIX + 10 * MINUTE_MS);
  await scene.runDigest();
  expect(scene.titles()).toEqual([['New', 'Best', 'Second']]);
  const { store } = scene.context;
  const edition = await readEdition(store, scene.guild, { name: 'daily', date: '2027-03-10' });
  expect(edition?.articles.map(({ id }) => id)).toEqual(articles);
});

test('an edition that was sent and not recorded is recorded as it was sent, also where it is too late to post one', async () => {
  await scene.setUp('daily', {});
  const articles = await scene.postArticles(['Best', 'Second']);
  scene.goTo(SIX);
  const { context, died } = dyingAt(scene.context, { step: 'sendMessage', when: 'after' });
  void scene.runDigest('daily', context);
  await died;
  scene.goTo(SIX + 13 * HOUR_MS);
  await scene.postArticles(['New', 'Newest'], SIX + HOUR_MS, 9);
  const renamed = { guild: scene.guild, article: articles[1]!, title: 'Third' };
  await retitleArticle(scene.bot.ranking, renamed);
  expect(await scene.runDigest()).toBe('posted');
  expect(scene.titles()).toEqual([['Best', 'Second']]);
  const { store } = scene.context;
  const edition = await readEdition(store, scene.guild, { name: 'daily', date: '2027-03-10' });
  expect(edition?.articles.map(({ id }) => id)).toEqual(articles);
  // The next one does not list them again.
  scene.goTo(SIX + DAY_MS);
  expect(await scene.runDigest()).toBe('posted');
  expect(scene.titles()).toEqual([
    ['Best', 'Second'],
    ['New', 'Newest'],
  ]);
});

describe('when the network fails', () => {
  test.each([
    ['the request is cut before it arrives', { cut: true }],
    ['the answer is cut', { cut: true, afterTheWork: true }],
    ['the answer is a 502 although the message was made', { status: 502, afterTheWork: true }],
    ['the answer is a 500 and nothing was made', { status: 500 }],
  ])('a digest is posted once when the network fails and %s', async (_, fault) => {
    await scene.setUp('daily', { count: 25 });
    await scene.postArticles(many);
    scene.goTo(SIX);
    // discord.js itself tries again, so that one attempt can use up four.
    const route = /^\/channels\/[^/]+\/messages$/;
    scene.sandbox.faults.add({ ...fault, method: 'POST', route, times: 6 });
    for (let tries = 0; tries < 8; tries += 1) {
      await scene.runDigest().catch(() => {});
      scene.clock.move(MINUTE_MS);
    }
    expect(headlines()).toEqual(once);
  });

  test('when the network fails during a read-back, nothing is sent until it works again', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    const end = scene.sandbox.faults.add({ method: 'GET', status: 500 });
    await expect(scene.runDigest()).rejects.toThrow('Internal Server Error');
    expect(headlines()).toEqual([]);
    end();
    await scene.runDigest();
    expect(headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  });
});

describe('when Redis fails', () => {
  // Withstands (Processes that die): It dies before an edition is recorded
  // → the edition is found in the channel
  test('a posting before whose record Redis fails is found in the channel and recorded then', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    const { channels } = scene.context;
    const context = {
      ...scene.context,
      channels: {
        ...channels,
        sendMessage: async (...args: Parameters<typeof channels.sendMessage>) => {
          const sent = await channels.sendMessage(...args);
          scene.redis.pause();
          return sent;
        },
      },
    };
    await expect(scene.runDigest('daily', context)).rejects.toThrow('timed out');
    scene.redis.resume();
    scene.clock.move(CLAIM_MS);
    await scene.eventually(
      () => scene.runDigest().catch(() => 'failed'),
      (outcome) => outcome === 'posted' || outcome === 'idle',
      'recorded',
    );
    expect(headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  });

  test.each([
    ['', 0],
    [', of which a moderator took the embeds away', MessageFlags.SuppressEmbeds],
  ])(
    'when Redis fails and forgets all but the settings, the channel still tells what was posted%s',
    async (_, flags) => {
      await scene.setUp('daily', {});
      await scene.postArticles(['Best']);
      scene.goTo(SIX);
      await scene.runDigest();
      const { world } = scene.sandbox;
      const posted = scene.posted()[0]!;
      const channel = world.channels.get(posted.channel_id)!;
      editMessage(world, channel, channel.messages.get(posted.id)!, { flags });
      await scene.redis.flush();
      await scene.redis.redis.set(storeKeys(scene.context.store, scene.guild).complete, NOON);
      scene.goTo(NOON);
      await scene.setUp('daily', {});
      await scene.postArticles(['Best'], NOON);
      scene.goTo(SIX + 10 * MINUTE_MS); // Past the time for which Discord remembers nonces.
      expect(await scene.runDigest()).toBe('posted');
      expect(headlines()).toEqual(['Daily digest · Wednesday, March 10']);
    },
  );
});

// Withstands (Redis, while the bot runs): Redis forgets that an edition was posted
// → the edition stays as it is in its channel, and is recorded as it is there
test.each([
  ['en', true],
  ['de', false],
] as const)(
  'an edition that Redis forgot to have posted stays as it is, and what it shows is recorded (language: %s, large picture: %s)',
  async (language, isLarge) => {
    const { ranking, store } = scene.context;
    const date = '2027-03-14';
    // The last one of a week, which has a section too.
    const atMs = SIX + 4 * DAY_MS;
    const setUp = async () => {
      await writeSetting(store, scene.guild, 'language', language);
      await scene.setUp('daily', { count: 2 });
    };
    const article = async (at: number) => {
      const [id = ''] = await scene.postArticles([`${at}`], atMs - at * MINUTE_MS, 9 - at);
      return id;
    };
    scene.goTo(NOON + 4 * DAY_MS);
    await setUp();
    const ids = [await article(3), await article(4), await article(5)];
    // With this, its best is one of the best here lately.
    await setScale(ranking, scene.guild, { mark: isLarge ? 3 : 50 });
    await writePreview(ranking, scene.guild, ids[0]!, { picture: 'https://example.com/a.png' });
    scene.goTo(atMs);
    await scene.runDigest();
    const before = scene.posted();
    const edition = await readEdition(store, scene.guild, { name: 'daily', date });
    expect(edition?.week.map(({ id }) => id)).toEqual(ids);
    await scene.redis.flush();
    await scene.redis.redis.set(storeKeys(store, scene.guild).complete, NOON);
    scene.goTo(NOON + 4 * DAY_MS);
    await setUp();
    // Another draft would show these, and its picture in another size.
    for (const at of [1, 2, 3, 4]) await article(at);
    await setScale(ranking, scene.guild, { mark: isLarge ? 50 : 3 });
    // A rebuild has found two of those that it shows, which have other votes now. No draft would show the second.
    const home = scene.sandbox.channels.general.id;
    const [poster, listed] = [scene.sandbox.admin, true];
    const [known = '', fallen = ''] = ids;
    const foundAgain = async (id: string, up: number, down: number) => {
      const link = `https://example.com/${id}`;
      const tally = { up, down, closed: false };
      const of = { guild: scene.guild, id, title: '3', link, linkName: link, tally };
      await postArticle(scene.context.ranking, { ...of, poster, home, listed });
    };
    await foundAgain(known, 5, 2);
    await foundAgain(fallen, 1, 3);
    scene.goTo(atMs + 10 * MINUTE_MS);
    expect(await scene.runDigest()).toBe('posted');
    expect(scene.posted()).toEqual(before);
    const again = await readEdition(store, scene.guild, { name: 'daily', date });
    expect(again?.message).toBe(before[0]?.id);
    expect([before[0]?.embeds[0]?.image !== undefined, again?.isLarge]).toEqual([isLarge, isLarge]);
    expect(again?.articles.map(({ id, net }) => [id, net])).toEqual([
      [known, 3],
      [fallen, -2],
    ]);
    expect(again?.week.map(({ id }) => id)).toEqual(ids);
  },
);

test('an edition waits an hour for a ranking that is being rebuilt, and no longer', async () => {
  const { store } = scene.context;
  await scene.setUp('daily', {});
  await scene.postArticles(['Best']);
  await scene.redis.redis.del(storeKeys(store, scene.guild).complete);
  scene.goTo(SIX);
  expect(await scene.runDigest()).toBe('idle');
  expect(headlines()).toEqual([]);
  scene.goTo(SIX + HOUR_MS);
  expect(await scene.runDigest()).toBe('posted');
  expect(headlines()).toEqual(once);
});

describe('a process that stood still', () => {
  beforeEach(async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
  });

  const steps: [string, Step, number][] = [
    ['before its read-back', 'readBack', 1],
    ['after its read-back', 'holdLease', 3],
  ];
  test.each(steps)(
    'a process that stood still for longer than its lease %s finds the claim lost, and sends nothing',
    async (_, step, nth) => {
      const context = pausedAt(scene.context, { step, nth }, async () => {
        scene.clock.move(CLAIM_MS);
        expect(await scene.runDigest()).toBe('posted');
        scene.clock.move(HOUR_MS); // Discord has forgotten the nonce by then.
      });
      expect(await scene.runDigest('daily', context)).toBe('idle');
      expect(headlines()).toEqual(['Daily digest · Wednesday, March 10']);
    },
  );

  test('a process that stood still just before it sends is answered by Discord with the message of its successor', async () => {
    const context = pausedAt(scene.context, { step: 'sendMessage' }, async () => {
      scene.clock.move(CLAIM_MS);
      expect(await scene.runDigest()).toBe('posted');
    });
    await scene.runDigest('daily', context);
    expect(headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  });

  test('a process that stood still in its read-back, but not for its whole lease, reads the channel again', async () => {
    scene.sandbox.requests.reset();
    const context = pausedAt(scene.context, { step: 'readBack' }, async () =>
      scene.clock.move(21_000),
    );
    expect(await scene.runDigest('daily', context)).toBe('posted');
    expect(scene.sandbox.requests.count('GET', /^\/channels\/[^/]+\/messages$/)).toBe(2);
    expect(headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  });
});

describe('without Read Message History', () => {
  beforeEach(() => scene.permit(P.ReadMessageHistory, false));
  afterAll(() => scene.permit(P.ReadMessageHistory, true));

  test('a digest is posted where the bot may not read the history', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    expect(await scene.runDigest()).toBe('posted');
    await scene.permit(P.ReadMessageHistory, true);
    expect(headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  });

  test('without Read Message History nothing that may have been sent is sent again', async () => {
    await scene.setUp('daily', { count: 25 });
    const [best = ''] = await scene.postArticles(many);
    scene.goTo(SIX);
    const { context, died } = dyingAt(scene.context, { step: 'sendMessage', when: 'before' });
    void scene.runDigest('daily', context);
    await died;
    await others(2);
    await scene.permit(P.ReadMessageHistory, true);
    expect(headlines()).toEqual([]);
    // Of an edition that nobody may have seen, nothing is said in the thread of its best article.
    const { ranking, store } = scene.context;
    const of = { name: 'daily', date: '2027-03-10' };
    expect(await readEdition(store, scene.guild, of)).toMatchObject({ message: null });
    expect((await readOutcomes(ranking, scene.guild, [best]))[0]?.led).toEqual([]);
  });

  test('without Read Message History an edition that may have been sent is not sent again after its channel lacked a permission too', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    const { context, died } = dyingAt(scene.context, { step: 'sendMessage', when: 'after' });
    void scene.runDigest('daily', context);
    await died;
    // One of them is denied at a time.
    await scene.permit(P.EmbedLinks, false);
    scene.clock.move(CLAIM_MS);
    expect(await scene.runDigest()).toBe('broken');
    await scene.permit(P.ReadMessageHistory, false);
    scene.clock.move(10 * MINUTE_MS);
    expect(await scene.runDigest()).toBe('posted');
    await scene.permit(P.ReadMessageHistory, true);
    expect(headlines()).toEqual(once);
  });
});

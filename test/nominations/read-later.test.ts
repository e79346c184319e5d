import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createMessage,
  type NewMessage,
} from '../../discord-box/src/world/messages/change-message.ts';
import { articleMessage } from '../../src/articles/messages/article-message.ts';
import { type Settings, writeSetting } from '../../src/community/settings.ts';
import { isPlanned } from '../../src/due/kind.ts';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { releaseLink, reserveLink } from '../../src/ranking/links/reservations.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { scripts } from '../../src/ranking/scripts.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import type { Scene } from '../fixtures/scene.ts';
import { type Feed, inContent, startFeed } from './feed.ts';

let feed: Feed;
let scene: Scene;
let members: string[];
let general: string;
let ai: string;
/** Further channels in which links are found. */
let [silent, unseen, gone, refusing, picky, busy]: string[] = [];

beforeAll(async () => {
  feed = await startFeed();
  ({ scene, members, general } = feed);
  // In this one little is liked, so that a look at it is short.
  ai = scene.sandbox.channels.ai.id;
  [silent, unseen, gone, refusing, picky, busy] = Array.from(
    { length: 6 },
    (_, n) => sandbox().operator.createChannel({ name: `channel-${n}` }).id,
  );
  await nominateEverywhere();
});
afterAll(() => scene.stop());

const sandbox = () => scene.sandbox;
const nominateEverywhere = (...others: string[]) =>
  feed.nominateIn(general, ai, silent!, unseen!, gone!, refusing!, picky!, busy!, ...others);
const counting = (): Promise<void> => feed.counting();
const readMessages = (): number => feed.readMessages();
const look = (channel = ai): Promise<void> => feed.look(channel);

/** Two members like a message, and nobody hears it. */
const likedUnheard = (message: string): void => scene.secretly(() => feed.like(message));

/** Has a message read, as another process planned it. Returns whether it is to be read again. */
async function readLater(
  message: string,
  { channel = general, notes = {} }: { channel?: string; notes?: Record<string, string> } = {},
): Promise<boolean> {
  const { store, due } = scene.bot;
  const row = `nominate:${channel}/${message}`;
  await due.note(sandbox().guildId, row, notes);
  await due.plan(sandbox().guildId, row, 0);
  await due.look();
  return isPlanned(store, sandbox().guildId, row);
}

/** The bot's message for a link that the first member found in another's, as an earlier process sent it. */
function sent(source: string, link: string): string {
  const { world } = sandbox();
  const closesAtMs = scene.clock.now() + 7 * DAY_MS;
  const fresh = { interesting: false, locked: false, closed: false, up: 1, down: 0, closesAtMs };
  const article = { title: 'Found', link, poster: members[0] ?? '', groups: [general] };
  return createMessage(world, world.channels.get(general)!, {
    authorId: world.application.botId,
    content: articleMessage({ ...article, ...fresh, beside: true }, 'en-US'),
    replyTo: source,
  }).id;
}

async function set<K extends keyof Settings>(name: K, value: Settings[K]): Promise<void> {
  await writeSetting(scene.bot.store, sandbox().guildId, name, value);
  await scene.bot.rules.refresh(sandbox().guildId);
}

/** As many likes are enough, and the look that follows is over. */
async function setLikes(likes: number): Promise<void> {
  await set('nominations', likes);
  await scene.settled();
  scene.clock.move(5000);
  await scene.bot.due.look();
}

/** How many articles became of a message that two members like. */
async function liked(link: string, given?: Partial<NewMessage>, channel?: string): Promise<number> {
  const source = feed.pour(link, given, channel);
  feed.like(source);
  await feed.looked();
  return feed.answersTo(source).length;
}

describe('a look at the last day', () => {
  test('finds what was liked unheard on every page of it, and leaves what the bot has answered', async () => {
    const { world } = sandbox();
    const channel = busy!;
    const [oldest, answered] = [0, 1].map(() => feed.pour(feed.fresh(), undefined, channel));
    // A moderator removed it, and Redis has lost that.
    createMessage(world, world.channels.get(channel)!, {
      authorId: world.application.botId,
      content: '*Removed.*',
      replyTo: answered!,
    });
    for (let n = 0; n < 110; n += 1) feed.pour('', inContent(`Line ${n}`), channel);
    const latest = feed.pour(feed.fresh(), undefined, channel);
    for (const source of [oldest!, answered!, latest]) likedUnheard(source);
    // One on the first page has another form than Discord's.
    const { options } = scene.bot.client.rest;
    const makeRequest = options.makeRequest.bind(options);
    options.makeRequest = async (...asked) => {
      const response = await makeRequest(...asked);
      if (!asked[0].includes(`/channels/${channel}/messages?`)) return response;
      const page = (await response.text()).replace('"content":"Line 5"', '"content":null');
      return new Response(page, { headers: { 'content-type': 'application/json' } });
    };
    await look(channel).finally(() => (options.makeRequest = makeRequest));
    for (const source of [oldest!, latest]) expect(feed.answersTo(source)).toHaveLength(1);
    expect(feed.answersTo(answered!)).toHaveLength(1);
  });

  test('knows again in which messages articles were found: who likes these votes', async () => {
    const { bot } = scene;
    const { guildId: guild } = sandbox();
    const [poster = '', , third = ''] = members;
    const link = feed.fresh();
    const source = feed.pour(link, undefined, ai);
    const { world } = sandbox();
    const article = { title: 'Found', link, poster };
    const closesAtMs = scene.clock.now() + 7 * DAY_MS;
    const fresh = { interesting: false, locked: false, closed: false, up: 1, down: 0, closesAtMs };
    const { id } = createMessage(world, world.channels.get(ai)!, {
      authorId: world.application.botId,
      content: articleMessage({ ...article, ...fresh, groups: [ai], beside: true }, 'en-US'),
      replyTo: source,
    });
    const where = { linkName: link, home: ai, channel: ai, listed: true };
    await postArticle(bot.ranking, { guild, id, ...article, ...where });
    await look();
    scene.react(third, source, '👍');
    await scene.expectTally(id, 2, 0);
  });

  test('concludes nothing where Discord shows nothing', async () => {
    const { operator, faults } = sandbox();
    const [first = '', second = ''] = members;
    const [hidden = '', refused = ''] = ['hidden', 'refused'].map(
      (name) => operator.createChannel({ name }).id,
    );
    const sources = [hidden, refused].map((channel) => ({
      channel,
      source: feed.pour(feed.fresh(), undefined, channel),
    }));
    scene.secretly(() => {
      for (const { source } of sources) scene.react(first, source, '👍');
    });
    operator.setPermissions({ channel: hidden, who: 'bot', deny: ['ReadMessageHistory'] });
    const path = new RegExp(`/${refused}/messages`);
    const end = faults.add({ method: 'GET', path, status: 403, code: 50001 });
    await nominateEverywhere(hidden, refused);
    end();
    operator.setPermissions({ channel: hidden, who: 'bot' });
    await scene.settled();
    // The refusal is over.
    scene.clock.move(2 * MINUTE_MS);
    for (const { channel, source } of sources) {
      expect(feed.answersTo(source)).toEqual([]);
      scene.react(second, source, '👍');
      expect(await feed.articleOf(source)).toMatchObject({ poster: first, channel });
    }
    await nominateEverywhere();
  });

  test('is taken where a setting of it has changed, and where it has not, Discord is asked nothing', async () => {
    const readLists = () => sandbox().requests.count('GET', /\/messages$/);
    await counting();
    await scene.bot.rules.reload(sandbox().guildId);
    await setLikes(2);
    expect(readLists()).toBe(0);
    await setLikes(3);
    // It may have been planned after the others were looked for; a look at something else comes later.
    const sinceMs = scene.clock.now();
    await scene.eventually(
      async () => {
        scene.clock.move(2000);
        await scene.bot.due.look();
        return readLists();
      },
      Boolean,
      'looked at',
    );
    expect(scene.clock.now() - sinceMs).toBeLessThan(60_000);
    await setLikes(2);
  });

  test('is not taken of a channel that is gone', async () => {
    const { due, store } = scene.bot;
    const row = 'nominations:1';
    await due.plan(sandbox().guildId, row, 0);
    await due.look();
    expect(await isPlanned(store, sandbox().guildId, row)).toBe(false);
  });
});

describe('what stays a message, and costs nothing', () => {
  test('a link in a channel that is no group, and any where no number of likes is enough', async () => {
    await set('no-groups', [ai]);
    await counting();
    expect(await liked(feed.fresh(), undefined, ai)).toBe(0);
    // Of another message.
    expect(readMessages()).toBe(1);
    await set('no-groups', []);
    await setLikes(0);
    const never = feed.pour(feed.fresh());
    feed.like(never);
    await scene.settled();
    // What was planned before it is done by then.
    await readLater(sandbox().world.snowflake(scene.clock.now()));
    expect(readMessages()).toBe(1);
    expect(feed.answersTo(never)).toEqual([]);
    await setLikes(2);
    expect(await liked(feed.fresh())).toBe(1);
  });

  test('a link where the bot may not post, until it may', async () => {
    const { operator } = sandbox();
    const channel = silent!;
    operator.setPermissions({ channel, who: 'bot', deny: ['AddReactions'] });
    const source = feed.pour(feed.fresh(), undefined, channel);
    await counting();
    feed.like(source);
    await feed.looked();
    // Of another message.
    expect(readMessages()).toBe(1);
    expect(feed.answersTo(source)).toEqual([]);
    operator.setPermissions({ channel, who: 'bot' });
    scene.react(members[2] ?? '', source, '👍');
    expect(await feed.articleOf(source)).toMatchObject({ poster: members[0], channel });
  });
});

describe('a message that is to be read', () => {
  test('is judged when it is read: by its age, its channel and its author, and whether it is there', async () => {
    const { world, channels } = sandbox();
    const weekAgoMs = scene.clock.now() - 7 * DAY_MS;
    const authorId = world.application.botId;
    const [fit, old, own, elsewhere] = [
      feed.pour(feed.fresh()),
      feed.pour('', { ...inContent(feed.fresh()), id: world.snowflake(weekAgoMs) }),
      feed.pour('', { ...inContent(feed.fresh()), authorId }),
      feed.pour(feed.fresh(), undefined, channels.rust.id),
    ];
    for (const source of [fit, old, own, elsewhere]) likedUnheard(source);
    await counting();
    expect(await readLater(old)).toBe(false);
    expect(await readLater(elsewhere, { channel: channels.rust.id })).toBe(false);
    expect(await readLater(fit, { channel: '1' })).toBe(false);
    expect(readMessages()).toBe(0);
    expect(await readLater(own)).toBe(false);
    expect(await readLater(world.snowflake(scene.clock.now()))).toBe(false);
    expect(readMessages()).toBe(2);
    for (const source of [fit, old, own, elsewhere]) expect(feed.answersTo(source)).toEqual([]);
    expect(await readLater(fit)).toBe(false);
    expect(feed.answersTo(fit)).toHaveLength(1);
    // What the bot itself says is not read at all.
    for (const member of members.slice(0, 3)) scene.react(member, own, '👍');
    await feed.looked();
    expect(readMessages()).toBe(4);
  });

  test('stays one where Discord refuses to show it or to take its article, and is not asked for again', async () => {
    const { faults, requests } = sandbox();
    const ends = [
      faults.add({ method: 'GET', path: new RegExp(`/${unseen}/`), status: 403, code: 50001 }),
      faults.add({ method: 'GET', path: new RegExp(`/${gone}/`), status: 404, code: 10003 }),
      faults.add({ method: 'POST', path: new RegExp(`/${refusing}/`), status: 403, code: 50013 }),
      faults.add({ method: 'POST', path: new RegExp(`/${picky}/`), status: 400, code: 50035 }),
    ];
    for (const channel of [unseen!, gone!, refusing!, picky!]) {
      const source = feed.pour(feed.fresh(), undefined, channel);
      likedUnheard(source);
      await counting();
      expect(await readLater(source, { channel })).toBe(false);
      expect(requests.count('GET', /\/messages\/:message$/)).toBe(1);
      const isSent = channel === refusing || channel === picky;
      expect(requests.count('POST', /messages$/)).toBe(isSent ? 1 : 0);
      expect(feed.answersTo(source)).toEqual([]);
    }
    for (const end of ends) end();
  });

  test('is read again in a minute where another post has its link', async () => {
    const { bot, clock } = scene;
    const { guildId: guild } = sandbox();
    const link = feed.fresh();
    const source = feed.pour(link);
    const reservation = { guild, linkName: link, by: '1' };
    await reserveLink(bot.ranking, reservation, clock.now());
    feed.like(source);
    const row = `nominate:${general}/${source}`;
    const { due } = storeKeys(bot.store, guild);
    const atMs = await scene.eventually(
      () => scene.redis.redis.zscore(due, row).then(Number),
      (at) => at > clock.now(),
      'to be read again',
    );
    expect(atMs - clock.now()).toBeLessThanOrEqual(MINUTE_MS);
    // Another process may read it then.
    const lease = storeKeys(bot.store, guild).lease(row);
    expect(await scene.redis.redis.hgetall(lease)).toMatchObject({
      'next:order': members.slice(0, 2).join(' '),
      'next:tried': '1',
    });
    await releaseLink(bot.ranking, reservation);
    clock.move(MINUTE_MS);
    await bot.due.look();
    const { id, poster } = await feed.articleOf(source);
    expect(poster).toBe(members[0]);
    await scene.expectTally(id, 2, 0);
    expect(feed.answersTo(source)).toHaveLength(1);
  });

  test('has the article that an earlier process sent before it died, with the votes of who liked it', async () => {
    const { bot, redis } = scene;
    const link = feed.fresh();
    const source = feed.pour(link);
    const id = sent(source, link);
    likedUnheard(source);
    await counting();
    expect(await readLater(source, { notes: { tried: '1' } })).toBe(false);
    expect(feed.answersTo(source)).toHaveLength(1);
    await scene.expectTally(id, 2, 0);
    // It is not found anew when that is removed.
    const { nominated } = storeKeys(bot.store, sandbox().guildId);
    expect(await redis.redis.zscore(nominated, source)).not.toBeNull();
  });

  test('is read again after a fault, which is no refusal of its finder', async () => {
    const [first = '', second = ''] = members;
    const source = feed.pour(feed.fresh());
    likedUnheard(source);
    const fault = vi.spyOn(scripts, 'reserveLink').mockRejectedValueOnce(new Error('A fault.'));
    expect(await readLater(source, { notes: { order: first } })).toBe(true);
    fault.mockRestore();
    expect(feed.answersTo(source)).toEqual([]);
    // Whoever reads it then looks for what this try may have sent.
    const keys = storeKeys(scene.bot.store, sandbox().guildId);
    const notes = await scene.redis.redis.hgetall(keys.lease(`nominate:${general}/${source}`));
    expect(notes).toMatchObject({ tried: '1', order: `${first} ${second}` });
    scene.clock.move(2 * MINUTE_MS);
    await scene.bot.due.look();
    expect(await feed.articleOf(source)).toMatchObject({ poster: first });
  });

  test('has as its finder who an earlier process saw like it first', async () => {
    // Discord lists them by their ids.
    const [first, second] = members
      .slice(0, 2)
      .toSorted((a, b) => (BigInt(a) > BigInt(b) ? -1 : 1));
    for (const before of [[], [members[2]]]) {
      const source = feed.pour(feed.fresh());
      likedUnheard(source);
      // Who took it back meanwhile is none.
      await readLater(source, { notes: { order: [...before, first, second].join(' ') } });
      const { id, poster } = await feed.articleOf(source);
      expect(poster).toBe(first);
      await scene.expectTally(id, 2, 0);
    }
  });
});

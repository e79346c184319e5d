import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onMetric } from '../../../src/runtime/metrics.ts';
import { openDue } from '../../../src/due/due.ts';
import type { Held, Kind } from '../../../src/due/kind.ts';
import {
  articleMessage,
  readArticleMessage,
} from '../../../src/articles/messages/article-message.ts';
import { deleteArticle, postArticle } from '../../../src/ranking/articles/articles.ts';
import { readRefusal, writeRefusal } from '../../../src/discord/requests/refused-channels.ts';
import { followRecounts } from '../../../src/votes/recount/recount-kinds.ts';
import { readTroubles } from '../../../src/due/troubles.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { recordLog } from '../../fixtures/record-log.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

const { log, text } = recordLog();
let scene: Scene;
let general: string;
let a: string;
let b: string;
let c: string;
let article: string;
let stopHearing: () => unknown;

beforeAll(async () => {
  scene = await startScene({ log });
  general = scene.sandbox.channels.general.id;
  [a = '', b = '', c = ''] = scene.sandbox.members;
  // What reads the messages of a guild recounts what it found, which is nothing here.
  stopHearing = onMetric('recount', ({ articles }) => (counted += Math.sign(articles)));
  scene.follow();
  await scene.settled();
});
afterAll(async () => {
  stopHearing();
  await scene.stop();
});
beforeEach(async () => {
  [article = ''] = await scene.plant(general);
});

let counted = 0;
const recounts = () => counted;
async function recounted(before: number) {
  await scene.eventually(recounts, (count) => count > before, 'recounted');
}
function expectAgreement() {
  return scene.agree([article]);
}
/** How often the log says that something could not be read. */
function unread(): number {
  return text().split('could not be recounted').length - 1;
}
function heard(event: string) {
  return new Promise((resolve) => scene.bot.client.ws.once(event as never, resolve));
}

/** How often the recount of the guild failed, and how long it still rests (ms). */
async function trouble(): Promise<{ attempts: number; restMs: number }> {
  const { store, clock } = scene.bot;
  const troubles = await readTroubles(store, scene.sandbox.guildId);
  const attempts = troubles.find(({ row }) => row === 'recount')?.trouble.attempts ?? 0;
  const { due } = storeKeys(store, scene.sandbox.guildId);
  const atMs = Number((await store.redis.zscore(due, 'recount')) ?? clock.now());
  return { attempts, restMs: Math.max(0, atMs - clock.now()) };
}

const leaseOf = (row: string) => storeKeys(scene.bot.store, scene.sandbox.guildId).lease(row);

/** Discord closes the connection. */
function close(code: number) {
  for (const { socket } of scene.sandbox.gateway.sessions.values()) socket?.close(code);
}

describe('a recount begins by itself', () => {
  // Withstands (The gateway): A session cannot be resumed
  // → every tally is right again
  test('after a session that could not be resumed, such as one closed with 4008, and refused channels are asked again', async () => {
    const { store, clock } = scene.bot;
    const { guildId, channels } = scene.sandbox;
    const what = `GET ${channels.rust.id}`;
    const rest = { permissions: '-', forMs: 60_000, untilMs: clock.now() + 60_000 };
    await writeRefusal(store, guildId, what, rest);
    const before = recounts();
    const ready = heard('READY');
    close(4008);
    scene.react(a, article, '👍');
    await ready;
    await expectAgreement();
    await recounted(before);
    await scene.eventually(
      () => readRefusal(store, guildId, what),
      (one) => one === null,
      'freed',
    );
  });

  // Withstands (The gateway): A session is resumed
  // → missed events come, without a recount
  test('no recount begins after a session that was resumed, such as one closed with 4002, which brings what was missed', async () => {
    await scene.settled();
    const before = recounts();
    const resumed = heard('RESUMED');
    close(4002);
    scene.react(a, article, '👍');
    await resumed;
    await scene.agree([article]);
    await scene.settled();
    expect(recounts()).toBe(before);
  });

  test('a recount begins by itself once, when it is asked for several times at once', async () => {
    await scene.settled();
    const before = recounts();
    scene.secretly(() => scene.react(a, article, '👍'));
    for (let i = 0; i < 5; i += 1) scene.recounts.soon(scene.sandbox.guildId);
    await scene.agree([article]);
    await recounted(before);
    // This one would begin after all others that were asked for.
    await scene.recount();
    expect(recounts()).toBe(before + 2);
  });

  // Withstands (The gateway): A guild has an outage
  // → nothing is removed
  test('after an outage of the guild, which removes nothing', async () => {
    const { operator } = scene.sandbox;
    scene.react(a, article, '👍');
    await scene.agree([article]);
    operator.setOutage({ outage: true });
    scene.react(b, article, '👍');
    scene.react(c, article, '👎');
    await scene.bot.due.look();
    operator.setOutage({ outage: false });
    await scene.agree([article]);
    expect(await scene.article(article)).toMatchObject({ up: 3, down: 1 });
  });

  // Withstands (The gateway): Events are lost in a busy or quiet channel
  // → they are found within ten minutes or an hour
  test('the hourly recount finds a vote that no event reported', async () => {
    await scene.settled();
    scene.secretly(() => scene.react(a, article, '👎'));
    await scene.bot.due.look();
    expect(await scene.article(article)).toMatchObject({ down: 0 });
    scene.clock.move(3_600_000);
    await scene.bot.due.look();
    await expectAgreement();
    scene.clock.move(-3_600_000);
  });

  test('a recount begins every five minutes in the channels in which something happened', async () => {
    const [quiet = ''] = await scene.plant(scene.sandbox.channels.rust.id);
    scene.react(a, article, '👍');
    await scene.agree([article]);
    // A recount that an earlier test left pending would find the quiet article as well.
    await scene.settled();
    scene.secretly(() => {
      scene.react(b, article, '👎');
      scene.react(b, quiet, '👎');
    });
    scene.clock.move(300_000);
    await scene.bot.due.look();
    await expectAgreement();
    expect(await scene.differences([quiet])).toHaveLength(1);
    await scene.recount();
    scene.clock.move(-300_000);
  });

  test('a recount begins within five minutes where somebody reacted, with an emoji of the server, to what another process is posting', async () => {
    const { bot, sandbox } = scene;
    const { guildId, channels, operator } = sandbox;
    const yes = `<:yes:${operator.addEmoji({ name: 'yes' })}>`;
    // What is looked for at a start would find it too.
    await bot.due.look();
    const [id = ''] = await scene.plant(channels.ai.id);
    const { title, link, poster, home } = (await scene.article(id))!;
    await deleteArticle(bot.ranking, guildId, id);
    await scene.settled();
    // It is no article yet, and its message does not say what its votes are.
    scene.react(a, id, yes);
    await scene.settled();
    const signs = { up: yes, down: '👎', isDownOffered: true };
    const places = { guild: guildId, home, channel: channels.ai.id, listed: true };
    await postArticle(bot.ranking, { ...places, id, title, link, linkName: link, poster, signs });
    const { content } = scene.message(id);
    scene.secretly(() => {
      const closesAtMs = scene.clock.now();
      const carried = { ...readArticleMessage(scene.message(id))!, signs, closesAtMs };
      scene.message(id).content = articleMessage(carried, 'en-US');
    });
    expect(scene.message(id).content).not.toBe(content);
    expect(await scene.tally(id)).toEqual([1, 0]);
    scene.clock.move(300_000);
    await bot.due.look();
    await scene.expectTally(id, 2, 0);
    scene.clock.move(-300_000);
  });

  // Withstands (Redis, while the bot runs): A write fails unforeseen
  // → its guild is recounted
  test('after a write failed with an error that nobody foresaw, which is logged', async () => {
    const { ranking } = scene.bot;
    const keys = guildKeys(ranking, scene.sandbox.guildId);
    await ranking.redis.set(keys.voters(article), 'no set');
    scene.react(a, article, '👎');
    await expect.poll(text).toContain('An event could not be written');
    await scene.expectTally(article, 1, 1);
    await expectAgreement();
  });

  test('after Redis was away, which is over with the first write and not with a reaction that needs none', async () => {
    const { sandbox } = scene;
    const [blocked = ''] = scene.crowd(1);
    await sandbox.as(sandbox.admin).command(general, 'mod block', { member: blocked });
    const outcomes: string[] = [];
    const stopHearing = onMetric('event', ({ outcome }) => outcomes.push(outcome));
    // What Redis confirmed in the last minute may be lost, of servers without a vote since, too.
    const elsewhere = sandbox.world.snowflake();
    const voted = { guild: elsewhere, channel: elsewhere, article: elsewhere, atMs: 0 } as const;
    scene.bot.reactions.handle({ ...voted, kind: 'clear' });
    const recounted: string[] = [];
    scene.bot.reactions.onMissed((guild) => recounted.push(guild));
    scene.redis.pause();
    scene.react(a, article, '👎');
    // The event's own line: a recount says that it stopped.
    await expect.poll(text).toContain('Redis is away: votes');
    scene.react(blocked, article, '👍');
    await expect.poll(() => outcomes).toContain('ineligible');
    expect(text()).not.toContain('Redis is back');
    expect(recounted).not.toContain(elsewhere);
    scene.redis.resume();
    await scene.expectTally(article, 1, 1);
    scene.react(b, article, '👍');
    await expect.poll(text).toContain('Redis is back');
    expect(recounted).toContain(elsewhere);
    scene.unreact(blocked, article, '👍');
    stopHearing();
  });

  // Withstands (Requests to Discord): A list cannot be read
  // → the recount is repeated
  test('a recount begins by itself again when something could not be read', async () => {
    const end = scene.sandbox.faults.add({ method: 'GET', route: /reactions/, status: 503 });
    scene.secretly(() => scene.react(a, article, '👎'));
    const before = recounts();
    scene.recounts.soon(scene.sandbox.guildId);
    await recounted(before);
    end();
    expect(await scene.article(article)).toMatchObject({ down: 0 });
    await expectAgreement();
  });

  test('a recount that another process asks for is of all articles, also where one of them could not be read before', async () => {
    const { guildId, faults, channels } = scene.sandbox;
    const [other = ''] = await scene.plant(channels.rust.id);
    await scene.settled();
    const path = new RegExp(`/messages/${article}/reactions`);
    const end = faults.add({ method: 'GET', path, status: 503 });
    scene.secretly(() => scene.react(a, article, '👎'));
    scene.recounts.soon(guildId);
    const { store, clock, log, stopping } = scene.bot;
    const isUnread = () => store.redis.hexists(leaseOf('recount'), 'next:unread');
    await scene.eventually(isUnread, Boolean, 'unread');
    scene.secretly(() => scene.react(b, other, '👎'));
    const due = openDue({ store, clock, log, stopping, guilds: () => [guildId], follows: false });
    const reactions = { ...scene.bot.reactions, onMissed() {}, onActive() {} };
    followRecounts({ ...scene.bot, due, reactions, pauseMs: 0 }).soon(guildId);
    const isAsked = () => store.redis.hexists(leaseOf('recount'), 'next:whole');
    await scene.eventually(isAsked, Boolean, 'asked');
    scene.bot.due.wake(guildId);
    await scene.agree([other]);
    end();
    scene.clock.move(60_000);
    await expectAgreement();
    scene.clock.move(-60_000);
  });

  test('a recount begins soon after an hourly one whose lists contradict what was told', async () => {
    const { bot, sandbox } = scene;
    const { store, clock } = bot;
    await scene.settled();
    const kinds = new Map<string, Kind>();
    const due = { ...bot.due, handle: (kind: Kind) => void kinds.set(kind.name, kind) };
    const reactions = { ...bot.reactions, onMissed() {}, onActive() {} };
    const seen = { ...bot.seen, lagMs: 1, unsettledMembers: () => new Set([a]) };
    followRecounts({ ...bot, due, reactions, seen, pauseMs: 600_000 });
    const rows = storeKeys(store, sandbox.guildId).due;
    const hourly = () => kinds.get('counts')!.run({ guild: sandbox.guildId, id: '' } as Held);
    await hourly();
    expect(await store.redis.zscore(rows, 'recount')).toBeNull();
    scene.secretly(() => scene.react(a, article, '👎'));
    await hourly();
    const planned = () => store.redis.zscore(rows, 'recount').then(Number);
    const atMs = await scene.eventually(planned, Boolean, 'planned');
    expect(atMs - clock.now()).toBeGreaterThan(500_000);
    await bot.due.planAt(sandbox.guildId, 'recount', null);
    await scene.recount();
  });

  // Withstands (Requests to Discord): A channel cannot be read in which something happened
  // → it is counted again as soon as it can be
  test('a channel in which something happened is counted five minutes after its counts could not be read', async () => {
    scene.react(a, article, '👍');
    await scene.agree([article]);
    await scene.settled();
    scene.secretly(() => scene.react(b, article, '👎'));
    const end = scene.sandbox.faults.add({ method: 'GET', route: /messages/, status: 503 });
    scene.clock.move(300_000);
    await scene.bot.due.look();
    end();
    expect(await scene.differences([article])).toHaveLength(1);
    scene.clock.move(300_000);
    await scene.bot.due.look();
    await expectAgreement();
    scene.clock.move(-600_000);
  });

  test('a channel in which something happened is counted also after a recount of it that failed as a whole', async () => {
    const { bot, sandbox } = scene;
    scene.react(a, article, '👍');
    await scene.agree([article]);
    await scene.settled();
    scene.secretly(() => scene.react(b, article, '👎'));
    const kinds = new Map<string, Kind>();
    const due = { ...bot.due, handle: (kind: Kind) => void kinds.set(kind.name, kind) };
    const reactions = { ...bot.reactions, onMissed() {}, onActive() {} };
    let isAway = true;
    const recountInTurn: typeof bot.recountInTurn = async (...turn) => {
      if (isAway) throw new Error('Connection is closed.');
      return bot.recountInTurn(...turn);
    };
    followRecounts({ ...bot, due, reactions, recountInTurn });
    const look = () => kinds.get('counts')!.run({ guild: sandbox.guildId, id: 'active' } as Held);
    await expect(look()).rejects.toThrow('closed');
    isAway = false;
    await look();
    await scene.expectTally(article, 2, 1);
  });

  // Withstands (Requests to Discord): Discord fails to show one message for good
  // → it is asked for less and less often, once an hour at last
  test('a recount rests longer after each try in which Discord fails to show a message and answers else', async () => {
    const { faults, guildId, channels } = scene.sandbox;
    // A recount of before would ask for it too.
    await scene.settled();
    channels.general.messageIds = channels.general.messageIds.filter((id) => id !== article);
    const path = new RegExp(`/messages/${article}$`);
    const end = faults.add({ method: 'GET', path, status: 404 });
    scene.recounts.soon(guildId);
    const rests: number[] = [];
    let movedMs = 0;
    do {
      await scene.settled();
      const { restMs } = await trouble();
      rests.push(restMs);
      scene.clock.move(restMs);
      movedMs += restMs;
      await scene.bot.due.look();
    } while (rests.length < 14);
    const { attempts, restMs } = await trouble();
    expect(attempts).toBeGreaterThanOrEqual(14);
    expect(rests[0]).toBeLessThanOrEqual(2000);
    expect(restMs).toBeGreaterThan(3_500_000);
    end();
    channels.general.messageIds = [...channels.general.messageIds, article].sort();
    scene.clock.move(restMs);
    await scene.bot.due.look();
    expect(await trouble()).toMatchObject({ attempts: 0 });
    scene.clock.move(-movedMs - restMs);
  });

  test('a recount is tried each 15 s while Discord answers nothing, and that counts as no failure', async () => {
    const { faults, guildId } = scene.sandbox;
    await scene.settled();
    scene.secretly(() => scene.react(a, article, '👍'));
    const end = faults.add({ status: 503 });
    scene.recounts.soon(guildId);
    await scene.settled();
    const before = recounts();
    for (let i = 0; i < 5; i += 1) {
      const { attempts, restMs } = await trouble();
      expect(attempts).toBe(0);
      expect(restMs).toBeLessThanOrEqual(15_000);
      scene.clock.move(15_000);
      await scene.bot.due.look();
    }
    expect(recounts()).toBeGreaterThanOrEqual(before + 5);
    end();
    scene.clock.move(15_000);
    await scene.bot.due.look();
    expect(await scene.tally(article)).toEqual([2, 0]);
    scene.clock.move(-90_000);
  });

  test('a recount begins after an unlock whose votes could not be read', async () => {
    const { sandbox } = scene;
    scene.react(a, article, '👍');
    await expectAgreement();
    await scene.moderate(sandbox.admin, 'lock', article);
    scene.unreact(a, article, '👍');
    scene.react(b, article, '👍');
    const end = sandbox.faults.add({ method: 'GET', route: /reactions/, status: 503 });
    const before = unread();
    await scene.moderate(sandbox.admin, 'unlock', article);
    await expect.poll(unread).toBeGreaterThan(before);
    end();
    await expectAgreement();
  });

  test('a recount begins by itself again when a channel that was refused has rested', async () => {
    const { faults, guildId } = scene.sandbox;
    const end = faults.add({ path: new RegExp(`${general}/messages`), status: 403 });
    scene.secretly(() => scene.react(a, article, '👎'));
    const before = recounts();
    scene.recounts.soon(guildId);
    await recounted(before);
    end();
    expect(await scene.article(article)).toMatchObject({ down: 0 });
    scene.clock.move(61_000);
    await scene.bot.due.look();
    await expectAgreement();
    scene.clock.move(-61_000);
  });
});

describe('the nightly full pass', () => {
  const day = 86_400_000;
  const hour = 3_600_000;

  // Withstands (The gateway): Equal counts hide other voters
  // → the nightly pass finds them
  test('the nightly full pass finds who voted behind equal counts, in small shares, each article once', async () => {
    const ids = await scene.plant(general, 31);
    for (const id of ids) scene.react(a, id, '👍');
    await scene.agree(ids);
    scene.secretly(() => {
      for (const id of ids) {
        scene.unreact(a, id, '👍');
        scene.react(c, id, '👍');
      }
    });
    await scene.recount();
    expect(await scene.differences(ids)).not.toEqual([]);
    // To 04:30 UTC of a night that is still to begin, when half an hour's rate is left.
    const now = scene.clock.now();
    const moved = Math.ceil((now - hour) / day) * day + 4.5 * hour - now;
    scene.clock.move(moved);
    const shares: number[] = [];
    const stop = onMetric('recount', ({ kind, articles }) => {
      if (kind === 'full') shares.push(articles);
    });
    let steps = 0;
    do {
      steps += 1;
      await scene.bot.due.look();
      scene.clock.move(60_000);
    } while (shares.length === steps);
    stop();
    expect(shares[0]).toBe(2);
    expect(steps).toBeGreaterThan(10);
    expect(await scene.differences(ids)).toEqual([]);
    scene.clock.move(-moved - steps * 60_000);
  });
});

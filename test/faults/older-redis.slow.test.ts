import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { lockArticle, moveArticle, retitleArticle } from '../../src/ranking/articles/edit.ts';
import { changeGroup } from '../../src/ranking/articles/groups.ts';
import { readRemoved, removeArticle, restoreArticle } from '../../src/ranking/articles/removed.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import type { Message } from '../../discord-box/src/index.ts';
import { isBoard } from '../../src/board/board-message.ts';
import { replacements } from '../../src/board/replacement.ts';
import { unannounced } from '../../src/articles/announced.ts';
import { zDigest } from '../../src/digests/digest-settings.ts';
import { ANNOUNCE, digestRow, saveDigest } from '../../src/digests/stored-digests.ts';
import { editionsSince } from '../../src/editions/stored-editions.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';

const WEEK_MS = 604_800_000;

let scene: Scene;
let guild: string;
let poster: string;
let voters: string[];
beforeAll(async () => {
  scene = await startScene({ follows: true });
  guild = scene.sandbox.guildId;
  [poster = ''] = scene.sandbox.members;
  voters = scene.crowd(4);
  await setSetting(scene.sandbox, 'mark', '3');
});
afterAll(() => scene.stop());

type Copy = { key: string; value: Buffer }[];

async function copyOf(): Promise<Copy> {
  const { redis } = scene.redis;
  const keys = await redis.keys('*');
  return Promise.all(keys.map(async (key) => ({ key, value: await redis.dumpBuffer(key) })));
}

/** Redis is as it was, and the bot's connections break. */
async function putBack(copy: Copy): Promise<void> {
  const { redis } = scene.redis;
  const all = redis.multi().flushall();
  for (const { key, value } of copy) all.restore(key, 0, value);
  await all.exec();
  for (const type of ['normal', 'pubsub']) await redis.call('CLIENT', 'KILL', 'TYPE', type);
}

const AGES: [string, number][] = [
  ['a second', 1000],
  ['2.8 seconds', 2800],
  ['10 minutes', 600_000],
  ['a day', 86_400_000],
];

const shownOf = (id: string) => readArticleMessage({ content: scene.message(id).content });

/** Resolves when the row says what the message says. */
async function expectTaken(id: string): Promise<void> {
  const shown = shownOf(id);
  const { ranking } = scene.bot;
  const isTaken = async () => {
    const row = await scene.article(id);
    if (shown === null) return row === null && (await readRemoved(ranking, guild, id)) !== null;
    if (row === null) return false;
    const { title, locked, interesting, closed } = shown;
    const same = { title, locked, interesting, closed };
    const groups = [...row.groups].sort().join() === [...shown.groups].sort().join();
    const result = !closed || (row.up === shown.up && row.down === shown.down);
    return (
      groups &&
      result &&
      Object.entries(same).every(([name, value]) => Reflect.get(row, name) === value)
    );
  };
  await scene.eventually(isTaken, Boolean, `what its message says: ${JSON.stringify(shown)}`);
}

const edits = () => scene.sandbox.requests.count('PATCH', /messages/);

test.each(AGES)(
  'a Redis that lost %s, in which an article closed, has its result from its message',
  async (_, ageMs) => {
    const id = await scene.post(poster);
    await scene.vote(voters[0] ?? '', id);
    await scene.pass(WEEK_MS - ageMs / 2);
    const copy = await copyOf();
    await scene.pass(ageMs + 2000);
    await scene.bot.ranking.changes.flush();
    expect(shownOf(id)).toMatchObject({ closed: true, up: 2 });
    // What comes after the end does not count.
    scene.secretly(() => scene.react(voters[1] ?? '', id, '👍'));
    scene.sandbox.requests.reset();
    await putBack(copy);
    await expectTaken(id);
    await scene.minute();
    await scene.settled();
    expect(shownOf(id)).toMatchObject({ closed: true, up: 2 });
    expect(edits()).toBe(0);
  },
);

/** Where articles are, in a channel of its own for each age. */
const PLACES = {
  general: () => scene.sandbox.channels.general.id,
  'an open thread': () => startThread('aside'),
  'a thread that is archived': () => startThread('long ago'),
  'a forum post': () => {
    const { admin, channels } = scene.sandbox;
    return scene.sandbox.as(admin).post(channels.forum.id, 'look', 'what I made').id;
  },
};

function startThread(name: string): string {
  const { admin, channels } = scene.sandbox;
  return scene.sandbox.as(admin).startThread(channels.general.id, name).id;
}

const ofPlaces = AGES.map(
  ([age, ageMs], at) => [age, Object.keys(PLACES)[at] as keyof typeof PLACES, ageMs] as const,
);

// Withstands (Redis, while the bot runs): Redis loses a second, ten minutes or a day of what it confirmed
// → nothing that was done meanwhile is undone in Discord, and Redis says again what the messages say
test.each(ofPlaces)(
  'a Redis that lost %s undoes nothing in Discord, and says again what the messages say, in %s',
  async (_, place, ageMs) => {
    const channel = PLACES[place]();
    const { ranking } = scene.bot;
    const { rust } = scene.sandbox.channels;
    const now = () => scene.clock.now();
    const of = (article: string) => ({ guild, article });
    const made = await scene.plant(channel, 8);
    const [removed = '', restored = '', retitled = '', moved = '', ...others] = made;
    const [added = '', locked = '', unlocked = '', starred = ''] = others;
    await removeArticle(ranking, guild, restored, now());
    await lockArticle(ranking, { ...of(unlocked), locked: true });
    await scene.minute();
    expect([shownOf(restored), shownOf(unlocked)?.locked]).toEqual([null, true]);
    const copy = await copyOf();

    scene.clock.move(ageMs);
    await removeArticle(ranking, guild, removed, now());
    await restoreArticle(ranking, guild, restored, true);
    await retitleArticle(ranking, { ...of(retitled), title: 'By a moderator' });
    await moveArticle(ranking, { ...of(moved), home: rust.id, listed: true });
    await changeGroup(ranking, { ...of(added), group: rust.id }, 'add');
    await lockArticle(ranking, { ...of(locked), locked: true });
    await lockArticle(ranking, { ...of(unlocked), locked: false });
    for (const voter of voters) await scene.vote(voter, starred);
    await scene.minute();
    await ranking.changes.flush();
    expect(shownOf(removed)).toBeNull();
    expect([shownOf(retitled)?.title, shownOf(starred)?.interesting]).toEqual([
      'By a moderator',
      true,
    ]);
    const before = made.map((id) => scene.message(id).content);
    if (place === 'a thread that is archived') {
      scene.sandbox.operator.archiveThread({ channel, archived: true });
    }

    scene.sandbox.requests.reset();
    await putBack(copy);
    for (const id of made) await expectTaken(id);
    await scene.minute();
    await scene.settled();
    expect(made.map((id) => scene.message(id).content)).toEqual(before);
    expect(edits()).toBe(0);
  },
);

// Withstands (Redis, while the bot runs): Redis loses the articles of its last moments
// → they are taken in from Discord before a link is posted again
test.each(AGES)(
  'a Redis that lost %s has the articles of that time again, and no link stands twice',
  async (_, ageMs) => {
    const copy = await copyOf();
    scene.clock.move(ageMs);
    const link = `https://lost.example/${ageMs}`;
    const id = await scene.post(poster, { link });
    await scene.bot.ranking.changes.flush();
    await scene.minute();
    await putBack(copy);
    // A post waits for the connection a second at most.
    await scene.bot.store.redis.ping();
    const again = scene.command(scene.sandbox.admin, 'post', { link, title: 'Again' });
    await scene.eventually(() => scene.article(id), Boolean, 'taken in');
    expect((await again).message?.content).toContain('already posted');
    const messages = [...scene.sandbox.channels.general.messages.values()];
    const standing = messages.filter((one) => readArticleMessage(one)?.link === link);
    expect(standing.map((one) => one.id)).toEqual([id]);
  },
);

/** Goes to a time, of which Redis then loses as much as it can and a minute at most after it. */
async function losing(atMs: number, ageMs: number, act: () => Promise<void>): Promise<void> {
  const lastMs = Math.min(ageMs / 2, MINUTE_MS);
  await scene.pass(atMs - (ageMs - lastMs) - scene.clock.now());
  await scene.bot.ranking.changes.flush();
  const copy = await copyOf();
  scene.clock.move(ageMs + 2000);
  await act();
  await scene.bot.ranking.changes.flush();
  await putBack(copy);
}

/** The bot's messages in a channel, as they were sent or edited last. */
const ownIn = (channel: string): Pick<Message, 'id' | 'content' | 'embeds' | 'components'>[] =>
  [...(scene.sandbox.world.channels.get(channel)?.messages.values() ?? [])]
    .filter(({ authorId }) => authorId === scene.sandbox.world.application.botId)
    .map(({ id, content, embeds, components }) => ({ id, content, embeds, components }));

// Withstands (Redis, while the bot runs): Redis forgets an edition or an announcement that stands in Discord
// → it stays as it is, comes no second time, and is recorded again
test.each(AGES)(
  'a Redis that lost %s, in which an edition and an announcement came, has them once and as they were',
  async (_, ageMs) => {
    // What the test before it lost is back: an edition waits for that.
    for (let look = 0; look < 2; look += 1) {
      await scene.minute();
      await scene.settled();
      await scene.whole();
    }
    const { store } = scene.bot;
    const news = scene.sandbox.channels.rust.id;
    const slotMs = Math.ceil((scene.clock.now() + ageMs) / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const time = new Date(slotMs).toISOString().slice(11, 16);
    const digest = zDigest.parse({
      channel: news,
      schedule: { every: 'day', time, zone: 'UTC' },
      slotsFromMs: scene.clock.now(),
      savedAtMs: scene.clock.now(),
    });
    const name = `of-${ageMs}`;
    await saveDigest(store, guild, name, digest);
    await scene.bot.due.planAt(guild, digestRow(name), slotMs);
    await writeSetting(store, guild, 'announcements', news);
    await scene.bot.due.plan(guild, ANNOUNCE, 0);
    const id = await scene.post(poster);
    await losing(slotMs, ageMs, async () => {
      for (const voter of voters) await scene.vote(voter, id);
      await scene.bot.due.planAt(guild, ANNOUNCE, 0);
      await scene.minute();
    });
    const before = ownIn(news);
    scene.sandbox.requests.reset();
    await scene.eventually(
      () => scene.tally(id),
      (tally) => tally?.[0] === 5,
      'recounted',
    );
    // The second minute sees what the first made interesting.
    for (let minute = 0; minute < 3; minute += 1) {
      await scene.pass(MINUTE_MS);
    }
    expect(ownIn(news)).toEqual(before);
    const isAnnounced = before.some(({ content }) => content.includes(`/${id})`));
    const [edition] = await editionsSince(store, guild, name, 0);
    const posted = before.find((one) => one.id === edition?.edition.message);
    expect([isAnnounced, await unannounced(store, guild, [id])]).toEqual([true, []]);
    expect(posted?.content).toMatch(/^## /);
    expect(JSON.stringify(posted?.embeds)).toContain(edition?.edition.articles[0]?.id);
    await writeSetting(store, guild, 'announcements', null);
    await saveDigest(store, guild, name, {
      ...digest,
      slotsFromMs: scene.clock.now() + 1000 * WEEK_MS,
    });
  },
);

// Withstands (Redis, while the bot runs): Redis forgets that a new board took the place of the one before
// → the new one is found and kept up, and no second one is put up
test.each(AGES)(
  'a Redis that lost %s, in which the board was replaced, keeps the new one up',
  async (_, ageMs) => {
    const { store, board } = scene.bot;
    const channel = scene.sandbox.channels.rust.id;
    const boards = () => ownIn(channel).filter(isBoard);
    await scene.plant(scene.sandbox.channels.general.id, 1);
    await board.put(guild, channel, scene.sandbox.admin);
    const [first] = boards();
    const { nextMs } = await replacements(store, guild, scene.clock.now() + ageMs);
    await losing(nextMs, ageMs, async () => {
      scene.sandbox.as(poster).send(channel, 'Below it.');
      await scene.post(poster);
      await scene.settled();
      await scene.minute();
    });
    const [second] = boards();
    expect(boards()).toHaveLength(1);
    expect(second?.id).not.toBe(first?.id);
    await scene.eventually(
      async () => {
        await scene.minute();
        return (await board.read(guild))?.state;
      },
      (state) => state?.message === second?.id && !state?.deleted,
      'found',
    );
    expect(boards().map(({ id }) => id)).toEqual([second?.id]);
    await board.takeDown(guild);
  },
);

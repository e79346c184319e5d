import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { closeArticle, setResult } from '../../src/ranking/articles/closing.ts';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { noteErased } from '../../src/community/erasures.ts';
import { takeInAnew, takeInMessage } from '../../src/history/take-in-message.ts';
import { rebuildGuild, takeInMessages } from '../../src/history/rebuild/rebuild-guild.ts';
import { readUnread, writeUnread } from '../../src/history/rebuild/stored-rebuilds.ts';
import { FINAL_AFTER_MS } from '../../src/ranking/rules.ts';
import { readMessage } from '../../src/votes/recount/messages.ts';
import { guildFiles } from '../../src/backup/guild-file/read.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { bytesOf, signed } from '../backup/guild-file/guild-files.ts';

let scene: Scene;
let guild: string;
let general: string;
let [poster, victim, voter]: string[] = [];

beforeAll(async () => {
  scene = await startScene();
  guild = scene.sandbox.guildId;
  general = scene.sandbox.channels.general.id;
  [poster, victim, voter] = scene.sandbox.members;
});
afterAll(() => scene.stop());

let posted = 0;
let link = '';
beforeEach(() => {
  link = `https://real.example/${(posted += 1)}`;
});

/** Restores a file that lies about an article, which Redis has lost. */
async function forge(id: string, lies: Record<string, unknown>): Promise<void> {
  const { bot } = scene;
  await deleteArticle(bot.ranking, guild, id);
  const line = { kind: 'article', id, title: 'Real', link, poster };
  const place = { groups: [general], channel: general, listed: true };
  const votes = { up: 1, down: 0, interesting: false, locked: false, closed: false };
  const text = signed([{ ...line, ...place, ...votes, ...lies }], {
    guild,
    application: scene.sandbox.applicationId,
  });
  const of = bot.client.guilds.cache.get(guild)!;
  for await (const file of guildFiles(bytesOf(text))) {
    await bot.backup.restore(of, file);
  }
}

const lies: [string, () => Record<string, unknown>][] = [
  ['poster', () => ({ poster: victim })],
  ['link', () => ({ link: 'https://forged.example/' })],
  ['comment', () => ({ comment: 'I never said this.' })],
];

// Withstands (Attacks): A restored file forges a poster or a result
// → the article’s message wins
test.each(lies)('a recount takes the %s of a restored article from its message', async (_, lie) => {
  const { bot } = scene;
  const id = await scene.post(poster!, { link, title: 'Real' });
  scene.react(voter!, id, '👍');
  await scene.expectTally(id, 2, 0);
  const before = await scene.article(id);
  const { content } = scene.message(id);
  await forge(id, lie());
  expect(await scene.article(id)).toMatchObject(lie());
  expect(await bot.due.now(guild, `show:${id}`)).toBeNull();
  expect(scene.message(id).content).toBe(content);
  await scene.recount();
  expect(await scene.article(id)).toEqual(before);
  expect(scene.message(id).content).toBe(content);
});

test.each([
  ['and its poster', () => ({ poster: victim })],
  ['alone', () => ({})],
  ['in its down votes', () => ({ up: 1, down: 7 })],
])('a rebuild takes the result of a closed article %s from its message', async (_, more) => {
  const { bot } = scene;
  const id = await scene.post(poster!, { link, title: 'Real' });
  await closeArticle(bot.ranking, guild, id);
  expect(await bot.due.now(guild, `show:${id}`)).toBeNull();
  const carried = readArticleMessage(scene.message(id));
  expect(carried).toMatchObject({ closed: true, up: 1, down: 0 });
  const lies = { interesting: true, closed: true, up: 900_000, ...more() };
  await forge(id, lies);
  // Whoever restores has the messages looked at, which is not done here.
  const { up, down } = { down: 0, ...lies };
  await setResult(bot.ranking, { guild, article: id, up, down });
  expect(await scene.article(id)).toMatchObject({ up, down });
  const of = bot.client.guilds.cache.get(guild)!;
  const message = await readMessage(bot, guild, general, id);
  await takeInMessages(bot, of, [message!], 'open');
  expect(await scene.article(id)).toMatchObject({ up: 1, down: 0, closed: true, poster });
});

test('a message of the bot that is no article is not made one', async () => {
  const { bot, sandbox } = scene;
  const id = await scene.post(poster!, { link, title: 'Real' });
  const edition = '## Daily digest\nSomething';
  scene.secretly(() => {
    scene.message(id).content = edition;
  });
  await forge(id, { title: 'Forged' });
  await bot.due.now(guild, `show:${id}`);
  await scene.recount();
  expect(sandbox.world.channels.get(general)?.messages.get(id)?.content).toBe(edition);
  expect(await scene.article(id)).toBeNull();
});

test('what is deleted or erased while it is taken in does not come back', async () => {
  const { bot } = scene;
  const of = bot.client.guilds.cache.get(guild)!;
  const takeIn = async (who: string, meanwhile: (id: string) => unknown) => {
    const id = await scene.post(who, { link: `${link}/${who}` });
    const message = (await readMessage(bot, guild, general, id))!;
    await deleteArticle(bot.ranking, guild, id);
    // Between the writing and what is asked after it.
    const listing: typeof bot.listing = {
      ...bot.listing,
      async write(places, write) {
        const written = await bot.listing.write(places, write);
        expect(await scene.article(id)).not.toBeNull();
        await meanwhile(id);
        return written;
      },
    };
    const taken = await takeInMessage({ ...bot, listing }, of, message);
    return [taken === null, (await scene.article(id)) === null];
  };
  const [deleted = '', erased = '', left = ''] = scene.crowd(3);
  const removal = { kind: 'removal', guild, channel: general, atMs: bot.clock.now() } as const;
  const hear = (id: string) => bot.seen.hear({ ...removal, article: id });
  expect(await takeIn(deleted, hear)).toEqual([true, true]);
  const erase = () => noteErased(bot.store, guild, erased, bot.clock.now() + 1000);
  expect(await takeIn(erased, erase)).toEqual([true, true]);
  expect(await takeIn(left, () => {})).toEqual([false, false]);
});

// Withstands (Processes that die): It dies between deleting a forged article and putting what its message says
// → a rebuild of the channel has the article, however old it is
test('an article that is read again from its message is not lost where the process dies over it', async () => {
  const { bot } = scene;
  const of = bot.client.guilds.cache.get(guild)!;
  const id = await scene.post(poster!, { link, title: 'Real' });
  const message = (await readMessage(bot, guild, general, id))!;
  await forge(id, { poster: victim });
  const listing: typeof bot.listing = {
    ...bot.listing,
    write: () => Promise.reject(new Error('It died.')),
  };
  await expect(takeInAnew({ ...bot, listing }, guild, message)).rejects.toThrow('It died.');
  expect(await scene.article(id)).toBeNull();
  // So old that no scan looks for it.
  scene.clock.move(FINAL_AFTER_MS);
  const unread = await readUnread(bot.store, guild);
  expect(unread).toEqual([general]);
  await rebuildGuild(bot, of, { only: unread });
  expect(await scene.article(id)).toMatchObject({ poster });
  expect(await readUnread(bot.store, guild)).toEqual([]);
  // Nothing is left of it where all went well, and what could not be read before stays noted.
  await takeInAnew(bot, guild, message);
  expect(await readUnread(bot.store, guild)).toEqual([]);
  await writeUnread(bot.store, guild, [general]);
  await takeInAnew(bot, guild, message);
  expect(await readUnread(bot.store, guild)).toEqual([general]);
  await writeUnread(bot.store, guild, []);
  // A thread is read again as one of its channel.
  const { id: thread } = scene.sandbox.as(poster!).startThread(general, 'Aside');
  const inside = await scene.post(poster!, { link: `${link}/thread`, channel: thread });
  const said = (await readMessage(bot, guild, thread, inside))!;
  await expect(takeInAnew({ ...bot, listing }, guild, said)).rejects.toThrow('It died.');
  expect(await readUnread(bot.store, guild)).toEqual([`${general}/${thread}`]);
  await writeUnread(bot.store, guild, []);
});

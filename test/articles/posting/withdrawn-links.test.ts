import { type APIMessage, Routes } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeMember } from '../../../discord-box/src/world/guilds/change-member.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { withdraw } from '../../../src/articles/posting/withdraw.ts';
import { finishErasing } from '../../../src/privacy/member-data.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { repairMessage } from '../../../src/votes/recount/repair-message.ts';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { Died, dyingAfter } from '../../fixtures/dying-after.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let grace: string;
let ada: string;
let general: string;

beforeAll(async () => {
  scene = await startScene({
    privileged: { messageContent: true, guildMembers: false, presences: false },
  });
  const { sandbox } = scene;
  [grace = '', ada = ''] = sandbox.members;
  general = sandbox.channels.general.id;
  await writeSetting(scene.bot.store, sandbox.guildId, 'link-channels', [general]);
  await scene.bot.rules.refresh(sandbox.guildId);
});
afterAll(() => scene.stop());

const write = (content: string) => scene.sandbox.as(grace).send(general, content).id;
const edit = (source: string, content: string) =>
  scene.sandbox.as(grace).edit(general, source, content);
/** The bot's messages beside a member's. */
const answersTo = (source: string) =>
  scene.sandbox
    .as(grace)
    .messages(general, 200)
    .filter(({ message_reference: about }) => about?.message_id === source);
/** Writes, and resolves with the article when it can be voted on. */
async function posted(link: string): Promise<{ source: string; article: string }> {
  const source = write(`See ${link}`);
  return { source, article: await articleBeside(source, link) };
}
async function articleBeside(source: string, link: string): Promise<string> {
  const answer = await scene.sandbox.until(
    () => answersTo(source).find(({ content }) => content.includes(link)),
    `an article of ${link}`,
  );
  await scene.eventually(() => scene.article(answer.id), Boolean, 'committed');
  return answer.id;
}
async function expectGone(article: string): Promise<void> {
  await scene.eventually(
    () => scene.article(article),
    (one) => one === null,
    'gone',
  );
  await expect
    .poll(() =>
      scene.sandbox
        .as(grace)
        .messages(general, 200)
        .map(({ id }) => id),
    )
    .not.toContain(article);
}
// Withstands (Attacks): A moderating bot, or its author, deletes a message with a link in a link channel
// → the bot's article and its link go with it
describe('what the bot answered in a link channel goes with what was said', () => {
  test('a message that its author deletes within moments takes its article with it, and its link can be posted again', async () => {
    const { source, article } = await posted('https://news.example/taken-back');
    await scene.vote(ada, article);
    scene.sandbox.as(grace).delete(general, source);
    await expectGone(article);
    await posted('https://news.example/taken-back');
  });

  test('a message that is deleted while its article is being posted takes it along', async () => {
    const source = write('https://news.example/at-once');
    scene.sandbox.operator.deleteMessages({ channel: general, messages: [source] });
    const { article } = await posted('https://news.example/after-it');
    expect(await scene.article(article)).not.toBeNull();
    await expect
      .poll(() =>
        scene.sandbox
          .as(grace)
          .messages(general, 200)
          .filter(({ content }) => content.includes('news.example/at-once')),
      )
      .toEqual([]);
    await posted('https://news.example/at-once');
  });

  test('messages that are deleted in bulk take their articles with them', async () => {
    const [one, two] = [
      await posted('https://news.example/bulk-1'),
      await posted('https://news.example/bulk-2'),
    ];
    scene.sandbox.operator.deleteMessages({
      channel: general,
      messages: [one.source, two.source],
    });
    await expectGone(one.article);
    await expectGone(two.article);
  });

  test('a message that is deleted later takes its article with it unless others have voted, either way', async () => {
    const [voted, disliked, alone] = [
      await posted('https://news.example/voted'),
      await posted('https://news.example/disliked'),
      await posted('https://news.example/alone'),
    ];
    await scene.vote(ada, voted.article);
    await scene.vote(ada, disliked.article, '👎');
    scene.clock.move(11 * MINUTE_MS);
    for (const { source } of [voted, disliked, alone]) {
      scene.sandbox.as(grace).delete(general, source);
    }
    await expectGone(alone.article);
    expect((await scene.article(voted.article))?.up).toBe(2);
    expect((await scene.article(disliked.article))?.down).toBe(1);
  });

  test('an article whose voting is over stays, whatever becomes of the message that it stands beside', async () => {
    const [over, open] = [
      await posted('https://news.example/over'),
      await posted('https://news.example/open'),
    ];
    await closeArticle(scene.bot.ranking, scene.sandbox.guildId, over.article);
    for (const { source } of [over, open]) scene.sandbox.as(grace).delete(general, source);
    await expectGone(open.article);
    expect(await scene.article(over.article)).toMatchObject({ closed: true });
  });

  test('what a recount cannot see to be deleted takes no article with it', async () => {
    const { guildId, faults } = scene.sandbox;
    const { source, article } = await posted('https://news.example/not-shown');
    const withdrawn = async (more: object = {}) => {
      const beside = { message_reference: { message_id: source }, referenced_message: null };
      const message = { ...beside, ...more } as unknown as APIMessage;
      return scene.bot.withdrawIfAlone(guildId, (await scene.article(article))!, message);
    };
    // Discord did not bring it along.
    expect(await withdrawn()).toBe(false);
    const end = faults.add({ method: 'GET', path: new RegExp(source), status: 404 });
    await expect(withdrawn()).rejects.toMatchObject({ status: 404 });
    end();
    expect(await withdrawn({ message_reference: undefined })).toBe(false);
    expect(await scene.article(article)).not.toBeNull();
    scene.secretly(() => scene.sandbox.world.channels.get(general)!.messages.delete(source));
    // A late answer to a command is a reply too.
    expect(await withdrawn({ interaction_metadata: { id: '1' } })).toBe(false);
    expect(await withdrawn()).toBe(true);
    await expectGone(article);
  });

  test('the answer that a link has an article already goes too', async () => {
    await posted('https://news.example/known');
    const again = write('https://news.example/known');
    await expect.poll(() => answersTo(again)).toHaveLength(1);
    const [answer] = answersTo(again);
    scene.sandbox.as(grace).delete(general, again);
    await expect
      .poll(() =>
        scene.sandbox
          .as(grace)
          .messages(general, 200)
          .map(({ id }) => id),
      )
      .not.toContain(answer!.id);
  });

  test('the answer that a link has an article already goes with its message, also where an edit could not take it back', async () => {
    await posted('https://news.example/known-then');
    const source = write('https://news.example/known-then');
    await expect.poll(() => answersTo(source)).toHaveLength(1);
    const [answer] = answersTo(source);
    const { faults, requests } = scene.sandbox;
    const path = new RegExp(`/messages/${answer!.id}$`);
    const end = faults.add({ method: 'DELETE', path, status: 400 });
    const tries = () => requests.count('DELETE', /messages\/:message$/);
    const before = tries();
    edit(source, 'https://news.example/mended-then');
    await expect.poll(tries).toBeGreaterThan(before);
    end();
    scene.sandbox.as(grace).delete(general, source);
    await expect.poll(() => answersTo(source)).toEqual([]);
  });

  test('an answer that somebody deleted before keeps nothing else from going with its message', async () => {
    await posted('https://news.example/known-before');
    const link = 'https://news.example/beside-it';
    const source = write(`https://news.example/known-before ${link}`);
    const article = await articleBeside(source, link);
    const [notice] = answersTo(source);
    scene.sandbox.operator.deleteMessages({ channel: general, messages: [notice!.id] });
    scene.sandbox.as(grace).delete(general, source);
    await expectGone(article);
  });

  test('a deletion of which no event told is found by the recount, unless others have voted', async () => {
    const [voted, missed, alone] = [
      await posted('https://news.example/missed-voted'),
      await posted('https://news.example/missed-votes'),
      await posted('https://news.example/missed-alone'),
    ];
    await scene.vote(ada, voted.article);
    scene.secretly(() => {
      scene.react(ada, missed.article, '👎');
      for (const { source } of [voted, missed, alone])
        scene.sandbox.world.channels.get(general)!.messages.delete(source);
    });
    await scene.recount({ full: true });
    await expectGone(alone.article);
    expect((await scene.article(voted.article))?.up).toBe(2);
    expect(await scene.article(missed.article)).toMatchObject({ up: 1, down: 1 });
  });

  test('a deletion of which no event told takes no vote along that its message does not show', async () => {
    const [voted, alone] = [
      await posted('https://news.example/voted-unshown'),
      await posted('https://news.example/voted-not'),
    ];
    await scene.vote(ada, voted.article);
    scene.secretly(() => {
      scene.unreact(ada, voted.article, '👍');
      for (const { source } of [voted, alone])
        scene.sandbox.world.channels.get(general)!.messages.delete(source);
    });
    const repaired = async ({ article: id }: { article: string }) => {
      const route = Routes.channelMessage(general, id);
      const message = (await scene.bot.client.rest.get(route)) as APIMessage;
      const article = (await scene.article(id))!;
      const looked = { message, hasChanged: false };
      await repairMessage(scene.bot, scene.sandbox.guildId, article, looked);
      return (await scene.article(id))?.up ?? null;
    };
    expect(await repaired(voted)).toBe(2);
    expect(await repaired(alone)).toBeNull();
  });
});

test('a withdrawn article’s message that Discord does not let go now is deleted some seconds later', async () => {
  const { faults, requests, guildId } = scene.sandbox;
  const { redis } = scene.bot.store;
  const { due } = storeKeys(scene.bot.store, guildId);
  const { source, article } = await posted('https://news.example/not-let-go');
  const end = faults.add({ method: 'DELETE', path: new RegExp(`/${article}$`), status: 400 });
  scene.sandbox.as(grace).delete(general, source);
  await expect.poll(() => requests.count('DELETE', /messages\/:message$/, 400)).toBe(1);
  await expect.poll(() => redis.zscore(due, 'erase')).not.toBeNull();
  const inMs = Number(await redis.zscore(due, 'erase')) - scene.clock.now();
  expect(inMs).toBeLessThanOrEqual(10_000);
  expect(await scene.article(article)).toBeNull();
  end();
  await finishErasing(scene.bot, guildId);
  await expectGone(article);
  await redis.zrem(due, 'erase');
});

test('whichever step of withdrawing an article is its process’s last, no message stands without its article', async () => {
  const { bot, sandbox } = scene;
  let deaths = 0;
  for (let isWithdrawn = false; !isWithdrawn; deaths += 1) {
    const { source, article: id } = await posted(`https://news.example/dies-${deaths}`);
    const redis = dyingAfter(bot.store.redis, deaths);
    const dying = {
      ...bot,
      store: { ...bot.store, redis },
      ranking: { ...bot.ranking, redis },
      finishErasing: async () => {},
    };
    isWithdrawn = await withdraw(dying, sandbox.guildId, { id, source }).catch((error: unknown) => {
      if (error instanceof Died) return false;
      throw error;
    });
    await finishErasing(bot, sandbox.guildId);
    const isStanding = answersTo(source).some((answer) => answer.id === id);
    expect(isStanding).toBe((await scene.article(id)) !== null);
  }
  expect(deaths).toBeGreaterThan(1);
});

describe('an edit of a message in a link channel is followed', () => {
  test('an edit that mends the link has the article of the new one', async () => {
    const { source, article } = await posted('https://news.example/mispelt');
    edit(source, 'See https://news.example/misspelt');
    const mended = await articleBeside(source, 'https://news.example/misspelt');
    expect(mended).not.toBe(article);
    await expectGone(article);
    scene.sandbox.as(grace).delete(general, source);
    await expectGone(mended);
  });

  test('an edit that adds a link has its article', async () => {
    const source = write('Look at this!');
    edit(source, 'Look at this: https://news.example/added');
    const article = await articleBeside(source, 'https://news.example/added');
    expect((await scene.article(article))?.poster).toBe(grace);
  });

  test('an edit by who is timed out since has no article, though Discord lets them edit', async () => {
    const { world, guildId } = scene.sandbox;
    const inGuild = world.guilds.get(guildId)!;
    const late = scene.crowd(1)[0]!;
    const source = scene.sandbox.as(late).send(general, 'Look at this!').id;
    const timeOut = (ms: number | null) =>
      changeMember(world, inGuild, inGuild.members.get(late)!, {
        timedOutUntilMs: ms && scene.clock.now() + ms,
      });
    timeOut(MINUTE_MS);
    scene.sandbox.as(late).edit(general, source, 'Look: https://news.example/timed-out');
    // Theirs was looked at before this one.
    await posted('https://news.example/after-timed-out');
    expect(answersTo(source)).toEqual([]);
    timeOut(null);
    scene.sandbox.as(late).edit(general, source, 'See: https://news.example/timed-out');
    await articleBeside(source, 'https://news.example/timed-out');
  });

  test('an edit of a message that is minutes old has an article only where one stands beside it', async () => {
    const silent = write('Look at this!');
    const { source, article } = await posted('https://news.example/typo');
    scene.clock.move(11 * MINUTE_MS);
    edit(silent, 'Look at this: https://news.example/too-late');
    edit(source, 'See https://news.example/no-typo');
    const mended = await articleBeside(source, 'https://news.example/no-typo');
    await expectGone(article);
    expect(await scene.article(mended)).not.toBeNull();
    expect(answersTo(silent)).toEqual([]);
  });

  test('an edit is followed although a moderator removed the article of the first link', async () => {
    const { source, article } = await posted('https://news.example/removed');
    await scene.moderate(scene.sandbox.moderator, 'remove', article);
    edit(source, 'See https://news.example/instead');
    await articleBeside(source, 'https://news.example/instead');
    const standing = answersTo(source).find(({ id }) => id === article);
    expect(standing?.content).toMatch(/^-# /);
  });

  test('an edit to a link that has an article already is not answered, and neither is what a bot writes or edits', async () => {
    await posted('https://news.example/first-there');
    const [robot = ''] = scene.crowd(1, true);
    const repeated = write('Wait for it.');
    const automatic = scene.sandbox.as(robot).send(general, 'https://news.example/robot').id;
    edit(repeated, 'https://news.example/first-there');
    scene.sandbox.as(robot).edit(general, automatic, 'https://news.example/status');
    await posted('https://news.example/after-both');
    expect([...answersTo(repeated), ...answersTo(automatic)]).toEqual([]);
  });

  test('an edit that takes the link away takes the article with it, and one of other words does not', async () => {
    const { source, article } = await posted('https://news.example/words');
    edit(source, 'Do see https://www.news.example/words?utm_source=feed');
    const { article: later } = await posted('https://news.example/after-words');
    expect(await scene.article(later)).not.toBeNull();
    expect(answersTo(source).map(({ id }) => id)).toEqual([article]);
    edit(source, 'Never mind.');
    await expectGone(article);
  });

  test('an edit does not change what others have voted on for long', async () => {
    const { source, article } = await posted('https://news.example/bait');
    await scene.vote(ada, article);
    scene.clock.move(11 * MINUTE_MS);
    edit(source, 'https://news.example/switch');
    await posted('https://news.example/after-bait');
    expect((await scene.article(article))?.link).toBe('https://news.example/bait');
    expect(answersTo(source).map(({ id }) => id)).toEqual([article]);
  });
});

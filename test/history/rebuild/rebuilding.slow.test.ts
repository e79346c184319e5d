import { ChannelType, type Guild, MessageFlags } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { addReaction } from '../../../discord-box/src/world/messages/reactions.ts';
import { changeChannel } from '../../../discord-box/src/world/channels/change-channel.ts';
import {
  createMessage,
  editMessage,
} from '../../../discord-box/src/world/messages/change-message.ts';
import { articleMessage } from '../../../src/articles/messages/article-message.ts';
import { startBot } from '../../../src/bot.ts';
import { openGuilds } from '../../../src/guilds/guilds.ts';
import { rebuildGuild } from '../../../src/history/rebuild/rebuild-guild.ts';
import { lacksRecords } from '../../../src/community/lost-records.ts';
import {
  declareIncomplete,
  readProgress,
  readRebuildState,
  readUnread,
} from '../../../src/history/rebuild/stored-rebuilds.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { readVoters } from '../../../src/ranking/ballots/voters.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { openPanel } from '../../fixtures/open-panel.ts';

let scene: Scene;
let general: string;
let guild: string;
let members: string[];
let links = 0;

beforeAll(async () => {
  scene = await startScene({ follows: true });
  general = scene.sandbox.channels.general.id;
  guild = scene.sandbox.guildId;
  members = scene.sandbox.members;
});
afterAll(() => scene.stop());

async function posted(channel = general): Promise<string> {
  links += 1;
  return scene.post(scene.sandbox.admin, { channel, link: `https://news.example/${links}` });
}
/** The bot's message of an article that its ranking never heard of. */
function left(
  result: { up: number; down: number } | null,
  { channel = general, daysAgo = 0, interesting = false } = {},
): string {
  links += 1;
  const { world } = scene.sandbox;
  const place = world.channels.get(channel);
  if (!place) throw new Error('There is no such channel.');
  const id = world.snowflake(scene.clock.now() - daysAgo * DAY_MS);
  const carried = {
    title: `Left ${links}`,
    link: `https://left.example/${links}`,
    poster: scene.sandbox.admin,
    groups: [channel],
    interesting,
    locked: false,
    beside: false,
    closesAtMs: scene.clock.now(),
    closed: result !== null,
    ...(result ?? { up: 0, down: 0 }),
  };
  const content = articleMessage(carried, 'en-US');
  createMessage(world, place, { id, authorId: world.application.botId, content });
  return id;
}
/** Discord refuses these requests until the end that it returns. */
const refused = (path: RegExp) => scene.sandbox.faults.add({ method: 'GET', path, status: 403 });
/** How often a route was asked of a channel. */
const asked = (route: RegExp, channel = general) =>
  scene.sandbox.requests.recent.filter(
    (request) => request.channelId === channel && route.test(request.route),
  ).length;
const emptied = async () => {
  await scene.redis.flush();
  await scene.minute();
  await scene.whole();
};
/** What is unread when the bot's minutes have passed in which what was refused rests. */
const unreadAfterAMinute = async () => {
  await scene.pass(61_000);
  return readUnread(scene.bot.store, guild);
};
const voted = (id: string) => expect.poll(async () => (await scene.article(id))?.up);

test('an article that is posted during a first rebuild is none of before', async () => {
  const fresh = await startScene();
  const { bot } = fresh;
  const first = bot.client.guilds.cache.get(fresh.sandbox.guildId)!;
  await declareIncomplete(bot.store, first.id);
  const end = fresh.sandbox.faults.add({ method: 'GET', path: /messages/, delayMs: 500 });
  const rebuilt = rebuildGuild(bot, first, {});
  await expect.poll(() => readProgress(bot.store, first.id)).not.toBeNull();
  fresh.clock.move(1000);
  await fresh.post(fresh.sandbox.admin);
  fresh.clock.move(1000);
  expect(await rebuilt).toMatchObject({ status: 'finished' });
  end();
  expect(await lacksRecords(bot, first.id)).toBe(false);
  await fresh.stop();
});

test('votes whose lists could not be read in a rebuild are counted soon after it', async () => {
  const article = left(null);
  scene.react(members[0] ?? '', article, '👍');
  scene.react(members[1] ?? '', article, '👎');
  const end = scene.sandbox.faults.add({ method: 'GET', path: /reactions/, status: 400 });
  await declareIncomplete(scene.bot.store, guild);
  await scene.bot.due.arrive(guild);
  await scene.whole();
  expect(await scene.tally(article)).toEqual([1, 0]);
  end();
  await scene.expectTally(article, 2, 1);
});

describe('what is recognised', () => {
  test('a closed article has the result and the ★ of its message, an old one that never closed the votes of its reactions', async () => {
    const closed = left({ up: 7, down: 2 }, { daysAgo: 20 });
    const starred = left({ up: 7, down: 2 }, { daysAgo: 20, interesting: true });
    const forgotten = left(null, { daysAgo: 12 });
    for (const member of members.slice(0, 3)) scene.react(member, forgotten, '👍');
    scene.react(members[3] ?? '', forgotten, '👎');
    await emptied();
    const result = { up: 7, down: 2, closed: true };
    expect(await scene.article(closed)).toMatchObject({ ...result, interesting: false });
    expect(await scene.article(starred)).toMatchObject({ ...result, interesting: true });
    expect(await scene.article(forgotten)).toMatchObject({ up: 4, down: 1 });
  });

  test('a member who shows both reactions has no vote where no event told which is newer', async () => {
    const id = await posted();
    scene.secretly(() => {
      scene.react(members[0] ?? '', id, '👍');
      scene.react(members[0] ?? '', id, '👎');
    });
    scene.react(members[1] ?? '', id, '👎');
    await expect.poll(async () => (await scene.article(id))?.down).toBe(1);
    await emptied();
    const voters = await readVoters(scene.bot.ranking, guild, id);
    expect([...voters]).toEqual([[members[1], { vote: 'down', older: false }]]);
  });

  test('a member who shows both reactions has the vote that this process was told last', async () => {
    const id = await posted();
    scene.react(members[0] ?? '', id, '👎');
    scene.react(members[0] ?? '', id, '👍');
    await expect.poll(async () => (await scene.article(id))?.up).toBe(2);
    await emptied();
    const voters = await readVoters(scene.bot.ranking, guild, id);
    expect([...voters]).toEqual([[members[0], { vote: 'up', older: true }]]);
  });

  test('a message of others, and one that is no article, are left alone', async () => {
    const { world, channels } = scene.sandbox;
    const id = left(null);
    const { content } = scene.message(id);
    const copied = createMessage(world, channels.general, { authorId: members[0] ?? '', content });
    const removedMessage = left(null);
    editMessage(world, channels.general, scene.message(removedMessage), {
      content: '-# Removed by a moderator.',
    });
    await emptied();
    expect(await scene.article(id)).not.toBeNull();
    expect(await scene.article(copied.id)).toBeNull();
    expect(await scene.article(removedMessage)).toBeNull();
  });
});

describe('while it goes on', () => {
  test('members vote, post and read, and are told', async () => {
    const { sandbox } = scene;
    const id = await posted();
    const end = sandbox.faults.add({ method: 'GET', route: /\/messages$/, delayMs: 1000 });
    await scene.redis.flush();
    // It ends after the rebuild if anything else was being done as it began.
    const minute = scene.minute();
    await expect.poll(() => scene.bot.rebuilding.has(guild)).toBe(true);
    const top = await sandbox.as(members[0] ?? '').command(general, 'top');
    expect(top.message?.content).toContain('rebuilding its lists');
    scene.react(members[0] ?? '', id, '👍');
    const fresh = await posted();
    scene.react(members[1] ?? '', fresh, '👍');
    end();
    await minute;
    await scene.whole();
    await voted(id).toBe(2);
    await voted(fresh).toBe(2);
    const after = await sandbox.as(members[0] ?? '').command(general, 'top');
    expect(after.message?.content).toBe('');
  });

  test('an emptied Redis lets it begin anew', async () => {
    const id = left(null);
    const end = scene.sandbox.faults.add({ method: 'GET', route: /\/messages$/, delayMs: 300 });
    await scene.redis.flush();
    const minute = scene.minute();
    const { rebuild } = storeKeys(scene.sandbox, guild);
    await expect.poll(() => scene.redis.redis.exists(rebuild)).toBe(1);
    await scene.redis.flush();
    end();
    await minute;
    await scene.eventually(
      () => {
        scene.guilds.checkDataSet();
        return readRebuildState(scene.bot.store, guild);
      },
      ({ complete, begun }) => complete && !begun,
      'whole',
    );
    expect(await scene.article(id)).not.toBeNull();
  });

  // Withstands (Processes that die): It dies in a rebuild
  // → the next process continues
  test('a process that dies leaves the rest to the next, which goes on where it stopped', async () => {
    const { sandbox } = scene;
    for (let i = 0; i < 450; i += 1) sandbox.as(members[i % 5] ?? '').send(general, `Message ${i}`);
    const id = await posted();
    await scene.bot.stop();
    await scene.redis.flush();
    sandbox.requests.reset();
    const end = sandbox.faults.add({ method: 'GET', route: /messages$/, delayMs: 100 });
    await scene.restartBot();
    await expect.poll(() => asked(/messages$/)).toBeGreaterThanOrEqual(3);
    await scene.bot.stop();
    // Whoever read the newest page again would take it in again.
    expect(await deleteArticle(scene.bot.ranking, guild, id)).toEqual({ status: 'deleted' });
    await scene.restartBot();
    await scene.eventually(
      () => readRebuildState(scene.bot.store, guild),
      ({ complete, begun }) => complete && !begun,
      'whole',
    );
    expect(await scene.article(id)).toBeNull();
    // So late: the scan that follows a rebuild reads the newest page too.
    end();

    // Until its row has ended, a rebuild is under way.
    await scene.bot.due.look();
    const admin = sandbox.as(sandbox.admin);
    const { interactionId } = await openPanel(admin, general, 'rebuild');
    const answered = await sandbox.until(() => {
      const answer = admin
        .messages(general)
        .find((message) => message.interaction_metadata?.id === interactionId);
      return answer?.content.startsWith('Done') ? answer : undefined;
    }, 'the end of the rebuild');
    expect(answered.content).toMatch(/^Done: \d+ articles? (is|are) in place/);
    expect(await scene.article(id)).not.toBeNull();
  });

  test('a recount by hand tells what it repaired', async () => {
    const { sandbox } = scene;
    const id = await posted();
    scene.secretly(() => scene.react(members[0] ?? '', id, '👍'));
    const actor = sandbox.as(sandbox.admin);
    const recounted = async () => {
      const { interactionId } = await openPanel(actor, general, 'recount');
      return sandbox.until(() => {
        const answer = actor
          .messages(general)
          .find((message) => message.interaction_metadata?.id === interactionId);
        return answer?.content.includes('compared') ? answer.content : undefined;
      }, 'the end of the recount');
    };
    expect(await recounted()).toContain('Votes added: 1,');
    expect(await recounted()).toContain('All votes were right.');
  });
});

describe('what could not be read', () => {
  test('what a rebuild could not read is read as soon as it may be', async () => {
    const { operator, channels } = scene.sandbox;
    const channel = channels.gameDev.id;
    const id = await posted(channel);
    operator.setPermissions({ channel, who: 'bot', deny: ['ReadMessageHistory'] });
    await scene.settled();
    await emptied();
    expect(await scene.article(id)).toBeNull();
    scene.react(members[0] ?? '', id, '👍');
    operator.setPermissions({ channel, who: 'bot' });
    await voted(id).toBe(2);
  });
});

describe('a channel that was converted', () => {
  test('a channel that was converted keeps the articles of its older threads, though Discord no longer lists them', async () => {
    const { operator, world, admin } = scene.sandbox;
    const { id } = operator.createChannel({ name: 'news' });
    const actor = scene.sandbox.as(admin);
    const from = actor.send(id, 'Let us talk.').id;
    const threads = [actor.startThread(id, 'talk', { from }), actor.startThread(id, 'alone')];
    const articles: string[] = [];
    for (const thread of threads) {
      articles.push(await posted(thread.id));
      actor.archive(thread.id, true);
    }
    changeChannel(world, world.channels.get(id)!, { type: ChannelType.GuildAnnouncement });
    await scene.settled();
    await emptied();
    for (const article of articles) expect(await scene.article(article)).not.toBeNull();
    operator.deleteChannel({ channel: id });
  });
});

describe('a channel that Discord refuses', () => {
  // What an earlier test left under way would write what it has read into a Redis that was emptied meanwhile.
  beforeEach(async () => {
    await scene.bot.due.look();
    await scene.settled();
  });
  test('a voice channel that the bot may not join is named and stops no other', async () => {
    const { operator, world } = scene.sandbox;
    const { id: voice } = operator.createChannel({ name: 'lounge', kind: 'voice' });
    const [lost, kept] = [await posted(voice), await posted()];
    // A moderator's ✕ takes all embeds away, and no record with them.
    const place = world.channels.get(general)!;
    editMessage(world, place, place.messages.get(kept)!, { flags: MessageFlags.SuppressEmbeds });
    operator.setPermissions({ channel: voice, who: 'bot', deny: ['Connect'] });
    await scene.settled();
    const actor = scene.sandbox.as(scene.sandbox.admin);
    const recount = await openPanel(actor, general, 'recount');
    const said = () =>
      actor.messages(general).find(({ id }) => id === recount.message?.id)?.content;
    await expect.poll(said).toContain(`1 article in <#${voice}> could not be read`);
    await emptied();
    expect(await scene.article(lost)).toBeNull();
    expect(await scene.article(kept)).not.toBeNull();
    expect(await readUnread(scene.bot.store, guild)).toEqual([voice]);
    operator.setPermissions({ channel: voice, who: 'bot' });
    await expect.poll(() => scene.article(lost)).not.toBeNull();
    operator.deleteChannel({ channel: voice });
  });
  test('a channel that Discord does not know is named and stops no other; a deleted thread is not named', async () => {
    const { operator, world, admin } = scene.sandbox;
    const { id: lost } = operator.createChannel({ name: 'lost' });
    const [there, kept] = [await posted(lost), await posted()];
    const thread = scene.sandbox.as(admin).startThread(general, 'gone').id;
    await scene.settled();
    // Discord forgets both, and the gateway does not tell.
    const channel = world.channels.get(lost)!;
    world.channels.delete(lost);
    world.channels.delete(thread);
    await emptied();
    expect(await scene.article(there)).toBeNull();
    expect(await scene.article(kept)).not.toBeNull();
    expect(await readUnread(scene.bot.store, guild)).toEqual([lost]);
    world.channels.set(lost, channel);
    operator.deleteChannel({ channel: lost });
  });

  test('a channel whose list of threads Discord refuses is named and stops no other', async () => {
    const { rust, ai } = scene.sandbox.channels;
    const [lost, kept, other] = [await posted(rust.id), await posted(ai.id), await posted()];
    const ends = [
      refused(new RegExp(`${rust.id}/messages$`)),
      refused(new RegExp(`${ai.id}/threads/archived`)),
    ];
    await emptied();
    for (const end of ends) end();
    expect(await scene.article(lost)).toBeNull();
    expect(await scene.article(kept)).not.toBeNull();
    expect(await scene.article(other)).not.toBeNull();
    const unread = await readUnread(scene.bot.store, guild);
    expect(unread.toSorted()).toEqual([rust.id, `${ai.id}/threads`].toSorted());
    // It is asked again when it has rested, though Discord tells of no change.
    await expect.poll(unreadAfterAMinute).toEqual([]);
    expect(await scene.article(lost)).not.toBeNull();
  });

  test('a channel that Discord refuses longer than another is read too when it has rested', async () => {
    const { rust, ai } = scene.sandbox.channels;
    await posted(rust.id);
    const end = refused(new RegExp(`${rust.id}/messages$`));
    await emptied();
    // Refused once more, it rests longer than a minute.
    const asks = asked(/messages$/, rust.id);
    await expect
      .poll(async () => {
        await unreadAfterAMinute();
        return asked(/messages$/, rust.id);
      })
      .toBeGreaterThan(asks);
    end();
    const endOther = refused(new RegExp(`${ai.id}/threads/archived`));
    await declareIncomplete(scene.bot.store, guild);
    await scene.bot.due.arrive(guild);
    await scene.whole();
    endOther();
    await expect.poll(unreadAfterAMinute).toEqual([rust.id]);
    await expect.poll(unreadAfterAMinute).toEqual([]);
  });

  test('one thread that Discord refuses is named by itself and not as its channel', async () => {
    const { bot } = scene;
    const thread = scene.sandbox.as(scene.sandbox.admin).startThread(general, 'shut').id;
    await scene.settled();
    const end = refused(new RegExp(`${thread}/messages$`));
    const outcome = await rebuildGuild(bot, bot.client.guilds.cache.get(guild)!, {});
    end();
    expect(outcome).toMatchObject({ status: 'finished', unread: [`${general}/${thread}`] });
    const checkUp = await openPanel(scene.sandbox.as(scene.sandbox.admin), general, 'check-up');
    const said = JSON.stringify(checkUp.message?.embeds);
    expect(said).toContain(`Articles in <#${thread}> can’t be read. Allow View Channel`);
    // Once the thread can be read, or is gone, nothing is said of it.
    scene.sandbox.operator.deleteChannel({ channel: thread });
    await scene.settled();
    await rebuildGuild(bot, bot.client.guilds.cache.get(guild)!, {});
    expect(await readUnread(bot.store, guild)).toEqual([]);
  });
});

describe('a bot that died', () => {
  // Withstands (Processes that die): It dies between a message and its commit
  // → the next start has the article
  test('the article of a bot that died between the message and its commit is there after the next start', async () => {
    const { sandbox } = scene;
    await scene.bot.stop();
    const id = left(null);
    addReaction(
      sandbox.world,
      sandbox.channels.general,
      scene.message(id),
      members[0] ?? '',
      { id: null, name: '👍' },
      false,
    );
    await scene.restartBot();
    await voted(id).toBe(2);
    await expect.poll(() => scene.message(id).reactions.size).toBe(2);
  });

  test('the reactions of a bot that died between the commit and them are put under the message', async () => {
    const id = await posted();
    await scene.bot.stop();
    scene.message(id).reactions.clear();
    await scene.restartBot();
    await expect.poll(() => scene.message(id).reactions.size).toBe(2);
    expect([...scene.message(id).reactions.keys()]).toEqual(['👍', '👎']);
  });
});

describe('several processes', () => {
  test('several processes rebuild a guild once', async () => {
    const { sandbox, clock, redis } = scene;
    const log = scene.bot.log;
    const connection = connectRedis(redis.url, { log, name: 'second' });
    const { token, apiBase } = sandbox;
    const second = await startBot({ token, apiBase, redis: connection, clock, log });
    const other = openGuilds({
      ...second,
      recount: () => {},
      eraseLeft: async () => false,
    });
    await scene.redis.flush();
    sandbox.requests.reset();
    other.checkDataSet();
    // So that it is still under way when somebody asks for another.
    const end = sandbox.faults.add({ method: 'GET', route: /messages/, delayMs: 500 });
    const minute = scene.minute();
    const isBegun = () => scene.bot.rebuilding.has(guild) || second.rebuilding.has(guild);
    await expect.poll(isBegun).toBe(true);
    const guilds = second.client.guilds.cache;
    const again = () => rebuildGuild(second, guilds.get(guild) as Guild, { unlessComplete: true });
    expect((await again()).status).toBe('held');
    end();
    await minute;
    await scene.whole();
    // The lease is given back a moment after the last write.
    await expect.poll(again).toEqual({ status: 'unneeded' });
    // One listing for the last days, one for what is older.
    expect(asked(/threads\/archived/)).toBe(2);
    await second.stop();
    connection.disconnect();
  });
});

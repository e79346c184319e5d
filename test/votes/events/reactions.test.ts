import { PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMember } from '../../../discord-box/src/world/guilds/change-member.ts';
import { addUser } from '../../../discord-box/src/world/users.ts';
import {
  createMessage,
  deleteMessages,
} from '../../../discord-box/src/world/messages/change-message.ts';
import {
  deleteChannel,
  setOverwrite,
} from '../../../discord-box/src/world/channels/change-channel.ts';
import {
  removeAllReactions,
  removeEmoji,
} from '../../../discord-box/src/world/messages/reactions.ts';
import { noteImported } from '../../../src/articles/imported.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { readVoter } from '../../../src/ranking/ballots/voters.ts';
import { THUMBS } from '../../../src/ranking/vote-signs.ts';
import { openGuildRules } from '../../../src/community/guild-rules.ts';
import { openSeenReactions } from '../../../src/votes/seen-reactions.ts';
import { openTakenAwayReactions } from '../../../src/votes/events/taken-away-reactions.ts';
import { openEventWriter } from '../../../src/votes/events/write-event.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let general: string;
let poster: string;
let a: string;
let b: string;
let c: string;
let article: string;

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  poster = scene.sandbox.admin;
  [a = '', b = '', c = ''] = scene.sandbox.members;
});
afterAll(() => scene.stop());

beforeEach(async () => {
  article = await scene.post(poster);
});

const lists = () => scene.sandbox.requests.count('GET', /reactions/);
/** Whatever was said before this has been taken in. */
async function settled() {
  const witness = scene.sandbox.members[9] ?? '';
  const [up = 0, down = 0] = (await scene.tally(article)) ?? [];
  scene.react(witness, article, '👍');
  await scene.expectTally(article, up + 1, down);
  scene.unreact(witness, article, '👍');
  await scene.expectTally(article, up, down);
}

/** How many reactions Discord would be asked to take away for one that does not count. */
function wouldTakeAway(): number {
  let changes = 0;
  const add = () => Boolean((changes += 1));
  const taken = openTakenAwayReactions({ ...scene.bot, queue: { add, stop: async () => {} } });
  const under = { guild: scene.sandbox.guildId, channel: general, article };
  taken.takeAway({ ...under, member: a, direction: 'up', emoji: '👍' });
  return changes;
}

describe('a reaction', () => {
  test('a reaction is a vote, and taking it back retracts it', async () => {
    scene.react(a, article, '👍');
    scene.react(b, article, '👍');
    scene.react(c, article, '👎');
    await scene.expectTally(article, 3, 1);
    scene.unreact(a, article, '👍');
    scene.unreact(c, article, '👎');
    await scene.expectTally(article, 2, 0);
  });

  test('a reaction of which Discord does not say whose message it is under is a vote', async () => {
    const packet = {
      user_id: a,
      guild_id: scene.sandbox.guildId,
      channel_id: general,
      message_id: article,
      emoji: { id: null, name: '👍' },
      member: { roles: [] },
      burst: false,
      type: 0,
    };
    scene.bot.client.ws.emit('MESSAGE_REACTION_ADD', packet, 0);
    await scene.expectTally(article, 2, 0);
  });

  test('a reaction of the poster does not count', async () => {
    scene.react(poster, article, '👍');
    scene.react(poster, article, '👎');
    await settled();
    await scene.expectTally(article, 1, 0);
  });

  test('a reaction of another bot, with another emoji or under another message does not count', async () => {
    const { sandbox } = scene;
    const { world, guild } = sandbox;
    const bot = addUser(world, { username: 'another-bot', bot: true });
    addMember(world, guild, bot.id);
    scene.react(bot.id, article, '👍');
    scene.react(a, article, '🎉');
    const other = sandbox.as(b).send(general, 'hello');
    sandbox.as(a).react(general, other.id, '👍');
    await settled();
    await scene.expectTally(article, 1, 0);
  });

  test('a reaction in another skin tone counts, once however many the member shows', async () => {
    scene.react(a, article, '👍🏽');
    scene.react(a, article, '👍');
    scene.react(b, article, '👎🏿');
    await scene.expectTally(article, 2, 1);
    // One of two is taken back: the other still shows the vote, which only Discord knows.
    const before = lists();
    scene.unreact(a, article, '👍🏽');
    await expect.poll(lists).toBeGreaterThan(before);
    // Until the list is read, the vote is taken to be gone.
    await scene.expectTally(article, 2, 1);
    await settled();
    await scene.expectTally(article, 2, 1);
    scene.unreact(a, article, '👍');
    await scene.expectTally(article, 1, 1);
  });

  test.each(['👍', '👎'])(
    'of two reactions that were both missed, one that is taken back while a recount reads who shows %s leaves the other',
    async (emoji) => {
      scene.secretly(() => {
        scene.react(a, article, '👍');
        scene.react(a, article, '👎');
      });
      const [witness = ''] = await scene.plant(general);
      const list = scene.sandbox.faults.hold({ path: new RegExp(emoji), method: 'GET' });
      const recount = scene.recount({ articles: [article] });
      await scene.eventually(() => list.isHeld(), Boolean, 'read');
      scene.unreact(a, article, '👍');
      // It is heard after that.
      scene.react(b, witness, '👍');
      await scene.expectTally(witness, 2, 0);
      list.letGo();
      await recount;
      await scene.expectTally(article, 1, 1);
    },
  );

  test('a reaction that is a super reaction counts once', async () => {
    scene.react(a, article, '👍', true);
    scene.react(a, article, '👍');
    await scene.expectTally(article, 2, 0);
    const before = lists();
    scene.unreact(a, article, '👍', true);
    await expect.poll(lists).toBeGreaterThan(before);
    await scene.expectTally(article, 2, 0);
    scene.unreact(a, article, '👍');
    await scene.expectTally(article, 1, 0);
  });

  test('a reaction and its removal keep their order, though the rules of the guild are not read yet', async () => {
    const { bot } = scene;
    const write = openEventWriter({
      ...bot,
      rules: openGuildRules(bot.store, bot.log),
      seen: openSeenReactions(bot.seen.lagMs),
      recountArticleSoon: () => {},
    });
    const { guildId: guild } = scene.sandbox;
    const place = { guild, channel: general, article, atMs: bot.clock.now() };
    const vote = { kind: 'reaction', member: a, direction: 'up', emoji: '👍' } as const;
    const facts = { burst: false, isBot: false, joinedAtMs: null, roles: null };
    const events = [true, false].map((shown) => ({ ...place, ...vote, ...facts, shown }));
    await Promise.all(events.map(write));
    expect(await scene.tally(article)).toEqual([1, 0]);
  });

  test('a reaction that comes while the article is being committed counts', async () => {
    const { sandbox } = scene;
    const link = 'https://news.example/at-once';
    const seen = sandbox.until(() => {
      const posted = sandbox
        .as(a)
        .messages(general)
        .find(({ author, content }) => author.bot === true && content.includes(link));
      if (!posted) return undefined;
      sandbox.as(a).react(general, posted.id, '👍');
      return posted.id;
    }, 'the message');
    await sandbox.as(poster).command(general, 'post', { link });
    const id = await seen;
    await scene.expectTally(id, 2, 0);
  });

  test('a reaction that comes before its article is committed is older than one that comes after', async () => {
    const { sandbox } = scene;
    const link = 'https://news.example/at-once-and-other';
    const seen = sandbox.until(() => {
      const posted = sandbox
        .as(a)
        .messages(general)
        .find(({ author, content }) => author.bot === true && content.includes(link));
      if (posted) sandbox.as(a).react(general, posted.id, '👍');
      return posted?.id;
    }, 'the message');
    const puts = () => sandbox.requests.count('PUT', /reactions/);
    const before = puts();
    // The posting lasts until the bot shows its own reactions.
    const end = sandbox.faults.add({ method: 'PUT', delayMs: 500 });
    await sandbox.as(poster).command(general, 'post', { link });
    const id = await seen;
    await scene.eventually(() => scene.article(id), Boolean, 'in the ranking');
    scene.react(a, id, '👎');
    await expect.poll(() => scene.isOwn(id, '👍')).toBe(true);
    end();
    await scene.expectTally(id, 1, 1);
    // The lists show both.
    await scene.recount({ articles: [id], full: true });
    expect(await scene.tally(id)).toEqual([1, 1]);
    await expect.poll(() => scene.isOwn(id, '👎')).toBe(false);
    // Nor was it shown in between, beside that of the member.
    expect(puts() - before).toBe(1);
    scene.unreact(a, id, '👎');
    await scene.expectTally(id, 2, 0);
  });

  test('two reactions of a member that wait for one article keep their order, though another post ends in the same turn', async () => {
    const { guildId: guild } = scene.sandbox;
    const { bot } = scene;
    const [one = '', other = '', waited = ''] = await scene.plant(general, 3);
    const ends: (() => void)[] = [];
    /** What asked for it is older than the article, so it may be the article's post. */
    const postBy = (by: string) => {
      const ended = new Promise<void>((resolve) => ends.push(resolve));
      const post = ended.then(() => bot.pendingPosts.noteCommitted(waited));
      void bot.pendingPosts.track(general, by, post);
    };
    const add = (direction: 'up' | 'down') => {
      const place = { guild, channel: general, article: waited, atMs: bot.clock.now() };
      const reaction = { kind: 'reaction', member: a, direction, shown: true } as const;
      const facts = { emoji: THUMBS[direction], burst: false, isBot: false };
      bot.reactions.handle({ ...place, ...reaction, ...facts, joinedAtMs: 0, roles: [] });
    };
    postBy(one);
    add('down');
    postBy(other);
    add('up');
    for (const end of ends.toReversed()) end();
    const voter = () => readVoter(bot.ranking, guild, waited, a);
    await expect.poll(voter).toEqual({ vote: 'up', older: true });
  });

  test('a reaction that comes before its article is committed does not wait for the bot’s own reactions', async () => {
    const { sandbox } = scene;
    const link = 'https://news.example/at-once-and-slow';
    const seen = sandbox.until(() => {
      const posted = sandbox
        .as(a)
        .messages(general)
        .find(({ author, content }) => author.bot === true && content.includes(link));
      if (posted) sandbox.as(a).react(general, posted.id, '👍');
      return posted?.id;
    }, 'the message');
    const end = sandbox.faults.add({ method: 'PUT', delayMs: 3000 });
    await sandbox.as(poster).command(general, 'post', { link });
    const id = await seen;
    await scene.expectTally(id, 2, 0);
    end();
    expect(scene.isOwn(id, '👍')).toBe(false);
    await expect.poll(() => scene.isOwn(id, '👎')).toBe(true);
  });
});

describe('a reaction in a skin tone that does not count', () => {
  test('a reaction in a skin tone that does not count is taken away though nobody shows the plain emoji', async () => {
    const { world, guild, channels, members } = scene.sandbox;
    const me = world.application.botId;
    const bot = addUser(world, { username: 'a-bot-with-skin', bot: true });
    addMember(world, guild, bot.id);
    setOverwrite(world, channels.general, me, {
      kind: 'member',
      allow: P.ManageMessages,
      deny: 0n,
    });
    // The first 👎 takes the bot's own away, which is the only plain one.
    const d = members.find((member) => ![a, b, c, poster].includes(member)) ?? '';
    scene.react(d, article, '👎🏿');
    await expect.poll(() => scene.whoShows(article, '👎')).toEqual([]);
    scene.react(poster, article, '👎🏽');
    await expect.poll(() => scene.whoShows(article, '👎🏽')).toEqual([]);
    scene.react(bot.id, article, '👎🏻');
    await expect.poll(() => scene.whoShows(article, '👎🏻')).toEqual([]);
    // Of two that are shown, the removal of one leaves the other to be removed.
    scene.react(poster, article, '👎');
    scene.react(poster, article, '👎🏽');
    await expect
      .poll(() => [scene.whoShows(article, '👎'), scene.whoShows(article, '👎🏽')])
      .toEqual([[], []]);
    expect(scene.whoShows(article, '👎🏿')).toEqual([d]);
    await scene.expectTally(article, 1, 1);
    setOverwrite(world, channels.general, me, null);
  });
});

test('a reaction that comes after the voting is taken away, and stays under other messages', async () => {
  const { sandbox, bot } = scene;
  const { world, guildId, channels } = sandbox;
  const me = world.application.botId;
  setOverwrite(world, channels.general, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
  scene.react(a, article, '👍');
  await scene.expectTally(article, 2, 0);
  const imported = await scene.post(poster);
  await noteImported(bot.store, guildId, imported);
  for (const id of [article, imported]) await closeArticle(bot.ranking, guildId, id);
  const edition = createMessage(world, channels.general, { authorId: me, content: '## Daily' });
  const week = 604_800_000;
  scene.clock.move(week);
  // The changes of one server are made one after the other.
  for (const id of [edition.id, imported, article]) scene.react(b, id, '👎');
  await expect.poll(() => scene.whoShows(article, '👎').includes(b)).toBe(false);
  // A vote that counted is still shown.
  expect(scene.whoShows(article, '👍')).toContain(a);
  expect(scene.whoShows(edition.id, '👎')).toContain(b);
  expect(scene.whoShows(imported, '👎')).toContain(b);
  scene.clock.move(-week);
  setOverwrite(world, channels.general, me, null);
});

describe('a switch', () => {
  test('a switch counts the newer, and leaves the older where the bot may not take it away', async () => {
    scene.react(a, article, '👍');
    await scene.expectTally(article, 2, 0);
    scene.react(a, article, '👎');
    await scene.expectTally(article, 1, 1);
    await settled();
    expect(scene.whoShows(article, '👍')).toContain(a);
    // Discord bans the address of a bot that asks for much that it is refused.
    expect(wouldTakeAway()).toBe(0);
    scene.unreact(a, article, '👎');
    await scene.expectTally(article, 2, 0);
  });

  test('a switch takes the older reaction away where the bot may manage messages, and none of its own', async () => {
    const { sandbox } = scene;
    const { general: channel } = sandbox.channels;
    const me = sandbox.world.application.botId;
    setOverwrite(sandbox.world, channel, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
    await settled();
    expect(wouldTakeAway()).toBe(1);
    const fresh = await scene.post(poster);
    scene.react(a, article, '👍');
    scene.react(b, article, '👎');
    await scene.expectTally(article, 2, 1);
    scene.react(a, article, '👎');
    scene.react(b, article, '👍');
    await sandbox.until(
      () =>
        (!scene.whoShows(article, '👍').includes(a) &&
          !scene.whoShows(article, '👎').includes(b)) ||
        undefined,
      'the older reactions gone',
    );
    expect([scene.isOwn(fresh, '👍'), scene.isOwn(fresh, '👎')]).toEqual([true, true]);
    await settled();
    await scene.expectTally(article, 2, 1);
    setOverwrite(sandbox.world, channel, me, null);
  });
});

test('a reaction that was to be taken away stays where it has become the member’s vote', async () => {
  const { sandbox, bot } = scene;
  const { guildId: guild, channels, world } = sandbox;
  const me = world.application.botId;
  setOverwrite(world, channels.general, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
  await settled();
  await scene.vote(a, article);
  scene.secretly(() => scene.react(b, article, '👍'));
  // The changes of one server are made one after the other.
  for (const member of [a, b]) {
    bot.takenAwayReactions.takeAway({ guild, channel: general, article, member, direction: 'up' });
  }
  await expect.poll(() => scene.whoShows(article, '👍')).not.toContain(b);
  expect(scene.whoShows(article, '👍')).toContain(a);
  setOverwrite(world, channels.general, me, null);
});

// Withstands (Attacks): A server uses up the requests
// → servers take turns
test('an older reaction does not wait for those of another server', async () => {
  const { sandbox, bot } = scene;
  const { world, operator } = sandbox;
  const me = world.application.botId;
  const other = operator.createGuild({ name: 'Flooded', owner: poster });
  await expect.poll(() => bot.client.guilds.cache.has(other.guild)).toBe(true);
  const there = world.channels.get(other.general)!;
  for (const channel of [there, sandbox.channels.general]) {
    setOverwrite(world, channel, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
  }
  const flooded = await scene.post(poster, { channel: other.general });
  const crowd = scene.crowd(100);
  for (const member of crowd) scene.react(member, flooded, '👍');
  for (const member of crowd) scene.react(member, flooded, '👎');
  const waiting = () => scene.whoShows(flooded, '👍').filter((id) => crowd.includes(id)).length;
  await expect.poll(waiting).toBeLessThan(crowd.length);
  scene.react(a, article, '👍');
  scene.react(a, article, '👎');
  await expect.poll(() => scene.whoShows(article, '👍').includes(a)).toBe(false);
  expect(waiting()).toBeGreaterThan(0);
  setOverwrite(world, sandbox.channels.general, me, null);
  setOverwrite(world, there, me, null);
});

describe('a channel that answered 403 to taking a reaction away', () => {
  test('a channel that answered 403 to taking a reaction away is left alone until permissions change', async () => {
    const { sandbox } = scene;
    const d = sandbox.members.find((member) => ![a, b, c, poster].includes(member)) ?? '';
    const { general: channel } = sandbox.channels;
    const me = sandbox.world.application.botId;
    setOverwrite(sandbox.world, channel, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
    // Not those of the other server, which may still be under way.
    const asked = () =>
      sandbox.requests.recent.filter(
        ({ method, channelId, route }) =>
          method === 'DELETE' && channelId === general && route.includes('reactions'),
      ).length;
    const before = asked() + 1;
    // The bot's own 👎 leaves first, and is no part of what follows.
    scene.react(d, article, '👎');
    await expect.poll(asked).toBe(before);
    await settled();
    const end = sandbox.faults.add({
      method: 'DELETE',
      route: /reactions/,
      status: 403,
      code: 50013,
    });
    scene.react(a, article, '👍');
    scene.react(a, article, '👎');
    await expect.poll(asked).toBe(before + 1);
    scene.react(b, article, '👍');
    scene.react(b, article, '👎');
    await scene.expectTally(article, 1, 3);
    await settled();
    expect(asked()).toBe(before + 1);
    end();
    const allow = P.ManageMessages | P.ManageThreads;
    setOverwrite(sandbox.world, channel, me, { kind: 'member', allow, deny: 0n });
    scene.react(c, article, '👍');
    scene.react(c, article, '👎');
    await expect.poll(() => scene.whoShows(article, '👍').includes(c)).toBe(false);
    setOverwrite(sandbox.world, channel, me, null);
  });
});

describe('clearing', () => {
  test('one emoji takes its votes, clearing all takes all but the poster’s', async () => {
    const { world, channels } = scene.sandbox;
    scene.react(a, article, '👍');
    scene.react(b, article, '👍');
    scene.react(c, article, '👎');
    await scene.expectTally(article, 3, 1);
    const shown = scene.message(article);
    removeEmoji(world, channels.general, shown, { id: null, name: '👍' });
    await scene.expectTally(article, 1, 1);
    removeAllReactions(world, channels.general, shown);
    await scene.expectTally(article, 1, 0);
  });

  test('one emoji leaves the votes in other skin tones', async () => {
    const { world, channels } = scene.sandbox;
    scene.react(a, article, '👎🏻');
    scene.react(b, article, '👎');
    await scene.expectTally(article, 1, 2);
    removeEmoji(world, channels.general, scene.message(article), { id: null, name: '👎' });
    await scene.expectTally(article, 1, 1);
  });
});

test('a vote after one emoji was cleared counts, while the votes before it are still taken back', async () => {
  const { world, channels } = scene.sandbox;
  const crowd = scene.crowd(200);
  for (const member of crowd) scene.react(member, article, '👎');
  await scene.expectTally(article, 1, 200);
  removeEmoji(world, channels.general, scene.message(article), { id: null, name: '👎' });
  scene.react(crowd[7] ?? '', article, '👎');
  await scene.expectTally(article, 1, 1);
});

describe('deleting', () => {
  test('the message removes the article', async () => {
    scene.sandbox.as(scene.sandbox.moderator).delete(general, article);
    await expect.poll(() => scene.article(article)).toBeNull();
  });

  test('deleting messages in bulk removes their articles', async () => {
    const second = await scene.post(poster);
    deleteMessages(scene.sandbox.world, scene.sandbox.channels.general, [article, second]);
    await expect.poll(() => scene.article(article)).toBeNull();
    await expect.poll(() => scene.article(second)).toBeNull();
  });

  test('a thread removes the articles in it, and no others', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(poster).startThread(general, 'aside');
    const inside = await scene.post(poster, { channel: thread.id });
    const outside = await scene.post(poster);
    deleteChannel(sandbox.world, thread);
    await expect.poll(() => scene.article(inside)).toBeNull();
    expect(await scene.article(outside)).not.toBeNull();
  });

  test('a channel removes the articles at home there', async () => {
    const { sandbox } = scene;
    const inside = await scene.post(poster, { channel: sandbox.channels.gameDev.id });
    deleteChannel(sandbox.world, sandbox.channels.gameDev);
    await expect.poll(() => scene.article(inside)).toBeNull();
    expect(await scene.article(article)).not.toBeNull();
  });
});

describe('time and outages', () => {
  beforeAll(() => scene.follow());

  // Withstands (Redis, while the bot runs): A vote changes while Redis is away
  // → the last state counts
  test('votes while Redis is away are counted when it is back, the last state of each', async () => {
    scene.react(a, article, '👍');
    scene.react(b, article, '👍');
    await scene.expectTally(article, 3, 0);
    const back = scene.redis.restart();
    scene.unreact(a, article, '👍');
    scene.react(a, article, '👎');
    scene.react(b, article, '👎');
    scene.unreact(b, article, '👎');
    scene.react(c, article, '👍');
    scene.unreact(c, article, '👍');
    scene.react(c, article, '👍');
    await back;
    await scene.expectTally(article, 3, 1);
  });

  test('votes while Redis stands still are counted when it goes on', async () => {
    scene.react(a, article, '👍');
    await scene.expectTally(article, 2, 0);
    const missed = new Promise<unknown>((resolve) => scene.bot.reactions.onMissed(resolve));
    scene.redis.pause();
    scene.unreact(a, article, '👍');
    scene.react(b, article, '👎');
    await missed;
    scene.react(c, article, '👎');
    scene.redis.resume();
    await scene.expectTally(article, 1, 2);
  });

  test.each([
    ['👍', 2, 0],
    ['👎', 1, 1],
  ])(
    'of two reactions that were both missed, %s that stays is the vote',
    async (kept, up, down) => {
      scene.secretly(() => {
        scene.react(a, article, '👍');
        scene.react(a, article, '👎');
      });
      await scene.recount({ afterGap: true });
      await scene.expectTally(article, 1, 0);
      scene.unreact(a, article, kept === '👍' ? '👎' : '👍');
      await scene.expectTally(article, up, down);
    },
  );

  test('of two reactions that were both missed, one that is taken back after a recount while others voted leaves the other', async () => {
    scene.secretly(() => {
      scene.react(a, article, '👍');
      scene.react(a, article, '👎');
    });
    const list = scene.sandbox.faults.hold({ path: /👍/, method: 'GET' });
    const recount = scene.recount({ articles: [article] });
    await scene.eventually(() => list.isHeld(), Boolean, 'read');
    scene.react(b, article, '👍');
    await scene.expectTally(article, 2, 0);
    list.letGo();
    await recount;
    scene.unreact(a, article, '👍');
    await scene.expectTally(article, 2, 1);
  });

  // Withstands (Redis, while the bot runs): An article is deleted while Redis is away
  // → it goes when Redis is back
  test('an article that is deleted while Redis is away is gone when it is back, though voting on it has ended', async () => {
    const { ranking } = scene.bot;
    await closeArticle(ranking, scene.sandbox.guildId, article);
    const back = scene.redis.restart();
    scene.sandbox.as(scene.sandbox.moderator).delete(general, article);
    await back;
    await expect.poll(() => scene.article(article)).toBeNull();
  });

  test('a vote after a restart of the bot counts', async () => {
    scene.react(a, article, '👍');
    await scene.expectTally(article, 2, 0);
    await scene.restartBot();
    scene.react(b, article, '👍');
    scene.unreact(a, article, '👍');
    scene.react(c, article, '👎');
    await scene.expectTally(article, 2, 1);
  });

  test('the channels in which something happened are told once, with those that could not be counted then', async () => {
    const { reactions } = scene.bot;
    const { guildId, channels } = scene.sandbox;
    const told: string[] = [];
    reactions.onActive((guild) => told.push(guild));
    reactions.takeActive(guildId);
    // Nothing could be counted, and nothing was to be.
    reactions.giveBackActive(guildId, new Set());
    const [inRust = ''] = await scene.plant(channels.rust.id);
    scene.react(a, inRust, '👍');
    await scene.expectTally(inRust, 2, 0);
    expect(told).toEqual([guildId]);
    reactions.giveBackActive(guildId, new Set([general]));
    expect([...reactions.takeActive(guildId)].toSorted()).toEqual(
      [general, channels.rust.id].toSorted(),
    );
    expect([...reactions.takeActive(guildId)]).toEqual([]);
  });

  test('voting ends at the closing time', async () => {
    scene.react(a, article, '👍');
    await scene.expectTally(article, 2, 0);
    const week = 604_800_000;
    scene.clock.move(week);
    scene.react(b, article, '👍');
    scene.unreact(a, article, '👍');
    // Its vote comes after theirs.
    const next = await scene.post(poster);
    scene.react(a, next, '👍');
    await scene.expectTally(next, 2, 0);
    expect(await scene.tally(article)).toEqual([2, 0]);
    scene.clock.move(-week);
  });
});

import { PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addMember,
  addReaction,
  addUser,
  deleteChannel,
  deleteMessages,
  removeAllReactions,
  removeEmoji,
  setOverwrite,
} from '../../sandbox/discord/index.ts';
import { patience, type Scene, startScene } from '../fixtures/scene.ts';

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

let links = 0;
async function post(channel: string): Promise<string> {
  links += 1;
  const answer = await scene.sandbox
    .as(poster)
    .command(channel, 'post', { link: `https://news.example/${links}` });
  const id = answer.message?.id ?? '';
  await scene.sandbox.until(() => reactions(channel, id).length === 2 || undefined, 'reactions');
  return id;
}
beforeEach(async () => {
  article = await post(general);
});

function message(channel: string, id: string) {
  return scene.sandbox.world.channels.get(channel)?.messages.get(id);
}
function reactions(channel: string, id: string) {
  return [...(message(channel, id)?.reactions.values() ?? [])];
}
function whoShows(emoji: string): string[] {
  return [...(message(general, article)?.reactions.get(emoji)?.normal ?? [])];
}
async function tally(id = article): Promise<string | null> {
  const found = await scene.article(id);
  return found && `▲ ${found.up} ▼ ${found.down}`;
}
function react(member: string, emoji: string, burst = false) {
  scene.sandbox.as(member).react(general, article, emoji, burst);
}
function unreact(member: string, emoji: string, burst = false) {
  scene.sandbox.as(member).unreact(general, article, emoji, burst);
}
/** Whatever was said before this has been taken in. */
async function settled() {
  const witness = scene.sandbox.members[9] ?? '';
  const before = await scene.article(article);
  react(witness, '👍');
  const { up = 0, down = 0 } = before ?? {};
  await expect.poll(tally, patience).toBe(`▲ ${up + 1} ▼ ${down}`);
  unreact(witness, '👍');
  await expect.poll(tally, patience).toBe(`▲ ${up} ▼ ${down}`);
}

describe('a reaction', () => {
  test('votes, and taking it back retracts', async () => {
    react(a, '👍');
    react(b, '👍');
    react(c, '👎');
    await expect.poll(tally, patience).toBe('▲ 3 ▼ 1');
    unreact(a, '👍');
    unreact(c, '👎');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
  });

  test('of the poster does not count', async () => {
    react(poster, '👍');
    react(poster, '👎');
    await settled();
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 0');
  });

  test('of another bot, with another emoji or under another message does not count', async () => {
    const { sandbox } = scene;
    const { world, guild } = sandbox;
    const bot = addUser(world, { username: 'another-bot', bot: true });
    addMember(world, guild, bot.id);
    const shown = message(general, article);
    const channel = world.channels.get(general);
    if (!shown || !channel) throw new Error('The article is gone.');
    addReaction(world, channel, shown, bot.id, { id: null, name: '👍' }, false);
    react(a, '🎉');
    const other = sandbox.as(b).send(general, 'hello');
    sandbox.as(a).react(general, other.id, '👍');
    await settled();
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 0');
  });

  test('in another skin tone counts, once however many the member shows', async () => {
    react(a, '👍🏽');
    react(a, '👍');
    react(b, '👎🏿');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 1');
    // One of two is taken back: the other still shows the vote, which only Discord knows.
    unreact(a, '👍🏽');
    await expect
      .poll(() => scene.sandbox.requests.count('GET', /reactions/), patience)
      .toBeGreaterThan(0);
    // Until the list is read, the vote is taken to be gone.
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 1');
    await settled();
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 1');
    unreact(a, '👍');
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 1');
  });

  test('that is a super reaction counts once', async () => {
    react(a, '👍', true);
    react(a, '👍');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
    unreact(a, '👍', true);
    await settled();
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
    unreact(a, '👍');
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 0');
  });

  test('that comes while the article is being committed counts', async () => {
    const { sandbox } = scene;
    links += 1;
    const link = `https://news.example/${links}`;
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
    await expect.poll(() => tally(id), patience).toBe('▲ 2 ▼ 0');
  });
});

describe('a switch', () => {
  test('counts the newer, and leaves the older where the bot may not take it away', async () => {
    react(a, '👍');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
    react(a, '👎');
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 1');
    await settled();
    expect(whoShows('👍')).toContain(a);
    unreact(a, '👎');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
  });

  test('takes the older reaction away where the bot may manage messages', async () => {
    const { sandbox } = scene;
    const { general: channel } = sandbox.channels;
    const me = sandbox.world.application.botId;
    setOverwrite(sandbox.world, channel, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
    await settled();
    react(a, '👍');
    react(b, '👎');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 1');
    react(a, '👎');
    react(b, '👍');
    await sandbox.until(
      () => (!whoShows('👍').includes(a) && !whoShows('👎').includes(b)) || undefined,
      'the older reactions gone',
    );
    await settled();
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 1');
    setOverwrite(sandbox.world, channel, me, null);
  });
});

describe('a channel that answered 403 to taking a reaction away', () => {
  test('is left alone until permissions change', async () => {
    const { sandbox } = scene;
    const d = sandbox.members.find((member) => ![a, b, c, poster].includes(member)) ?? '';
    const { general: channel } = sandbox.channels;
    const me = sandbox.world.application.botId;
    setOverwrite(sandbox.world, channel, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
    // The bot's own 👎 leaves first, and is no part of what follows.
    react(d, '👎');
    await expect.poll(() => whoShows('👎'), patience).toEqual([d]);
    await settled();
    const asked = () => sandbox.requests.count('DELETE', /reactions/);
    const before = asked();
    const end = sandbox.faults.add({ method: 'DELETE', route: /reactions/, status: 403 });
    react(a, '👍');
    react(a, '👎');
    await expect.poll(asked, patience).toBe(before + 1);
    react(b, '👍');
    react(b, '👎');
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 3');
    await settled();
    expect(asked()).toBe(before + 1);
    end();
    setOverwrite(sandbox.world, channel, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
    react(c, '👍');
    react(c, '👎');
    await expect.poll(() => whoShows('👍').includes(c), patience).toBe(false);
    setOverwrite(sandbox.world, channel, me, null);
  });
});

describe('clearing', () => {
  test('one emoji takes its votes, clearing all takes all but the poster’s', async () => {
    const { world, channels } = scene.sandbox;
    react(a, '👍');
    react(b, '👍');
    react(c, '👎');
    await expect.poll(tally, patience).toBe('▲ 3 ▼ 1');
    const shown = message(general, article);
    if (!shown) throw new Error('The article is gone.');
    removeEmoji(world, channels.general, shown, { id: null, name: '👍' });
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 1');
    removeAllReactions(world, channels.general, shown);
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 0');
  });
});

describe('deleting', () => {
  test('the message removes the article', async () => {
    scene.sandbox.as(scene.sandbox.moderator).delete(general, article);
    await expect.poll(() => scene.article(article), patience).toBeNull();
  });

  test('messages in bulk removes their articles', async () => {
    const second = await post(general);
    deleteMessages(scene.sandbox.world, scene.sandbox.channels.general, [article, second]);
    await expect.poll(() => scene.article(article), patience).toBeNull();
    await expect.poll(() => scene.article(second), patience).toBeNull();
  });

  test('a thread removes the articles in it, and no others', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(poster).startThread(general, 'aside');
    const inside = await post(thread.id);
    const outside = await post(general);
    deleteChannel(sandbox.world, thread);
    await expect.poll(() => scene.article(inside), patience).toBeNull();
    expect(await scene.article(outside)).not.toBeNull();
  });

  test('a channel removes the articles at home there', async () => {
    const { sandbox } = scene;
    const inside = await post(sandbox.channels.gameDev.id);
    deleteChannel(sandbox.world, sandbox.channels.gameDev);
    await expect.poll(() => scene.article(inside), patience).toBeNull();
    expect(await scene.article(article)).not.toBeNull();
  });
});

describe('time and outages', () => {
  test('votes while Redis is away are counted when it is back, the last state of each', async () => {
    react(a, '👍');
    react(b, '👍');
    await expect.poll(tally, patience).toBe('▲ 3 ▼ 0');
    const back = scene.redis.restart();
    unreact(a, '👍');
    react(a, '👎');
    react(b, '👎');
    unreact(b, '👎');
    react(c, '👍');
    unreact(c, '👍');
    react(c, '👍');
    await back;
    await expect.poll(tally, patience).toBe('▲ 3 ▼ 1');
  });

  test('votes while Redis stands still are counted when it goes on', async () => {
    react(a, '👍');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
    scene.redis.pause();
    unreact(a, '👍');
    react(b, '👎');
    await new Promise((resolve) => setTimeout(resolve, 2500)); // Longer than a command may take.
    react(c, '👎');
    scene.redis.resume();
    await expect.poll(tally, patience).toBe('▲ 1 ▼ 2');
  });

  test('a vote after a restart of the bot counts', async () => {
    react(a, '👍');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
    await scene.restartBot();
    react(b, '👍');
    unreact(a, '👍');
    react(c, '👎');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 1');
  });

  test('voting ends at the closing time', async () => {
    react(a, '👍');
    await expect.poll(tally, patience).toBe('▲ 2 ▼ 0');
    const week = 604_800_000;
    scene.clock.move(week);
    react(b, '👍');
    unreact(a, '👍');
    article = await post(general);
    const closed = article;
    react(a, '👍');
    await expect.poll(() => tally(closed), patience).toBe('▲ 2 ▼ 0');
    scene.clock.move(-week);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMember, changeChannel, createGuild } from '../../sandbox/discord/index.ts';
import { guildTag } from '../../src/redis/keys.ts';
import { readGuilds, readLeft } from '../../src/records/guilds.ts';
import { recountGuild } from '../../src/recount/guild.ts';
import { patience } from '../fixtures/scene.ts';
import { type Life, startLife } from '../recount/life.ts';

const dayMs = 86_400_000;

let life: Life;
let general: string;
let guild: string;
let members: string[];
let article: string;
let links = 0;

beforeAll(async () => {
  life = await startLife();
  general = life.sandbox.channels.general.id;
  guild = life.sandbox.guildId;
  members = life.sandbox.members;
});
afterAll(() => life.stop());
beforeEach(async () => {
  links += 1;
  article = await life.post(life.sandbox.admin, {
    channel: general,
    link: `https://news.example/${links}`,
  });
});

const mine = () =>
  [...life.message(article).reactions.values()]
    .filter(({ normal }) => normal.has(life.sandbox.world.application.botId))
    .map(({ emoji }) => emoji.name);
const leaving = () => readLeft(life.bot.app.store, Number.MAX_SAFE_INTEGER);
const keysOfGuild = async () => {
  const keys = await life.redis.redis.keys('*');
  return keys.filter((key) => key.startsWith(guildTag(life.sandbox.applicationId, guild)));
};
const isLeaving = () => expect.poll(leaving, patience).toEqual([guild]);
const isHere = () => expect.poll(leaving, patience).toEqual([]);

describe('reactions that are cleared', () => {
  test('all at once are retracted, and a recount puts the bot’s own back', async () => {
    const { operator } = life.sandbox;
    life.react(members[0]!, article, '👍');
    life.react(members[1]!, article, '👎');
    await life.expectTally(article, 2, 1);
    operator.clearReactions({ channel: general, message: article });
    await life.expectTally(article, 1, 0);
    await recountGuild(life.bot.app, guild);
    await expect.poll(mine, patience).toEqual(['👍', '👎']);
  });

  test('of one kind are retracted, and a recount puts the bot’s own of that kind back', async () => {
    life.react(members[0]!, article, '👍');
    life.react(members[1]!, article, '👎');
    await life.expectTally(article, 2, 1);
    life.sandbox.operator.clearReactions({ channel: general, message: article, emoji: '👍' });
    await life.expectTally(article, 1, 1);
    await recountGuild(life.bot.app, guild);
    // A member shows 👎, so that the bot's own is not needed.
    await expect.poll(mine, patience).toEqual(['👍']);
  });

  test('under other messages are nothing to the bot', async () => {
    const { operator } = life.sandbox;
    const { id } = life.sandbox.as(members[0] ?? '').send(general, 'Hello.');
    life.react(members[1] ?? '', id, '👍');
    operator.clearReactions({ channel: general, message: id });
    life.react(members[0]!, article, '👍');
    await life.expectTally(article, 2, 0);
    await life.settled();
    expect(life.message(id).reactions.size).toBe(0);
  });
});

describe('permissions', () => {
  test('that are lost and regained: nothing is concluded meanwhile, all is counted after', async () => {
    const { operator } = life.sandbox;
    life.react(members[0]!, article, '👍');
    life.react(members[1]!, article, '👍');
    await life.expectTally(article, 3, 0);
    operator.setPermissions({
      channel: general,
      who: 'bot',
      deny: ['ViewChannel', 'ReadMessageHistory'],
    });
    await life.settled();
    life.react(members[2]!, article, '👍');
    life.react(members[3]!, article, '👍');
    life.unreact(members[0]!, article, '👍');
    await recountGuild(life.bot.app, guild, { full: true });
    expect(await life.tally(article)).toEqual([3, 0]);
    operator.setPermissions({ channel: general, who: 'bot' });
    await life.expectTally(article, 4, 0);
  });

  test('of history alone: an empty list takes no vote away', async () => {
    const { operator } = life.sandbox;
    life.react(members[0]!, article, '👍');
    await life.expectTally(article, 2, 0);
    operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
    await life.settled();
    life.react(members[1]!, article, '👍');
    await life.expectTally(article, 3, 0);
    await recountGuild(life.bot.app, guild, { full: true });
    life.lifecycle.tick();
    await life.settled();
    expect(await life.tally(article)).toEqual([3, 0]);
    operator.setPermissions({ channel: general, who: 'bot' });
    life.react(members[2]!, article, '👍');
    await life.expectTally(article, 4, 0);
  });
});

describe('a channel', () => {
  test('that was deleted while the bot was away takes its articles out of the lists', async () => {
    const { operator } = life.sandbox;
    const channel = operator.createChannel({ name: 'short-lived' });
    const inside = await life.post(life.sandbox.admin, {
      channel: channel.id,
      link: `https://inside.example/${links}`,
    });
    await life.restart();
    await life.bot.stop();
    operator.deleteChannel({ channel: channel.id });
    await life.restart();
    await expect
      .poll(async () => (await life.pages([]))['time-desc all'], patience)
      .not.toContain(inside);
    expect((await life.pages([]))['time-desc all']).toContain(article);
  });

  test('that is moved keeps its articles', async () => {
    const { world, channels } = life.sandbox;
    changeChannel(world, channels.general, { parentId: channels.rust.parentId });
    life.react(members[0]!, article, '👍');
    await life.expectTally(article, 2, 0);
    expect((await life.pages([]))['time-desc all']).toContain(article);
  });
});

describe('a guild', () => {
  test('in an outage loses nothing, and its votes are recounted after', async () => {
    const { operator } = life.sandbox;
    life.react(members[0]!, article, '👍');
    await life.expectTally(article, 2, 0);
    operator.setOutage({ outage: true });
    life.react(members[1]!, article, '👍');
    await life.minute();
    await life.settled();
    operator.setOutage({ outage: false });
    await life.expectTally(article, 3, 0);
    expect(await leaving()).toEqual([]);
  });

  test('that removes the bot and invites it again keeps everything, with what was missed', async () => {
    const { operator } = life.sandbox;
    life.react(members[0]!, article, '👍');
    await life.expectTally(article, 2, 0);
    operator.kickBot({});
    await isLeaving();
    life.clock.move(dayMs);
    await life.minute();
    life.react(members[1]!, article, '👍');
    operator.inviteBot({});
    await isHere();
    await life.expectTally(article, 3, 0);
    life.clock.move(40 * dayMs);
    await life.minute();
    await life.settled();
    expect(await life.article(article)).not.toBeNull();
    life.clock.move(-41 * dayMs);
  });

  test('that removed the bot while it was away is noticed at the next start', async () => {
    const { operator } = life.sandbox;
    await life.bot.stop();
    operator.kickBot({});
    await life.restart();
    await isLeaving();
    operator.inviteBot({});
    await isHere();
    expect(await life.article(article)).not.toBeNull();
  });

  test('that removed the bot between two sessions is noticed, and no outage is taken for that', async () => {
    const { world, admin, operator, gateway } = life.sandbox;
    const other = createGuild(world, { name: 'Lighthouse', ownerId: admin });
    addMember(world, other, world.application.botId);
    await expect.poll(() => readGuilds(life.bot.app.store), patience).toContain(other.id);
    gateway.open = false;
    gateway.drop({ resumable: false });
    operator.kickBot({});
    operator.setOutage({ guild: other.id, outage: true });
    gateway.open = true;
    await isLeaving();
    const { cache } = life.bot.app.client.guilds;
    expect([cache.has(guild), cache.has(other.id)]).toEqual([false, true]);
    operator.inviteBot({});
    await isHere();
    operator.setOutage({ guild: other.id, outage: false });
  });

  test('is forgotten 30 days after it removed the bot, and rebuilt when it invites it again', async () => {
    const { operator } = life.sandbox;
    const before = await life.pages([]);
    const titles = before['time-desc all'];
    operator.kickBot({});
    await isLeaving();
    life.clock.move(30 * dayMs - 60_000);
    await life.minute();
    await life.settled();
    expect(await keysOfGuild()).not.toEqual([]);
    life.clock.move(120_000);
    await life.minute();
    await expect.poll(keysOfGuild, patience).toEqual([]);
    await isHere();
    life.clock.move(-30 * dayMs - 60_000);
    operator.inviteBot({});
    await life.whole();
    expect((await life.pages([]))['time-desc all']).toEqual(titles);
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { mayReadHistory, missingPermissions } from '../../src/discord/access/permissions.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let poster: string;

beforeAll(async () => {
  scene = await startScene({ follows: true });
  [poster = ''] = scene.sandbox.members;
  scene.sandbox.operator.setBotPermissions({
    permissions: [
      'ViewChannel',
      'SendMessages',
      'EmbedLinks',
      'ReadMessageHistory',
      'AddReactions',
      'ManageMessages',
    ],
  });
});
afterAll(() => scene.stop());

const checkUp = async () => {
  const { sandbox } = scene;
  const general = sandbox.channels.general.id;
  return JSON.stringify((await openPanel(sandbox.as(sandbox.admin), general, 'check-up')).message);
};

/** The poster's own reactions do not count, so they are taken away. */
const showsOwn = (id: string) => scene.whoShows(id, '👍').includes(poster);

// Withstands (Requests to Discord): The bot is timed out, or the server demands 2FA
// → the check-up says so, and what was left is done within a minute after it ends
test('while the bot is timed out its permissions count as missing, and what it left is made up a minute after', async () => {
  const { world, guild, operator } = scene.sandbox;
  // A member's first article has no 👎 of the bot.
  await scene.post(poster);
  const id = await scene.post(poster);
  const me = guild.members.get(world.application.botId)!;
  const endsMs = scene.clock.now() + HOUR_MS;
  changeMember(world, guild, me, { timedOutUntilMs: endsMs });
  await scene.settled();
  expect(await checkUp()).toContain('Frontpage is timed out until');
  expect(await checkUp()).toContain('articles can be posted: 0 of');
  // Discord leaves it what reads.
  const { cache } = scene.bot.client.guilds;
  const general = cache.get(guild.id)!.channels.cache.get(scene.sandbox.channels.general.id)!;
  const reading = ['ViewChannel', 'ReadMessageHistory'] as const;
  expect(missingPermissions(general, [...reading, 'AddReactions'])).toEqual(['AddReactions']);
  expect(mayReadHistory(general)).toBe(true);
  scene.react(poster, id, '👍');
  operator.clearReactions({ channel: scene.sandbox.channels.general.id, message: id, emoji: '👎' });
  const { store } = scene.bot;
  const refused = () => store.redis.hlen(storeKeys(store, scene.sandbox.guildId).refused);
  await scene.eventually(refused, (count) => count > 0, 'refused');
  expect(showsOwn(id)).toBe(true);
  // It ends by itself, of which Discord tells nothing.
  scene.clock.move(HOUR_MS + 1);
  await scene.eventually(
    async () => {
      // The bot may have heard of the last refusal after the first of these minutes.
      await scene.minute();
      return [showsOwn(id), scene.isOwn(id, '👎')];
    },
    ([shown, own]) => shown === false && own === true,
    'as it is without a timeout',
  );
  expect(await checkUp()).not.toContain('timed out');
  // A bot that starts after it does not wait for its first minute.
  await scene.restartBot();
  await scene.settled();
  expect(await checkUp()).not.toContain('timed out');
});

test.each([
  ['ends by itself', 2 * MINUTE_MS],
  ['is lifted by a moderator', null],
])('votes that came while the bot was timed out count as soon as that %s', async (_, lastsMs) => {
  const { world, guild } = scene.sandbox;
  const me = guild.members.get(world.application.botId)!;
  const [one = '', other = ''] = scene.crowd(2);
  const id = await scene.post(poster);
  const endsMs = scene.clock.now() + (lastsMs ?? HOUR_MS);
  changeMember(world, guild, me, { timedOutUntilMs: endsMs });
  await scene.settled();
  // Where something happened, counts are compared in five minutes at the latest: nothing is heard here.
  scene.secretly(() => {
    for (const member of [one, other]) scene.react(member, id, '👍');
  });
  await scene.minute();
  await scene.settled();
  expect(await scene.tally(id)).toEqual([1, 0]);
  // So is what was refused meanwhile asked for again.
  scene.react(poster, id, '👍');
  const channel = scene.sandbox.channels.general.id;
  const mayAsk = () =>
    scene.bot.requests.requireAllowed({ guild: guild.id, channel }, 'manage').then(
      () => true,
      () => false,
    );
  await expect.poll(mayAsk).toBe(false);
  if (lastsMs === null) changeMember(world, guild, me, { timedOutUntilMs: null });
  else {
    scene.clock.move(lastsMs + 1);
    await scene.minute();
  }
  await expect.poll(mayAsk).toBe(true);
  await scene.expectTally(id, 3, 0);
});

test('a bot that is an administrator is not taken to be timed out', async () => {
  const { world, guild } = scene.sandbox;
  const me = guild.members.get(world.application.botId)!;
  const before = new Set(me.roleIds);
  const role = addRole(world, guild, { name: 'Bots', permissions: 8n });
  const endsMs = scene.clock.now() + HOUR_MS;
  changeMember(world, guild, me, {
    timedOutUntilMs: endsMs,
    roleIds: new Set([...before, role.id]),
  });
  await scene.settled();
  expect(await checkUp()).not.toContain('timed out');
  expect((await scene.post(poster)).length).toBeGreaterThan(15);
  changeMember(world, guild, me, { timedOutUntilMs: null, roleIds: before });
  await scene.settled();
});

test('where the server demands 2FA of moderators the check-up says so, and a minute after it is given the rest is done', async () => {
  const id = await scene.post(poster);
  const ended = scene.sandbox.faults.add({
    method: 'DELETE',
    route: /reactions\/:emoji\/:user/,
    status: 403,
    code: 60_003,
  });
  scene.react(poster, id, '👍');
  const text = 'This server requires 2FA for moderation';
  await scene.eventually(checkUp, (shown) => shown.includes(text), 'said');
  expect(showsOwn(id)).toBe(true);
  // It is asked each minute, however long that is.
  const asked = () => scene.sandbox.requests.count('DELETE', /reactions\/:emoji\/:user/);
  for (let minute = 1; minute <= 3; minute += 1) {
    await scene.settled();
    const before = asked();
    scene.clock.move(MINUTE_MS);
    await scene.minute();
    await scene.eventually(asked, (times) => times > before, 'asked again');
  }
  // What was refused has been written down, as of before the minute.
  await scene.settled();
  ended();
  scene.clock.move(MINUTE_MS);
  await scene.eventually(
    async () => {
      await scene.minute();
      return showsOwn(id);
    },
    (shown) => !shown,
    'without the reaction',
  );
  expect(await checkUp()).not.toContain(text);
});

import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  RESTJSONErrorCodes as C,
  Routes,
} from 'discord.js';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import { writeToLogChannel } from '../../../src/community/admin-messages.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import {
  isEditLimit,
  isLastingRefusal,
  isRefusal,
  isUnanswered,
  NotDiscord,
} from '../../../src/discord/api-errors.ts';
import { isGone, whereaboutsOf } from '../../../src/discord/requests/is-gone.ts';
import {
  forgetRefusals,
  readRefusal,
  writeRefusal,
} from '../../../src/discord/requests/refused-channels.ts';
import {
  areLinksRefused,
  ChannelRefused,
  isOfOneChannel,
  isOfOneMessage,
  MessageRefused,
  openRefusals,
  REFUSED_IN_GUILD,
  scopeOfRefusal,
} from '../../../src/discord/requests/refusals.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { askedOf, readIn } from './read-messages.ts';

const url = 'https://discord.com/api/v10/channels/1/messages/2';
const none = { files: undefined, body: undefined };

/** Discord's answer with a code; 0: without one, as a proxy's page. */
function answered(code: number, status: number): DiscordAPIError {
  return new DiscordAPIError({ code, message: '' }, code, status, 'POST', url, none);
}

const fault = new HTTPError(503, 'Service Unavailable', 'POST', url, none);
const limited = new RateLimitError({
  global: false,
  hash: '',
  limit: 1,
  majorParameter: '1',
  method: 'PATCH',
  retryAfter: 1,
  route: '/channels/:id/messages/:id',
  scope: 'user',
  sublimitTimeout: 1,
  timeToReset: 1,
  url,
});
const cut = Object.assign(new Error('The socket was closed.'), { code: 'UND_ERR_SOCKET' });
const away = Object.assign(new Error('No address.'), { code: 'ENOTFOUND' });
const late = new DOMException('The answer took too long.', 'TimeoutError');
const broken = new TypeError('A fault of ours.');

describe('what Discord’s answer says', () => {
  test.each([
    ['missing access', answered(C.MissingAccess, 403), 'channel', 'channel'],
    ['missing permissions', answered(C.MissingPermissions, 403), 'channel', 'channel'],
    ['no two factors', answered(C.TwoFactorAuthenticationIsRequired, 401), 'channel', 'channel'],
    [
      'a channel of another type',
      answered(C.CannotExecuteActionOnThisChannelType, 400),
      'channel',
      'channel',
    ],
    ['any other refusal', answered(0, 403), 'message', 'channel'],
    [
      'a message with twenty kinds of reactions',
      answered(C.MaximumNumberOfReactionsReached, 400),
      'message',
      null,
    ],
    ['a poster who has blocked the bot', answered(C.ReactionWasBlocked, 403), 'message', null],
    ['a harmful link', answered(C.MessageBlockedByHarmfulLinksFilter, 403), null, null],
    ['an archived thread', answered(C.InvalidActionOnArchivedThread, 403), null, null],
    ['what is not there', answered(C.UnknownMessage, 404), null, null],
    ['a body with a fault', answered(C.InvalidFormBodyOrContentType, 400), null, null],
    ['a fault of its servers', fault, null, null],
    ['no answer', cut, null, null],
  ] as const)(
    'a refusal for %s is remembered for as much as it says',
    (_, error, ofMessage, ofChannel) => {
      const place = { guild: '1', channel: '2' };
      expect(scopeOfRefusal(error, { ...place, message: '3' })).toBe(ofMessage);
      expect(scopeOfRefusal(error, place)).toBe(ofChannel);
    },
  );

  test.each([
    // Its error, and whether the other messages there, and the other channels, are asked all the same.
    ['a refused message', new MessageRefused(), true, true],
    ['a refused channel', new ChannelRefused(), false, true],
    ['a page of a proxy', new NotDiscord(), true, true],
    ['what is not there', answered(C.UnknownMessage, 404), true, true],
    ['a channel that is not there', answered(C.UnknownChannel, 404), false, true],
    ['a fault of its servers', fault, true, true],
    ['a token that is none', answered(0, 401), false, false],
    ['no answer', cut, false, false],
    ['a fault of ours', broken, false, false],
  ] as const)(
    'after %s, others are asked where it says nothing about them',
    (_, error, messages, channels) => {
      expect(isOfOneMessage(error)).toBe(messages);
      expect(isOfOneChannel(error)).toBe(channels);
    },
  );

  test.each([
    [
      'a code of its own',
      answered(C.MissingAccess, 403),
      { refused: true, lasting: true, unanswered: false },
    ],
    [
      'a token that is none',
      answered(0, 401),
      { refused: true, lasting: false, unanswered: false },
    ],
    ['no code', answered(0, 403), { refused: true, lasting: false, unanswered: false }],
    ['a fault of its servers', fault, { refused: false, lasting: false, unanswered: true }],
    ['a page of a proxy', new NotDiscord(), { refused: false, lasting: false, unanswered: true }],
    ['a cut connection', cut, { refused: false, lasting: false, unanswered: true }],
    ['no name server', away, { refused: false, lasting: false, unanswered: true }],
    ['no end', late, { refused: false, lasting: false, unanswered: true }],
    ['a limit', limited, { refused: false, lasting: false, unanswered: false }],
    ['a fault of ours', broken, { refused: false, lasting: false, unanswered: false }],
  ] as const)('an answer with %s is taken for a refusal only if it is one', (_, error, is) => {
    const found = {
      refused: isRefusal(error),
      lasting: isLastingRefusal(error),
      unanswered: isUnanswered(error),
    };
    expect(found).toEqual(is);
  });

  test('the limit of edits of old messages is known by Discord’s code and by the client’s own error', () => {
    const code = C.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;
    expect([answered(code, 429), limited, answered(C.MissingAccess, 403)].map(isEditLimit)).toEqual(
      [true, true, false],
    );
    const refused = [C.MessageBlockedByHarmfulLinksFilter, C.InvalidFormBodyOrContentType];
    expect([...refused, C.MissingAccess].map((one) => areLinksRefused(answered(one, 400)))).toEqual(
      [true, true, false],
    );
  });
});

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterEach(() => scene.sandbox.faults.clear());
afterAll(() => scene.stop());

const asked = () => askedOf(scene);
const read = (guild: string, channel: string) => readIn(scene, guild, channel);

describe('a place that answered 403', () => {
  test('a place that answered 403 is not asked again, even after a restart', async () => {
    const { sandbox } = scene;
    const { guildId: guild, channels } = sandbox;
    const { general, rust } = channels;
    sandbox.faults.add({ path: new RegExp(`${rust.id}/messages`), status: 403 });
    expect(await read(guild, rust.id)).toBe('ChannelRefused');
    await scene.restartBot();
    const before = asked();
    expect(await read(guild, rust.id)).toBe('ChannelRefused');
    expect(asked()).toBe(before);
    expect(await read(guild, general.id)).toBe('read');
  });

  test('a place that answered 403 is asked again when the guild has removed the bot and invites it again', async () => {
    const { sandbox } = scene;
    const { guildId: guild, channels, operator } = sandbox;
    sandbox.faults.add({ path: new RegExp(`${channels.ai.id}/messages`), status: 403 });
    expect(await read(guild, channels.ai.id)).toBe('ChannelRefused');
    sandbox.faults.clear();
    const isHere = () => scene.bot.client.guilds.cache.has(guild);
    operator.kickBot({});
    await expect.poll(isHere).toBe(false);
    operator.inviteBot({});
    await expect.poll(isHere).toBe(true);
    // What is stored of the refusals is deleted a moment later.
    await expect.poll(() => read(guild, channels.ai.id)).toBe('read');
  });

  // Withstands (Requests to Discord): A channel is refused (403) and allowed later
  // → it is asked again
  test('a place that answered 403 is asked again after a minute, and after four more minutes where it still refuses', async () => {
    const { sandbox, clock } = scene;
    const { guildId: guild, channels } = sandbox;
    const { id } = channels.ai;
    const asked = () => sandbox.requests.recent.filter(({ channelId }) => channelId === id).length;
    const before = asked();
    sandbox.faults.add({ path: new RegExp(`${id}/messages`), status: 403 });
    for (const [afterMs, times] of [
      [0, 1],
      [59_000, 1],
      [2000, 2],
      [238_000, 2],
    ] as const) {
      clock.move(afterMs);
      expect(await read(guild, id)).toBe('ChannelRefused');
      expect(asked() - before).toBe(times);
    }
    sandbox.faults.clear();
    clock.move(3000);
    expect(await read(guild, id)).toBe('read');
    // What was fine for a minute begins anew.
    clock.move(MINUTE_MS);
    sandbox.faults.add({ path: new RegExp(`${id}/messages`), status: 403, times: 1 });
    expect(await read(guild, id)).toBe('ChannelRefused');
    clock.move(MINUTE_MS);
    expect(await read(guild, id)).toBe('read');
  });

  test('a place that answered 403 again and again is asked once a day', async () => {
    const { sandbox, bot, clock } = scene;
    const { guildId: guild, channels } = sandbox;
    const { id } = channels.ai;
    const path = new RegExp(`${id}/messages`);
    const rest = () => readRefusal(bot.store, guild, `GET ${id}`);
    sandbox.faults.add({ path, status: 403 });
    await read(guild, id);
    const first = (await rest())!;
    const untilMs = clock.now() - 1;
    await writeRefusal(bot.store, guild, `GET ${id}`, { ...first, forMs: DAY_MS, untilMs });
    await read(guild, id);
    expect(await rest()).toMatchObject({ forMs: DAY_MS });
    // It is known for longer than that, and not for ever.
    const { refused } = storeKeys(bot.store, guild);
    expect(await bot.store.redis.pttl(refused)).toBeGreaterThan(DAY_MS);
    sandbox.faults.clear();
    await forgetRefusals(bot.store, guild);
  });

  test('one message that answered 403 to a change rests alone', async () => {
    const { sandbox, bot } = scene;
    const { guildId: guild, channels, faults, world } = sandbox;
    const { general } = channels;
    const authorId = world.application.botId;
    const [refused, other] = [0, 1].map(() => createMessage(world, general, { authorId }).id);
    faults.add({ method: 'PATCH', path: new RegExp(`/messages/${refused}`), status: 403, code: 0 });
    const edit = (message: string) => {
      const route = Routes.channelMessage(general.id, message);
      return bot.requests.patch({ guild, channel: general.id }, route, { content: 'New.' }).then(
        () => 'edited',
        (error: Error) => error.constructor.name,
      );
    };
    expect(await edit(refused!)).toBe('MessageRefused');
    expect(await edit(other!)).toBe('edited');
    faults.clear();
    // It waits for the hourly recount.
    expect(await edit(refused!)).toBe('MessageRefused');
  });

  test('a place that answered 403 to two requests at once rests no longer than after one', async () => {
    const { sandbox, clock } = scene;
    const { guildId: guild, channels } = sandbox;
    const { id } = channels.general;
    const end = sandbox.faults.add({ path: new RegExp(`${id}/messages`), status: 403, times: 2 });
    const both = [read(guild, id), read(guild, id)];
    expect(await Promise.all(both)).toEqual(['ChannelRefused', 'ChannelRefused']);
    clock.move(61_000);
    expect(await read(guild, id)).toBe('read');
    end();
  });
});

test('a channel that refused is one of fifteen hundred that a server can have, and more are remembered anew', async () => {
  const { sandbox, bot } = scene;
  const { guildId: guild, channels } = sandbox;
  const { refused } = storeKeys(bot.store, guild);
  const many = "for n = 1, 1500 do redis.call('HSET', KEYS[1], n, '{}') end";
  await bot.store.redis.eval(many, 1, refused);
  sandbox.faults.add({ path: new RegExp(`${channels.lateNight.id}/messages`), status: 403 });
  expect(await read(guild, channels.lateNight.id)).toBe('ChannelRefused');
  expect(await bot.store.redis.hlen(refused)).toBe(1);
});

test('a channel that refused is asked again at once after an outage of its server', async () => {
  const { sandbox, bot } = scene;
  const { guildId: guild, channels, operator } = sandbox;
  const { id } = channels.rust;
  const end = sandbox.faults.add({ path: new RegExp(`${id}/messages`), status: 403 });
  const isAvailable = () => bot.client.guilds.cache.get(guild)?.available;
  operator.setOutage({ outage: true });
  await expect.poll(isAvailable).toBe(false);
  // The bot of the test before may have noted it.
  expect(await read(guild, id)).toBe('ChannelRefused');
  end();
  operator.setOutage({ outage: false });
  await expect.poll(() => read(guild, id)).toBe('read');
});

test('an answer that was cut or is not Discord’s is taken for none, and not for a fault', async () => {
  const { rest } = scene.bot.client;
  const { options } = rest;
  const makeRequest = options.makeRequest.bind(options);
  const { guildId: guild, channels } = scene.sandbox;
  const headers = { 'content-type': 'application/json' };
  options.makeRequest = async () => new Response('[{"id":', { headers });
  const cutOff = await read(guild, channels.general.id);
  options.makeRequest = makeRequest;
  expect(cutOff).toBe('NotDiscord');
  expect(await read(guild, channels.general.id)).toBe('read');
});

test('a channel that refused is asked again as soon as the bot’s permissions there are others', async () => {
  const { sandbox, bot } = scene;
  const { guildId: guild, channels, faults, operator } = sandbox;
  const { id: channel } = channels.gameDev;
  const read = () =>
    bot.requests.get({ guild, channel }, Routes.channelMessages(channel)).then(
      () => 'read',
      (error: Error) => error.name,
    );
  const end = faults.add({ path: new RegExp(`${channel}/messages`), status: 403, code: 50_001 });
  expect(await read()).toBe('ChannelRefused');
  end();
  expect(await read()).toBe('ChannelRefused');
  operator.setPermissions({ channel, who: 'bot', allow: ['ManageMessages'] });
  const { me } = bot.client.guilds.cache.get(guild)!.members;
  const where = () => me?.permissionsIn(channel).has('ManageMessages');
  await expect.poll(where).toBe(true);
  // At once, and not when its rest is over.
  expect(await read()).toBe('read');
});

test('a channel that refuses reactions is not asked for them under each new article', async () => {
  const { sandbox } = scene;
  const asked = () => sandbox.requests.count('PUT', /reactions/);
  const before = asked();
  const end = sandbox.faults.add({
    method: 'PUT',
    route: /reactions/,
    status: 403,
    code: 50013,
  });
  for (const n of [1, 2, 3]) {
    const link = `https://refused.example/${n}`;
    await sandbox.as(sandbox.admin).command(sandbox.channels.gameDev.id, 'post', { link });
    // The reactions follow the answer.
    await expect.poll(asked).toBe(before + 1);
  }
  end();
  await scene.post(sandbox.admin);
  expect(asked()).toBe(before + 3);
});

test('a log channel that refuses messages is not asked again, even after a restart', async () => {
  const { sandbox } = scene;
  const { guildId: guild, channels } = sandbox;
  await writeSetting(scene.bot.store, guild, 'log', channels.rust.id);
  await scene.bot.rules.reload(guild);
  const sent = () => sandbox.requests.count('POST', /messages/);
  const before = sent();
  sandbox.faults.add({
    method: 'POST',
    path: new RegExp(`${channels.rust.id}/messages`),
    status: 403,
  });
  const write = () => writeToLogChannel(scene.bot, guild, () => ({ content: 'A line.' }));
  for (let n = 0; n < 3; n += 1) await write();
  await scene.restartBot();
  await write();
  expect(sent()).toBe(before + 1);
});

test('a request that is answered with 429 and no time is not repeated at once', async () => {
  const { sandbox, bot } = scene;
  const end = sandbox.faults.add({ route: /users/, status: 429, retryAfterSeconds: null });
  const asked = () => sandbox.requests.count('GET', /users/);
  const before = asked();
  // It waits for a minute; this test does not.
  bot.client.rest.get('/users/@me').catch(() => {});
  await expect.poll(asked).toBe(before + 1);
  // A repetition at once would come before this.
  for (let n = 0; n < 5; n += 1) await bot.client.rest.get('/gateway');
  expect(asked()).toBe(before + 1);
  end();
});

test.each([
  ['here', null],
  ['hidden', { status: 403, code: 50_001 }],
  ['missed', { status: 404, code: 10_003 }],
] as const)('a channel is %s by Discord’s own answer about it alone', async (where, answer) => {
  const { sandbox, bot } = scene;
  const { guildId, operator, faults } = sandbox;
  const { id } = operator.createChannel({ name: 'asked-about' });
  await expect.poll(() => bot.client.channels.cache.has(id)).toBe(true);
  bot.client.channels.cache.delete(id);
  if (answer !== null)
    faults.add({ method: 'GET', path: new RegExp(`/channels/${id}$`), ...answer });
  expect(await whereaboutsOf(bot, guildId, id)).toBe(where);
});

test('a channel of another server is none of this one', async () => {
  const { sandbox, bot } = scene;
  const { operator, admin, guildId } = sandbox;
  const { guild, general } = operator.createGuild({ name: 'Another', owner: admin });
  await expect.poll(() => bot.client.channels.cache.has(general)).toBe(true);
  expect(await whereaboutsOf(bot, guildId, general)).toBe('missed');
  expect(await whereaboutsOf(bot, guild, general)).toBe('here');
  expect(await isGone(bot, guildId, general)).toBe(true);
  expect(await isGone(bot, guild, general)).toBe(false);
});

test('what can wait stops where Discord refuses a hundred times, and everywhere that it refuses after five thousand, until ten minutes are over', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { sandbox, bot } = scene;
  const { operator, admin } = sandbox;
  const { requireAllowed } = openRefusals(bot.client, bot.store, scene.clock, bot.log);
  const made = (name: string) => operator.createGuild({ name, owner: admin });
  const [few, many, none] = [made('Few'), made('Many'), made('None')];
  const { guilds, rest } = bot.client;
  await expect.poll(() => guilds.cache.has(none.guild)).toBe(true);
  const answered = (path: string, status: number, times: number, scope?: string) => {
    const headers = { 'retry-after': '1', ...(scope && { 'x-ratelimit-scope': scope }) };
    for (let n = 0; n < times; n += 1) {
      rest.emit('response', { path } as never, new Response('{}', { status, headers }));
    }
  };
  const isAllowed = ({ guild, general: channel }: typeof few) =>
    requireAllowed({ guild, channel }).then(
      () => true,
      () => false,
    );
  const allowed = () => Promise.all([few, many, none].map(isAllowed));
  answered(`/channels/${few.general}/messages`, 403, 1);
  answered(`/channels/${many.general}/messages`, 403, REFUSED_IN_GUILD - 2);
  // An archived thread, of which the client knows nothing.
  const thread = '100000000000000009';
  await requireAllowed({ guild: many.guild, channel: thread });
  answered(`/channels/${thread}/messages`, 403, 1);
  // Bots share the first, and the others are no refusals.
  answered(`/channels/${many.general}/messages`, 429, 50, 'shared');
  for (const status of [200, 404, 500]) answered(`/guilds/${many.guild}/members`, status, 50);
  expect(await allowed()).toEqual([true, true, true]);
  answered(`/guilds/${many.guild}/members`, 429, 1, 'user');
  expect(await allowed()).toEqual([true, false, true]);
  answered('/users/@me', 401, 5000);
  expect(await allowed()).toEqual([false, false, true]);
  vi.advanceTimersByTime(10 * MINUTE_MS);
  answered(`/channels/${few.general}/messages`, 403, 1);
  answered(`/channels/${many.general}/messages`, 403, 1);
  expect(await allowed()).toEqual([true, true, true]);
});

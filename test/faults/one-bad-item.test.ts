import type { APIMessage } from 'discord.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { finishErasing } from '../../src/privacy/member-data.ts';
import { noteErasing, walkErasing } from '../../src/community/erasures.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { openDigestContext } from '../../src/digests/posting/posting-context.ts';
import { openImportMessage } from '../../src/history/import/import-report.ts';
import { readImport } from '../../src/history/import/stored-imports.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { THUMBS } from '../../src/ranking/vote-signs.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { snowflakeTimeMs } from '../../src/runtime/snowflake.ts';
import { type ImportScene, startImportScene } from '../history/import/import-scene.ts';

// One bad item in what works on many: the others are done.

let scene: ImportScene;
let general: string;
let articles: string[];
let bad: string;
beforeAll(async () => {
  scene = await startImportScene();
  general = scene.sandbox.channels.general.id;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  articles = await scene.plant(general, 3);
  bad = articles[1] ?? '';
});
afterEach(() => scene.sandbox.faults.clear());

const others = () => articles.filter((id) => id !== bad);
const pathOf = (id: string) => new RegExp(`/messages/${id}`);

/** What Discord answers about one message alone. */
const refusals = [
  [403, 30010],
  [400, 30010],
  [403, 90001],
  [404, 0],
  [500, 0],
] as const;

describe('the bot’s own reactions', () => {
  // Withstands (Requests to Discord): Discord refuses one message, and no other (30010, 90001, 404 without its code, lasting 5xx)
  // → the others are reacted to, counted, imported, erased
  test.each(refusals.filter(([status]) => status < 500))(
    'the bot’s own reactions that one message refuses (%i, code %i) come under the next articles',
    async (status, code) => {
      const { faults, admin, requests } = scene.sandbox;
      const end = faults.add({ method: 'PUT', route: /reactions/, times: 1, status, code });
      const post = async (n: number) => {
        const link = `https://bad.example/${status}/${code}/${n}`;
        const { message } = await scene.sandbox.as(admin).command(general, 'post', { link });
        return message?.id ?? '';
      };
      const before = requests.count('PUT', /reactions/, status);
      const refused = await post(1);
      await expect.poll(() => requests.count('PUT', /reactions/, status)).toBe(before + 1);
      end();
      const next = await post(2);
      await expect.poll(() => scene.isOwn(next, THUMBS.down)).toBe(true);
      expect(scene.isOwn(refused, THUMBS.up)).toBe(false);
    },
  );
});

describe('a recount', () => {
  test.each(refusals)(
    'a recount of which one message cannot be read (%i, code %i) counts the others',
    async (status, code) => {
      scene.secretly(() => {
        for (const id of articles) scene.react(scene.sandbox.members[0] ?? '', id, '👍');
      });
      // The page lacks it, and by itself it cannot be read.
      const channel = scene.sandbox.channels.general;
      const message = channel.messages.get(bad);
      channel.messageIds = channel.messageIds.filter((id) => id !== bad);
      scene.sandbox.faults.add({ method: 'GET', path: pathOf(bad), status, code });
      const report = await scene.recount({ articles });
      channel.messageIds = [...channel.messageIds, bad].sort();
      expect(message).toBeDefined();
      expect(report.unread).toEqual([bad]);
      for (const id of others()) expect(await scene.tally(id)).toEqual([2, 0]);
      expect(await scene.tally(bad)).toEqual([1, 0]);
    },
  );

  test.each(refusals)(
    'a recount of which one list cannot be read (%i, code %i) counts the others',
    async (status, code) => {
      scene.secretly(() => {
        for (const id of articles) scene.react(scene.sandbox.members[0] ?? '', id, '👍');
      });
      const path = new RegExp(`/messages/${bad}/reactions`);
      scene.sandbox.faults.add({ method: 'GET', path, status, code });
      const report = await scene.recount({ articles, full: true });
      expect(report.unread).toEqual([bad]);
      for (const id of others()) expect(await scene.tally(id)).toEqual([2, 0]);
    },
  );

  test('a recount of which one stored row cannot be read counts the others', async () => {
    const { bot } = scene;
    scene.secretly(() => {
      for (const id of articles) scene.react(scene.sandbox.members[0] ?? '', id, '👍');
    });
    const keys = guildKeys(bot.ranking, scene.sandbox.guildId);
    await scene.redis.redis.hset(keys.articles, bad, 'no row');
    await scene.recount({ articles });
    for (const id of others()) expect(await scene.tally(id)).toEqual([2, 0]);
    await scene.redis.redis.hdel(keys.articles, bad);
  });
});

describe('erasing', () => {
  test.each(refusals)(
    'erasing of which one message cannot be deleted (%i, code %i) deletes the others',
    async (status, code) => {
      const { bot } = scene;
      const { guildId: guild } = scene.sandbox;
      for (const id of articles) await noteErasing(bot.store, guild, { id, channel: general });
      scene.sandbox.faults.add({ method: 'DELETE', path: pathOf(bad), status, code });
      await finishErasing(bot, guild);
      const left: string[] = [];
      for await (const { article } of walkErasing(bot.store, guild)) left.push(article);
      expect(left).toEqual([bad]);
      scene.sandbox.faults.clear();
      scene.clock.move(3_600_000);
      await finishErasing(bot, guild);
    },
  );
});

// Withstands (Requests to Discord): A thread is archived that holds erased or removed articles (50083)
// → it is opened for them
test('erasing opens an archived thread that takes no deletion (50083)', async () => {
  const { sandbox, bot } = scene;
  const { guildId: guild, faults } = sandbox;
  const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
  const [inThread = ''] = await scene.plant(thread.id);
  sandbox.operator.archiveThread({ channel: thread.id, archived: true });
  for (const [id, channel] of [
    [inThread, thread.id],
    [bad, general],
  ] as const)
    await noteErasing(bot.store, guild, { id, channel });
  const path = pathOf(inThread);
  faults.add({ method: 'DELETE', path, status: 400, code: 50_083, times: 1 });
  // That the bot may not archive it again is no fault of the deletion.
  faults.add({ method: 'PATCH', body: /"archived":true/, status: 403, code: 50_013 });
  await finishErasing(bot, guild);
  expect(await bot.store.redis.exists(storeKeys(bot.store, guild).erasing)).toBe(0);
  expect(sandbox.world.channels.get(thread.id)?.messages.has(inThread)).toBe(false);
  expect(sandbox.channels.general.messages.has(bad)).toBe(false);
});

// Withstands (Requests to Discord): A proxy answers with a page of its own, as if all were well (200, HTML)
// → it is no success: what was to be deleted, edited or sent is done when Discord answers
describe('a proxy’s page in place of Discord’s answer', () => {
  test('a proxy’s page in place of Discord’s answer deletes no message of an erased article: it is deleted later', async () => {
    const { bot } = scene;
    const { guildId: guild, faults, channels } = scene.sandbox;
    for (const id of articles) await noteErasing(bot.store, guild, { id, channel: general });
    faults.add({ method: 'DELETE', path: pathOf(bad), status: 200, html: true });
    await finishErasing(bot, guild);
    const left = () => articles.filter((id) => channels.general.messages.has(id));
    expect(left()).toEqual([bad]);
    faults.clear();
    await finishErasing(bot, guild);
    expect(left()).toEqual([]);
  });

  test('a proxy’s page in place of Discord’s answer is not taken for the edit of a removed article’s message', async () => {
    const { bot, sandbox } = scene;
    const path = pathOf(bad);
    // For as long as it is tried: the bot begins by itself, too.
    const end = sandbox.faults.add({ method: 'PATCH', path, status: 302, html: true });
    await removeArticle(bot.ranking, sandbox.guildId, bad, scene.clock.now());
    expect(await bot.due.now(sandbox.guildId, `show:${bad}`)).not.toBeNull();
    expect(scene.message(bad).content).toContain('http');
    end();
    expect(await bot.due.now(sandbox.guildId, `show:${bad}`)).toBeNull();
    expect(scene.message(bad).content).not.toContain('http');
  });
});

describe('an import', () => {
  test.each(refusals)(
    'an import of which the reactions of one message cannot be read (%i, code %i) imports the others',
    async (status, code) => {
      const channel = scene.sandbox.operator.createChannel({
        guild: scene.sandbox.guildId,
        name: `past-${status}-${code}`,
      }).id;
      const { client } = scene.bot;
      await scene.eventually(() => client.channels.cache.has(channel), Boolean, 'known');
      const [up = ''] = scene.sandbox.members;
      const said = [1, 2, 3].map((n) =>
        scene.say(channel, {
          content: `https://past.example/${status}/${code}/${n}`,
          by: scene.sandbox.moderator,
          up: [up],
        }),
      );
      const path = new RegExp(`/messages/${said[1]}/reactions`);
      scene.sandbox.faults.add({ method: 'GET', path, status, code });
      const answer = await scene.ask(channel);
      await scene.press(answer, 'begin');

      await scene.finish();
      await scene.counted();
      // That one stays as its message counts it.
      for (const id of said) expect(await scene.article(id)).toMatchObject({ up: 2, closed: true });
    },
  );
});

test('an import whose message Discord lets nobody edit any more (30046) goes on with a new one', async () => {
  const { guildId: guild, operator, moderator, faults } = scene.sandbox;
  const { client, store } = scene.bot;
  const channel = operator.createChannel({ guild, name: 'past-edits' }).id;
  await scene.eventually(() => client.channels.cache.has(channel), Boolean, 'known');
  scene.say(channel, { content: 'https://edits.example/', by: moderator });
  await scene.importAll(channel);
  const state = (await readImport(store, guild))!;
  const before = state.report.message;
  faults.add({ method: 'PATCH', path: pathOf(before ?? ''), status: 429, code: 30_046 });
  const needs = { ...scene.bot, isComplete: async () => true };
  const message = openImportMessage(needs, guild, state, async () => {});
  await message.progress({ articles: 1, pace: null }, true);
  expect(state.report.message).not.toBe(before);
});

describe('a rebuild', () => {
  test('a rebuild of which the lists of one message cannot be read takes in the others', async () => {
    const { bot } = scene;
    scene.secretly(() => {
      for (const id of articles) scene.react(scene.sandbox.members[0] ?? '', id, '👍');
    });
    const path = new RegExp(`/messages/${bad}/reactions`);
    scene.sandbox.faults.add({ method: 'GET', path, status: 404, code: 0 });
    const guild = bot.client.guilds.cache.get(scene.sandbox.guildId)!;
    expect(await rebuildGuild(bot, guild, {})).toMatchObject({ status: 'finished' });
    for (const id of others()) expect(await scene.tally(id)).toEqual([2, 0]);
  });
});

/** What a message of an answer can be beside Discord's form. */
const forms: Record<string, (message: APIMessage) => unknown> = {
  'without an author': (message) => ({ ...message, author: undefined }),
  'with null for its reactions': (message) => ({ ...message, reactions: null }),
  'without its text': (message) => ({ ...message, content: undefined }),
  'with an embed that is null': (message) => ({ ...message, embeds: [null] }),
  'that is null': () => null,
};

/** Gives each of these messages one of the forms. */
function inForms(broken: readonly string[]) {
  return (message: APIMessage): unknown => {
    const change = Object.values(forms)[broken.indexOf(message.id)];
    return change === undefined ? message : change(message);
  };
}

/** Changes the messages in what Discord answers, until the result is called. */
function answerWith(changed: (message: APIMessage) => unknown): () => void {
  const { options } = scene.bot.client.rest;
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = async (url, init) => {
    const response = await makeRequest(url, init);
    if (init.method !== 'GET' || !/\/messages(\/\d+)?(\?|$)/.test(url)) return response;
    const answer = (await response.json()) as APIMessage | APIMessage[];
    const body = JSON.stringify(Array.isArray(answer) ? answer.map(changed) : changed(answer));
    return new Proxy(response, {
      get: (of, name) => {
        if (name === 'json') return async () => JSON.parse(body) as unknown;
        return Reflect.get(of, name, of) as unknown;
      },
    });
  };
  return () => {
    options.makeRequest = makeRequest;
  };
}

// Withstands (Requests to Discord): Discord answers with messages of another form: no author, no text, null
// → the others are counted, rebuilt and imported, and no article is deleted for it
describe('messages of another form than Discord’s', () => {
  let planted: string[];
  let end: () => void;
  const broken = () => planted.slice(1, 1 + Object.keys(forms).length);
  const good = () => planted.filter((id) => !broken().includes(id));
  beforeEach(async () => {
    planted = await scene.plant(general, Object.keys(forms).length + 2);
    scene.secretly(() => {
      for (const id of planted) scene.react(scene.sandbox.members[0] ?? '', id, '👍');
    });
    end = answerWith(inForms(broken()));
  });
  afterEach(() => end());

  test('messages of another form than Discord’s stop no recount of the others, and keep their articles', async () => {
    await scene.recount({ articles: planted });
    for (const id of good()) expect(await scene.tally(id)).toEqual([2, 0]);
    for (const id of broken()) expect(await scene.tally(id)).toEqual([1, 0]);
  });

  test('messages of another form than Discord’s stop no rebuild', async () => {
    const { bot, sandbox } = scene;
    const guild = bot.client.guilds.cache.get(sandbox.guildId)!;
    expect(await rebuildGuild(bot, guild, {})).toMatchObject({ status: 'finished' });
    for (const id of good()) expect(await scene.tally(id)).toEqual([2, 0]);
  });

  test('messages of another form than Discord’s end no search for what was sent, on a full page either', async () => {
    const { bot, sandbox } = scene;
    const { guildId: guild, members, world } = sandbox;
    const channel = sandbox.operator.createChannel({ guild, name: 'searched' }).id;
    await scene.eventually(() => bot.client.channels.cache.has(channel), Boolean, 'known');
    const by = members[0] ?? '';
    const sent = Array.from({ length: 100 }, () => scene.say(channel, { content: 'Hello.', by }));
    end();
    end = answerWith(inForms([sent[50]!]));
    const ours = scene.say(channel, { content: 'Ours.', by: world.application.botId });
    const found = await openDigestContext(bot).channels.readBack(
      { guild, channel },
      snowflakeTimeMs(sent[0]!) - 1,
      (content) => content === 'Ours.',
      () => Promise.resolve(true),
    );
    expect(found).toMatchObject({ status: 'found', message: ours });
  });

  test('messages of another form than Discord’s stop no import', async () => {
    const { bot, sandbox } = scene;
    const { guildId: guild } = sandbox;
    const channel = sandbox.operator.createChannel({ guild, name: 'past-forms' }).id;
    await scene.eventually(() => bot.client.channels.cache.has(channel), Boolean, 'known');
    planted = planted.map((_, n) =>
      scene.say(channel, { content: `https://forms.example/${n}`, by: sandbox.moderator }),
    );
    end();
    end = answerWith(inForms(broken()));
    await scene.press(await scene.ask(channel), 'begin');
    await scene.finish();
    for (const id of good()) expect(await scene.article(id)).toMatchObject({ up: 1, closed: true });
  });
});

// Withstands (Requests to Discord): another server that speaks Discord's API says null where a message has no thread, and of a reaction only when it is the bot's own
// → each page is counted with one request
test('messages with null for no thread, and with reactions that do not say they are not ours, are counted from their page', async () => {
  const { requests, members } = scene.sandbox;
  scene.secretly(() => {
    for (const id of articles) scene.react(members[0] ?? '', id, '👍🏽');
  });
  const end = answerWith((message) => ({
    ...message,
    thread: message.thread ?? null,
    reactions: message.reactions?.map(({ me, ...rest }) => (me ? { ...rest, me } : rest)),
  }));
  const alone = () => requests.count('GET', /messages\/\d+$/);
  const before = alone();
  const report = await scene.recount({ articles, full: true }).finally(end);
  expect(report).toMatchObject({ added: articles.length, unread: [] });
  expect(alone()).toBe(before);
});

import { array, assert, asyncProperty, constantFrom, record } from 'fast-check';
import { readBoard } from '../../src/board/stored-board.ts';
import { readDigests } from '../../src/digests/stored-digests.ts';
import { BLOCK_SCOPES, writeBlock } from '../../src/community/blocks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logAction } from '../../src/community/moderation-log.ts';
import { finishErasing } from '../../src/privacy/member-data.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { snowflakeAt } from '../../src/runtime/snowflake.ts';
import type { Line } from '../../src/backup/guild-file/format.ts';
import { restoreFile } from '../../src/backup/attached-file.ts';
import { guildFiles } from '../../src/backup/guild-file/read.ts';
import type { Restored } from '../../src/backup/guild-file/restore-guild.ts';
import { readSettings, STANDARD } from '../../src/community/settings.ts';
import { missingPermissions } from '../../src/discord/access/permissions.ts';
import { readDigest } from '../../src/digests/stored-digests.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { recountArticlesInVoting } from '../../src/votes/recount/recount-guild.ts';
import { bytesOf, signed } from './guild-file/guild-files.ts';
import { isWhole } from '../fixtures/sample.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

// The usual run tries the same files each time, the whole one others.
const given = process.env['FC_SEED'] ?? (isWhole ? undefined : '7');
const seed = given === undefined ? {} : { seed: Number(given) };
let scene: Scene;
let digests = 0;
let elsewhere: { guild: string; general: string };

beforeAll(async () => {
  scene = await startScene();
  const { operator, admin } = scene.sandbox;
  elsewhere = operator.createGuild({ name: 'Elsewhere', owner: admin });
});
afterAll(() => scene.stop());

const LIES = [
  'home',
  'thread',
  'log',
  'announcements',
  'groups',
  'roles',
  'everybody',
  'emoji',
  'board',
] as const;
const MORE = ['digest', 'digest role', 'digest group'] as const;

type Ids = { foreign: string; person: string; here: string; poster: string };

/** Lines as an attacker writes them into a file of their own guild. */
function forgedLine(lie: (typeof LIES | typeof MORE)[number], ids: Ids): unknown {
  const { foreign, person, here, poster } = ids;
  const article = {
    kind: 'article',
    id: person,
    title: 'Forged',
    link: `https://forged.example/${person}`,
    poster,
    up: 9,
    down: 0,
    interesting: false,
    locked: false,
    closed: false,
    listed: true,
    voters: { up: [poster], down: [] },
  };
  const digest = {
    channel: here,
    schedule: { every: 'day', time: '09:00', zone: 'UTC' },
    savedBy: person,
  };
  digests += 1;
  // A digest that is known would stay, whatever the file says of it.
  const digestLine = (more: object) => ({
    kind: 'digest',
    name: `forged-${digests}`,
    digest: { ...digest, ...more },
    run: {},
  });
  switch (lie) {
    case 'home':
      return { ...article, groups: [foreign], channel: foreign };
    case 'thread':
      return { ...article, groups: [here], channel: foreign };
    case 'log':
    case 'announcements':
      return { kind: 'setting', name: lie, value: foreign };
    case 'groups':
      return { kind: 'setting', name: 'groups', value: [foreign] };
    case 'roles':
      return { kind: 'setting', name: 'post-roles', value: [foreign] };
    case 'everybody':
      return { kind: 'setting', name: 'everybody', value: foreign };
    case 'board':
      // A later one than any before.
      return { kind: 'board', channel: foreign, savedAtMs: digests, savedBy: person };
    case 'emoji':
      return { kind: 'setting', name: 'up-emoji', value: `<:strange:${foreign}>` };
    case 'digest':
      return digestLine({ channel: foreign });
    case 'digest role':
      return digestLine({ role: foreign });
    case 'digest group':
      return digestLine({ groups: [foreign] });
  }
}

// Withstands (Attacks): A restored file names things of another server
// → every id is checked
test('a file with ids of another guild makes no request there and leaves nothing of it here', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, channels, admin, requests } = sandbox;
  const { store, client } = bot;
  await expect.poll(() => client.guilds.cache.has(elsewhere.guild)).toBe(true);
  // The welcome is the bot's own affair there.
  const said = () => sandbox.as(admin).messages(elsewhere.general).length;
  await expect.poll(said).toBe(1);
  const there = client.guilds.cache.get(elsewhere.guild)!;
  const thread = sandbox.as(admin).startThread(elsewhere.general, 'A thread').id;
  const archived = sandbox.as(admin).startThread(elsewhere.general, 'An old one').id;
  const by = await client.guilds.cache.get(guild)!.members.fetch(admin);
  const person = sandbox.as(admin).send(elsewhere.general, 'Leave it.').id;
  sandbox.operator.archiveThread({ channel: archived, archived: true });
  const unknown = snowflakeAt(clock.now() - 1000);
  const foreign = [elsewhere.general, thread, archived, unknown, there.id];

  await assert(
    asyncProperty(
      array(record({ lie: constantFrom(...LIES, ...MORE), id: constantFrom(...foreign) }), {
        minLength: 1,
        maxLength: 12,
      }),
      async (lies) => {
        const ids = { person, here: channels.general.id, poster: admin };
        const lines = lies.map(({ lie, id }) => forgedLine(lie, { ...ids, foreign: id }));
        const head = { guild, application: sandbox.applicationId };
        const text = signed(lines, head);
        requests.reset();
        const fates = await restored(text);
        await finishErasing(bot, guild);
        await recountArticlesInVoting(bot, guild, { full: true });
        await logAction(bot, { by }, () => 'Done.');
        const kept = JSON.stringify(await everything());
        for (const id of [...foreign, person]) expect(kept).not.toContain(id);
        const strangers = new Set([...foreign, person]);
        // The gate may ask where a thread is that the client does not know.
        const touched = requests.recent.filter(
          ({ channelId, method, route }) =>
            strangers.has(channelId ?? '') && !(method === 'GET' && route === '/channels/:channel'),
        );
        expect(touched).toEqual([]);
        expect(sandbox.world.channels.get(elsewhere.general)?.messages.has(person)).toBe(true);
        const { log, announcements } = await readSettings(store, guild);
        expect([log, announcements]).toEqual([STANDARD.log, STANDARD.announcements]);
        // A guild has a number of digests at most.
        await store.redis.del(storeKeys(store, guild).digests);
        const { article, setting, digest, board } = fates;
        const withoutRole = lies.filter(({ lie }) => lie === 'digest role').length;
        expect(digest).toEqual({ ...digest, put: withoutRole, unchanged: 0 });
        const left = article.left + setting.left + digest.left + board.left;
        expect(left).toBe(lies.length - withoutRole);
      },
    ),
    { numRuns: 20, endOnFailure: true, ...seed },
  );
}, 120_000);

// Withstands (Attacks): A restored digest would mention everyone
// → it is refused
test('a restored digest that would mention everyone is refused, as the command refuses it', async () => {
  const { guildId: guild, channels, admin, applicationId: application } = scene.sandbox;
  const ids = { person: guild, here: channels.general.id, poster: admin, foreign: guild };
  const forged = async (role: string) =>
    restored(
      signed([forgedLine('digest role', { ...ids, foreign: role })], { guild, application }),
    );
  expect(await forged(guild)).toMatchObject({ digest: { put: 0, left: 1 } });
  expect(JSON.stringify(await everything())).not.toContain(`"role":"${guild}"`);
  const role = scene.sandbox.operator.addRole({ name: 'Readers' });
  const isKnown = () => scene.bot.client.guilds.cache.get(guild)!.roles.cache.has(role);
  await expect.poll(isKnown).toBe(true);
  expect(await forged(role)).toMatchObject({ digest: { put: 1, left: 0 } });
  expect(JSON.stringify(await everything())).toContain(`"role":"${role}"`);
});

test('a restored digest keeps those of its sources that are the server’s', async () => {
  const { guildId: guild, channels, admin, applicationId: application } = scene.sandbox;
  const { id: here } = channels.general;
  const ids = { person: '1', here, poster: admin, foreign: elsewhere.general };
  const line = forgedLine('digest group', ids) as { name: string; digest: object };
  const groups = [elsewhere.general, here, channels.rust.id];
  const own = { ...line, digest: { ...line.digest, groups } };
  expect(await restored(signed([own], { guild, application }))).toMatchObject({
    digest: { put: 1, left: 0 },
  });
  const stored = await readDigest(scene.bot.store, guild, line.name);
  expect(stored?.digest.groups).toEqual([here, channels.rust.id]);
});

test('a file’s articles in archived threads of a channel that the bot may not view now come back, and Discord is asked nothing about them', async () => {
  const { sandbox, clock, bot } = scene;
  const { guildId: guild, applicationId: application, channels, admin, requests } = sandbox;
  const { id: here } = channels.gameDev;
  const cached = bot.client.guilds.cache.get(guild)!.channels.cache.get(here)!;
  const hidden = () => missingPermissions(cached, ['ViewChannel']).length > 0;
  sandbox.operator.setPermissions({ channel: here, who: 'bot', deny: ['ViewChannel'] });
  await expect.poll(hidden).toBe(true);
  const person = snowflakeAt(clock.now() - 4000);
  const foreign = snowflakeAt(clock.now() - 5000);
  const line = forgedLine('thread', { foreign, person, here, poster: admin });
  requests.reset();
  expect(await restored(signed([line], { guild, application }), admin)).toMatchObject({
    article: { put: 1, left: 0 },
  });
  expect(await scene.article(person)).toMatchObject({ home: here, listed: false });
  expect(requests.count('GET', /^\/channels\/:channel$/)).toBe(0);
  await deleteArticle(bot.ranking, guild, person);
  sandbox.operator.setPermissions({ channel: here, who: 'bot' });
  await expect.poll(hidden).toBe(false);
});

test('a file takes no category for a channel with articles or messages', async () => {
  const { sandbox, clock } = scene;
  const { operator, admin, guildId: guild, channels, applicationId: application } = sandbox;
  const { client } = scene.bot;
  const { id: foreign } = operator.createChannel({ name: 'Rooms', kind: 'category' });
  const isKnown = () => client.guilds.cache.get(guild)!.channels.cache.has(foreign);
  await expect.poll(isKnown).toBe(true);
  const person = snowflakeAt(clock.now() - 1000);
  const ids = { person, here: channels.general.id, poster: admin, foreign };
  const lies = ['home', 'thread', 'log', 'groups', 'digest'] as const;
  const lines = lies.map((lie) => forgedLine(lie, ids));
  expect(await restored(signed(lines, { guild, application }))).toMatchObject({
    article: { left: 2 },
    setting: { left: 2 },
    digest: { left: 1 },
  });
  expect(JSON.stringify(await everything())).not.toContain(foreign);
});

test('a file’s articles in an archived thread of the server come back, asked for once', async () => {
  const { sandbox, clock, bot } = scene;
  const { guildId: guild, applicationId: application, channels, admin, requests } = sandbox;
  const thread = sandbox.as(admin).startThread(channels.general.id, 'An old one').id;
  const { channels: cached, guilds } = bot.client;
  sandbox.operator.archiveThread({ channel: thread, archived: true });
  await expect.poll(() => cached.cache.get(thread)).toMatchObject({ archived: true });
  // As after a start.
  cached.cache.delete(thread);
  guilds.cache.get(guild)!.channels.cache.delete(thread);
  const foreign = thread;
  const persons = [2000, 3000].map((ms) => snowflakeAt(clock.now() - ms));
  const lines = persons.map((person) =>
    forgedLine('thread', { foreign, person, here: channels.general.id, poster: admin }),
  );
  requests.reset();
  await restored(signed(lines, { guild, application }));
  const articles = (await everything()).filter(({ kind }) => kind === 'article');
  expect(articles).toMatchObject([{ channel: thread }, { channel: thread }]);
  expect(requests.count('GET', /^\/channels\/:channel$/)).toBe(1);
  for (const id of persons) await deleteArticle(bot.ranking, guild, id);
});

test('a file of a member asks Discord for a hundred channels and threads of others at most', async () => {
  const { sandbox, clock } = scene;
  const { guildId: guild, applicationId: application, channels, admin, requests } = sandbox;
  const lines = Array.from({ length: 120 }, (_, n) =>
    forgedLine('thread', {
      // Discord knows none of them, which is no refusal.
      foreign: `${2e9 + n}`,
      person: snowflakeAt(clock.now() - 20_000 - n),
      here: channels.general.id,
      poster: admin,
    }),
  );
  requests.reset();
  const fates = await restored(signed(lines, { guild, application }), admin);
  expect(fates).toMatchObject({ article: { left: 120 } });
  expect(requests.count('GET', /^\/channels\/:channel$/)).toBe(100);
});

test('a file does not say which articles everybody may see, and what closes while it is read is asked again', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, applicationId: application, channels, admin } = sandbox;
  const { articles } = guildKeys(bot.ranking, guild);
  const person = snowflakeAt(clock.now() - 60_000);
  const ids = { foreign: channels.lateNight.id, person, here: '', poster: admin };
  const row = async () => (await bot.ranking.redis.hget(articles, person)) ?? '';
  const of = bot.client.guilds.cache.get(guild)!;
  const restore = async (changed: Partial<typeof bot>) => {
    const text = signed([forgedLine('home', ids)], { guild, application });
    const needs = { ...bot, lookAtRestored: async () => {}, ...changed };
    for await (const file of guildFiles(bytesOf(text))) await restoreFile(needs, of, file);
  };
  // Without the look at the end: as each line is stored.
  await restore({ listing: { ...bot.listing, compare: async () => {} } });
  expect(await row()).toContain(' oh ');
  // As if the channel had been open when the line was read.
  const reload: typeof bot.rules.reload = async (id) => {
    await bot.ranking.redis.hset(articles, person, (await row()).replace(' oh ', ' ol '));
    return bot.rules.reload(id);
  };
  await restore({ rules: { ...bot.rules, reload } });
  expect(await row()).toContain(' oh ');
  await deleteArticle(bot.ranking, guild, person);
});

test('what Discord hides from the bot is taken from a file of the host, and from no member’s', async () => {
  const { sandbox, bot } = scene;
  const { guildId: guild, applicationId: application, admin, channels } = sandbox;
  const hidden = snowflakeAt(scene.clock.now() - 5000);
  const path = new RegExp(`/channels/${hidden}$`);
  const end = sandbox.faults.add({ method: 'GET', path, status: 403, code: 50001 });
  const ids = { foreign: hidden, person: '1', here: channels.general.id, poster: admin };
  const file = () =>
    signed([forgedLine('log', ids), forgedLine('board', ids)], { guild, application });
  sandbox.requests.reset();
  expect(await restored(file(), admin)).toMatchObject({ setting: { left: 1 }, board: { left: 1 } });
  expect(sandbox.requests.count('GET', /^\/channels\/:channel$/)).toBe(0);
  expect(await restored(file())).toMatchObject({ setting: { put: 1 }, board: { put: 1 } });
  end();
  const { store } = bot;
  await store.redis.del(storeKeys(store, guild).settings, storeKeys(store, guild).board);
});

test('a restored digest and board tell who restored them of trouble, and nobody whom the file names', async () => {
  const { guildId: guild, channels, admin, members, applicationId: application } = scene.sandbox;
  const { store } = scene.bot;
  const keys = storeKeys(store, guild);
  await store.redis.del(keys.digests, keys.board);
  const here = channels.general.id;
  const ids = { person: members[0]!, here, poster: admin, foreign: here };
  const lines = (['board', 'digest'] as const).map((lie) => forgedLine(lie, ids));
  await restored(signed(lines, { guild, application }), admin);
  const told = { channel: here, savedBy: admin };
  expect((await readBoard(store, guild))?.choice).toMatchObject(told);
  expect((await readDigests(store, guild)).map(({ digest }) => digest)).toMatchObject([told]);
  await store.redis.del(keys.digests, keys.board);
});

test('a file’s article is added to channels of its server alone', async () => {
  const { guildId: guild, channels, admin, applicationId: application } = scene.sandbox;
  const { general, rust } = channels;
  const person = snowflakeAt(scene.clock.now() - 4000);
  const ids = { person, here: general.id, poster: admin, foreign: general.id };
  const article = forgedLine('home', ids) as object;
  const line = { ...article, groups: [general.id, elsewhere.general, rust.id] };
  await restored(signed([line], { guild, application }));
  expect((await scene.article(person))?.groups).toEqual([general.id, rust.id]);
  await deleteArticle(scene.bot.ranking, guild, person);
});

test('a file’s settings are taken with what is of the server, also where they choose nothing', async () => {
  const { operator, guildId: guild, applicationId: application } = scene.sandbox;
  const role = operator.addRole({ name: 'Own' });
  const roles = () => scene.bot.client.guilds.cache.get(guild)!.roles.cache;
  await expect.poll(() => roles().has(role)).toBe(true);
  const settings = { everybody: role, 'post-roles': [role, '1'], 'vote-roles': [role] };
  const fates = async (values: object) => {
    const lines = Object.entries(values).map(([name, value]) => ({ kind: 'setting', name, value }));
    return (await restored(signed(lines, { guild, application }))).setting;
  };
  const stored = () => readSettings(scene.bot.store, guild);
  expect(await fates(settings)).toMatchObject({ put: 3, left: 0 });
  expect(await stored()).toMatchObject({ ...settings, 'post-roles': [role] });
  const none = { everybody: null, 'post-roles': [], 'vote-roles': [], 'up-emoji': null, log: null };
  expect(await fates(none)).toMatchObject({ put: 3, left: 0 });
  expect(await stored()).toMatchObject(none);
});

test('a file is restored though Discord then does not show its closed articles, which are looked at later', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, applicationId: application, admin, channels } = sandbox;
  const id = snowflakeAt(clock.now() - 30_000);
  const here = channels.general.id;
  const line = forgedLine('home', { foreign: here, person: id, here, poster: admin }) as object;
  const { voters: _, ...closed } = { ...line, voters: null, closed: true, title: ' \u200b ' };
  // The minute for it is over.
  const late = new DOMException('Too late.', 'AbortError');
  const needs = { ...bot, lookAtRestored: () => Promise.reject(late) };
  const of = bot.client.guilds.cache.get(guild)!;
  for await (const file of guildFiles(bytesOf(signed([closed], { guild, application })))) {
    const fates = await restoreFile(needs, of, { ...file, by: admin });
    expect(fates).toMatchObject({ article: { put: 1 } });
  }
  // A fault of ours is no such thing.
  const faulty = { ...bot, lookAtRestored: () => Promise.reject(new TypeError('Ours.')) };
  for await (const file of guildFiles(bytesOf(signed([closed], { guild, application })))) {
    await expect(restoreFile(faulty, of, { ...file, by: admin })).rejects.toThrow('Ours.');
  }
  // A title of nothing is the address.
  expect(await scene.article(id)).toMatchObject({ closed: true, title: `forged.example/${id}` });
  await deleteArticle(bot.ranking, guild, id);
});

test('files that name many threads of others make Discord refuse a hundred questions at most', async () => {
  const { sandbox, clock } = scene;
  const { guildId: guild, applicationId: application, channels, admin, requests } = sandbox;
  const lines = Array.from({ length: 150 }, (_, n) =>
    forgedLine('thread', {
      foreign: `${1e9 + n}`,
      person: snowflakeAt(clock.now() - 10_000 - n),
      here: channels.general.id,
      poster: admin,
    }),
  );
  const end = sandbox.faults.add({ method: 'GET', route: /^\/channels\/:channel$/, status: 403 });
  requests.reset();
  for (let file = 0; file < 3; file += 1) {
    const fates = await restored(signed(lines, { guild, application }));
    expect(fates).toMatchObject({ article: { left: 150 } });
  }
  end();
  // Discord refused one before.
  expect(requests.count('GET', /^\/channels\/:channel$/)).toBe(99);
  expect((await everything()).filter(({ kind }) => kind === 'article')).toEqual([]);
});

test('a file takes no link that nobody could post', async () => {
  const { sandbox, clock } = scene;
  const { guildId: guild, channels, admin, applicationId: application } = sandbox;
  const ids = {
    person: '1',
    poster: admin,
    here: channels.general.id,
    foreign: channels.general.id,
  };
  const links = [
    'http://127.0.0.1/',
    'https://localhost/',
    'https://10.0.0.1:8080/a',
    'https://wiki.corp/',
  ];
  const lines = links.map((link, i) => ({
    ...(forgedLine('home', ids) as object),
    id: snowflakeAt(clock.now() - 1000 + i),
    link,
  }));
  const good = { ...(forgedLine('home', ids) as object), id: snowflakeAt(clock.now() - 500) };
  const fates = await restored(signed([...lines, good], { guild, application }));
  expect(fates).toMatchObject({ article: { left: links.length, put: 1 } });
  const taken = (await everything()).filter(({ kind }) => kind === 'article');
  expect(taken).toMatchObject([{ id: good.id }]);
  await deleteArticle(scene.bot.ranking, guild, good.id);
});

test('a file brings an own emoji of the server as a sign, and none that is limited to roles', async () => {
  const { operator, guildId: guild, applicationId: application } = scene.sandbox;
  const roles = [operator.addRole({ name: 'Club' })];
  const [own, club] = [
    operator.addEmoji({ name: 'own' }),
    operator.addEmoji({ name: 'club', roles }),
  ];
  const lines = [
    { kind: 'setting', name: 'up-emoji', value: `<:before:${own}>` },
    { kind: 'setting', name: 'down-emoji', value: `<:club:${club}>` },
  ];
  await restored(signed(lines, { guild, application }));
  const settings = await readSettings(scene.bot.store, guild);
  expect([settings['up-emoji'], settings['down-emoji']]).toEqual([`<:own:${own}>`, null]);
});

test('a file brings no title and no comment with words that the server blocks by now', async () => {
  const { bot, sandbox, clock } = scene;
  const { guildId: guild, channels, admin, applicationId: application } = sandbox;
  const here = channels.general.id;
  const block = { ...BLOCK_SCOPES.post, reason: '', by: admin, sinceMs: 0, untilMs: null };
  await writeBlock(bot.store, guild, { ...block, subject: { kind: 'words', words: 'scam' } });
  const line = forgedLine('home', { person: '1', poster: admin, here, foreign: here }) as object;
  const [bad, good] = [-2000, -1000].map((ago) => snowflakeAt(clock.now() + ago));
  const lines = [
    { ...line, id: bad, link: 'https://a.example/story', title: 'S c a m', comment: 'No scαm' },
    { ...line, id: good, link: 'https://b.example/', title: 'A story', comment: 'Good' },
  ];
  await restored(signed(lines, { guild, application }));
  const found = (await everything()).filter((one) => one.kind === 'article');
  const said = found.map(({ id, title, comment }) => [id, title, comment]);
  expect(said.find(([id]) => id === good)).toEqual([good, 'A story', 'Good']);
  expect(said.find(([id]) => id === bad)).toEqual([bad, 'a.example/story', undefined]);
});

/** `by`: the member who restores; without one, the host does. */
async function restored(text: string, by?: string): Promise<Restored> {
  const { bot } = scene;
  const guild = bot.client.guilds.cache.get(scene.sandbox.guildId)!;
  for await (const file of guildFiles(bytesOf(text))) {
    const fates = await bot.backup.restore(guild, { ...file, ...(by === undefined ? {} : { by }) });
    if ('status' in fates) throw new Error('Another restore holds the guild.');
    return fates;
  }
  throw new Error('There is no guild in it.');
}

/** What an export would hand out. */
async function everything(): Promise<Line[]> {
  const { exportGuild } = await import('../../src/backup/guild-file/export.ts');
  const all: Line[] = [];
  for await (const line of exportGuild(scene.bot, scene.sandbox.guildId, scene.clock.now())) {
    all.push(JSON.parse(line));
  }
  return all;
}

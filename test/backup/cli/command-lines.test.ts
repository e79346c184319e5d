import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { forgetGuild, noteGuilds, readGuilds } from '../../../src/community/known-guilds.ts';
import { isOptedOut } from '../../../src/community/opted-out.ts';
import { readSettings, writeSetting } from '../../../src/community/settings.ts';
import { readPersonal, saveArticle } from '../../../src/personal/stored-personal.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { withLease } from '../../../src/redis/lease.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { exitCodes } from '../../../src/runtime/cannot-start.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { signed } from '../guild-file/guild-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'frontpage-command-lines-'));
let scene: Scene;
/** A second server of the bot. */
let pier: string;
beforeAll(async () => {
  scene = await startScene();
  const { operator, admin } = scene.sandbox;
  pier = operator.createGuild({ name: 'Pier', owner: admin }).guild;
});
afterAll(async () => {
  await scene.stop();
  rmSync(folder, { recursive: true });
});

const { argv, exitCode } = process;
const outputs = [process.stdout, process.stderr] as const;
const listeners = outputs.map((output) => output.listeners('error'));
beforeEach(() => {
  vi.stubEnv('DATA_DIR', join(folder, 'data'));
  vi.stubEnv('DISCORD_TOKEN', scene.sandbox.token);
  vi.stubEnv('DISCORD_API_BASE', scene.sandbox.apiBase);
  vi.stubEnv('REDIS_URL', `unix://${scene.redis.url}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  Object.assign(process, { argv, exitCode });
  for (const [at, output] of outputs.entries()) {
    for (const one of output.listeners('error')) {
      if (!listeners[at]!.includes(one)) output.off('error', one as () => void);
    }
  }
});

let runs = 0;
/** Runs a command of the host in this process: with all its modules loaded anew it would take ten times as long. */
async function atCommandLine(name: 'backup' | 'restore' | 'forget', ...words: string[]) {
  const lines: string[] = [];
  const say = (line: unknown) => void lines.push(String(line));
  const spies = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
  for (const spy of spies) spy.mockImplementation(say);
  process.argv = [...argv.slice(0, 2), ...words];
  process.exitCode = 0;
  try {
    runs += 1;
    const program = join(import.meta.dirname, '../../../src/backup/cli', `${name}.ts`);
    await import(`${program}?run=${runs}`);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return { code: process.exitCode, said: lines.join('\n') };
}

test('a backup writes into no file that is there already, and leaves it as it is', async () => {
  await noteGuilds(scene.bot.store, [scene.sandbox.guildId]);
  const own = mkdtempSync(join(folder, 'taken-'));
  const taken = join(own, 'mine.txt');
  writeFileSync(taken, 'mine');
  const { code, said } = await atCommandLine('backup', taken);
  expect({ code, said }).toEqual({
    code: exitCodes.cannotCreate,
    said: expect.stringContaining('There is a file'),
  });
  expect(readFileSync(taken, 'utf8')).toBe('mine');
  expect(readdirSync(own)).toEqual(['mine.txt']);
});

test('the host erases a member in all servers, with the messages, and the opt-out alone keeps nothing from then on', async () => {
  const { guildId, members, admin, channels } = scene.sandbox;
  const { store } = scene.bot;
  await noteGuilds(store, [guildId]);
  const [grace = '', ada = ''] = members;
  for (const [member, words, isOut] of [
    [grace, [], false],
    [ada, ['--opt-out'], true],
  ] as const) {
    const own = await scene.post(member);
    const other = await scene.post(admin);
    await scene.vote(member, other);
    const { said } = await atCommandLine('forget', member, ...words);
    expect(said).toContain(`Server ${guildId}: 1 articles and 1 votes erased.`);
    expect(await scene.article(own)).toBeNull();
    expect(await scene.article(other)).toMatchObject({ up: 1 });
    expect(channels.general.messages.has(own)).toBe(false);
    expect(await isOptedOut(store, guildId, member)).toBe(isOut);
  }
});

test('the host is told what is erased of a member who only saved, and that nothing is left then', async () => {
  const { guildId, admin } = scene.sandbox;
  const { store } = scene.bot;
  const [silent = ''] = scene.crowd(1);
  await noteGuilds(store, [guildId]);
  await saveArticle(store, guildId, silent, await scene.post(admin));
  const { said } = await atCommandLine('forget', silent);
  expect(said).toBe(`Server ${guildId}: erased what they saved, muted or reported.\nDone.`);
  expect((await readPersonal(store, guildId, silent)).saved).toEqual([]);
  const again = await atCommandLine('forget', silent);
  expect(again.said).toBe('Nothing is stored about that member.');
});

test('a number that is too short for an id is refused at the command line', async () => {
  for (const [name, ...words] of [
    ['forget', '12345'],
    ['backup', '--guild', '12345'],
  ] as const) {
    const { code, said } = await atCommandLine(name, ...words);
    expect(code).toBe(exitCodes.usage);
    expect(said).toContain('12345 is not an id');
  }
});

test('the host who types something else than a command takes is shown how it goes, and nothing is done', async () => {
  const id = scene.sandbox.admin;
  for (const [name, ...words] of [
    ['forget'],
    ['forget', id, id],
    ['forget', '--opt-in', id],
    ['backup', join(folder, 'a'), 'b'],
    ['restore'],
    ['restore', 'a', 'b'],
  ] as const) {
    const { code, said } = await atCommandLine(name, ...words);
    expect([words, code]).toEqual([words, exitCodes.usage]);
    expect(said).toContain(`Usage: node bin/frontpage.js ${name}`);
  }
  // Who asks how it goes makes no mistake, whatever else stands there.
  for (const help of ['--help', '-h']) {
    const { code, said } = await atCommandLine('backup', join(folder, 'a'), 'b', help);
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^Usage: node bin\/frontpage.js backup/),
    ]);
  }
  expect(readdirSync(folder)).not.toContain('a');
});

test('the host is told what is wrong with the configuration, and what to do when Discord does not answer', async () => {
  const { admin, faults } = scene.sandbox;
  const end = faults.add({ method: 'GET', route: /applications|users/, status: 400 });
  const away = await atCommandLine('forget', admin);
  end();
  expect(away.code).toBe(exitCodes.unavailable);
  expect(away.said).toMatch(
    /discordstatus.*Not all is erased\. Started again, it goes on from there/,
  );
  vi.stubEnv('DISCORD_TOKEN', '');
  const faulty = await atCommandLine('forget', admin);
  expect(faulty.code).toBe(exitCodes.config);
  expect(faulty.said).toMatch(/^Nothing is done:\n- .*DISCORD_TOKEN/);
});

test('a backup without a name lands in DATA_DIR, one for a folder in it, and one of nothing is no file', async () => {
  await noteGuilds(scene.bot.store, [scene.sandbox.guildId]);
  const data = join(folder, 'data');
  const place = mkdtempSync(join(folder, 'place-'));
  for (const [at, ...words] of [[data], [place, place], [place, place, '--guild', pier]] as const) {
    const before = new Set(existsSync(at) ? readdirSync(at) : []);
    await noteGuilds(scene.bot.store, [pier]);
    await writeSetting(scene.bot.store, pier, 'repost-days', 30);
    const { code, said } = await atCommandLine('backup', ...words);
    const [made = '', ...more] = readdirSync(at).filter((name) => !before.has(name));
    expect([code, more]).toEqual([0, []]);
    expect(made).toMatch(words.length > 1 ? `frontpage-${pier}-` : /^frontpage-\d{4}-/);
    expect(said).toContain(`${join(at, made)} was read back without a fault.`);
  }
  const nothing = await atCommandLine('backup', place, '--guild', '123456789012345678');
  expect(nothing.code).toBe(exitCodes.noInput);
  expect(nothing.said).toBe('Nothing is stored about 123456789012345678.');
  expect(readdirSync(place)).toHaveLength(2);
});

/** A line of a file. */
const days = (value: number) => ({ kind: 'setting', name: 'repost-days', value });

/** Writes a file of these parts, and returns its name. */
const file = (name: string, ...parts: string[]) => {
  writeFileSync(join(folder, name), parts.join(''));
  return join(folder, name);
};

test('a restore says of each server why it is left out, and puts back the others', async () => {
  const { guildId: guild, applicationId: application, faults } = scene.sandbox;
  const { store } = scene.bot;
  const partOf = (id: string, line: object = days(12)) =>
    signed([line], { guild: id, application, madeAt: new Date().toISOString() });
  const stored = async (id: string) => (await readSettings(store, id))['repost-days'];
  const stranger = '123456789012345678';
  await writeSetting(store, guild, 'repost-days', 30);
  const stray = partOf(pier).split('\n').slice(1).join('\n');
  const mixed = file('mixed', partOf(stranger), stray, partOf(pier, days(0.5)), partOf(guild));
  const some = await atCommandLine('restore', mixed);
  expect(some.code).toBe(exitCodes.data);
  expect(some.said).toContain(translate('en', 'data.fault.stray'));
  expect(some.said).toContain(`The bot is in no server ${stranger}: invite it there`);
  expect(some.said).toContain(`Server ${pier} is left out.`);
  expect(await stored(guild)).toBe(12);
  // Of one server alone, no other matters.
  expect((await atCommandLine('restore', mixed, '--guild', guild)).code).toBe(0);
  const none = await atCommandLine('restore', file('one', partOf(guild)), '--guild', pier);
  expect([none.code, none.said]).toEqual([
    exitCodes.noInput,
    expect.stringContaining('holds nothing of that server'),
  ]);
  const broken = await atCommandLine('restore', file('broken', partOf(pier, days(0.5))));
  expect([broken.code, broken.said]).toEqual([
    exitCodes.data,
    expect.stringContaining(`Server ${pier}`),
  ]);
  // What Discord fails to answer about one server stops no other.
  await writeSetting(store, guild, 'repost-days', 30);
  const path = new RegExp(`/guilds/${pier}$`);
  const both = file('both', partOf(pier), partOf(guild));
  // A refusal says nothing about whether the bot is in it.
  for (const status of [403, 503]) {
    const end = faults.add({ method: 'GET', path, status });
    const unanswered = await atCommandLine('restore', both);
    end();
    expect(unanswered.code).toBe(exitCodes.unavailable);
    expect(unanswered.said).toContain(`no answer about the server ${pier} (${status})`);
  }
  expect(await stored(guild)).toBe(12);
  // Where Redis cannot take one, that is not said of Discord, and it stops.
  const { settings } = storeKeys(store, pier);
  await store.redis.del(settings);
  await store.redis.set(settings, 'of a wrong type');
  const spoilt = await atCommandLine('restore', both);
  await store.redis.del(settings);
  expect(spoilt.said).toContain('Redis refuses what Frontpage needs');
  expect(spoilt.said).not.toContain('Discord gave no answer');
  expect((await atCommandLine('restore', both)).said).toContain('Pier, as it was on');
  // Nor does another process that restores one.
  const work = { guild: pier, work: 'restore' };
  const held = await withLease(scene.bot, work, async () => {
    const { said, code } = await atCommandLine('restore', both);
    return { status: 'tried' as const, said, code };
  });
  expect(held).toMatchObject({
    code: exitCodes.data,
    said: expect.stringContaining('Pier: another process restores its file.'),
  });
});

test('a backup and a restore of one server leave the others out', async () => {
  const { guildId } = scene.sandbox;
  const { store } = scene.bot;
  const days = async (guild: string) => (await readSettings(store, guild))['repost-days'];
  const setDays = async (value: number) => {
    for (const guild of [guildId, pier]) await writeSetting(store, guild, 'repost-days', value);
  };
  await noteGuilds(store, [guildId, pier]);
  await setDays(30);
  const one = await atCommandLine('backup', join(folder, 'one.ndjson'), '--guild', pier);
  expect(one.said).toContain('Servers: 1,');
  const all = join(folder, 'all.ndjson');
  expect((await atCommandLine('backup', all)).said).toContain('Servers: 2,');
  await setDays(60);
  await forgetGuild(store, pier);
  const { said, code } = await atCommandLine('restore', all, '--guild', pier);
  expect([code, said]).toEqual([0, expect.stringContaining('Pier, as it was on')]);
  expect(await Promise.all([pier, guildId].map(days))).toEqual([30, 60]);
  expect(await readGuilds(store)).toContain(pier);
});

test('a restore at the command line leaves out a closed article whose message was deleted since', async () => {
  const { guildId, admin, channels } = scene.sandbox;
  const { ranking, due, store } = scene.bot;
  await noteGuilds(store, [guildId]);
  const [gone, stands] = [await scene.post(admin), await scene.post(admin)];
  for (const id of [gone, stands]) await closeArticle(ranking, guildId, id);
  await due.look();
  const file = join(folder, 'deleted-since.ndjson');
  await atCommandLine('backup', file, '--guild', guildId);
  for (const id of [gone, stands]) await deleteArticle(ranking, guildId, id);
  scene.secretly(() => scene.sandbox.as(admin).delete(channels.general.id, gone));
  const { code } = await atCommandLine('restore', file);
  expect(code).toBe(0);
  expect(await scene.article(gone)).toBeNull();
  expect(await scene.article(stands)).toMatchObject({ closed: true });
});

test('the file of another bot is restored only where the host says so', async () => {
  const { guildId, world } = scene.sandbox;
  await writeSetting(scene.bot.store, guildId, 'repost-days', 30);
  const own = join(folder, 'own.ndjson');
  await atCommandLine('backup', own, '--guild', guildId);
  const foreign = join(folder, 'foreign.ndjson');
  const text = readFileSync(own, 'utf8');
  expect(text).toContain(world.application.id);
  writeFileSync(foreign, signedAgain(text.replaceAll(world.application.id, '123456789012345678')));
  const refused = await atCommandLine('restore', foreign);
  expect(refused.code).toBe(exitCodes.data);
  expect(refused.said).not.toContain('as it was on');
  const done = await atCommandLine('restore', foreign, '--from-another-application');
  expect([done.code, done.said]).toEqual([0, expect.stringContaining('Harbour, as it was on')]);
  // What was made by a wrong clock is not taken in for that.
  const future = text.replace(/"madeAt":"\d{4}/, '"madeAt":"2199');
  const late = file('future.ndjson', signedAgain(future));
  const odd = await atCommandLine('restore', late, '--from-another-application');
  expect([odd.code, odd.said]).toEqual([
    exitCodes.data,
    expect.stringContaining(translate('en', 'data.mismatch.future')),
  ]);
});

/** A changed file with its right checksum. */
function signedAgain(text: string): string {
  const lines = text.slice(0, text.trimEnd().lastIndexOf('\n') + 1);
  const sha256 = createHash('sha256').update(lines).digest('hex');
  return `${lines}${JSON.stringify({ kind: 'end', sha256 })}\n`;
}

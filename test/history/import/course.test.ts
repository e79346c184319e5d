import { type APIMessage, ChannelType, Routes } from 'discord.js';
import type { Answer } from '../../../discord-box/src/index.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeChannel } from '../../../discord-box/src/world/channels/change-channel.ts';
import type { Change } from '../../../src/history/import/import-needs.ts';
import { openImports } from '../../../src/history/import/imports.ts';
import {
  bestArticles,
  openImportMessage,
  readReport,
} from '../../../src/history/import/import-report.ts';
import { offerLost } from '../../../src/history/import/lost-imports.ts';
import { previewImport } from '../../../src/history/import/preview-import.ts';
import { runImport } from '../../../src/history/import/run-import.ts';
import {
  beginImport,
  CHANNELS_AT_MOST,
  noteLost,
  type Phase,
  PHASES,
  type Plan,
  readImport,
  readLost,
} from '../../../src/history/import/stored-imports.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import { limits } from '../../../src/discord/limits.ts';
import { withLease } from '../../../src/redis/lease.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { setSetting } from '../../fixtures/set-setting.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';

let scene: ImportScene;
let guildId: string;
let general: string;
let channel: string;
let times = 0;

beforeAll(async () => {
  scene = await startImportScene();
  guildId = scene.sandbox.guildId;
  general = scene.sandbox.channels.general.id;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  channel = await newChannel();
});

async function newChannel(): Promise<string> {
  times += 1;
  const { id } = scene.sandbox.operator.createChannel({ guild: guildId, name: `course-${times}` });
  const { client } = scene.bot;
  await scene.eventually(() => client.channels.cache.has(id), Boolean, 'known to the bot');
  return id;
}

const key = () => storeKeys(scene.bot.store, guildId).import;
const guild = () => scene.bot.client.guilds.cache.get(guildId)!;
const planOf = (...channels: string[]): Plan => {
  const untilMs = scene.clock.now();
  return { channels, fromMs: untilMs - 90 * DAY_MS, untilMs };
};
const state = async () => (await readImport(scene.bot.store, guildId))!;

/** An import that stands as begun, and which nobody goes on with. */
async function begun(...channels: string[]): Promise<void> {
  const { store } = scene.bot;
  const by = scene.sandbox.admin;
  const plan = planOf(...channels);
  // An earlier one holds the lease a moment longer than its phase says.
  await free();
  await beginImport(store, guildId, { plan, by, channel: general, now: scene.clock.now() });
}

async function free(): Promise<void> {
  const work = { guild: guildId, work: 'import' };
  await expect.poll(() => withLease(scene.bot, work, async () => 'free')).toBe('free');
}

/** One try of it. `meanwhile`: while it writes its first article. */
async function tryIt(meanwhile: () => Promise<unknown> = async () => {}) {
  const { bot } = scene;
  let first: Promise<unknown> | undefined;
  const listing: typeof bot.listing = {
    ...bot.listing,
    async write(places, write) {
      await (first ??= meanwhile());
      return bot.listing.write(places, write);
    },
  };
  const needs = { ...bot, listing, isComplete: async () => true };
  const work = { guild: guildId, work: 'import' };
  return withLease(needs, work, (held) => runImport(needs, guild(), held));
}

const say = (name: string, daysAgo = 30, where = channel) =>
  scene.say(where, { content: `https://${name}-${times}.example/`, daysAgo });

/** In a thread that was archived so long ago that it is read behind its channel. */
function sayLast(): string {
  const { sandbox, clock } = scene;
  const admin = sandbox.as(sandbox.admin);
  const { id } = admin.startThread(channel, 'Old');
  const link = say('last', 40, id);
  admin.archive(id, true);
  const { thread } = sandbox.world.channels.get(id)!;
  thread!.archiveChangedAtMs = clock.now() - 39 * DAY_MS;
  // Discord's own notice names it.
  for (const one of sandbox.world.channels.get(channel)!.messages.values()) {
    if (one.authorId === sandbox.admin)
      sandbox.world.channels.get(channel)!.messages.delete(one.id);
  }
  return link;
}

describe('an admin', () => {
  test('an admin pauses an import in the middle, which then goes on only when it is resumed', async () => {
    const [first, last] = [say('first'), sayLast()];
    await begun(channel);
    const pressed: string[] = [];
    const press = async (button: 'pause' | 'resume') => {
      pressed.push((await scene.control(button)).message?.content ?? '');
    };
    // It ends behind the page that it reads.
    expect(await tryIt(() => press('pause'))).toEqual({ status: 'ended', phase: 'paused' });
    const told = scene.told();
    expect(told.content).toContain(translate('en', 'import.paused', { messages: 1, articles: 1 }));
    expect(told.buttons).toEqual(['frontpage|import|resume', 'frontpage|import|stop']);
    expect(await scene.article(first)).not.toBeNull();
    expect(await scene.article(last)).toBeNull();
    await scene.bot.due.arrive(guildId);
    expect((await state()).phase).toBe('paused');
    await press('resume');
    await scene.phase('finished');
    expect(await scene.article(last)).not.toBeNull();
    expect(pressed).toEqual(
      (['pause', 'resume'] as const).map((what) => translate('en', `import.done.${what}`)),
    );
    // The report stands in place of the progress.
    const { content } = scene.told();
    expect(content).toContain(translate('en', 'import.finished', { articles: 2, messages: 2 }));
    expect(scene.sandbox.channels.general.messages.has(told.id)).toBe(false);
  });

  test('an admin resumes an import in the moment in which it says that it is paused, and it goes on at once', async () => {
    const { bot, sandbox } = scene;
    const { faults } = sandbox;
    const [first, last] = [say('resumed'), sayLast()];
    const page = faults.hold({ method: 'GET', path: new RegExp(`${channel}/messages$`) });
    const paused = faults.hold({ body: /paused/i });
    await begun(channel);
    await bot.due.plan(guildId, 'import', 0);
    const looked = bot.due.look();
    await expect.poll(() => page.isHeld()).toBe(true);
    await bot.imports.change(guild(), 'pause');
    page.letGo();
    await expect.poll(() => paused.isHeld()).toBe(true);
    await bot.imports.change(guild(), 'resume');
    paused.letGo();
    await looked;
    await scene.phase('finished');
    for (const id of [first, last]) expect(await scene.article(id)).not.toBeNull();
  });

  test('an admin pauses an import in the moment in which it ends, and it has ended', async () => {
    const { bot, sandbox } = scene;
    const link = say('last-moment');
    const report = sandbox.faults.hold({ body: /link imported/ });
    await begun(channel);
    await bot.due.plan(guildId, 'import', 0);
    const looked = bot.due.look();
    await expect.poll(() => report.isHeld()).toBe(true);
    expect((await bot.imports.change(guild(), 'pause')).status).toBe('changed');
    report.letGo();
    await looked;
    expect((await state()).phase).toBe('finished');
    expect(await scene.article(link)).not.toBeNull();
  });

  test('an admin stops an import in the middle, of which the rest stays and can be undone', async () => {
    const [first, last] = [say('first'), sayLast()];
    await begun(channel);
    const stop = async () => {
      const { message } = await scene.control('stop');
      expect(message?.content).toBe(translate('en', 'import.done.stop'));
    };
    expect(await tryIt(stop)).toEqual({ status: 'ended', phase: 'stopped' });
    const { content, buttons } = scene.told();
    expect(content).toContain(translate('en', 'import.stopped', { articles: 1, messages: 1 }));
    expect(buttons).toContain('frontpage|import|undo');
    expect(await scene.article(first)).not.toBeNull();
    expect(await scene.article(last)).toBeNull();
    const { message } = await scene.control('undo');
    expect(message?.content).toBe(translate('en', 'import.done.undo'));
    await scene.phase('undone');
    expect(await scene.article(first)).toBeNull();
    await expect
      .poll(() => scene.told())
      .toMatchObject({
        content: translate('en', 'import.undone'),
        buttons: [],
        list: '',
      });
  });

  test('an admin who stops an import that waits has its report at once, and is told of a press that comes too late', async () => {
    await begun(channel);
    expect((await scene.bot.imports.change(guild(), 'stop')).status).toBe('changed');
    await scene.phase('stopped');
    expect(scene.told().content).toContain('Stopped');
    await free();
    // And who presses too late is told so.
    const { buttons, id } = scene.told();
    expect(buttons).toContain('frontpage|import|undo');
    const press = (what: string) =>
      scene.sandbox.as(scene.sandbox.admin).press(general, id, `frontpage|import|${what}`);
    await scene.redis.redis.hset(key(), 'phase', 'running' satisfies Phase);
    expect((await press('undo')).message?.content).toBe(translate('en', 'import.late'));
    expect((await state()).phase).toBe('running');
    await scene.redis.redis.hset(key(), 'phase', 'finished' satisfies Phase);
  });

  test('an admin who asks for another import while one is under way is sent to its message', async () => {
    await begun(channel);
    const ask = async () => (await scene.ask(channel)).message?.content;
    expect(await ask()).toBe(translate('en', 'import.held', { link: `<#${general}>` }));
    const before = await state();
    const message = openImportMessage(
      { ...scene.bot, isComplete: async () => true },
      guildId,
      before,
      async () => {},
    );
    await message.progress({ articles: 0, pace: null });
    await scene.redis.redis.hset(key(), {
      state: JSON.stringify({ ...before, phase: undefined, cursors: undefined }),
      phase: 'paused' satisfies Phase,
    });
    const link = `https://discord.com/channels/${guildId}/${general}/${before.report.message}`;
    expect(await ask()).toBe(translate('en', 'import.held', { link }));
    await scene.redis.redis.del(key());
  });
});

/** From which phases somebody can do it, and in which phase it is then. */
const CHANGES: Record<Change, { from: readonly Phase[]; to: Phase }> = {
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  stop: { from: ['running', 'paused'], to: 'stopping' },
  undo: { from: ['finished', 'stopped'], to: 'undoing' },
};

test('an import is paused, resumed, stopped and undone in the phases that allow it and no others, and goes on at once', async () => {
  await begun(channel);
  const endedAtMs = scene.clock.now();
  const ended = { ...(await state()), phase: undefined, cursors: undefined, endedAtMs };
  const put = (phase: Phase) =>
    scene.redis.redis.hset(key(), { state: JSON.stringify(ended), phase });
  const planned: string[] = [];
  const plan = async (_: string, row: string) => void planned.push(row);
  // Nobody does what is planned.
  const due = { ...scene.bot.due, handle() {}, plan };
  const imports = openImports({ ...scene.bot, due, isComplete: async () => true });
  for (const change of Object.keys(CHANGES) as Change[]) {
    const { from, to } = CHANGES[change];
    for (const phase of PHASES) {
      await put(phase);
      planned.length = 0;
      const isPossible = from.includes(phase);
      const status = isPossible ? 'changed' : 'stale';
      expect(await imports.change(guild(), change), `${change} ${phase}`).toEqual({ status });
      expect((await state()).phase, `${change} ${phase}`).toBe(isPossible ? to : phase);
      expect(planned).toEqual(isPossible && change !== 'pause' ? ['import'] : []);
    }
  }
  // And none that is not over gives way to another.
  const other = { plan: planOf(await newChannel()), by: scene.sandbox.admin, channel: general };
  for (const phase of ['running', 'paused', 'stopping', 'undoing'] as const) {
    await put(phase);
    expect(await imports.begin(guild(), other)).toEqual({ status: 'held' });
    expect(await state()).toMatchObject({ phase, plan: { channels: [channel] } });
  }
  await scene.redis.redis.del(key());
});

describe('what cannot be read', () => {
  const end: (() => void)[] = [];
  afterEach(() => {
    for (const one of end.splice(0)) one();
  });
  const refuse = (path: string, status: number) => {
    const route = new RegExp(path);
    end.push(scene.sandbox.faults.add({ method: 'GET', path: route, status }));
  };

  test('an import whose channels cannot be read says that it waits, and goes on within a minute when they can', async () => {
    const { operator } = scene.sandbox;
    const id = say('waits');
    const others = await newChannel();
    for (const one of [channel, others]) {
      operator.setPermissions({ channel: one, who: 'bot', deny: ['ReadMessageHistory'] });
    }
    await scene.settled();
    await begun(channel, others);
    await scene.bot.due.plan(guildId, 'import', 0);
    await scene.bot.due.look();
    const channels = `<#${channel}> <#${others}>`;
    expect(scene.told()).toMatchObject({
      content: expect.stringContaining(translate('en', 'import.waits', { channels, articles: 0 })),
      buttons: ['frontpage|import|pause', 'frontpage|import|stop'],
    });
    expect((await state()).phase).toBe('running');
    operator.setPermissions({ channel, who: 'bot' });
    await scene.settled();
    scene.clock.move(MINUTE_MS);
    await scene.bot.due.look();
    await scene.phase('finished');
    expect(await scene.article(id)).not.toBeNull();
    const told = translate('en', 'import.unread', { channels: `<#${others}>` });
    expect(scene.told().content).toContain(told);
  });

  test('what Discord refuses of an import is asked for once, named in its report, and stops nothing', async () => {
    const { sandbox } = scene;
    const { id: thread } = sandbox.as(sandbox.admin).startThread(channel, 'Shut');
    await scene.settled();
    say('thread', 30, thread);
    const id = say('open');
    refuse(`${thread}/messages$|${channel}/threads/archived`, 403);
    sandbox.requests.reset();
    await begun(channel);
    expect(await tryIt()).toEqual({ status: 'ended', phase: 'finished' });
    expect(await scene.article(id)).not.toBeNull();
    const channels = `threads of <#${channel}>, <#${thread}>`;
    expect(scene.told().content).toContain(translate('en', 'import.unread', { channels }));
    const asked = sandbox.requests.recent.filter(
      ({ channelId, route }) => channelId === thread && route.endsWith('messages'),
    );
    expect(asked).toHaveLength(1);
    // It waits where Discord refuses all.
    channel = await newChannel();
    refuse(`${channel}/messages$`, 403);
    await begun(channel);
    expect(await tryIt()).toEqual({ status: 'unreadable' });
  });

  test('an import waits half an hour for a channel that Discord fails to show, and then reports it', async () => {
    const other = await newChannel();
    const id = say('fails', 30, other);
    refuse(`${channel}/messages$`, 500);
    await begun(channel, other);
    const fails = 'Discord fails to show some channels';
    await expect(tryIt()).rejects.toThrow(fails);
    expect(await scene.article(id)).not.toBeNull();
    scene.clock.move(29 * MINUTE_MS);
    await expect(tryIt()).rejects.toThrow(fails);
    expect((await state()).phase).toBe('running');
    scene.clock.move(MINUTE_MS);
    expect(await tryIt()).toEqual({ status: 'ended', phase: 'finished' });
    const channels = `<#${channel}>`;
    expect(scene.told().content).toContain(translate('en', 'import.unread', { channels }));
    expect((await state()).failingSinceMs).toBeNull();
  });

  test('an import of which Discord shows nothing is tried until it shows something', async () => {
    const id = say('nothing');
    refuse(`${channel}/messages$`, 500);
    await begun(channel);
    for (const ms of [0, DAY_MS]) {
      scene.clock.move(ms);
      await expect(tryIt()).rejects.toThrow('Discord fails to show');
    }
    for (const one of end.splice(0)) one();
    expect(await tryIt()).toEqual({ status: 'ended', phase: 'finished' });
    expect(await scene.article(id)).not.toBeNull();
  });

  test('an import that is stored and cannot be read is left alone, and another begins in its place', async () => {
    const { store, imports } = scene.bot;
    await store.redis.hset(key(), { phase: 'running', state: 'damaged' });
    expect(await imports.read(guildId)).toBeNull();
    await free();
    expect(await tryIt()).toEqual({ status: 'waits' });
    const outcome = imports.begin(guild(), {
      plan: planOf(channel),
      by: scene.sandbox.admin,
      channel: general,
    });
    expect(await outcome).toEqual({ status: 'begun' });
    await scene.phase('finished');
  });
});

const admin = () => scene.sandbox.as(scene.sandbox.admin);
type Select = {
  custom_id: string;
  options?: { label: string; value: string; default?: boolean }[];
};
/** What the selects of a question offer, and what they show as chosen. */
const selects = (question: string) => {
  const message = scene.sandbox.channels.general.messages.get(question);
  const rows = (message?.components ?? []) as { components: Select[] }[];
  const all = rows.flatMap(({ components }) => components);
  const of = (what: string) =>
    all.find(({ custom_id: id }) => id === `frontpage|import|${what}`)?.options ?? [];
  const chosenOf = (what: string) =>
    of(what).flatMap((one) => (one.default === true ? [one.value] : []));
  return {
    offered: of('channels').map(({ value }) => value),
    channels: chosenOf('channels'),
    span: chosenOf('span'),
  };
};
const choose = (question: string, what: string, values: string[]) =>
  admin().choose(general, question, `frontpage|import|${what}`, values);
/** What an import was begun with by a press, which then ends. */
const planned = async (answer: Answer) => {
  await scene.press(answer, 'begin');
  const { plan } = await state();
  await scene.phase('finished');
  await free();
  return { ...plan, days: Math.round((plan.untilMs - plan.fromMs) / DAY_MS) };
};

describe('the question before an import', () => {
  test('the question before an import shows what was chosen, and the import begins with that', async () => {
    const other = await newChannel();
    const answer = await admin().command(general, 'frontpage import', { channel });
    const id = answer.message!.id;
    expect(selects(id)).toMatchObject({ channels: [channel], span: ['year'] });
    await choose(id, 'channels', [channel, other]);
    await choose(id, 'span', ['month']);
    const shown = selects(id);
    expect([shown.channels.toSorted(), shown.span]).toEqual([
      [channel, other].toSorted(),
      ['month'],
    ]);
    const { channels, days } = await planned(answer);
    expect([channels.toSorted(), days]).toEqual([[channel, other].toSorted(), 30]);
    const again = await admin().command(general, 'frontpage import', { channel });
    expect((await planned(again)).days).toBe(365);
    const all = await admin().command(general, 'frontpage import', { channel });
    await choose(all.message!.id, 'span', ['all']);
    const { createdTimestamp } = guild();
    expect((await planned(all)).fromMs).toBe(createdTimestamp);
    const values = { channel, before: '20d' };
    const { fromMs, untilMs } = await planned(
      await admin().command(general, 'frontpage import', values),
    );
    expect(fromMs).toBe(Math.floor(createdTimestamp / 1000) * 1000);
    expect((scene.clock.now() - untilMs) / DAY_MS).toBeCloseTo(20, 2);
  });

  test('the question before an import takes no channel that not everyone sees, unless it is chosen', async () => {
    const { moderators } = scene.sandbox.channels;
    const answer = await scene.askAll();
    expect(selects(answer.message!.id).offered).toContain(moderators.id);
    const { channels } = await planned(answer);
    expect(channels).toContain(channel);
    expect(channels).not.toContain(moderators.id);
  });

  test('the question before an import offers a manager no channel that the manager may not view, or not read back', async () => {
    const { operator, members, channels, world } = scene.sandbox;
    const manager = members[3] ?? '';
    // A select has room for twenty-five, and earlier tests left theirs.
    for (const { id, name } of world.channels.values()) {
      if (!name.startsWith('course-') || id === channel) continue;
      operator.setPermissions({ channel: id, who: manager, deny: ['ViewChannel'] });
    }
    operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    scene.sandbox.as(manager).speak('en-US');
    await scene.settled();
    const ask = (values: Record<string, string> = {}) =>
      scene.sandbox.as(manager).command(general, 'frontpage import', values);
    const answer = await scene.eventually(
      ask,
      ({ message }) => message!.components!.length > 0,
      'asked',
    );
    const { offered } = selects(answer.message!.id);
    expect(offered).toContain(channel);
    expect(offered).not.toContain(channels.moderators.id);
    // Nor one whose history they may not read.
    operator.setPermissions({ channel, who: manager, deny: ['ReadMessageHistory'] });
    await scene.settled();
    expect(selects((await ask()).message!.id).offered).not.toContain(channel);
    const { message } = await ask({ channel });
    expect(message?.content).toContain(translate('en', 'permission.ReadMessageHistory'));
    expect(message?.components).toEqual([]);
  });

  test('the question before an import says what is left out, and shows no address that leaves no room for others', async () => {
    const long = `https://long-${times}.example/${'a'.repeat(200)}`;
    scene.say(channel, { content: long });
    const url = `https://again-${times}.example/`;
    for (const daysAgo of [40, 39]) scene.say(channel, { content: url, daysAgo });
    const known = `https://known-${times}.example/`;
    await scene.posted(general, known, 3);
    scene.say(channel, { content: known });
    scene.say(channel, { content: 'http://10.0.0.1/' });
    scene.say(channel, { content: url, by: scene.crowd(1, true)[0]! });
    const [out = ''] = scene.crowd(1);
    await setOptedOut(scene.bot.store, guildId, out, true);
    await scene.bot.rules.refresh(guildId, { member: out });
    scene.say(channel, { content: `${url}out`, by: out });
    const answer = await scene.ask(channel);
    const shown = () => scene.shown(answer).content;
    await expect.poll(shown).toContain('Private threads');
    const content = shown();
    expect(content).toContain(
      translate('en', 'import.preview.whole', { articles: 2, messages: 7 }),
    );
    expect(content).toContain(`- ${translate('en', 'import.again', { count: 1 })}`);
    for (const fate of ['known', 'unwanted', 'bot', 'refused'] as const) {
      expect(content).toContain(`- ${translate('en', `import.fate.${fate}`, { count: 1 })}`);
    }
    expect(content).toContain(`<${url}>`);
    expect(content).not.toContain(long);
    // Of a link that stands in two channels, the first one's votes are shown, as they are taken.
    const later = await newChannel();
    scene.say(later, { content: url, up: scene.crowd(2) });
    const needs = { ...scene.bot, isComplete: async () => true };
    const of = { signal: new AbortController().signal, onStep() {} };
    const { best } = await previewImport(needs, guild(), planOf(channel, later), of);
    expect(best.find((one) => one.link === url)?.up).toBe(1);
  });

  test('the question before an import shows what comes of the last choice, though Discord answers about the one before it later', async () => {
    const { faults, requests } = scene.sandbox;
    await scene.redis.redis.del(key());
    const [old, late] = ['old.example', 'late.example'];
    scene.say(channel, { content: `https://${old}/`, daysAgo: 200 });
    scene.say(channel, { content: `https://${late}/`, daysAgo: 10 });
    const path = new RegExp(`${channel}/messages$`);
    faults.add({ method: 'GET', path, lagMs: 1000, times: 1 });
    const answer = await scene.ask(channel);
    await scene.eventually(
      () => requests.isIdle(),
      (isIdle) => !isIdle,
      'looking',
    );
    await admin().choose(general, answer.message!.id, 'frontpage|import|span', ['month']);
    const shown = () => scene.shown(answer).content;
    await expect.poll(shown).toContain(late);
    // An import, for which nobody asked here, takes longer than what is left of the question.
    await begun(channel);
    await tryIt();
    await scene.eventually(() => requests.isIdle(), Boolean, 'idle');
    expect(shown()).toContain(late);
    expect(shown()).not.toContain(old);
  });

  test('the question before an import begins nothing where none of its channels can be read any more', async () => {
    const { operator } = scene.sandbox;
    await scene.redis.redis.del(key());
    const answer = await scene.ask(channel);
    operator.setPermissions({ channel, who: 'bot', deny: ['ReadMessageHistory'] });
    await scene.settled();
    const { message } = await scene.press(answer, 'begin');
    expect(message?.content).toBe(translate('en', 'import.none'));
    expect(await readImport(scene.bot.store, guildId)).toBeNull();
  });

  test('the question before an import begins nothing where its report may not stand any more', async () => {
    const { operator } = scene.sandbox;
    await scene.redis.redis.del(key());
    const answer = await scene.ask(channel);
    operator.setPermissions({ channel: general, who: 'bot', deny: ['EmbedLinks'] });
    await scene.settled();
    const { message } = await scene.press(answer, 'begin');
    operator.setPermissions({ channel: general, who: 'bot' });
    await scene.settled();
    expect(message?.content).toContain(translate('en', 'permission.EmbedLinks'));
    expect(await readImport(scene.bot.store, guildId)).toBeNull();
  });

  test('the question before an import begins nothing while the articles are being found again', async () => {
    await scene.redis.redis.del(key());
    const answer = await scene.ask(channel);
    const { complete } = storeKeys(scene.bot.store, guildId);
    const before = await scene.redis.redis.getdel(complete);
    const { message } = await scene.press(answer, 'begin');
    await scene.redis.redis.set(complete, before!);
    expect(message?.content).toBe(translate('en', 'import.rebuilding'));
    expect(await readImport(scene.bot.store, guildId)).toBeNull();
  });

  test('the question before an import is not asked about a channel without articles', async () => {
    await setSetting(scene.sandbox, 'no-groups', [channel]);
    const { message } = await scene.ask(channel);
    expect(message?.content).toBe(
      translate('en', 'channel.no-group', { channel: `<#${channel}>` }),
    );
    await setSetting(scene.sandbox, 'no-groups', []);
  });
});

test('an import reads a thread that one message alone names, also after Discord failed to show it to an earlier process', async () => {
  const { sandbox } = scene;
  const admin = sandbox.as(sandbox.admin);
  const { id: thread } = admin.startThread(channel, 'Named once');
  const id = say('named-once', 40, thread);
  admin.archive(thread, true);
  const place = sandbox.world.channels.get(channel)!;
  // Discord lists archived threads of the channel's present type alone.
  changeChannel(sandbox.world, place, { type: ChannelType.GuildAnnouncement });
  await scene.settled();
  scene.clock.move(MINUTE_MS);
  await begun(channel);
  const path = new RegExp(`/channels/${thread}$`);
  const end = sandbox.faults.add({ method: 'GET', path, status: 500 });
  await expect(tryIt()).rejects.toThrow('Discord fails to show some channels');
  // The page with its name is read, and is not read again.
  await expect(tryIt()).rejects.toThrow('Discord fails to show some channels');
  end();
  expect(await tryIt()).toEqual({ status: 'ended', phase: 'finished' });
  expect(await scene.article(id)).toMatchObject({ home: channel, channel: thread });
});

test('an import that is paused between the message that names a thread and that thread reads it when it goes on', async () => {
  const { sandbox, bot } = scene;
  const as = sandbox.as(sandbox.admin);
  const { id: thread } = as.startThread(channel, 'Named, then paused');
  const id = say('named-paused', 40, thread);
  const beside = say('beside-it');
  as.archive(thread, true);
  const place = sandbox.world.channels.get(channel)!;
  changeChannel(sandbox.world, place, { type: ChannelType.GuildAnnouncement });
  await scene.settled();
  scene.clock.move(MINUTE_MS);
  await begun(channel);
  const paused = await tryIt(() => bot.imports.change(guild(), 'pause'));
  expect(paused).toEqual({ status: 'ended', phase: 'paused' });
  expect([await scene.article(id), (await scene.article(beside)) !== null]).toEqual([null, true]);
  await bot.imports.change(guild(), 'resume');
  await scene.phase('finished');
  expect(await scene.article(id)).toMatchObject({ home: channel, channel: thread });
});

test('an import goes on and ends where the bot may write in the channel of its report no more', async () => {
  const { operator } = scene.sandbox;
  const id = say('unreported');
  await begun(channel);
  operator.setPermissions({ channel: general, who: 'bot', deny: ['SendMessages'] });
  await scene.settled();
  // The first try is refused by Discord, and what is known of that refuses the second.
  const tries = [await tryIt(), (await state()).phase];
  operator.setPermissions({ channel: general, who: 'bot' });
  await scene.settled();
  expect(tries).toEqual([{ status: 'ended', phase: 'finished' }, 'finished']);
  expect(await scene.article(id)).not.toBeNull();
});

test('a message whose reactions are cleared between the reading of its page and its turn is no article', async () => {
  const { bot } = scene;
  const [first, second] = [say('in-time', 40), say('cleared', 30)];
  await begun(channel);
  const clear = async () => {
    const of = { guild: guildId, channel, article: second, atMs: bot.clock.now() };
    bot.seen.hear({ kind: 'clear', ...of });
  };
  expect(await tryIt(clear)).toEqual({ status: 'ended', phase: 'finished' });
  expect([(await scene.article(first)) !== null, await scene.article(second)]).toEqual([
    true,
    null,
  ]);
  expect((await state()).counts.unreadable).toBe(1);
});

test('an import begins behind one that is over and still holds its lease for its report', async () => {
  await begun(channel);
  await scene.redis.redis.hset(key(), 'phase', 'finished' satisfies Phase);
  const work = { guild: guildId, work: 'import' };
  const plan = { plan: planOf(channel), by: scene.sandbox.admin, channel: general };
  const begins = await withLease(scene.bot, work, async () => {
    const beginning = scene.bot.imports.begin(guild(), plan);
    const late = new Promise((resolve) => setTimeout(resolve, 50, 'waits'));
    expect(await Promise.race([beginning, late])).toBe('waits');
    return { status: 'done' as const, beginning };
  });
  if (begins.status !== 'done') throw new Error('The lease was not free.');
  expect(await begins.beginning).toEqual({ status: 'begun' });
  await scene.phase('finished');
});

test('the progress of an import says how fast it is and how long it takes while it moves, and offers to pause or to resume', async () => {
  await begun(channel);
  const before = await state();
  const needs = { ...scene.bot, isComplete: async () => true };
  const shown = async (phase: Phase, more: { isWaiting?: boolean; leftMs?: number | null }) => {
    const { isWaiting = false, leftMs = 90_000 } = more;
    const message = openImportMessage(needs, guildId, { ...before, phase }, async () => {});
    await message.progress({ articles: 3, pace: { perSecond: 12.4, leftMs }, isWaiting });
    const { content, buttons } = scene.told();
    return [content.split('\n').slice(2, -1).join(), buttons[0]?.split('|').at(-1)];
  };
  const pace = translate('en', 'import.pace', { rate: 12 });
  const [soon, later] = [1, 2].map((minutes) => translate('en', 'import.left', { minutes }));
  expect(await shown('running', {})).toEqual([`${pace} · ${later}`, 'pause']);
  expect(await shown('running', { leftMs: 10 })).toEqual([`${pace} · ${soon}`, 'pause']);
  expect(await shown('running', { leftMs: null })).toEqual([pace, 'pause']);
  expect(await shown('paused', {})).toEqual(['', 'resume']);
  expect((await shown('running', { isWaiting: true }))[1]).toBe('pause');
  expect(scene.told().content).not.toContain(pace);
  await scene.redis.redis.del(key());
});

test('an import goes on where its message was deleted, and in a new one where Discord lets nobody edit it any more', async () => {
  await begun(channel);
  const before = await state();
  const needs = { ...scene.bot, isComplete: async () => true };
  let noted = 0;
  const message = openImportMessage(needs, guildId, before, async () => void (noted += 1));
  const show = (articles: number) => message.progress({ articles, pace: null }, true);
  await show(1);
  const first = scene.told().id;
  const { messages } = scene.sandbox.channels.general;
  const fault = { method: 'PATCH', route: /messages\/:message$/, status: 400, code: 30046 };
  const end = scene.sandbox.faults.add(fault);
  await show(2);
  end();
  const second = scene.told();
  expect(second.content).toContain(translate('en', 'import.running', { messages: 0, articles: 2 }));
  expect([second.id === first, messages.has(first), noted]).toEqual([false, false, 2]);
  await show(3);
  expect(scene.told()).toMatchObject({
    id: second.id,
    content: expect.stringContaining('3 articles'),
  });
  scene.sandbox.operator.deleteMessages({ channel: general, messages: [second.id] });
  await show(4);
  expect(messages.has(second.id)).toBe(false);
  // Shown at most every ten seconds.
  await message.progress({ articles: 5, pace: null });
  expect(scene.told().content).not.toContain('5 articles');
  await scene.redis.redis.del(key());
});

test('a report lists hidden articles in their own channel alone', async () => {
  const { moderators } = scene.sandbox.channels;
  const [hidden, open] = [say('hidden', 30, moderators.id), say('listed')];
  await begun(moderators.id, channel);
  expect(await tryIt()).toEqual({ status: 'ended', phase: 'finished' });
  const listed = async (shownIn: string) =>
    (await bestArticles(scene.bot, guildId, shownIn)).best.map(({ id }) => id).toSorted();
  expect(await listed(general)).toEqual([open]);
  expect(await listed(moderators.id)).toEqual([hidden, open].toSorted());
  expect(scene.told().list).not.toContain('hidden-');
});

test('the log channel says of an import how it ended, as its report does', async () => {
  const { moderators } = scene.sandbox.channels;
  await setSetting(scene.sandbox, 'log', [moderators.id]);
  say('logged');
  const logged = async (meanwhile?: () => Promise<unknown>) => {
    await begun(channel);
    await tryIt(meanwhile);
    const { content = '' } = [...moderators.messages.values()].at(-1) ?? {};
    return [content.split('\n')[0], scene.told().content.split('\n')[0]];
  };
  const [finished, stopped] = (['import.finished', 'import.stopped'] as const).map(
    (first) => translate('en', first, { articles: 1, messages: 1 }).split('\n')[0],
  );
  expect(await logged()).toEqual([finished, finished]);
  await scene.control('undo');
  await scene.phase('undone');
  const stop = () => scene.bot.imports.change(guild(), 'stop');
  expect(await logged(stop)).toEqual([stopped, stopped]);
  await setSetting(scene.sandbox, 'log', null);
});

test('a report names no channel that was deleted since', async () => {
  const { operator } = scene.sandbox;
  const other = await newChannel();
  say('reported');
  await begun(channel, other);
  expect(await tryIt()).toEqual({ status: 'ended', phase: 'finished' });
  const needs = { ...scene.bot, isComplete: async () => true };
  const shown = async (deleted: string) => {
    operator.deleteChannel({ channel: deleted });
    await scene.eventually(
      () => guild().channels.cache.has(deleted),
      (isThere) => !isThere,
      'gone',
    );
    const ended = { ...(await state()), unread: [other, channel] };
    await openImportMessage(needs, guildId, ended, async () => {}).again();
    return scene.sandbox.channels.general.messages.get(ended.report.message ?? '')?.content;
  };
  const first = await shown(other);
  expect(first).toMatch(new RegExp(`-# <#${channel}> · <t:`));
  expect(first).toContain(translate('en', 'import.unread', { channels: `<#${channel}>` }));
  expect(await shown(channel)).not.toContain('<#');
});

test('lost imports are offered with the newest report first, however long its id is', async () => {
  const { store } = scene.bot;
  const ids = ['99', '100', '101'];
  for (const id of ids) await noteLost(store, guildId, id, { ...planOf(channel), report: id });
  expect((await readLost(store, guildId)).map(({ report }) => report)).toEqual(ids.toReversed());
  await store.redis.del(storeKeys(store, guildId).importLost);
});

test('lost imports are asked for again together: all of their channels, from the first day of any to the last', async () => {
  const { store } = scene.bot;
  const other = await newChannel();
  const { fromMs, untilMs } = planOf(channel);
  const [early, late] = [
    { channels: [channel], fromMs: fromMs - DAY_MS, untilMs: untilMs - DAY_MS },
    { channels: [other], fromMs, untilMs },
  ];
  for (const [id, plan] of [
    ['100', late],
    ['101', early],
  ] as const) {
    await noteLost(store, guildId, id, { ...plan, report: general });
  }
  await offerLost(scene.bot, guildId);
  const answer = await admin().press(general, scene.offer()!.id, 'frontpage|import|start');
  const shown = selects(answer.message!.id);
  expect(shown.channels.toSorted()).toEqual([channel, other].toSorted());
  const [from, until] = [Math.floor(early.fromMs / 1000), Math.ceil(late.untilMs / 1000)];
  expect(shown.span).toEqual([`${from}-${until}`]);
  await store.redis.del(storeKeys(store, guildId).importLost);
});

test('links are counted in the channels that an import may read, and one that Discord fails to count stops no other', async () => {
  const { sandbox, bot } = scene;
  const [shut, excluded] = [await newChannel(), await newChannel()];
  for (const one of [channel, shut, excluded]) say('counted', 30, one);
  for (let n = 0; n < 12; n += 1) {
    scene.say(channel, {
      content: `https://fed.example/${n}`,
      by: sandbox.world.application.botId,
    });
  }
  sandbox.operator.setPermissions({ channel: shut, who: 'bot', deny: ['ReadMessageHistory'] });
  await setSetting(sandbox, 'no-groups', [excluded]);
  await scene.settled();
  // The one with the newest message is asked for first.
  const route = /messages\/search/;
  const end = sandbox.faults.add({ method: 'GET', route, status: 400, times: 1 });
  const { channels, uncounted } = await bot.imports.counts.read(guild());
  end();
  expect(channels.find(({ id }) => id === channel)).toEqual({
    id: channel,
    links: 13,
    ofBots: 12,
    isListed: true,
  });
  expect(uncounted).toHaveLength(1);
  // Who does not wait for the last one has what is counted so far.
  const held = sandbox.faults.hold({ method: 'GET', route });
  const counted = bot.imports.counts.read(guild());
  await expect.poll(() => held.isHeld()).toBe(true);
  const soFar = await bot.imports.counts.soon(guild(), 1);
  expect(soFar?.uncounted).toContain(channel);
  const rest = sandbox.faults.add({ method: 'GET', route, status: 400 });
  held.letGo();
  await counted;
  rest();
  const asked = [...channels.map(({ id }) => id), ...uncounted];
  for (const one of [shut, excluded]) expect(asked).not.toContain(one);
  await setSetting(sandbox, 'no-groups', []);
});

test('an import takes sixty channels at most, and says so before', async () => {
  const { operator } = scene.sandbox;
  const many = Array.from(
    { length: CHANNELS_AT_MOST },
    (_, n) => operator.createChannel({ guild: guildId, name: `many-${n}` }).id,
  );
  await scene.settled();
  const needs = { ...scene.bot, isComplete: async () => true };
  // Before it, not all of them are looked at, nor all messages of one.
  for (let n = 0; n < 301; n += 1) scene.say(channel, { content: 'Hello' });
  const isWhole = async (...channels: string[]) => {
    const of = { signal: new AbortController().signal, onStep() {} };
    return (await previewImport(needs, guild(), planOf(...channels), of)).isWhole;
  };
  expect(await isWhole(...many.slice(0, 30))).toBe(true);
  expect(await isWhole(...many.slice(0, 31))).toBe(false);
  expect(await isWhole(channel)).toBe(false);
  const answer = await scene.askAll();
  const most = translate('en', 'import.most', { count: CHANNELS_AT_MOST });
  expect(scene.shown(answer).content).toContain(most);
  await scene.press(answer, 'begin');
  expect((await state()).plan.channels).toHaveLength(CHANNELS_AT_MOST);
  await scene.bot.imports.change(guild(), 'stop');
  await scene.phase('stopped');
  // Its report names what it could not read as far as there is room, and all that it was asked for.
  const ended = await state();
  const unread = ended.plan.channels.slice(0, 20).map((id) => `${id}/threads`);
  await openImportMessage(needs, guildId, { ...ended, unread }, async () => {}).again();
  const message = ended.report.message ?? '';
  const said = scene.sandbox.channels.general.messages.get(message)!;
  expect(said.content.length).toBeLessThanOrEqual(limits.contentLength);
  const route = Routes.channelMessage(general, message);
  const read = readReport((await scene.bot.client.rest.get(route)) as APIMessage);
  expect(read?.channels).toEqual(ended.plan.channels);
  const threads = { channel: `<#${ended.plan.channels[0]}>` };
  expect(said.content).toContain(translate('en', 'rebuild.unread.threads', threads));
  // A channel that was chosen is among those that can be, however many there are.
  const [newest = ''] = many.slice(-1);
  const one = await scene.ask(newest);
  expect(selects(one.message!.id).channels).toEqual([newest]);
  await admin().choose(general, one.message!.id, 'frontpage|import|span', ['month']);
  expect(selects(one.message!.id)).toMatchObject({ channels: [newest], span: ['month'] });
});

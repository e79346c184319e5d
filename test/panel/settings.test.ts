import { ChannelType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/act/answer.ts';
import {
  readSettings,
  type SettingName,
  settingNames,
  STANDARD,
  writeSetting,
} from '../../src/community/settings.ts';
import { UserError } from '../../src/discord/user-error.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { readChannelScale, setChannelScales } from '../../src/ranking/lists/channel-scales.ts';
import { readMark, readScale } from '../../src/ranking/articles/mark.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { sections } from '../../src/panel/panel.ts';
import { changeSetting } from '../../src/panel/setting-values.ts';
import { type Offer, offerOf, offersOf, SCREENS } from '../../src/panel/settings-screens.ts';
import { translate } from '../../src/text/catalogue.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting, showSetting } from '../fixtures/set-setting.ts';
import { forgeCommand } from '../fixtures/forge-command.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { openPanel } from '../fixtures/open-panel.ts';

let scene: Scene;
let general: string;
let rust: string;
let sourceId: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  sourceId = sandbox.as(sandbox.admin).send(general, 'Hello').id;
});
afterAll(() => scene.stop());

const stored = () => readSettings(scene.bot.store, scene.sandbox.guildId);
const admin = () => scene.sandbox.as(scene.sandbox.admin);
const set = (name: SettingName, value: string | string[] | null) =>
  setSetting(scene.sandbox, name, value);
const shown = (answer: Answer) => answer.message?.embeds[0]?.description ?? '';
const linesOf = (answer: Answer) => shown(answer).split('\n');
const forgePress = (userId: string, customId: string, values?: string[]) =>
  forgeComponent(scene.sandbox, { userId, sourceId }, customId, values);

/** What the choice of the ranking says. */
const ranking = async () => {
  const { message } = await openPanel(admin(), general, 'settings|more');
  const id = message?.id ?? '';
  return shown(await admin().choose(general, id, 'frontpage|settings|pick', ['ranking']));
};

const mark = () => readMark(scene.bot.ranking, scene.sandbox.guildId);
const span = async () => (await readScale(scene.bot.ranking, scene.sandbox.guildId)).spanDays;
const scale = () => readScale(scene.bot.ranking, scene.sandbox.guildId);
const shownIn = ({ message }: Answer) => JSON.stringify([message?.components, message?.embeds]);

/** What stands in the form of a setting before anything is typed. */
const typedIn = async (name: SettingName) => {
  const { message } = await showSetting(scene.sandbox, name);
  const form = `frontpage|settings|form|${name}`;
  const { modal } = await admin().press(general, message?.id ?? '', form);
  return /"value":"([^"]*)"/.exec(JSON.stringify(modal))?.[1] ?? '';
};

describe('the settings of /frontpage panel', () => {
  test('every setting is found behind a door of the panel, by its purpose, with its value and without what it was at first', async () => {
    await set('log', [rust]);
    const found: Offer[] = [];
    const logged: string[] = [];
    for (const screen of SCREENS) {
      const answer = await openPanel(admin(), general, `settings|${screen}`);
      expect(answer.ephemeral).toBe(true);
      const offers = offersOf(screen);
      const lines = linesOf(answer).filter((line) => line.startsWith('**'));
      const names = offers.map((offer) => translate('en', `settings.${offer}`));
      expect(lines.map((line) => /\*\*(.*?)\*\*/.exec(line)?.[1])).toEqual(names);
      expect(shown(answer)).not.toContain('Default:');
      logged.push(...lines.filter((line) => line.startsWith('**Log')));
      for (const offer of offers) {
        const id = answer.message?.id ?? '';
        const picked = await admin().choose(general, id, 'frontpage|settings|pick', [offer]);
        expect([offer, picked.message?.embeds[0]?.title]).toEqual([
          offer,
          names[offers.indexOf(offer)],
        ]);
        found.push(offer);
        await admin().press(general, id, `frontpage|settings|back|${screen}`);
      }
    }
    expect(logged).toEqual([`**Log channel** · <#${rust}>`]);
    expect(new Set(settingNames.map(offerOf))).toEqual(new Set(found));
    await set('log', null);
    expect((await stored()).log).toBeNull();
  });

  test('every part of /frontpage is reached from the panel’s doors, or named there as a command', async () => {
    const panel = await admin().command(general, 'frontpage panel');
    const screens = [shownIn(panel)];
    for (const door of [
      'settings|posts',
      'settings|who',
      'settings|more',
      'web',
      'check-up',
    ] as const) {
      if (door !== 'web') screens.push(shownIn(await openPanel(admin(), general, door)));
    }
    const all = screens.join();
    const ways = Object.entries(sections).map(([name, section]) =>
      section.open ? `frontpage|${name}|open` : `/frontpage ${name}`,
    );
    expect(ways.filter((way) => way !== '/frontpage panel' && !all.includes(way))).toEqual([]);
  });

  test.each<[SettingName, string, unknown, string]>([
    ['mark', '12', 12, 'Now: 12'],
    ['mark', '', null, 'adapts to this server'],
    ['account-days', '3', 3, 'Now: 3'],
    ['repost-days', ' 365 ', 365, 'Now: 365'],
    ['repost-days', '', 0, 'Now: never'],
    ['posts-per-hour', '', 0, 'Now: no limit'],
    ['up-emoji', '🔥', '🔥', 'Now: 🔥'],
    ['up-emoji', '', null, 'Now: 👍'],
  ])(
    'the settings section of /frontpage panel takes %s = "%s" in a form, and its default back',
    async (name, typed, value, text) => {
      const answer = await set(name, typed);
      expect(shown(answer)).toContain(text);
      expect((await stored())[name]).toEqual(value);
      // At once, and not when what is kept of it is a minute old.
      const { settings } = await scene.bot.rules.read(scene.sandbox.guildId);
      expect(settings[name]).toEqual(value);
      await set(name, null);
      expect((await stored())[name]).toEqual(STANDARD[name]);
    },
  );

  test('the settings section of /frontpage panel chooses a language, a switch, channels and roles with selects', async () => {
    const { guild } = scene.sandbox;
    const role = [...guild.roles.values()].find(({ name }) => name === 'Moderators')?.id ?? '';
    const language = await set('language', ['zh-CN']);
    expect(language.kind).toBe('update');
    await set('discussion', ['true']);
    await set('log', [rust]);
    await set('no-groups', [rust, general]);
    await set('vote-roles', [role]);
    expect(await stored()).toEqual({
      ...STANDARD,
      language: 'zh-CN',
      discussion: true,
      log: rust,
      'no-groups': [rust, general],
      'vote-roles': [role],
    });
    await set('language', ['null']);
    await set('discussion', ['reply']);
    await set('log', []);
    expect(shown(await set('no-groups', []))).toContain('Now: all channels');
    expect(shown(await set('vote-roles', []))).toContain('Now: everyone');
    expect(await stored()).toEqual(STANDARD);
  });

  test('the settings section of /frontpage panel takes no channel that is of no use for a setting', async () => {
    const { channels } = scene.sandbox;
    const category = channels.general.parentId ?? '';
    const { id: thread } = admin().startThread(rust, 'Talk');
    const { cache } = scene.bot.client.channels;
    await expect.poll(() => cache.has(thread)).toBe(true);
    const before = await stored();
    for (const [name, id] of [
      ['log', category],
      ['announcements', category],
      ['groups', category],
      ['no-groups', category],
      ['groups', thread],
      ['no-groups', thread],
      ['link-channels', thread],
    ] as const) {
      const forged = await forgePress(scene.sandbox.admin, `frontpage|settings|value|${name}`, [
        id,
      ]);
      expect([name, forged.message?.content]).toEqual([
        name,
        expect.stringContaining('out of date'),
      ]);
    }
    expect(await stored()).toEqual(before);
    await forgePress(scene.sandbox.admin, 'frontpage|settings|value|log', [channels.rust.id]);
    expect(await stored()).toMatchObject({ log: channels.rust.id });
    await set('log', []);
  });

  test('the settings section of /frontpage panel takes @everyone among the roles for all members', async () => {
    expect(shown(await set('post-roles', [scene.sandbox.guildId]))).toContain('Now: everyone');
    await set('everybody', [scene.sandbox.guildId]);
    expect(await stored()).toEqual(STANDARD);
    // As no role does.
    const [role = ''] = [...scene.sandbox.guild.roles.keys()].slice(1);
    await set('everybody', [role]);
    expect(await stored()).toMatchObject({ everybody: role });
    await set('everybody', []);
    expect(await stored()).toEqual(STANDARD);
  });

  test('the settings section of /frontpage panel shows the mark as it is now, and offers the default only in place of another value', async () => {
    const reset = 'frontpage|settings|reset|mark';
    expect(JSON.stringify((await set('mark', '7')).message?.components)).toContain(reset);
    const fitted = await set('mark', '');
    expect(shown(fitted)).toContain('Now: 7, adapts to this server');
    expect(JSON.stringify(fitted.message?.components)).not.toContain(reset);
    const all = await openPanel(admin(), general, 'settings|more');
    expect(shown(all)).toContain('**Ranking** · adapts to this server · 7 👍');
  });

  test('the form of a setting holds its value, and nothing where it is the server’s own to find', async () => {
    for (const [name, value] of [
      ['mark', '7'],
      ['account-days', '3'],
      ['down-emoji', '💤'],
    ] as const) {
      expect(await typedIn(name)).toBe('');
      await set(name, value);
      expect(await typedIn(name)).toBe(value);
      await set(name, null);
    }
  });

  test('channels with and without articles are one choice, which keeps no half of another', async () => {
    expect(shown(await set('groups', [rust]))).toContain(`Now: <#${rust}>`);
    expect(shown(await set('no-groups', [general]))).toContain(`Now: all but <#${general}>`);
    expect(await stored()).toMatchObject({ groups: [], 'no-groups': [general] });
    // A channel that is refused changes nothing.
    const only = 'frontpage|settings|channels|only';
    const refused = await forgePress(scene.sandbox.admin, only, ['1234567890123456']);
    expect(refused.message?.content).toContain('out of date');
    expect(await stored()).toMatchObject({ groups: [], 'no-groups': [general] });
    expect(shown(await set('groups', null))).toContain('Now: all channels');
    expect(await stored()).toEqual(STANDARD);
    // An earlier version kept both.
    const { store, rules } = scene.bot;
    const { guildId } = scene.sandbox;
    await writeSetting(store, guildId, 'groups', [rust, general]);
    await writeSetting(store, guildId, 'no-groups', [rust]);
    await rules.refresh(guildId);
    const lines = linesOf(await openPanel(admin(), general, 'settings|more'));
    expect(lines).toContain(`**${translate('en', 'settings.channels')}** · <#${general}>`);
    await set('groups', null);
  });

  test('a manager changes a list that names a channel which they may not view, and adds none to it', async () => {
    const { bot, sandbox } = scene;
    const { operator, guildId, channels } = sandbox;
    const [manager = ''] = scene.crowd(1);
    const [ai, gameDev] = [channels.ai.id, channels.gameDev.id];
    operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    for (const channel of [ai, gameDev])
      operator.setPermissions({ channel, who: manager, deny: ['ViewChannel'] });
    const { cache } = bot.client.channels;
    await expect.poll(() => JSON.stringify(cache.get(gameDev))).toContain(manager);
    const by = await bot.client.guilds.cache.get(guildId)!.members.fetch(manager);
    await set('link-channels', [general, ai]);
    const choose = (...chosen: string[]) => changeSetting(bot, by, 'link-channels', chosen);
    await choose(general, ai, rust);
    await expect(choose(general, ai, gameDev)).rejects.toThrow(UserError);
    expect((await stored())['link-channels']).toEqual([general, ai, rust]);
    for (const channel of [ai, gameDev]) operator.setPermissions({ channel, who: manager });
    await set('link-channels', null);
  });

  test('changed settings are told with the old and the new value, cut to what fits', async () => {
    const logged = () => admin().messages(rust).at(-1)?.embeds[0]?.description ?? '';
    await set('log', [rust]);
    await set('repost-days', '30');
    expect(logged()).toContain(': never → 30');
    const told = admin().messages(rust).length;
    await set('repost-days', '30');
    expect(admin().messages(rust)).toHaveLength(told);

    const channels = Object.values(scene.sandbox.channels).filter(
      ({ type }) => type === ChannelType.GuildText,
    );
    await set(
      'no-groups',
      channels.map(({ id }) => id),
    );
    expect(admin().messages(rust).at(-1)?.embeds[0]?.description).toMatch(/: none → <#\d+>, /);
    for (const name of ['no-groups', 'repost-days', 'log'] as const) await set(name, null);
    expect(await stored()).toEqual(STANDARD);
  });

  test('a fixed mark weighs the votes anew, and a fitted one goes on from there', async () => {
    expect(shown(await set('mark', '2'))).toContain('Now: 2');
    expect(await mark()).toBe(2);
    expect(await ranking()).toContain(
      'An article with 2 👍 is interesting (★). That number is fixed.',
    );
    await set('mark', '');
    expect(await mark()).toBe(2);
    expect(await ranking()).toContain('That number adapts');
  });

  test('the ranking says how many articles got ★ here, once there are some', async () => {
    const { guildId: guild } = scene.sandbox;
    expect(await ranking()).not.toContain('got there');
    await set('mark', '3');
    const [first = ''] = await scene.plant(general, 3);
    for (const member of ['11', '12']) {
      await setVote(
        scene.bot.ranking,
        { guild, article: first, member, vote: 'up' },
        scene.clock.now(),
      );
    }
    const figures = 'Of the 3 articles of the last 30 days, one got there.';
    await set('mark', '3');
    expect(await ranking()).toContain(figures);
    await set('mark', '4');
    expect(await ranking()).toContain('30 days, none got there.');
    await set('mark', null);
  });

  test('a fixed span weighs the votes anew, also in a channel that had its own, and is one of a few', async () => {
    const { guildId: guild } = scene.sandbox;
    const { ranking: store } = scene.bot;
    const own = { mark: 5, spanDays: 7, isLimited: true } as const;
    await setChannelScales(store, guild, new Map([[rust, own]]));
    const ofRust = () => readChannelScale(store, { guild, group: rust });
    await set('mark', '200');
    await set('mark', null);
    expect(await ofRust()).toEqual(own);
    expect(shown(await set('span', ['3']))).toContain('Now: 3 days');
    expect(await span()).toBe(3);
    expect(await ofRust()).toBeNull();
    expect(await ranking()).toContain('as high as one that is 3 days newer. This is fixed.');
    expect(shown(await set('span', ['null']))).toContain('Now: 3 days, adapts to this server');
    expect(await span()).toBe(3);
    expect(await ranking()).toContain('This adapts to how much is posted here.');
  });

  test('the ranking is one choice: it fits itself, is the textbook’s, or has numbers of one’s own', async () => {
    const { message } = await openPanel(admin(), general, 'settings|more');
    const id = message?.id ?? '';
    await admin().choose(general, id, 'frontpage|settings|pick', ['ranking']);
    const choose = (value: string) =>
      admin().choose(general, id, 'frontpage|settings|ranking', [value]);
    const fixed = await choose('textbook');
    expect(shown(fixed)).toContain('with 200 👍');
    expect(JSON.stringify(fixed.message?.components)).not.toContain('number|mark');
    expect(await scale()).toEqual({ mark: 200, spanDays: 1, isLimited: false });
    expect(await stored()).toMatchObject({ mark: 200, span: 1 });
    // The textbook's numbers are in its name.
    const screen = shown(await openPanel(admin(), general, 'settings|more'));
    expect(/\*\*Ranking\*\* · (.*)/.exec(screen)?.[1]).not.toContain(' · ');
    // Numbers of one's own begin where it is, and change nothing by themselves.
    const own = await choose('own');
    expect(JSON.stringify(own.message?.components)).toContain('number|mark');
    expect(await stored()).toMatchObject({ mark: 200, span: 1 });
    await choose('fits');
    expect(await scale()).toEqual({ mark: 200, spanDays: 1, isLimited: true });
    expect(await stored()).toEqual(STANDARD);
  });

  test.each<[SettingName, string]>([
    ['mark', '0'],
    ['mark', 'many'],
    ['mark', '99999999999'],
    ['repost-days', '-1'],
    ['account-days', '366'],
  ])('/frontpage panel refuses %s = %s and says what fits', async (name, value) => {
    const before = await stored();
    const answer = await set(name, value);
    expect(answer.ephemeral).toBe(true);
    expect(answer.message?.content).toMatch(
      /^`.*` doesn’t work for .*\. A number up to [\d,]+; empty: /,
    );
    expect(await stored()).toEqual(before);
  });

  test.each(['no such part|open', 'recount|no such action', 'check-up|no such action'])(
    'a forged button of the panel, %s, is out of date',
    async (of) => {
      const forged = await forgePress(scene.sandbox.admin, `frontpage|${of}`);
      expect(forged.message?.content).toContain('out of date');
    },
  );

  test('a forged command of the panel is out of date', async () => {
    const forged = await forgeCommand(scene.sandbox, scene.sandbox.admin, 'frontpage recount', {});
    expect(forged.message?.content).toContain('out of date');
  });

  test.each([
    ['value|log', '1234567890123456'],
    ['value|groups', '1234567890123456'],
    ['value|post-roles', '1234567890123456'],
    ['value|language', 'tlh'],
    ['value|mark', '7'],
    ['value|span', '4'],
    ['form|log', 'x'],
    ['pick', 'no such setting'],
    ['ranking', 'no such choice'],
    ['channels', 'no such choice'],
    ['channels|only', '1234567890123456'],
    ['back|no such screen', 'x'],
    ['value|__proto__', 'x'],
    ['reset|constructor', 'x'],
    ['reset|', 'x'],
  ])('a forged %s = %s changes nothing', async (what, value) => {
    const forged = await forgePress(scene.sandbox.admin, `frontpage|settings|${what}`, [value]);
    expect(forged.message?.content).toContain('out of date');
    expect(await stored()).toEqual(STANDARD);
  });
});

test('a changed setting holds at once, before the panel shows it', async () => {
  const { bot, sandbox } = scene;
  const { guildId: guild } = sandbox;
  await bot.rules.reload(guild);
  const by = await bot.client.guilds.cache.get(guild)!.members.fetch(sandbox.admin);
  await changeSetting(bot, by, 'repost-days', 30);
  expect(bot.rules.known(guild)?.settings['repost-days']).toBe(30);
  await changeSetting(bot, by, 'repost-days', STANDARD['repost-days']);
});

test('what is stored and cannot be read falls back, and nothing crashes', async () => {
  const { store } = scene.bot;
  const { guildId } = scene.sandbox;
  const { settings, blocks } = storeKeys(store, guildId);
  await store.redis.hset(settings, {
    language: '"☃"',
    'post-roles': '"everyone"',
    'account-days': '-5',
    'no-such': '1',
    'repost-days': '30',
  });
  await store.redis.hset(blocks, { 'member:x': '{}', 'origin:a.example': 'null' });
  expect(await stored()).toEqual({ ...STANDARD, 'repost-days': 30 });
  for (const screen of SCREENS) {
    const answer = await openPanel(admin(), general, `settings|${screen}`);
    expect(linesOf(answer).length).toBeGreaterThanOrEqual(offersOf(screen).length);
  }
  expect((await openPanel(admin(), general, 'setup')).message?.embeds[0]?.title).toBeTruthy();
  const digest = { time: '09:00', timezone: 'UTC' };
  await admin().command(general, 'digest set', digest);
  await store.redis.hset(settings, 'language', '"\\u0000"');
  await scene.bot.rules.refresh(guildId);
  const shown = await admin().command(general, 'digest preview');
  expect(shown.message?.content).toMatch(/digest|new article/);
  await admin().command(general, 'digest delete');
  await store.redis.del(settings, blocks);
  await scene.bot.rules.refresh(guildId);
});

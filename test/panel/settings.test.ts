import { ChannelType, InteractionType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerTo } from '../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import type { Answer } from '../../discord-box/src/act/answer.ts';
import {
  readSettings,
  type SettingName,
  settingNames,
  STANDARD,
} from '../../src/community/settings.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { readMark, readScale } from '../../src/ranking/articles/mark.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';
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
/** What Discord's client would not send. */
function forgePress(who: string, customId: string, values?: string[]) {
  const { world, channels } = scene.sandbox;
  const forged = openInteraction(world, {
    type: InteractionType.MessageComponent,
    userId: who,
    channel: channels.general,
    sourceId,
    data: { custom_id: customId, component_type: values ? 3 : 2, ...(values ? { values } : {}) },
  });
  return answerTo(world, forged);
}

describe('the settings of /frontpage panel', () => {
  test('the settings section of /frontpage panel shows every setting to the asker alone, with what it was at first', async () => {
    await set('log', [rust]);
    const answer = await openPanel(admin(), general, 'settings');
    expect(answer.ephemeral).toBe(true);
    const lines = linesOf(answer);
    expect(lines).toHaveLength(settingNames.length);
    expect(lines).toContain(`**Log channel** · <#${rust}> · Default: none`);
    expect(lines).toContain('**Discussion** · off');
    await set('log', null);
    expect((await stored()).log).toBeNull();
  });

  test.each<[SettingName, string, unknown, string]>([
    ['mark', '12', 12, 'Now: 12'],
    ['mark', '', null, 'adapts to this server'],
    ['account-days', '3', 3, 'Now: 3'],
    ['repost-days', ' 365 ', 365, 'Now: 365'],
    ['repost-days', '', 0, 'Now: never'],
    ['posts-per-hour', '', 0, 'Now: no limit'],
  ])(
    'the settings section of /frontpage panel takes %s = "%s" in a form, and its default back',
    async (name, typed, value, text) => {
      const answer = await set(name, typed);
      expect(shown(answer)).toContain(text);
      expect((await stored())[name]).toEqual(value);
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
    await set('discussion', ['false']);
    await set('log', []);
    expect(shown(await set('no-groups', []))).toContain('Now: none');
    expect(shown(await set('vote-roles', []))).toContain('Now: everyone');
    expect(await stored()).toEqual(STANDARD);
  });

  test('the settings section of /frontpage panel takes @everyone among the roles for all members', async () => {
    expect(shown(await set('post-roles', [scene.sandbox.guildId]))).toContain('Now: everyone');
    expect(await stored()).toEqual(STANDARD);
  });

  test('the settings section of /frontpage panel shows the mark as it is now, and offers the default only in place of another value', async () => {
    const reset = 'frontpage|settings|reset|mark';
    expect(JSON.stringify((await set('mark', '7')).message?.components)).toContain(reset);
    const fitted = await set('mark', '');
    expect(shown(fitted)).toContain('Now: 7, adapts to this server');
    expect(shown(fitted)).not.toContain('Default:');
    expect(JSON.stringify(fitted.message?.components)).not.toContain(reset);
    const all = await admin().press(general, fitted.message?.id ?? '', 'frontpage|settings|back');
    expect(JSON.stringify(all.message?.embeds)).toContain('7, adapts to this server');
  });

  test('the settings section of /frontpage panel goes back from one setting to all of them', async () => {
    const { message } = await set('log', []);
    const all = await admin().press(general, message?.id ?? '', 'frontpage|settings|back');
    expect(linesOf(all)).toHaveLength(settingNames.length);
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
    const { ranking } = scene.bot;
    const mark = () => readMark(ranking, scene.sandbox.guildId);
    expect(shown(await set('mark', '2'))).toContain('Now: 2');
    expect(await mark()).toBe(2);
    const panel = await admin().command(general, 'frontpage panel');
    expect(shown(panel)).toContain(
      'An article with 2 👍 is interesting (★). That number is fixed;',
    );
    await set('mark', '');
    expect(await mark()).toBe(2);
    expect(shown(await admin().command(general, 'frontpage panel'))).toContain(
      'That number adapts',
    );
    expect(shown(panel)).toMatch(/<\/frontpage import:\d+>/);
  });

  test('a fixed span weighs the votes anew, and is one of a few', async () => {
    const { ranking } = scene.bot;
    const span = async () => (await readScale(ranking, scene.sandbox.guildId)).spanDays;
    expect(shown(await set('span', ['3']))).toContain('Now: 3 days');
    expect(await span()).toBe(3);
    const panel = () => admin().command(general, 'frontpage panel').then(shown);
    expect(await panel()).toContain('make up for 3 days of age. That is fixed in Settings.');
    expect(shown(await set('span', ['0.0625']))).toContain('Now: 90 minutes');
    expect(await span()).toBe(0.0625);
    expect(shown(await set('span', ['3']))).toContain('Now: 3 days');
    expect(shown(await set('span', ['null']))).toContain('Now: 3 days, adapts to this server');
    expect(await span()).toBe(3);
    expect(await panel()).toContain('That adapts to what is posted and voted here.');
  });

  test('one button fixes the mark and the span of the textbook, and goes away then', async () => {
    const { ranking } = scene.bot;
    const scale = () => readScale(ranking, scene.sandbox.guildId);
    const { message } = await set('span', ['null']);
    const id = 'frontpage|settings|textbook|span';
    expect(JSON.stringify(message?.components)).toContain('By the textbook: 200 👍, 1 day');
    const fixed = await admin().press(general, message?.id ?? '', id);
    expect(shown(fixed)).toContain('Now: 1 day');
    expect(JSON.stringify(fixed.message?.components)).not.toContain('textbook');
    expect(await scale()).toEqual({ mark: 200, spanDays: 1 });
    expect(await stored()).toMatchObject({ mark: 200, span: 1 });
    await set('mark', null);
    expect(JSON.stringify((await set('span', null)).message?.components)).toContain('textbook');
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

  test.each([
    ['value|log', '1234567890123456'],
    ['value|groups', '1234567890123456'],
    ['value|post-roles', '1234567890123456'],
    ['value|language', 'tlh'],
    ['value|mark', '7'],
    ['value|span', '4'],
    ['form|log', 'x'],
    ['pick', 'no such setting'],
    ['value|__proto__', 'x'],
    ['reset|constructor', 'x'],
    ['reset|', 'x'],
  ])('a forged %s = %s changes nothing', async (what, value) => {
    const forged = await forgePress(scene.sandbox.admin, `frontpage|settings|${what}`, [value]);
    expect(forged.message?.content).toContain('out of date');
    expect(await stored()).toEqual(STANDARD);
  });
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
  const answer = await openPanel(admin(), general, 'settings');
  expect(linesOf(answer)).toHaveLength(settingNames.length);
  expect((await openPanel(admin(), general, 'setup')).message?.embeds[0]?.title).toBeTruthy();
  const digest = { time: '09:00', timezone: 'UTC' };
  await admin().command(general, 'digest set', digest);
  await store.redis.hset(settings, 'language', '"\\u0000"');
  await scene.bot.rules.refresh(guildId);
  const shown = await admin().command(general, 'digest preview');
  expect(shown.message?.content).toMatch(/digest|new article/);
  await admin().command(general, 'digest off');
  await store.redis.del(settings, blocks);
  await scene.bot.rules.refresh(guildId);
});

import { ChannelType, InteractionType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerTo, openInteraction } from '../../sandbox/discord/index.ts';
import { settingsTable } from '../../src/admin/settings/values.ts';
import {
  readSettings,
  type SettingName,
  settingNames,
  STANDARD,
} from '../../src/records/settings.ts';
import { storeKeys } from '../../src/redis/keys.ts';
import { readMark } from '../../src/ranking/articles/mark.ts';
import { languages, translate } from '../../src/text/catalogue.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let rust: string;
let member: string;
let sourceId: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  [member = ''] = sandbox.members;
  sourceId = sandbox.as(sandbox.admin).send(general, 'Hello').id;
});
afterAll(() => scene.stop());

const stored = () => readSettings(scene.bot.app.store, scene.sandbox.guildId);
const admin = () => scene.sandbox.as(scene.sandbox.admin);
function set(setting: string, value: string) {
  return admin().command(general, 'frontpage settings', { setting, value });
}
const complete = (setting: string, value: string) =>
  admin().complete(general, 'frontpage settings', 'value', { setting, value });
/** What Discord's client would not send. */
function forge(who: string, subcommand: string, values: Record<string, unknown>) {
  const { world, channels } = scene.sandbox;
  const options = Object.entries(values).map(([name, value]) => ({ name, type: 3, value }));
  const forged = openInteraction(world, {
    type: InteractionType.ApplicationCommand,
    userId: who,
    channel: channels.general,
    name: `frontpage ${subcommand}`,
    data: {
      id: '1',
      name: 'frontpage',
      type: 1,
      options: [{ name: subcommand, type: 1, options }],
    },
  });
  return answerTo(world, forged);
}
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

describe('/frontpage settings', () => {
  test('the documents’ table is what the schema says', async () => {
    const document = [
      '# Settings',
      '',
      'Those who may manage the server change them with `/frontpage settings`.',
      'This table is written by `npx vitest run test/commands/settings.test.ts -u`.',
      '',
      settingsTable('en'),
      '',
    ].join('\n');
    await expect(document).toMatchFileSnapshot('../../docs/settings.md');
  });

  test('shows every setting to the asker alone, with what it was at first', async () => {
    await set('log', `<#${rust}>`);
    const answer = await admin().command(general, 'frontpage settings');
    expect(answer.ephemeral).toBe(true);
    const fields = answer.message?.embeds[0]?.fields ?? [];
    expect(fields).toHaveLength(settingNames.length);
    expect(JSON.stringify(fields)).toContain(`<#${rust}>`);
    expect(JSON.stringify(fields)).toContain('Default: none');
    await admin().command(general, 'frontpage settings', { setting: 'log', value: 'default' });
    expect((await stored()).log).toBeNull();
  });

  test.each<[SettingName, string, unknown]>([
    ['mark', '12', 12],
    ['mark', 'fitted', null],
    ['mark', '自动', null],
    ['posts-per-hour', 'no limit', 0],
    ['repost-days', '从不', 0],
    ['language', 'zh-CN', 'zh-CN'],
    ['account-days', '3', 3],
    ['repost-days', '365', 365],
    ['posts-per-hour', '5', 5],
  ])('sets %s to %s, and back', async (setting, typed, value) => {
    const answer = await set(setting, typed);
    expect(answer.ephemeral).toBe(true);
    expect((await stored())[setting]).toEqual(value);
    await admin().command(general, 'frontpage settings', { setting, value: 'default' });
    expect((await stored())[setting]).toEqual(STANDARD[setting]);
  });

  test('takes channels, roles and names as mentions, and none for nothing', async () => {
    const { guild } = scene.sandbox;
    const role = [...guild.roles.keys()].find((id) => id !== guild.id) ?? '';
    await set('no-groups', `<#${rust}>, <#${general}>`);
    await set('vote-roles', `<@&${role}>`);
    await set('group-names', `<#${rust}> Rost & Stahl`);
    expect(await stored()).toMatchObject({
      'no-groups': [rust, general],
      'vote-roles': [role],
      'group-names': { [rust]: 'Rost & Stahl' },
    });
    await set('no-groups', 'none');
    await set('vote-roles', 'none');
    await set('group-names', `<#${rust}>`);
    expect(await stored()).toEqual(STANDARD);
  });

  test('are told with the old and the new value, cut to what fits', async () => {
    const logged = () => admin().messages(rust).at(-1)?.embeds[0]?.description ?? '';
    await set('log', `<#${rust}>`);
    await set('repost-days', '30');
    expect(logged()).toContain(': never → 30');
    await set('group-names', `<#${general}> Plaza`);
    await set('group-names', `<#${rust}> Rost [x](https://evil.example)`);
    expect(logged()).toContain(`: none → <#${rust}> \`Rost [x](https://evil.example)\``);
    const told = admin().messages(rust).length;
    await set('repost-days', '30');
    expect(admin().messages(rust)).toHaveLength(told);

    const channels = Object.values(scene.sandbox.channels).filter(
      ({ type }) => type === ChannelType.GuildText,
    );
    await set('no-groups', channels.map(({ id }) => `<#${id}>`).join(' '));
    const log = await admin().command(general, 'mod log');
    expect(log.message?.embeds[0]?.description).toMatch(/: none → <#\d+>, .*… and \d+ more/);
    const { moderators } = scene.sandbox.channels;
    await set('group-names', `<#${moderators.id}> Secret plan`);
    expect(logged()).not.toContain('Secret plan');
    for (const name of ['no-groups', 'group-names', 'repost-days', 'log']) {
      await admin().command(general, 'frontpage settings', { setting: name, value: 'default' });
    }
    expect(await stored()).toEqual(STANDARD);
  });

  test('takes names of channels, roles and languages as somebody types them', async () => {
    const { guild } = scene.sandbox;
    const role = [...guild.roles.values()].find(({ name }) => name === 'Moderators')?.id;
    await set('log', '#rust');
    await set('groups', '#rust, #general');
    await set('vote-roles', '@Moderators');
    await set('language', '中文');
    expect(await stored()).toMatchObject({
      log: rust,
      groups: [rust, general],
      'vote-roles': [role],
      language: 'zh-CN',
    });
    await set('language', 'english');
    expect((await stored()).language).toBe('en');
    expect((await set('log', '#no-such')).message?.content).toContain('doesn’t work for');
    for (const name of ['log', 'groups', 'vote-roles', 'language']) {
      await admin().command(general, 'frontpage settings', { setting: name, value: 'default' });
    }
  });

  test('says what an empty list means', async () => {
    const answer = await set('vote-roles', 'none');
    expect(answer.message?.content).toBe('Roles that may vote is now everyone.');
    expect((await set('groups', 'none')).message?.content).toBe('Groups is now all channels.');
  });

  test('an empty list can be typed as it is shown, in every language, and is offered so', async () => {
    const { roles } = scene.sandbox.world.guilds.get(scene.sandbox.guildId)!;
    const role = [...roles.values()].find(({ name }) => name === 'Moderators')!;
    for (const typed of ['everyone', 'Everyone', '所有人']) {
      await set('post-roles', role.id);
      await set('post-roles', typed);
      expect(await stored()).toEqual(STANDARD);
    }
    await set('groups', `<#${rust}>`);
    await set('groups', 'all channels');
    expect(await stored()).toEqual(STANDARD);
    expect((await set('no-groups', 'all channels')).message?.content).toContain('doesn’t work for');
    expect((await complete('post-roles', ''))[0]).toEqual({ name: 'everyone', value: 'none' });
    expect((await complete('groups', ''))[0]).toEqual({ name: 'all channels', value: 'none' });
    await set('language', '简体中文');
    expect((await stored()).language).toBe('zh-CN');
    await set('language', 'server');
    for (const locale of languages.keys()) {
      await set('posts-per-hour', translate(locale, 'settings.unlimited'));
      await set('discussion', translate(locale, 'settings.on'));
      expect(await stored()).toMatchObject({ 'posts-per-hour': 0, discussion: true });
      await set('posts-per-hour', 'default');
      await set('discussion', translate(locale, 'settings.off'));
      await set('mark', translate(locale, 'settings.fitted'));
      await set('log', translate(locale, 'settings.none'));
      expect(await stored()).toEqual(STANDARD);
    }
  });

  test('completes names of groups with what is typed, and takes them back', async () => {
    const offered = await complete('group-names', 'Rost & Stahl');
    const chosen = offered.find(({ name }) => name === '#rust: Rost & Stahl');
    await set('group-names', String(chosen?.value));
    expect((await stored())['group-names']).toEqual({ [rust]: 'Rost & Stahl' });
    const [only] = await complete('group-names', `<#${rust}> Rust`);
    expect(only).toEqual({ name: '#rust: Rust', value: `${rust} Rust` });
    const back = await complete('group-names', '');
    expect(back.map(({ name }) => name)).toEqual(['none', '#rust without the name Rost & Stahl']);
    await set('group-names', String(back[1]?.value));
    expect(await stored()).toEqual(STANDARD);
  });

  test('a fixed mark weighs the votes anew, and a fitted one goes on from there', async () => {
    const { ranking } = scene.bot.app;
    const mark = () => readMark(ranking, scene.sandbox.guildId);
    await set('mark', '200');
    const fixed = await set('mark', '2');
    expect(fixed.message?.content).toBe('Interesting mark is now 2. It was 200.');
    expect(await mark()).toBe(2);
    const panel = await admin().command(general, 'frontpage panel');
    expect(panel.message?.embeds[0]?.description).toContain(
      'An article with 2 up votes is interesting (★). The mark is fixed;',
    );
    await set('mark', 'fitted');
    expect(await mark()).toBe(2);
    const fitted = await admin().command(general, 'frontpage panel');
    expect(fitted.message?.embeds[0]?.description).toContain('The mark adapts');
  });

  test.each([
    ['mark', '0'],
    ['mark', 'many'],
    ['mark', '99999999999'],
    ['language', 'tlh'],
    ['log', 'here'],
    ['log', '<#1234567890123456>'],
    ['groups', 'all of them'],
    ['post-roles', '<@&1234567890123456>'],
    ['post-roles', '@everyone'],
    ['group-names', 'Rust'],
    ['repost-days', '-1'],
  ])('refuses %s = %s and says what fits', async (setting, value) => {
    const before = await stored();
    const answer = await set(setting, value);
    expect(answer.ephemeral).toBe(true);
    expect(answer.message?.content).toMatch(/^`.*` doesn’t work for .*\. Use /);
    expect(await stored()).toEqual(before);
  });

  test('completes values: marks, numbers, languages, channels and roles', async () => {
    expect(await complete('mark', '')).toEqual([
      { name: 'automatic: fits this server', value: 'fitted' },
      { name: '200, as in the textbook', value: '200' },
    ]);
    expect(await complete('mark', '30')).toEqual([{ name: '30', value: '30' }]);
    expect(await complete('votes-per-minute', '')).toEqual([{ name: 'no limit', value: 'none' }]);
    expect(await complete('language', '中文')).toEqual([{ name: '简体中文', value: 'zh-CN' }]);
    expect(await complete('log', 'rus')).toEqual([{ name: '#rust', value: rust }]);
    expect((await complete('post-roles', 'moder'))[0]?.name).toBe('@Moderators');
  });

  test('is refused to members, whatever their client sends', async () => {
    for (const answer of [
      await forge(member, 'settings', {}),
      await forge(member, 'settings', { setting: 'mark', value: '1' }),
      await forge(member, 'doctor', {}),
      await forgePress(member, 'frontpage|settings|reset|mark'),
      await forgePress(member, 'frontpage|settings|value|language', ['en']),
    ]) {
      expect(answer.ephemeral).toBe(true);
      expect(answer.message?.embeds ?? []).toEqual([]);
    }
    expect(await stored()).toEqual(STANDARD);
  });

  test.each(['__proto__', 'constructor', 'no such setting', ''])(
    'knows no setting called %j',
    async (setting) => {
      const answer = await forge(scene.sandbox.admin, 'settings', { setting, value: '1' });
      expect(answer.message?.content).toContain('no such setting');
      const pressed = await forgePress(scene.sandbox.admin, `frontpage|settings|reset|${setting}`);
      expect(pressed.message?.content).toContain('no such setting');
    },
  );
});

async function open(setting: string) {
  const { message } = await admin().command(general, 'frontpage settings');
  const id = message?.id ?? '';
  return { id, answer: await admin().choose(general, id, 'frontpage|settings|pick', [setting]) };
}

describe('the panel', () => {
  test('chooses a language, channels and roles with selects', async () => {
    const language = await open('language');
    expect(language.answer.kind).toBe('update');
    await admin().choose(general, language.id, 'frontpage|settings|value|language', ['zh-CN']);
    const log = await open('log');
    await admin().choose(general, log.id, 'frontpage|settings|value|log', [rust]);
    expect(await stored()).toMatchObject({ language: 'zh-CN', log: rust });
    await admin().choose(general, log.id, 'frontpage|settings|value|log', []);
    await admin().press(general, log.id, 'frontpage|settings|back');
    await admin().choose(general, language.id, 'frontpage|settings|value|language', ['server']);
    expect(await stored()).toEqual(STANDARD);
  });

  test('asks for a number in a form, and says which mark applies', async () => {
    const { id, answer } = await open('mark');
    expect(answer.message?.embeds[0]?.description).toContain('up votes is interesting (★)');
    const form = await admin().press(general, id, 'frontpage|settings|form|mark');
    expect(form.kind).toBe('modal');
    const done = await admin().submit(form.interactionId, { value: '7' });
    expect(done.message?.embeds[0]?.description).toContain('Now: 7');
    expect((await stored()).mark).toBe(7);
    await admin().press(general, id, 'frontpage|settings|reset|mark');
    expect((await stored()).mark).toBe(STANDARD.mark);
  });

  test('names a group in a form', async () => {
    const { id } = await open('group-names');
    const form = await admin().choose(general, id, 'frontpage|settings|name', [rust]);
    await admin().submit(form.interactionId, { value: '@everyone [x](https://evil.example)' });
    await admin().command(rust, 'post', { link: 'https://rust.example/' });
    const top = await admin().command(general, 'top', { group: rust });
    expect(top.message?.embeds[0]?.title).toContain('@everyone [x](https://evil.example)');
    const { content, embeds } =
      (await admin().command(general, 'frontpage settings')).message ?? {};
    expect(JSON.stringify([content, embeds])).toContain('`@everyone [x](https://evil.example)`');
    await admin().press(general, id, 'frontpage|settings|reset|group-names');
  });
});

test('what is stored and cannot be read falls back, and nothing crashes', async () => {
  const { store } = scene.bot.app;
  const { guildId } = scene.sandbox;
  const { settings, blocks } = storeKeys(store.applicationId, guildId);
  await store.redis.hset(settings, {
    language: '"☃"',
    'post-roles': '"everyone"',
    'account-days': '-5',
    'no-such': '1',
    'repost-days': '30',
  });
  await store.redis.hset(blocks, { 'member:x': '{}', 'origin:a.example': 'null' });
  expect(await stored()).toEqual({ ...STANDARD, 'repost-days': 30 });
  const answer = await admin().command(general, 'frontpage settings');
  expect(answer.message?.embeds[0]?.fields).toHaveLength(settingNames.length);
  expect(
    (await admin().command(general, 'frontpage setup')).message?.embeds[0]?.title,
  ).toBeTruthy();
  const digest = { time: '09:00', timezone: 'UTC' };
  await admin().command(general, 'digest set', digest);
  await store.redis.hset(settings, 'language', '"\\u0000"');
  await scene.bot.app.rules.refresh(guildId);
  const shown = await admin().command(general, 'digest preview');
  expect(shown.message?.content).toMatch(/digest|no article/);
  await admin().command(general, 'digest off');
  await store.redis.del(settings, blocks);
  await scene.bot.app.rules.refresh(guildId);
});

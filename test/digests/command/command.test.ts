import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PermissionFlagsBits as P } from 'discord.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { setOverwrite } from '../../../discord-box/src/world/channels/change-channel.ts';
import { addRole, deleteRole } from '../../../discord-box/src/world/guilds/change-guild.ts';
import { readDigest, repairRun, saveDigest } from '../../../src/digests/stored-digests.ts';
import { type DigestScene, startDigestScene, titlesOf, SIX } from '../digest-scene.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { type Settings, STANDARD } from '../../../src/community/settings.ts';
import { canHold } from '../../../src/digests/command/can-hold.ts';
import { type Digest, zDigest } from '../../../src/digests/digest-settings.ts';
import { type DigestPick, screenOf } from '../../../src/digests/command/more.ts';
import { forgeCommand } from '../../fixtures/forge-command.ts';
import { forgeComponent } from '../../fixtures/forge-component.ts';
import { chooseForDigest } from '../../fixtures/choose-for-digest.ts';

type Channels = DigestScene['sandbox']['channels'];

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

/** What the admin, or somebody else, is answered; always to that member alone. */
async function digest(
  words: string,
  values: Record<string, string | number | boolean> = {},
  member = scene.sandbox.admin,
) {
  const { general } = scene.sandbox.channels;
  const answer = await scene.sandbox.as(member).command(general.id, `digest ${words}`, values);
  expect(answer).toMatchObject({ kind: 'message', ephemeral: true });
  const { content = '', embeds = [] } = answer.message ?? {};
  const fields = Object.fromEntries(
    (embeds[0]?.fields ?? []).map(({ name, value }) => [name, value]),
  );
  return { content, fields, embeds };
}

function daily() {
  return { channel: scene.channel, time: '18:00', timezone: 'UTC' };
}

const stored = async (name = 'daily') =>
  (await readDigest(scene.context.store, scene.guild, name))?.digest;

const savedBy = async () => (await stored())?.savedBy;

const choose = (pick: DigestPick, values: string[], name = 'daily') =>
  chooseForDigest(scene.sandbox, pick, values, { name });

/** Sets it, and says when it comes then. */
const when = async (values: Record<string, string>) => (await digest('set', values)).fields['When'];

/** Somebody besides its poster votes for an article. */
async function voteFor(id: string, channel: string, member = scene.sandbox.admin): Promise<void> {
  scene.sandbox.as(member).react(channel, id, '👍');
  await expect.poll(async () => (await scene.article(id))?.up).toBe(2);
}

describe('/digest set', () => {
  test('/digest set asks before it posts what everyone can read where not everyone can', async () => {
    const { admin, channels } = scene.sandbox;
    const given = { ...daily(), channel: channels.moderators.id };
    const { general } = channels;
    await digest('set', daily());
    await choose('source', [channels.ai.id]);
    const asked = await scene.sandbox.as(admin).command(general.id, 'digest set', given);
    expect(asked.message?.content).toContain(
      translate('en', 'digest.ask.private', { channel: `<#${channels.moderators.id}>` }),
    );
    expect((await stored())?.channel).toBe(scene.channel);
    const id = asked.message?.id ?? '';
    const button = `digest|set|${asked.interactionId}`;
    const press = () => scene.sandbox.as(admin).press(general.id, id, button);
    // What was missing when it was answered is missing.
    const { operator, world } = scene.sandbox;
    const own = { channel: given.channel, who: world.application.botId };
    const cached = scene.bot.client.guilds.cache.get(scene.guild)!.channels.cache;
    const maySend = () => cached.get(own.channel)?.permissionsFor(own.who)?.has(P.SendMessages);
    operator.setPermissions({ ...own, allow: ['ViewChannel'], deny: ['SendMessages'] });
    await expect.poll(maySend).toBe(false);
    const refused = await forgeComponent(scene.sandbox, { userId: admin, sourceId: id }, button);
    expect(refused.message?.content).toContain('Send Messages');
    expect((await stored())?.channel).toBe(scene.channel);
    operator.setPermissions({ ...own, allow: ['ViewChannel'] });
    await expect.poll(maySend).toBe(true);
    scene.clock.move(1000);
    const saved = await press();
    expect(saved.message?.content).toContain('Saved.');
    expect((await stored())?.channel).toBe(channels.moderators.id);
    expect(JSON.stringify(saved.message?.components)).not.toContain(button);
    // A second window's button does nothing more.
    scene.clock.move(1000);
    const once = await stored();
    const again = await forgeComponent(scene.sandbox, { userId: admin, sourceId: id }, button);
    expect(again.message?.content).toBe(translate('en', 'digest.ask.gone'));
    expect(await stored()).toEqual(once);
    // It is there already, and is not asked about again.
    expect((await digest('set', { ...given, time: '17:00' })).content).toContain('Saved.');
  });

  test('/digest set asks nothing where a digest of one channel’s articles moves into that channel, which not everyone sees', async () => {
    const { admin, channels, operator } = scene.sandbox;
    const { id: channel } = channels.ai;
    await digest('set', daily());
    await choose('source', [channel]);
    operator.setPermissions({ channel, who: 'everyone', deny: ['ViewChannel'] });
    operator.setPermissions({ channel, who: 'bot', allow: ['ViewChannel'] });
    operator.setPermissions({ channel, who: admin, allow: ['ViewChannel'] });
    const known = () => JSON.stringify(scene.bot.client.channels.cache.get(channel));
    await expect.poll(known).toContain(admin);
    expect((await digest('set', { channel })).content).toBe('Saved.');
    expect(await stored()).toMatchObject({ channel, groups: [channel] });
    for (const who of ['everyone', 'bot', admin]) operator.setPermissions({ channel, who });
    await expect.poll(known).not.toContain(admin);
  });

  test('/digest set changes nothing by the answer to an old question about what was set otherwise or deleted since', async () => {
    const { admin, channels } = scene.sandbox;
    const { general } = channels;
    const { id: closed } = channels.moderators;
    const askThen = async (values: Record<string, string>, since: () => Promise<unknown>) => {
      const asked = await scene.sandbox.as(admin).command(general.id, 'digest set', values);
      scene.clock.move(1000);
      await since();
      const before = await stored();
      const button = `digest|set|${asked.interactionId}`;
      const id = asked.message?.id ?? '';
      const { message } = await scene.sandbox.as(admin).press(general.id, id, button);
      expect(message?.content).toBe(translate('en', 'digest.ask.gone'));
      expect(await stored()).toEqual(before);
      return before;
    };
    const reset = (time: string) => () => digest('set', { time });
    await digest('set', daily());
    await choose('source', [general.id]);
    const changed = await askThen({ channel: closed }, reset('09:00'));
    expect(changed).toMatchObject({ channel: scene.channel, schedule: { time: '09:00' } });
    const end = () => digest('delete', { name: 'daily' });
    expect(await askThen({ channel: closed }, end)).toBeUndefined();
    // The question whether it holds more than what is posted in its own channel.
    const own = await askThen({ ...daily(), channel: closed }, reset('10:00'));
    expect(own).toMatchObject({ groups: [closed], schedule: { time: '10:00' } });
  });

  test('/digest set is answered by who was asked, and its buttons work for managers alone', async () => {
    const { sandbox } = scene;
    const { admin, channels, operator } = sandbox;
    const [other = '', nobody = ''] = scene.crowd(2);
    operator.giveRole({ member: other, permissions: ['Administrator'] });
    await digest('set', daily());
    await choose('source', [channels.ai.id]);
    const given = { ...daily(), channel: channels.moderators.id };
    const asked = await sandbox.as(admin).command(channels.general.id, 'digest set', given);
    const before = await stored();
    const press = (userId: string, id: string, values?: string[]) =>
      forgeComponent(sandbox, { userId, sourceId: asked.message!.id }, `digest|${id}`, values);
    await press(other, `set|${asked.interactionId}`);
    await press(nobody, 'switches|daily', ['silent']);
    expect(await stored()).toEqual(before);
    await press(other, 'switches|daily', ['silent']);
    await expect.poll(stored).not.toEqual(before);
  });

  test('/digest set posts nothing for a slot that passed while it waited for the answer', async () => {
    const { admin, channels } = scene.sandbox;
    const given = { ...daily(), channel: channels.moderators.id, time: '18:01' };
    const { general } = channels;
    await digest('set', daily());
    await choose('source', [general.id]);
    const asked = await scene.sandbox.as(admin).command(general.id, 'digest set', given);
    await scene.postArticles(['Best']);
    scene.goTo(SIX + HOUR_MS);
    const button = `digest|set|${asked.interactionId}`;
    await scene.sandbox.as(admin).press(general.id, asked.message?.id ?? '', button);
    expect(await scene.runDigest()).toBe('idle');
    expect(channels.moderators.messages.size).toBe(0);
  });

  test('/digest set posts a silent digest without a notification', async () => {
    await digest('set', daily());
    await choose('switches', ['silent']);
    expect((await digest('show')).fields['More']).toBe('Posted without a notification');
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.posted()[0]?.flags).toBe(4096);
  });

  test('/digest set sets up the daily digest, which is posted at the next slot', async () => {
    const { content, fields } = await digest('set', daily());
    expect(content).toContain('Saved.');
    expect(fields).toMatchObject({
      'Next edition': `<t:${SIX / 1000}:F> (<t:${SIX / 1000}:R>)`,
      When: 'Every day at 18:00, UTC',
      Where: `<#${scene.channel}>`,
    });
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best']]);
  });

  test.each([
    ['9am', '09:00'],
    ['12am', '00:00'],
    ['9:30 p.m.', '21:30'],
    ['9 a.m.', '09:00'],
    ['6:45 PM', '18:45'],
    ['晚上9点', '21:00'],
    ['9点30分', '09:30'],
    ['9：05', '09:05'],
    ['noon', '12:00'],
    ['午夜', '00:00'],
  ])('/digest set takes the time %s as %s', async (typed, time) => {
    await digest('set', { ...daily(), time: typed });
    expect(await stored()).toMatchObject({ schedule: { time } });
  });

  test('/digest set changes what is given and keeps the rest', async () => {
    await digest('set', daily());
    const { ai } = scene.sandbox.channels;
    await choose('count', ['5']);
    await choose('selection', ['front']);
    await choose('source', [ai.id]);
    await choose('switches', ['empty']);
    await digest('set', { time: '7:30' });
    expect(await stored()).toMatchObject({
      schedule: { time: '07:30', zone: 'UTC' },
      count: 5,
      postEmpty: true,
      selection: 'front',
      groups: [ai.id],
    });
    await choose('source', []);
    await choose('count', ['25']);
    expect(await stored()).toMatchObject({ groups: [], count: 25, postEmpty: true });
  });

  test('every setting of a digest is reached from the command or from the buttons of its answer', async () => {
    const { channels, operator, guild } = scene.sandbox;
    operator.giveRole({ member: scene.sandbox.members[0]!, permissions: [] });
    const roleId = [...guild.roles.keys()].at(-1)!;
    const news = operator.createChannel({ name: 'news', kind: 'announcement' }).id;
    await expect
      .poll(() => scene.bot.client.guilds.cache.get(guild.id)?.channels.cache.has(news))
      .toBe(true);
    await digest('set', { ...daily(), channel: news });
    operator.giveRole({
      member: scene.sandbox.world.application.botId,
      permissions: ['MentionEveryone'],
    });
    await expect
      .poll(() => {
        const cached = scene.bot.client.guilds.cache.get(guild.id);
        return cached?.members.me?.permissions.has(P.MentionEveryone);
      })
      .toBe(true);
    const before = (await stored())!;
    /** What each way changes: a setting, and to what. */
    const typed: [Record<string, string>, Partial<Digest>][] = [
      [{ channel: scene.channel }, { channel: scene.channel }],
      [{ channel: news }, { channel: news }],
      [
        { time: '7:30', timezone: 'Europe/Berlin', every: 'week', days: 'fri' },
        { schedule: { every: 'week', weekdays: [5], time: '07:30', zone: 'Europe/Berlin' } },
      ],
    ];
    const chosen: [DigestPick, string[], Partial<Digest>][] = [
      ['count', ['3'], { count: 3 }],
      ['selection', ['interesting'], { selection: 'interesting' }],
      ['source', [channels.ai.id], { groups: [channels.ai.id] }],
      ['role', [roleId], { role: roleId }],
      ['switches', ['empty'], { postEmpty: true }],
      ['switches', ['empty', 'publish'], { postEmpty: true, publish: true }],
      ['switches', ['silent'], { postEmpty: false, publish: false, silent: true }],
    ];
    for (const [values, change] of typed) {
      await digest('set', values);
      expect(await stored()).toMatchObject(change);
    }
    for (const [pick, values, change] of chosen) {
      await choose(pick, values);
      expect(await stored()).toMatchObject(change);
    }
    const changed = [...typed.map(([, change]) => change), ...chosen.map((one) => one[2])];
    const reached = new Set(changed.flatMap(Object.keys));
    const own = Object.keys(before).filter((key) => !['savedAtMs', 'savedBy'].includes(key));
    expect(own.filter((key) => !reached.has(key))).toEqual(['slotsFromMs']);
    const as = scene.sandbox.as(scene.sandbox.admin);
    const { id: place } = channels.general;
    const begun = await as.command(place, 'digest show');
    const press = (id: string) => as.press(place, begun.message?.id ?? '', id);
    await press(`digest|${screenOf('role')}|daily`);
    const back = await press('digest|back|daily');
    expect(back.message?.components).toEqual(begun.message?.components);
    await choose('role', []);
    await choose('source', []);
    await choose('switches', []);
    expect(await stored()).toMatchObject({ role: null, groups: [], silent: false });
    expect((await digest('show')).fields['More']).toBeUndefined();
  });

  test('/digest set begins with the most votes, and keeps what was chosen', async () => {
    await digest('set', { ...daily(), name: 'weekly', every: 'week' });
    expect(await stored('weekly')).toMatchObject({ selection: 'votes' });
    await choose('selection', ['front'], 'weekly');
    await digest('set', { name: 'weekly', every: 'week' });
    expect(await stored('weekly')).toMatchObject({ selection: 'front' });
  });

  test('/digest set keeps digests by name apart', async () => {
    await digest('set', daily());
    await digest('set', { ...daily(), name: 'Wochenende', every: 'week', days: 'sat, sun' });
    expect(await stored('wochenende')).toMatchObject({
      schedule: { every: 'week', weekdays: [6, 7] },
    });
    const { embeds } = await digest('show');
    const [six, saturday] = [SIX / 1000, (SIX + 3 * DAY_MS) / 1000];
    expect(embeds[0]?.description?.split('\n')).toEqual([
      `**Daily digest** · <#${scene.channel}> · <t:${six}:F> (<t:${six}:R>)`,
      `**Wochenende** · <#${scene.channel}> · <t:${saturday}:F> (<t:${saturday}:R>)`,
    ]);
    await digest('delete');
    expect((await digest('show')).embeds[0]?.title).toContain('Wochenende');
    expect((await digest('show', { name: 'wochenende' })).embeds[0]?.title).toContain('Wochenende');
  });

  test.each([
    [{ time: '24:00' }, '`24:00` isn’t a time'],
    [{ time: 'tea time' }, 'such as 09:00'],
    [{ timezone: 'Mars/Olympus' }, 'There’s no time zone `Mars/Olympus`'],
    [{ timezone: 'Granada' }, 'Madrid (`Europe/Madrid`)? Enter one'],
    [{ name: 'two words' }, 'letters, digits and dashes'],
    [{ every: 'week', days: 'someday' }, '`someday`'],
    [{ every: 'month', days: '32' }, '1 to 31'],
    [{ days: 'mon' }, 'For weekdays, also choose “Every week”'],
  ])('/digest set refuses %j, says what to do and stores nothing', async (wrong, sentence) => {
    const { content } = await digest('set', { ...daily(), ...wrong });
    expect(content).toContain(sentence);
    expect(await scene.redis.redis.keys('*:digests')).toEqual([]);
  });

  test('/digest set refuses what Discord’s client would not send, and stores nothing of it', async () => {
    const { admin, channels } = scene.sandbox;
    const voice = scene.sandbox.operator.createChannel({ name: 'voice', kind: 'voice' }).id;
    await expect.poll(() => scene.bot.client.channels.cache.has(voice)).toBe(true);
    const set = async (values: Record<string, unknown>) => {
      const given = { time: '18:00', timezone: 'UTC', ...values };
      const { message } = await forgeCommand(scene.sandbox, admin, 'digest set', given);
      return message?.content;
    };
    const gone = scene.sandbox.world.snowflake(scene.clock.now());
    expect(await set({ every: 'hour' })).toContain('“every” can’t have that value');
    expect(await set({ channel: gone })).toBe(translate('en', 'channel.unknown'));
    expect(await set({ channel: voice })).toBe(translate('en', 'digest.invalid.channel'));
    expect(await set({ channel: channels.forum.id })).toBe(
      translate('en', 'digest.invalid.channel'),
    );
    expect(await stored()).toBeUndefined();
    scene.sandbox.operator.deleteChannel({ channel: voice });
  });

  test('the selects of a digest take what they offer, @everyone is no role of it, and nothing else is stored', async () => {
    const { admin, channels, guildId, world, guild } = scene.sandbox;
    await digest('set', daily());
    const before = await stored();
    const { message } = await scene.command(admin, 'digest show');
    const source = { userId: admin, sourceId: message?.id ?? '' };
    const forge = async (pick: string, values?: string[]) =>
      (await forgeComponent(scene.sandbox, source, `digest|${pick}|daily`, values)).message
        ?.content;
    const stale = translate('en', 'stale');
    expect(await forge('role', [guildId])).toBe(translate('en', 'digest.invalid.role'));
    expect(await forge('role', ['everyone'])).toBe(stale);
    for (const count of ['0', '26', '1.5', 'many'])
      expect(await forge('count', [count])).toBe(stale);
    expect(await forge('selection', ['random'])).toBe(stale);
    expect(await forge('switches', ['loud'])).toBe(stale);
    expect(await forge('toString', ['1'])).toBe(stale);
    expect(await forge('colour', ['1'])).toBe(stale);
    const unknown = translate('en', 'channel.unknown');
    const category = channels.general.parentId ?? '';
    expect(await forge('source', [category])).toBe(unknown);
    expect(await forge('source', [world.snowflake(scene.clock.now())])).toBe(unknown);
    expect(await stored()).toEqual(before);
    // What was chosen and is deleted since is not chosen in the select.
    const role = addRole(world, guild, { name: 'readers', permissions: 0n });
    const has = () => scene.bot.client.guilds.cache.get(guildId)?.roles.cache.has(role.id);
    await expect.poll(has).toBe(true);
    const { store } = scene.context;
    await saveDigest(store, scene.guild, 'daily', { ...before!, role: role.id });
    const chosen = async () => {
      const screen = await forgeComponent(scene.sandbox, source, 'digest|extras|daily');
      return JSON.stringify(screen.message?.components).includes(role.id);
    };
    expect(await chosen()).toBe(true);
    deleteRole(world, guild, role);
    await expect.poll(has).toBe(false);
    expect(await chosen()).toBe(false);
    await saveDigest(store, scene.guild, 'daily', { ...before!, groups: ['1', channels.ai.id] });
    const sources = await forgeComponent(scene.sandbox, source, 'digest|articles|daily');
    const ids = JSON.stringify(sources.message?.components).match(/"id":"\d+"/g);
    expect(ids).toEqual([`"id":"${channels.ai.id}"`]);
  });

  test('/digest set keeps the day of a month and the days of a week where only the hour changes', async () => {
    expect(await when({ ...daily(), every: 'month', days: '15' })).toBe(
      'Every month on day 15 at 18:00, UTC',
    );
    expect(await when({ time: '19:00' })).toBe('Every month on day 15 at 19:00, UTC');
    expect(await when({ every: 'week' })).toBe('Every Monday at 19:00, UTC');
    expect(await when({ days: 'fri' })).toBe('Every Friday at 19:00, UTC');
    expect(await when({ time: '20:00' })).toBe('Every Friday at 20:00, UTC');
    expect(await when({ every: 'month' })).toBe('Every month on day 1 at 20:00, UTC');
  });

  test('/digest set makes twenty digests at most, none whose name cannot be read, and changes those that are there', async () => {
    const { store } = scene.context;
    await digest('set', daily());
    // Its letters are there, and not all can be seen.
    const unread = await digest('set', { ...daily(), name: 'da\u115fily' });
    expect(unread.content).toContain('A digest’s name has 1 to 32 letters');
    const one = (await stored())!;
    for (let n = 1; n < 20; n += 1) await saveDigest(store, scene.guild, `digest-${n}`, one);
    const beyond = await digest('set', { ...daily(), name: 'beyond' });
    expect(beyond.content).toContain('already has 20 digests');
    expect(await stored('beyond')).toBeUndefined();
    const changed = await digest('set', { name: 'digest-7', time: '07:00' });
    expect(changed.content).toContain('Saved.');
    expect((await stored('digest-7'))?.schedule.time).toBe('07:00');
  });

  test('/digest set and its selects note who saved the digest, who hears of it when it cannot be posted', async () => {
    const { admin, operator } = scene.sandbox;
    const [manager = ''] = scene.crowd(1);
    operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    await digest('set', daily());
    expect(await savedBy()).toBe(admin);
    await digest('set', { time: '19:00' }, manager);
    expect(await savedBy()).toBe(manager);
    await choose('count', ['3']);
    expect(await savedBy()).toBe(admin);
    await chooseForDigest(scene.sandbox, 'count', ['5'], { member: manager });
    expect(await savedBy()).toBe(manager);
  });

  test('/digest set needs a time and a zone for a new digest', async () => {
    expect((await digest('set', { channel: scene.channel })).content).toContain('time zone');
    expect((await digest('set', { time: '09:00' })).content).toContain('time zone');
  });

  test('/digest set names the permissions that Frontpage lacks in the channel', async () => {
    const { world, channels } = scene.sandbox;
    const { botId } = world.application;
    const deny = P.SendMessages | P.EmbedLinks;
    setOverwrite(world, channels.ai, botId, { kind: 'member', allow: 0n, deny });
    const cached = scene.bot.client.channels.cache.get(channels.ai.id);
    await scene.eventually(
      () => cached && !cached.isDMBased() && cached.permissionsFor(botId)?.has(P.SendMessages),
      (has) => has === false,
      'known to the bot',
    );
    const { content } = await digest('set', { ...daily(), channel: channels.ai.id });
    expect(content).toContain('Frontpage is missing permissions');
    expect(content).toContain('Send Messages');
    expect(content).toContain('Embed Links');
    setOverwrite(world, channels.ai, botId, null);
  });

  test('/digest set says what an edition would lack: the history of its channel, or the right to mention its role', async () => {
    const { world, guild, guildId } = scene.sandbox;
    await scene.permit(P.ReadMessageHistory, false);
    const unread = translate('en', 'digest.unread', { channel: `<#${scene.channel}>` });
    expect((await digest('set', daily())).content).toContain(unread);
    await scene.permit(P.ReadMessageHistory, true);
    expect((await digest('set', daily())).content).not.toContain(unread);
    const role = addRole(world, guild, { name: 'quiet', permissions: 0n });
    await expect
      .poll(() => scene.bot.client.guilds.cache.get(guildId)?.roles.cache.has(role.id))
      .toBe(true);
    await scene.permit(P.MentionEveryone, false);
    const refused = await choose('role', [role.id]);
    expect(refused.message?.content).toContain('Mention @everyone');
    expect((await stored())?.role).toBeNull();
    await scene.permit(P.MentionEveryone, true);
    // Nor does who may not mention it themself have it mentioned.
    const [manager = ''] = scene.crowd(1);
    scene.sandbox.operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    const byManager = await chooseForDigest(scene.sandbox, 'role', [role.id], { member: manager });
    expect(byManager.message?.content).toContain('Mention @everyone');
    expect((await stored())?.role).toBeNull();
    await choose('role', [role.id]);
    expect((await stored())?.role).toBe(role.id);
    deleteRole(world, guild, role);
  });

  test('/digest set and its selects leave what is due where the schedule stays', async () => {
    await digest('set', daily());
    await scene.postArticles(['Best']);
    scene.goTo(SIX + MINUTE_MS);
    await choose('count', ['5']);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best']]);
  });

  test('/digest set takes no channel that its manager may not view, neither to post in nor as a source', async () => {
    const { operator, channels } = scene.sandbox;
    const [manager = ''] = scene.crowd(1);
    operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    await digest('set', daily());
    const before = await stored();
    const { id } = channels.moderators;
    const { message } = await forgeCommand(scene.sandbox, manager, 'digest set', { channel: id });
    expect(message?.content).toBe(translate('en', 'channel.unknown'));
    const shown = await scene.command(manager, 'digest show');
    const source = { userId: manager, sourceId: shown.message?.id ?? '' };
    const chosen = await forgeComponent(scene.sandbox, source, 'digest|source|daily', [id]);
    expect(chosen.message?.content).toBe(translate('en', 'channel.unknown'));
    expect(await stored()).toEqual(before);
  });

  test('/digest set refuses a source that not all readers of the channel may see', async () => {
    await digest('set', daily());
    const refused = await choose('source', [scene.sandbox.channels.moderators.id]);
    expect(refused.message?.content).toContain('Not everyone can see');
    expect((await stored())?.groups).toEqual([]);
  });

  test('/digest set completes zones by city, with the time there, and names of digests', async () => {
    const { general } = scene.sandbox.channels;
    const admin = scene.sandbox.as(scene.sandbox.admin);
    const zones = await admin.complete(general.id, 'digest set', 'timezone', { timezone: 'york' });
    expect(zones[0]).toEqual({
      name: 'New York, United States (07:00)',
      value: 'America/New_York',
    });
    const kolkata = await admin.complete(general.id, 'digest set', 'timezone', {
      timezone: 'kolk',
    });
    expect(kolkata.map(({ value }) => value)).toContain('Asia/Kolkata');
    const first = await admin.complete(general.id, 'digest set', 'timezone', { timezone: '' });
    // Those of the server's language come before the common ones.
    expect(first.slice(0, 2).map(({ value }) => value)).toEqual([
      'America/New_York',
      'America/Chicago',
    ]);
    expect(first.map(({ value }) => value)).toContain('Europe/Berlin');
    await digest('set', { ...daily(), name: 'science' });
    const names = await admin.complete(general.id, 'digest delete', 'name', { name: 'sci' });
    expect(names).toEqual([{ name: 'science', value: 'science' }]);
  });
});

describe('/digest show, now, preview', () => {
  test('/digest show, now and preview say how to set a digest up where there is none', async () => {
    for (const words of ['show', 'now', 'preview', 'delete']) {
      expect((await digest(words)).content).toContain('/digest set');
    }
  });

  test('/digest now posts at once and leaves the schedule; what it listed is listed by no other edition', async () => {
    await digest('set', daily());
    // A real message: the tallies are recounted first.
    const { members, channels } = scene.sandbox;
    const given = { link: 'https://example.com/best', title: 'Best' };
    const id = await scene.post(members[0] ?? '', { channel: channels.general.id, ...given });
    await voteFor(id, channels.general.id);
    scene.clock.move(MINUTE_MS);
    const { content } = await digest('now');
    expect(content).toContain(`https://discord.com/channels/${scene.guild}/${scene.channel}/`);
    expect((await digest('now')).content).toContain('in this minute');
    expect((await digest('show')).fields['Next edition']).toContain(`<t:${SIX / 1000}:F>`);
    await scene.postArticles(['New']);
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best'], ['New']]);
  });

  test('/digest show calls a daily digest that comes weekly a weekly one, also among others', async () => {
    await digest('set', { ...daily(), every: 'week', days: 'sunday' });
    await digest('set', { ...daily(), name: 'other' });
    const { embeds } = await digest('show');
    expect(embeds[0]?.description).toContain('**Weekly digest**');
    expect(embeds[0]?.description).not.toContain('Daily');
  });

  test('/digest now and preview do nothing for a manager in a channel that they may not view', async () => {
    const { operator, channels } = scene.sandbox;
    const [manager = ''] = scene.crowd(1);
    operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    await digest('set', { ...daily(), channel: channels.moderators.id });
    const { guild, context } = scene;
    const whole = (await readDigest(context.store, guild, 'daily'))!.digest;
    await saveDigest(context.store, guild, 'daily', { ...whole, groups: [] });
    const article = await scene.post(scene.sandbox.admin, { channel: channels.general.id });
    await voteFor(article, channels.general.id, scene.sandbox.members[1]);
    const before = channels.moderators.messages.size;
    const { message } = await scene.command(manager, 'digest now');
    expect(message?.content).toBe(translate('en', 'channel.unknown'));
    const preview = await scene.command(manager, 'digest preview');
    expect(JSON.stringify(preview.message)).not.toContain('posted.example');
    expect(channels.moderators.messages.size).toBe(before);
    const own = await digest('now');
    expect(own.content).toContain(channels.moderators.id);
    expect(channels.moderators.messages.size).toBe(before + 1);
  });

  test('/digest now says so when there is nothing to post', async () => {
    await digest('set', daily());
    expect((await digest('now')).content).toContain('Nothing was posted');
    expect(scene.posted()).toEqual([]);
  });

  test('/digest now says why Discord refuses the edition, and nothing is recorded as listed', async () => {
    await digest('set', daily());
    const { members, channels, faults } = scene.sandbox;
    const id = await scene.post(members[0] ?? '', { channel: channels.general.id });
    await voteFor(id, channels.general.id);
    scene.clock.move(MINUTE_MS);
    const path = new RegExp(`channels/${scene.channel}/messages$`);
    const end = faults.add({ method: 'POST', path, status: 403, code: 50_013 });
    expect((await digest('now')).content).toMatch(/^Nothing was posted\. .*50013/);
    end();
    scene.clock.move(MINUTE_MS);
    expect((await digest('now')).content).toMatch(/^Posted: /);
    expect(scene.posted()).toHaveLength(1);
  });

  test('/digest now says why its edition has no links where Discord refuses one', async () => {
    await digest('set', daily());
    const { members, channels, world } = scene.sandbox;
    const given = { channel: channels.general.id, link: 'https://bad.example/now' };
    await voteFor(await scene.post(members[0] ?? '', given), channels.general.id);
    scene.clock.move(MINUTE_MS);
    world.harmfulHosts.add('bad.example');
    const { content } = await digest('now');
    world.harmfulHosts.clear();
    expect(content).toMatch(
      /^Posted: \S+\n“Daily digest” was posted in <#\d+> without its .*240000/,
    );
    expect(scene.posted()).toHaveLength(1);
  });

  test('the days of a server begin where those of its first digest do, and in UTC without one', async () => {
    const { digests } = scene.bot;
    expect(await digests.zone(scene.guild)).toBe('UTC');
    await digest('set', { ...daily(), name: 'b', timezone: 'Asia/Tokyo' });
    await digest('set', { ...daily(), name: 'a', timezone: 'Europe/Berlin' });
    expect(await digests.zone(scene.guild)).toBe('Europe/Berlin');
  });

  test.each<[string, Partial<Settings>, (of: Channels) => Partial<Digest>, boolean]>([
    ['of the whole server can hold something', {}, () => ({}), true],
    [
      'of a server without channels for articles can hold nothing',
      { groups: ['1'] },
      () => ({}),
      false,
    ],
    ['of an open channel can hold something', {}, ({ ai }) => ({ groups: [ai.id] }), true],
    [
      'of a closed channel can hold something in it',
      {},
      ({ moderators: { id } }) => ({ channel: id, groups: [id] }),
      true,
    ],
    [
      'of a closed channel can hold nothing in another',
      {},
      ({ moderators }) => ({ groups: [moderators.id] }),
      false,
    ],
    ['of a channel that is gone can hold nothing', {}, () => ({ groups: ['1'] }), false],
  ])('a digest %s', (_, settings, of, can) => {
    const { bot, channel, guild, sandbox } = scene;
    const schedule = { every: 'day', time: '18:00', zone: 'UTC' } as const;
    const one = zDigest.parse({ channel, schedule, ...of(sandbox.channels) });
    const there = bot.client.guilds.cache.get(guild)!;
    expect(canHold(there, { ...STANDARD, ...settings }, one)).toBe(can);
  });

  // What a private channel held is not shown to managers who could not view it, either.
  test.each(['now', 'preview'])(
    '/digest %s says that its channel is gone, and what to do',
    async (what) => {
      const { id } = scene.sandbox.operator.createChannel({ name: 'for-a-while' });
      await expect
        .poll(async () => (await digest('set', { ...daily(), channel: id })).content)
        .toContain('Saved.');
      scene.sandbox.operator.deleteChannel({ channel: id });
      await expect
        .poll(async () => (await digest(what)).content)
        .toContain(translate('en', 'digest.broken.gone'));
    },
  );

  test('/digest preview shows what is for a private channel to those who may view it', async () => {
    const { operator, channels, admin, members } = scene.sandbox;
    const [manager = ''] = members;
    operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    const { moderators } = channels;
    await digest('set', { ...daily(), channel: moderators.id });
    const given = { link: 'https://example.com/private', title: 'Private' };
    const id = await scene.post(admin, { channel: moderators.id, ...given });
    await voteFor(id, moderators.id, scene.sandbox.moderator);
    scene.clock.move(MINUTE_MS);
    const shown = await digest('preview', {}, admin);
    expect(JSON.stringify(shown.embeds)).toContain('Private');
    const refused = await digest('preview', {}, manager);
    expect(refused.content).toContain('View Channel');
    expect(JSON.stringify(refused)).not.toContain('Private');
  });

  test('/digest preview shows the edition to the asker alone', async () => {
    await digest('set', daily());
    await scene.postArticles(['Best']);
    const { embeds } = await digest('preview');
    expect(titlesOf({ embeds })).toEqual(['Best']);
    expect(scene.posted()).toEqual([]);
  });
});

test('/digest show says all that was chosen for a digest, and that of a deleted role and channel only their number is known', async () => {
  const { channels, guildId, world, guild } = scene.sandbox;
  const role = addRole(world, guild, { name: 'readers', permissions: 0n });
  await expect
    .poll(() => scene.bot.client.guilds.cache.get(guildId)?.roles.cache.has(role.id))
    .toBe(true);
  await digest('set', daily());
  const chosen = { count: 3, selection: 'front' as const, role: role.id, silent: true };
  const all = { ...(await stored())!, ...chosen, postEmpty: true, publish: true };
  const save = (groups: string[]) =>
    saveDigest(scene.context.store, scene.guild, 'daily', { ...all, groups });
  await save([channels.ai.id, channels.general.id]);
  const { fields } = await digest('show');
  expect(fields['Articles']?.split('\n')).toEqual([
    expect.stringContaining('3'),
    expect.stringContaining(`<#${channels.ai.id}> <#${channels.general.id}>`),
  ]);
  expect(fields['More']?.split('\n')).toEqual([
    translate('en', 'digest.show.role', { role: `<@&${role.id}>` }),
    ...(['empty', 'publish', 'silent'] as const).map((one) =>
      translate('en', `digest.show.${one}`),
    ),
  ]);
  deleteRole(world, guild, role);
  await save([channels.ai.id, '1']);
  await expect
    .poll(async () => (await digest('show')).fields['More'])
    .toContain(translate('en', 'references.roles', { count: 1 }));
  const now = await digest('show');
  expect(now.fields['Articles']).toContain(translate('en', 'references.channels', { count: 1 }));
  expect(JSON.stringify(now.fields)).not.toContain(role.id);
});

describe('/digest delete', () => {
  test('/digest delete ends a digest, and set up anew it is not posted twice on one date', async () => {
    await digest('set', daily());
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await scene.tick();
    const { due } = storeKeys(scene.bot.store, scene.sandbox.guildId);
    const isDue = () => scene.bot.store.redis.zscore(due, 'digest:daily');
    expect(await isDue()).not.toBeNull();
    const { run } = (await readDigest(scene.context.store, scene.guild, 'daily'))!;
    const broken = {
      reason: 'missing',
      detail: 'EmbedLinks',
      sinceMs: SIX,
      probeAtMs: SIX,
    } as const;
    await repairRun(scene.context.store, scene.guild, 'daily', { ...run, broken });
    const comes = ['digest.show.next', 'digest.show.trouble'] as const;
    const says = comes.map((key) => translate('en', key));
    expect(Object.keys((await digest('show')).fields)).toEqual(expect.arrayContaining(says));
    const deleted = await digest('delete');
    for (const one of says) expect(deleted.fields).not.toHaveProperty([one]);
    expect(await isDue()).toBeNull();
    expect(deleted.content).toContain('To have it back, use /digest set with these settings:');
    expect(JSON.stringify(deleted.embeds)).toContain('Every day at 18:00, UTC');
    await scene.postArticles(['Fresh']);
    scene.goTo(SIX + HOUR_MS);
    const { fields } = await digest('set', { ...daily(), time: '20:00' });
    const next = SIX + DAY_MS + 2 * HOUR_MS;
    expect(fields['Next edition']).toContain(`<t:${next / 1000}:F>`);
    scene.goTo(SIX + 2 * HOUR_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best']]);
    expect((await digest('show')).fields['Next edition']).toBe(fields['Next edition']);
    await digest('delete');
    scene.goTo(SIX + 2 * DAY_MS);
    await scene.tick();
    expect(scene.titles()).toHaveLength(1);
  });
});

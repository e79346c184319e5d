import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeGuild, changeRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { addMember, removeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import type { Answer } from '../../discord-box/src/act/answer.ts';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { deleteArticle, postArticle } from '../../src/ranking/articles/articles.ts';
import { translate } from '../../src/text/catalogue.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { storedTrouble } from '../../src/due/troubles.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { NO_STATE, writeBoardState } from '../../src/board/stored-board.ts';
import { beginRebuild, writeUnread } from '../../src/history/rebuild/stored-rebuilds.ts';
import { boardLines } from '../../src/panel/board-section.ts';
import { listEditions } from '../../src/editions/stored-editions.ts';
import { listArticles } from '../../src/ranking/lists/ranked.ts';
import { NO_RUN } from '../../src/digests/digest-settings.ts';
import { readDigest, repairRun, saveDigest } from '../../src/digests/stored-digests.ts';
import { takeLease } from '../../src/redis/lease.ts';
import { readSettings, writeSetting } from '../../src/community/settings.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { openPanel } from '../fixtures/open-panel.ts';

let scene: Scene;
let general: string;
let rust: string;
let admin: string;
let member: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  ({ admin } = sandbox);
  [member = ''] = sandbox.members;
});
afterAll(() => scene.stop());

const regExp = (text: string) => text.replace(/[()]/g, '\\$&');
const as = (who: string) => scene.sandbox.as(who);
const stored = () => readSettings(scene.bot.store, scene.sandbox.guildId);
const daily = async () =>
  (await readDigest(scene.bot.store, scene.sandbox.guildId, 'daily'))?.digest;
const check = async () => {
  const { message, ephemeral } = await openPanel(as(admin), general, 'check-up');
  expect(ephemeral).toBe(true);
  return JSON.stringify(message?.embeds[0]);
};

describe('the check-up of /frontpage panel', () => {
  test('the check-up of /frontpage panel looks at channels, digests and the record', async () => {
    const text = await check();
    expect(text).toContain(translate('en', 'check-up.title.warning'));
    expect(text).toMatch(/articles can be posted: \d+ of \d+/);
    expect(text).toContain(translate('en', 'check-up.digests.none'));
    expect(text).toContain(`✅ ${translate('en', 'check-up.record.ok')}`);
  });

  test('the check-up of /frontpage panel says what hinders the bot’s own work, since when, and when it is tried again', async () => {
    const { store, clock } = scene.bot;
    const { guildId } = scene.sandbox;
    const { troubles, due } = storeKeys(store, guildId);
    const now = clock.now();
    const hindered = (minutes: number) =>
      storedTrouble.write({
        why: 'fault',
        detail: 'Discord refuses the edit.',
        sinceMs: now - minutes * MINUTE_MS,
        attempts: 0,
        told: false,
      });
    expect(await check()).not.toContain('By itself');
    await store.redis.hset(troubles, { 'show:1': hindered(9), 'show:2': hindered(5) });
    // What has just failed mostly passes by itself.
    await store.redis.hset(troubles, 'announce', hindered(0));
    await store.redis.zadd(due, now + 3 * MINUTE_MS, 'show:2');
    await store.redis.zadd(due, now + 9 * MINUTE_MS, 'show:1');
    const text = await check();
    expect(text).toContain('The messages of 2 articles: it fails (Discord refuses the edit.)');
    expect(text).toContain(`Since <t:${Math.floor((now - 9 * MINUTE_MS) / 1000)}:R>`);
    expect(text).toContain(`tried again <t:${Math.floor((now + 3 * MINUTE_MS) / 1000)}:R>`);
    expect(text).not.toContain('Announcements:');
    await store.redis.del(troubles, due);
    expect(await check()).not.toContain('By itself');
  });

  test('the check-up of /frontpage panel names each kind of hindered work, and why announcements are refused', async () => {
    const { store, clock } = scene.bot;
    const { guildId } = scene.sandbox;
    const { troubles } = storeKeys(store, guildId);
    const sinceMs = clock.now() - 9 * MINUTE_MS;
    const trouble = (why: string, detail: string) =>
      storedTrouble.write({ why, detail, sinceMs, attempts: 0, told: false });
    await setSetting(scene.sandbox, 'announcements', [rust]);
    await store.redis.hset(troubles, {
      'digest:science': trouble('fault', 'No list.'),
      'digest:daily': trouble('fault', 'No list.'),
      announce: trouble('missing', 'SendMessages'),
      erase: trouble('fault', 'No message.'),
    });
    const text = await check();
    const since = `Since <t:${Math.floor(sinceMs / 1000)}:R>.`;
    // Each digest has its own line.
    for (const name of ['Daily digest', 'Science'])
      expect(text).toMatch(new RegExp(`${name}[^\\n]*: it fails \\(No list\\.\\)\\. ${since}`));
    expect(text).toMatch(new RegExp(`Announcements: [^\\n]*<#${rust}>[^\\n]* Since <t:`));
    expect(text).toContain(`Work of the kind “erase”: it fails (No message.). ${since}`);
    await setSetting(scene.sandbox, 'announcements', []);
    await store.redis.del(troubles);
  });

  test('the check-up of /frontpage panel says what of the record is read again, and what cannot be read', async () => {
    const { store } = scene.bot;
    const { guildId } = scene.sandbox;
    await beginRebuild(store, guildId, scene.clock.now(), null);
    await writeUnread(store, guildId, [rust, `${general}/threads`]);
    const text = await check();
    expect(text).toContain('The lists are being rebuilt');
    for (const part of [`<#${rust}>`, `threads of <#${general}>`])
      expect(text).toMatch(new RegExp(`Articles in [^.]*${part}[^.]* can’t be read`));
    await store.redis.del(storeKeys(store, guildId).rebuild);
    await writeUnread(store, guildId, []);
    expect(await check()).toContain(translate('en', 'check-up.record.ok'));
  });

  test('the check-up of /frontpage panel names a digest whose channel lacks a permission, or is gone', async () => {
    const { operator, world } = scene.sandbox;
    const { cache } = scene.bot.client.channels;
    const { id: place } = operator.createChannel({ name: 'place' });
    await expect.poll(() => cache.has(place)).toBe(true);
    const given = { name: 'placed', channel: place, time: '09:00', timezone: 'UTC' };
    await as(admin).command(general, 'digest set', given);
    const { botId: who } = world.application;
    operator.setPermissions({ channel: place, who, deny: ['EmbedLinks'] });
    await expect.poll(() => JSON.stringify(cache.get(place))).toContain(who);
    const lacking = await check();
    expect(lacking).toMatch(/Placed: [^\n]*Embed Links/);
    expect(lacking).toContain(translate('en', 'check-up.title.broken'));
    operator.deleteChannel({ channel: place });
    await expect.poll(() => cache.has(place)).toBe(false);
    expect(await check()).toMatch(/Placed: [^\n]*A role or channel of this digest was deleted/);
    await as(admin).command(general, 'digest delete', { name: 'placed' });
  });

  test('the check-up of /frontpage panel says why Discord refuses a digest until it is set anew, and the set-up with it', async () => {
    const { store, clock } = scene.bot;
    const { guildId } = scene.sandbox;
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
    const since = { sinceMs: clock.now(), probeAtMs: clock.now() };
    const broken = { reason: 'refused' as const, detail: '50013', ...since };
    await repairRun(store, guildId, 'daily', { ...NO_RUN, broken });
    const refused = `Discord refuses the message in <#${rust}> (code 50013)`;
    expect(await check()).toMatch(new RegExp(`❌ Daily digest[^\\n]*${regExp(refused)}`));
    const lines = descriptionOf(await openSetUp());
    expect(lines).toContain('⚠️ **Daily digest** · Every day at 09:00');
    expect(lines).toContain(`\n-# ${refused}`);
    scene.clock.move(1);
    await as(admin).command(rust, 'digest set', { time: '10:00' });
    expect(await check()).not.toContain(refused);
    expect(descriptionOf(await openSetUp())).toContain('✅ **Daily digest** · Every day at 10:00');
    await as(admin).command(rust, 'digest delete');
  });

  test('the check-up of /frontpage panel says that a weekly digest holds too little of what is posted, and that a daily one is thin', async () => {
    const { guildId: guild } = scene.sandbox;
    const set = (every: string) =>
      as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC', every });
    const remove = (some: string[]) =>
      Promise.all(some.map((id) => deleteArticle(scene.bot.ranking, guild, id)));
    const fromMs = scene.clock.now() - 8 * DAY_MS;
    const busy = Array.from({ length: 40 }, (_, n) =>
      scene.rank({ title: `Busy ${n}`, atMs: fromMs + n * MINUTE_MS }),
    );
    const ids = await Promise.all(busy);
    await set('week');
    expect(await check()).toContain('About 5 links are posted here a day');
    await set('day');
    expect(await check()).toContain('✅ Daily digest');
    await remove(ids.splice(4));
    expect(await check()).toContain('⚠️ Daily digest: Fewer than three links');
    await remove(ids);
    await as(admin).command(rust, 'digest delete');
  });

  test('the check-up of /frontpage panel says what the settings of links need of the host, and counts no link without it', async () => {
    const needs = translate('en', 'settings.lacks.intent');
    for (const name of ['link-channels', 'nomination-channels'] as const) {
      await setSetting(scene.sandbox, name, [rust]);
      const text = await check();
      expect(text).toContain(`❌ ${translate('en', `settings.${name}`)}: ${needs}`);
      expect(text).not.toContain('this week');
      const line = `⚠️ **${translate('en', `settings.${name}`)}** · <#${rust}>\n-# Needs Message`;
      expect(descriptionOf(await openSetUp())).toContain(line);
      await setSetting(scene.sandbox, name, null);
    }
  });

  test('the check-up of /frontpage panel calls no emoji gone where Discord does not say which there are', async () => {
    const { store, rules } = scene.bot;
    const { guildId, faults } = scene.sandbox;
    const set = async (sign: string | null) => {
      await writeSetting(store, guildId, 'up-emoji', sign);
      await rules.refresh(guildId);
    };
    await set('<:gone:1234567890123456789>');
    const said = 'is gone, or not everyone can use it';
    expect(await check()).toContain(said);
    const answered = faults.add({ method: 'GET', route: /emojis/, status: 403, code: 50_001 });
    expect(await check()).not.toContain(said);
    answered();
    await set(null);
  });

  test('the check-up of /frontpage panel names an emoji that only subscribers of another service have', async () => {
    const { store, rules } = scene.bot;
    const { guildId, operator, world } = scene.sandbox;
    const set = async (sign: string | null) => {
      await writeSetting(store, guildId, 'up-emoji', sign);
      await rules.refresh(guildId);
    };
    const id = operator.addEmoji({ name: 'club' });
    await set(`<:club:${id}>`);
    const said = translate('en', 'check-up.emoji.gone', { emoji: ':club:', instead: '👍' });
    expect(await check()).not.toContain(said);
    world.guilds.get(guildId)!.emojis.get(id)!.managed = true;
    expect(await check()).toContain(said);
    await set(null);
  });

  test('the check-up of /frontpage panel counts all that stands in no line, where Frontpage lacks permissions everywhere', async () => {
    const { operator, world } = scene.sandbox;
    const { cache } = scene.bot.client.channels;
    const places = Array.from(
      { length: 9 },
      (_, n) => operator.createChannel({ name: `p${n}` }).id,
    );
    for (const channel of places)
      operator.setPermissions({ channel, who: 'bot', deny: ['EmbedLinks'] });
    const isDenied = () => JSON.stringify(cache.get(places.at(-1)!));
    await expect.poll(isDenied).toContain(world.application.botId);
    const { message } = await openPanel(as(admin), general, 'check-up');
    const lines = message?.embeds[0]?.fields?.[0]?.value.split('\n') ?? [];
    const [, more = 0] = /and (\d+) more/.exec(lines.at(-1) ?? '') ?? [];
    const lacking = lines.filter((line) => line.includes('Embed Links'));
    expect(lacking.length).toBeLessThan(places.length);
    expect(lacking.filter((line) => !line.startsWith('❌'))).toEqual([]);
    // How many can post, threads, and Manage Messages.
    expect(lines.length - 1 + Number(more)).toBe(places.length + 3);
    for (const channel of places) operator.deleteChannel({ channel });
    await expect.poll(() => cache.has(places.at(-1)!)).toBe(false);
  });

  test('the check-up of /frontpage panel warns of a channel that is hidden from Frontpage, calls it broken where articles can be posted in none, and names that first', async () => {
    const { store, rules } = scene.bot;
    const { guildId, operator } = scene.sandbox;
    const { cache } = scene.bot.client.channels;
    const { id: place } = operator.createChannel({ name: 'hidden' });
    const isDenied = () => JSON.stringify(cache.get(place) ?? '');
    const deny = async (name: 'ViewChannel' | 'EmbedLinks') => {
      const before = isDenied();
      operator.setPermissions({ channel: place, who: 'bot', deny: [name] });
      await expect.poll(isDenied).not.toBe(before);
    };
    await expect.poll(() => cache.has(place)).toBe(true);
    await deny('ViewChannel');
    const hidden = await check();
    expect(hidden).toContain(`⚠️ Frontpage is missing permissions in <#${place}>: View Channel`);
    expect(hidden).toContain(translate('en', 'check-up.title.warning'));
    expect(hidden).toContain('✅ Channels in which articles can be posted:');
    await writeSetting(store, guildId, 'groups', [place]);
    await deny('EmbedLinks');
    expect(await check()).toContain('❌ Channels in which articles can be posted: 0 of 1.');
    const [first, ...more] = (await panel())?.embeds[0]?.description?.split('\n') ?? [];
    expect(first).toMatch(/^❌/);
    expect(more.join('\n')).toContain('⚠️');
    await writeSetting(store, guildId, 'groups', []);
    await rules.refresh(guildId);
    operator.deleteChannel({ channel: place });
    await expect.poll(() => cache.has(place)).toBe(false);
  });

  test('the panel says of the board when it comes, why it waits, and that its channel is gone', () => {
    const guild = scene.bot.client.guilds.cache.first()!;
    const now = scene.clock.now();
    const lines = (state: Partial<typeof NO_STATE>, channel = rust) => {
      const choice = { channel, savedAtMs: 0, savedBy: null };
      return boardLines('en', guild, { choice, state: { ...NO_STATE, ...state } }, now).join('\n');
    };
    const when = `Next update: <t:${Math.floor((now + 60_000) / 1000)}:R>.`;
    const restUntilMs = now + 60_000;
    const trouble = { reason: 'gone' as const, detail: '', sinceMs: 0 };
    expect(lines({})).toContain(`It appears in <#${rust}> within a few minutes.`);
    expect(lines({ message: '123' })).toContain(`It’s in <#${rust}>: https://`);
    expect(lines({ message: '123' })).not.toContain('Next update');
    expect(lines({ message: '123', restUntilMs })).toContain(when);
    expect(lines({ message: '123', restUntilMs: now })).not.toContain('Next update');
    expect(lines({ message: '123', deleted: true })).toContain('was deleted, so it isn’t shown');
    expect(lines({ trouble })).toContain('The channel was deleted.');
    expect(lines({ message: '123' }, '404')).toContain('The channel was deleted.');
  });

  test('the panel says what the host has to do where no web page is served', async () => {
    const { message } = await openPanel(as(admin), general, 'web');
    expect(JSON.stringify(message)).toContain('WEB_PORT and WEB_URL');
  });

  test('the check-up of /frontpage panel names a setting whose roles were deleted, which a refusal does not mention', async () => {
    const { store, rules } = scene.bot;
    const { guildId } = scene.sandbox;
    const gone = '123456789012345678';
    await writeSetting(store, guildId, 'post-roles', [gone, guildId]);
    await rules.reload(guildId);
    expect(await check()).toContain('A role chosen here was deleted');
    await writeSetting(store, guildId, 'post-roles', [gone]);
    await rules.reload(guildId);
    expect(await check()).toContain('so nobody can post');
    const values = { link: 'https://roles.example/' };
    const { message } = await as(admin).command(general, 'post', values);
    expect(message?.content).toContain('those roles were deleted');
    await writeSetting(store, guildId, 'post-roles', []);
    await rules.reload(guildId);
  });

  // Withstands (Damaged data): Settings and digests are gone with the rest
  // → the log and the check-up say so
  test('the check-up of /frontpage panel says that settings and digests are missing where articles were read again', async () => {
    const article = await scene.post(admin);
    expect(await check()).not.toContain('settings, digests and blocks are gone');
    const { store } = scene.bot;
    const { complete, digests } = storeKeys(store, scene.sandbox.guildId);
    const before = await store.redis.getset(complete, scene.clock.now() + 11 * MINUTE_MS);
    expect(await check()).toContain('settings, digests and blocks are gone');
    await store.redis.hset(digests, 'daily', '{}');
    expect(await check()).not.toContain('settings, digests and blocks are gone');
    await store.redis.del(digests);
    await store.redis.set(complete, before ?? '');
    await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, article);
  });

  test('the check-up of /frontpage panel names what is missing in a configured channel, and the cure', async () => {
    await setSetting(scene.sandbox, 'log', [rust]);
    const { world, channels } = scene.sandbox;
    const deny = PermissionFlagsBits.SendMessages;
    const { botId } = world.application;
    setOverwrite(world, channels.rust, botId, { kind: 'member', allow: 0n, deny });
    await scene.eventually(check, (text) => text.includes('Send Messages'), 'found');
    expect(await check()).toMatch(
      /Log channel: Frontpage is missing permissions in <#\d+>: Send Messages\. Allow/,
    );
    setOverwrite(world, channels.rust, botId, null);
    await setSetting(scene.sandbox, 'log', []);
  });
});

const descriptionOf = ({ message }: Answer) => message?.embeds[0]?.description ?? '';
const openSetUp = () => openPanel(as(admin), general, 'setup');
const idOf = ({ message }: Answer, action: string) => {
  const shown = JSON.stringify(message?.components);
  return new RegExp(`frontpage\\|setup\\|${action}\\|[^"]*`).exec(shown)?.[0] ?? '';
};
const press = (at: Answer, action: string) =>
  as(admin).press(general, at.message?.id ?? '', idOf(at, action));
const choose = (at: Answer, action: string, value: string) =>
  as(admin).choose(general, at.message?.id ?? '', idOf(at, action), [value]);

/** The sign of the discussion's line for this reader, and what stands below it. */
const lineFor = async (reader: string) =>
  descriptionOf(await openPanel(as(reader), general, 'setup')).match(
    /(.*) \*\*Discussion\*\*[^\n]*\n([^\n]*)/,
  );

describe('the set-up of /frontpage panel', () => {
  test('one button of the set-up does what its four lines say, and changes nothing when it is pressed again', async () => {
    const { guildId } = scene.sandbox;
    const begun = await openSetUp();
    const text = descriptionOf(begun);
    expect(text).toContain(`➕ **Daily digest** · Every day at 09:00, New York · <#${general}>`);
    expect(text).toContain('✅ **Discussion** · with the first reply');
    expect(text).toContain(`➕ **Board** · the ten best, always up to date · <#${general}>`);
    expect(text).toContain('⚠️ **Link channels** · none\n-# Needs Message Content Intent');
    const done = await press(begun, 'all');
    expect(descriptionOf(done)).toContain(
      'Ready, except what has ⚠️. Post the first link with /post.',
    );
    expect(descriptionOf(done)).toMatch(/✅ \*\*Daily digest\*\*.*\n-# Next edition · <t:/);
    expect(descriptionOf(done)).toContain('✅ **Board**');
    expect(idOf(done, 'all')).toBe('');
    const made = await daily();
    expect(made).toMatchObject({
      channel: general,
      schedule: { every: 'day', time: '09:00', zone: 'America/New_York' },
    });
    const board = await scene.bot.board.read(guildId);
    expect(board?.choice.channel).toBe(general);
    scene.clock.move(MINUTE_MS);
    const second = { userId: admin, sourceId: done.message?.id ?? '' };
    await forgeComponent(scene.sandbox, second, 'frontpage|setup|all|||');
    expect(await daily()).toEqual(made);
    expect((await scene.bot.board.read(guildId))?.choice).toEqual(board?.choice);
  });

  test('each line of the set-up can be changed before and after its button', async () => {
    const { guildId } = scene.sandbox;
    await as(admin).command(rust, 'digest delete');
    let at = await press(await openSetUp(), 'board');
    at = await press(at, 'board-down');
    expect(descriptionOf(at)).toContain('➕ **Board**');
    at = await press(await press(at, 'board'), 'leave');
    expect(descriptionOf(at)).toContain('➖ **Board**');
    at = await choose(await press(at, 'digest'), 'time', '18:00');
    at = await choose(at, 'zone', 'Asia/Tokyo');
    expect(descriptionOf(at)).toContain('➕ **Daily digest** · Every day at 18:00, Tokyo');
    expect(await daily()).toBeUndefined();
    at = await press(at, 'lines');
    at = await press(at, 'all');
    expect(await scene.bot.board.read(guildId)).toBeNull();
    expect(await daily()).toMatchObject({
      channel: general,
      schedule: { every: 'day', time: '18:00', zone: 'Asia/Tokyo' },
    });
    at = await choose(await press(at, 'digest'), 'time', '07:00');
    const { operator } = scene.sandbox;
    const maySend = () =>
      scene.bot.client.guilds.cache
        .get(guildId)!
        .members.me!.permissionsIn(rust)
        .has('SendMessages');
    operator.setPermissions({ channel: rust, who: 'bot', deny: ['SendMessages'] });
    await expect.poll(maySend).toBe(false);
    const refused = await choose(at, 'digest-channel', rust);
    expect(refused.message?.content).toContain('Send Messages');
    expect(await daily()).toMatchObject({ channel: general });
    operator.setPermissions({ channel: rust, who: 'bot' });
    await expect.poll(maySend).toBe(true);
    at = await choose(at, 'digest-channel', rust);
    expect(await daily()).toMatchObject({
      channel: rust,
      schedule: { time: '07:00', zone: 'Asia/Tokyo' },
    });
    // The set-up was opened elsewhere, and the digest stays where it is.
    at = await choose(await choose(at, 'time', '08:00'), 'zone', 'Europe/Berlin');
    expect(await daily()).toMatchObject({
      channel: rust,
      schedule: { time: '08:00', zone: 'Europe/Berlin' },
    });
    at = await choose(await press(await press(at, 'lines'), 'links'), 'link-channels', general);
    at = await press(await press(at, 'lines'), 'discussion');
    at = await choose(at, 'discussion-is', 'true');
    expect(descriptionOf(at)).toContain('✅ **Discussion** · with each article');
    expect(await stored()).toMatchObject({ 'link-channels': [general], discussion: true });
    for (const name of ['discussion', 'link-channels'] as const) {
      await setSetting(scene.sandbox, name, null);
    }
  });

  test('a digest that is left out of the set-up can be included again, and its discussion is not left out with it', async () => {
    await as(admin).command(rust, 'digest delete');
    const left = await press(await press(await openSetUp(), 'digest'), 'leave');
    expect(descriptionOf(left)).toContain('➖ **Daily digest**');
    const discussion = await press(left, 'discussion');
    expect(idOf(discussion, 'take')).toBe('');
    const back = await press(discussion, 'lines');
    const taken = await press(await press(back, 'digest'), 'take');
    expect(descriptionOf(taken)).toContain('➕ **Daily digest**');
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
  });

  test('the set-up proposes a channel that everyone sees and in which Frontpage may write: this one, the one for greetings, or the first', async () => {
    const { channels, operator, world, guild } = scene.sandbox;
    const { moderators, forum, ai } = channels;
    const { cache } = scene.bot.client.channels;
    await as(admin).command(rust, 'digest delete');
    const digestIn = async (place: string) => {
      const text = descriptionOf(await openPanel(as(admin), place, 'setup'));
      const lines = text
        .split('\n')
        .filter((line) => /\*\*(?:Daily digest|Digest|Board)\*\*/.test(line));
      // The board goes where the digest goes.
      const found = lines.map((line) => /<#(\d+)>/.exec(line)?.[1] ?? line.slice(0, 2));
      expect(found[1]).toBe(found[0]);
      return found[0];
    };
    expect(await digestIn(ai.id)).toBe(ai.id);
    const first = await digestIn(moderators.id);
    expect(first).not.toBe(moderators.id);
    changeGuild(world, guild, { systemChannelId: ai.id });
    await expect.poll(() => digestIn(moderators.id)).toBe(ai.id);
    const silent = { channel: ai.id, who: world.application.botId };
    operator.setPermissions({ ...silent, deny: ['SendMessages'] });
    await expect.poll(() => JSON.stringify(cache.get(ai.id))).toContain(silent.who);
    expect(await digestIn(moderators.id)).toBe(first);
    operator.setPermissions(silent);
    changeGuild(world, guild, { systemChannelId: null });
    await scene.settled();
    // Where it may write nowhere, this channel is proposed, with the way to allow it.
    const permissions = ['ViewChannel', 'AddReactions'] as const;
    const all = [guild.id, [...guild.roles.values()].find(({ managed }) => managed)!.id];
    const before = all.map((role) => guild.roles.get(role)!.permissions);
    const admins = [...permissions, 'UseApplicationCommands', 'ReadMessageHistory'] as const;
    for (const role of all) operator.setRolePermissions({ role, permissions: [...admins] });
    await scene.settled();
    const post = as(admin).post(forum.id, 'Set up', 'Here?').id;
    await expect.poll(() => cache.has(post)).toBe(true);
    expect(await digestIn(moderators.id)).toBe(moderators.id);
    // A post of a forum is no place for either, though its times can be chosen.
    expect(await digestIn(post)).toBe('⚠️');
    const inPost = await openPanel(as(admin), post, 'setup');
    const id = inPost.message?.id ?? '';
    const at = await as(admin).press(post, id, idOf(inPost, 'digest'));
    const zoned = await as(admin).choose(post, id, idOf(at, 'zone'), ['Asia/Tokyo']);
    const timed = await as(admin).choose(post, id, idOf(zoned, 'time'), ['18:00']);
    for (const value of ['Asia/Tokyo', '18:00'])
      expect(JSON.stringify(timed.message?.components)).toMatch(
        new RegExp(`"value":"${value}"[^}]*"default":true`),
      );
    expect(await daily()).toBeUndefined();
    all.forEach((role, at) => {
      changeRole(world, guild, guild.roles.get(role)!, { permissions: before[at]! });
    });
    await scene.settled();
    expect(await digestIn(moderators.id)).toBe(first);
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
  });

  test('the line of the discussion in the set-up names the channels in which threads cannot be started, of those that its reader may view', async () => {
    const { channels, guildId, operator, world } = scene.sandbox;
    const { botId: who } = world.application;
    const { cache } = scene.bot.client.channels;
    for (const { id } of [channels.rust, channels.moderators]) {
      const allow = id === rust ? [] : (['ViewChannel'] as const);
      operator.setPermissions({
        channel: id,
        who,
        allow: [...allow],
        deny: ['CreatePublicThreads'],
      });
    }
    const isDenied = () => JSON.stringify(cache.get(rust));
    await expect.poll(isDenied).toContain(who);
    await scene.settled();
    const manager = operator.addPerson({ guild: guildId, username: 'manager' });
    operator.giveRole({ member: manager, permissions: ['ManageGuild'] });
    const [, sign, note] = (await lineFor(admin)) ?? [];
    expect(sign).toBe('⚠️');
    for (const { id } of [channels.rust, channels.moderators]) expect(note).toContain(`<#${id}>`);
    const [, , shown] = (await lineFor(manager)) ?? [];
    expect(shown).toContain(`<#${rust}>`);
    expect(shown).not.toContain(channels.moderators.id);
    await setSetting(scene.sandbox, 'discussion', ['false']);
    const [, left, below] = (await lineFor(admin)) ?? [];
    expect(left).toBe('➖');
    expect(below).not.toContain('Create Public Threads');
    await setSetting(scene.sandbox, 'discussion', null);
    operator.setPermissions({ channel: rust, who });
    operator.setPermissions({ channel: channels.moderators.id, who, allow: ['ViewChannel'] });
    await expect.poll(isDenied).not.toContain(who);
  });

  test('the set-up shows the zone and the time that were given by command among its own', async () => {
    const given = { time: '09:37', timezone: 'Asia/Kathmandu' };
    await as(admin).command(rust, 'digest set', given);
    const { message } = await press(await openSetUp(), 'digest');
    const options = JSON.stringify(message?.components);
    for (const value of Object.values(given))
      expect(options).toMatch(new RegExp(`"value":"${value}"[^}]*"default":true`));
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
  });

  test('a forged line of the set-up that its server does not have shows all that there are', async () => {
    const shown = await openSetUp();
    const source = { userId: admin, sourceId: shown.message?.id ?? '' };
    const forged = await forgeComponent(scene.sandbox, source, 'frontpage|setup|feeds|||');
    expect(descriptionOf(forged)).toBe(descriptionOf(shown));
  });

  test.each([
    ['zone|||', null],
    ['time|||', null],
    ['board-channel|||', null],
    ['zone|||', 'Nowhere/Land'],
    ['time|||', '25:00'],
    ['digest-channel|||', '1234567890123456'],
    ['board-channel|||', '1234567890123456'],
    ['link-channels|||', '1234567890123456'],
    ['nomination-channels|||', '1234567890123456'],
    ['discussion-is|||', 'maybe'],
    ['votes-are|||', 'down'],
    ['everybody|1234567890123456|||', 'x'],
    ['no such action|||', 'x'],
  ])('a forged %s = %s in the set-up changes nothing', async (what, value) => {
    const shown = await openSetUp();
    const now = async () => [
      await stored(),
      await daily(),
      await scene.bot.board.read(scene.sandbox.guildId),
    ];
    const before = await now();
    const source = { userId: admin, sourceId: shown.message?.id ?? '' };
    const values = value === null ? undefined : [value];
    const forged = await forgeComponent(scene.sandbox, source, `frontpage|setup|${what}`, values);
    expect(forged.ephemeral).toBe(true);
    expect(forged.message?.content).not.toBe('');
    expect(await now()).toEqual(before);
  });

  test('the set-up of a digest and a board whose channel is gone chooses none for them, and offers no edition', async () => {
    const { guildId, operator } = scene.sandbox;
    const { cache } = scene.bot.client.channels;
    const { id: place } = operator.createChannel({ name: 'place' });
    await expect.poll(() => cache.has(place)).toBe(true);
    const article = await scene.post(admin);
    await scene.vote(member, article);
    await as(admin).command(rust, 'digest set', { channel: place });
    await scene.bot.board.put(guildId, place, admin);
    const chosen = async (line: string) =>
      JSON.stringify((await press(await openSetUp(), line)).message?.components);
    const isOffered = async () => idOf(await openSetUp(), 'edition') !== '';
    for (const line of ['digest', 'board']) expect(await chosen(line)).toContain(place);
    expect(await isOffered()).toBe(true);
    operator.deleteChannel({ channel: place });
    await expect.poll(() => cache.has(place)).toBe(false);
    for (const line of ['digest', 'board']) expect(await chosen(line)).not.toContain(place);
    expect(await isOffered()).toBe(false);
    const { store } = scene.bot;
    const { digest } = (await readDigest(store, guildId, 'daily'))!;
    await saveDigest(store, guildId, 'daily', { ...digest, groups: [place] });
    const text = descriptionOf(await openSetUp());
    expect(text).toMatch(/⚠️ \*\*Daily digest\*\*.*\n-# Its channel was deleted/);
    expect(text).not.toContain('own articles');
    await saveDigest(store, guildId, 'daily', digest);
    await scene.bot.board.takeDown(guildId);
    await as(admin).command(rust, 'digest set', { channel: rust });
    await deleteArticle(scene.bot.ranking, guildId, article);
  });

  test('a digest that is put into a channel which not everyone sees by the set-up is of that channel', async () => {
    const { moderators } = scene.sandbox.channels;
    expect(await daily()).toMatchObject({ channel: rust, groups: [] });
    const at = await press(await openSetUp(), 'digest');
    await choose(at, 'digest-channel', moderators.id);
    expect(await daily()).toMatchObject({ channel: moderators.id, groups: [moderators.id] });
    await as(admin).command(rust, 'digest delete');
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
  });

  test('the set-up looks after the one digest of a server, whatever its name', async () => {
    await as(admin).command(rust, 'digest delete');
    const name = 'science';
    await as(admin).command(rust, 'digest set', { name, time: '09:00', timezone: 'UTC' });
    const at = await openSetUp();
    expect(descriptionOf(at)).toContain('✅ **Science** · Every day at 09:00');
    const changed = await choose(await press(at, 'digest'), 'time', '18:00');
    expect(descriptionOf(changed)).toContain('✅ **Science** · Every day at 18:00');
    expect(await daily()).toBeUndefined();
    await as(admin).command(rust, 'digest delete', { name });
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
  });

  test('the line of the board in the set-up needs nothing of a permission that is back', async () => {
    const { guildId } = scene.sandbox;
    await press(await openSetUp(), 'all');
    const board = await scene.bot.board.read(guildId);
    const trouble = { reason: 'missing' as const, detail: 'EmbedLinks', sinceMs: 0 };
    await writeBoardState(scene.bot.store, guildId, { ...board!.state, trouble });
    expect(descriptionOf(await openSetUp())).toContain('✅ **Board**');
    await scene.bot.board.takeDown(guildId);
  });

  test('a permission that is missing stands in its line of the set-up with the way to give it, and the button leaves that line', async () => {
    await as(admin).command(rust, 'digest delete');
    const { world, channels } = scene.sandbox;
    const { botId } = world.application;
    const deny = PermissionFlagsBits.ReadMessageHistory;
    setOverwrite(world, channels.general, botId, { kind: 'member', allow: 0n, deny });
    const lacking = await scene.eventually(
      openSetUp,
      (answer) => descriptionOf(answer).includes('Read Message History'),
      'lacking',
    );
    expect(descriptionOf(lacking)).toMatch(
      /⚠️ \*\*Daily digest\*\*.*\n-# .*Read Message History\. Allow them/,
    );
    const done = await press(lacking, 'all');
    expect(descriptionOf(done)).toContain('✅ **Board**');
    expect(await daily()).toBeUndefined();
    setOverwrite(world, channels.general, botId, null);
    await scene.eventually(openSetUp, (answer) => idOf(answer, 'all') !== '', 'allowed');
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
  });

  test('the set-up of /frontpage panel ends with what is there, and posts an edition at once if something is to be posted', async () => {
    const { guildId, world } = scene.sandbox;
    const id = await scene.post(admin, { title: 'Voted for' });
    as(member).react(general, id, '👍');
    await scene.eventually(
      async () => (await scene.article(id))?.up,
      (up) => up === 2,
      'counted',
    );
    const done = await openSetUp();
    expect(descriptionOf(done)).toMatch(/in the lists already: \/top shows the best/);
    const posted = await press(done, 'edition');
    expect(posted.message?.content).toContain(`https://discord.com/channels/${guildId}/${rust}/`);
    const channel = world.channels.get(rust)!;
    const edition = channel.messages.get(channel.messageIds.at(-1)!)!;
    expect(edition.content).toContain('Voted for');
    await deleteArticle(scene.bot.ranking, guildId, id);
  });

  test('the set-up of /frontpage panel proposes a weekly digest where little is posted, and makes that', async () => {
    const { guildId, world } = scene.sandbox;
    await as(admin).command(rust, 'digest delete');
    const ids = [20, 10, 5].map((days) => world.snowflake(scene.clock.now() - days * DAY_MS));
    for (const id of ids) {
      const link = `https://news.example/${id}`;
      const of = { guild: guildId, id, title: 'Rare', link, linkName: link, poster: admin };
      await postArticle(scene.bot.ranking, { ...of, home: general, listed: true });
    }
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
    const better = translate('en', 'check-up.digest.week');
    expect(await check()).toContain(`⚠️ Daily digest: ${better}`);
    expect(descriptionOf(await openSetUp())).toContain('✅ **Daily digest**');
    await as(admin).command(rust, 'digest delete');
    const why = translate('en', 'setup.weekly');
    const begun = await openSetUp();
    expect(descriptionOf(begun)).toContain('➕ **Weekly digest** · Every Sunday at 09:00');
    expect(descriptionOf(begun)).toContain(why);
    expect(descriptionOf(await press(begun, 'all'))).not.toContain(why);
    expect(await check()).not.toContain(better);
    const weekly = await readDigest(scene.bot.store, guildId, 'weekly');
    expect(weekly?.digest.schedule).toMatchObject({ every: 'week', weekdays: [7] });
    await as(admin).command(rust, 'digest delete', { name: 'weekly' });
    for (const article of ids) await deleteArticle(scene.bot.ranking, guildId, article);
    await as(admin).command(rust, 'digest set', { time: '09:00', timezone: 'UTC' });
  });

  test('a guild that adds the bot again is greeted with a button that begins the set-up', async () => {
    const { world, guild } = scene.sandbox;
    await as(admin).command(rust, 'digest set', { every: 'week', days: 'sunday' });
    removeMember(world, guild, world.application.botId);
    await scene.eventually(
      () => scene.bot.client.guilds.cache.has(guild.id),
      (has) => !has,
      'removed',
    );
    const roleIds = [...guild.roles.values()]
      .filter(({ name }) => name === world.application.name)
      .map(({ id }) => id);
    addMember(world, guild, world.application.botId, { roleIds });
    const greeting = await scene.eventually(
      () =>
        as(member)
          .messages(general)
          .find(({ embeds }) => embeds[0]?.title === 'Welcome back.'),
      Boolean,
      'greeted',
    );
    const id = greeting?.id ?? '';
    expect(greeting?.embeds[0]?.description).toContain('Weekly digest');
    const refused = await as(member).press(general, id, 'frontpage|setup|start');
    expect(refused.ephemeral).toBe(true);
    expect(refused.message?.embeds).toEqual([]);
    const begun = await as(admin).press(general, id, 'frontpage|setup|start');
    expect(begun).toMatchObject({ kind: 'message', ephemeral: true });
    expect(begun.message?.embeds).toHaveLength(1);
  });
});

/** Presses it, and resolves with what it says in the end. */
async function repair(what: 'recount' | 'rebuild') {
  const { message } = await openPanel(as(admin), general, 'check-up');
  const begun = await as(admin).press(general, message?.id ?? '', `frontpage|${what}|open`);
  expect(begun.ephemeral).toBe(true);
  const said = () =>
    as(admin)
      .messages(general)
      .find(({ id }) => id === begun.message?.id)?.content ?? '';
  return scene.eventually(said, (text) => !text.startsWith('Reading'), 'repaired');
}

const panel = async () => (await as(admin).command(general, 'frontpage panel')).message;

describe('the repairs of /frontpage panel', () => {
  test('a recount by the panel counts what was missed, and says what it put right and what it could not read', async () => {
    const { operator, world } = scene.sandbox;
    const article = await scene.post(admin);
    const hidden = await scene.post(admin, { channel: rust });
    expect(await repair('recount')).toContain('All votes were right.');
    scene.secretly(() => scene.react(member, article, '👍'));
    expect(await repair('recount')).toContain('Votes added: 1, taken away: 0, switched: 0');
    expect(await scene.article(article)).toMatchObject({ up: 2 });
    // As many as before, of whom one is another.
    scene.secretly(() => {
      scene.unreact(member, article, '👍');
      scene.react(scene.sandbox.moderator, article, '👍');
    });
    expect(await repair('recount')).toContain('Votes added: 1, taken away: 1, switched: 0');
    const bot = { channel: rust, who: world.application.botId };
    operator.setPermissions({ ...bot, deny: ['ReadMessageHistory'] });
    const isDenied = () => JSON.stringify(scene.bot.client.channels.cache.get(rust));
    await expect.poll(isDenied).toContain(world.application.botId);
    const said = await repair('recount');
    operator.setPermissions(bot);
    expect(said).toMatch(new RegExp(`\\d+ articles? in <#${rust}> could not be read`));
    expect(await scene.article(hidden)).not.toBeNull();
  });

  test('a rebuild by the panel brings back what the lists have lost, says how much there is, and ends as one', async () => {
    const { guildId } = scene.sandbox;
    const { ranking, rebuilding } = scene.bot;
    const article = await scene.post(admin, { title: 'Lost once' });
    await deleteArticle(ranking, guildId, article);
    const said = await repair('rebuild');
    expect(said).toMatch(/^Done: \d+ articles are in place/);
    expect(await scene.article(article)).toMatchObject({ title: 'Lost once' });
    expect(rebuilding.has(guildId)).toBe(false);
  });

  test('a rebuild by the panel names the channels that it could not read, and a second one says that the first goes on', async () => {
    const { guildId, operator, world } = scene.sandbox;
    const { store } = scene.bot;
    const bot = { channel: rust, who: world.application.botId };
    operator.setPermissions({ ...bot, deny: ['ReadMessageHistory'] });
    const isDenied = () => JSON.stringify(scene.bot.client.channels.cache.get(rust));
    await expect.poll(isDenied).toContain(world.application.botId);
    const said = await repair('rebuild');
    operator.setPermissions(bot);
    await expect.poll(isDenied).not.toContain(world.application.botId);
    expect(said).toMatch(new RegExp(`Couldn’t read [^\\n]*<#${rust}>`));
    const key = storeKeys(store, guildId).lease('rebuild');
    await takeLease(store, { key }, scene.clock.now());
    expect(await repair('rebuild')).toContain('A rebuild is already running: 0 articles so far.');
    await beginRebuild(store, guildId, scene.clock.now(), null);
    const { rebuild } = storeKeys(store, guildId);
    const begun = (await store.redis.hget(rebuild, 'state')) ?? '';
    await store.redis.hset(rebuild, 'state', begun.replace('"articles":0', '"articles":7'));
    expect(await repair('rebuild')).toContain('A rebuild is already running: 7 articles so far.');
    await store.redis.del(key, rebuild);
    expect(await repair('rebuild')).not.toContain('Couldn’t read');
  });

  test('a rebuild by the panel that ends with the process says that it goes on', async () => {
    const { guildId } = scene.sandbox;
    const { store, stopping } = scene.bot;
    const { message } = await openPanel(as(admin), general, 'check-up');
    const { rebuild } = storeKeys(store, guildId);
    const begin = () => as(admin).press(general, message?.id ?? '', 'frontpage|rebuild|open');
    const said = () => as(admin).messages(general).at(-1)?.content;
    await store.redis.set(rebuild, 'damaged');
    await begin();
    await expect.poll(said).toContain('Something went wrong');
    scene.bot.stopping = AbortSignal.abort();
    await begin();
    await expect.poll(said).toBe(translate('en', 'rebuild.goes-on'));
    scene.bot.stopping = stopping;
    await store.redis.del(rebuild);
  });

  test('the panel says that all is well where it is, with three of the digests, and no step that is done', async () => {
    const { operator, world } = scene.sandbox;
    const { botId } = world.application;
    const names = ['daily', 'first', 'second', 'third'];
    for (const name of names) await as(admin).command(rust, 'digest delete', { name });
    for (const title of ['First of two', 'Second of two'])
      await scene.rank({ title, atMs: scene.clock.now() - DAY_MS });
    const before = await panel();
    expect(before?.embeds[0]?.description).toContain('⚠️');
    expect(before?.embeds[0]?.description).not.toContain('all well');
    expect(JSON.stringify(before?.components)).toContain('frontpage|setup|open');
    operator.giveRole({ member: botId, permissions: ['ManageMessages'] });
    const given = { time: '09:00', timezone: 'UTC' };
    for (const name of names) await as(admin).command(rust, 'digest set', { ...given, name });
    const text = await scene.eventually(
      async () => (await panel())?.embeds[0]?.description ?? '',
      (shown) => shown.includes('all well'),
      'well',
    );
    expect(text).not.toContain('⚠️');
    const { store, ranking } = scene.bot;
    const { guildId: guild } = scene.sandbox;
    const all = { guild, group: null, order: 'time', page: 1, pageSize: 1 } as const;
    const { total } = await listArticles(ranking, all);
    const { length } = await listEditions(store, guild);
    expect(text).toMatch(new RegExp(`\\b${total} articles, ${length} editions?, all well\\.`));
    expect(names.filter((name) => new RegExp(name, 'i').test(text))).toHaveLength(3);
    expect(JSON.stringify((await panel())?.components)).not.toContain('frontpage|setup|open');
    expect(await check()).toContain(translate('en', 'check-up.title.ok'));
  });
});

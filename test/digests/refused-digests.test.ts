import { PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import {
  createChannel,
  deleteChannel,
} from '../../discord-box/src/world/channels/change-channel.ts';
import {
  changeGuild,
  createGuild,
  setUnavailable,
} from '../../discord-box/src/world/guilds/change-guild.ts';
import { addMember, changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { translate } from '../../src/text/catalogue.ts';
import { endTimeout, suspensionOf } from '../../src/discord/access/permissions.ts';
import { readDigest } from '../../src/digests/stored-digests.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { CLAIM_MS } from '../../src/digests/posting/run-digest.ts';
import { pausedAt } from './dying-process.ts';
import { type DigestScene, startDigestScene, SIX } from './digest-scene.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

const SENDS = /^\/channels\/[^/]+\/messages$/;

function told(): string[] {
  const admin = scene.sandbox.as(scene.sandbox.admin);
  return admin.messages(admin.directMessages().id).map(({ content }) => content);
}

async function broken() {
  return (await readDigest(scene.context.store, scene.guild, 'daily'))?.run.broken;
}

/** Ticks once a minute, or each time that so many have passed. */
async function minutes(count: number, each = 1): Promise<void> {
  for (let at = 0; at < count; at += each) {
    scene.clock.move(each * MINUTE_MS);
    await scene.tick();
  }
}

describe('a digest whose channel lacks a permission', () => {
  beforeEach(async () => {
    await scene.setUp('daily', { savedBy: scene.sandbox.admin });
    await scene.postArticles(['Best']);
    await scene.permit(P.EmbedLinks, false);
  });
  afterAll(() => scene.permit(P.EmbedLinks, true));

  test('a digest whose channel lacks a permission asks nothing of Discord, tells once, and comes late when it is repaired', async () => {
    scene.goTo(SIX);
    await minutes(3);
    await minutes(90, 15);
    expect(scene.sandbox.requests.count('POST', SENDS)).toBe(1); // The admin's message.
    expect(await broken()).toMatchObject({ reason: 'missing', detail: 'EmbedLinks' });
    expect(told()).toEqual([expect.stringContaining('Embed Links')]);
    expect(told()[0]).toContain('looks again every minute, for twelve hours');
    expect(told()[0]).toContain('Daily digest');
    expect(told()[0]).toContain(`<#${scene.channel}>`);
    await scene.permit(P.EmbedLinks, true);
    await minutes(2);
    expect(scene.titles()).toEqual([['Best']]);
    expect(await broken()).toBeNull();
    expect(told()).toHaveLength(1);
  });

  test('of a digest whose channel lacks a permission its manager hears, and the server’s own channel where they cannot', async () => {
    const { world, guild, channels, admin, faults } = scene.sandbox;
    await writeSetting(scene.context.store, scene.guild, 'language', 'de');
    changeGuild(world, guild, { systemChannelId: channels.general.id });
    const inGeneral = () => scene.sandbox.as(admin).messages(channels.general.id).length;
    scene.goTo(SIX);
    await scene.tick();
    expect([told().length, inGeneral()]).toEqual([1, 0]);
    // In the server's language.
    expect(told()[0]).toMatch(/„Tägliche Auslese“ kann nicht .*Links einbetten.*jede Minute/s);
    await scene.setUp('other', { savedBy: admin });
    const direct = scene.sandbox.as(admin).directMessages();
    const path = new RegExp(`channels/${direct.id}/messages$`);
    faults.add({ method: 'POST', path, status: 403, code: 50_007 });
    scene.goTo(SIX + 24 * HOUR_MS);
    await scene.tick();
    changeGuild(world, guild, { systemChannelId: null });
    expect([told().length, inGeneral()]).toEqual([1, 1]);
  });

  test('a digest whose channel lacks a permission since the bot is timed out comes a minute after that ends', async () => {
    await scene.permit(P.EmbedLinks, true);
    const { world, guild } = scene.sandbox;
    const me = guild.members.get(world.application.botId)!;
    changeMember(world, guild, me, { timedOutUntilMs: SIX + 10 * MINUTE_MS });
    await scene.eventually(
      () => suspensionOf(scene.bot.client.guilds.cache.get(guild.id)!),
      (found) => found !== null,
      'timed out',
    );
    scene.goTo(SIX);
    await minutes(10);
    expect(scene.titles()).toEqual([]);
    // As the minute's work does: Discord tells nothing of the end.
    endTimeout(scene.bot.client.guilds.cache.get(guild.id)!, scene.clock.now());
    await minutes(2);
    // The clock goes back for the next test.
    changeMember(world, guild, me, { timedOutUntilMs: null });
    expect(scene.titles()).toEqual([['Best']]);
  });

  test('a digest whose channel lacks a permission is tried again at once when its settings are saved anew', async () => {
    scene.goTo(SIX);
    await scene.tick();
    await scene.permit(P.EmbedLinks, true);
    const { general } = scene.sandbox.channels;
    await scene.sandbox
      .as(scene.sandbox.admin)
      .command(general.id, 'digest set', { time: '18:00' });
    await minutes(1);
    expect(scene.titles()).toEqual([['Best']]);
  });

  // Withstands (Time): A digest’s channel refuses it for a day
  // → the next edition has its articles
  test('a digest whose channel lacks a permission is left out after twelve hours, and the next one has its articles', async () => {
    scene.goTo(SIX);
    for (let hour = 0; hour <= 13; hour += 1) {
      await scene.tick();
      scene.clock.move(HOUR_MS);
    }
    expect(told()).toHaveLength(1);
    // What comes next is said to be the next one, and not that of yesterday.
    const stored = await readDigest(scene.context.store, scene.guild, 'daily');
    expect(stored?.run.lastSlotMs).toBe(SIX);
    await scene.postArticles(['Fresh']);
    scene.goTo(SIX + 24 * HOUR_MS);
    await scene.tick();
    // Its manager knows of it since yesterday.
    expect(told()).toHaveLength(1);
    await scene.permit(P.EmbedLinks, true);
    await minutes(2);
    expect(scene.titles()).toEqual([['Fresh', 'Best']]);
  });
});

describe('a digest that Discord refuses', () => {
  test('a digest that Discord refuses to a process that stood still is told of by nobody where another has posted it', async () => {
    await scene.setUp('daily', { savedBy: scene.sandbox.admin });
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 403, code: 50013, times: 1 });
    const slow = pausedAt(scene.context, { step: 'releaseLease' }, async () => {
      scene.clock.move(CLAIM_MS);
      expect(await scene.runDigest()).toBe('posted');
    });
    await scene.runDigest('daily', slow);
    expect(scene.titles()).toEqual([['Best']]);
    expect(await broken()).toBeNull();
    expect(told()).toEqual([]);
  });

  test.each(['POST', 'GET'])(
    'a digest that Discord refuses to %s is tried once an hour',
    async (method) => {
      await scene.setUp('daily', {});
      await scene.postArticles(['Best']);
      scene.goTo(SIX);
      scene.sandbox.faults.add({ method, route: SENDS, status: 403, code: 50013 });
      await minutes(1);
      const sinceMs = (await broken())?.sinceMs;
      await minutes(3);
      await minutes(150, 10);
      const { requests, faults } = scene.sandbox;
      const refused = requests.count(method, SENDS, 403);
      expect(refused).toBeGreaterThanOrEqual(3);
      expect(refused).toBeLessThanOrEqual(5); // Three tries, and the places to tell of it.
      expect(await broken()).toMatchObject({ reason: 'refused', sinceMs });
      faults.clear();
      await minutes(60, 10);
      expect(scene.titles()).toEqual([['Best']]);
    },
  );

  test('a digest that Discord refuses by a page of a proxy is tried again the next minute', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 403 });
    await scene.tick();
    end();
    await minutes(2);
    expect(scene.titles()).toEqual([['Best']]);
  });

  test('a digest that Discord refuses comes with the tallies of the hour in which it is accepted', async () => {
    await scene.setUp('daily', {});
    const [, second = ''] = await scene.postArticles(['Best', 'Second']);
    scene.goTo(SIX);
    const end = scene.sandbox.faults.add({
      method: 'POST',
      route: SENDS,
      status: 403,
      code: 50013,
    });
    await scene.tick();
    end();
    for (const member of ['11', '12', '13']) {
      const vote = { guild: scene.guild, article: second, member, vote: 'up' as const };
      await setVote(scene.context.ranking, vote, scene.clock.now());
    }
    scene.clock.move(HOUR_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Second', 'Best']]);
  });
});

describe('a digest whose channel is deleted', () => {
  test('a digest whose channel is deleted is marked as broken, and says so when it is shown', async () => {
    const { world, guildId } = scene.sandbox;
    const doomed = createChannel(world, { name: 'doomed', guildId });
    await scene.setUp('daily', { channel: doomed.id });
    await scene.postArticles(['Best']);
    deleteChannel(world, doomed);
    scene.goTo(SIX);
    await scene.tick();
    expect(await broken()).toMatchObject({ reason: 'gone' });
    const { general } = scene.sandbox.channels;
    const shown = await scene.sandbox.as(scene.sandbox.admin).command(general.id, 'digest show');
    const fields = shown.message?.embeds[0]?.fields ?? [];
    expect(fields.map(({ value }) => value).join()).toContain('channel was deleted');
  });

  test.each<[string, { status: number; code?: number }, { reason?: string; detail?: string }]>([
    [
      'that Discord hides from it',
      { status: 403, code: 50_001 },
      { reason: 'missing', detail: 'ViewChannel' },
    ],
    ['that Discord knows no more', { status: 404, code: 10_003 }, { reason: 'gone', detail: '' }],
    ['that Discord does not tell of now', { status: 500 }, {}],
  ])('a digest in a channel %s is not taken for another fault', async (_, answer, trouble) => {
    const channel = scene.sandbox.world.snowflake(scene.clock.now());
    await scene.setUp('daily', { channel });
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    scene.sandbox.faults.add({ method: 'GET', route: /^\/channels\/[^/]+$/, ...answer });
    await scene.tick();
    const { reason, detail } = (await broken()) ?? {};
    expect({ reason, detail }).toEqual(trouble);
  });

  test('a digest that is in trouble says so in the list of several, and the others do not', async () => {
    await scene.setUp('daily', { channel: scene.sandbox.world.snowflake(scene.clock.now()) });
    await scene.setUp('other', { postEmpty: true });
    scene.goTo(SIX);
    await scene.tick();
    const { general } = scene.sandbox.channels;
    const { message } = await scene.sandbox
      .as(scene.sandbox.admin)
      .command(general.id, 'digest show');
    const lines = message?.embeds[0]?.description?.split('\n') ?? [];
    const says = translate('en', 'digest.show.trouble');
    expect(lines.map((line) => [line.split('**')[1], line.includes(says)])).toEqual([
      ['Daily digest', true],
      ['Other', false],
    ]);
  });
});

test('a digest that is due in an outage of its server comes after it, and is not marked as broken', async () => {
  const { world, guild } = scene.sandbox;
  const isThere = () => scene.bot.client.guilds.cache.get(guild.id)?.available === true;
  await scene.setUp('daily', {});
  await scene.postArticles(['Best']);
  setUnavailable(world, guild, true);
  await scene.eventually(isThere, (is) => !is, 'away');
  scene.goTo(SIX);
  expect(await scene.runDigest()).toBe('idle');
  expect(await broken()).toBeNull();
  setUnavailable(world, guild, false);
  await scene.eventually(isThere, (is) => is, 'back');
  expect(await scene.runDigest()).toBe('posted');
});

test('a digest whose channel is of another server is not posted there', async () => {
  const { world, admin } = scene.sandbox;
  const other = createGuild(world, { name: 'Elsewhere', ownerId: admin });
  const channel = createChannel(world, { guildId: other.id, name: 'news' });
  addMember(world, other, world.application.botId);
  await scene.setUp('daily', { channel: channel.id });
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  await scene.tick();
  const said = [...channel.messages.values()].map(({ content }) => content);
  expect(said.filter((content) => content.startsWith('## '))).toEqual([]);
  expect(await broken()).toMatchObject({ reason: 'gone' });
});

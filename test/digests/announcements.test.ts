import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeGuild, setUnavailable } from '../../discord-box/src/world/guilds/change-guild.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { announceInteresting } from '../../src/digests/announcements.ts';
import {
  openDigestContext,
  type DigestContext,
} from '../../src/digests/posting/posting-context.ts';
import { digestKinds } from '../../src/digests/run-due.ts';
import type { Held } from '../../src/due/kind.ts';
import { announceFromNow, planFromData, readDue } from './due-digests.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { declareIncomplete } from '../../src/history/rebuild/stored-rebuilds.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { takeLease } from '../../src/redis/lease.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { deleteBlock, writeBlock } from '../../src/community/blocks.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { translate } from '../../src/text/catalogue.ts';
import { deleteArticle, postArticle } from '../../src/ranking/articles/articles.ts';
import { snowflakeTimeMs } from '../../src/runtime/snowflake.ts';
import { retitleArticle } from '../../src/ranking/articles/edit.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { checkGuild } from '../../src/ranking/articles/check.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { dyingAt, pausedAt } from './dying-process.ts';
import { type DigestScene, startDigestScene } from './digest-scene.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  await scene.clear();
  await setScale(scene.context.ranking, scene.guild, { mark: 3 });
  await setRanked(true);
});

/** Whether the ranking holds all of the guild, or is yet to be rebuilt from the record. */
async function setRanked(isRanked: boolean): Promise<void> {
  const { complete } = storeKeys(scene.context.store, scene.guild);
  if (isRanked) await scene.redis.redis.set(complete, scene.clock.now());
  else await scene.redis.redis.del(complete);
}

const sends = /^\/channels\/[^/]+\/messages$/;
/** Of members that exist nowhere else. */
let voters = 0;

async function votes(article: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    voters += 1;
    const member = String(900_000 + voters);
    const vote = { guild: scene.guild, article, member, vote: 'up' as const };
    await setVote(scene.context.ranking, vote, scene.clock.now());
  }
}

function titles(): string[] {
  const lines = scene.posted().flatMap(({ content }) => content.split('\n'));
  return lines.flatMap((line) => /^★ \[(.+)\]\(/.exec(line)?.[1] ?? []);
}

const announce = (context: DigestContext = scene.context) =>
  announceInteresting(context, scene.guild);

async function switchOn(channel: string | null = scene.channel): Promise<void> {
  await writeSetting(scene.context.store, scene.guild, 'announcements', channel);
  await announceFromNow(scene.context.store, scene.guild);
  await scene.tick();
}

/** An article with one vote. */
async function article(title: string): Promise<string> {
  const [id = ''] = await scene.postArticles([title], undefined, 1);
  return id;
}

/** An article that closed as an interesting one. */
async function starred(title: string, daysAgo: number): Promise<void> {
  const id = scene.sandbox.world.snowflake(scene.clock.now() - daysAgo * DAY_MS);
  const link = `https://example.com/${id}`;
  const home = scene.sandbox.channels.general.id;
  const tally = { up: 9, down: 0, closed: true, starred: true };
  const of = { guild: scene.guild, id, title, link, linkName: link, home, listed: true, tally };
  await postArticle(scene.context.ranking, { ...of, poster: scene.sandbox.admin });
}

describe('an article that becomes interesting', () => {
  test('an announcement does not name an article that was removed while its channel was looked at', async () => {
    const { ranking } = scene.context;
    await switchOn();
    const [first, second] = [await article('First'), await article('Second')];
    await votes(first, 3);
    await votes(second, 3);
    const removing = pausedAt(scene.context, { step: 'readBack' }, () =>
      removeArticle(ranking, scene.guild, first, scene.clock.now()),
    );
    await announce(removing);
    await announce();
    expect(titles()).toEqual(['Second']);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['was removed', (id) => removeArticle(scene.context.ranking, scene.guild, id, 0)],
    ['lost its ★', () => setScale(scene.context.ranking, scene.guild, { mark: 8 })],
  ])(
    'an article that %s while its channel was looked at is not announced, and nothing counts as refused',
    async (_, change) => {
      await switchOn();
      const id = await article('Alone');
      await votes(id, 3);
      const changing = pausedAt(scene.context, { step: 'readBack' }, () => change(id));
      expect(await announce(changing)).not.toHaveProperty('trouble');
      expect(scene.posted()).toEqual([]);
    },
  );

  test('an article that becomes interesting is announced once, with the way to its votes', async () => {
    await switchOn();
    const id = await article('Good one');
    await announce();
    expect(titles()).toEqual([]);
    await votes(id, 2);
    await announce();
    await votes(id, 3);
    await announce();
    scene.clock.move(2 * HOUR_MS);
    await scene.tick();
    const [message] = scene.posted();
    const { general } = scene.sandbox.channels;
    const seconds = Math.floor(snowflakeTimeMs(id) / 1000);
    expect(message?.content).toBe(
      `★ [Good one](https://example.com/${id}) · example.com is one of the best here lately.\n` +
        `-# ▲ 3 · <@${scene.sandbox.members[0]}> · <#${general.id}> · <t:${seconds}:R> · [vote](https://discord.com/channels/${scene.guild}/${general.id}/${id})`,
    );
    expect(scene.posted()).toHaveLength(1);
    expect(message?.mentions).toEqual([]);
  });

  test('an article that becomes interesting is told of in the server’s language', async () => {
    await writeSetting(scene.context.store, scene.guild, 'language', 'de');
    await switchOn();
    const id = await article('Gut');
    await votes(id, 2);
    await announce();
    const named = `[Gut](https://example.com/${id}) · example.com`;
    const [line] = scene.posted().map(({ content }) => content.split('\n')[0]);
    expect(line).toBe(translate('de', 'announcement.line', { article: named }));
  });

  test('an article that becomes interesting by a correction is no news once its votes are final', async () => {
    await switchOn();
    await starred('Of last week but one', 9);
    await announce();
    expect(titles()).toEqual([]);
    await starred('Of two days ago', 2);
    await announce();
    expect(titles()).toEqual(['Of two days ago']);
  });

  test('an article that becomes interesting with a title and a link full of brackets stops no other, and all are announced', async () => {
    await switchOn();
    const signs = '*_'.repeat(49);
    const ids = await scene.postArticles([`1 ${signs}`, `2 ${signs}`, `3 ${signs}`], undefined, 3);
    const texts = guildKeys(scene.context.ranking, scene.guild).texts;
    for (const id of ids) {
      const link = `https://example.com/${id}/${'('.repeat(160)}`;
      const [, title] = (await scene.redis.redis.hget(texts, id))!.split('\n');
      await scene.redis.redis.hset(texts, id, `${link}\n${title}`);
    }
    await announce();
    const said = scene
      .posted()
      .map(({ content }) => content)
      .join('\n');
    for (const n of [1, 2, 3]) expect(said).toContain(`${n} \\*`);
  });

  test('an article that becomes interesting with two whose titles and links are long comes in a message of its own, with its link', async () => {
    await switchOn();
    const signs = '*_'.repeat(49);
    const ids = await scene.postArticles([`1 ${signs}`, `2 ${signs}`, `3 ${signs}`], undefined, 3);
    const { texts } = guildKeys(scene.context.ranking, scene.guild);
    const host = `https://${'a'.repeat(48)}.example`;
    for (const id of ids) {
      const [, title] = (await scene.redis.redis.hget(texts, id))!.split('\n');
      await scene.redis.redis.hset(texts, id, `${`${host}/${id}/`.padEnd(200, 'x')}\n${title}`);
    }
    await announce();
    const links = scene.posted().map(({ content }) => content.match(/https:\/\/a+/g)?.length);
    expect(links).toEqual([2, 1]);
  });

  test('an article that becomes interesting is not news where it was interesting before announcements were switched on', async () => {
    const old = await article('Old');
    await votes(old, 2);
    await switchOn();
    const fresh = await article('Fresh');
    await votes(fresh, 2);
    await votes(old, 1);
    await announce();
    expect(titles()).toEqual(['Fresh']);
    await switchOn(null);
    await votes(await article('Between'), 2);
    await switchOn();
    await announce();
    expect(titles()).toEqual(['Fresh']);
  });

  test('an article that becomes interesting is announced to one of two bots', async () => {
    await switchOn();
    await votes(await article('Good'), 2);
    await Promise.all([announce(), announce(), announce()]);
    await announce();
    expect(titles()).toEqual(['Good']);
  });

  test('an article that becomes interesting is announced at once, and nothing is due where none does', async () => {
    await switchOn();
    const id = await article('Good');
    const due = () => readDue(scene.context.store, scene.guild, Infinity);
    expect(await due()).toEqual([]);
    await votes(id, 1);
    expect(await due()).toEqual([]);
    await votes(id, 1);
    await scene.tick();
    expect(titles()).toEqual(['Good']);
    expect(await due()).toEqual([]);
  });

  test('an article that becomes interesting asks nothing of Redis for a guild that wants no announcements', async () => {
    await votes(await article('Good'), 2);
    await scene.tick();
    expect(await readDue(scene.context.store, scene.guild, scene.clock.now() + DAY_MS)).toEqual([]);
  });

  test('an article that becomes interesting while no bot was there is announced after the start', async () => {
    await switchOn();
    await votes(await article('Missed'), 2);
    await planFromData(scene.context, scene.guild);
    await scene.tick();
    expect(titles()).toEqual(['Missed']);
  });

  test('an article that becomes interesting by a rebuild of the ranking is not news', async () => {
    await switchOn();
    await setRanked(false);
    await announce();
    await votes(await article('Rebuilt'), 2);
    await setRanked(true);
    scene.clock.move(MINUTE_MS);
    await scene.tick();
    await votes(await article('Fresh'), 2);
    await announce();
    expect(titles()).toEqual(['Fresh']);
  });

  test('an article that becomes interesting after a rebuild is announced, and none of before', async () => {
    const { client, store } = scene.bot;
    await switchOn();
    for (const look of [async () => {}, () => scene.tick()]) {
      await votes(await article('Lost and found'), 2);
      await declareIncomplete(store, scene.guild);
      await look();
      await rebuildGuild(scene.bot, client.guilds.cache.get(scene.guild)!, {});
      await scene.tick();
      await votes(await article('Fresh'), 2);
      await scene.tick();
    }
    expect(titles()).toEqual(['Fresh', 'Fresh']);
  });

  test('an article that becomes interesting and is gone or hidden again is not announced', async () => {
    await switchOn();
    const id = await article('Gone');
    await votes(id, 2);
    await deleteArticle(scene.context.ranking, scene.guild, id);
    await announce();
    expect(titles()).toEqual([]);
  });

  test('an article that becomes interesting and is of a blocked site since is not announced, unless that ends', async () => {
    await switchOn();
    await votes(await article('Blocked'), 2);
    const { store } = scene.context;
    const subject = { kind: 'site', site: 'example.com' } as const;
    const by = { posting: true, voting: false, reason: '', by: '1', sinceMs: 0, untilMs: null };
    await writeBlock(store, scene.guild, { subject, ...by });
    await scene.tick();
    expect(titles()).toEqual([]);
    await deleteBlock(store, scene.guild, subject);
    // Nothing tells of the end of a block that had one.
    scene.goTo(scene.context.clock.now() + MINUTE_MS);
    await scene.tick();
    expect(titles()).toEqual(['Blocked']);
  });

  test('an article that becomes interesting in a channel that closed just before is not announced', async () => {
    await switchOn();
    await votes(await article('Behind a door'), 3);
    const { ranking } = scene.context;
    await announce({ ...scene.context, ranking: { ...ranking, isListed: () => false } });
    expect(titles()).toEqual([]);
    await announce();
    expect(titles()).toEqual(['Behind a door']);
  });

  test('an article that becomes interesting by a lowered mark is not news', async () => {
    await switchOn();
    const ids = await scene.postArticles(['3', '2', '1'], undefined, 1);
    for (const id of ids) await votes(id, 1);
    await setScale(scene.context.ranking, scene.guild, { mark: 2 });
    scene.goTo(scene.clock.now() + HOUR_MS);
    await scene.tick();
    await votes(ids[0]!, 1);
    await announce();
    expect(titles()).toEqual([]);
  });

  test('an article that becomes interesting by a mark that is lowered while it is read is not news', async () => {
    await switchOn();
    const { ranking } = scene.context;
    await votes(await article('Two votes'), 1);
    let isLowered = false;
    const redis = new Proxy(ranking.redis, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        if (name !== 'hmget' || isLowered) return found.bind(target);
        return async (...args: unknown[]) => {
          isLowered = true;
          const read: unknown = await found.apply(target, args);
          await setScale(ranking, scene.guild, { mark: 2 });
          return read;
        };
      },
    });
    await announce({ ...scene.context, ranking: { ...ranking, redis } });
    expect(isLowered).toBe(true);
    await announce();
    expect(titles()).toEqual([]);
    await votes(await article('Fresh'), 1);
    await announce();
    expect(titles()).toEqual(['Fresh']);
  });

  test('an article that becomes interesting by a mark that was raised before is not news', async () => {
    await switchOn();
    const { ranking } = scene.context;
    await setScale(ranking, scene.guild, { mark: 5 });
    await scene.tick();
    await votes(await article('Between'), 2);
    await setScale(ranking, scene.guild, { mark: 3 });
    await scene.tick();
    expect(titles()).toEqual([]);
    await votes(await article('Fresh'), 2);
    await scene.tick();
    expect(titles()).toEqual(['Fresh']);
  });

  test('an article that becomes interesting by a lowered mark that does not apply to every article yet is not news', async () => {
    await switchOn();
    const ids = await scene.postArticles(['3', '2', '1'], undefined, 1);
    for (const id of ids) await votes(id, 1);
    const { ranking } = scene.context;
    const keys = guildKeys(ranking, scene.guild);
    // The process that sets it dies before it re-scores an article; a vote comes then.
    await ranking.redis.set(keys.rescoring, '2');
    await ranking.redis.hset(keys.articles, 'mark', '2');
    await announceInteresting(scene.context, scene.guild);
    await checkGuild(ranking, scene.guild, []);
    await announceInteresting(scene.context, scene.guild);
    expect(titles()).toEqual([]);
  });

  test('an article that becomes interesting together with others is told of in one message, without their previews', async () => {
    await switchOn();
    for (const title of ['One', 'Two', 'Three', 'Four']) await votes(await article(title), 2);
    await announce();
    expect(titles().sort()).toEqual(['Four', 'One', 'Three', 'Two']);
    // Discord shows the page of an article that stands alone, and of no other.
    const [several, alone] = scene.posted().map(({ content }) => content);
    expect(several?.match(/\]\(<https:\/\/example/g)).toHaveLength(3);
    expect(alone).toMatch(/\]\(https:\/\/example/);
    expect(scene.posted()).toHaveLength(2);
    await announce();
    expect(scene.posted()).toHaveLength(2);
  });

  test.each([
    ['🎉 Party', '🎉 Party'],
    ['example.com is down', 'example.com is down'],
    ['Really *good*', 'Really \\*good\\*'],
    ['[free](https://evil.example)', '\\[free\\](https\\://evil.example)'],
  ])(
    'an article that becomes interesting called %j, which would not be shown so inside a link, has its link after the title',
    async (title, shown) => {
      await switchOn();
      const id = await article(title);
      await votes(id, 2);
      await announce();
      const [line = ''] = (scene.posted()[0]?.content ?? '').split('\n');
      const link = `[visit](https://example.com/${id})`;
      expect(line).toBe(`★ ${shown} · ${link} · example.com is one of the best here lately.`);
    },
  );
});

test.each(['before', 'after'] as const)(
  'a process that dies just %s its message is created leaves one announcement to the next',
  async (when) => {
    await switchOn();
    await votes(await article('Good'), 2);
    await votes(await article('Too'), 2);
    const { context, died } = dyingAt(scene.context, { step: 'sendMessage', when });
    void announce(context);
    await died;
    scene.clock.move(MINUTE_MS);
    await Promise.all([scene.tick(), scene.tick()]);
    expect(titles().sort()).toEqual(['Good', 'Too']);
  },
);

test('a process that dies while announcements are switched on leaves nothing old to be announced', async () => {
  await votes(await article('Old'), 2);
  await writeSetting(scene.context.store, scene.guild, 'announcements', scene.channel);
  const { context, died } = dyingAt(scene.context, { step: 'set', when: 'after' });
  void announce(context);
  await died;
  await announce();
  await votes(await article('Fresh'), 2);
  await announce();
  expect(titles()).toEqual(['Fresh']);
});

test('an announcement that may have been sent where the bot may not read takes no later article with it', async () => {
  await switchOn();
  await scene.permit(PermissionFlagsBits.ReadMessageHistory, false);
  await votes(await article('Maybe'), 2);
  const { context, died } = dyingAt(scene.context, { step: 'sendMessage', when: 'before' });
  void announce(context);
  await died;
  await votes(await article('Later'), 2);
  scene.clock.move(MINUTE_MS);
  await announce();
  await scene.permit(PermissionFlagsBits.ReadMessageHistory, true);
  expect(titles()).toEqual(['Later']);
});

test('an announcement that may have been sent to the channel that was chosen before is made in the one that is chosen now', async () => {
  const { store } = scene.context;
  await switchOn(scene.sandbox.channels.general.id);
  await votes(await article('Moved'), 2);
  const { context, died } = dyingAt(scene.context, { step: 'sendMessage', when: 'before' });
  void announce(context);
  await died;
  await writeSetting(store, scene.guild, 'announcements', scene.channel);
  await scene.permit(PermissionFlagsBits.ReadMessageHistory, false);
  scene.clock.move(MINUTE_MS);
  await announce();
  await scene.permit(PermissionFlagsBits.ReadMessageHistory, true);
  expect(titles()).toEqual(['Moved']);
});

test('an announcement that Redis forgot stays as it is, and takes no later article with it', async () => {
  await switchOn();
  const one = await article('One');
  await votes(one, 2);
  await announce();
  const before = scene.posted();
  await scene.redis.redis.del(storeKeys(scene.context.store, scene.guild).announced(one));
  // Longer than it looks back for what it just sent.
  scene.clock.move(10 * MINUTE_MS);
  await votes(await article('Two'), 2);
  await announce();
  expect(titles()).toEqual(['One', 'Two']);
  expect(scene.posted()).toHaveLength(2);
  expect(scene.posted()[0]).toEqual(before[0]);
});

test('an article is announced once where the first try arrives after a second one was refused and a third was sent', async () => {
  await switchOn();
  const id = await article('First');
  await votes(id, 3);
  const { channels } = scene.context;
  type Sent = Parameters<typeof channels.sendMessage>;
  const late: Sent[] = [];
  const sendLater = async (...sent: Sent): Promise<never> => {
    late.push(sent);
    throw new Error('No answer.');
  };
  const slow = { ...scene.context, channels: { ...channels, sendMessage: sendLater } };
  await expect(announce(slow)).rejects.toThrow('No answer.');
  const { guild } = scene;
  await retitleArticle(scene.context.ranking, { guild, article: id, title: 'Retitled' });
  const end = scene.sandbox.faults.add({ method: 'POST', route: sends, status: 400, code: 50_035 });
  await announce();
  end();
  await announce();
  await channels.sendMessage(...late[0]!);
  await announce();
  expect(titles()).toEqual(['Retitled']);
});

test('an announcement that was sent and not recorded is edited to what its articles say now', async () => {
  await switchOn();
  const id = await article('First');
  await votes(id, 3);
  const end = scene.sandbox.faults.add({
    method: 'POST',
    route: sends,
    status: 503,
    afterTheWork: true,
  });
  await expect(announce()).rejects.toThrow('Service Unavailable');
  end();
  await retitleArticle(scene.context.ranking, { guild: scene.guild, article: id, title: 'Fact' });
  await votes(await article('Other'), 3);
  await announce();
  expect(titles()).toEqual(['Fact', 'Other']);
});

test('an article with the title of one that was announced just before is announced too', async () => {
  await switchOn();
  for (const announced of [1, 2]) {
    await votes(await article('[Video] Weekly thread'), 3);
    await announce();
    expect(scene.posted()).toHaveLength(announced);
  }
});

describe('where nothing can be announced', () => {
  test('what a missing permission hinders is announced a minute after it is given, and told of once', async () => {
    await switchOn();
    await votes(await article('Good'), 2);
    const { log, text } = recordLog();
    const context = openDigestContext({ ...scene.bot, log });
    const { world, guild, channels } = scene.sandbox;
    changeGuild(world, guild, { systemChannelId: channels.general.id });
    const told = () => scene.sandbox.as(scene.sandbox.admin).messages(channels.general.id);
    await scene.permit(PermissionFlagsBits.EmbedLinks, false);
    for (let minute = 0; minute < 5; minute += 1) {
      scene.clock.move(MINUTE_MS);
      await scene.tick(context);
    }
    expect(text().split('Announcements are not posted.')).toHaveLength(2);
    // Another permission than before: the log says it, and the admins know that one is lacking.
    const before = { why: 'missing', detail: 'SendMessages' };
    await announceInteresting(context, scene.guild, before);
    expect(text().split('Announcements are not posted.')).toHaveLength(3);
    expect(told().map(({ content }) => content)).toEqual([expect.stringContaining('Embed Links')]);
    changeGuild(world, guild, { systemChannelId: null });
    await scene.permit(PermissionFlagsBits.EmbedLinks, true);
    scene.clock.move(MINUTE_MS);
    await scene.tick(context);
    expect(titles()).toEqual(['Good']);
  });

  test('of a channel that is gone the settings alone tell, and of another the admins hear in the server’s language', async () => {
    const { store } = scene.context;
    const { world, guild, channels } = scene.sandbox;
    changeGuild(world, guild, { systemChannelId: channels.general.id });
    const told = () => scene.sandbox.as(scene.sandbox.admin).messages(channels.general.id);
    await writeSetting(store, scene.guild, 'language', 'de');
    await switchOn(world.snowflake(scene.clock.now()));
    await votes(await article('Good'), 2);
    expect((await announce()).trouble).toEqual({ why: 'gone', detail: '' });
    expect(told()).toEqual([]);
    await writeSetting(store, scene.guild, 'announcements', scene.channel);
    await scene.permit(PermissionFlagsBits.EmbedLinks, false);
    expect((await announce()).trouble).toEqual({ why: 'missing', detail: 'EmbedLinks' });
    // Where no manager chose one, it is what Discord says.
    await writeSetting(store, scene.guild, 'language', null);
    changeGuild(world, guild, { locale: 'fr' });
    const locale = () => scene.bot.client.guilds.cache.get(scene.guild)?.preferredLocale;
    await expect.poll(locale).toBe('fr');
    await announce();
    await scene.permit(PermissionFlagsBits.EmbedLinks, true);
    changeGuild(world, guild, { systemChannelId: null, locale: 'en-US' });
    await expect.poll(locale).toBe('en-US');
    expect(told().map(({ content }) => content)).toEqual([
      expect.stringContaining('Links einbetten'),
      expect.stringContaining('Intégrer des liens'),
    ]);
  });

  test('what hinders announcements is not forgotten while another process announces or a new mark is applied', async () => {
    const { ranking, store } = scene.context;
    await switchOn();
    await votes(await article('Good'), 2);
    const trouble = { why: 'missing', detail: 'EmbedLinks' };
    const again = () => announceInteresting(scene.context, scene.guild, trouble);
    const key = storeKeys(store, scene.guild).lease('announcing');
    await takeLease(store, { key, ms: MINUTE_MS }, scene.clock.now());
    expect(await again()).toMatchObject({ atMs: expect.any(Number), trouble });
    await store.redis.del(key);
    await ranking.redis.set(guildKeys(ranking, scene.guild).rescoring, '3');
    expect(await again()).toMatchObject({ atMs: expect.any(Number), trouble });
    await ranking.redis.del(guildKeys(ranking, scene.guild).rescoring);
    expect(await again()).toEqual({ atMs: null });
    expect(titles()).toEqual(['Good']);
  });

  test('what hinders announcements is not forgotten in a minute in which Discord does not answer', async () => {
    await switchOn();
    await votes(await article('Good'), 2);
    const trouble = { why: 'refused', detail: '50013', sinceMs: 0, attempts: 0, told: true };
    const kind = digestKinds(scene.context).find(({ name }) => name === 'announce')!;
    const end = scene.sandbox.faults.add({ method: 'GET', route: sends, status: 500 });
    const next = await kind.run({ guild: scene.guild, trouble } as Held);
    end();
    expect(next).toMatchObject({ atMs: expect.any(Number), trouble });
    expect(titles()).toEqual([]);
  });

  test('an article whose link Discord refuses is announced without links, and once', async () => {
    await switchOn();
    const id = await article('Harmful');
    await votes(id, 2);
    const { harmfulHosts } = scene.sandbox.world;
    harmfulHosts.add(`example.com/${id}`);
    await announce();
    await announce();
    harmfulHosts.clear();
    const said = scene.posted().map(({ content }) => content);
    expect(said).toEqual([expect.stringMatching(/^★ Harmful · example\.com .*\n.*\[vote\]/)]);
    expect(said.join()).not.toContain('https://example.com');
  });

  test('an article that became interesting before an outage of its server is announced after it, and nobody is told of a fault', async () => {
    const { world, guild } = scene.sandbox;
    const isThere = () => scene.bot.client.guilds.cache.get(scene.guild)?.available === true;
    await switchOn();
    await votes(await article('Good'), 2);
    setUnavailable(world, guild, true);
    await scene.eventually(isThere, (is) => !is, 'away');
    expect(Object.keys(await announce())).toEqual(['atMs']);
    setUnavailable(world, guild, false);
    await scene.eventually(isThere, (is) => is, 'back');
    await announce();
    expect(titles()).toEqual(['Good']);
  });

  test('one try an hour is made, and it resumes by itself', async () => {
    await switchOn();
    await votes(await article('Good'), 2);
    const end = scene.sandbox.faults.add({
      method: 'POST',
      route: sends,
      status: 403,
      code: 50013,
    });
    for (let minute = 0; minute < 150; minute += minute < 3 ? 1 : 7) {
      await scene.tick(openDigestContext(scene.bot));
      scene.clock.move((minute < 3 ? 1 : 7) * MINUTE_MS);
    }
    expect(scene.sandbox.requests.count('POST', sends, 403)).toBeLessThanOrEqual(5);
    end();
    scene.clock.move(HOUR_MS);
    await scene.tick();
    expect(titles()).toEqual(['Good']);
  });
});

describe('the setting', () => {
  test('the setting announces what becomes interesting from the next minute on, until it is taken back', async () => {
    await votes(await article('Old'), 2);
    await setSetting(scene.sandbox, 'announcements', [scene.channel]);
    await scene.tick();
    const fresh = await article('Fresh');
    await votes(fresh, 2);
    await announce();
    expect(titles()).toEqual(['Fresh']);
    await setSetting(scene.sandbox, 'announcements', []);
    await votes(await article('Later'), 2);
    scene.clock.move(HOUR_MS);
    await scene.tick();
    expect(titles()).toEqual(['Fresh']);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDigestContext } from '../../src/digest/posting/context.ts';
import { rebuildDue, runDueDigests } from '../../src/digest/run-due.ts';
import { startApp } from '../../src/start.ts';
import { createLog } from '../../src/log.ts';
import { readDue } from '../../src/records/digests/due.ts';
import { forgetGuild } from '../../src/records/guilds.ts';
import { dueKey } from '../../src/redis/keys.ts';
import { writeSetting } from '../../src/records/settings.ts';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { writeComments } from '../../src/ranking/articles/discussions.ts';
import { recountById } from '../../src/recount/guild.ts';
import { listArticles } from '../../src/ranking/lists/ranked.ts';
import { castVote } from '../../src/ranking/ballots/votes.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, NOON, type Stage, startStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());
beforeEach(() => stage.clear());

const SIX = NOON + 6 * HOUR_MS;
const log = createLog('silent');

const titles = () => stage.titles();

describe('a daily digest', () => {
  test('is posted at its time, once, and not before', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Best', 'Second']);
    stage.goTo(SIX - 1000);
    await stage.tick();
    expect(stage.posted()).toEqual([]);
    stage.goTo(SIX + 1000);
    await stage.tick();
    await stage.tick();
    stage.goTo(SIX + 20 * MINUTE_MS);
    await stage.tick();
    expect(titles()).toEqual([['Best', 'Second']]);
  });

  test('holds what was posted since the previous slot, and at first of 24 hours', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['A day old'], SIX - DAY_MS);
    await stage.postArticles(['Too old'], SIX - DAY_MS - 1);
    stage.goTo(SIX);
    await stage.tick();
    await stage.postArticles(['In the slot’s own second'], SIX);
    stage.goTo(SIX + DAY_MS);
    await stage.tick();
    expect(titles()).toEqual([['A day old'], ['In the slot’s own second']]);
  });

  test('has the best by score, as many as wanted', async () => {
    await stage.setUp('daily', { count: 2 });
    await stage.postArticles(['Old with three', 'Older with two', 'Oldest with one'], NOON);
    await stage.postArticles(['New with one'], NOON + 3 * MINUTE_MS);
    stage.goTo(SIX);
    await stage.tick();
    expect(titles()).toEqual([['Old with three', 'Older with two']]);
  });

  test('is not posted where there is nothing to post, unless wanted', async () => {
    await stage.setUp('daily', {});
    await stage.setUp('always', { postEmpty: true });
    stage.goTo(SIX);
    await stage.tick();
    expect(stage.headlines()).toEqual(['Digest always · Wednesday, March 10']);
    expect(stage.posted()[0]?.content).toContain('No new articles');
  });

  test('ends with first posts of members and with what is most discussed, each article once', async () => {
    await stage.setUp('daily', { count: 2 });
    const [regular = '', newcomer = '', chosen = ''] = stage.sandbox.members;
    const { general } = stage.sandbox.channels;
    const { ranking } = stage.context;
    const ids = new Map<string, string>();
    const post = async (title: string, poster: string, atMs: number, up = 1) => {
      const id = stage.sandbox.world.snowflake(atMs);
      const link = `https://example.com/${title.replaceAll(' ', '-')}`;
      const of = { guild: stage.guild, id, title, link, canonical: link, poster };
      const tally = { up, down: 0, closed: false };
      await postArticle(ranking, { ...of, home: general.id, listed: true, tally });
      ids.set(title, id);
    };
    await post('Last week', regular, SIX - 7 * DAY_MS);
    await post('Best and first', chosen, NOON, 200);
    await post('Second', regular, NOON, 100);
    await post('Hello', newcomer, NOON);
    await post('Hello again', newcomer, NOON + MINUTE_MS);
    await post('A word', regular, NOON);
    await post('Three words', regular, NOON);
    await post('Nine words', regular, NOON);
    const words = { Second: 40, Hello: 20, 'A word': 1, 'Three words': 3, 'Nine words': 9 };
    for (const [title, count] of Object.entries(words)) {
      await writeComments(ranking, stage.guild, ids.get(title)!, count);
    }
    stage.goTo(SIX);
    await stage.tick();
    expect(titles()).toEqual([['Best and first', 'Second']]);
    const lines = stage.posted()[0]!.embeds[1]!.description!.split('\n').slice(2);
    expect(lines.map((line) => line.replace(/\]\(.*\)/, ']'))).toEqual([
      '**First posts**',
      `<@${newcomer}>: [Hello]`,
      '**Most discussed**',
      '[Nine words] · 9 💬',
      '[Three words] · 3 💬',
    ]);
  });

  test('shows no article of a hidden channel', async () => {
    await stage.setUp('daily', {});
    const { world, channels, members } = stage.sandbox;
    const id = world.snowflake(NOON);
    await postArticle(stage.context.ranking, {
      guild: stage.guild,
      id,
      title: 'Secret',
      link: 'https://example.com/secret',
      canonical: 'https://example.com/secret',
      poster: members[0] ?? '',
      channel: channels.moderators.id,
      home: channels.moderators.id,
      listed: false,
    });
    await stage.setUp('private', { groups: [channels.moderators.id] });
    stage.goTo(SIX);
    await stage.tick();
    expect(stage.posted()).toEqual([]);
  });

  test('shows the tallies of the record, and nothing that is gone from it', async () => {
    const { general } = stage.sandbox.channels;
    const [poster = '', reader = '', another = ''] = stage.sandbox.members;
    for (const title of ['Voted on', 'Plain', 'Deleted']) {
      const given = { title, link: `https://example.com/${title.replace(' ', '-')}` };
      await stage.sandbox.as(poster).command(general.id, 'post', given);
    }
    const list = { guild: stage.guild, order: 'time-asc', page: 1, pageSize: 9 } as const;
    const { articles } = await stage.eventually(
      () => listArticles(stage.context.ranking, list),
      ({ total }) => total === 3,
      'posted',
    );
    const [voted, plain, deleted] = articles;
    for (const member of [reader, another]) {
      stage.sandbox.as(member).react(general.id, voted?.id ?? '', '👍');
    }
    await stage.eventually(
      async () => (await stage.article(voted?.id ?? ''))?.up,
      (up) => up === 3,
      'counted',
    );
    // What the ranking took for votes, and did not hear of.
    for (const member of ['901', '902', '903', '904']) {
      const vote = { guild: stage.guild, article: plain?.id ?? '', member, vote: 'up' as const };
      await castVote(stage.context.ranking, vote, stage.clock.now());
    }
    // Without an event, as while the bot was away.
    general.messages.delete(deleted?.id ?? '');
    general.messageIds = general.messageIds.filter((id) => id !== deleted?.id);
    await stage.setUp('daily', {});
    stage.goTo(SIX);
    const { app } = stage.bot;
    await stage.tick(openDigestContext(app, (guild, ids) => recountById(app, guild, ids)));
    expect(titles()).toEqual([['Voted on', 'Plain']]);
    const [best, others] = stage.posted()[0]?.embeds ?? [];
    expect(best?.description).toContain('▲ 3 ·');
    expect(others?.description).toContain('▲ 1 ·');
  });

  test('of two bots side by side is posted once', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Best']);
    const { token, apiBase } = stage.sandbox;
    const redis = connectRedis(stage.redis.url, { log, name: 'second' });
    const second = await startApp({ token, apiBase, redis, clock: stage.clock, log });
    stage.goTo(SIX);
    await Promise.all([stage.tick(), stage.tick(openDigestContext(second.app)), stage.tick()]);
    await stage.tick(openDigestContext(second.app));
    expect(titles()).toEqual([['Best']]);
    await second.stop();
    redis.disconnect();
  });
});

describe('after downtime', () => {
  test('of some hours it is posted on return', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Best']);
    stage.goTo(SIX + 11 * HOUR_MS);
    await stage.tick();
    expect(titles()).toEqual([['Best']]);
    expect(stage.headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  });

  test('of more than twelve hours it is left out, and the next has its articles and says since when', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Missed']);
    stage.goTo(SIX + 13 * HOUR_MS);
    await stage.tick();
    await stage.tick();
    expect(stage.posted()).toEqual([]);
    await stage.postArticles(['Fresh']);
    stage.goTo(SIX + DAY_MS);
    await stage.tick();
    expect(titles()).toEqual([['Fresh', 'Missed']]);
    const since = () => stage.posted().map(({ embeds }) => embeds.at(-1)?.footer?.text);
    expect(since()).toEqual(['since Tuesday 18:00']);
    await stage.postArticles(['Next'], SIX + DAY_MS + HOUR_MS);
    stage.goTo(SIX + 2 * DAY_MS);
    await stage.tick();
    expect(titles()[1]).toEqual(['Next']);
    expect(since()[1]).toBe('since Thursday 18:00');
  });

  test('of several days only the last missed one is posted, with all that none has shown', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Missed'], SIX + HOUR_MS);
    await stage.postArticles(['In time'], SIX + 2 * DAY_MS + HOUR_MS);
    stage.goTo(SIX + 3 * DAY_MS + HOUR_MS);
    await stage.tick();
    expect(titles()).toEqual([['In time', 'Missed']]);
  });

  test('with what is due forgotten, it is found again in the guilds’ own data', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Best']);
    const { store } = stage.context;
    await store.redis.del(dueKey(store.applicationId));
    stage.goTo(SIX);
    await stage.tick();
    expect(stage.posted()).toEqual([]);
    await rebuildDue(stage.context, [stage.guild]);
    await stage.tick();
    expect(titles()).toEqual([['Best']]);
  });
});

describe('a change of summer time', () => {
  test('in the zone keeps the local hour', async () => {
    stage.goTo(Date.UTC(2027, 2, 26, 12));
    await stage.setUp('daily', {
      schedule: { every: 'day', time: '09:00', zone: 'Europe/Berlin' },
    });
    const at: string[] = [];
    for (let hour = 0; hour < 72; hour += 1) {
      await stage.postArticles([`Posted in hour ${hour}`]);
      stage.clock.move(HOUR_MS);
      await stage.tick();
      const headline = stage.headlines().at(-1) ?? '';
      if (at.at(-1)?.startsWith(headline) !== true && headline !== '') {
        at.push(`${headline} ${new Date(stage.clock.now()).toISOString().slice(0, 13)}`);
      }
    }
    expect(at).toEqual([
      'Daily digest · Saturday, March 27 2027-03-27T08',
      'Daily digest · Sunday, March 28 2027-03-28T07',
      'Daily digest · Monday, March 29 2027-03-29T07',
    ]);
    expect(stage.posted()).toHaveLength(3);
  });

  test('changing hour and zone after the posting brings no second one that day', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Best']);
    stage.goTo(SIX);
    await stage.tick();
    stage.clock.move(MINUTE_MS);
    await stage.postArticles(['Fresh']);
    await stage.setUp('daily', { schedule: { every: 'day', time: '22:00', zone: 'UTC' } });
    stage.goTo(SIX + 4 * HOUR_MS);
    await stage.tick();
    await stage.setUp('daily', {
      schedule: { every: 'day', time: '13:30', zone: 'America/New_York' },
    });
    stage.goTo(SIX + 5 * HOUR_MS);
    await stage.tick();
    expect(titles()).toEqual([['Best']]);
  });
});

describe('the tick', () => {
  test('reads what is due and no digest besides', async () => {
    await stage.setUp('daily', {});
    stage.goTo(SIX);
    await stage.tick();
    const { store } = stage.context;
    expect(await readDue(store, SIX + DAY_MS)).toEqual([
      { guild: stage.guild, digest: 'daily', atMs: SIX + DAY_MS },
    ]);
  });

  test('told to stop begins no further edition', async () => {
    await stage.setUp('daily', {});
    await stage.postArticles(['Best']);
    stage.goTo(SIX);
    await runDueDigests(stage.context, AbortSignal.abort());
    expect(stage.posted()).toEqual([]);
  });

  test('finds nothing more of a guild that is forgotten', async () => {
    const { store } = stage.context;
    await stage.setUp('daily', {});
    await writeSetting(store, stage.guild, 'announcements', stage.channel);
    await stage.postArticles(['Best']);
    stage.goTo(SIX);
    await stage.tick();
    expect(await readDue(store, SIX + DAY_MS)).toHaveLength(2);
    // What is told of changes a moment later raises a version that is the guild's, too.
    await stage.context.ranking.changes.flush();
    await forgetGuild(store, stage.guild);
    expect(await readDue(store, SIX + DAY_MS)).toEqual([]);
    expect(await stage.redis.redis.keys(`*{${stage.guild}}*`)).toEqual([]);
  });

  test('drops what is due of a digest that is gone', async () => {
    const { store } = stage.context;
    await store.redis.zadd(dueKey(store.applicationId), NOON, `${stage.guild}:gone`);
    await stage.tick();
    expect(await readDue(store, NOON)).toEqual([]);
  });
});

describe('a digest with a thread', () => {
  test('starts one thread from its message', async () => {
    await stage.setUp('daily', { thread: true });
    await stage.postArticles(['Best']);
    stage.goTo(SIX);
    await stage.tick();
    const [message] = stage.posted();
    const { world } = stage.sandbox;
    const threads = [...world.channels.values()].filter(({ parentId, thread }) => {
      return thread !== null && parentId === stage.channel;
    });
    expect(threads.map(({ id, name }) => [id, name])).toEqual([
      [message?.id, 'Daily digest · Wednesday, March 10'],
    ]);
  });
});

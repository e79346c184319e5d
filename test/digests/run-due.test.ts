import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { openDigestContext } from '../../src/digests/posting/posting-context.ts';
import { startBot } from '../../src/bot.ts';
import { createLog } from '../../src/runtime/log.ts';
import { deleteDigest, readDigest } from '../../src/digests/stored-digests.ts';
import {
  announceFromNow,
  planDigest,
  planFromData,
  readDue,
  runDueDigests,
} from './due-digests.ts';
import { readEdition } from '../../src/editions/stored-editions.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { forgetGuild } from '../../src/community/known-guilds.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { noteImported } from '../../src/articles/imported.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { writeReplies } from '../../src/ranking/articles/discussions.ts';
import { recountArticlesInVoting } from '../../src/votes/recount/recount-guild.ts';
import { listArticles } from '../../src/ranking/lists/ranked.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { titleOfLink } from '../../src/text/clean.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { type DigestScene, startDigestScene, SIX, titlesOf } from './digest-scene.ts';
import { pausedAt } from './dying-process.ts';
import { CLAIM_MS } from '../../src/digests/posting/run-digest.ts';
import { NOON } from '../fixtures/test-clock.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

const log = createLog('silent');

/** A digest that was deleted after its edition at six. */
async function deletedSince(): Promise<void> {
  await scene.setUp('daily', {});
  await scene.postArticles(['Before']);
  scene.goTo(SIX);
  await scene.tick();
  await deleteDigest(scene.context.store, scene.guild, 'daily');
}

describe('a daily digest', () => {
  test('a daily digest is posted at its time, once, and not before', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best', 'Second']);
    scene.goTo(SIX - 1000);
    await scene.tick();
    expect(scene.posted()).toEqual([]);
    scene.goTo(SIX + 1000);
    await scene.tick();
    await scene.tick();
    scene.goTo(SIX + 20 * MINUTE_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best', 'Second']]);
  });

  test('a daily digest has what is in voting and no edition of it listed', async () => {
    await scene.setUp('daily', {});
    await scene.setUp('other', { schedule: { every: 'day', time: '19:00', zone: 'UTC' } });
    await scene.postArticles(['In voting'], SIX - 7 * DAY_MS);
    await scene.postArticles(['Voting is over'], SIX - 7 * DAY_MS - 1);
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.titles()).toEqual([['In voting']]);
    const [young] = await scene.postArticles(['In the slot’s own second'], SIX);
    scene.goTo(SIX + HOUR_MS);
    await scene.tick();
    // Each digest remembers its own.
    expect(scene.titles()[1]).toEqual(['In the slot’s own second']);
    scene.goTo(SIX + DAY_MS);
    await scene.tick();
    expect(scene.titles()[2]).toEqual(['In the slot’s own second']);
    const { store } = scene.context;
    const edition = await readEdition(store, scene.guild, { name: 'daily', date: '2027-03-11' });
    expect(edition?.articles).toMatchObject([{ id: young, net: 2, isNamed: true }]);
  });

  test('an article that found its votes after the hour of the posting leads the next day', async () => {
    await scene.setUp('daily', {});
    const [late = ''] = await scene.postArticles(['Ten minutes before'], SIX - 10 * MINUTE_MS, 1);
    await scene.postArticles(['Of the morning'], NOON);
    scene.goTo(SIX);
    await scene.tick();
    for (const member of scene.sandbox.members.slice(1, 4)) {
      const vote = { guild: scene.guild, article: late, member, vote: 'up' as const };
      await setVote(scene.context.ranking, vote, scene.clock.now());
    }
    await scene.postArticles(['Of the next day'], SIX + HOUR_MS);
    scene.goTo(SIX + DAY_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Of the morning'], ['Ten minutes before', 'Of the next day']]);
  });

  test('a digest that is made anew lists nothing that it has listed before', async () => {
    await deletedSince();
    await scene.setUp('daily', {});
    await scene.postArticles(['After']);
    scene.goTo(SIX + DAY_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Before'], ['After']]);
  });

  test('a digest that comes back without its run, after the edition of that date, is looked at on the next', async () => {
    await deletedSince();
    const { store } = scene.context;
    const schedule = { every: 'day', time: '20:00', zone: 'UTC' } as const;
    await scene.setUp('daily', { schedule });
    scene.goTo(SIX + 2 * HOUR_MS);
    await scene.tick();
    const due = await readDue(store, scene.guild, SIX + 7 * DAY_MS);
    expect(due).toEqual([{ row: 'digest:daily', atMs: SIX + DAY_MS + 2 * HOUR_MS }]);
  });

  test('what more members are against than for is in no part of a digest, in its list as in its sections', async () => {
    await scene.setUp('daily', { count: 1 });
    const { general } = scene.sandbox.channels;
    const post = async (poster: string, title: string, up: number, down: number) => {
      const id = scene.sandbox.world.snowflake(NOON);
      const link = `https://example.com/${id}`;
      const of = { guild: scene.guild, id, title, link, linkName: link, poster };
      const tally = { up, down, closed: false };
      await postArticle(scene.context.ranking, { ...of, home: general.id, listed: true, tally });
      await writeReplies(scene.context.ranking, scene.guild, id, 30);
    };
    const [first = '', second = '', third = ''] = scene.sandbox.members;
    await post(first, 'Best', 9, 0);
    await post(second, 'BUY MY COIN', 1, 7);
    await post(third, 'Argument', 3, 5);
    await post(third, 'Liked', 3, 1);
    scene.goTo(SIX);
    await scene.tick();
    const said = JSON.stringify(scene.posted());
    expect(said).toContain('Liked');
    expect(said).not.toMatch(/COIN|Argument/);
  });

  test('the last daily digest of a week ends with the best of the week, and the others do not', async () => {
    const sunday = Date.UTC(2027, 2, 14, 18);
    await scene.setUp('daily', { count: 1 });
    await scene.postArticles(['Of the week', 'Second of it'], sunday - 5 * DAY_MS, 20);
    for (const days of [2, 1, 0]) {
      scene.goTo(sunday - days * DAY_MS);
      await scene.postArticles([`Of day ${days}`]);
      await scene.tick();
    }
    const texts = scene.posted().map(({ embeds }) => embeds.at(-1)?.description ?? '');
    expect(texts.map((text) => text.includes('**Best of the week**'))).toEqual([
      false,
      false,
      true,
    ]);
    const lines = texts[2]!.split('\n');
    const at = lines.indexOf('**Best of the week**');
    const titles = lines.slice(at + 1, at + 4).map((line) => /^\[(.*?)\]/.exec(line)?.[1]);
    expect(titles).toEqual(['Of the week', 'Second of it', expect.stringMatching(/^Of day/)]);
  });

  test('a daily digest has those with the most votes, as many as wanted, and not the newest first', async () => {
    await scene.setUp('daily', { count: 2 });
    await scene.setUp('scored', { count: 2, selection: 'score' });
    await scene.postArticles(['Old with two', 'Older with one'], SIX - 23 * HOUR_MS);
    await scene.postArticles(['New with one'], SIX - MINUTE_MS);
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.titles()).toHaveLength(2);
    expect(scene.titles()).toContainEqual(['Old with two', 'New with one']);
    expect(scene.titles()).toContainEqual(['New with one', 'Old with two']);
  });

  test('a daily digest is not posted where there is nothing to post, unless wanted', async () => {
    await scene.setUp('daily', {});
    await scene.setUp('always', { postEmpty: true });
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.headlines()).toEqual(['Always · Wednesday, March 10']);
    expect(scene.posted()[0]?.content).toContain('nobody has voted for anything new');
  });

  test('a daily digest has what found votes since, after a quiet day without an edition', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best of the first day']);
    scene.goTo(SIX);
    await scene.tick();
    const posterAlone = 1;
    const found = await scene.postArticles(['Found later'], SIX + HOUR_MS, posterAlone);
    await scene.postArticles(['Never found'], SIX + 2 * HOUR_MS, posterAlone);
    scene.goTo(SIX + DAY_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best of the first day']]);
    const [article = ''] = found;
    const [, member = ''] = scene.sandbox.members;
    const vote = { guild: scene.guild, article, member, vote: 'up' as const };
    await setVote(scene.context.ranking, vote, scene.clock.now());
    scene.goTo(SIX + 2 * DAY_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best of the first day'], ['Found later']]);
  });

  test('a daily digest ends with first posts of members and with what is most discussed, each article once', async () => {
    await scene.setUp('daily', { count: 2 });
    const [regular = '', newcomer = '', chosen = ''] = scene.sandbox.members;
    const { general } = scene.sandbox.channels;
    const { ranking } = scene.context;
    const ids = new Map<string, string>();
    const post = async (title: string, poster: string, atMs: number, up = 1) => {
      const id = scene.sandbox.world.snowflake(atMs);
      const link = `https://example.com/${title.replaceAll(' ', '-')}`;
      const of = { guild: scene.guild, id, title, link, linkName: link, poster };
      const tally = { up, down: 0, closed: false };
      await postArticle(ranking, { ...of, home: general.id, listed: true, tally });
      ids.set(title, id);
    };
    await post('Last week', regular, SIX - 7 * DAY_MS);
    await post('Best and first', chosen, NOON, 200);
    await post('Second', regular, NOON, 100);
    await post('Hello', newcomer, NOON, 2);
    await post('Hello again', newcomer, NOON + MINUTE_MS);
    // Nobody's first post but for the one of last week.
    await post('A word', regular, NOON - MINUTE_MS, 2);
    await post('Three words', regular, NOON, 2);
    await post('Nine words', regular, NOON, 2);
    const words = { Second: 40, Hello: 20, 'A word': 2, 'Three words': 3, 'Nine words': 9 };
    for (const [title, count] of Object.entries(words)) {
      await writeReplies(ranking, scene.guild, ids.get(title)!, count);
    }
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best and first', 'Second']]);
    const lines = scene.posted()[0]!.embeds[1]!.description!.split('\n').slice(2);
    expect(lines.map((line) => line.replace(/\]\(.*\)/, ']'))).toEqual([
      '',
      '**First posts**',
      `<@${newcomer}>: [Hello]`,
      '',
      '**Most discussed**',
      '[Nine words]',
      '[Three words]',
      '',
      expect.stringContaining('7 articles by 3 members · 302 votes · post yours with </post:'),
    ]);
  });

  test('the first posts of a digest in a channel that not everybody views are those of its newcomers', async () => {
    const home = scene.sandbox.channels.moderators.id;
    await scene.setUp('daily', { channel: home, groups: [home], count: 1 });
    const [regular = '', newcomer = '', chosen = ''] = scene.sandbox.members;
    const post = async (title: string, poster: string, atMs: number, up: number) => {
      const id = scene.sandbox.world.snowflake(atMs);
      const link = `https://example.com/${title}`;
      const of = { guild: scene.guild, id, title, link, linkName: link, poster };
      const tally = { up, down: 0, closed: false };
      await postArticle(scene.context.ranking, { ...of, home, listed: false, tally });
    };
    await post('Earlier', regular, SIX - 7 * DAY_MS, 1);
    await post('Best', chosen, NOON, 9);
    await post('Again', regular, NOON, 2);
    await post('Hello', newcomer, NOON, 2);
    scene.goTo(SIX);
    await scene.tick();
    const { admin } = scene.sandbox;
    const [edition] = scene.sandbox.as(admin).messages(home);
    const lines = (edition?.embeds ?? []).flatMap(({ description = '' }) =>
      description.split('\n'),
    );
    expect(lines.filter((line) => line.startsWith('<@'))).toEqual([
      expect.stringContaining(`<@${newcomer}>: [Hello]`),
    ]);
  });

  test.each<[string, (id: string, poster: string) => Promise<void>]>([
    ['that was imported', (id) => noteImported(scene.context.store, scene.guild, id)],
    [
      'of a member who opted out',
      (_, poster) => setOptedOut(scene.context.store, scene.guild, poster, true),
    ],
  ])('a post %s is no member’s first post in a digest', async (_, note) => {
    await scene.setUp('daily', { count: 1 });
    const [newcomer = '', another = ''] = scene.sandbox.members;
    const { ranking } = scene.context;
    const home = scene.sandbox.channels.general.id;
    const post = async (title: string, poster: string, up: number) => {
      const id = scene.sandbox.world.snowflake(NOON);
      const link = `https://example.com/${id}`;
      const of = { guild: scene.guild, id, title, link, linkName: link, poster };
      const tally = { up, down: 0, closed: false };
      await postArticle(ranking, { ...of, home, listed: true, tally });
      return id;
    };
    await post('Best', newcomer, 9);
    await note(await post('Not to be told', another, 2), another);
    await post('Hello', scene.sandbox.admin, 2);
    scene.goTo(SIX);
    await scene.tick();
    const text = scene.posted()[0]!.embeds[1]!.description!;
    expect(text).toContain(`**First posts**\n<@${scene.sandbox.admin}>: [Hello]`);
    expect(text).not.toContain('Not to be told');
  });

  test('a daily digest shows no article of a hidden channel, but in that channel', async () => {
    const { world, channels, members } = scene.sandbox;
    const { moderators } = channels;
    const id = world.snowflake(NOON);
    await postArticle(scene.context.ranking, {
      guild: scene.guild,
      id,
      title: 'Secret',
      link: 'https://example.com/secret',
      linkName: 'https://example.com/secret',
      poster: members[0] ?? '',
      channel: moderators.id,
      home: moderators.id,
      listed: false,
      tally: { up: 9, down: 0, closed: false },
    });
    await scene.setUp('daily', {});
    await scene.setUp('of-hidden', { groups: [moderators.id] });
    await scene.setUp('inside', { groups: [moderators.id], channel: moderators.id });
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.posted()).toEqual([]);
    const inside = scene.sandbox.as(scene.sandbox.admin).messages(moderators.id);
    expect(inside.map(titlesOf)).toEqual([['Secret']]);
  });

  test('a digest inside a channel that not everybody views shows no picture before a member opens one', async () => {
    const { world, channels, members } = scene.sandbox;
    const picture = 'https://media.example/cat.png';
    const shows = async (name: string, { id: home }: { id: string }, listed: boolean) => {
      // Discord found nothing of the last one yet.
      for (const up of [9, 8, 7]) {
        const id = world.snowflake(NOON);
        const link = `https://example.com/${id}.png`;
        const title = titleOfLink(link);
        const of = { guild: scene.guild, id, title, link, linkName: link, home, listed };
        const tally = { up, down: 0, closed: false };
        await postArticle(scene.context.ranking, { ...of, poster: members[0] ?? '', tally });
        if (up > 7) await writePreview(scene.context.ranking, scene.guild, id, { picture });
      }
      await scene.setUp(name, { channel: home, groups: [home] });
      scene.goTo(SIX);
      await scene.runDigest(name);
      scene.goTo(NOON);
      const [edition] = scene.sandbox.as(scene.sandbox.admin).messages(home);
      expect(edition?.content).toContain('picture');
      expect(JSON.stringify(edition)).not.toContain('"url":""');
      return JSON.stringify(edition).split(picture).length - 1;
    };
    expect(await shows('open', channels.ai, true)).toBeGreaterThan(1);
    expect(await shows('closed', channels.moderators, false)).toBe(0);
  });

  test('a daily digest shows the tallies of the record, and nothing that is gone from it', async () => {
    const { general } = scene.sandbox.channels;
    const [poster = '', reader = '', another = ''] = scene.sandbox.members;
    for (const title of ['Voted on', 'Plain', 'Deleted']) {
      const given = { title, link: `https://example.com/${title.replace(' ', '-')}` };
      await scene.sandbox.as(poster).command(general.id, 'post', given);
    }
    const list = { guild: scene.guild, order: 'time-asc', page: 1, pageSize: 9 } as const;
    const { articles } = await scene.eventually(
      () => listArticles(scene.context.ranking, list),
      ({ total }) => total === 3,
      'posted',
    );
    const [voted, plain, deleted] = articles;
    for (const member of [reader, another]) {
      scene.sandbox.as(member).react(general.id, voted?.id ?? '', '👍');
    }
    await scene.eventually(
      async () => (await scene.article(voted?.id ?? ''))?.up,
      (up) => up === 3,
      'counted',
    );
    // Votes in Redis that Discord does not show.
    for (const member of ['901', '902', '903', '904']) {
      const vote = { guild: scene.guild, article: plain?.id ?? '', member, vote: 'up' as const };
      await setVote(scene.context.ranking, vote, scene.clock.now());
    }
    // Without an event, as while the bot was away.
    general.messages.delete(deleted?.id ?? '');
    general.messageIds = general.messageIds.filter((id) => id !== deleted?.id);
    await scene.setUp('daily', {});
    scene.goTo(SIX);
    const { bot } = scene;
    await scene.tick(
      openDigestContext(bot, (guild, ids) =>
        recountArticlesInVoting(bot, guild, { articles: ids }),
      ),
    );
    // What only its poster voted for is not among the best.
    expect(scene.titles()).toEqual([['Voted on']]);
    const [best] = scene.posted()[0]?.embeds ?? [];
    expect(best?.description).toContain('▲ 3 ·');
    expect(best?.description).toContain('2 articles by 1 member · 2 votes');
  });

  test('a daily digest whose tallies cannot be recounted comes with those that are known', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    let asked = 0;
    const recount = async () => {
      asked += 1;
      throw new Error('Discord does not answer.');
    };
    expect(await scene.runDigest('daily', openDigestContext(scene.bot, recount))).toBe('posted');
    expect([asked, scene.titles()]).toEqual([1, [['Best']]]);
  });

  test('a daily digest leads to its page on the web, and names commands that cannot be read', async () => {
    const digests = ['daily', 'other'];
    for (const name of digests) await scene.setUp(name, {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    const told = new Map<string, unknown>();
    const context = openDigestContext({
      ...scene.bot,
      deployedCommands: () => Promise.reject(new Error('No commands.')),
      async editionAddress(edition) {
        told.set(edition.name, edition);
        return edition.name === 'daily' ? 'https://front.example/page' : null;
      },
    });
    const lastLineOf = async (name: string) => {
      expect(await scene.runDigest(name, context)).toBe('posted');
      return scene.posted().at(-1)?.embeds[0]?.description?.split('\n').at(-1);
    };
    expect(await lastLineOf('daily')).toMatch(
      / · post yours with \/post · \[this edition on the web\]\(https:\/\/front\.example\/page\)$/,
    );
    expect(await lastLineOf('other')).toMatch(/ · the front page: \/top$/);
    const of = { guild: scene.guild, channel: scene.channel, date: '2027-03-10' };
    expect([...told.values()]).toEqual(digests.map((name) => ({ ...of, name })));
  });

  test('a daily digest is in the language that was set for the server, also by hand', async () => {
    await writeSetting(scene.context.store, scene.guild, 'language', 'de');
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await scene.tick();
    const guild = scene.bot.client.guilds.cache.get(scene.guild)!;
    const stored = await readDigest(scene.context.store, scene.guild, 'daily');
    await scene.postArticles(['Next']);
    const drafted = await scene.bot.digests.preview(guild, stored!);
    const { content = '' } = drafted.draft.body ?? {};
    expect([...scene.headlines(), content]).toEqual([
      'Tägliche Auslese · Mittwoch, 10. März',
      expect.stringContaining('Mittwoch, 10. März'),
    ]);
  });

  test('a daily digest of two channels has an article of both once, and nothing of a third', async () => {
    const { general, ai, rust } = scene.sandbox.channels;
    await scene.setUp('daily', { groups: [ai.id, general.id] });
    const { ranking } = scene.context;
    const post = async (title: string, home: string, groups: string[]) => {
      const id = scene.sandbox.world.snowflake(NOON);
      const link = `https://example.com/${id}`;
      const of = { guild: scene.guild, id, title, link, linkName: link, home, groups };
      const tally = { up: 3, down: 0, closed: false };
      await postArticle(ranking, { ...of, poster: scene.sandbox.admin, listed: true, tally });
    };
    await post('Of both', general.id, [ai.id]);
    await post('Of the third', rust.id, []);
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.titles()).toEqual([['Of both']]);
    expect(scene.posted()[0]?.embeds[0]?.description).toContain('1 article by 1 member · 2 votes');
  });

  test.each(['at its hour', 'by hand'])(
    'a digest with a link that Discord refuses comes without links, pictures and quotes %s, and its manager hears why if nobody else does',
    async (when) => {
      const { admin, world, channels, members } = scene.sandbox;
      const { ranking, store } = scene.context;
      await scene.setUp('daily', { savedBy: admin });
      const post = async (title: string, link: string, up: number) => {
        const id = world.snowflake(NOON);
        const of = {
          guild: scene.guild,
          id,
          title,
          link,
          linkName: link,
          home: channels.general.id,
        };
        const tally = { up, down: 0, closed: false };
        const comment = 'So it is said';
        await postArticle(ranking, {
          ...of,
          comment,
          poster: members[0] ?? '',
          listed: true,
          tally,
        });
        await writePreview(ranking, scene.guild, id, { picture: link, description: 'Found' });
      };
      const bad = 'https://bad.example/page';
      const picture = 'https://pictures.example/a.png';
      await post('Bad', bad, 9);
      await post(titleOfLink(picture), picture, 3);
      const direct = scene.sandbox.as(admin).directMessages().messages;
      const told = () => [...direct.values()].map(({ content }) => content);
      const before = told();
      scene.goTo(SIX);
      const guild = scene.bot.client.guilds.cache.get(scene.guild)!;
      const stored = await readDigest(store, scene.guild, 'daily');
      const drafted = await scene.bot.digests.preview(guild, stored!);
      const shown = /Found|So it is said|https:\/\/(?!discord)/g;
      const usually = JSON.stringify(drafted.draft.body?.embeds).match(shown);
      expect(new Set(usually)).toEqual(new Set(['Found', 'So it is said', 'https://']));
      world.harmfulHosts.add('bad.example');
      if (when === 'by hand') await scene.bot.digests.post(drafted);
      else await scene.tick();
      world.harmfulHosts.clear();
      const [plain] = scene.posted();
      expect(plain?.embeds[0]?.url).toContain(`https://discord.com/channels/${scene.guild}/`);
      expect(JSON.stringify(plain?.embeds)).not.toMatch(shown);
      const heard = told()
        .slice(before.length)
        .map((text) => text.includes('240000'));
      expect(heard).toEqual(when === 'by hand' ? [] : [true]);
    },
  );

  test('a daily digest that is deleted while its channel is read is not posted', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    const { channels, store } = scene.context;
    let reads = 0;
    const readBack = async (...of: Parameters<typeof channels.readBack>) => {
      reads += 1;
      await deleteDigest(store, scene.guild, 'daily');
      return channels.readBack(...of);
    };
    await scene.tick({ ...scene.context, channels: { ...channels, readBack } });
    expect([reads, scene.posted()]).toEqual([1, []]);
  });

  test('a daily digest that is saved while its channel is read comes a minute later, as it was saved', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best', 'Second']);
    scene.goTo(SIX);
    const saved = { count: 1, slotsFromMs: NOON };
    const reading = pausedAt(scene.context, { step: 'readBack' }, () =>
      scene.setUp('daily', saved),
    );
    expect(await scene.runDigest('daily', reading)).toBe('idle');
    expect(scene.posted()).toEqual([]);
    scene.clock.move(MINUTE_MS);
    expect(await scene.runDigest()).toBe('posted');
    expect(scene.titles()).toEqual([['Best']]);
  });

  test.each([
    ['has nothing to post', 0, 'empty'],
    ['is too late', 13 * HOUR_MS, 'skipped'],
  ] as const)(
    'a daily digest that %s counts for one process alone, and not for one that stood still',
    async (_, lateMs, became) => {
      await scene.setUp('daily', {});
      scene.goTo(SIX + lateMs);
      const slow = pausedAt(scene.context, { step: 'releaseLease' }, async () => {
        scene.clock.move(CLAIM_MS);
        expect(await scene.runDigest()).toBe(became);
      });
      expect(await scene.runDigest('daily', slow)).toBe('idle');
    },
  );

  test('a daily digest of two bots side by side is posted once', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    const { token, apiBase } = scene.sandbox;
    const redis = connectRedis(scene.redis.url, { log, name: 'second' });
    const second = await startBot({ token, apiBase, redis, clock: scene.clock, log });
    scene.goTo(SIX);
    await Promise.all([scene.tick(), scene.tick(openDigestContext(second)), scene.tick()]);
    await scene.tick(openDigestContext(second));
    expect(scene.titles()).toEqual([['Best']]);
    await second.stop();
    redis.disconnect();
  });
});

describe('after downtime', () => {
  test('after some hours of downtime a digest is posted on return', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX + 11 * HOUR_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best']]);
    expect(scene.headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  });

  test('after more than twelve hours of downtime a digest is left out, and the next has its articles', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Missed']);
    scene.goTo(SIX + 13 * HOUR_MS);
    await scene.tick();
    await scene.tick();
    expect(scene.posted()).toEqual([]);
    await scene.postArticles(['Fresh']);
    scene.goTo(SIX + DAY_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Fresh', 'Missed']]);
    const since = () => scene.posted().map(({ embeds }) => embeds.at(-1)?.footer?.text);
    expect(since()).toEqual(['Daily digest · since Wednesday 18:00']);
    await scene.postArticles(['Next'], SIX + DAY_MS + HOUR_MS);
    scene.goTo(SIX + 2 * DAY_MS);
    await scene.tick();
    expect(scene.titles()[1]).toEqual(['Next']);
    expect(since()[1]).toBe('Daily digest · since Thursday 18:00');
  });

  // Withstands (Time): The bot is off for days
  // → the next edition has what none has listed
  test('after several days of downtime only the last missed digest is posted, with all that none has listed', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Missed'], SIX + HOUR_MS);
    await scene.postArticles(['In time'], SIX + 2 * DAY_MS + HOUR_MS);
    scene.goTo(SIX + 3 * DAY_MS + HOUR_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['In time', 'Missed']]);
  });

  test('after downtime with what is due forgotten, a digest is found again in the guilds’ own data', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    const { store } = scene.context;
    await store.redis.del(storeKeys(store, scene.guild).due);
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.posted()).toEqual([]);
    await planFromData(scene.context, scene.guild);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best']]);
  });
});

describe('a change of summer time', () => {
  test('a digest keeps its local hour when summer time changes in its zone', async () => {
    scene.goTo(Date.UTC(2027, 2, 26, 12));
    await scene.setUp('daily', {
      schedule: { every: 'day', time: '09:00', zone: 'Europe/Berlin' },
    });
    const at: string[] = [];
    for (let hour = 0; hour < 72; hour += 1) {
      await scene.postArticles([`Posted in hour ${hour}`]);
      scene.clock.move(HOUR_MS);
      await scene.tick();
      const headline = scene.headlines().at(-1) ?? '';
      if (at.at(-1)?.startsWith(headline) !== true && headline !== '') {
        at.push(`${headline} ${new Date(scene.clock.now()).toISOString().slice(0, 13)}`);
      }
    }
    expect(at).toEqual([
      'Daily digest · Saturday, March 27 2027-03-27T08',
      'Daily digest · Sunday, March 28 2027-03-28T07',
      'Daily digest · Monday, March 29 2027-03-29T07',
    ]);
    expect(scene.posted()).toHaveLength(3);
  });

  test('changing hour and zone after the posting brings no second one that day', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await scene.tick();
    scene.clock.move(MINUTE_MS);
    await scene.postArticles(['Fresh']);
    await scene.setUp('daily', { schedule: { every: 'day', time: '22:00', zone: 'UTC' } });
    scene.goTo(SIX + 4 * HOUR_MS);
    await scene.tick();
    await scene.setUp('daily', {
      schedule: { every: 'day', time: '13:30', zone: 'America/New_York' },
    });
    scene.goTo(SIX + 5 * HOUR_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Best']]);
  });
});

describe('the tick', () => {
  test('the tick reads what is due and no digest besides', async () => {
    await scene.setUp('daily', {});
    scene.goTo(SIX);
    await scene.tick();
    const { store } = scene.context;
    expect(await readDue(store, scene.guild, SIX + DAY_MS)).toEqual([
      { row: 'digest:daily', atMs: SIX + DAY_MS },
    ]);
  });

  test('the tick says which guild’s data Redis cannot read, and not that of an outage of Discord', async () => {
    const { store, ranking } = scene.context;
    const damaged: string[] = [];
    const told = { ...ranking, onDamaged: (guild: string) => void damaged.push(guild) };
    const context = { ...scene.context, ranking: told };
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    const end = scene.sandbox.faults.add({ method: 'GET', status: 500 });
    await scene.tick(context);
    end();
    expect(damaged).toEqual([]);
    await store.redis.del(storeKeys(store, scene.guild).runs);
    await store.redis.set(storeKeys(store, scene.guild).runs, 'not a hash');
    scene.clock.move(2 * MINUTE_MS);
    await scene.tick(context);
    expect(damaged).toEqual([scene.guild]);
  });

  test('the tick told to stop begins no further edition', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await runDueDigests(scene.context, AbortSignal.abort());
    expect(scene.posted()).toEqual([]);
  });

  test('the tick finds nothing more of a guild that is forgotten', async () => {
    const { store } = scene.context;
    await scene.setUp('daily', {});
    await writeSetting(store, scene.guild, 'announcements', scene.channel);
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await scene.tick();
    await announceFromNow(store, scene.guild);
    expect(await readDue(store, scene.guild, SIX + DAY_MS)).toHaveLength(2);
    // The batch of changes that follows also raises a version of the guild.
    await scene.context.ranking.changes.flush();
    await forgetGuild(store, scene.guild);
    expect(await readDue(store, scene.guild, SIX + DAY_MS)).toEqual([]);
    expect(await scene.redis.redis.keys(`*{${scene.guild}}*`)).toEqual([]);
  });

  test('the tick leaves what a digest has posted where its settings cannot be read, for whoever repairs them', async () => {
    const { store } = scene.context;
    const { digests, runs } = storeKeys(store, scene.guild);
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    await scene.tick();
    const [run] = await store.redis.hvals(runs);
    await store.redis.hset(digests, 'daily', 'not JSON');
    await planDigest(store, scene.guild, 'daily', SIX);
    await scene.tick();
    expect(await store.redis.hvals(runs)).toEqual([run]);
    await deleteDigest(store, scene.guild, 'daily');
    await store.redis.hset(runs, 'daily', run!);
    await planDigest(store, scene.guild, 'daily', SIX);
    await scene.tick();
    expect(await store.redis.hvals(runs)).toEqual([]);
  });

  test('the tick drops what is due of a digest that is gone, and says so', async () => {
    const { store, log: said } = scene.context;
    const errors = vi.spyOn(said, 'error');
    await store.redis.zadd(storeKeys(store, scene.guild).due, NOON, 'digest:gone');
    await scene.tick();
    expect(await readDue(store, scene.guild, NOON)).toEqual([]);
    const fields = { guild: scene.guild, digest: 'gone' };
    expect(errors).toHaveBeenCalledWith(fields, expect.stringContaining('is gone'));
  });
});

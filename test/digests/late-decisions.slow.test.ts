import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addRole, deleteRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { moveArticle, retitleArticle } from '../../src/ranking/articles/edit.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { listEditions, readEdition } from '../../src/editions/stored-editions.ts';
import { announceFromNow, deleteDigest, readDue } from '../../src/digests/stored-digests.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
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
const EDITS = /^\/channels\/[^/]+\/messages\/[^/]+$/;

function told(): string[] {
  const admin = scene.sandbox.as(scene.sandbox.admin);
  return admin.messages(admin.directMessages().id).map(({ content }) => content);
}

async function minutes(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    scene.clock.move(MINUTE_MS);
    await scene.tick();
  }
}

/** What can happen to an article between a decision and its carrying out. */
const changes: Record<string, (id: string) => Promise<unknown>> = {
  deleted: (id) => deleteArticle(scene.context.ranking, scene.guild, id),
  removed: (id) => removeArticle(scene.context.ranking, scene.guild, id, scene.clock.now()),
  hidden: (article) => {
    const home = scene.sandbox.channels.general.id;
    return moveArticle(scene.context.ranking, {
      guild: scene.guild,
      article,
      home,
      listed: false,
    });
  },
};

describe('an edition that Discord accepts twenty minutes late', () => {
  // Withstands (Requests to Discord): An article goes while Discord takes no digest and no announcement
  // → the late edition does not name it
  test.each(Object.keys(changes))(
    'an edition that Discord accepts late does not name an article that was %s since',
    async (change) => {
      await scene.setUp('daily', {});
      const [best = ''] = await scene.postArticles(['Best', 'Second', 'Third']);
      scene.goTo(SIX);
      const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503 });
      await scene.tick();
      await changes[change]?.(best);
      await minutes(20);
      expect(scene.titles()).toEqual([]);
      end();
      await minutes(2);
      expect(scene.titles()).toEqual([['Second', 'Third']]);
    },
  );

  test.each([true, false])(
    'an edition of which a proxy’s page hides whether it was sent (it was: %s) comes once, and its message is known',
    async (afterTheWork) => {
      await scene.setUp('daily', {});
      await scene.postArticles(['Best', 'Second']);
      scene.goTo(SIX);
      const page = { method: 'POST', route: SENDS, status: 200, html: true, times: 1 };
      scene.sandbox.faults.add({ ...page, afterTheWork });
      await scene.tick();
      await minutes(2);
      const [edition] = scene.posted();
      expect(scene.posted()).toHaveLength(1);
      const kept = await listEditions(scene.context.store, scene.guild);
      expect(kept.map((one) => one.edition.message)).toEqual([edition?.id]);
    },
  );

  test('an edition that Discord accepts twenty minutes late shows the titles that its articles have now', async () => {
    await scene.setUp('daily', {});
    const [article = ''] = await scene.postArticles(['A slander', 'Second']);
    scene.goTo(SIX);
    const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503 });
    await scene.tick();
    await retitleArticle(scene.context.ranking, { guild: scene.guild, article, title: 'A fact' });
    await minutes(20);
    end();
    await minutes(2);
    expect(scene.titles()).toEqual([['A fact', 'Second']]);
  });

  test.each(['retitled', 'opted out'])(
    'an edition that Discord accepts twenty minutes late says nothing that is wrong since: %s',
    async (change) => {
      const { store, ranking } = scene.context;
      const [poster = ''] = scene.sandbox.members;
      await scene.setUp('daily', {});
      const [best = ''] = await scene.postArticles(['Best', 'Second']);
      scene.goTo(SIX);
      const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503 });
      await scene.tick();
      if (change === 'retitled') {
        await retitleArticle(ranking, { guild: scene.guild, article: best, title: 'Neutral' });
      } else await setOptedOut(store, scene.guild, poster, true);
      await minutes(5);
      end();
      await minutes(2);
      const [edition] = scene.posted();
      const said = JSON.stringify([edition?.content, edition?.embeds]);
      expect(said).toContain('Second');
      expect(said).not.toContain(change === 'retitled' ? 'Best' : poster);
      await setOptedOut(store, scene.guild, poster, false);
    },
  );

  test.each(['off', 'moved'])(
    'an edition that Discord accepts twenty minutes late is not posted where its digest was switched %s since',
    async (change) => {
      const { store } = scene.context;
      await scene.setUp('daily', {});
      await scene.postArticles(['Best', 'Second']);
      scene.goTo(SIX);
      const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503 });
      await scene.tick();
      if (change === 'off') await deleteDigest(store, scene.guild, 'daily');
      else await scene.setUp('daily', { channel: scene.sandbox.channels.ai.id });
      end();
      await minutes(5);
      expect(scene.posted()).toEqual([]);
    },
  );

  // Withstands (Requests to Discord): A digest is deleted or changed while its edition is being counted or sent
  // → nothing is posted by the old settings, and the new ones are looked at in time
  test.each(['deleted', 'moved', 'set to another hour'])(
    'an edition is not posted by old settings where its digest was %s just before the send',
    async (change) => {
      const { store } = scene.context;
      await scene.setUp('daily', {});
      await scene.postArticles(['Best', 'Second']);
      scene.goTo(SIX);
      const paused = pausedAt(scene.context, { step: 'readBack' }, async () => {
        if (change === 'deleted') await deleteDigest(store, scene.guild, 'daily');
        else if (change === 'moved') {
          await scene.setUp('daily', { channel: scene.sandbox.channels.ai.id });
        } else {
          const schedule = { every: 'day', time: '18:30', zone: 'UTC' } as const;
          await scene.setUp('daily', { schedule });
        }
      });
      expect(await scene.runDigest('daily', paused)).toBe('idle');
      expect(scene.posted()).toEqual([]);
      expect(await scene.redis.redis.hexists(storeKeys(store, scene.guild).runs, 'daily')).toBe(0);
      const [due] = await readDue(store, SIX + DAY_MS);
      const wanted = { deleted: undefined, moved: DAY_MS, 'set to another hour': 30 * MINUTE_MS };
      const { [change as keyof typeof wanted]: afterMs } = wanted;
      expect(due?.atMs).toBe(afterMs && SIX + afterMs);
    },
  );

  test('a digest that is deleted while its edition is on its way leaves no run to the next one of its name', async () => {
    const { store } = scene.context;
    await scene.setUp('daily', {});
    await scene.postArticles(['Best', 'Second']);
    scene.goTo(SIX);
    const paused = pausedAt(scene.context, { step: 'sendMessage' }, () =>
      deleteDigest(store, scene.guild, 'daily'),
    );
    await scene.runDigest('daily', paused);
    expect(await scene.redis.redis.hexists(storeKeys(store, scene.guild).runs, 'daily')).toBe(0);
    expect(await readDue(store, SIX + 2 * DAY_MS)).toEqual([]);
  });

  test('an edition that Discord accepts twenty minutes late is posted as it was drafted where nothing changed', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best', 'Second']);
    scene.goTo(SIX);
    const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503 });
    await scene.tick();
    await minutes(20);
    end();
    await minutes(2);
    expect(scene.titles()).toEqual([['Best', 'Second']]);
  });
});

describe('an announcement that Discord accepts twenty minutes late', () => {
  test.each(['retitled', 'opted out'])(
    'an announcement that Discord accepts twenty minutes late says nothing that is wrong since: %s',
    async (change) => {
      const { store, ranking } = scene.context;
      const [poster = ''] = scene.sandbox.members;
      await setScale(ranking, scene.guild, { mark: 3 });
      await scene.redis.redis.set(storeKeys(store, scene.guild).complete, scene.clock.now());
      await writeSetting(store, scene.guild, 'announcements', scene.channel);
      await announceFromNow(store, scene.guild);
      await scene.tick();
      const [article = ''] = await scene.postArticles(['A slander']);
      for (const member of ['51', '52', '53']) {
        await setVote(
          ranking,
          { guild: scene.guild, article, member, vote: 'up' },
          scene.clock.now(),
        );
      }
      const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503 });
      await minutes(1);
      if (change === 'retitled') {
        await retitleArticle(ranking, { guild: scene.guild, article, title: 'A fact' });
      } else await setOptedOut(store, scene.guild, poster, true);
      await minutes(20);
      end();
      await minutes(2);
      await setOptedOut(store, scene.guild, poster, false);
      const said = scene.posted().map(({ content }) => content);
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(change === 'retitled' ? 'A fact' : 'A slander');
      expect(said[0]).not.toContain(change === 'retitled' ? 'A slander' : poster);
    },
  );

  test.each(Object.keys(changes))(
    'an announcement that Discord accepts late does not name an article that was %s since',
    async (change) => {
      const { store, ranking } = scene.context;
      await setScale(ranking, scene.guild, { mark: 3 });
      await scene.redis.redis.set(storeKeys(store, scene.guild).complete, scene.clock.now());
      await writeSetting(store, scene.guild, 'announcements', scene.channel);
      await announceFromNow(store, scene.guild);
      await scene.tick();
      const [first = '', second = ''] = await scene.postArticles(['First', 'Second']);
      for (const article of [first, second]) {
        for (const member of ['31', '32', '33']) {
          const vote = { guild: scene.guild, article, member, vote: 'up' as const };
          await setVote(ranking, vote, scene.clock.now());
        }
      }
      const end = scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503 });
      await minutes(1);
      await changes[change]?.(first);
      await minutes(20);
      end();
      await minutes(2);
      const said = scene.posted().map(({ content }) => content);
      expect(said).toHaveLength(1);
      expect(said[0]).toContain('Second');
      expect(said[0]).not.toContain('First');
    },
  );
});

describe('one text that Discord holds back', () => {
  // Withstands (Requests to Discord): Discord holds back one text, for a word or a link (200000, 240000)
  // → the digest is posted without it, the others are announced
  test('one text that Discord holds back is left out of an edition, and the others are posted', async () => {
    await scene.setUp('daily', {});
    const [, bad = ''] = await scene.postArticles(['Best', 'Harmful', 'Third']);
    scene.sandbox.world.harmfulHosts.add(`example.com/${bad}`);
    scene.goTo(SIX);
    await scene.tick();
    scene.sandbox.world.harmfulHosts.clear();
    expect(scene.titles()).toEqual([['Best', 'Third']]);
  });

  // Withstands (Requests to Discord): Discord refuses several articles of one edition
  // → all others are posted, and the admins are told once which it refuses
  test.each([
    ['the two best of six', [0, 1], 200_000],
    ['the first and the last of six', [0, 5], 240_000],
    ['two in the middle of six', [2, 3], 50_035],
    ['all but one of six', [0, 1, 3, 4, 5], 200_000],
  ])(
    'texts that Discord holds back are left out of an edition, and all others posted: %s',
    async (_, bad, code) => {
      await scene.setUp('daily', { savedBy: scene.sandbox.admin });
      const titles = ['Ant', 'Bee', 'Cow', 'Dog', 'Eel', 'Fox'];
      const ids = await scene.postArticles(titles);
      const body = new RegExp(bad.map((at) => titles[at]).join('|'));
      for (const method of ['POST', 'PATCH']) {
        scene.sandbox.faults.add({ method, body, status: 400, code });
      }
      scene.goTo(SIX);
      await scene.tick();
      const good = titles.filter((_one, at) => !bad.includes(at));
      expect(scene.titles()).toEqual([good]);
      await minutes(3);
      scene.goTo(SIX + 10 * MINUTE_MS);
      await minutes(2);
      expect(scene.titles()).toEqual([good]);
      const [news = '', ...more] = told();
      expect(more).toEqual([]);
      expect(news).toContain(`${code}`);
      expect(ids.filter((id) => news.includes(id))).toEqual(bad.map((at) => ids[at]));
      // What the edition's page shows is what was posted.
      const stored = await readEdition(scene.context.store, scene.guild, {
        name: 'daily',
        date: new Date(SIX).toISOString().slice(0, 10),
      });
      expect(stored?.articles.map(({ id }) => ids.indexOf(id))).toEqual(
        good.map((title) => titles.indexOf(title)),
      );
    },
  );

  test('texts that Discord holds back do not keep an edition from its other articles, though the process dies between two parts', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Ant', 'Bee', 'Cow', 'Dog', 'Eel', 'Fox']);
    for (const method of ['POST', 'PATCH']) {
      scene.sandbox.faults.add({ method, body: /Ant|Dog/, status: 400, code: 200_000 });
    }
    const end = scene.sandbox.faults.add({ method: 'PATCH', route: EDITS, status: 503 });
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.posted()).toHaveLength(1);
    end();
    await minutes(3);
    expect(scene.titles()).toEqual([['Bee', 'Cow', 'Eel', 'Fox']]);
  });

  test('texts that Discord holds back do not leave an edition in part, though a process that stood still edits it last', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Ant', 'Bee', 'Cow', 'Dog', 'Eel', 'Fox']);
    for (const method of ['POST', 'PATCH']) {
      scene.sandbox.faults.add({ method, body: /Ant|Dog/, status: 400, code: 200_000 });
    }
    scene.goTo(SIX);
    const paused = pausedAt(scene.context, { step: 'editMessage' }, async () => {
      scene.clock.move(2 * CLAIM_MS);
      expect(await scene.runDigest()).toBe('posted');
    });
    expect(await scene.runDigest('daily', paused)).toBe('idle');
    expect(scene.titles()).toEqual([['Bee', 'Cow', 'Eel', 'Fox']]);
  });

  // Withstands (Requests to Discord): Discord takes none of an edition’s articles, or only so many at once
  // → each is asked for once and the edition ever more rarely; the admins are told once what to do
  test('texts that Discord holds back in each article are asked for one by one once, and then ever more rarely together', async () => {
    await scene.setUp('daily', { savedBy: scene.sandbox.admin });
    const [first = ''] = await scene.postArticles(['Ant', 'Bee', 'Cow', 'Dog', 'Eel', 'Fox']);
    const path = new RegExp(`channels/${scene.channel}/messages$`);
    const end = scene.sandbox.faults.add({ method: 'POST', path, status: 400, code: 200_000 });
    const asked = () => scene.sandbox.requests.count('POST', SENDS, 400);
    scene.goTo(SIX);
    await scene.tick();
    const atFirst = asked();
    expect(atFirst).toBeLessThanOrEqual(12);
    for (let hours = 1; hours <= 11; hours += 1) {
      scene.goTo(SIX + hours * HOUR_MS + MINUTE_MS);
      await scene.tick();
    }
    // After an hour, three and seven.
    expect(asked() - atFirst).toBe(3);
    expect(told()).toHaveLength(1);
    end();
    // What a moderator changes is tried anew the next day.
    const { ranking } = scene.context;
    await retitleArticle(ranking, { guild: scene.guild, article: first, title: 'Aardvark' });
    scene.goTo(SIX + DAY_MS);
    await scene.tick();
    expect(scene.titles()).toEqual([['Aardvark', 'Bee', 'Cow', 'Dog', 'Eel', 'Fox']]);
  });

  test('one text that Discord holds back is not blamed where it takes only so many articles at once', async () => {
    await scene.setUp('daily', { savedBy: scene.sandbox.admin });
    await scene.postArticles(['Ant', 'Bee', 'Cow', 'Dog', 'Eel', 'Fox']);
    for (const method of ['POST', 'PATCH']) {
      const body = /(?:https:\/\/example\.com[^]*){4}/;
      scene.sandbox.faults.add({ method, body, status: 400, code: 200_000 });
    }
    scene.goTo(SIX);
    await scene.tick();
    expect(scene.titles()).toEqual([['Ant', 'Bee', 'Cow']]);
    expect(told()).toHaveLength(1);
    expect(told()[0]).toContain('no more than 3 articles');
  });

  test('one text that Discord holds back is not announced, and the others are', async () => {
    const { store, ranking } = scene.context;
    await setScale(ranking, scene.guild, { mark: 3 });
    await scene.redis.redis.set(storeKeys(store, scene.guild).complete, scene.clock.now());
    await writeSetting(store, scene.guild, 'announcements', scene.channel);
    await announceFromNow(store, scene.guild);
    await scene.tick();
    const ids = await scene.postArticles(['First', 'Bad word', 'Third']);
    for (const article of ids) {
      for (const member of ['41', '42', '43']) {
        const vote = { guild: scene.guild, article, member, vote: 'up' as const };
        await setVote(ranking, vote, scene.clock.now());
      }
    }
    scene.sandbox.guild.blockedWords = ['Bad word'];
    await minutes(2);
    scene.sandbox.guild.blockedWords = [];
    await minutes(2);
    const said = scene.posted().map(({ content }) => content);
    expect(said.join('\n')).not.toContain('Bad word');
    for (const title of ['First', 'Third']) {
      expect(said.filter((one) => one.includes(title))).toHaveLength(1);
    }
  });

  // Withstands (Requests to Discord): Discord finds one article’s text or address malformed (50035)
  // → digests, announcements and boards are shown without it
  test('as malformed is left out of an edition, and not announced', async () => {
    const { store, ranking } = scene.context;
    await setScale(ranking, scene.guild, { mark: 3 });
    await scene.redis.redis.set(storeKeys(store, scene.guild).complete, scene.clock.now());
    await writeSetting(store, scene.guild, 'announcements', scene.channel);
    await announceFromNow(store, scene.guild);
    await scene.tick();
    await scene.setUp('daily', {});
    const ids = await scene.postArticles(['First', 'Malformed', 'Third']);
    for (const article of ids) {
      for (const member of ['61', '62', '63']) {
        const vote = { guild: scene.guild, article, member, vote: 'up' as const };
        await setVote(ranking, vote, scene.clock.now());
      }
    }
    const malformed = { method: 'POST', route: SENDS, body: /Malformed/ };
    scene.sandbox.faults.add({ ...malformed, status: 400, code: 50_035 });
    await minutes(3);
    scene.goTo(SIX);
    await minutes(2);
    const said = JSON.stringify(scene.posted().map(({ content, embeds }) => [content, embeds]));
    expect(said).not.toContain('Malformed');
    for (const title of ['First', 'Third']) {
      expect(scene.posted().filter(({ content }) => content.includes(`[${title}]`))).toHaveLength(
        1,
      );
    }
    expect(scene.titles()).toContainEqual(['First', 'Third']);
  });

  test('one text that Discord holds back in each article of an edition is said to the admins as what it is', async () => {
    await scene.setUp('daily', { savedBy: scene.sandbox.admin });
    await scene.postArticles(['One', 'Other']);
    scene.sandbox.guild.blockedWords = ['Daily'];
    scene.goTo(SIX);
    await scene.tick();
    scene.sandbox.guild.blockedWords = [];
    expect(told()).toEqual([expect.stringContaining('AutoMod')]);
  });
});

test('a role that was deleted since the draft was written is not mentioned', async () => {
  const { world } = scene.sandbox;
  const guild = world.guilds.get(scene.guild)!;
  const role = addRole(world, guild, { name: 'readers', permissions: 0n });
  const cached = () => scene.bot.client.guilds.cache.get(scene.guild)?.roles.cache.has(role.id);
  await scene.eventually(cached, (has) => has === true, 'known to the bot');
  await scene.setUp('daily', { role: role.id });
  await scene.postArticles(['Best']);
  deleteRole(world, guild, role);
  await scene.eventually(cached, (has) => has === false, 'gone for the bot');
  scene.goTo(SIX);
  await scene.tick();
  const [edition] = scene.posted();
  expect(edition?.content).toContain('\nBest');
  expect(edition?.content).not.toContain('<@&');
  expect(edition?.mention_roles).toEqual([]);
});

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
import { deleteDigest } from '../../src/digests/stored-digests.ts';
import { announceFromNow, readDue } from './due-digests.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
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
      await scene.tick(paused);
      expect(scene.posted()).toEqual([]);
      expect(await scene.redis.redis.hexists(storeKeys(store, scene.guild).runs, 'daily')).toBe(0);
      const [due] = await readDue(store, scene.guild, SIX + DAY_MS);
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
    await scene.tick(paused);
    expect(await scene.redis.redis.hexists(storeKeys(store, scene.guild).runs, 'daily')).toBe(0);
    expect(await readDue(store, scene.guild, SIX + 2 * DAY_MS)).toEqual([]);
  });

  test('an edition that Discord accepts twenty minutes late is posted', async () => {
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

/** Refuses each message that leads to one of these articles' pages. */
function refuseLinks(ids: readonly string[], code: number): () => void {
  const body = new RegExp(ids.map((id) => `example\\.com/${id}`).join('|'));
  const ends = ['POST', 'PATCH'].map((method) =>
    scene.sandbox.faults.add({
      method,
      path: /\/channels\/\d+\/messages/,
      body,
      status: 400,
      code,
    }),
  );
  return () => ends.forEach((end) => end());
}

// Withstands (Requests to Discord): Discord refuses a link as harmful (240000), or an address as malformed (50035)
// → the digest, the announcement or the board comes with titles that lead to messages, and the admins hear why
describe('a link that Discord refuses', () => {
  test('an edition with a link that Discord knows as harmful is posted with titles that lead to messages', async () => {
    await scene.setUp('daily', { savedBy: scene.sandbox.admin });
    const [, bad = ''] = await scene.postArticles(['Best', 'Harmful', 'Third']);
    const { harmfulHosts } = scene.sandbox.world;
    harmfulHosts.add(`example.com/${bad}`);
    scene.goTo(SIX);
    await scene.tick();
    harmfulHosts.clear();
    expect(scene.titles()).toEqual([['Best', 'Harmful', 'Third']]);
    expect(told()).toEqual([expect.stringContaining('240000')]);
    const [edition] = scene.posted();
    expect(JSON.stringify(edition?.embeds)).not.toContain('https://example.com');
    expect(edition?.embeds[0]?.url).toContain('https://discord.com/channels/');
  });

  test.each(['of one article', 'of all'])(
    'an edition is posted at its first try where Discord finds the link malformed %s',
    async (of) => {
      await scene.setUp('daily', {});
      const titles = ['Ant', 'Bee', 'Cow'];
      const ids = await scene.postArticles(titles);
      const end = refuseLinks(of === 'of all' ? ids : ids.slice(1, 2), 50_035);
      scene.goTo(SIX);
      await scene.tick();
      end();
      expect(scene.titles()).toEqual([titles]);
      // What the edition's page shows is what was posted.
      const date = new Date(SIX).toISOString().slice(0, 10);
      const stored = await readEdition(scene.context.store, scene.guild, { name: 'daily', date });
      expect(stored?.articles.map(({ id }) => id)).toEqual(ids);
    },
  );

  test('an edition that another process sent is edited without the link that Discord refuses', async () => {
    await scene.setUp('daily', {});
    await scene.postArticles(['Best']);
    scene.goTo(SIX);
    scene.sandbox.faults.add({ method: 'POST', route: SENDS, status: 503, afterTheWork: true });
    await scene.tick();
    scene.sandbox.faults.clear();
    const end = refuseLinks(await scene.postArticles(['Harmful'], SIX - MINUTE_MS, 9), 240_000);
    await minutes(2);
    end();
    expect(scene.titles()).toEqual([['Harmful', 'Best']]);
  });

  // Withstands (Requests to Discord): Discord takes an edition neither with links nor without
  // → it is asked twice an hour, the admins are told once, and the edition comes when it is taken
  test('an edition that Discord takes neither with links nor without is asked for twice an hour', async () => {
    await scene.setUp('daily', { savedBy: scene.sandbox.admin });
    await scene.postArticles(['Ant', 'Bee']);
    const path = new RegExp(`channels/${scene.channel}/messages$`);
    const end = scene.sandbox.faults.add({ method: 'POST', path, status: 400, code: 240_000 });
    const asked = () => scene.sandbox.requests.count('POST', SENDS, 400);
    const before = asked();
    scene.goTo(SIX);
    await scene.tick();
    expect(asked() - before).toBe(2);
    for (let hours = 1; hours <= 3; hours += 1) {
      scene.goTo(SIX + hours * (HOUR_MS + MINUTE_MS));
      await scene.tick();
    }
    expect(asked() - before).toBe(8);
    expect(told()).toEqual([expect.stringContaining('also without the articles’ links')]);
    end();
    scene.goTo(SIX + 4 * (HOUR_MS + MINUTE_MS));
    await scene.tick();
    expect(scene.titles()).toEqual([['Ant', 'Bee']]);
  });

  test('an article whose link Discord refuses is announced without it, beside the others', async () => {
    const { store, ranking } = scene.context;
    await setScale(ranking, scene.guild, { mark: 3 });
    await scene.redis.redis.set(storeKeys(store, scene.guild).complete, scene.clock.now());
    await writeSetting(store, scene.guild, 'announcements', scene.channel);
    await announceFromNow(store, scene.guild);
    await scene.tick();
    const ids = await scene.postArticles(['First', 'Harmful', 'Third']);
    for (const article of ids) {
      for (const member of ['41', '42', '43']) {
        const vote = { guild: scene.guild, article, member, vote: 'up' as const };
        await setVote(ranking, vote, scene.clock.now());
      }
    }
    const end = refuseLinks(ids.slice(1, 2), 240_000);
    await minutes(2);
    end();
    const said = scene.posted().map(({ content }) => content);
    for (const title of ['First', 'Harmful', 'Third']) {
      expect(said.filter((one) => one.includes(title))).toHaveLength(1);
    }
    expect(said.join('\n')).not.toContain('https://example.com');
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

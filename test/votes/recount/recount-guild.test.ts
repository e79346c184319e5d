import { once } from 'node:events';
import { PermissionFlagsBits as P } from 'discord.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { setOverwrite } from '../../../discord-box/src/world/channels/change-channel.ts';
import { editMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import { removeAllReactions } from '../../../discord-box/src/world/messages/reactions.ts';
import {
  articleMessage,
  type Carried,
  readArticleMessage,
  removedMessage,
} from '../../../src/articles/messages/article-message.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { restoreShown } from '../../../src/votes/recount/newer-message.ts';
import { recountArticlesInVoting } from '../../../src/votes/recount/recount-guild.ts';
import { changeGroup } from '../../../src/ranking/articles/groups.ts';
import { readRemovedOf, removeArticle } from '../../../src/ranking/articles/removed.ts';
import { retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { heldRow } from '../../../src/due/kind.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { readVoter } from '../../../src/ranking/ballots/voters.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let general: string;
let poster: string;
let a: string;
let b: string;
let c: string;
let d: string;
let article: string;

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  poster = scene.sandbox.admin;
  [a = '', b = '', c = '', d = ''] = scene.sandbox.members;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  [article = ''] = await scene.plant(general);
});

/** So the ranking knows of votes that it was told of. */
async function voted() {
  await scene.agree([article]);
}
const listsRead = () => scene.sandbox.requests.count('GET', /reactions/);

/**
 * Recounts the article. `act` comes when its lists are compared, and before what they say is written; with 1, when they
 * are read.
 */
async function recountAround(act: () => unknown, atRead = 2) {
  const { bot } = scene;
  const gate = new AbortController();
  let reads = 0;
  // The rules are read for who is left out, and then for who may vote, when the lists have been compared.
  const rules = {
    ...bot.rules,
    read: async (id: string) => {
      reads += 1;
      if (reads === atRead) await once(gate.signal, 'abort');
      return bot.rules.read(id);
    },
  };
  const one = { articles: [article], full: true };
  const recount = recountArticlesInVoting({ ...bot, rules }, scene.sandbox.guildId, one);
  await expect.poll(() => reads).toBe(atRead);
  await act();
  await scene.settled();
  gate.abort();
  return recount;
}

describe('a recount', () => {
  test('a recount finds votes that were missed', async () => {
    scene.secretly(() => {
      scene.react(a, article, '👍');
      scene.react(b, article, '👎');
      scene.react(c, article, '👍');
    });
    expect(await scene.tally(article)).toEqual([1, 0]);
    const report = await scene.recount();
    expect(report).toMatchObject({ added: 3, removed: 0, switched: 0, unread: [], hidden: [] });
    expect(await scene.tally(article)).toEqual([3, 1]);
    expect(await scene.differences([article])).toEqual([]);
  });

  test.each(['👍', '👍🏽', '👎'])(
    'a recount leaves a first %s that comes while the lists wait to be read',
    async (emoji) => {
      const { bot } = scene;
      const { requests } = scene.sandbox;
      const gate = new AbortController();
      const first = bot.recountInTurn(article, () => once(gate.signal, 'abort'));
      const before = requests.count('GET', /messages/);
      const recount = scene.recount({ articles: [article], full: true });
      await scene.eventually(() => requests.count('GET', /messages/) > before, Boolean, 'read');
      await scene.settled();
      const [up, down] = emoji === '👎' ? [1, 1] : [2, 0];
      scene.react(a, article, emoji);
      await scene.expectTally(article, up, down);
      gate.abort();
      await first;
      expect(await recount).toMatchObject({ read: 1, added: 0, removed: 0, switched: 0 });
      expect(await scene.tally(article)).toEqual([up, down]);
    },
  );

  test('a recount does not clear damaged votes when somebody votes in that moment', async () => {
    const { bot } = scene;
    const keys = guildKeys(bot.ranking, scene.sandbox.guildId);
    await scene.redis.redis.sadd(keys.voters(article), c);
    /** The damage is found before the rules are read. */
    const rules = {
      ...bot.rules,
      async read(guild: string) {
        await scene.vote(a, article);
        return bot.rules.read(guild);
      },
    };
    const { guildId } = scene.sandbox;
    const first = await recountArticlesInVoting({ ...bot, rules }, guildId, {
      articles: [article],
      once: true,
    });
    expect(first.unread).toEqual([article]);
    expect(await readVoter(bot.ranking, guildId, article, a)).toMatchObject({ vote: 'up' });
    expect(await scene.recount({ articles: [article] })).toMatchObject({ unread: [] });
    expect(await scene.tally(article)).toEqual([2, 0]);
  });

  test('a recount learns which skin tones are shown, so that taking back one of two leaves the vote', async () => {
    scene.secretly(() => {
      scene.react(a, article, '👍');
      scene.react(a, article, '👍🏽');
    });
    await scene.recount();
    const before = listsRead();
    scene.unreact(a, article, '👍');
    await expect.poll(listsRead).toBeGreaterThan(before);
    await expect.poll(() => scene.tally(article)).toEqual([2, 0]);
  });

  test('a recount finds a vote behind an older reaction that went unheard, though all counts are equal', async () => {
    scene.react(a, article, '👍');
    await voted();
    // While nobody listened `a` took 👍 back and `b` gave one; then `a` is heard to vote down.
    scene.secretly(() => {
      scene.unreact(a, article, '👍');
      scene.react(b, article, '👍');
    });
    scene.react(a, article, '👎');
    await expect.poll(() => scene.tally(article)).toEqual([1, 1]);
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 1]);
    expect(await scene.differences([article])).toEqual([]);
  });

  // Withstands (The gateway): Equal counts hide a switch after a gap
  // → the next recount finds it
  test('a recount after a gap finds a switch behind equal counts', async () => {
    scene.react(a, article, '👍');
    scene.react(b, article, '👎');
    await voted();
    scene.secretly(() => {
      scene.react(a, article, '👎'); // The older reaction stays.
      scene.unreact(b, article, '👎');
    });
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 1]);
    expect(await scene.recount({ afterGap: true })).toMatchObject({ removed: 1, switched: 1 });
    expect(await scene.tally(article)).toEqual([1, 1]);
    scene.unreact(a, article, '👍');
    await voted();
  });

  test('a recount finds votes that were taken back, and switches', async () => {
    for (const member of [a, b, c]) scene.react(member, article, '👍');
    await voted();
    scene.secretly(() => {
      scene.unreact(a, article, '👍');
      scene.unreact(b, article, '👍');
      scene.react(b, article, '👎');
      scene.react(c, article, '👎'); // The older reaction stays.
    });
    expect(await scene.recount()).toMatchObject({ added: 0, removed: 1, switched: 2 });
    expect(await scene.tally(article)).toEqual([1, 2]);
    scene.unreact(c, article, '👎');
    await voted();
    expect(await scene.tally(article)).toEqual([2, 1]);
  });

  test('a recount sees no vote in two reactions of which it knew none', async () => {
    scene.secretly(() => {
      scene.react(a, article, '👍');
      scene.react(a, article, '👎');
      scene.react(b, article, '👍');
    });
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 0]);
    scene.secretly(() => scene.unreact(a, article, '👎'));
    await scene.recount();
    expect(await scene.tally(article)).toEqual([3, 0]);
  });

  test('a recount counts no bots and not the poster, and reads their lists once', async () => {
    const bots = scene.crowd(3, true);
    scene.secretly(() => {
      for (const bot of bots) scene.react(bot, article, '👍');
      scene.react(poster, article, '👍');
      scene.react(poster, article, '👎');
      scene.react(a, article, '👍');
    });
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 0]);
    const before = listsRead();
    await scene.recount();
    expect(listsRead()).toBe(before);
    scene.secretly(() => scene.unreact(a, article, '👍'));
    await scene.recount();
    expect(await scene.tally(article)).toEqual([1, 0]);
  });

  test('a recount counts skin tones and super reactions once', async () => {
    scene.secretly(() => {
      scene.react(a, article, '👍🏽');
      scene.react(a, article, '👍', true);
      scene.react(b, article, '👎', true);
      scene.react(c, article, '👎🏿');
    });
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 2]);
    scene.secretly(() => {
      scene.unreact(a, article, '👍🏽');
      scene.unreact(b, article, '👎', true);
    });
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 1]);
  });

  test('a recount reads the lists of an article that got a vote after its counts, though they fit that vote', async () => {
    const { bot } = scene;
    scene.secretly(() => scene.react(a, article, '👍'));
    const get: typeof bot.requests.get = async (...asked) => {
      const answer = await bot.requests.get(...asked);
      // The counts know `a` alone, and the ranking `b` alone.
      if (asked[1].endsWith('/messages')) await scene.vote(b, article);
      return answer;
    };
    const needs = { ...bot, requests: { ...bot.requests, get } };
    await recountArticlesInVoting(needs, scene.sandbox.guildId, { articles: [article] });
    expect(await scene.tally(article)).toEqual([3, 0]);
  });

  test('a recount reads lists of any length', async () => {
    const crowd = scene.crowd(250);
    scene.secretly(() => crowd.forEach((member) => scene.react(member, article, '👍')));
    await scene.recount();
    expect(await scene.tally(article)).toEqual([251, 0]);
    expect(await scene.differences([article])).toEqual([]);
  });

  test('a recount asks for nothing but counts where nothing changed', async () => {
    for (const member of [a, b, c]) scene.react(member, article, '👍');
    await voted();
    const before = listsRead();
    expect(await scene.recount()).toMatchObject({ read: 0, added: 0, removed: 0 });
    expect(listsRead()).toBe(before);
  });

  test('a recount that is full finds a swap behind equal counts', async () => {
    scene.react(a, article, '👍');
    scene.react(b, article, '👎');
    await voted();
    scene.secretly(() => {
      scene.unreact(a, article, '👍');
      scene.react(c, article, '👍');
      scene.unreact(b, article, '👎');
      scene.react(d, article, '👎');
    });
    await scene.recount();
    expect(await scene.differences([article])).not.toEqual([]);
    expect(await scene.recount({ full: true })).toMatchObject({ added: 2, removed: 2 });
    expect(await scene.differences([article])).toEqual([]);
  });

  test('a recount that is full takes away the older of two reactions, and what counts for nobody, once the bot may manage messages', async () => {
    const { world, channels } = scene.sandbox;
    scene.react(a, article, '👍');
    scene.react(b, article, '👎');
    await voted();
    scene.react(a, article, '👎');
    await scene.expectTally(article, 1, 2);
    // A switch that no event told: this look says which one is newer, and only the next acts on it.
    scene.secretly(() => scene.react(b, article, '👍'));
    const { botId } = world.application;
    const overwrite = { kind: 'member', allow: P.ManageMessages, deny: 0n } as const;
    setOverwrite(world, channels.general, botId, overwrite);
    const guild = scene.bot.client.guilds.cache.get(scene.sandbox.guildId)!;
    const held = () => guild.members.me?.permissionsIn(general).has('ManageMessages');
    await scene.eventually(held, (has) => has === true, 'permitted');
    await scene.recount({ full: true });
    await expect.poll(() => scene.whoShows(article, '👍')).not.toContain(a);
    expect(scene.whoShows(article, '👎')).toContain(b);
    await scene.recount({ full: true });
    await expect.poll(() => scene.whoShows(article, '👎')).not.toContain(b);
    await scene.expectTally(article, 2, 1);
    // What Discord fails to take away is taken away by the next full look at the latest.
    const isFailing = { method: 'DELETE', route: /reactions/, status: 500 };
    const end = scene.sandbox.faults.add(isFailing);
    scene.react(a, article, '👍');
    await scene.expectTally(article, 3, 0);
    const failed = () => scene.sandbox.requests.count('DELETE', /reactions/, 500);
    await scene.eventually(failed, (count) => count >= 4, 'tried by discord.js');
    end();
    expect(scene.whoShows(article, '👎')).toContain(a);
    await scene.recount({ full: true });
    await expect.poll(() => scene.whoShows(article, '👎')).not.toContain(a);
    // So is what counts for nobody.
    const [bot = ''] = scene.crowd(1, true);
    const { guildId } = scene.sandbox;
    await setOptedOut(scene.bot.store, guildId, c, true);
    await scene.bot.rules.refresh(guildId, { member: c });
    scene.secretly(() => {
      for (const one of [poster, bot, c]) scene.react(one, article, '👍');
    });
    await scene.recount({ full: true });
    const shown = () => scene.whoShows(article, '👍').toSorted();
    await expect.poll(shown).toEqual([botId, a, b].toSorted());
    await setOptedOut(scene.bot.store, guildId, c, false);
    await scene.bot.rules.refresh(guildId, { member: c });
    setOverwrite(world, channels.general, botId, null);
  });

  test('a recount believes the lists where Discord has lost its counts', async () => {
    const { uncounted } = scene.sandbox.world;
    for (const member of [a, b]) scene.react(member, article, '👍');
    await voted();
    scene.secretly(() => {
      scene.unreact(b, article, '👍');
      scene.react(c, article, '👎');
    });
    uncounted.add(article);
    expect(await scene.recount()).toMatchObject({ added: 0, removed: 1, unread: [] });
    expect(await scene.tally(article)).toEqual([2, 0]);
    uncounted.delete(article);
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 1]);
    expect(await scene.recount()).toMatchObject({ read: 0 });
  });

  test('a recount takes out an article whose message is gone', async () => {
    const { sandbox } = scene;
    const [gone = ''] = await scene.plant(general);
    await scene.plant(general, 2);
    scene.secretly(() => sandbox.as(sandbox.moderator).delete(general, gone));
    expect(await scene.recount()).toMatchObject({ gone: 1 });
    expect(await scene.article(gone)).toBeNull();
    expect(await scene.article(article)).not.toBeNull();
  });

  test('a recount reaches articles in threads, archived or not', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(poster).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    scene.secretly(() => scene.react(a, article, '👍'));
    await scene.recount();
    expect(await scene.tally(article)).toEqual([2, 0]);
    scene.secretly(() => scene.react(b, article, '👍'));
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    await scene.recount();
    expect(await scene.tally(article)).toEqual([3, 0]);
  });
});

describe('nothing is repaired', () => {
  // What a test leaves unread would be read first in the next.
  afterEach(() => scene.recount());
  beforeEach(async () => {
    for (const member of [a, b, c]) scene.react(member, article, '👍');
    await voted();
    scene.secretly(() => {
      scene.unreact(a, article, '👍');
      scene.react(d, article, '👎');
    });
  });

  test('where a page of a list failed', async () => {
    const crowd = scene.crowd(150);
    scene.secretly(() => crowd.forEach((member) => scene.react(member, article, '👍')));
    const failing = { method: 'GET', route: /reactions/, after: 1, status: 500 };
    const end = scene.sandbox.faults.add(failing);
    const report = await scene.recount();
    end();
    expect(scene.sandbox.requests.count('GET', /reactions/, 500)).toBeGreaterThan(0);
    expect(report).toMatchObject({ unread: [article], added: 0, removed: 0 });
    expect(await scene.tally(article)).toEqual([4, 0]);
    await scene.recount();
    expect(await scene.tally(article)).toEqual([153, 1]);
  });

  test('where counts cannot be read', async () => {
    const end = scene.sandbox.faults.add({ method: 'GET', route: /messages$/, status: 502 });
    const report = await scene.recount();
    end();
    expect(report.unread).toContain(article);
    expect(await scene.tally(article)).toEqual([4, 0]);
  });

  test('where history may not be read, though Discord answers with an empty list', async () => {
    const { operator } = scene.sandbox;
    operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
    const report = await scene.recount();
    expect(report.hidden).toContain(article);
    expect(report.gone).toBe(0);
    expect(await scene.tally(article)).toEqual([4, 0]);
    operator.setPermissions({ channel: general, who: 'bot' });
    await scene.eventually(
      () => scene.recount(),
      ({ hidden }) => hidden.length === 0,
      'readable again',
    );
    expect(await scene.tally(article)).toEqual([3, 1]);
  });

  test('nothing is repaired for members who vote while it reads', async () => {
    const { sandbox } = scene;
    const end = sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 300 });
    const before = listsRead();
    const report = scene.recount();
    const live = sandbox.until(() => {
      // The first list has been answered; these votes are newer.
      if (listsRead() === before) return undefined;
      scene.react(a, article, '👍'); // A repeat, as far as the ranking knows.
      scene.unreact(b, article, '👍');
      scene.unreact(d, article, '👎');
      return true;
    }, 'the first list');
    await live;
    expect((await report).removed).toBe(0);
    end();
    await voted();
    expect(await scene.tally(article)).toEqual([3, 0]);
  });

  test('nothing is repaired for a member who shows both, of whom it knows no vote, and takes one back while it reads', async () => {
    const { sandbox } = scene;
    const [both = ''] = scene.crowd(1);
    await scene.recount({ full: true });
    scene.secretly(() => {
      scene.react(both, article, '👍');
      scene.react(both, article, '👎');
    });
    const [up = 0, down = 0] = (await scene.tally(article)) ?? [];
    const end = sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 100 });
    const before = listsRead();
    const report = scene.recount({ full: true });
    const live = sandbox.until(() => {
      // The first list, of 👍, has been answered.
      if (listsRead() === before) return undefined;
      scene.unreact(both, article, '👎');
      return true;
    }, 'the first list');
    await live;
    await report;
    end();
    await scene.expectTally(article, up + 1, down);
  });

  test('nothing is repaired where members react with each list that is read, which is no failure and is read again', async () => {
    const { bot, sandbox } = scene;
    const crowd = scene.crowd(4);
    const get: typeof bot.requests.get = async (target, route, query) => {
      if (route.includes('/reactions/')) scene.react(crowd.pop()!, article, '👍');
      return bot.requests.get(target, route, query);
    };
    const requests = { ...bot.requests, get };
    const one = { articles: [article], full: true, once: true };
    const report = await recountArticlesInVoting({ ...bot, requests }, sandbox.guildId, one);
    expect(crowd.length).toBe(0);
    expect(report).toMatchObject({ unsettled: [article], unread: [], removed: 0 });
    await scene.recount({ full: true });
    expect(await scene.tally(article)).toEqual([7, 1]);
  });

  test('nothing is repaired for a member who votes between the lists and the write', async () => {
    const [late = ''] = scene.crowd(1);
    scene.secretly(() => scene.react(late, article, '👍'));
    const [up = 0, down = 0] = (await scene.tally(article)) ?? [];
    await recountAround(() => scene.unreact(late, article, '👍'));
    // Of the others, what was missed is repaired.
    expect(await scene.tally(article)).toEqual([up - 1, down + 1]);
  });

  test('nothing is repaired when reactions are cleared between the lists and the write', async () => {
    const { world, channels } = scene.sandbox;
    const report = await recountAround(() =>
      removeAllReactions(world, channels.general, scene.message(article)),
    );
    expect(report).toMatchObject({ added: 0, switched: 0 });
    await scene.expectTally(article, 1, 0);
  });

  test('nothing is repaired where a list is empty twice, though Discord counts who reacted', async () => {
    const end = scene.sandbox.faults.add({ method: 'GET', route: /reactions/, reactorsAtMost: 0 });
    const report = await scene.recount({ articles: [article], full: true });
    end();
    expect(report).toMatchObject({ unread: [article], removed: 0 });
    expect(await scene.tally(article)).toEqual([4, 0]);
  });

  test('nothing is repaired where history may no longer be read when the lists have been', async () => {
    const { operator } = scene.sandbox;
    const report = await recountAround(async () => {
      operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
    }, 1);
    expect(report).toMatchObject({ unread: [article], added: 0, removed: 0 });
    expect(await scene.tally(article)).toEqual([4, 0]);
    operator.setPermissions({ channel: general, who: 'bot' });
    await scene.settled();
  });

  test('nothing is repaired where a list comes with the same page again and again, which is not asked for without end', async () => {
    const { bot, sandbox } = scene;
    let asked = 0;
    const get: typeof bot.requests.get = async (target, route, query) => {
      if (!route.includes('/reactions/')) return bot.requests.get(target, route, query);
      asked += 1;
      if (asked > 20) throw new Error('It is asked for without end.');
      return [{ id: b, username: 'b' }];
    };
    const requests = { ...bot.requests, get };
    const one = { articles: [article], full: true, once: true };
    const report = await recountArticlesInVoting({ ...bot, requests }, sandbox.guildId, one);
    expect(report).toMatchObject({ unread: [article], added: 0, removed: 0 });
    expect(String(report.error)).toContain('repeats itself');
  });

  test('nothing is repaired after reactions were cleared meanwhile', async () => {
    const { sandbox } = scene;
    const end = sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 300 });
    const before = listsRead();
    const report = scene.recount();
    await sandbox.until(() => {
      if (listsRead() === before) return undefined;
      const message = sandbox.world.channels.get(general)?.messages.get(article);
      if (message) removeAllReactions(sandbox.world, sandbox.channels.general, message);
      return true;
    }, 'the first list');
    expect((await report).unread).toEqual([article]);
    end();
    // The clear makes the lists be read once more.
    await scene.expectTally(article, 1, 0);
  });
});

test('a page of reactions that is shorter than was asked for does not end the list', async () => {
  const voters = scene.crowd(7);
  for (const voter of voters) scene.react(voter, article, '👍');
  await scene.expectTally(article, 8, 0);
  await voted();
  const route = /reactions/;
  const end = scene.sandbox.faults.add({ method: 'GET', route, reactorsAtMost: 3 });
  const report = await scene.recount({ articles: [article], full: true });
  end();
  expect(report).toMatchObject({ read: 1, removed: 0, unread: [] });
  expect(await scene.tally(article)).toEqual([8, 0]);
});

test('a recount takes away the stored vote of a member who opted out, if that was left half done', async () => {
  const { store, rules } = scene.bot;
  const { guildId } = scene.sandbox;
  scene.react(a, article, '👍');
  await scene.expectTally(article, 2, 0);
  await setOptedOut(store, guildId, a, true);
  await rules.refresh(guildId, { member: a });
  await scene.recount({ articles: [article], full: true });
  await setOptedOut(store, guildId, a, false);
  await rules.refresh(guildId, { member: a });
  expect(await scene.tally(article)).toEqual([1, 0]);
});

test('a recount lets a vote fall back to the older reaction, though the member could not vote anew', async () => {
  const { store, rules } = scene.bot;
  const { guildId } = scene.sandbox;
  const [young = ''] = scene.crowd(1);
  scene.react(young, article, '👍');
  await scene.expectTally(article, 2, 0);
  scene.react(young, article, '👎');
  await scene.expectTally(article, 1, 1);
  await writeSetting(store, guildId, 'account-days', 7);
  await rules.refresh(guildId);
  scene.secretly(() => scene.unreact(young, article, '👎'));
  await scene.recount({ articles: [article], full: true });
  await writeSetting(store, guildId, 'account-days', 0);
  await rules.refresh(guildId);
  expect(await scene.tally(article)).toEqual([2, 0]);
});

test('a recount takes all votes where Discord knows nobody who shows the emoji any more (10014)', async () => {
  const { sandbox } = scene;
  scene.react(a, article, '👍');
  await scene.expectTally(article, 2, 0);
  const error = { status: 400, code: 10014 };
  const end = sandbox.faults.add({ method: 'GET', route: /reactions/, ...error });
  scene.secretly(() => {
    removeAllReactions(sandbox.world, sandbox.channels.general, scene.message(article));
  });
  const report = await scene.recount({ articles: [article], full: true });
  end();
  expect(report).toMatchObject({ unread: [], removed: 1 });
  expect(await scene.tally(article)).toEqual([1, 0]);
});

test('a recount makes the votes of an article anew whose 👎 are not those of its voters', async () => {
  const { bot, sandbox } = scene;
  scene.react(a, article, '👍');
  await scene.expectTally(article, 2, 0);
  const keys = guildKeys(bot.ranking, sandbox.guildId);
  await scene.redis.redis.sadd(keys.voters(article), `-${c}`);
  await scene.recount({ articles: [article], full: true });
  expect(await scene.tally(article)).toEqual([2, 0]);
  expect(await readVoter(bot.ranking, sandbox.guildId, article, c)).toBeNull();
  expect(await readVoter(bot.ranking, sandbox.guildId, article, a)).toMatchObject({ vote: 'up' });
});

const failing = (message: string) => () => Promise.reject(new Error(message));

test('a recount counts the votes of an article beside one that Redis cannot take in, which it names', async () => {
  const { bot, sandbox } = scene;
  const [other = ''] = await scene.plant(general);
  rewrite(article, { link: 'https://elsewhere.example/' });
  scene.secretly(() => scene.react(a, other, '👍'));
  const both = { articles: [other, article] };
  const needs = { ...bot, takeInAnew: failing('A fault.') };
  expect(await recountArticlesInVoting(needs, sandbox.guildId, both)).toMatchObject({
    unread: [article],
    added: 1,
  });
  expect(await scene.tally(other)).toEqual([2, 0]);
});

test('what a recount finds damaged in Redis is made again at once, and no other fault asks for that', async () => {
  const { bot, sandbox } = scene;
  const onDamaged = vi.fn<(guild: string) => void>();
  rewrite(article, { link: 'https://elsewhere.example/' });
  const recountWith = async (error: Error) => {
    const takeInAnew = async () => {
      throw error;
    };
    const needs = { ...bot, takeInAnew, ranking: { ...bot.ranking, onDamaged } };
    await recountArticlesInVoting(needs, sandbox.guildId, { articles: [article] });
  };
  await recountWith(new Error('A fault.'));
  expect(onDamaged).not.toHaveBeenCalled();
  await recountWith(Object.assign(new Error('WRONGTYPE Operation'), { name: 'ReplyError' }));
  expect(onDamaged).toHaveBeenCalledWith(sandbox.guildId);
});

test('a recount asks Discord for nothing more when Redis is away, and names what it did not read', async () => {
  const { bot, sandbox } = scene;
  const [other = ''] = await scene.plant(general);
  rewrite(other, { link: 'https://elsewhere.example/' });
  scene.react(a, article, '👍');
  await scene.expectTally(article, 2, 0);
  const needs = { ...bot, takeInAnew: failing('Connection is closed.') };
  const both = { articles: [other, article], full: true };
  const before = listsRead();
  // The lists of the first wait until the second is looked at.
  const report = await recountArticlesInVoting(needs, sandbox.guildId, both);
  expect(new Set(report.unread)).toEqual(new Set([article, other]));
  expect(listsRead()).toBe(before);
  expect(await scene.tally(article)).toEqual([2, 0]);
});

/** Its message says this instead, and nobody was told. */
function rewrite(id: string, change: Partial<Carried>): void {
  const shown = readArticleMessage(scene.message(id))!;
  const closesAtMs = scene.clock.now();
  say(id, articleMessage({ ...shown, ...change, closesAtMs }, 'en-US'));
}
function say(id: string, content: string): void {
  const message = scene.message(id);
  const { world } = scene.sandbox;
  const channel = world.channels.get(message.channelId)!;
  scene.secretly(() => editMessage(world, channel, message, { content }));
}

const guild = () => scene.sandbox.guildId;
const due = () => storeKeys(scene.bot.store, guild()).due;

/** Redis plans with each change that its message shows it. */
const shown = (id: string) => scene.redis.redis.zrem(due(), `show:${id}`);
const showLater = (id: string) =>
  scene.redis.redis.zadd(due(), scene.clock.now() + 3_600_000, `show:${id}`);

describe('what Redis has lost of an article is taken from its message', () => {
  test('its title, comment, groups, home and lock', async () => {
    const { rust, ai } = scene.sandbox.channels;
    const [titled = '', said = '', more = '', fewer = '', moved = '', locked = ''] =
      await scene.plant(general, 6);
    for (const id of [titled, fewer]) {
      await changeGroup(scene.bot.ranking, { guild: guild(), article: id, group: ai.id }, 'add');
      await expect.poll(() => readArticleMessage(scene.message(id))?.groups).toContain(ai.id);
      const held = () => scene.redis.redis.zscore(due(), heldRow(`show:${id}`));
      await scene.eventually(held, (atMs) => atMs === null, 'shown');
    }
    rewrite(titled, { title: 'Another title', groups: [general, ai.id] });
    rewrite(said, { comment: 'Well said.' });
    rewrite(more, { groups: [general, rust.id] });
    rewrite(fewer, { groups: [general] });
    rewrite(moved, { groups: [rust.id] });
    rewrite(locked, { locked: true });
    expect(await scene.recount()).toMatchObject({ unread: [], hidden: [], gone: 0 });
    const of = async (id: string) => (await scene.article(id))!;
    expect(await of(titled)).toMatchObject({ title: 'Another title', groups: [general, ai.id] });
    expect(await of(said)).toMatchObject({ comment: 'Well said.', locked: false });
    expect(await of(more)).toMatchObject({ groups: [general, rust.id], home: general });
    expect(await of(fewer)).toMatchObject({ groups: [general] });
    expect(await of(moved)).toMatchObject({ groups: [rust.id], home: rust.id, listed: true });
    expect(await of(locked)).toMatchObject({ locked: true, closed: false });
  });

  test('its result, and its removal by a moderator or its poster', async () => {
    const [closed = '', removed = '', withdrawn = ''] = await scene.plant(general, 3);
    scene.react(a, closed, '👍');
    await scene.expectTally(closed, 2, 0);
    rewrite(closed, { closed: true, up: 7, down: 2 });
    say(removed, removedMessage({ own: false }, 'de').content);
    say(withdrawn, removedMessage({ own: true }, 'de').content);
    expect(await scene.recount()).toMatchObject({ unread: [], hidden: [], gone: 0 });
    expect(await scene.article(closed)).toMatchObject({ closed: true, up: 7, down: 2 });
    const both = await readRemovedOf(scene.bot.ranking, guild(), [removed, withdrawn]);
    expect(both.map((one) => one?.own)).toEqual([false, true]);
  });

  test('but not where it is to be shown there, or changes while the message is read', async () => {
    const { bot } = scene;
    const [before = '', planned = '', changed = ''] = await scene.plant(general, 3);
    const all = [before, planned, changed];
    for (const id of all) rewrite(id, { title: 'As it was' });
    await showLater(before);
    const get: typeof bot.requests.get = async (...asked) => {
      const answer = await bot.requests.get(...asked);
      if (asked[1].endsWith(planned)) await showLater(planned);
      if (asked[1].endsWith(changed)) {
        const article = { guild: guild(), article: changed, title: 'By a moderator' };
        await retitleArticle(bot.ranking, article);
        // Another process has shown it.
        await shown(changed);
      }
      return answer;
    };
    const needs = { ...bot, requests: { ...bot.requests, get } };
    await recountArticlesInVoting(needs, guild(), { articles: all });
    const titleOf = async (id: string) => (await scene.article(id))?.title;
    expect(await titleOf(before)).toMatch(/^Article/);
    expect(await titleOf(planned)).toMatch(/^Article/);
    expect(await titleOf(changed)).toBe('By a moderator');
    // What Discord refused before may be possible now.
    await expect.poll(() => readArticleMessage(scene.message(before))?.title).toMatch(/^Article/);
    await shown(planned);
    await recountArticlesInVoting(bot, guild(), { articles: [planned] });
    expect(await titleOf(planned)).toBe('As it was');
  });

  test('and that it was restored, unless that is to be shown, voting on it is over or its message is another’s', async () => {
    const { bot, clock } = scene;
    const week = 604_800_000;
    const [back = '', planned = '', again = '', other = '', gone = '', old = ''] = [
      ...(await scene.plant(general, 5)),
      ...(await scene.plant(general, 1, () => clock.now() - week)),
    ];
    const all = [back, planned, again, other, gone, old];
    rewrite(other, { link: 'https://elsewhere.example/' });
    const contents = all.map((id) => scene.message(id).content);
    for (const id of all) await removeArticle(bot.ranking, guild(), id, clock.now(), false);
    const isShown = (id: string) => readArticleMessage(scene.message(id)) === null;
    await expect.poll(() => [back, planned, again, gone].every(isShown)).toBe(true);
    for (const [n, id] of all.entries()) if (id !== gone) say(id, contents[n] ?? '');
    await showLater(planned);
    const read: string[] = [];
    const get: typeof bot.requests.get = async (...asked) => {
      const answer = await bot.requests.get(...asked);
      read.push(...all.filter((id) => asked[1].endsWith(id)));
      // It was removed once more meanwhile.
      if (asked[1].endsWith(again)) await showLater(again);
      return answer;
    };
    await restoreShown({ ...bot, requests: { ...bot.requests, get } }, guild());
    // An answer could be from before its message shows the removal.
    expect(read.toSorted()).toEqual([back, again, other, gone].toSorted());
    const found = await Promise.all(all.map((id) => scene.article(id)));
    expect(found.map((one) => one?.listed ?? null)).toEqual([true, null, null, null, null, null]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeAllReactions } from '../../sandbox/discord/index.ts';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
let general: string;
let poster: string;
let a: string;
let b: string;
let c: string;
let d: string;
let article: string;

beforeAll(async () => {
  stage = await startStage();
  general = stage.sandbox.channels.general.id;
  poster = stage.sandbox.admin;
  [a = '', b = '', c = '', d = ''] = stage.sandbox.members;
});
afterAll(() => stage.stop());
beforeEach(async () => {
  [article = ''] = await stage.plant(general);
});

/** So the ranking knows of votes that it was told of. */
async function voted() {
  await stage.agree([article]);
}
const listsRead = () => stage.sandbox.requests.count('GET', /reactions/);

describe('a recount', () => {
  test('finds votes that were missed', async () => {
    stage.secretly(() => {
      stage.react(a, article, '👍');
      stage.react(b, article, '👎');
      stage.react(c, article, '👍');
    });
    expect(await stage.tally(article)).toEqual([1, 0]);
    const report = await stage.recount();
    expect(report).toMatchObject({ added: 3, removed: 0, switched: 0, unread: [], hidden: [] });
    expect(await stage.tally(article)).toEqual([3, 1]);
    expect(await stage.differences([article])).toEqual([]);
  });

  test('finds a vote behind an older reaction that went unheard, though all counts are equal', async () => {
    stage.react(a, article, '👍');
    await voted();
    // While nobody listened `a` took 👍 back and `b` gave one; then `a` is heard to vote down.
    stage.secretly(() => {
      stage.unreact(a, article, '👍');
      stage.react(b, article, '👍');
    });
    stage.react(a, article, '👎');
    await expect.poll(() => stage.tally(article)).toEqual([1, 1]);
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 1]);
    expect(await stage.differences([article])).toEqual([]);
  });

  test('after a gap finds a switch behind equal counts', async () => {
    stage.react(a, article, '👍');
    stage.react(b, article, '👎');
    await voted();
    stage.secretly(() => {
      stage.react(a, article, '👎'); // The older reaction stays.
      stage.unreact(b, article, '👎');
    });
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 1]);
    expect(await stage.recount({ afterGap: true })).toMatchObject({ removed: 1, switched: 1 });
    expect(await stage.tally(article)).toEqual([1, 1]);
    stage.unreact(a, article, '👍');
    await voted();
  });

  test('finds votes that were taken back, and switches', async () => {
    for (const member of [a, b, c]) stage.react(member, article, '👍');
    await voted();
    stage.secretly(() => {
      stage.unreact(a, article, '👍');
      stage.unreact(b, article, '👍');
      stage.react(b, article, '👎');
      stage.react(c, article, '👎'); // The older reaction stays.
    });
    expect(await stage.recount()).toMatchObject({ added: 0, removed: 1, switched: 2 });
    expect(await stage.tally(article)).toEqual([1, 2]);
    stage.unreact(c, article, '👎');
    await voted();
    expect(await stage.tally(article)).toEqual([2, 1]);
  });

  test('sees no vote in two reactions of which it knew none', async () => {
    stage.secretly(() => {
      stage.react(a, article, '👍');
      stage.react(a, article, '👎');
      stage.react(b, article, '👍');
    });
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 0]);
    stage.secretly(() => stage.unreact(a, article, '👎'));
    await stage.recount();
    expect(await stage.tally(article)).toEqual([3, 0]);
  });

  test('counts no bots and not the poster, and reads their lists once', async () => {
    const bots = stage.crowd(3, true);
    stage.secretly(() => {
      for (const bot of bots) stage.react(bot, article, '👍');
      stage.react(poster, article, '👍');
      stage.react(poster, article, '👎');
      stage.react(a, article, '👍');
    });
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 0]);
    const before = listsRead();
    await stage.recount();
    expect(listsRead()).toBe(before);
    stage.secretly(() => stage.unreact(a, article, '👍'));
    await stage.recount();
    expect(await stage.tally(article)).toEqual([1, 0]);
  });

  test('counts skin tones and super reactions once', async () => {
    stage.secretly(() => {
      stage.react(a, article, '👍🏽');
      stage.react(a, article, '👍', true);
      stage.react(b, article, '👎', true);
      stage.react(c, article, '👎🏿');
    });
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 2]);
    stage.secretly(() => {
      stage.unreact(a, article, '👍🏽');
      stage.unreact(b, article, '👎', true);
    });
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 1]);
  });

  test('reads lists of any length', async () => {
    const crowd = stage.crowd(250);
    stage.secretly(() => crowd.forEach((member) => stage.react(member, article, '👍')));
    await stage.recount();
    expect(await stage.tally(article)).toEqual([251, 0]);
    expect(await stage.differences([article])).toEqual([]);
  });

  test('asks for nothing but counts where nothing changed', async () => {
    for (const member of [a, b, c]) stage.react(member, article, '👍');
    await voted();
    const before = listsRead();
    expect(await stage.recount()).toMatchObject({ read: 0, added: 0, removed: 0 });
    expect(listsRead()).toBe(before);
  });

  test('that is full finds a swap behind equal counts', async () => {
    stage.react(a, article, '👍');
    stage.react(b, article, '👎');
    await voted();
    stage.secretly(() => {
      stage.unreact(a, article, '👍');
      stage.react(c, article, '👍');
      stage.unreact(b, article, '👎');
      stage.react(d, article, '👎');
    });
    await stage.recount();
    expect(await stage.differences([article])).not.toEqual([]);
    expect(await stage.recount({ full: true })).toMatchObject({ added: 2, removed: 2 });
    expect(await stage.differences([article])).toEqual([]);
  });

  test('believes the lists where Discord has lost its counts', async () => {
    const { uncounted } = stage.sandbox.world;
    for (const member of [a, b]) stage.react(member, article, '👍');
    await voted();
    stage.secretly(() => {
      stage.unreact(b, article, '👍');
      stage.react(c, article, '👎');
    });
    uncounted.add(article);
    expect(await stage.recount()).toMatchObject({ added: 0, removed: 1, unread: [] });
    expect(await stage.tally(article)).toEqual([2, 0]);
    uncounted.delete(article);
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 1]);
    expect(await stage.recount()).toMatchObject({ read: 0 });
  });

  test('takes out an article whose message is gone', async () => {
    const { sandbox } = stage;
    const [gone = ''] = await stage.plant(general);
    await stage.plant(general, 2);
    sandbox.gateway.events.set({ drop: 1, only: /MESSAGE_DELETE/ });
    sandbox.as(sandbox.moderator).delete(general, gone);
    sandbox.gateway.events.set(undefined);
    expect(await stage.recount()).toMatchObject({ gone: 1 });
    expect(await stage.article(gone)).toBeNull();
    expect(await stage.article(article)).not.toBeNull();
  });

  test('reaches articles in threads, archived or not', async () => {
    const { sandbox } = stage;
    const thread = sandbox.as(poster).startThread(general, 'aside');
    [article = ''] = await stage.plant(thread.id);
    stage.secretly(() => stage.react(a, article, '👍'));
    await stage.recount();
    expect(await stage.tally(article)).toEqual([2, 0]);
    stage.secretly(() => stage.react(b, article, '👍'));
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    await stage.recount();
    expect(await stage.tally(article)).toEqual([3, 0]);
  });
});

describe('nothing is repaired', () => {
  beforeEach(async () => {
    for (const member of [a, b, c]) stage.react(member, article, '👍');
    await voted();
    stage.secretly(() => {
      stage.unreact(a, article, '👍');
      stage.react(d, article, '👎');
    });
  });

  test('where a page of a list failed', async () => {
    const crowd = stage.crowd(150);
    stage.secretly(() => crowd.forEach((member) => stage.react(member, article, '👍')));
    const failing = { method: 'GET', route: /reactions/, after: 1, status: 500 };
    const end = stage.sandbox.faults.add(failing);
    const report = await stage.recount();
    end();
    expect(stage.sandbox.requests.count('GET', /reactions/, 500)).toBeGreaterThan(0);
    expect(report).toMatchObject({ unread: [article], added: 0, removed: 0 });
    expect(await stage.tally(article)).toEqual([4, 0]);
    await stage.recount();
    expect(await stage.tally(article)).toEqual([153, 1]);
  });

  test('where counts cannot be read', async () => {
    const end = stage.sandbox.faults.add({ method: 'GET', route: /messages$/, status: 502 });
    const report = await stage.recount();
    end();
    expect(report.unread).toContain(article);
    expect(await stage.tally(article)).toEqual([4, 0]);
  });

  test('where history may not be read, though Discord answers with an empty list', async () => {
    const { operator } = stage.sandbox;
    operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
    const report = await stage.recount();
    expect(report.hidden).toContain(article);
    expect(report.gone).toBe(0);
    expect(await stage.tally(article)).toEqual([4, 0]);
    operator.setPermissions({ channel: general, who: 'bot' });
    await stage.eventually(
      () => stage.recount(),
      ({ hidden }) => hidden.length === 0,
      'readable again',
    );
    expect(await stage.tally(article)).toEqual([3, 1]);
  });

  test('for members who vote while it reads', async () => {
    const { sandbox } = stage;
    const end = sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 300 });
    const before = listsRead();
    const report = stage.recount();
    const live = sandbox.until(() => {
      // The first list has been answered; these votes are newer.
      if (listsRead() === before) return undefined;
      stage.react(a, article, '👍'); // A repeat, as far as the ranking knows.
      stage.unreact(b, article, '👍');
      stage.unreact(d, article, '👎');
      return true;
    }, 'the first list');
    await live;
    expect((await report).removed).toBe(0);
    end();
    await voted();
    expect(await stage.tally(article)).toEqual([3, 0]);
  });

  test('after reactions were cleared meanwhile', async () => {
    const { sandbox } = stage;
    const end = sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 300 });
    const before = listsRead();
    const report = stage.recount();
    await sandbox.until(() => {
      if (listsRead() === before) return undefined;
      const message = sandbox.world.channels.get(general)?.messages.get(article);
      if (message) removeAllReactions(sandbox.world, sandbox.channels.general, message);
      return true;
    }, 'the first list');
    expect((await report).unread).toEqual([article]);
    end();
    expect(await stage.tally(article)).toEqual([1, 0]);
  });
});

import { describe, expect, test } from 'vitest';
import { postArticle, readArticle, deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { checkGuild } from '../../../src/ranking/articles/check.ts';
import { scripts } from '../../../src/ranking/scripts.ts';
import { closeArticle, setResult } from '../../../src/ranking/articles/closing.ts';
import { changeGroup } from '../../../src/ranking/articles/groups.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { noteLed } from '../../../src/ranking/outcomes.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import {
  commentArticle,
  lockArticle,
  moveArticle,
  retitleArticle,
} from '../../../src/ranking/articles/edit.ts';
import { writePreview } from '../../../src/ranking/articles/previews.ts';
import {
  findByLink,
  freeLink,
  linkHashOf,
  reserveLink,
} from '../../../src/ranking/links/reservations.ts';
import {
  removeArticle,
  readRemoved,
  sweepRemoved,
  walkRemoved,
  restoreArticle,
} from '../../../src/ranking/articles/removed.ts';
import { eraseVotes, postsOf } from '../../../src/ranking/ballots/of-member.ts';
import { putArticle } from '../../../src/ranking/ballots/put-article.ts';
import { setVote, clearReactions, recordReaction } from '../../../src/ranking/ballots/votes.ts';
import { readVoters } from '../../../src/ranking/ballots/voters.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { inconsistencies } from '../consistency.ts';
import {
  AI,
  anArticle,
  GAMES,
  idAt,
  member,
  NOON,
  post,
  POSTER,
  RUST,
  useRanking,
  WEEK,
} from '../test-ranking.ts';

const setup = useRanking();

async function listed(guild: string, group?: string): Promise<string[]> {
  const where = group === undefined ? {} : { group };
  const list = { guild, ...where, order: 'time', page: 1, pageSize: 10 } as const;
  return (await listArticles(setup.ranking, list)).articles.map(({ id }) => id);
}
const consistent = async (guild: string) =>
  expect(await inconsistencies(setup.ranking, guild)).toEqual([]);

async function removedIn(guild: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { article } of walkRemoved(setup.ranking, guild)) ids.push(article.id);
  return ids;
}

describe('a removed article', () => {
  test('a removed article is in no list at once, frees its link, and comes back with its votes', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild, { groups: [AI] });
    const ballot = { guild, article, member: member(1) };
    await setVote(setup.ranking, { ...ballot, vote: 'up' }, NOON);
    const before = await readArticle(setup.ranking, guild, article);

    expect(await removeArticle(setup.ranking, guild, article, NOON)).toEqual({ status: 'removed' });
    expect(await readArticle(setup.ranking, guild, article)).toBeNull();
    expect([await listed(guild), await listed(guild, RUST), await listed(guild, AI)]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await readRemoved(setup.ranking, guild, article)).toEqual({
      article: before,
      atMs: NOON,
      own: false,
    });
    expect((await setVote(setup.ranking, { ...ballot, vote: 'down' }, NOON)).status).toBe(
      'unknown',
    );
    expect(await removeArticle(setup.ranking, guild, article, NOON)).toEqual({
      status: 'unchanged',
    });

    expect(await restoreArticle(setup.ranking, guild, article, true)).toEqual({
      status: 'restored',
    });
    expect(await readArticle(setup.ranking, guild, article)).toEqual(before);
    expect(await readVoters(setup.ranking, guild, article)).toHaveProperty('size', 1);
    expect(await restoreArticle(setup.ranking, guild, article, true)).toEqual({
      status: 'unchanged',
    });
    await consistent(guild);
  });

  test('a removed article is removed also if damage took its text', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await setup.ranking.redis.hdel(guildKeys(setup.ranking, guild).texts, article);
    expect(await removeArticle(setup.ranking, guild, article, NOON)).toEqual({ status: 'removed' });
    expect(await listed(guild)).toEqual([]);
    expect(await restoreArticle(setup.ranking, guild, article, true)).toEqual({
      status: 'restored',
    });
  });

  test('a removed article stays away while its link belongs to another', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild, { linkName: 'https://one.example/' });
    await removeArticle(setup.ranking, guild, article, NOON);
    const other = await post(setup.ranking, guild, { linkName: 'https://one.example/' });
    expect(await restoreArticle(setup.ranking, guild, article, true)).toEqual({
      status: 'duplicate',
      detail: other,
    });
    await deleteArticle(setup.ranking, guild, other);
    expect(await restoreArticle(setup.ranking, guild, article, true)).toEqual({
      status: 'restored',
    });
  });

  test('a removed article is not taken in again from a message that still looks like it', async () => {
    const guild = setup.newGuild();
    const article = anArticle(guild);
    await postArticle(setup.ranking, article);
    await removeArticle(setup.ranking, guild, article.id, NOON);
    expect(await postArticle(setup.ranking, article)).toEqual({ status: 'known' });
    expect(await readArticle(setup.ranking, guild, article.id)).toBeNull();
  });

  test('a removed article is forgotten when its message is deleted, or after 90 days', async () => {
    const guild = setup.newGuild();
    const [deleted, old] = [await post(setup.ranking, guild), await post(setup.ranking, guild)];
    await setVote(setup.ranking, { guild, article: old, member: member(1), vote: 'up' }, NOON);
    for (const id of [deleted, old]) await removeArticle(setup.ranking, guild, id, NOON);
    expect(await deleteArticle(setup.ranking, guild, deleted)).toEqual({ status: 'deleted' });
    const { redis } = setup.ranking;
    const voters = guildKeys(setup.ranking, guild).voters(old);
    await sweepRemoved(setup.ranking, guild, NOON + WEEK - 1);
    expect(await redis.exists(voters)).toBe(1);
    await sweepRemoved(setup.ranking, guild, NOON + WEEK);
    expect(await redis.exists(voters)).toBe(0);
    expect(await removedIn(guild)).toEqual([old]);
    await sweepRemoved(setup.ranking, guild, NOON + 90 * 86_400_000);
    expect(await removedIn(guild)).toEqual([]);
  });

  test('a removed article loses a member’s vote once, whoever of fifty callers erases it', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    for (const [i, vote] of (['up', 'down', 'up'] as const).entries()) {
      await setVote(setup.ranking, { guild, article, member: member(i + 1), vote }, NOON);
    }
    await removeArticle(setup.ranking, guild, article, NOON);
    await Promise.all(
      Array.from({ length: 50 }, () => eraseVotes(setup.ranking, guild, member(1))),
    );
    await restoreArticle(setup.ranking, guild, article, true);
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 2, down: 1 });
    await consistent(guild);
  });

  const moments = Array.from({ length: 10 }, (_, moment) => moment);
  test.each([true, false])(
    'an article is found by an erasure and by its poster’s file at each moment of a change; removed before: %s',
    async (wasRemoved) => {
      for (const moment of moments) {
        const guild = setup.newGuild();
        const article = await post(setup.ranking, guild);
        await setVote(setup.ranking, { guild, article, member: member(1), vote: 'up' }, NOON);
        if (wasRemoved) await removeArticle(setup.ranking, guild, article, NOON);
        const erased = eraseVotes(setup.ranking, guild, member(1));
        const posts = postsOf(setup.ranking, guild, POSTER);
        for (let step = 0; step < moment; step++) await readRemoved(setup.ranking, guild, article);
        if (wasRemoved) await restoreArticle(setup.ranking, guild, article, true);
        else await removeArticle(setup.ranking, guild, article, NOON);
        expect(await erased, `a vote at moment ${moment}`).toHaveLength(1);
        expect(await posts, `a post at moment ${moment}`).toHaveLength(1);
        await restoreArticle(setup.ranking, guild, article, true);
        expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 1 });
      }
    },
  );

  test('a removed article is removed once by fifty callers, and put back once', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    const fifty = Array.from({ length: 50 });
    const buried = await Promise.all(
      fifty.map(() => removeArticle(setup.ranking, guild, article, NOON)),
    );
    expect(buried.filter(({ status }) => status === 'removed')).toHaveLength(1);
    const back = await Promise.all(
      fifty.map(() => restoreArticle(setup.ranking, guild, article, true)),
    );
    expect(back.filter(({ status }) => status === 'restored')).toHaveLength(1);
    await consistent(guild);
  });

  test('an article that is put back has its votes counted and its voting ended in time, unless that is over', async () => {
    const guild = setup.newGuild();
    const { redis } = setup.ranking;
    const { due } = storeKeys(setup.ranking, guild);
    const article = await post(setup.ranking, guild);
    const putBack = async () => {
      await removeArticle(setup.ranking, guild, article, NOON);
      // What was planned for it was done meanwhile.
      await redis.del(due);
      await restoreArticle(setup.ranking, guild, article, true);
      return redis.zrange(due, '0', '-1');
    };
    expect(await putBack()).toEqual(expect.arrayContaining(['counts', 'full', 'close']));
    await closeArticle(setup.ranking, guild, article);
    expect(await putBack()).not.toContain('close');
  });
});

test('a removed article that cannot be read is left out, and the others are found', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const article = await post(ranking, guild);
  await removeArticle(ranking, guild, article, NOON);
  const { removed } = guildKeys(ranking, guild);
  await ranking.redis.hset(removed, { 1: 'nothing', 2: `${NOON} no row\nhttps://a.example/\nA` });
  expect(await removedIn(guild)).toEqual([article]);
  expect(await readRemoved(ranking, guild, '2')).toBeNull();
});

test('an article that is put back stands where its channel lets it stand by then', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild, { groups: [AI] });
  const putBack = async (isListed: boolean) => {
    await removeArticle(setup.ranking, guild, article, NOON);
    await restoreArticle(setup.ranking, guild, article, isListed);
    await consistent(guild);
    return Promise.all([listed(guild), listed(guild, RUST), listed(guild, AI)]);
  };
  expect(await putBack(false)).toEqual([[], [article], []]);
  expect(await putBack(true)).toEqual([[article], [article], [article]]);
});

describe('a locked article', () => {
  test('a locked article keeps its votes and takes no others, nor any back, until it is opened', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    const ballot = { guild, article, member: member(1) };
    await setVote(setup.ranking, { ...ballot, vote: 'up' }, NOON);
    const locked = { guild, article, locked: true };
    expect(await lockArticle(setup.ranking, locked)).toEqual({ status: 'changed' });
    expect(await lockArticle(setup.ranking, locked)).toEqual({ status: 'unchanged' });
    const other = { ...ballot, member: member(2) };
    const said = [
      await setVote(setup.ranking, { ...other, vote: 'up' }, NOON),
      await setVote(setup.ranking, { ...ballot, vote: 'none' }, NOON),
      await recordReaction(setup.ranking, { ...ballot, direction: 'up', shown: false }, NOON),
      await clearReactions(setup.ranking, { guild, article }, NOON),
    ];
    expect(new Set(said.map(({ status }) => status))).toEqual(new Set(['locked']));
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 2, locked: true });
    await lockArticle(setup.ranking, { ...locked, locked: false });
    expect((await setVote(setup.ranking, { ...other, vote: 'up' }, NOON)).status).toBe('counted');
    await consistent(guild);
  });

  test('a locked article closes like any other, and a closed one cannot be locked', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await lockArticle(setup.ranking, { guild, article, locked: true });
    expect(await closeArticle(setup.ranking, guild, article)).toMatchObject({ status: 'closed' });
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({
      closed: true,
      locked: false,
    });
    const outcome = await lockArticle(setup.ranking, { guild, article, locked: true });
    expect(outcome).toEqual({ status: 'closed' });
    await consistent(guild);
  });
});

describe('moving an article', () => {
  test('moving an article leaves the old home, keeps the other groups, and knows where the message is', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild, { groups: [GAMES, AI] });
    const move = { guild, article, home: AI, listed: true };
    expect(await moveArticle(setup.ranking, move)).toEqual({ status: 'moved' });
    expect(await moveArticle(setup.ranking, move)).toEqual({ status: 'unchanged' });
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({
      home: AI,
      groups: [AI, GAMES],
      channel: RUST,
    });
    expect([await listed(guild, RUST), await listed(guild, AI)]).toEqual([[], [article]]);
    await moveArticle(setup.ranking, { ...move, home: RUST });
    const back = await readArticle(setup.ranking, guild, article);
    expect(back).toMatchObject({ home: RUST, channel: RUST, groups: [RUST, GAMES] });
    await consistent(guild);
  });

  test('moving an article to a hidden channel takes it out of the guild’s lists, and keeps a thread', async () => {
    const guild = setup.newGuild();
    const thread = '300000000000000009';
    const article = await post(setup.ranking, guild, { channel: thread, groups: [GAMES] });
    await moveArticle(setup.ranking, { guild, article, home: AI, listed: false });
    expect([await listed(guild), await listed(guild, GAMES), await listed(guild, AI)]).toEqual([
      [],
      [],
      [article],
    ]);
    const moved = await readArticle(setup.ranking, guild, article);
    expect(moved).toMatchObject({ channel: thread, listed: false });
    await consistent(guild);
  });

  test('moving a closed article moves its place among the votes too', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await closeArticle(setup.ranking, guild, article);
    const moved = await moveArticle(setup.ranking, { guild, article, home: AI, listed: true });
    expect(moved.status).toBe('moved');
    await consistent(guild);
  });
});

test('a new title is one line, changes nothing else, and stays where one is to take another’s place', async () => {
  const guild = setup.newGuild();
  const tally = { up: 10, down: 10, closed: false };
  const article = await post(setup.ranking, guild, { tally });
  const before = await readArticle(setup.ranking, guild, article);
  const retitle = { guild, article, title: 'Zwei\nZeilen 中文' };
  expect(await retitleArticle(setup.ranking, retitle)).toEqual({ status: 'retitled' });
  expect(await retitleArticle(setup.ranking, retitle)).toEqual({ status: 'unchanged' });
  const instead = { guild, article, title: 'A preview’s title', from: 'The address' };
  expect(await retitleArticle(setup.ranking, instead)).toEqual({ status: 'unchanged' });
  const after = await readArticle(setup.ranking, guild, article);
  expect(after).toEqual({ ...before, title: 'Zwei Zeilen 中文' });
  const gone = { ...retitle, article: idAt(NOON) };
  expect(await retitleArticle(setup.ranking, gone)).toEqual({ status: 'unknown' });
});

test('a link that is freed can be posted again, and the first article stays', async () => {
  const guild = setup.newGuild();
  const linkName = 'https://again.example/';
  const article = await post(setup.ranking, guild, { linkName });
  const reservation = { guild, linkName, by: idAt(NOON) };
  await freeLink(setup.ranking, { guild, linkName, article: idAt(NOON) });
  expect((await reserveLink(setup.ranking, reservation, NOON)).status).toBe('known');
  await freeLink(setup.ranking, { guild, linkName, article });
  expect((await reserveLink(setup.ranking, reservation, NOON)).status).toBe('reserved');
  expect(await readArticle(setup.ranking, guild, article)).not.toBeNull();
});

/** Redis does it, and its answer does not arrive. */
async function lost(work: Promise<unknown>): Promise<never> {
  await work;
  throw new Error('lost');
}

/** In the second after its week. */
const closes = (atMs: number) => atMs + WEEK + 1000;

describe('what follows from a change is planned with it', () => {
  const told: number[] = [];
  /** A ranking that says when something is due. */
  const ranking = () => ({
    ...setup.ranking,
    onPlanned: (_: string, atMs: number) => void told.push(atMs),
  });

  /** What is due after a change that was not due before, by when (ms). The process was told of it in time. */
  async function planned(guild: string, change: () => Promise<unknown>) {
    const { redis } = setup.ranking;
    const { due } = storeKeys(setup.ranking, guild);
    await redis.del(due);
    told.length = 0;
    await change();
    const flat = await redis.zrange(due, '0', '-1', 'WITHSCORES');
    expect(Math.min(...told, ...(flat.length > 0 ? [] : [0]))).toBeLessThanOrEqual(
      Number(flat[1] ?? 0),
    );
    return Object.fromEntries(
      flat.flatMap((row, at) => (at % 2 === 0 ? [[row, Number(flat[at + 1])]] : [])),
    ) as Record<string, number>;
  }
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const MIDNIGHT = NOON - 12 * HOUR;

  test.each([
    ['noon', NOON, MIDNIGHT + DAY + HOUR],
    ['half past midnight', MIDNIGHT + HOUR / 2, MIDNIGHT + HOUR],
    ['one o’clock', MIDNIGHT + HOUR, MIDNIGHT + DAY + HOUR],
  ])(
    'an article of %s is counted each hour, recounted at 01:00 UTC, closed after its week and indexed',
    async (_, atMs, full) => {
      const guild = setup.newGuild();
      const id = idAt(atMs);
      expect(await planned(guild, () => post(ranking(), guild, { id }))).toEqual({
        close: closes(atMs),
        counts: atMs + HOUR,
        full,
        [`earlier:${id}`]: atMs + 5000,
      });
    },
  );

  test('voting ends first on the oldest, whatever comes before or with it', async () => {
    const guild = setup.newGuild();
    const at = (ms: number) => () => post(ranking(), guild, { id: idAt(ms) });
    const first = { close: closes(NOON), counts: NOON + HOUR };
    const together = () => Promise.all([at(NOON)(), at(NOON + DAY)()]);
    expect(await planned(guild, together)).toMatchObject(first);
    const newerLast = async () => (await at(NOON)(), await at(NOON + DAY)());
    expect(await planned(guild, newerLast)).toMatchObject(first);
    const newerFirst = async () => (await at(NOON + DAY)(), await at(NOON)());
    expect(await planned(guild, newerFirst)).toMatchObject(first);
  });

  test('old articles are indexed together, and those that come meanwhile a while later', async () => {
    const guild = setup.newGuild();
    const { due } = storeKeys(setup.ranking, guild);
    const tally = { up: 3, down: 1, closed: true };
    const come = () => post(ranking(), guild, { tally });
    expect(await planned(guild, come)).toEqual({ earlier: 0 });
    const meanwhile = async () => {
      await setup.ranking.redis.zadd(due, NOON + 30_000, 'held:earlier');
      await come();
    };
    expect(await planned(guild, meanwhile)).toMatchObject({ earlier: NOON + 10_000 });
  });

  test('a ★ is announced where everyone may see it, and shown with each crossing of the mark', async () => {
    const guild = setup.newGuild();
    await setScale(ranking(), guild, { mark: 3 });
    const [listed, hidden] = [
      await post(ranking(), guild),
      await post(ranking(), guild, { home: AI, listed: false }),
    ];
    const vote = (article: string, who: number, given: 'up' | 'down' | 'none') => () =>
      setVote(ranking(), { guild, article, member: member(who), vote: given }, NOON);
    for (const [article, crossing] of [
      [listed, { [`show:${listed}`]: 0, announce: 0 }],
      [hidden, { [`show:${hidden}`]: 0 }],
    ] as const) {
      const show = { [`show:${article}`]: 0 };
      expect(await planned(guild, vote(article, 1, 'up'))).toEqual({});
      expect(await planned(guild, vote(article, 2, 'up'))).toEqual(crossing);
      expect(await planned(guild, vote(article, 3, 'up'))).toEqual({});
      expect(await planned(guild, vote(article, 3, 'down'))).toEqual({});
      expect(await planned(guild, vote(article, 2, 'none'))).toEqual(show);
      expect(await planned(guild, vote(article, 4, 'up'))).toEqual(crossing);
      expect(await planned(guild, () => eraseVotes(ranking(), guild, member(4)))).toEqual(show);
      expect(await planned(guild, vote(article, 4, 'up'))).toEqual(crossing);
      const clear = () => clearReactions(ranking(), { guild, article }, NOON);
      expect(await planned(guild, clear)).toEqual(show);
      expect(await planned(guild, clear)).toEqual({});
    }
    const tally = { up: 3, down: 0, closed: true };
    const starred = () => post(ranking(), guild, { tally });
    expect(await planned(guild, starred)).toEqual({ earlier: 0, announce: 0 });
    const secret = () => post(ranking(), guild, { tally, home: AI, listed: false });
    expect(await planned(guild, secret)).toEqual({ earlier: 0 });
    const late = await post(ranking(), guild, { tally: { ...tally, up: 2 } });
    const result = (up: number) => () =>
      setResult(ranking(), { guild, article: late, up, down: 0 });
    expect(await planned(guild, result(4))).toEqual({ announce: 0 });
    expect(await planned(guild, result(2))).toEqual({});
    await consistent(guild);
  });

  test('what an article’s message says is shown anew, its words are indexed anew, and nothing of what stays', async () => {
    const guild = setup.newGuild();
    const article = await post(ranking(), guild);
    const of = { guild, article };
    const show = { [`show:${article}`]: 0 };
    const index = { [`earlier:${article}`]: 0 };
    const voting = { close: closes(NOON), counts: NOON + HOUR, full: MIDNIGHT + DAY + HOUR };
    const moved = { ...of, home: AI, listed: true };
    const daily = { name: 'daily', date: '2026-03-01' };
    const tell = { [`tell:${article}`]: 0 };
    const steps: [() => Promise<unknown>, Record<string, number>][] = [
      [() => retitleArticle(ranking(), { ...of, title: 'New' }), { ...show, ...index }],
      [() => retitleArticle(ranking(), { ...of, title: 'New' }), {}],
      [() => retitleArticle(ranking(), { ...of, title: 'Newer', from: 'Old' }), {}],
      [() => commentArticle(ranking(), { ...of, comment: 'Why' }), show],
      [() => commentArticle(ranking(), { ...of, comment: 'Why' }), {}],
      [() => lockArticle(ranking(), { ...of, locked: true }), show],
      [() => lockArticle(ranking(), { ...of, locked: true }), {}],
      [() => lockArticle(ranking(), { ...of, locked: false }), show],
      [() => changeGroup(ranking(), { ...of, group: GAMES }, 'add'), show],
      [() => changeGroup(ranking(), { ...of, group: GAMES }, 'add'), {}],
      [() => changeGroup(ranking(), { ...of, group: GAMES }, 'remove'), show],
      [() => moveArticle(ranking(), moved), show],
      [() => moveArticle(ranking(), moved), {}],
      [() => moveArticle(ranking(), { ...moved, listed: false }), {}],
      [() => removeArticle(ranking(), guild, article, NOON), show],
      [() => removeArticle(ranking(), guild, article, NOON), {}],
      [() => restoreArticle(ranking(), guild, article, true), { ...show, ...index, ...voting }],
      [() => restoreArticle(ranking(), guild, article, true), {}],
      [() => noteLed(ranking(), guild, article, { ...daily, name: 'my-daily' }), tell],
      [() => noteLed(ranking(), guild, article, daily), tell],
      [() => noteLed(ranking(), guild, article, daily), {}],
      [() => noteLed(ranking(), guild, '1', daily), {}],
      [() => writePreview(ranking(), guild, article, { description: 'Okapi' }), index],
      [() => writePreview(ranking(), guild, article, { picture: 'https://a.example/b.png' }), {}],
      [() => closeArticle(ranking(), guild, article), show],
      [() => closeArticle(ranking(), guild, article), {}],
    ];
    for (const [at, [change, rows]] of steps.entries()) {
      expect([at, await planned(guild, change)]).toEqual([at, rows]);
    }
  });

  test('what a change planned is looked at also where the answer to it was lost', async () => {
    const guild = setup.newGuild();
    await setScale(ranking(), guild, { mark: 2 });
    const article = await post(ranking(), guild);
    const redis = new Proxy(setup.ranking.redis, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        const call = (...args: unknown[]): unknown => found.apply(target, args);
        return name === 'lockArticle' ? (...args: unknown[]) => lost(call(...args) as never) : call;
      },
    });
    const { batch } = setup.ranking;
    const add = (...given: Parameters<typeof batch.add>) => lost(batch.add(...given));
    const deaf = { ...ranking(), redis, batch: Object.assign(Object.create(batch), { add }) };
    const ballot = { guild, article, member: member(1), vote: 'up' } as const;
    const show = { [`show:${article}`]: 0 };
    const vote = () => expect(setVote(deaf, ballot, NOON)).rejects.toThrow('lost');
    expect(await planned(guild, vote)).toEqual({ ...show, announce: 0 });
    const lock = () =>
      expect(lockArticle(deaf, { guild, article, locked: true })).rejects.toThrow('lost');
    expect(await planned(guild, lock)).toEqual(show);
  });

  test('nothing of what is deleted stays planned, nor what hindered it', async () => {
    const guild = setup.newGuild();
    const { due, troubles } = storeKeys(setup.ranking, guild);
    const article = await post(ranking(), guild);
    const rows = ['show:', 'held:show:', 'earlier:'].map((kind) => `${kind}${article}`);
    const gone = async () => {
      for (const row of rows) await setup.ranking.redis.zadd(due, NOON, row);
      await setup.ranking.redis.hset(troubles, `show:${article}`, '{}');
      await deleteArticle(ranking(), guild, article);
    };
    expect(await planned(guild, gone)).toEqual({});
    expect(await setup.ranking.redis.exists(troubles)).toBe(0);
  });
});

test('an article that Redis had lost comes back without votes of before, which nobody could take back', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const article = anArticle(guild);
  await postArticle(ranking, article);
  const ballot = { guild, article: article.id, member: member(1) };
  await recordReaction(ranking, { ...ballot, direction: 'down', shown: true }, NOON);
  await recordReaction(ranking, { ...ballot, direction: 'up', shown: true }, NOON);
  const { articles, links } = guildKeys(ranking, guild);
  await ranking.redis.hdel(articles, article.id);
  await ranking.redis.del(links);
  await postArticle(ranking, article);
  await consistent(guild);
  expect(await readVoters(ranking, guild, article.id)).toEqual(new Map());
});

test('closing an article leaves no voters, nor what damage left of one that is closed or gone', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const article = await post(ranking, guild);
  const ballot = { guild, article, member: member(1), shown: true };
  for (const direction of ['down', 'up'] as const) {
    await recordReaction(ranking, { ...ballot, direction }, NOON);
  }
  const keys = guildKeys(ranking, guild);
  const sets = [keys.voters(article), keys.older(article)];
  expect(await ranking.redis.exists(sets[1]!)).toBe(1);
  expect(await closeArticle(ranking, guild, article)).toMatchObject({ status: 'closed' });
  for (const set of sets) expect(await ranking.redis.exists(set)).toBe(0);
  for (const set of sets) await ranking.redis.sadd(set, member(1));
  expect(await closeArticle(ranking, guild, article)).toMatchObject({ status: 'unchanged' });
  for (const set of sets) expect(await ranking.redis.exists(set)).toBe(0);
  await ranking.redis.sadd(keys.open, '1');
  expect(await closeArticle(ranking, guild, '1')).toMatchObject({ status: 'unknown' });
  expect(await ranking.redis.smembers(keys.open)).toEqual([]);
});

test.each<[how: string, take: (guild: string, article: string) => Promise<unknown>]>([
  ['removed', (guild, article) => removeArticle(setup.ranking, guild, article, NOON)],
  ['deleted', (guild, article) => deleteArticle(setup.ranking, guild, article)],
])('an article that is %s takes no link along that another has by now', async (_, take) => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const linkName = 'https://one.example/';
  const article = await post(ranking, guild, { linkName });
  await freeLink(ranking, { guild, linkName, article });
  const other = await post(ranking, guild, { linkName });
  await take(guild, article);
  expect(await findByLink(ranking, guild, linkName)).toBe(other);
});

test('what was read of an article before it moved does not hide it in its new home', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const article = await post(ranking, guild);
  await moveArticle(ranking, { guild, article, home: AI, listed: true });
  const { ofScripts } = guildKeys(ranking, guild);
  const hide = (from: string) =>
    scripts.setHome(ranking.redis, ...ofScripts, article, from, 'h', from);
  expect(await hide(RUST)).toEqual(['unchanged']);
  expect(await readArticle(ranking, guild, article)).toMatchObject({ home: AI, listed: true });
  expect(await hide(AI)).toEqual(['moved']);
});

test('a result without counts keeps the votes, and has its ★ by the mark of now', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const tally = { up: 7, down: 2, closed: true };
  const article = await post(ranking, guild, { tally });
  await setScale(ranking, guild, { mark: 7 });
  expect(await setResult(ranking, { guild, article })).toMatchObject({ status: 'changed' });
  const result = { up: 7, down: 2, interesting: true };
  expect(await readArticle(ranking, guild, article)).toMatchObject(result);
});

test('a result that comes for an article in voting ends no voting', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const result = { guild, article, up: 9, down: 0 };
  expect(await setResult(setup.ranking, result)).toMatchObject({ status: 'open' });
  expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 1, closed: false });
  await consistent(guild);
});

test('an article that comes as a removed one is in none of the guild’s lists meanwhile, nor announced', async () => {
  const guild = setup.newGuild();
  const tally = { up: 9, down: 0, closed: true, starred: true };
  const article = anArticle(guild, { tally });
  const redis = new Proxy(setup.ranking.redis, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (name === 'removeArticle') return () => Promise.reject(new Error('the process ends'));
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const ending = { ...setup.ranking, redis };
  const removed = { ...article, removedAtMs: NOON };
  // Redis knows the script from another.
  await removeArticle(setup.ranking, guild, '1', NOON);
  await expect(putArticle(ending, removed)).rejects.toThrow('the process ends');
  const { due } = storeKeys(setup.ranking, guild);
  const isAnnounced = async () => (await setup.ranking.redis.zscore(due, 'announce')) !== null;
  expect([await listed(guild), await isAnnounced()]).toEqual([[], false]);
  await putArticle(setup.ranking, removed);
  expect([await removedIn(guild), await isAnnounced()]).toEqual([[article.id], false]);
  const other = anArticle(guild, { tally });
  await putArticle(setup.ranking, other);
  expect([await listed(guild), await isAnnounced()]).toEqual([[other.id], true]);
});

test('a link that damage took from its article is its own again, unless it is being posted or is another’s', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const { links } = guildKeys(ranking, guild);
  const [lost, taken, reserved] = ['lost', 'taken', 'reserved'].map(
    (name) => `https://${name}.example/`,
  );
  const ids: string[] = [];
  for (const linkName of [lost!, taken!, reserved!]) {
    ids.push(await post(ranking, guild, { linkName }));
    await ranking.redis.hdel(links, linkHashOf(linkName));
  }
  // Of an article that is not there.
  await ranking.redis.hset(links, linkHashOf(lost!), '1');
  const other = await post(ranking, guild, { linkName: taken! });
  await reserveLink(ranking, { guild, linkName: reserved!, by: '1' }, NOON);
  await checkGuild(ranking, guild, [RUST]);
  const owners = [lost, taken, reserved].map((name) => findByLink(ranking, guild, name!));
  expect(await Promise.all(owners)).toEqual([ids[0], other, null]);
});

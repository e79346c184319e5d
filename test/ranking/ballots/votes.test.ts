import { describe, expect, test } from 'vitest';
import { readArticle } from '../../../src/ranking/articles/articles.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import type { Direction, Vote } from '../../../src/ranking/row.ts';
import { readVoter, readVoters } from '../../../src/ranking/ballots/voters.ts';
import { setVote, clearReactions, recordReaction } from '../../../src/ranking/ballots/votes.ts';
import {
  AI,
  anArticle,
  dump,
  idAt,
  member,
  NOON,
  post,
  POSTER,
  useRanking,
  WEEK,
} from '../test-ranking.ts';

const setup = useRanking();
const voter = member(1);
const seconds = NOON / 1000;

type Step = Vote | '+up' | '+down' | '-up' | '-down';

async function take(guild: string, article: string, step: Step, who = voter, now = NOON) {
  const { ranking } = setup;
  if (step === 'up' || step === 'down' || step === 'none') {
    return setVote(ranking, { guild, article, member: who, vote: step }, now);
  }
  const direction = step.slice(1) as Direction;
  const shown = step.startsWith('+');
  return recordReaction(ranking, { guild, article, member: who, direction, shown }, now);
}

describe('a vote', () => {
  test.each<[before: Step[], step: Step, status: string, up: number, down: number]>([
    [[], 'up', 'counted', 2, 0],
    [[], 'down', 'counted', 1, 1],
    [[], 'none', 'unchanged', 1, 0],
    [['up'], 'up', 'unchanged', 2, 0],
    [['up'], 'down', 'counted', 1, 1],
    [['up'], 'none', 'counted', 1, 0],
    [['down'], 'up', 'counted', 2, 0],
    [['down'], 'down', 'unchanged', 1, 1],
    [['down'], 'none', 'counted', 1, 0],
    [['up', 'none'], 'up', 'counted', 2, 0],
    [['down', 'none'], 'down', 'counted', 1, 1],
  ])('after %j, %s is %s and leaves %i up, %i down', async (before, step, status, up, down) => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    for (const earlier of before) await take(guild, article, earlier);
    expect(await take(guild, article, step)).toMatchObject({ status });
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({
      up,
      down,
      score: seconds + 432 * (up - down),
    });
  });
});

describe('a reaction', () => {
  test.each<[before: Step[], step: Step, status: string, vote: Vote, older: boolean]>([
    [[], '+up', 'counted', 'up', false],
    [[], '-up', 'unchanged', 'none', false],
    [['+up'], '+up', 'repeated', 'up', false],
    [['+up'], '-up', 'counted', 'none', false],
    [['+up'], '-down', 'unchanged', 'up', false],
    [['+up'], '+down', 'counted', 'down', true],
    [['+up', '+down'], '+up', 'unchanged', 'down', true],
    [['+up', '+down'], '+down', 'repeated', 'down', true],
    [['+up', '+down'], '-up', 'unchanged', 'down', false],
    [['+up', '+down'], '-down', 'counted', 'up', false],
    [['+up', '+down', '-up'], '+up', 'counted', 'up', true],
    [['+up', '+down', '-down'], '-up', 'counted', 'none', false],
    [['+down', '+up'], '-up', 'counted', 'down', false],
    [['+down', '+up'], '-down', 'unchanged', 'up', false],
    [['+down', '+up'], '+down', 'unchanged', 'up', true],
    [['+down', '+up', '-up'], '-down', 'counted', 'none', false],
  ])('after %j, %s is %s: the vote is %s', async (before, step, status, vote, older) => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    for (const earlier of before) await take(guild, article, earlier);
    const outcome = await take(guild, article, step);
    expect(outcome).toMatchObject(status === 'counted' ? { status, vote } : { status });
    const known = await readVoter(setup.ranking, guild, article, voter);
    expect(known).toEqual(vote === 'none' ? null : { vote, older });
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({
      up: vote === 'up' ? 2 : 1,
      down: vote === 'down' ? 1 : 0,
    });
  });

  test('a reaction that switches a vote tells which older one is still shown', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await take(guild, article, '+up');
    expect(await take(guild, article, '+down')).toMatchObject({ vote: 'down', older: 'up' });
  });

  test('a state that is set outright replaces whatever was known', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    const ballot = { guild, article, member: voter };
    await take(guild, article, '+up');
    await setVote(setup.ranking, { ...ballot, vote: 'down', older: true }, NOON);
    expect(await readVoter(setup.ranking, guild, article, voter)).toEqual({
      vote: 'down',
      older: true,
    });
    await setVote(setup.ranking, { ...ballot, vote: 'down' }, NOON);
    expect(await readVoter(setup.ranking, guild, article, voter)).toEqual({
      vote: 'down',
      older: false,
    });
    await setVote(setup.ranking, { ...ballot, vote: 'none' }, NOON);
    expect(await readVoters(setup.ranking, guild, article)).toEqual(new Map());
  });

  test('all being cleared leaves the poster’s vote', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await take(guild, article, '+up', member(1));
    await take(guild, article, '+down', member(2));
    // Once voting is over, before anybody has closed it, the votes stay.
    const late = await clearReactions(setup.ranking, { guild, article }, NOON + WEEK);
    expect(late).toEqual({ status: 'closed' });
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 2, down: 1 });
    expect(await clearReactions(setup.ranking, { guild, article }, NOON)).toEqual({
      status: 'counted',
    });
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 1, down: 0 });
    expect(await readVoters(setup.ranking, guild, article)).toEqual(new Map());
    expect(await clearReactions(setup.ranking, { guild, article }, NOON)).toEqual({
      status: 'unchanged',
    });
  });

  test('all being cleared takes away the down votes of an article that has no others', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await take(guild, article, '+down');
    expect(await clearReactions(setup.ranking, { guild, article }, NOON)).toEqual({
      status: 'counted',
    });
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 1, down: 0 });
  });

  test('who showed both reactions before all were cleared votes anew, and switches as before', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await take(guild, article, '+up');
    await take(guild, article, '+down');
    await clearReactions(setup.ranking, { guild, article }, NOON);
    await take(guild, article, '+up');
    expect(await take(guild, article, '+down')).toMatchObject({ vote: 'down', older: 'up' });
  });
});

test('the poster’s own reactions do not count', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const before = await dump(setup.ranking, guild);
  for (const step of ['up', 'down', 'none', '+up', '+down', '-up', '-down'] as const) {
    expect(await take(guild, article, step, POSTER)).toEqual({ status: 'poster' });
  }
  expect(await dump(setup.ranking, guild)).toEqual(before);
});

test('who has the beginning of the poster’s id, or begins with it, is somebody else', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const others = [POSTER.slice(0, -1), `${POSTER}0`, POSTER.slice(1)];
  for (const [n, other] of others.entries()) {
    expect(await take(guild, article, 'up', other)).toMatchObject({ status: 'counted', up: 2 + n });
  }
});

test('an open article has the poster’s vote, whatever tally it was posted with', async () => {
  const guild = setup.newGuild();
  const tally = { up: 0, down: 0, closed: false };
  const article = await post(setup.ranking, guild, { tally });
  expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ up: 1, down: 0 });
  expect(await take(guild, article, 'up')).toMatchObject({ status: 'counted', up: 2 });
  expect(await take(guild, article, 'down')).toMatchObject({ status: 'counted', up: 1, down: 1 });
});

test('the vote that crosses the mark says so, up and down, also within one batch', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  await setScale(setup.ranking, guild, { mark: 3 });
  const steps = ['up', 'up', 'up', 'down', 'none'] as const;
  const voters = [1, 2, 3, 2, 3].map(member);
  const cast = steps.map((step, n) => take(guild, article, step, voters[n]));
  expect(await Promise.all(cast)).toMatchObject([
    { up: 2, crossedMark: false },
    { up: 3, crossedMark: true },
    { up: 4, crossedMark: false },
    { up: 3, crossedMark: false },
    { up: 2, crossedMark: true },
  ]);
});

test('a vote on an unknown article says so and leaves nothing behind', async () => {
  const guild = setup.newGuild();
  for (const step of ['up', 'down', 'none', '+up', '-down'] as const) {
    expect(await take(guild, idAt(NOON), step)).toEqual({ status: 'unknown' });
    expect(await take(guild, idAt(NOON - 2 * WEEK), step)).toEqual({ status: 'closed' });
  }
  expect(await dump(setup.ranking, guild)).toEqual({});
});

test('voting ends at the closing time, not after it', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const { closesAtMs } = (await readArticle(setup.ranking, guild, article))!;
  expect(closesAtMs).toBe(NOON + WEEK);
  expect(await take(guild, article, 'up', voter, closesAtMs - 1)).toMatchObject({
    status: 'counted',
  });
  const frozen = await dump(setup.ranking, guild);
  for (const step of ['down', 'none', '+down', '-up'] as const) {
    expect(await take(guild, article, step, voter, closesAtMs)).toEqual({ status: 'closed' });
  }
  expect(await dump(setup.ranking, guild)).toEqual(frozen);
});

test('a vote moves the article in the guild and in each of its groups', async () => {
  const guild = setup.newGuild();
  const first = await post(setup.ranking, guild, { groups: [AI] });
  const second = await post(setup.ranking, guild, { id: idAt(NOON + 1000), groups: [AI] });
  await take(guild, first, 'up');
  for (const group of [undefined, anArticle(guild).home, AI]) {
    const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
    const page = await listArticles(setup.ranking, group ? { ...list, group } : list);
    expect(page.articles.map(({ id }) => id)).toEqual([first, second]);
  }
});

test('fifty callers who vote at once leave the tally that their votes make', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const steps = ['up', 'down', 'none', 'up', 'down'] as const;
  await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      Promise.all(
        steps.map((_, turn) => take(guild, article, steps[(i + turn) % 5]!, member(i % 10))),
      ),
    ),
  );
  const voters = [...(await readVoters(setup.ranking, guild, article)).values()];
  const up = 1 + voters.filter(({ vote }) => vote === 'up').length;
  const down = voters.filter(({ vote }) => vote === 'down').length;
  expect(await readArticle(setup.ranking, guild, article)).toMatchObject({
    up,
    down,
    score: seconds + 432 * (up - down),
  });
});

test('ids that differ only beyond 2⁵³ are different members', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const ids = ['1234567890123456788', '1234567890123456789', '9223372036854775807'];
  for (const id of ids) await take(guild, article, 'down', id);
  const voters = await readVoters(setup.ranking, guild, article);
  expect([...voters.keys()].toSorted()).toEqual(ids);
});

test('an article is interesting from two hundred up votes on and not below', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const interesting = async () => {
    const list = { guild, order: 'interesting', page: 1, pageSize: 10 } as const;
    const { articles } = await readList(setup.ranking, list, NOON);
    const row = await readArticle(setup.ranking, guild, article);
    expect(articles.length === 1).toBe(row?.interesting);
    return articles.length === 1;
  };
  await Promise.all(Array.from({ length: 198 }, (_, i) => take(guild, article, 'up', member(i))));
  expect(await interesting()).toBe(false);
  await take(guild, article, 'up', member(198));
  expect(await interesting()).toBe(true);
  await take(guild, article, 'down', member(500));
  expect(await interesting()).toBe(true);
  await take(guild, article, '-up', member(3));
  expect(await interesting()).toBe(false);
  await take(guild, article, '+up', member(3));
  expect(await interesting()).toBe(true);
});

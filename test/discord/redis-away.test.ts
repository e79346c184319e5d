import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../sandbox/discord/index.ts';
import { reserveLink } from '../../src/ranking/links/reservations.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let member: string;

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  member = scene.sandbox.admin;
});
afterAll(async () => {
  scene.redis.resume();
  await scene.stop();
});

type Values = Record<string, string>;
const helpful: [words: string, values: Values, reply: RegExp][] = [
  ['post', { link: 'https://news.example/outage' }, /n’t confirmed/],
  ['top', {}, /Try again in a minute/],
  ['frontpage settings', {}, /Try again in a minute/],
  ['frontpage settings', { setting: 'mark', value: 'default' }, /n’t confirmed/],
  ['mod log', {}, /Try again in a minute/],
  ['digest list', {}, /Try again in a minute/],
  ['frontpage export', {}, /Try again in a minute/],
];
const unreachable = /can’t reach its database right now/;
const commands: typeof helpful = [
  ...helpful,
  ['top', { order: 'votes' }, unreachable],
  ['top', { show: 'unvoted' }, unreachable],
  ['search', { words: 'a' }, unreachable],
  ['stats members', {}, unreachable],
  ['stats server', {}, unreachable],
  ['me data', {}, unreachable],
];

type Timed<T> = { answer: T; tookMs: number };
async function timed<T>(asked: Promise<T>): Promise<Timed<T>> {
  const startedMs = performance.now();
  return { answer: await asked, tookMs: performance.now() - startedMs };
}

describe('with Redis standing still', () => {
  let answers: Timed<Answer>[];
  let choices: Timed<unknown[]>;
  beforeAll(async () => {
    scene.redis.pause();
    const { sandbox } = scene;
    const asked = commands.map(([words, values]) =>
      timed(sandbox.as(member).command(general, words, values)),
    );
    const completed = timed(
      sandbox.as(sandbox.moderator).complete(general, 'group add', 'article'),
    );
    [answers, choices] = await Promise.all([Promise.all(asked), completed]);
    scene.redis.resume();
  });

  test.each(commands.map((command, i) => [...command, i] as const))(
    '/%s %j is answered within 2 s beside all others, with %s',
    (_words, _values, reply, i) => {
      const { answer, tookMs } = answers[i]!;
      expect(answer).toMatchObject({ kind: 'message', ephemeral: true });
      expect(answer.message?.content).toMatch(reply);
      expect(tookMs).toBeLessThan(2000);
    },
  );

  test('completion is answered within 2 s, with nothing', () => {
    expect(choices.answer).toEqual([]);
    expect(choices.tookMs).toBeLessThan(2000);
  });

  test('an article whose message is sent already is committed when it goes on', async () => {
    const { sandbox, redis } = scene;
    const link = 'https://news.example/unconfirmed';
    const end = sandbox.faults.add({ route: /callback/, delayMs: 500, times: 1 });
    const answered = sandbox.as(member).command(general, 'post', { link });
    const reserved = await scene.eventually(
      () => redis.redis.keys('*:postings'),
      (keys) => keys.length > 0,
      'reserved',
    );
    expect(reserved).toHaveLength(1);
    redis.pause();
    await answered;
    end();
    const told = (word: string) => () =>
      sandbox
        .as(member)
        .messages(general)
        .find(({ content }) => content.includes(word));
    await sandbox.until(told('is posted but not confirmed'), 'the warning');
    const { id } = await sandbox.until(
      () =>
        sandbox
          .as(member)
          .messages(general)
          .find(({ content }) => content.split(/[\s()]/).includes(link)),
      'the message',
    );
    sandbox.as(sandbox.moderator).react(general, id, '👍');
    redis.resume();
    await scene.eventually(
      () => scene.article(id),
      (article) => article?.up === 2,
      'committed, its vote counted',
    );
    await sandbox.until(told('Confirmed'), 'the confirmation');
  });
});

describe('with Discord slow', () => {
  test('a posting that has to look for a message first is deferred, then posted for all', async () => {
    const { sandbox, clock } = scene;
    const link = 'https://news.example/slow';
    const { ranking } = scene.bot.app;
    const by = sandbox.world.snowflake();
    const reservation = { guild: sandbox.guildId, canonical: link, by, channel: general };
    await reserveLink(ranking, reservation, clock.now() - 61_000);
    const end = sandbox.faults.add({ method: 'GET', route: /messages/, delayMs: 2200 });
    const startedMs = performance.now();
    const answered = sandbox.as(member).command(general, 'post', { link });
    await sandbox.until(
      () => [...sandbox.world.interactions.values()].at(-1)?.answer ?? undefined,
      'deferred',
    );
    expect(performance.now() - startedMs).toBeLessThan(2000);
    await answered;
    end();
    const { id } = await sandbox.until(
      () =>
        sandbox
          .as(member)
          .messages(general)
          .find(({ content }) => content.split(/[\s()]/).includes(link)),
      'the message',
    );
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
    expect(
      sandbox
        .as(sandbox.moderator)
        .messages(general)
        .map((message) => message.id),
    ).toContain(id);
  });
});

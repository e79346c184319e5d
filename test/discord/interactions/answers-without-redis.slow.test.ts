import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { reserveLink } from '../../../src/ranking/links/reservations.ts';
import { openPanel } from '../../fixtures/open-panel.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { within } from '../../fixtures/own-time.ts';

let scene: Scene;
let general: string;
let member: string;

beforeAll(async () => {
  // As patient as with the real Discord, whose 3 s a busy machine may miss.
  scene = await startScene({ webAddress: 'https://front.example', botAnswersWithinMs: 3000 });
  general = scene.sandbox.channels.general.id;
  member = scene.sandbox.admin;
});
afterAll(async () => {
  scene.redis.resume();
  await scene.stop();
});

const within2s = <T>(ask: Promise<T>) => within(2000, ask);

/** The message of the channel that has this link, as soon as it is there. */
function messageWith(link: string) {
  const { sandbox } = scene;
  const find = () =>
    sandbox
      .as(member)
      .messages(general)
      .find(({ content }) => content.split(/[\s()]/).includes(link));
  return sandbox.until(find, 'the message');
}

const HELPFUL = /Try again in a minute; .*check whether it is done/;
const helpful = expect.stringMatching(HELPFUL) as string;

const commands: [words: string, values: Record<string, string>][] = [
  ['post', { link: 'https://news.example/outage' }],
  ['top', {}],
  ['stats server', {}],
  ['digest show', {}],
];

describe('with Redis standing still', () => {
  // Withstands (Redis, while the bot runs): Redis stands still under a command
  // → an answer within 2 s
  test('commands are answered within 2 s, with a sentence that helps', async () => {
    scene.redis.pause();
    const asked = commands.map(([words, values]) =>
      within2s(scene.sandbox.as(member).command(general, words, values)),
    );
    const answers = await Promise.all(asked);
    scene.redis.resume();
    for (const answer of answers) {
      expect(answer).toMatchObject({ kind: 'message', ephemeral: true });
    }
    expect(answers.map(({ message }) => message?.content)).toEqual(commands.map(() => helpful));
  });

  test('with Redis standing still, whatever else reads is answered within 2 s, all at once', async () => {
    const reading: [words: string, values?: Record<string, string>][] = [
      ['top', { show: 'votes' }],
      ['top', { show: 'unjudged' }],
      ['search', { words: 'a' }],
      ['stats members'],
      ['stats server'],
      ['me data'],
    ];
    scene.redis.pause();
    const { sandbox } = scene;
    const answers = await within2s(
      Promise.all(
        reading.map(([words, values]) => sandbox.as(member).command(general, words, values)),
      ),
    );
    scene.redis.resume();
    for (const answer of answers) {
      expect(answer).toMatchObject({ kind: 'message', ephemeral: true });
      expect(answer.message?.content).toContain('can’t reach its database');
    }
  });

  test('a button is answered within 2 s, with the same sentence', async () => {
    const admin = scene.sandbox.as(scene.sandbox.admin);
    const panel = (await admin.command(general, 'frontpage panel')).message?.id ?? '';
    const settings = (await openPanel(admin, general, 'settings|posts')).message?.id ?? '';
    await admin.choose(general, settings, 'frontpage|settings|pick', ['discussion']);
    const helped = (): number =>
      admin.messages(general).filter(({ content }) => HELPFUL.test(content)).length;
    const before = helped();
    scene.redis.pause();
    const answers = await Promise.all([
      ...['settings|open|who', 'check-up|open', 'web|open'].map((door) =>
        within2s(admin.press(general, panel, `frontpage|${door}`)),
      ),
      within2s(admin.choose(general, settings, 'frontpage|settings|value|discussion', ['true'])),
    ]);
    scene.redis.resume();
    // On a busy machine a click is taken note of within the 2 s, and the sentence follows.
    await expect.poll(helped).toBe(before + answers.length);
  });

  test('with Redis standing still, completion is answered within 2 s, with nothing', async () => {
    scene.redis.pause();
    const choices = await within2s(
      scene.sandbox.as(scene.sandbox.moderator).complete(general, 'group add', 'article'),
    );
    scene.redis.resume();
    expect(choices).toEqual([]);
  });

  // Withstands (Redis, while the bot runs): Redis stands still in the middle of a post or a removal
  // → it is finished afterwards
  test('a removal whose answer was lost is shown in the message when it goes on', async () => {
    const { sandbox, redis } = scene;
    const id = await scene.post(member, { title: 'Removed meanwhile' });
    redis.pause();
    // Redis gets the script, and runs it later.
    const removal = removeArticle(scene.bot.ranking, sandbox.guildId, id, scene.clock.now());
    await expect(removal).rejects.toThrow('timed out');
    redis.resume();
    await expect.poll(() => scene.message(id).content).toMatch(/^-# Removed/);
  });

  test('an article whose message is sent already is taken in when it goes on', async () => {
    const { sandbox, redis } = scene;
    const link = 'https://news.example/unconfirmed';
    const end = sandbox.faults.add({ route: /callback/, delayMs: 900, times: 1 });
    const answered = sandbox.as(member).command(general, 'post', { link });
    // What is read first has been read: the message is under way.
    await scene.eventually(
      async () => (await redis.redis.keys('*:postings')).length === 1 && !sandbox.requests.isIdle(),
      Boolean,
      'being sent',
    );
    redis.pause();
    await answered;
    end();
    const told = (word: string) => () =>
      sandbox
        .as(member)
        .messages(general)
        .find(({ content }) => content.includes(word));
    await sandbox.until(told('not confirmed yet'), 'the warning');
    const { id } = await messageWith(link);
    sandbox.as(sandbox.moderator).react(general, id, '👍');
    redis.resume();
    const taken = await scene.eventually(
      () => scene.article(id),
      (article) => article?.up === 2,
      'taken in, its vote counted',
    );
    expect(taken?.link).toBe(link);
  });
});

describe('with Discord slow', () => {
  // Withstands (Requests to Discord): Discord is slow
  // → a post is deferred within 2 s
  test('a posting that has to look for a message first is deferred, then posted for all', async () => {
    const { sandbox, clock } = scene;
    const link = 'https://news.example/slow';
    const { ranking } = scene.bot;
    const by = sandbox.world.snowflake();
    const reservation = { guild: sandbox.guildId, linkName: link, by };
    await reserveLink(ranking, reservation, clock.now() - 61_000);
    const end = sandbox.faults.add({ method: 'GET', route: /messages/, delayMs: 2200 });
    const answered = sandbox.as(member).command(general, 'post', { link });
    await within2s(
      sandbox.until(
        () => [...sandbox.world.interactions.values()].at(-1)?.answer ?? undefined,
        'deferred',
      ),
    );
    await answered;
    end();
    const { id } = await messageWith(link);
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
    expect(
      sandbox
        .as(sandbox.moderator)
        .messages(general)
        .map((message) => message.id),
    ).toContain(id);
  });
});

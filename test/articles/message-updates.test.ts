import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setMark } from '../../src/ranking/articles/mark.ts';
import { type Stage, startStage } from '../recount/stage.ts';

let stage: Stage;
let general: string;
let a: string;
let b: string;
let c: string;
let article: string;

beforeAll(async () => {
  stage = await startStage();
  general = stage.sandbox.channels.general.id;
  [a = '', b = '', c = ''] = stage.sandbox.members;
});
afterAll(() => stage.stop());
beforeEach(async () => {
  [article = ''] = await stage.plant(general);
  stage.sandbox.requests.reset();
});

function expectFooter(text: string, id = article) {
  return stage.eventually(
    () => stage.footer(id),
    (found) => found === text,
    text,
  );
}
const edits = () => stage.sandbox.requests.recent.filter(({ method }) => method === 'PATCH');

describe('the tally in the message', () => {
  test('follows a burst of votes in one edit, and the next ten seconds in another', async () => {
    const crowd = stage.crowd(30);
    for (const member of crowd) stage.react(article, member, '👍');
    await expectFooter('▲ 31 ▼ 0');
    for (const member of crowd) stage.unreact(article, member, '👍');
    stage.react(article, a, '👎');
    await stage.eventually(
      () => stage.footer(article),
      (found) => found === '▲ 1 ▼ 1',
      'the last state',
      15_000,
    );
    const [first, second, ...others] = edits();
    expect(others).toEqual([]);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(9900);
  });

  test('is not touched where nobody voted', async () => {
    const [other = ''] = await stage.plant(general);
    stage.react(article, a, '👎');
    await expectFooter('▲ 1 ▼ 1');
    await stage.recount({ full: true });
    expect(edits()).toHaveLength(1);
    expect(stage.footer(other)).toBe('▲ 1 ▼ 0');
  });

  test('says whether the article is interesting', async () => {
    const { ranking } = stage.bot.app;
    await setMark(ranking, stage.sandbox.guildId, 3);
    stage.react(article, a, '👍');
    stage.react(article, b, '👍');
    await expectFooter('▲ 3 ▼ 0 · ★');
    await setMark(ranking, stage.sandbox.guildId, 200);
  });

  test('is made good by the next process', async () => {
    stage.react(article, a, '👍');
    await stage.agree([article]);
    await stage.restartBot();
    expect(stage.footer(article)).toBe('▲ 1 ▼ 0');
    await stage.recount();
    await expectFooter('▲ 2 ▼ 0');
  });

  test('of another process that ended is taken over', async () => {
    stage.react(article, a, '👍');
    await stage.agree([article]);
    await stage.restartBot();
    stage.clock.move(61_000);
    await stage.bot.app.messageUpdates.takeOver(stage.sandbox.guildId);
    stage.clock.move(-61_000);
    await expectFooter('▲ 2 ▼ 0');
  });

  test('waits while the thread is archived, which it does not open', async () => {
    const { sandbox } = stage;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await stage.plant(thread.id);
    const [witness = ''] = await stage.plant(general);
    stage.react(article, a, '👍');
    await stage.agree([article]);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    stage.react(witness, a, '👍');
    await expectFooter('▲ 2 ▼ 0', witness); // As late as the other would have been.
    expect(stage.footer(article)).toBe('▲ 1 ▼ 0');
    expect(sandbox.requests.count('PATCH', /messages/)).toBe(1);
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
    sandbox.operator.archiveThread({ channel: thread.id, archived: false });
    await expectFooter('▲ 2 ▼ 0');
  });

  test('of a thread that was archived before the bot started waits as well', async () => {
    const { sandbox } = stage;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await stage.plant(thread.id);
    stage.react(article, a, '👍');
    await stage.agree([article]);
    await stage.bot.stop();
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    await stage.restartBot();
    await stage.recount();
    await stage.eventually(
      () => sandbox.requests.count('GET', /^\/channels\/:channel$/),
      (asked) => asked > 0,
      'looked at',
    );
    expect(sandbox.requests.count('PATCH')).toBe(0);
    sandbox.operator.archiveThread({ channel: thread.id, archived: false });
    await expectFooter('▲ 2 ▼ 0');
  });

  test('of old messages in one channel is edited slowly', async () => {
    const [second = ''] = await stage.plant(general);
    stage.clock.move(7_200_000);
    for (const id of [article, second]) {
      stage.react(id, b, '👍');
      stage.react(id, c, '👍');
    }
    await expectFooter('▲ 3 ▼ 0');
    await expectFooter('▲ 3 ▼ 0', second);
    stage.clock.move(-7_200_000);
    const [one, two, ...others] = edits();
    expect(others).toEqual([]);
    expect((two?.atMs ?? 0) - (one?.atMs ?? 0)).toBeGreaterThan(3900);
  });
});

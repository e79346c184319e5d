import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onMetric } from '../../src/metrics.ts';
import { fullPassStep } from '../../src/recount/nightly-pass.ts';
import { recountArticles } from '../../src/recount/compare.ts';
import { readHiddenReactions } from '../../src/ranking/ballots/hidden-reactions.ts';
import { quickPace } from '../fixtures/scene.ts';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
let general: string;
let a: string;
let b: string;
let c: string;
let article: string;
let stopHearing: () => unknown;

beforeAll(async () => {
  stage = await startStage();
  general = stage.sandbox.channels.general.id;
  [a = '', b = '', c = ''] = stage.sandbox.members;
  stopHearing = onMetric('recount', () => (counted += 1));
  stage.follow();
  await recounted(0);
});
afterAll(async () => {
  stopHearing();
  await stage.stop();
});
beforeEach(async () => {
  [article = ''] = await stage.plant(general);
});

let counted = 0;
const recounts = () => counted;
async function recounted(before: number) {
  await stage.eventually(recounts, (count) => count > before, 'recounted');
}
function expectAgreement() {
  return stage.agree([article]);
}
function heard(event: string) {
  return new Promise((resolve) => stage.bot.app.client.ws.once(event as never, resolve));
}

describe('a recount begins by itself', () => {
  test('after a session that could not be resumed', async () => {
    const ready = heard('READY');
    stage.sandbox.gateway.drop({ resumable: false });
    stage.react(a, article, '👍');
    await ready;
    await expectAgreement();
  });

  test('and not after one that was resumed, which brings what was missed', async () => {
    const before = recounts();
    const resumed = heard('RESUMED');
    stage.sandbox.gateway.drop();
    stage.react(a, article, '👍');
    await resumed;
    await stage.agree([article]);
    // Longer than a recount would let others join it.
    const untilMs = performance.now() + 2 * quickPace.settleMs;
    await stage.eventually(
      () => performance.now(),
      (now) => now > untilMs,
      'later',
    );
    expect(recounts()).toBe(before);
  });

  test('once, when it is asked for several times at once', async () => {
    const before = recounts();
    stage.secretly(() => stage.react(a, article, '👍'));
    for (let i = 0; i < 5; i += 1) stage.recounts.soon(stage.sandbox.guildId);
    await stage.agree([article]);
    await recounted(before);
    expect(recounts()).toBe(before + 1);
  });

  test('after an outage of the guild, which removes nothing', async () => {
    const { operator } = stage.sandbox;
    stage.react(a, article, '👍');
    await stage.agree([article]);
    operator.setOutage({ outage: true });
    stage.react(b, article, '👍');
    stage.react(c, article, '👎');
    await stage.recounts.tick();
    operator.setOutage({ outage: false });
    await stage.agree([article]);
    expect(await stage.article(article)).toMatchObject({ up: 3, down: 1 });
  });

  test('every hour', async () => {
    stage.secretly(() => stage.react(a, article, '👎'));
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ down: 0 });
    stage.clock.move(3_600_000);
    await stage.recounts.tick();
    await expectAgreement();
    stage.clock.move(-3_600_000);
  });

  test('every five minutes in the channels in which something happened', async () => {
    const [quiet = ''] = await stage.plant(stage.sandbox.channels.rust.id);
    stage.react(a, article, '👍');
    await stage.agree([article]);
    // A recount that an earlier test left pending would find the quiet article as well.
    const before = recounts();
    stage.recounts.soon(stage.sandbox.guildId);
    await recounted(before);
    stage.secretly(() => {
      stage.react(b, article, '👎');
      stage.react(b, quiet, '👎');
    });
    stage.clock.move(300_000);
    await stage.recounts.tick();
    await expectAgreement();
    expect(await stage.differences([quiet])).toHaveLength(1);
    await stage.recount();
    stage.clock.move(-300_000);
  });

  test('for a guild of which not everything could be kept', async () => {
    stage.secretly(() => stage.react(a, article, '👎'));
    stage.bot.reactions.missed.add(stage.sandbox.guildId);
    await stage.recounts.tick();
    await expectAgreement();
  });

  test('again when something could not be read', async () => {
    const end = stage.sandbox.faults.add({ method: 'GET', route: /reactions/, status: 503 });
    stage.secretly(() => stage.react(a, article, '👎'));
    const before = recounts();
    stage.recounts.soon(stage.sandbox.guildId);
    await recounted(before);
    end();
    expect(await stage.article(article)).toMatchObject({ down: 0 });
    await stage.eventually(
      () => stage.differences([article]),
      (found) => found.length === 0,
      'repaired',
      20_000,
    );
  });
});

describe('the nightly full pass', () => {
  const day = 86_400_000;
  const hour = 3_600_000;

  test('is not forgotten by a recount that began beside it', async () => {
    stage.secretly(() => stage.react(a, article, '👍'));
    const { app } = stage.bot;
    const { guildId } = stage.sandbox;
    const it = (await stage.article(article))!;
    const [full] = await Promise.all([
      recountArticles(app, guildId, [it], { full: true }),
      recountArticles(app, guildId, [it]),
    ]);
    expect(full).toMatchObject({ added: 1 });
    const [offset] = await readHiddenReactions(app.ranking, guildId, [article]);
    expect(offset?.readAtMs).toBeGreaterThan(0);
  });

  test('finds who voted behind equal counts, in small shares, each article once', async () => {
    const ids = await stage.plant(general, 31);
    for (const id of ids) stage.react(a, id, '👍');
    await stage.agree(ids);
    stage.secretly(() => {
      for (const id of ids) {
        stage.unreact(a, id, '👍');
        stage.react(c, id, '👍');
      }
    });
    await stage.recount();
    expect(await stage.differences(ids)).not.toEqual([]);
    // To the end of a night that is still to begin, 05:00 UTC, when half an hour's rate is left.
    const now = stage.clock.now();
    const moved = Math.ceil((now - hour) / day) * day + 5 * hour - now;
    stage.clock.move(moved);
    const { app } = stage.bot;
    const first = await fullPassStep(app, stage.sandbox.guildId);
    expect(first?.read).toBe(2);
    let steps = 1;
    while ((await fullPassStep(app, stage.sandbox.guildId)) !== null) steps += 1;
    expect(steps).toBeGreaterThan(10);
    expect(await stage.differences(ids)).toEqual([]);
    stage.clock.move(-moved);
  });
});

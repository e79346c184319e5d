import { Routes } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openJobs, type RunningBot, startBot } from '../../src/bot.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { createLog } from '../../src/runtime/log.ts';
import { onMetric } from '../../src/runtime/metrics.ts';
import { translate } from '../../src/text/catalogue.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

const { log, text } = recordLog();
let scene: Scene;
let other: TestRedis;
let general: string;
beforeAll(async () => {
  scene = await startScene({ log, follows: true });
  other = await startTestRedis();
  general = scene.sandbox.channels.general.id;
  await scene.whole();
});
afterAll(async () => {
  await scene.stop();
  await other.stop();
});

/** Another bot with the same token on this Redis, and what ends it. */
async function startOther(
  url: string,
): Promise<{ bot: RunningBot; look(): void; stop(): Promise<void> }> {
  const quiet = createLog('silent');
  const redis = connectRedis(url, { log: quiet, name: 'other' });
  const { token, apiBase } = scene.sandbox;
  const bot = await startBot({
    token,
    apiBase,
    redis,
    clock: scene.clock,
    log: quiet,
    answerWithinMs: 30_000,
  });
  const jobs = openJobs(bot);
  return {
    bot,
    look: () => jobs.guilds.checkDataSet(),
    async stop() {
      await bot.stop();
      redis.disconnect();
    },
  };
}

const ask = () => scene.sandbox.as(scene.sandbox.admin).command(general, 'top');

/** What each found at its look, some time after what happened. */
async function judged(more: { bot: RunningBot; look(): void }): Promise<(number | null)[]> {
  scene.clock.move(20_000);
  scene.guilds.checkDataSet();
  more.look();
  await scene.settled();
  return [scene.bot.twin.seenAtMs(), more.bot.twin.seenAtMs()];
}

test('two processes that share one Redis are no fault, whichever answers and posts', async () => {
  const second = await startOther(scene.redis.url);
  await judged(second);
  for (let n = 0; n < 6; n += 1) await ask();
  const channel = await second.bot.client.channels.fetch(general);
  if (channel?.isSendable()) await channel.send('From the second process.');
  await scene.eventually(
    () => judged(second),
    (found) => found.every((at) => at === null),
    'judged',
  );
  expect(await judged(second)).toEqual([null, null]);
  await second.stop();
});

test('what the bot posts in a forum, and what is told twice, is its own, which another program is not accused of', async () => {
  // The second process of before is forgotten.
  scene.clock.move(4 * 60_000);
  scene.guilds.checkDataSet();
  await scene.settled();
  const { rest } = scene.bot.client;
  // As the bot posts its welcome.
  const embeds = [{ description: 'Hello.' }];
  const body = { name: 'Hello', message: { embeds, allowed_mentions: { parse: [] } } };
  const post = await rest.post(Routes.threads(scene.sandbox.channels.forum.id), { body });
  const { id } = post as { id: string };
  // The gateway may tell twice of a message.
  scene.sandbox.gateway.events.set({ double: 1 });
  const channel = await scene.bot.client.channels.fetch(general);
  if (channel?.isSendable()) await channel.send('Told twice.');
  await scene.settled();
  scene.sandbox.gateway.events.set(undefined);
  await expect.poll(() => scene.sandbox.world.channels.get(id)?.messages.has(id)).toBe(true);
  // Nor of an answer that Discord has, and that is sent again since nobody heard so.
  scene.sandbox.faults.add({ route: /callback/, cut: true, afterTheWork: true, times: 1 });
  const sent = () => scene.sandbox.requests.count('POST', /callback/);
  const before = sent();
  await ask();
  await expect.poll(sent).toBe(before + 2);
  await scene.settled();
  scene.clock.move(20_000);
  scene.guilds.checkDataSet();
  await scene.settled();
  expect(scene.bot.twin.seenAtMs()).toBeNull();
});

// Withstands (Processes that die): Two bots have one token and two Redis
// → the log, a figure and the check-up say so
test('a bot that sees what another one with its token and other data did says so', async () => {
  // The second process of before is forgotten.
  scene.clock.move(4 * 60_000);
  const figures: string[] = [];
  const end = onMetric('twin', ({ what }) => figures.push(what));
  const second = await startOther(other.url);
  await judged(second);
  expect(scene.bot.twin.seenAtMs()).toBeNull();
  const channel = await second.bot.client.channels.fetch(general);
  if (channel?.isSendable()) await channel.send('From other data.');
  await scene.settled();
  // A process with the same data would tell of itself by then.
  scene.guilds.checkDataSet();
  await scene.settled();
  expect(scene.bot.twin.seenAtMs()).toBeNull();
  await scene.eventually(
    () => judged(second),
    ([first]) => first !== null,
    'noticed',
  );
  for (let n = 0; n < 8; n += 1) await ask();
  await scene.eventually(
    () => judged(second),
    () => figures.includes('answer'),
    'an answer',
  );
  await second.stop();
  end();
  expect(figures).toContain('message');
  expect(text()).toContain('Another program with this bot');
  const { message } = await openPanel(scene.sandbox.as(scene.sandbox.admin), general, 'check-up');
  const [said = ''] = translate('en', 'check-up.twin', { when: '|' }).split('|');
  expect(JSON.stringify(message?.embeds[0])).toContain(said);
});

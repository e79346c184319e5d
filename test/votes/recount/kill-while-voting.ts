import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { seededRandom } from '../../../discord-box/src/index.ts';
import { type Article, readArticles } from '../../../src/ranking/articles/articles.ts';
import { runFrontpage } from '../../fixtures/bot-process.ts';
import type { Shown } from '../../fixtures/planted-articles.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

/**
 * Members vote all the time while the bot is killed at random points and started again. In the end
 * all tallies are right within a minute, and after a full recount every voter is.
 */
export async function expectRightVotesAfterKills(seed: number, killings: number): Promise<void> {
  const scene = await startScene();
  const { sandbox, redis } = scene;
  const random = seededRandom(seed);
  const articles = await scene.plant(sandbox.channels.general.id, 12);
  const members = scene.crowd(40);
  // Its successor is a process of its own, on the same Redis; this one only reads.
  await scene.bot.stop();
  const environment = {
    DISCORD_TOKEN: sandbox.token,
    DISCORD_API_BASE: sandbox.apiBase,
    REDIS_URL: redis.url,
    DATA_DIR: tmpdir(),
    LOG_LEVEL: 'silent',
  };
  const load = setInterval(() => {
    for (let n = 0; n < 5; n += 1) {
      const id = articles[random.below(articles.length)] ?? '';
      reactSomehow(scene, id, members[random.below(members.length)] ?? '', random.below(4));
    }
  }, 10);
  let bot = runFrontpage(environment);
  for (let killed = 0; killed < killings; killed += 1) {
    const online = await sandbox.until(
      () =>
        [...sandbox.gateway.sessions.values()].some(({ socket }) => socket !== null) || undefined,
      'the bot',
    );
    expect(online).toBe(true);
    const untilMs = performance.now() + random.below(3000);
    await scene.eventually(
      () => performance.now(),
      (now) => now > untilMs,
      'later',
    );
    await bot.end('SIGKILL');
    bot = runFrontpage(environment);
  }
  clearInterval(load);
  await scene.eventually(
    async () => {
      const found = await readArticles(scene.bot.ranking, sandbox.guildId, articles);
      return found.filter((article) => !article || !fits(article, scene.shownOn(article.id)));
    },
    (wrong) => wrong.length === 0,
    'right',
  );
  await bot.end('SIGKILL');
  await scene.restartBot();
  await scene.recount({ full: true });
  expect(await scene.differences(articles)).toEqual([]);
  await scene.stop();
}

/** Whether the tally fits the shown reactions. If a member shows both, either may be the vote, or none. */
function fits({ up, down }: Article, { ups, downs, both }: Shown): boolean {
  const surplus = [up - 1 - ups, down - downs];
  return surplus.every((more) => more >= 0) && surplus[0]! + surplus[1]! <= both;
}

function reactSomehow(scene: Scene, article: string, member: string, choice: number): void {
  const emoji = choice % 2 === 0 ? '👍' : '👎';
  if (choice < 2) scene.react(member, article, emoji);
  else scene.unreact(member, article, emoji);
}

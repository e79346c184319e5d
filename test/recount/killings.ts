import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { seededRandom } from '../../sandbox/discord/index.ts';
import { type Article, readArticles } from '../../src/ranking/articles/articles.ts';
import { startMortalBot } from './bot-process.ts';
import { type Shown, type Stage, startStage } from './stage.ts';

/**
 * Members vote all the time while the bot is killed at random points and started again. In the end
 * all tallies are right within a minute, and after a full recount every voter is.
 */
export async function expectSurvival(seed: number, killings: number): Promise<void> {
  const stage = await startStage();
  const { sandbox, redis } = stage;
  const random = seededRandom(seed);
  const articles = await stage.plant(sandbox.channels.general.id, 12);
  const members = stage.crowd(40);
  // Its successor is a process of its own, on the same Redis; this one only reads.
  await stage.bot.stop();
  const environment = {
    DISCORD_TOKEN: sandbox.token,
    DISCORD_API_BASE: sandbox.apiBase,
    REDIS_URL: redis.url,
    DATA_DIR: tmpdir(),
  };
  const load = setInterval(() => {
    for (let n = 0; n < 5; n += 1) {
      const id = articles[random.below(articles.length)] ?? '';
      reactSomehow(stage, id, members[random.below(members.length)] ?? '', random.below(4));
    }
  }, 10);
  let bot = startMortalBot(environment);
  for (let killed = 0; killed < killings; killed += 1) {
    const online = await sandbox.until(
      () =>
        [...sandbox.gateway.sessions.values()].some(({ socket }) => socket !== null) || undefined,
      'the bot',
      30_000,
    );
    expect(online).toBe(true);
    const untilMs = performance.now() + random.below(3000);
    await stage.eventually(
      () => performance.now(),
      (now) => now > untilMs,
      'later',
    );
    await bot.kill();
    bot = startMortalBot(environment);
  }
  clearInterval(load);
  await stage.eventually(
    async () => {
      const found = await readArticles(stage.bot.app.ranking, sandbox.guildId, articles);
      return found.filter((article) => !article || !fits(article, stage.shownOn(article.id)));
    },
    (wrong) => wrong.length === 0,
    'right',
    60_000,
  );
  await bot.kill();
  await stage.restartBot();
  await stage.recount({ full: true });
  expect(await stage.differences(articles)).toEqual([]);
  await stage.stop();
}

/** Whether the tally is of what is shown. Of two reactions of a member either may be the vote, or none. */
function fits({ up, down }: Article, { ups, downs, both }: Shown): boolean {
  const surplus = [up - 1 - ups, down - downs];
  return surplus.every((more) => more >= 0) && surplus[0]! + surplus[1]! <= both;
}

function reactSomehow(stage: Stage, article: string, member: string, choice: number): void {
  const emoji = choice % 2 === 0 ? '👍' : '👎';
  if (choice < 2) stage.react(member, article, emoji);
  else stage.unreact(member, article, emoji);
}

import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { seededRandom } from '../../sandbox/discord/index.ts';
import { readArticles } from '../../src/ranking/articles/articles.ts';
import { startMortalBot } from './bot-process.ts';
import { type Stage, startStage } from './stage.ts';

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
      vote(stage, id, members[random.below(members.length)] ?? '', random.below(3));
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
  const wanted = stage.shownTallies(articles);
  await stage.eventually(
    async () => {
      const found = await readArticles(stage.bot.app.ranking, sandbox.guildId, articles);
      return found.filter((article) => {
        const right = wanted.get(article?.id ?? '');
        return article?.up !== right?.up || article?.down !== right?.down;
      }).length;
    },
    (wrong) => wrong === 0,
    'right',
    60_000,
  );
  await bot.kill();
  await stage.restartBot();
  await stage.recount({ full: true });
  expect(await stage.differences(articles)).toEqual([]);
  await stage.stop();
}

/** Nobody shows both reactions, since Discord does not tell which of two is the vote. */
function vote(stage: Stage, article: string, member: string, choice: number): void {
  const [shown, other] = choice === 0 ? ['👎', '👍'] : ['👍', '👎'];
  stage.unreact(article, member, other ?? '');
  if (choice === 2) stage.unreact(article, member, '👍');
  else stage.react(article, member, shown ?? '');
}

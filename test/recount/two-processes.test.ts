import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../sandbox/random.ts';
import { type RunningBot, startBot } from '../../src/discord/bot.ts';
import { followRecounts } from '../../src/recount/follow.ts';
import { openLifecycle } from '../../src/recount/lifecycle.ts';
import { connectRedis } from '../../src/store/redis.ts';
import { readVoters } from '../../src/voting/voters.ts';
import { patience } from '../discord/scene.ts';
import { type Life, startLife } from './life.ts';

const seed = Number(process.env['TEST_SEED'] ?? 20261);

let life: Life;
let general: string;
const seconds: { running: RunningBot; end(): Promise<void> }[] = [];

beforeAll(async () => {
  life = await startLife();
  general = life.sandbox.channels.general.id;
});
afterAll(async () => {
  for (const second of seconds) await second.end();
  await life.stop();
});

/** Another process with the same token, as during a rolling restart. */
async function startSecond(): Promise<RunningBot> {
  const { sandbox, clock, redis } = life;
  const { log } = life.bot.bot;
  const connection = connectRedis(redis.url, { log, name: 'second' });
  const { token, apiBase } = sandbox;
  const running = await startBot({ token, apiBase, redis: connection, clock, log });
  const recounts = followRecounts(running);
  openLifecycle(running, { recount: (id) => recounts.soon(id), refresh: async () => {} });
  seconds.push({
    running,
    async end() {
      await running.stop();
      connection.disconnect();
    },
  });
  return running;
}

/** What one member shows on one article, in the order in which it was added. */
type Shown = ('👍' | '👎')[];

test(`votes of a rolling restart end as the record says (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const members = life.sandbox.members.slice(0, 8);
  const articles: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    articles.push(await life.post(general, `https://two.example/${i}`));
  }
  const shown = new Map<string, Shown>();
  const act = () => {
    const article = articles[random.below(articles.length)] ?? '';
    const member = members[random.below(members.length)] ?? '';
    const emoji = random.below(2) === 0 ? '👍' : '👎';
    const key = `${article} ${member}`;
    const before = shown.get(key) ?? [];
    const actor = life.sandbox.as(member);
    if (before.includes(emoji)) actor.unreact(general, article, emoji);
    else actor.react(general, article, emoji);
    const rest = before.filter((each) => each !== emoji);
    shown.set(key, before.includes(emoji) ? rest : [...rest, emoji]);
  };
  const acting = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      act();
      // So that the processes' events mix, and a recount comes in between.
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };

  await acting(300);
  const starting = startSecond();
  await acting(600);
  await starting;
  await acting(600);
  const leaving = life.bot.stop();
  await acting(600);
  await leaving;
  await acting(300);

  const expected = articles.map((article) =>
    members.map((member) => shown.get(`${article} ${member}`)?.at(-1) ?? 'none'),
  );
  const { ranking } = seconds[0]?.running.bot ?? life.bot.bot;
  const emojiOf = { up: '👍', down: '👎' };
  await expect
    .poll(async () => {
      const all = await Promise.all(
        articles.map((article) => readVoters(ranking, life.sandbox.guildId, article)),
      );
      return all.map((voters) =>
        members.map((member) => {
          const vote = voters.get(member)?.vote;
          return vote ? emojiOf[vote] : 'none';
        }),
      );
    }, patience)
    .toEqual(expected);
  await expect
    .poll(
      async () => {
        const stale: string[] = [];
        for (const id of articles) {
          const article = await life.article(id);
          const text = JSON.stringify(life.message(general, id).embeds);
          if (!text.includes(`▲ ${article?.up} ▼ ${article?.down}`)) stale.push(id);
        }
        return stale;
      },
      { ...patience, timeout: 20_000 },
    )
    .toEqual([]);
});

test('a command that reaches two processes is answered once, and posts once', async () => {
  await life.restart();
  await life.settled();
  const { sandbox } = life;
  const actor = sandbox.as(sandbox.admin);
  for (let i = 0; i < 5; i += 1) {
    const link = `https://both.example/${i}`;
    const id = await life.post(general, link);
    const answer = await actor.command(general, 'post', { link });
    expect(answer.ephemeral).toBe(true);
    await life.settled();
    const posted = actor
      .messages(general, 500)
      .filter(({ embeds, flags }) => embeds[0]?.url === link && ((flags ?? 0) & 64) === 0);
    expect(posted.map((message) => message.id)).toEqual([id]);
    expect(await life.article(id)).toMatchObject({ up: 1, down: 0 });
  }
});

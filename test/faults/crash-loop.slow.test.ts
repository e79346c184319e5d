import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seededRandom } from '../../discord-box/src/index.ts';
import { useInstalledBot } from '../fixtures/installed-bot.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { isWhole } from '../fixtures/sample.ts';

const host = useInstalledBot();
const { run, startApp, command, top } = host;
const kills = 10;

const listed = async () => (await top()).match(/▲ \d+/g)?.toSorted();

// Withstands (Processes that die): The bot is killed every 1 to 3 s
// → no lock is held
test.runIf(isWhole)(
  'a bot that is killed every 1 to 3 s while members vote shows all as Discord does, and holds no lock',
  async () => {
    const first = await startApp();
    const { sandbox } = host;
    const { gateway } = sandbox;
    const general = sandbox.channels.general.id;
    await expect.poll(first.said).toContain('The ranking of a guild is whole');
    const articles: string[] = [];
    for (const title of ['One', 'Two', 'Three', 'Four']) {
      articles.push((await command('post', { link: `https://news.example/${title}`, title })).id);
    }
    const random = seededRandom(17);
    const load = setInterval(() => {
      const voter = sandbox.as(sandbox.members[random.below(10)] ?? '');
      const article = articles[random.below(articles.length)] ?? '';
      if (random.below(3) > 0) voter.react(general, article, '👍');
      else voter.unreact(general, article, '👍');
    }, 20);
    const before = gateway.identifies.length;
    let bot = first;
    for (let killed = 0; killed < kills; killed += 1) {
      await pause(1000 + random.below(2000));
      bot.child.kill('SIGKILL');
      await bot.code;
      bot = run('start');
    }
    clearInterval(load);
    await bot.isOn();
    expect(gateway.identifies.length - before).toBeLessThanOrEqual(kills);

    const shown = () =>
      articles.map((id) => {
        const message = sandbox
          .as(sandbox.admin)
          .messages(general)
          .find((found) => found.id === id);
        const up = message?.reactions?.find(({ emoji }) => emoji.name === '👍')?.count ?? 0;
        return `▲ ${up}`; // The bot's own reaction counts as the poster's vote does.
      });
    await expect.poll(listed).toEqual(shown().toSorted());
    // It needs the guild's lock.
    const recount = await openPanel(sandbox.as(sandbox.admin), general, 'recount');
    const id = recount.message?.id ?? '';
    const answer = () =>
      sandbox
        .as(sandbox.admin)
        .messages(general)
        .find((found) => found.id === id)?.content;
    await expect.poll(answer).toContain('compared');
    bot.child.kill('SIGTERM');
    expect(await bot.code).toBe(0);
  },
);

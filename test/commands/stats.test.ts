import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/index.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { articlesOf } from '../../src/ranking/lists/of-poster.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

const day = 86_400_000;

let scene: Scene;
let general: string;
let ada: string;
let lin: string;
let grace: string;
let wang: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  [ada, lin] = [sandbox.admin, sandbox.moderator];
  [grace = '', wang = ''] = sandbox.members;
  const { moderators } = sandbox.channels;
  await add('今日头条 🚀', 1000, ada, general, { up: 8, down: 1 });
  await add('Second', day, ada, general, { up: 2, down: 0 });
  await add('Third', 10 * day, grace, general, { up: 30, down: 0 });
  await add('Ages ago', 400 * day, wang, general, { up: 100, down: 0 });
  await add('Secret', 1000, lin, moderators.id, { up: 500, down: 0 });
});
afterAll(() => scene.stop());

async function add(
  title: string,
  ageMs: number,
  poster: string,
  home: string,
  votes: { up: number; down: number },
) {
  const tally = { ...votes, closed: ageMs > 7 * day };
  const atMs = scene.clock.now() - ageMs;
  await scene.rank({ title, atMs, poster, home, tally, listed: home === general });
}
/** Of what these members posted. */
async function idsOf(posters: readonly string[]): Promise<string[]> {
  const { ranking } = scene.bot;
  const guild = scene.sandbox.guildId;
  const found = await Promise.all(posters.map((one) => articlesOf(ranking, guild, one, [null])));
  return found.flat().map(({ id }) => id);
}
function text({ message }: Answer): string {
  return message?.embeds.map(({ description }) => description).join('\n') ?? '';
}

describe('/stats members', () => {
  test('/stats members ranks posters by the net votes of others on what they posted in the period', async () => {
    const week = await scene.command(grace, 'stats members');
    expect(week.ephemeral).toBe(true);
    expect(text(week)).toBe(`**1.** <@${ada}> · ▲ 7 · 2 articles`);
    expect(week.message?.mentions).toEqual([]);
    const month = await scene.command(grace, 'stats members', { period: 'month' });
    expect(text(month).split('\n')[0]).toContain(`<@${grace}> · ▲ 29 · 1 article`);
    const ever = await scene.command(lin, 'stats members', { period: 'ever' });
    expect(text(ever).split('\n')[0]).toContain(`<@${wang}> · ▲ 99 · 1 篇文章`);
    expect(text(ever)).not.toContain(lin);
  });

  test('/stats members names ten, and below them the asker with their own place', async () => {
    const crowd = scene.crowd(11);
    for (const [at, poster] of crowd.entries())
      await add(`Crowd ${at}`, 300 * day, poster, general, { up: 200 + at, down: 0 });
    const lines = async (who: string) =>
      text(await scene.command(who, 'stats members', { period: 'ever' })).split('\n');
    const first = await lines(crowd.at(-1)!);
    expect(first).toHaveLength(10);
    expect(first[0]).toContain(`<@${crowd.at(-1)}>`);
    const own = await lines(crowd[0]!);
    expect(own).toHaveLength(12);
    expect(own.at(-1)).toContain(`**11.** <@${crowd[0]}> · ▲ 199`);
    for (const article of await idsOf(crowd))
      await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, article);
  });

  test('/stats members does not name who opted out', async () => {
    const { store, rules } = scene.bot;
    await setOptedOut(store, scene.sandbox.guildId, ada, true);
    await rules.reload(scene.sandbox.guildId);
    expect(text(await scene.command(grace, 'stats members'))).toContain('votes from other members');
    await setOptedOut(store, scene.sandbox.guildId, ada, false);
    await rules.reload(scene.sandbox.guildId);
  });
});

describe('/stats server', () => {
  test('/stats server says what the last 30 days came to, with a bar for each', async () => {
    const answer = await scene.command(grace, 'stats server');
    expect(answer.ephemeral).toBe(true);
    const words = text(answer);
    expect(words).toMatch(/^\*\*3 articles\*\* by 2 members\n`▁+█▁+██`\n\*\*38 votes\*\*, 0 ★\n/);
    expect(words).toMatch(
      /^Best: \[Third\]\(https:\/\/news\.example\/\d+\) · news\.example\n-# ▲ 30 · <@\d+> · <#\d+> · .* · \[read\]\(/m,
    );
    expect(words).toContain('`news.example` 3');
    expect(words).not.toContain('Secret');
  });

  test('/stats server names no channel that is closed to the asker alone', async () => {
    const { channels, operator, guildId } = scene.sandbox;
    const { id: rust } = channels.rust;
    const atMs = scene.clock.now() - 2 * day;
    const article = await scene.rank({ title: 'For all but one', atMs, home: rust });
    operator.setPermissions({ channel: rust, who: grace, deny: ['ViewChannel'] });
    const named = async (who: string) =>
      text(await scene.command(who, 'stats server')).includes(`<#${rust}>`);
    expect([await named(lin), await named(grace)]).toEqual([true, false]);
    operator.setPermissions({ channel: rust, who: grace });
    await deleteArticle(scene.bot.ranking, guildId, article);
  });

  test('/stats server of a group that the asker may not see says nothing', async () => {
    const { moderators } = scene.sandbox.channels;
    const own = await scene.command(lin, 'stats server', { channel: moderators.id });
    expect(text(own)).toContain('499 票');
    await expect(scene.command(grace, 'stats server', { channel: moderators.id })).rejects.toThrow(
      'no channel',
    );
  });
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { isArticle, messagesOf } from '../../../sandbox/tour/article/shown.ts';
import { titleIn } from '../../../sandbox/tour/article/text.ts';
import { type Message, snowflakeMs } from '../../../discord-box/src/index.ts';
import {
  articleMessage,
  readArticleMessage,
} from '../../../src/articles/messages/article-message.ts';
import { VOTING_OPEN_MS } from '../../../src/ranking/rules.ts';
import { type RunningSandbox, startRunningSandbox } from '../page/running-sandbox.ts';
import { setSetting } from '../../fixtures/set-setting.ts';
import { PATIENCE_MS } from '../page/page-browser.ts';
import { isWhole, sample } from '../../fixtures/sample.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Some forty links are posted meanwhile, each with its thread. */
const WEEK_WITHIN_MS = 240_000;

let running: RunningSandbox;
let page: Page;

beforeAll(async () => {
  running = await startRunningSandbox({ inside: true });
  page = await running.visit({ as: running.sandbox.members[0] ?? '' });
});
afterAll(() => running.stop());

const articles = (): Message[] =>
  [...messagesOf(running.sandbox.world)].filter((message) =>
    isArticle(message, running.sandbox.applicationId),
  );

/** As the reactions tell it: the bot's own are no votes, and its poster counts as one up. */
function tallyOf(title: string): string {
  const message = articles().find(({ content }) => titleIn(content) === title);
  const shown = (emoji: string): number => message?.reactions.get(emoji)?.normal.size ?? 0;
  expect(shown('👍') + shown('👎')).toBeGreaterThan(0);
  const own = message?.reactions.get('👎')?.normal.has(running.sandbox.world.application.botId);
  return `▲ ${shown('👍')} ▼ ${shown('👎') - Number(own)}`;
}

test('the past is written as the bot writes, and no word differs', () => {
  expect(articles().length).toBeGreaterThan(20);
  for (const message of articles()) {
    const carried = readArticleMessage(message);
    expect(carried).not.toBeNull();
    if (carried === null) continue;
    const closesAtMs = snowflakeMs(message.id) + VOTING_OPEN_MS;
    expect(articleMessage({ ...carried, closesAtMs }, 'en-US')).toBe(message.content);
  }
});

/** What Redis holds for an article. Each new message moves the channel under the mouse. */
async function inspect(title: string, fact: number): Promise<string | null> {
  await page.locator('#tab-inspect').click();
  const isLookedAt = async () => {
    await page.locator('discord-message', { hasText: title }).last().hover();
    return (await page.locator('.looked').allTextContents()).join('');
  };
  await expect.poll(isLookedAt, { interval: 200 }).toContain(title);
  return page.locator('#redis dd').nth(fact).textContent();
}
const [VOTES, CLOSES] = [1, 3];

test('the past is found by the bot itself, and shown as Redis has it', async () => {
  await expect.poll(() => inspect('GPS', VOTES)).toBe(tallyOf('GPS'));
});

describe('the controls', () => {
  test('the controls let a crowd vote at once, and every vote is counted', async () => {
    const before = await inspect('GPS', VOTES);
    await page.locator('#tab-controls').click();
    await page.locator('#crowd-size').fill('100');
    await page.locator('#crowd-share').fill('75');
    await page.locator('#crowd-vote').click();
    await expect.poll(() => tallyOf('GPS')).not.toBe(before);
    await expect.poll(() => inspect('GPS', VOTES)).toBe(tallyOf('GPS'));
  });

  test('the controls take Redis away, which the bot says, and bring it back', async () => {
    await page.locator('#tab-controls').click();
    await page.locator('#redis-away').click();
    await run('/top');
    await page.getByText('can’t reach its database').waitFor();
    await page.locator('#redis-there').click();
    const list = page.locator('discord-message', { hasText: 'Page 1 of' });
    const lists = async () => {
      await run('/top');
      return list.count();
    };
    await expect.poll(lists, { interval: 1000 }).toBeGreaterThan(0);
  });

  test('the controls move time to the next digest, past the announcements that are due each minute', async () => {
    const { sandbox } = running;
    await setSetting(sandbox, 'announcements', [sandbox.channels.general.id]);
    const before = sandbox.world.clock.now();
    await page.locator('#tab-controls').click();
    await page.getByRole('button', { name: 'Next digest' }).click();
    await expect.poll(() => sandbox.world.clock.now() - before).toBeGreaterThan(HOUR_MS);
    // A press while time is moved is not heard.
    await page.getByText('The digest is due').waitFor();
  });

  test(
    'the controls move time for all: on each day of a week members post, some with a word of theirs, and readers vote',
    async () => {
      const known = new Set(articles().map(({ id }) => id));
      const before = running.sandbox.world.clock.now();
      await page.locator('#tab-controls').click();
      await page.getByRole('button', { name: '＋ 1 week' }).click();
      const fresh = () => articles().filter(({ id }) => !known.has(id));
      const { clock } = running.sandbox.world;
      await expect
        .poll(() => clock.now() - before, { timeout: WEEK_WITHIN_MS })
        .toBeGreaterThanOrEqual(7 * DAY_MS);
      // Two on a Sunday, eight on a Wednesday, six on the other days.
      expect(fresh().length).toBeGreaterThanOrEqual(36);
      const days = new Set(fresh().map(({ id }) => Math.floor(snowflakeMs(id) / DAY_MS)));
      expect(days.size).toBeGreaterThanOrEqual(7);
      for (const { id, previews } of fresh()) {
        // The digest that follows at once shows the picture.
        expect(previews).toHaveLength(1);
        const reactions = () => articles().find((one) => one.id === id)?.reactions.size;
        // On a busy machine a posting can be confirmed a minute later.
        await expect.poll(reactions, { timeout: 3 * PATIENCE_MS }).toBeGreaterThan(0);
      }
      const comments = fresh().map((message) => readArticleMessage(message)?.comment ?? '');
      expect(comments.filter((text) => text !== '').length).toBeGreaterThan(0);
      // Nobody at the page did that.
      expect(running.sandbox.tour.state().done).not.toContain('post');
    },
    WEEK_WITHIN_MS + 4 * PATIENCE_MS,
  );

  test.runIf(isWhole)(
    'the controls move time for all: a week later nothing can be voted on any longer',
    async () => {
      await page.locator('#tab-controls').click();
      await page.getByRole('button', { name: '＋ 1 week' }).click();
      await expect
        .poll(() => inspect('GPS', CLOSES), { timeout: WEEK_WITHIN_MS })
        .toMatch(/ago|closed/);
    },
    WEEK_WITHIN_MS + PATIENCE_MS,
  );
});

const looks = [
  ['wide and light, at the controls', { width: 1280, scheme: 'light', isAtControls: true }],
  ['wide and dark', { width: 1280, scheme: 'dark' }],
  ['narrow and light', { width: 390, scheme: 'light' }],
] as const;
test.each(sample(looks, 1))(
  '%s, the page has names for all and colours that can be read',
  async (_, wish) => {
    const tab = await running.visit(wish);
    if ('isAtControls' in wish) await tab.locator('#tab-controls').click();
    await tab.evaluate(axe);
    const faults = await tab.evaluate(async () => {
      type Found = { id: string; nodes: { target: string[] }[] };
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: Found[] }> };
      };
      const { violations } = await axe.run();
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} × ${nodes.length}`,
      );
    });
    expect(faults).toEqual([]);
    await tab.context().close();
  },
);

test('an empty world opens as its admin on the welcome, and each button says beside itself what it needs', async () => {
  const empty = await startRunningSandbox({ past: 'empty' });
  try {
    const tab = await empty.visit();
    // It opens as the admin, on the bot's welcome.
    await tab.locator('.actor[aria-checked=true]', { hasText: 'Ada Moreau' }).waitFor();
    await tab.locator('discord-button', { hasText: 'Set up' }).waitFor();
    await tab.getByText('Nothing happens here by itself').waitFor();
    const digest = tab.locator('[data-step=digest]');
    await digest.locator('.head').click();
    await digest.getByRole('button', { name: 'Go to the next digest' }).click();
    const outcome = digest.locator('.outcome');
    await expect.poll(() => outcome.textContent()).toContain('There is no digest yet.');
    // What serves the sandbox's makers is behind an option.
    expect(await tab.getByRole('tab').count()).toBe(1);
  } finally {
    await empty.stop();
  }
});

test('nothing went wrong on the way, and no other host was asked', () => {
  expect(running.offences).toEqual([]);
});

async function run(command: string): Promise<void> {
  await page.locator('#text').fill(command, { timeout: PATIENCE_MS });
  await page.keyboard.press('Enter');
  await page.locator('#command button.primary').click();
}

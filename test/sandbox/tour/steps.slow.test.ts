import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningSandbox, startRunningSandbox } from '../page/running-sandbox.ts';
import { PATIENCE_MS } from '../page/page-browser.ts';
import { sample } from '../../fixtures/sample.ts';

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 800 };
/** The bot looks for due digests once a minute. */
const NEXT_MINUTE_MS = 60_000 + PATIENCE_MS;

/** Where the page is narrow, the tour is in a drawer. */
async function openTour(page: Page): Promise<void> {
  const drawer = page.locator('.room-head .drawer-button').last();
  const isOpen = await page.locator('#side.open').isVisible();
  if (!isOpen && (await drawer.isVisible())) await drawer.click();
}
/** Two members side by side; the tour is followed by the first, and both see its ticks. */
const sizes = [
  ['390 pixels wide', NARROW, WIDE],
  ['1280 pixels wide', WIDE, NARROW],
] as const;
describe.each(sample(sizes, 1))('the tour, %s', (_, size, otherSize) => {
  let running: RunningSandbox;
  let one: Page;
  let other: Page;

  beforeAll(async () => {
    running = await startRunningSandbox();
    const { sandbox } = running;
    one = await running.visit({ ...size, as: sandbox.members[0] ?? '' });
    other = await running.visit({ ...otherSize, as: sandbox.members[2] ?? '' });
  });
  afterAll(() => running.stop());

  async function follow(step: string, button?: string): Promise<void> {
    const place = one.locator(`[data-step=${step}]`);
    // The next step opens by itself, and on a narrow screen the drawer closes, perhaps in this moment.
    const head = place.locator('.head');
    const isShown = async (): Promise<boolean> => {
      await openTour(one);
      const isOpen = (await head.getAttribute('aria-expanded')) === 'true';
      if (!isOpen) await head.click({ timeout: 1000 }).catch(() => {});
      return isOpen && (await head.isVisible());
    };
    // One click that waits in vain lasts as long as a poll does by itself.
    await expect.poll(isShown).toBe(true);
    const buttons = place.locator('.how button');
    await (button === undefined ? buttons.first() : buttons.filter({ hasText: button })).click();
  }
  async function isTicked(step: string, deadlineMs = PATIENCE_MS): Promise<void> {
    for (const page of [one, other]) {
      const tick = page.locator(`[data-step=${step}].done`);
      await tick.waitFor({ state: 'attached', timeout: deadlineMs });
    }
  }
  const frontPage = (): string | undefined =>
    [...running.sandbox.world.channels.values()].find(({ name }) => name === 'front-page')?.id;

  test('the tour is done step by step, and each ticks itself off when it has happened', async () => {
    await follow('post');
    await one.locator('#command button.primary').click();
    await isTicked('post');
    // The other member has it before their eyes, and votes on it.
    const seen = other.locator('discord-message').last();
    await seen.locator('discord-reaction').first().click();
    await isTicked('vote');
    await follow('vote');
    await one.keyboard.press('Enter');
    // The list beside it shows from which place to which the vote has moved the article.
    const moved = one.locator('.front b', { hasText: /^\d+ → \d+$/ });
    await moved.first().waitFor({ state: 'attached' });
    await follow('switch');
    await one.keyboard.press('Enter');
    await isTicked('switch');

    // Readers who are not at the page vote, until the last of the list is the first.
    await follow('climb');
    const first = one.locator('.front .climbing', { hasText: /^\s*(\d+ → )?1\D/ });
    await first.waitFor({ state: 'attached' });
    await isTicked('climb');

    // A reply to one's own article and votes: its thread tells what became of it, to who reads there.
    await follow('told');
    await one.locator('.room-head', { hasText: /Bicycle/ }).waitFor();
    await one.locator('discord-message', { hasText: '★ · among the best' }).waitFor();
    await isTicked('told');
    await follow('mine');
    await one.locator('#command button.primary').click();
    await isTicked('mine');
    await one.getByText(/links this month/).waitFor();

    await follow('top');
    await one.locator('#command button.primary').click();
    await isTicked('top');
    await one.getByText('Only you can see this').last().waitFor();
    expect(await other.getByText('Only you can see this').count()).toBe(0);

    await follow('new');
    await one.locator('#command button.primary').click();
    await isTicked('new');
    await follow('needs-vote');
    await one.locator('#command button.primary').click();
    await isTicked('needs-vote');
    await follow('save');
    await one.getByRole('menuitem', { name: 'Save for me' }).click();
    await isTicked('save');
    await follow('mute');
    await one.getByRole('menuitem', { name: 'Why this rank?' }).click();
    await one.getByLabel('Mute for me…').last().selectOption('site');
    await isTicked('mute');
    await follow('flag');
    await one.getByRole('menuitem', { name: 'Report to the moderators' }).click();
    await one.getByLabel('Choose a reason').last().selectOption('spam');
    await isTicked('flag');

    await follow('group');
    const command = one.locator('#command');
    await expect.poll(() => command.locator('#option-article').inputValue()).toBe('Bicycle');
    await command.locator('button.primary').click();
    await isTicked('group');
    await follow('remove');
    await one.getByRole('menuitem', { name: 'Moderate', exact: true }).click();
    await one.locator('discord-button', { hasText: 'Remove' }).last().click();
    // Nothing is ticked before somebody ticks it.
    expect(await one.locator('dialog input[type=checkbox]:checked').count()).toBe(0);
    await one.locator('dialog').getByLabel('Block all links to').check();
    await one.locator('dialog button.primary').click();
    await isTicked('remove');
    await one.getByText('Removed by a moderator.').last().waitFor();
    await one.getByText('are blocked').last().waitFor();
    await one.locator('discord-button', { hasText: 'Undo all of it' }).last().click();
    await one.getByText('The block is lifted.').last().waitFor();
    await follow('words');
    await command.locator('button.primary').click();
    await isTicked('words');
    await follow('digest');

    await follow('recount', 'Cut');
    await other.getByText('Bot offline').waitFor({ state: 'attached' });
    const step = one.locator('[data-step=recount]');
    await step.locator('button.primary', { hasText: 'Show me' }).waitFor();
    const articles = other.locator('discord-message', { has: other.locator('discord-reaction') });
    await articles.last().locator('discord-reaction').nth(1).click();
    await step.getByText('The bot missed that vote').waitFor();
    await step.locator('button.primary', { hasText: 'Give it back' }).waitFor();
    await follow('recount', 'Give it back');
    await step.getByText('will recount').waitFor();
    expect(await step.locator('.how button').count()).toBe(0);
    await isTicked('recount');
    await isTicked('digest', NEXT_MINUTE_MS);
    await one.goto(`${running.sandbox.address}#${frontPage()}`);
    // The address changes at once, the channel in the page a moment later.
    await one.locator('.room-head', { hasText: 'front-page' }).waitFor();
    // The edition of the day before, and this one.
    await one
      .locator('discord-message:not(.ephemeral)', { hasText: 'Daily digest' })
      .nth(1)
      .waitFor();

    await follow('feed', 'Show me');
    await one.locator('.room-head', { hasText: 'rust' }).waitFor();
    const poured = one.locator('discord-message', { hasText: 'This Week in Rust' });
    await poured.locator('discord-reaction').first().click();
    await isTicked('feed');

    await follow('signs');
    await one.locator('#command button.primary:focus').waitFor();
    await one.keyboard.press('Enter');
    await one.locator('discord-button', { hasText: 'More settings' }).last().click();
    await one.locator('select:has(option[value="votes"])').last().selectOption('votes');
    await one.locator('select:has(option[value="both"])').last().selectOption('up');
    await isTicked('signs');

    await follow('check-up');
    // Nothing is to be filled in: the key that ends a form runs it.
    await one.locator('#command button.primary:focus').waitFor();
    await one.keyboard.press('Enter');
    await one.locator('discord-button', { hasText: 'Check-up' }).last().click();
    await isTicked('check-up');
  }, 300_000);

  test('nothing goes wrong on the way through the tour, and no other host is asked', () => {
    expect(running.offences).toEqual([]);
  });
});

/** The admin's tours: nothing happens by itself, so that all is done by one person. */
describe('where the bot has just come, the tour', () => {
  test('where the bot has just come, the tour of an empty server leads its admin from the welcome to the first digest', async () => {
    const running = await startRunningSandbox({ past: 'empty' });
    try {
      const page = await running.visit(WIDE);
      const { step, isDone } = tourOn(page);
      await (await step('set-up')).click();
      await page.locator('discord-button.pointed').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('discord-button', { hasText: /^\s*Begin\s*$/ }).click();
      await isDone('set-up');
      await (await step('post')).click();
      await page.locator('#command button.primary').click();
      await isDone('post');
      // As somebody else, since nobody votes by itself.
      await (await step('vote')).click();
      await page.locator('.actor[aria-checked=true]', { hasText: 'Grace Okafor' }).waitFor();
      await page.locator('discord-reaction.pointed').waitFor();
      await page.keyboard.press('Enter');
      await isDone('vote');
      await isDone('board');
      await (await step('digest')).click();
      await isDone('digest', NEXT_MINUTE_MS);
      expect(running.offences).toEqual([]);
    } finally {
      await running.stop();
    }
  }, 300_000);

  test('where the bot has just come, the tour of a server with a past leads its admin from the welcome to the report of the import', async () => {
    const running = await startRunningSandbox({ past: 'links' });
    try {
      const page = await running.visit(WIDE);
      const { step, isDone } = tourOn(page);
      await (await step('import')).click();
      await page.locator('discord-button.pointed').waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('The best so far').waitFor();
      await page.locator('discord-button', { hasText: /^\s*Begin\s*$/ }).click();
      await isDone('import');
      await isDone('report');
      await page.locator('discord-message', { hasText: 'The best of them' }).waitFor();
      expect(running.offences).toEqual([]);
    } finally {
      await running.stop();
    }
  }, 300_000);
});

function tourOn(page: Page) {
  const place = (name: string) => page.locator(`[data-step=${name}]`);
  return {
    /** The first button of a step, which is open then. */
    step: async (name: string) => {
      const head = place(name).locator('.head');
      if ((await head.getAttribute('aria-expanded')) !== 'true') await head.click();
      return place(name).locator('.how button').first();
    },
    isDone: async (name: string, timeout = PATIENCE_MS): Promise<void> => {
      await page.locator(`[data-step=${name}].done`).waitFor({ state: 'attached', timeout });
    },
  };
}

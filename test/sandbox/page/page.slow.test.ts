import { once } from 'node:events';
import type { Client } from 'discord.js';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../sandbox/tour/sandbox.ts';
import { startPretendBot } from './pretend-bot.ts';
import { openPageBrowser, type PageBrowser, PATIENCE_MS } from './page-browser.ts';

let sandbox: Sandbox;
let bot: Client;
let browser: PageBrowser;
let page: Page;

beforeAll(async () => {
  sandbox = await startSandbox({ rateLimits: false, answerWithinMs: 30_000 });
  bot = await startPretendBot(sandbox);
  browser = await openPageBrowser(sandbox.address);
  page = await browser.visit({ as: grace() });
});
afterAll(async () => {
  await browser.close();
  await bot.destroy();
  await sandbox.stop();
});
/** One page serves all tests, since a load takes seconds where the machine is busy. */
afterEach(async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.keyboard.press('Escape');
  await closeForm();
  await page.locator('#text').fill('');
  await page.locator('#language').selectOption('en-US');
  await actAs('Grace Okafor');
  await page.locator('.channel', { hasText: 'general' }).click();
  await expectSight(page.locator('.room-head h2', { hasText: 'general' }));
});

const grace = (): string => sandbox.members[0] ?? '';
const tomas = (): string => sandbox.members[2] ?? '';
/** Is there within the page's patience. */
async function expectSight(of: Locator): Promise<void> {
  await of.waitFor();
  expect(await of.isVisible()).toBe(true);
}
/** It may close by itself in this moment: by a key, or by an answer. */
async function closeForm(): Promise<void> {
  const form = page.locator('#command');
  const left = async (): Promise<number> => {
    const close = form.locator('.quiet').last();
    if ((await form.count()) > 0) await close.click({ timeout: 1000 }).catch(() => {});
    return form.count();
  };
  await expect.poll(left).toBe(0);
}
/** Chooses a command once the page knows it. */
async function choose(command: string): Promise<void> {
  await type(`/${command}`);
  await expectSight(page.getByRole('option', { name: `/${command}` }));
  await page.keyboard.press('Enter');
  await expectSight(page.locator('#command'));
}
async function actAs(name: string): Promise<void> {
  const person = page.getByRole('radio', { name });
  // A second click on whoever acts opens a menu.
  if ((await person.getAttribute('aria-checked')) !== 'true') await person.click();
}
const lastMessage = () => page.locator('discord-message').last();
const focused = () => page.evaluate('document.activeElement.id');
const field = (name: string) => page.locator(`#option-${name}`);

async function type(text: string): Promise<void> {
  await page.locator('#text').click();
  await page.keyboard.type(text);
}

describe('a command', () => {
  test('a command is chosen and filled in with the keyboard alone, with choices that the bot gives live', async () => {
    await type('/pai');
    await expectSight(page.getByRole('option', { name: '/paint' }));
    await page.keyboard.press('Tab');
    await expect.poll(focused).toBe('option-what');
    await page.keyboard.type('h');
    await expectSight(page.locator('.choices').getByText('a harbour'));
    await page.keyboard.type('a');
    await expect.poll(() => page.locator('.choices button').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('blue');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectSight(lastMessage().getByText('Painted harbour in blue, 1 ×'));
    // Back where one writes.
    await expect.poll(focused).toBe('text');
  });

  test('a command is not sent before its required options are given and its limits are held', async () => {
    await choose('paint');
    await field('what').fill('ab');
    await page.locator('#command button', { hasText: 'optional' }).click();
    await field('times').fill('12');
    await page.locator('#command button.primary').click();
    const wrong = page.locator('#command :invalid');
    const names = () => wrong.evaluateAll((found: any[]) => found.map(({ id }) => id as string));
    await expect.poll(names).toEqual(['option-what', 'option-colour', 'option-times']);
    await field('what').fill('a tree');
    await field('colour').selectOption('green');
    await field('times').fill('3');
    await page.locator('#command button.primary').click();
    await expectSight(lastMessage().getByText('Painted a tree in green, 3 ×'));
  });

  test('a command mentions a channel whose name is typed', async () => {
    await choose('paint');
    await field('what').fill('all of #rust');
    await field('colour').selectOption('green');
    await page.locator('#command button.primary').click();
    await expectSight(lastMessage().locator('discord-mention', { hasText: 'rust' }));
  });

  test('a command takes a file, which the bot can then read', async () => {
    await choose('weigh');
    const buffer = Buffer.from('five 五');
    await field('file').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer });
    await page.locator('#command button.primary').click();
    await expectSight(lastMessage().getByText('a.txt has 8 bytes and says five 五'));
  });

  test('a command on a message opens with a right click, and its answer is for one pair of eyes', async () => {
    const { id } = sandbox.as(tomas()).send(sandbox.channels.general.id, 'Tabs are fine');
    await page.locator(`#message-${id}`).click({ button: 'right' });
    await expectSight(page.getByRole('menuitem', { name: 'Praise' }));
    // Only a moderator may take away what another wrote.
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Praise' }).click();
    await expectSight(lastMessage().getByText('Well said'));
    // It is not typed, so no slash stands before its name.
    await expectSight(lastMessage().getByText('Praise', { exact: true }));
    await expectSight(lastMessage().getByText('Only you can see this'));
    await lastMessage().getByRole('button', { name: 'Dismiss message' }).click();
    await expect.poll(() => page.getByText('Well said').count()).toBe(0);
  });
});

test('a member speaks the language of the browser, where Discord has it', async () => {
  const other = await browser.visit({ as: tomas(), locale: 'de-AT' });
  await expect.poll(() => sandbox.world.users.get(tomas())?.locale).toBe('de');
  await other.context().close();
});

describe('a message', () => {
  beforeEach(async () => {
    await choose('parts');
    await page.locator('#command button.primary').click();
    await expectSight(lastMessage().getByText('September 13, 2020'));
  });

  test('a message that answers a command is in sight to its end', async () => {
    await expect
      .poll(() =>
        page
          .locator('#messages')
          .evaluate((list: any) => list.scrollHeight - list.scrollTop - list.clientHeight),
      )
      .toBeLessThan(2);
  });

  test('a message has files, and markdown as Discord draws it', async () => {
    await expectSight(lastMessage().getByText('notes.txt'));
    // A file that an embed shows stands there alone, and whole.
    expect(await lastMessage().getByText('chart.svg').count()).toBe(0);
    const chart = lastMessage().locator('img[src$="chart.svg"]');
    await expectSight(chart);
    const ratio = async () => {
      const { width = 0, height = 1 } = (await chart.boundingBox()) ?? {};
      return width / height;
    };
    await expect.poll(ratio).toBeCloseTo(900 / 420, 1);
    expect(await lastMessage().locator('.lines strong').textContent()).toContain('parts');
  });

  test('a message has a button that opens a form', async () => {
    await lastMessage().getByRole('button', { name: 'Ask me' }).click();
    expect(await page.getByLabel('Why?').inputValue()).toBe('No reason');
    await page.getByLabel('Why?').fill('Because');
    await page.getByRole('button', { name: 'Submit' }).click();
    await expectSight(lastMessage().getByText('Filled in: Because'));
  });

  test('a message has selects, of one and of several', async () => {
    const parts = lastMessage();
    await parts.getByLabel('one').selectOption('green');
    await expectSight(page.getByText('Chosen: green').last());
    await page.locator('select[multiple]').last().selectOption(['red', 'blue']);
    await page.getByRole('button', { name: 'Choose' }).last().click();
    await expectSight(page.getByText('Chosen: red and blue'));
  });
});

test('reactions are counted live, and one joins and leaves with a click or a key', async () => {
  const { general } = sandbox.channels;
  const { id } = sandbox.as(tomas()).send(general.id, 'Vote!');
  sandbox.as(tomas()).react(general.id, id, '👍');
  const thumb = page.locator(`#message-${id} discord-reaction`);
  await thumb.click();
  await expect.poll(() => thumb.getAttribute('aria-pressed')).toBe('true');
  expect(await thumb.getAttribute('aria-label')).toBe('👍 2 reactions');
  await page.keyboard.press('Enter');
  await expect.poll(() => thumb.getAttribute('aria-label')).toBe('👍 1 reaction');
});

test('an emoji of the server is a picture in a text and as a reaction, which one joins with a click', async () => {
  const { general } = sandbox.channels;
  const emoji = sandbox.operator.addEmoji({ name: 'spark' });
  const { id } = sandbox.as(tomas()).send(general.id, `Vote <:spark:${emoji}>`);
  sandbox.as(tomas()).react(general.id, id, `spark:${emoji}`);
  const shown = page.locator(`#message-${id}`);
  await shown.locator('img.emoji[alt=":spark:"]').waitFor();
  await shown.locator('discord-reaction').click();
  const { normal } = sandbox.world.channels
    .get(general.id)!
    .messages.get(id)!
    .reactions.get(emoji)!;
  await expect.poll(() => normal.size).toBe(2);
});

test('what happens while the page reads is not lost in an answer that is older', async () => {
  const { rust } = sandbox.channels;
  const readings = ['/sandbox/community', `/messages?channel=${rust.id}`];
  const held = new Set<string>();
  const release = new AbortController();
  for (const end of readings) {
    await page.route(
      (url) => url.href.endsWith(end),
      async (route) => {
        // Answered now and heard later, as on a slow machine. What the page reads again passes.
        const response = await route.fetch();
        held.add(end);
        if (!release.signal.aborted) await once(release.signal, 'abort');
        await route.fulfill({ response });
      },
    );
  }
  const answered = readings.map(async (end) => {
    await (await page.waitForResponse((response) => response.url().endsWith(end))).finished();
  });
  // A role comes, for which the page reads the community, and it opens a channel.
  sandbox.operator.addRole({ name: 'Painters' });
  await open(rust.id);
  await expect.poll(() => held.size).toBe(readings.length);
  await sandbox.trouble.set({ gateway: 'cut' });
  const { id } = sandbox.as(tomas()).send(rust.id, 'Said while the page reads');
  release.abort();
  await Promise.all(answered);
  sandbox.as(tomas()).send(rust.id, 'Said afterwards');
  await expectSight(lastMessage().getByText('Said afterwards'));
  expect(await page.locator(`#message-${id}`).count()).toBe(1);
  expect(await page.getByText('Bot offline').count()).toBe(1);
  await sandbox.trouble.set({ gateway: 'open' });
  await expectSight(page.getByText('Bot online'));
});

/** Holds the answers to a verb until they are let go, and counts them. */
async function hold(verb: string) {
  const held: (() => void)[] = [];
  await page.route(`**/sandbox/as/*/${verb}`, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  return {
    count: () => held.length,
    letGo: async () => {
      for (const go of held) go();
      await page.unrouteAll({ behavior: 'wait' });
    },
  };
}
async function fillPaint(what: string): Promise<void> {
  await choose('paint');
  await field('what').fill(what);
  await field('colour').selectOption('green');
}

describe('an answer on its way', () => {
  test('a command that is run twice before it is answered is run once', async () => {
    await fillPaint('a bridge');
    const commands = await hold('command');
    const runs = page.locator('#command button.primary');
    await runs.dblclick();
    await expectSight(page.getByText('Waiting for the bot…'));
    await expect.poll(commands.count).toBe(1);
    await runs.click();
    expect(commands.count()).toBe(1);
    await commands.letGo();
    await expectSight(lastMessage().getByText('Painted a bridge in green'));
    await expect.poll(() => page.getByText('Waiting for the bot…').count()).toBe(0);
  });

  test('an answer closes the form that it was for, and none that was opened since', async () => {
    await fillPaint('a well');
    const commands = await hold('command');
    await page.locator('#command button.primary').click();
    await page.keyboard.press('Escape');
    await choose('weigh');
    await expect.poll(commands.count).toBe(1);
    await commands.letGo();
    await expectSight(lastMessage().getByText('Painted a well in green'));
    expect(await field('file').count()).toBe(1);
  });

  test('a message is sent once by two keystrokes, and what is typed meanwhile stays', async () => {
    const messages = await hold('send');
    await type('Said once');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('and then');
    await expect.poll(messages.count).toBe(1);
    await messages.letGo();
    await expectSight(lastMessage().getByText('Said once'));
    expect(await page.locator('#text').inputValue()).toBe('and then');
    expect(messages.count()).toBe(1);
  });

  test('a form that the bot opens for a member is not shown to another', async () => {
    await choose('parts');
    await page.locator('#command button.primary').click();
    const asking = lastMessage().getByRole('button', { name: 'Ask me' });
    await expectSight(asking);
    const presses = await hold('press');
    await asking.click();
    await expect.poll(presses.count).toBe(1);
    await actAs('Tomás Rivera');
    const answer = page.waitForResponse((response) => response.url().endsWith('/press'));
    await presses.letGo();
    await (await answer).finished();
    await choose('paint');
    expect(await page.locator('#dialog').isVisible()).toBe(false);
  });
});

test('a page whose stream is refused finds out who is there, and listens again', async () => {
  let refusals = 0;
  await page.routeWebSocket('**/sandbox/as/*/events', async (socket) => {
    refusals += 1;
    if (refusals === 1) await socket.close();
    else socket.connectToServer();
  });
  await actAs('Tomás Rivera');
  await expect.poll(() => refusals).toBeGreaterThan(1);
  const { id } = sandbox.as(grace()).send(sandbox.channels.general.id, 'Is anybody here?');
  await expectSight(page.locator(`#message-${id}`));
});

test('more windows than the six connections that a browser keeps to one address all follow', async () => {
  const { rust } = sandbox.channels;
  // Beside the page of all tests.
  const others = await Promise.all(Array.from({ length: 6 }, () => page.context().newPage()));
  try {
    await open(rust.id);
    await Promise.all(others.map((one) => one.goto(`${sandbox.address}/#${rust.id}`)));
    for (const one of others) {
      one.setDefaultTimeout(PATIENCE_MS);
      await expectSight(one.locator('.room-head h2', { hasText: 'rust' }));
    }
    await others[0]?.locator('#text').fill('To every window');
    await others[0]?.locator('#text').press('Enter');
    await Promise.all(
      [page, ...others].map((one) => expectSight(one.getByText('To every window'))),
    );
  } finally {
    await Promise.all(others.map((one) => one.close()));
  }
});

test('what is typed before a channel is open stays in the field', async () => {
  const early = await page.context().newPage();
  early.setDefaultTimeout(PATIENCE_MS);
  try {
    const held: (() => void)[] = [];
    await early.route('**/sandbox/as/*/channels', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await early.goto(sandbox.address);
    await early.locator('#text').fill('Good morning');
    await early.locator('#text').press('Enter');
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await early.unrouteAll({ behavior: 'ignoreErrors' });
    for (const go of held) go();
    await expectSight(early.locator('.room-head h2', { hasText: '#' }));
    expect(await early.locator('#text').inputValue()).toBe('Good morning');
  } finally {
    await early.close();
  }
});

test('what is typed in a channel, or as a member, waits there for a return', async () => {
  const text = page.locator('#text');
  const goTo = async (name: string): Promise<void> => {
    await page.locator('.channel', { hasText: name }).click();
    await expectSight(page.locator('.room-head h2', { hasText: name }));
  };
  await text.fill('A half thought');
  await goTo('rust');
  await expect.poll(() => text.inputValue()).toBe('');
  await goTo('general');
  await expect.poll(() => text.inputValue()).toBe('A half thought');
  await actAs('Tomás Rivera');
  await expect.poll(() => text.inputValue()).toBe('');
  await actAs('Grace Okafor');
  await expect.poll(() => text.inputValue()).toBe('A half thought');
});

test('a link to a message leads there', async () => {
  const { rust, general } = sandbox.channels;
  const { id } = sandbox.as(tomas()).send(rust.id, 'Nobody in particular');
  const link = `https://discord.com/channels/${sandbox.guildId}/${rust.id}/${id}`;
  sandbox.as(tomas()).send(general.id, link);
  await lastMessage().locator('a.jump').click();
  await expectSight(page.locator(`#message-${id}.target`));
});

test('one acts as somebody else with one click, and in another language with a choice', async () => {
  const { moderators } = sandbox.channels;
  expect(await page.getByRole('button', { name: `# ${moderators.name}` }).count()).toBe(0);
  await actAs('Ada Moreau (admin)');
  await expectSight(page.getByRole('button', { name: `# ${moderators.name}` }));
  await page.locator('#language').selectOption('zh-CN');
  await expectSight(page.getByText('管理员', { exact: true }));
  await type('/绘');
  await expectSight(page.getByRole('option', { name: '/绘画' }));
});

test('in a narrow window one chooses by name whom to act as', async () => {
  const narrow = await browser.visit({ as: grace(), width: 390 });
  const people = narrow.getByRole('radio');
  expect(await people.allInnerTexts()).toEqual([expect.stringContaining('Grace Okafor')]);
  const { width } = (await people.boundingBox())!;
  expect(width).toBeGreaterThan(100);
  await people.click();
  await narrow.getByRole('menuitem', { name: 'Tomás Rivera' }).click();
  await expectSight(narrow.getByRole('radio', { name: 'Tomás Rivera' }));
  expect(await narrow.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await narrow.context().close();
});

describe('the keyboard', () => {
  test('the keyboard reaches the message field by the first link of the page', async () => {
    // Nothing has the focus yet.
    await page.reload();
    const skip = page.getByRole('link', { name: 'Skip to the message field' });
    await skip.waitFor({ state: 'attached' });
    expect((await skip.boundingBox())!.y).toBeLessThan(0);
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await skip.boundingBox())!.y).toBe(0);
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('text');
  });

  test('the keyboard begins a command with a slash from anywhere, but writes it where one writes', async () => {
    await page.locator('.channel', { hasText: 'general' }).focus();
    await page.keyboard.press('/');
    await expect.poll(focused).toBe('text');
    await expectSight(page.getByRole('option', { name: '/paint' }));
    expect(await page.locator('#text').inputValue()).toBe('/');
    await page.keyboard.type('paint');
    await page.keyboard.press('Enter');
    await field('what').fill('this');
    await page.keyboard.press('/');
    expect(await field('what').inputValue()).toBe('this/');
  });
});

test('a thread is begun at a message, is talked in, and is counted under it', async () => {
  const { general } = sandbox.channels;
  const { id } = sandbox.as(tomas()).send(general.id, 'Which editor?');
  const message = page.locator(`#message-${id}`);
  await message.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Start a thread' }).click();
  await page.getByLabel('Name of the thread').fill('Editors');
  await page.getByRole('button', { name: 'Submit' }).click();
  await message.locator('.thread-link').click();
  await expectSight(page.locator('.room-head h2', { hasText: 'Editors' }));
  // It shows the message from which it began.
  await expectSight(page.locator('#messages').getByText('Which editor?'));
  await type('The one with tabs');
  await page.keyboard.press('Enter');
  await expectSight(lastMessage().getByText('The one with tabs'));
  await expectSight(page.locator('.channel.thread', { hasText: 'Editors' }));
  await page.locator('.room-head .parent').click();
  await expectSight(message.locator('.thread-link', { hasText: '1 message' }));
});

const open = (hash: string) =>
  page.evaluate((to) => Object.assign((globalThis as any).location, { hash: to }), hash);

describe('a channel of 200 messages', () => {
  const COUNT = 200;
  let ids: string[];
  beforeAll(() => {
    const { rust } = sandbox.channels;
    const post = (_: unknown, at: number) =>
      sandbox.as(tomas()).send(rust.id, `Number ${at + 1}: https://ciechanow.ski/bicycle/`).id;
    ids = Array.from({ length: COUNT }, post);
  });
  const isInSight = (n: number): Promise<boolean> =>
    page.locator(`#message-${ids[n - 1]}`).evaluateAll((found: any[]) =>
      found.some((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        const list = element.closest('#messages').getBoundingClientRect();
        return bottom > list.top && top < list.bottom;
      }),
    );
  const linkTo = (n: number): string =>
    `https://discord.com/channels/${sandbox.guildId}/${sandbox.channels.rust.id}/${ids[n - 1]}`;
  const inSight = (n: number) => expect.poll(() => isInSight(n)).toBe(true);

  test('a channel of 200 messages opens at its end, and is read up to its first', async () => {
    await open(sandbox.channels.rust.id);
    await inSight(COUNT);
    await page.locator('#messages').hover();
    await page.mouse.wheel(0, -1_000_000);
    await inSight(1);
    sandbox.as(tomas()).send(sandbox.channels.rust.id, 'One more');
    await expectSight(lastMessage().getByText('One more'));
    expect(await isInSight(1)).toBe(true);
  });

  test('a channel of 200 messages opens at a message in the middle', async () => {
    await open(`${sandbox.channels.rust.id}/${ids[99]}`);
    await inSight(100);
    await expectSight(page.locator(`#message-${ids[99]}.target`));
    // Somebody else sees the same place.
    await actAs('Tomás Rivera');
    const { id } = sandbox.as(grace()).send(sandbox.channels.rust.id, linkTo(100));
    await page.locator(`#message-${id}`).waitFor({ state: 'attached' });
    expect(await isInSight(100)).toBe(true);
    // The address names the message already.
    await page.locator('#messages').hover();
    await page.mouse.wheel(0, 1_000_000);
    await page.locator(`#message-${id} a.jump`).click();
    await inSight(100);
  });
});

test('nothing went wrong on the way, and no other host was asked', () => {
  expect(browser.offences).toEqual([]);
});

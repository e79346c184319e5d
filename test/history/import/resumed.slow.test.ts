import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Phase, readImport } from '../../../src/history/import/stored-imports.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { readArticles } from '../../../src/ranking/articles/articles.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';
import { runFrontpage } from '../../fixtures/bot-process.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { isWhole } from '../../fixtures/sample.ts';

let history: ImportScene;
let rust: string;
let linus: string;

beforeEach(async () => {
  history = await startImportScene();
  rust = history.sandbox.channels.rust.id;
  linus = history.sandbox.members[1] ?? '';
});
afterEach(() => history.stop());

/** Links with a vote each, and some of them twice. */
function tell(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const id = history.say(rust, {
      content: `https://many.example/${n}`,
      daysAgo: 400 - n,
      up: [linus],
    });
    if (n % 10 === 0) history.say(rust, { content: `https://many.example/${n}`, daysAgo: 20 });
    return id;
  });
}

/** Each list of reactions takes a moment. */
function slowly(delayMs = 20): () => void {
  return history.sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs });
}

/** Each page of messages takes a moment. */
function slowPages(delayMs = 400): () => void {
  return history.sandbox.faults.add({ method: 'GET', route: /messages$/, delayMs });
}

async function imported(): Promise<string[]> {
  const { guildId } = history.sandbox;
  const { ranking } = history.bot;
  const page = { guild: guildId, order: 'time-asc', page: 1, pageSize: 1000 } as const;
  return (await listArticles(ranking, page)).articles.map(({ id }) => id);
}

const state = () => readImport(history.bot.store, history.sandbox.guildId);
const isOver = async (phase: Phase = 'finished') => {
  await history.phase(phase);
  await history.counted();
};

async function expectWhole(ids: string[]): Promise<void> {
  expect(await imported()).toEqual(ids);
  const { ranking, store } = history.bot;
  const articles = await readArticles(ranking, history.sandbox.guildId, ids);
  expect(articles.filter((one) => one?.up !== 2 || !one.closed)).toEqual([]);
  const { counts } = (await state())!;
  const messages = ids.length + Math.ceil(ids.length / 10);
  // A process that dies in the middle of a page is followed by one that counts the page once.
  expect(counts).toMatchObject({ messages, linked: messages, known: 0, duplicate: 0, removed: 0 });
  const keys = storeKeys(store, history.sandbox.guildId);
  expect(await store.redis.scard(keys.imported)).toBe(ids.length);
  expect(await store.redis.scard(keys.importMade)).toBe(ids.length);
}

// Withstands (Processes that die): It dies in an import
// → another ends it, once
test('a bot that is killed in the middle of an import is followed by one that ends it, once', async () => {
  const ids = tell(330);
  const { sandbox, redis } = history;
  await history.bot.stop();
  const mortal = runFrontpage({
    DISCORD_TOKEN: sandbox.token,
    DISCORD_API_BASE: sandbox.apiBase,
    REDIS_URL: redis.url,
    DATA_DIR: tmpdir(),
    MESSAGE_CONTENT: 'on',
  });
  await mortal.isOn();
  slowPages();
  slowly();
  const answer = await history.ask(rust);
  await history.press(answer, 'begin');
  await history.eventually(imported, ({ length }) => length > 130, 'half imported');
  await mortal.end('SIGKILL');
  const half = (await imported()).length;
  expect(half).toBeLessThan(330);
  // The lease of the dead runs out.
  history.clock.move(31_000);
  await history.restartBot();
  await history.bot.due.arrive(history.sandbox.guildId);
  await isOver();
  await expectWhole(ids);
});

test('an import goes on after a restart, and two processes do it once', async () => {
  const ids = tell(330);
  slowPages();
  slowly();
  await history.press(await history.ask(rust), 'begin');
  await history.eventually(imported, ({ length }) => length > 20, 'begun');
  await history.restartBot();
  expect((await imported()).length).toBeLessThan(330);
  const first = history.bot;
  await history.joinBot();
  await Promise.all([first, history.bot].map(({ due }) => due.arrive(history.sandbox.guildId)));
  await isOver();
  await expectWhole(ids);
  await first.stop();
});

test.runIf(isWhole)(
  'an import that is stopped keeps what came in, and another adds the rest',
  async () => {
    const ids = tell(330);
    const quickly = slowPages();
    const answer = await history.ask(rust);
    await history.press(answer, 'begin');
    await history.eventually(imported, ({ length }) => length > 20, 'begun');
    await history.control('stop');
    quickly();
    await isOver('stopped');
    const came = (await imported()).length;
    const stopped = translate('en', 'import.stopped', { articles: came, messages: 0 });
    expect(history.told().content).toContain(stopped.split('\n')[0]);
    expect(came).toBeLessThan(330);
    await history.bot.due.arrive(history.sandbox.guildId);
    const report = await history.importAll(rust);
    expect(report).toContain('that are already articles');
    expect(await imported()).toEqual(ids);
  },
);

test('an import that is paused goes on only when somebody resumes it', async () => {
  const ids = tell(330);
  const quickly = slowPages();
  await history.press(await history.ask(rust), 'begin');
  await history.eventually(imported, ({ length }) => length > 20, 'begun');
  await history.control('pause');
  quickly();
  await history.eventually(
    () => history.told(),
    ({ buttons }) => buttons.includes('frontpage|import|resume'),
    'paused',
  );
  await history.restartBot();
  await history.bot.due.arrive(history.sandbox.guildId);
  const came = await imported();
  expect(came.length).toBeLessThan(330);
  expect(await state()).toMatchObject({ phase: 'paused' });
  await history.control('resume');
  await isOver();
  await expectWhole(ids);
});

test.runIf(isWhole)('an import is undone within a day, and leaves nothing', async () => {
  const ids = tell(130);
  const before = await history.dump();
  await history.importAll(rust);
  await history.counted();
  expect(await imported()).toEqual(ids);
  await history.control('undo');
  await history.phase('undone');
  expect(await imported()).toEqual([]);
  expect(await history.dump()).toEqual({
    ...before,
    import: expect.anything(),
    // Mark and span are fitted as they would be without the import.
    articles: { mark: '3', span: '7' },
  });
  expect(history.told().content).toContain('The import was undone');
  await history.importAll(rust);
  expect(await imported()).toEqual(ids);
  history.clock.move(86_400_000);
  const late = await history.control('undo');
  expect(late.message?.content).toContain('for a day');
  expect(await imported()).toEqual(ids);
});

test('an import waits while Frontpage may not read the channel, and goes on when it may', async () => {
  const ids = tell(330);
  slowPages();
  const { operator } = history.sandbox;
  await history.press(await history.ask(rust), 'begin');
  await history.eventually(imported, ({ length }) => length > 20, 'begun');
  operator.setPermissions({ channel: rust, who: 'bot', deny: ['ReadMessageHistory'] });
  await history.eventually(
    () => history.told(),
    ({ content }) => content.includes('Waiting: Frontpage can’t read'),
    'told',
  );
  expect(await state()).toMatchObject({ phase: 'running' });
  operator.setPermissions({ channel: rust, who: 'bot' });
  await history.finish();
  await expectWhole(ids);
});

test('a thread, or a list of threads, that Discord refuses is named and stops nothing', async () => {
  const { sandbox } = history;
  const thread = sandbox.as(sandbox.admin).startThread(rust, 'Kept apart');
  history.say(thread.id, { content: 'https://many.example/thread' });
  const ids = tell(20);
  const end = sandbox.faults.add({
    method: 'GET',
    path: new RegExp(`${thread.id}/messages$|${rust}/threads/archived`),
    status: 403,
  });
  const report = await history.importAll(rust);
  expect(report).toContain(`Couldn’t read threads of <#${rust}>`);
  expect(report).toContain('If permissions are missing there, allow them');
  end();
  expect(await imported()).toEqual(ids);
  expect((await state())?.unread.toSorted()).toEqual(
    [`${rust}/threads`, `${rust}/${thread.id}`].toSorted(),
  );
});

test('a message that is deleted while its page is taken in leaves no article', async () => {
  const ids = tell(60);
  const unvoted = history.say(rust, { content: 'https://many.example/unvoted', daysAgo: 30 });
  const { sandbox } = history;
  slowly(10);
  await history.press(await history.ask(rust), 'begin');
  await history.eventually(imported, ({ length }) => length > 5, 'begun');
  // Of the one the reactions cannot be read any more; the other has none.
  for (const id of [ids.at(-1) ?? '', unvoted]) {
    sandbox.operator.deleteMessages({ channel: rust, messages: [id] });
  }
  await isOver();
  expect(await imported()).toEqual(ids.slice(0, -1));
});

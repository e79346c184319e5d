import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { continueImports } from '../../../src/history/import/import.ts';
import { readImport } from '../../../src/history/import/stored-imports.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { readArticles } from '../../../src/ranking/articles/articles.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';
import { runFrontpage } from '../../fixtures/bot-process.ts';

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

async function imported(): Promise<string[]> {
  const { guildId } = history.sandbox;
  const { ranking } = history.bot.app;
  const page = { guild: guildId, order: 'time-asc', page: 1, pageSize: 1000 } as const;
  return (await listArticles(ranking, page)).articles.map(({ id }) => id);
}

const state = () => readImport(history.bot.app.store, history.sandbox.guildId);
const isOver = async (phase = 'finished') =>
  history.eventually(state, (found) => found?.phase === phase, phase);

async function expectWhole(ids: string[]): Promise<void> {
  expect(await imported()).toEqual(ids);
  const { ranking, store } = history.bot.app;
  const articles = await readArticles(ranking, history.sandbox.guildId, ids);
  expect(articles.filter((one) => one?.up !== 2 || !one.closed)).toEqual([]);
  const { counts } = (await state())!;
  const repeated = Math.ceil(ids.length / 10);
  const messages = ids.length + repeated;
  expect(counts).toMatchObject({ messages, duplicate: repeated });
  // A process can die between an article and the note of it.
  expect(counts.imported + counts.known).toBe(ids.length);
  expect(counts.known).toBeLessThan(2);
  const keys = storeKeys(store, history.sandbox.guildId);
  expect(await store.redis.scard(keys.imported)).toBe(ids.length);
}

test('a bot that is killed in the middle of an import is followed by one that ends it, once', async () => {
  const ids = tell(130);
  const { sandbox, redis } = history;
  await history.bot.stop();
  const mortal = runFrontpage({
    DISCORD_TOKEN: sandbox.token,
    DISCORD_API_BASE: sandbox.apiBase,
    REDIS_URL: redis.url,
    DATA_DIR: tmpdir(),
    MESSAGE_CONTENT: 'on',
  });
  await sandbox.until(
    () => [...sandbox.gateway.sessions.values()].some(({ socket }) => socket !== null) || undefined,
    'the bot',
  );
  slowly();
  const answer = await history.ask(rust);
  void history.press(answer, 'go').catch(() => {});
  await history.eventually(imported, ({ length }) => length > 30, 'half imported');
  await mortal.end('SIGKILL');
  const half = (await imported()).length;
  expect(half).toBeLessThan(100);
  // The lease of the dead runs out.
  history.clock.move(31_000);
  await history.restartBot();
  await continueImports(history.bot.app);
  await isOver();
  await expectWhole(ids);
});

test('an import goes on after a restart, and two processes do it once', async () => {
  const ids = tell(130);
  slowly();
  await history.press(await history.ask(rust), 'go');
  await history.eventually(imported, ({ length }) => length > 20, 'begun');
  await history.restartBot();
  expect((await imported()).length).toBeLessThan(130);
  const first = history.bot;
  await history.joinBot();
  await Promise.all([continueImports(first.app), continueImports(history.bot.app)]);
  await isOver();
  await expectWhole(ids);
  await first.stop();
});

test('an import that is cancelled keeps what came in, and another adds the rest', async () => {
  const ids = tell(230);
  const quickly = slowly(5);
  const answer = await history.ask(rust);
  await history.press(answer, 'go');
  await history.eventually(imported, ({ length }) => length > 20, 'begun');
  const pressed = await history.press(answer, 'cancel');
  expect(pressed.kind).toBe('update');
  quickly();
  await isOver('cancelled');
  const { store } = history.bot.app;
  const lease = storeKeys(store, history.sandbox.guildId).lease('import');
  await history.eventually(
    () => store.redis.exists(lease),
    (count) => count === 0,
    'over',
  );
  const came = (await imported()).length;
  await history.eventually(
    () => history.shown(answer).content,
    (content) => content.includes(`. ${came} articles came in and stay;`),
    'told',
  );
  expect(came).toBeLessThan(230);
  await continueImports(history.bot.app);
  const report = await history.importAll(rust);
  expect(report).toContain(`- ${came} that are already articles`);
  expect(await imported()).toEqual(ids);
});

test('an import waits while Frontpage may not read the channel, and goes on when it may', async () => {
  const ids = tell(130);
  slowly(5);
  const { operator } = history.sandbox;
  const answer = await history.ask(rust);
  await history.press(answer, 'go');
  await history.eventually(imported, ({ length }) => length > 20, 'begun');
  operator.setPermissions({ channel: rust, who: 'bot', deny: ['ReadMessageHistory'] });
  await history.eventually(
    () => history.shown(answer).content,
    (content) => content.includes('so the import is waiting'),
    'told',
  );
  expect(await state()).toMatchObject({ phase: 'running' });
  operator.setPermissions({ channel: rust, who: 'bot' });
  await history.eventually(
    async () => {
      await continueImports(history.bot.app);
      return state();
    },
    (found) => found?.phase === 'finished',
    'finished',
  );
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
  await history.press(await history.ask(rust), 'go');
  await history.eventually(imported, ({ length }) => length > 5, 'begun');
  // Of the one the reactions cannot be read any more; the other has none.
  for (const id of [ids.at(-1) ?? '', unvoted]) {
    sandbox.operator.deleteMessages({ channel: rust, messages: [id] });
  }
  await isOver();
  expect(await imported()).toEqual(ids.slice(0, -1));
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change } from '../../../src/history/import/import-needs.ts';
import { type Phase, setPhase } from '../../../src/history/import/stored-imports.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';

let history: ImportScene;
let rust: string;
let link: string;
let stored: Record<string, string>;
beforeAll(async () => {
  history = await startImportScene();
  rust = history.sandbox.channels.rust.id;
  link = history.say(rust, { content: 'https://phases.example/' });
  await history.importAll(rust);
  await history.counted();
  stored = await history.redis.redis.hgetall(key());
});
afterAll(() => history.stop());

const key = () => storeKeys(history.bot.store, history.sandbox.guildId).import;
const guild = () => history.bot.client.guilds.cache.get(history.sandbox.guildId)!;

/** The import as it was after its end, but in this phase. */
async function putInto(phase: Phase): Promise<void> {
  await history.redis.redis.del(key());
  await history.redis.redis.hset(key(), { ...stored, phase });
}

/** From which phases somebody can do it, and in which phase it ends. */
const CHANGES: Record<Change, { from: readonly Phase[]; end: Phase }> = {
  pause: { from: ['running'], end: 'paused' },
  resume: { from: ['paused'], end: 'finished' },
  stop: { from: ['running', 'paused'], end: 'stopped' },
  undo: { from: ['finished', 'stopped'], end: 'undone' },
};
const changes = Object.keys(CHANGES) as Change[];
const possible = changes.flatMap((change) =>
  CHANGES[change].from.map((phase) => ({ phase, change })),
);
test.each(possible)(
  'to $change an import that is $phase succeeds, and is refused the second time',
  async ({ phase, change }) => {
    const { end } = CHANGES[change];
    await putInto(phase);
    expect((await history.bot.imports.change(guild(), change)).status).toBe('changed');
    await history.phase(end);
    expect((await history.bot.imports.change(guild(), change)).status).toBe('stale');
    // For the next case.
    if (end === 'undone') await history.importAll(rust);
    await history.counted();
  },
);

test.each([
  ['running', 'finished'],
  ['stopping', 'stopped'],
  ['undoing', 'undone'],
  ['paused', 'paused'],
] as const)(
  'an import that was %s when the process ended is %s after the next start',
  async (phase, end) => {
    await putInto(phase);
    await history.restartBot();
    await history.bot.due.arrive(history.sandbox.guildId);
    await history.phase(end);
    expect((await history.article(link)) === null).toBe(end === 'undone');
    if (end === 'undone') await history.importAll(rust);
  },
);

test('an import that an admin begins while the report of an undone one is being edited runs at once', async () => {
  await putInto('finished');
  const slow = history.sandbox.faults.add({
    method: 'PATCH',
    route: /messages\/:message$/,
    delayMs: 400,
  });
  expect((await history.bot.imports.change(guild(), 'undo')).status).toBe('changed');
  await history.phase('undone');
  const plan = (await history.bot.imports.read(history.sandbox.guildId))!.plan;
  const begun = { plan, by: history.sandbox.admin, channel: rust };
  expect((await history.bot.imports.begin(guild(), begun)).status).toBe('begun');
  slow();
  await history.phase('finished');
  await history.counted();
});

test('an import that is resumed while its report is being edited to say that it is paused goes on at once', async () => {
  const { sandbox, bot } = history;
  const { imports } = bot;
  await putInto('running');
  const { report } = (await imports.read(sandbox.guildId))!;
  const showsResume = () =>
    [...sandbox.world.channels.get(report.channel)!.messages.values()].some(({ components }) =>
      JSON.stringify(components).includes('frontpage|import|resume'),
    );
  const walks = () => sandbox.requests.count('GET', /threads\/active$/);
  const before = walks();
  // It is paused while it reads, and its report shows that a while before Discord answers.
  const slow = sandbox.faults.add({ method: 'GET', route: /threads\/archived/, delayMs: 500 });
  const late = sandbox.faults.add({ method: 'PATCH', route: /messages\/:message$/, lagMs: 1500 });
  await bot.due.arrive(sandbox.guildId);
  await history.eventually(walks, (count) => count > before, 'under way');
  expect((await imports.change(guild(), 'pause')).status).toBe('changed');
  await history.eventually(showsResume, (isShown) => isShown, 'shown as paused');
  expect((await imports.change(guild(), 'resume')).status).toBe('changed');
  slow();
  late();
  await history.phase('finished');
  expect(await history.article(link)).not.toBeNull();
  await history.counted();
});

test('of many presses at once one changes the phase, and none undoes the end of the import', async () => {
  const { store } = history.bot;
  const id = history.sandbox.guildId;
  for (let round = 0; round < 5; round += 1) {
    await putInto('running');
    const presses = Array.from({ length: 50 }, (_, n) =>
      n === 25
        ? setPhase(store, id, ['running', 'paused', 'stopping'], 'finished')
        : setPhase(store, id, ['running'], 'paused'),
    );
    const outcomes = await Promise.all(presses);
    const changed = outcomes.filter(({ status }) => status === 'changed').length;
    expect(changed).toBe(2);
    expect(await history.redis.redis.hget(key(), 'phase')).toBe('finished');
  }
});

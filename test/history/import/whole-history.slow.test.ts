import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { seededRandom } from '../../../discord-box/src/index.ts';
import { readArticles } from '../../../src/ranking/articles/articles.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { compareIds } from '../../../src/runtime/snowflake.ts';
import { runFrontpage, type Run } from '../../fixtures/bot-process.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';
import { isWhole } from '../../fixtures/sample.ts';

let history: ImportScene;
afterEach(() => history.stop());

/** `IMPORT_SEED` plays a world again; `IMPORT_MESSAGES` makes a larger one. */
const SEED = Number(process.env['IMPORT_SEED'] ?? 31_282);
const MESSAGES = Number(process.env['IMPORT_MESSAGES'] ?? 600);

type Said = { id: string; channel: string; link: string | null; up: string[]; down: string[] };

/** Messages of a year in all channels that everyone sees, some in threads: with links, repeated and not. */
function tellAll(random: ReturnType<typeof seededRandom>): Said[] {
  const { sandbox } = history;
  const { general, rust, ai, gameDev, lateNight } = sandbox.channels;
  const channels = [general, rust, ai, gameDev].map(({ id }) => id);
  const threads = channels.map((id) => sandbox.as(sandbox.admin).startThread(id, `About ${id}`).id);
  const everyone = [sandbox.admin, sandbox.moderator, ...sandbox.members];
  const robot = sandbox.world.application.botId;
  expect(lateNight).toBeDefined();
  return Array.from({ length: MESSAGES }, (_, n): Said => {
    const channel = random.pick(random.next() < 0.9 ? channels : threads);
    const poster = random.pick(everyone);
    const kind = random.next();
    const link =
      kind < 0.45
        ? `https://pages.example/${n}`
        : kind < 0.6
          ? `https://again.example/${random.below(40)}`
          : null;
    const chosen = (share: number) => everyone.filter(() => random.next() < share);
    const isLoved = random.next() < 0.2;
    const up = isLoved ? chosen(0.4) : [];
    const down = isLoved ? chosen(0.1) : [];
    const shown = random.next() < 0.1 ? [...up, robot] : up;
    const content =
      link ?? random.pick(['Good morning', '`https://code.example/x`', 'http://10.0.0.1/', 'ok']);
    const daysAgo = 0.1 + random.next() * 380;
    const id = history.say(channel, { content, daysAgo, by: poster, up: shown, down });
    const counts = (member: string) => member !== poster && member !== robot;
    return {
      id,
      channel,
      link,
      up: up.filter((member) => counts(member) && !down.includes(member)),
      down: down.filter((member) => counts(member) && !up.includes(member)),
    };
  });
}

/** What is right: the first message of each link of the span, with the members who show one reaction. */
function rightly(said: readonly Said[], fromMs: number): string[] {
  const first = new Map<string, Said>();
  const within = said.filter(({ id }) => Number(BigInt(id) >> 22n) + 1_420_070_400_000 >= fromMs);
  for (const one of within.toSorted((a, b) => compareIds(a.id, b.id))) {
    if (one.link !== null && !first.has(one.link)) first.set(one.link, one);
  }
  return [...first.values()]
    .map(({ id, link, up, down }) => `${id} ${link} ${1 + up.length} ${down.length}`)
    .sort();
}

async function present(): Promise<string[]> {
  const { ranking } = history.bot;
  const guild = history.sandbox.guildId;
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const list = { guild, order: 'time', page, pageSize: 500 } as const;
    const { articles } = await listArticles(ranking, list);
    if (articles.length === 0) break;
    const ids = articles.map(({ id }) => id);
    for (const one of await readArticles(ranking, guild, ids)) {
      if (one) found.push(`${one.id} ${one.link} ${one.up} ${one.down}`);
    }
  }
  return found.sort();
}

test.runIf(isWhole)(
  `a year of all channels comes as it is, whatever dies in between (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    history = await startImportScene(false);
    const said = tellAll(random);
    const { sandbox, redis } = history;
    await history.press(await history.askAll(), 'begin');
    const { plan } = (await history.bot.imports.read(sandbox.guildId))!;
    // Discord refuses, delays and cuts at random.
    for (const [status, chance] of [
      [429, 0.03],
      [500, 0.03],
    ] as const) {
      sandbox.faults.add({ method: 'GET', route: /messages|reactions/, status, chance });
    }
    sandbox.faults.add({ method: 'GET', route: /messages|reactions/, cut: true, chance: 0.02 });
    sandbox.faults.add({ method: 'GET', route: /messages$/, delayMs: 150 });
    await history.bot.stop();
    const env = {
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_BASE: sandbox.apiBase,
      REDIS_URL: redis.url,
      DATA_DIR: tmpdir(),
      MESSAGE_CONTENT: 'on',
    };
    for (let kills = 0; kills < 3; kills += 1) {
      const mortal: Run = runFrontpage(env);
      const before = (await present()).length;
      await history.eventually(
        async () => (await present()).length,
        (count) => count > before + 20 || kills === 2,
        'further',
      );
      await new Promise((resolve) => setTimeout(resolve, random.below(1500)));
      await mortal.end('SIGKILL');
      history.clock.move(31_000);
    }
    await history.restartBot();
    await history.finish();
    await history.eventually(
      async () => {
        await history.bot.due.arrive(history.sandbox.guildId);
        return history.waiting();
      },
      (waiting) => waiting === 0,
      'counted',
    );
    expect(await present()).toEqual(rightly(said, plan.fromMs));
  },
  300_000,
);

import { seededRandom } from '../discord-box/src/index.ts';
import { createMessage } from '../discord-box/src/world/messages/change-message.ts';
import { type Community, startCommunity } from '../discord-box/test/community.ts';
import { type Bot, startBot } from '../src/bot.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { setVote } from '../src/ranking/ballots/votes.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/runtime/clock.ts';
import { createLog } from '../src/runtime/log.ts';
import { askTop, p95 } from './ask-top.ts';
import type { Bench } from './bench.ts';
import { grouped, type Row } from './table.ts';
import { until } from './until.ts';

const ARTICLES = 12;
const VOTERS = 40;
/** Each minute this part of the guilds has a vote. */
const VOTES_A_MINUTE = 0.5;
/** The simulated time, in the middle of which boards give way to new ones. */
const SIMULATED_MINUTES = 80;
/** Boards are replaced at three in the night, UTC. */
const TURN_HOUR = 3;
const ASKED = 50;

type Guild = { guild: string; general: string; articles: string[] };

/** Guilds with a board each, whose votes come all day, by a simulated clock. */
export async function measureBoards({ server, clock: real, quick }: Bench): Promise<Row[]> {
  const count = quick ? 40 : 1000;
  const log = createLog('error');
  const night = Math.floor(real.now() / DAY_MS) * DAY_MS + DAY_MS + TURN_HOUR * HOUR_MS;
  let offsetMs = night - (SIMULATED_MINUTES / 2) * MINUTE_MS - real.now();
  const clock = { now: () => real.now() + offsetMs };
  const sandbox = await startCommunity({ clock, rateLimits: false });
  const { token, apiBase, world, admin } = sandbox;
  const redis = await server.connect();
  const guilds: Guild[] = Array.from({ length: count }, (_, at) => {
    const made = sandbox.operator.createGuild({ name: `guild ${at}`, owner: admin });
    return { ...made, articles: [] };
  });
  // The pace is of real seconds, which are not simulated.
  const fast = { token, apiBase, redis, clock, log, requestsPerSecond: 1000 };
  const simulated = await startBot(fast);
  await until(() =>
    guilds.every(({ guild }) => simulated.client.guilds.cache.get(guild)?.available),
  );
  for (const guild of guilds) {
    await fill(simulated, guild, clock.now(), admin);
    offsetMs += (10 * MINUTE_MS) / count;
    await simulated.board.put(guild.guild, guild.general, admin);
  }
  const { perGuild, perMinute, lookMs } = await simulate(sandbox, simulated, guilds, {
    clock,
    toNextMinute: (fromMs) => (offsetMs += Math.max(0, fromMs + MINUTE_MS - clock.now())),
  });
  await simulated.stop();
  const most = Math.max(...perGuild.map(mostInAnHour));
  const besideMs = await askBeside(sandbox, guilds, {
    start: { ...fast, redis: await server.connect(), requestsPerSecond: 50 },
    pass: () => (offsetMs += 11 * MINUTE_MS),
  });
  await sandbox.stop();
  const mean = perMinute.reduce((sum, one) => sum + one, 0) / perMinute.length;
  const what = `${grouped(count)} boards`;
  const all = perGuild.reduce((sum, times) => sum + times.length, 0);
  const hours = SIMULATED_MINUTES / 60;
  return [
    {
      what: `${what}, votes all day: requests to Discord of a guild in its worst hour`,
      of: `${(all / count / hours).toFixed(1)} an hour on average`,
      result: most,
      unit: '',
      limits: { atLeast: 7, aim: 6 },
    },
    {
      what: `${what}: requests of the busiest minute`,
      of: `${Math.round(mean)} on average; Discord takes 3 000`,
      result: Math.max(...perMinute),
      unit: '',
      limits: { atLeast: 1000, aim: 500 },
    },
    {
      what: `${what}: a minute's look at all`,
      of: '',
      result: lookMs / 1000,
      unit: 's',
      limits: { atLeast: 30, aim: 10 },
    },
    {
      what: `/top beside ${what} due at once, p95`,
      of: '',
      result: besideMs,
      unit: 'ms',
      limits: { atLeast: 300, aim: 100 },
    },
  ];

  async function fill(bot: Bot, { guild, general, articles }: Guild, now: number, poster: string) {
    for (let at = 0; at < ARTICLES; at += 1) {
      const id = world.snowflake(Math.floor(now) - (at + 1) * MINUTE_MS);
      const link = `https://example.com/${id}`;
      const known = { guild, id, title: `Article ${at} of many`, link, linkName: link, poster };
      await postArticle(bot.ranking, { ...known, home: general, listed: true });
      articles.push(id);
    }
  }
}

const random = seededRandom(1);

async function vote({ ranking }: Bot, { guild, articles }: Guild, now: number): Promise<void> {
  const member = String(2_000_000_000_000_000_000n + BigInt(random.below(VOTERS)));
  const kind = random.pick(['up', 'up', 'down', 'none'] as const);
  await setVote(ranking, { guild, article: random.pick(articles), member, vote: kind }, now);
}

async function simulate(
  { world, requests, admin }: Community,
  bot: Bot,
  guilds: readonly Guild[],
  { clock, toNextMinute }: { clock: Bench['clock']; toNextMinute: (fromMs: number) => void },
) {
  const times = new Map(guilds.map(({ general }) => [general, [] as number[]]));
  const perMinute: number[] = [];
  const looksMs: number[] = [];
  for (let minute = 0; minute < SIMULATED_MINUTES; minute += 1) {
    const fromMs = clock.now();
    // Somebody writes below each board, so that the night's turn is due.
    if (minute === SIMULATED_MINUTES / 2 - 5) {
      for (const { general } of guilds) {
        createMessage(world, world.channels.get(general)!, { authorId: admin, content: 'Hello' });
      }
    }
    const voted = guilds.filter(() => random.next() < VOTES_A_MINUTE);
    await Promise.all(voted.map((guild) => vote(bot, guild, clock.now())));
    await bot.ranking.changes.flush();
    requests.reset();
    const startMs = performance.now();
    await bot.board.tick();
    looksMs.push(performance.now() - startMs);
    perMinute.push(requests.recent.length);
    for (const { channelId, atMs } of requests.recent) times.get(channelId ?? '')?.push(atMs);
    toNextMinute(fromMs);
  }
  return { perGuild: [...times.values()], perMinute, lookMs: p95(looksMs) };
}

/** The most requests in any hour that begins with one. */
function mostInAnHour(times: readonly number[]): number {
  const inHour = (fromMs: number) =>
    times.filter((atMs) => atMs >= fromMs && atMs < fromMs + HOUR_MS).length;
  return Math.max(0, ...times.map(inHour));
}

/** A member asks for the front page while all boards are edited at the pace that Discord allows. */
async function askBeside(
  sandbox: Community,
  guilds: readonly Guild[],
  { start, pass }: { start: Parameters<typeof startBot>[0]; pass: () => void },
): Promise<number> {
  const running = await startBot(start);
  await until(() => guilds.every(({ guild }) => running.client.guilds.cache.get(guild)?.available));
  for (const guild of guilds)
    for (let n = 0; n < 3; n += 1) await vote(running, guild, start.clock.now());
  pass();
  await running.ranking.changes.flush();
  const edited = running.board.tick();
  const took: number[] = [];
  for (let n = 0; n < ASKED; n += 1) {
    took.push((await askTop(sandbox)).tookMs);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await edited;
  await running.stop();
  return p95(took);
}

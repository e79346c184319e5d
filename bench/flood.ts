import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../sandbox/tour/bot/free-port.ts';
import { type Community, startCommunity } from '../discord-box/test/community.ts';
import { writeEdition } from '../src/editions/stored-editions.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { openRanking } from '../src/ranking/ranking.ts';
import { DAY_MS } from '../src/runtime/clock.ts';
import { createLog } from '../src/runtime/log.ts';
import { writeWebSettings } from '../src/web/web-settings.ts';
import { askTop, p95 } from './ask-top.ts';
import type { Bench } from './bench.ts';
import { startBot } from './bot-process.ts';
import { repeat } from './load.ts';
import { newArticle } from './material.ts';
import { grouped, round, type Row } from './table.ts';

const POSTS = 12;
/** A crowd comes and goes so often, so that what else the machine does slows both sides alike. */
const ROUNDS = 4;
const LANGUAGES = ['en', 'de', 'es-ES', 'fr', 'ja', 'pt-BR', 'zh-CN'];

/** Visitors ask so often, and for what. */
type Crowd = { what: string; perSecond: number; paths: string[] };

/**
 * A member asks for the front page, again and again, while a crowd asks for one public page, or for all the
 * pages and feeds of another guild, in all languages, where something changes all the time.
 */
export async function measureFlood({ server, clock, quick }: Bench): Promise<Row[]> {
  const sandbox = await startCommunity({ clock, rateLimits: false });
  const { operator } = sandbox;
  const born = { bornMs: clock.now() - 400 * DAY_MS };
  const { guild: other, general: channel } = operator.createGuild({ name: 'Other', ...born });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const bot = await startBot(sandbox, { REDIS_URL: server.url, WEB_PORT: String(port) });
  const redis = await server.connect();
  const { applicationId } = sandbox;
  const ranking = openRanking({ redis, applicationId });
  const store = { redis, applicationId, log: createLog('silent') };
  const asked = quick ? 20 : 200;
  try {
    const admin = sandbox.as(sandbox.admin);
    const { general } = sandbox.channels;
    for (let n = 0; n < POSTS; n += 1) {
      await admin.command(general.id, 'post', { link: `https://example.com/${n}` });
    }
    for (const guild of [sandbox.guildId, other])
      await writeWebSettings(store, guild, { open: true });
    const paths = await fill(other);
    // Without a crowd, as warm as beside one.
    await waits(sandbox, asked / 2);
    const rows: Row[] = [];
    for (const crowd of [
      { what: '5 000 web requests a second', perSecond: 5000, paths: [`/g/${sandbox.guildId}`] },
      { what: '200 uncached visits of another guild a second', perSecond: 200, paths },
    ]) {
      rows.push(await compare(sandbox, { address, crowd, asked: asked / ROUNDS }));
    }
    return rows;
  } finally {
    bot.kill('SIGTERM');
    await once(bot, 'exit');
    await sandbox.stop();
  }

  /** Fills the guild, and returns the addresses of its pages and feeds. */
  async function fill(guild: string): Promise<string[]> {
    const now = clock.now();
    const articles = quick ? 1000 : 24_000;
    let made = 0;
    const ids: string[] = [];
    await repeat(articles, 64, async () => {
      const article = newArticle(guild, (made += 1), { count: articles + 100, now });
      ids.push(article.id);
      await postArticle(ranking, { ...article, home: channel });
    });
    const days = Array.from({ length: 300 }, (_, n) => {
      return new Date(now - n * DAY_MS).toISOString().slice(0, 10);
    });
    for (const [n, date] of days.entries()) {
      const shown = ids.slice(25 * n, 25 * n + 25).map((id) => ({ id, net: 1, replies: 0 }));
      const times = { postedAtMs: now - n * DAY_MS, fromMs: 0 };
      const rest = { rising: [], firstPosts: [], discussed: [], channel, message: null };
      const edition = { articles: shown, ...rest, ...times, isPublic: true };
      await writeEdition(store, guild, { name: 'daily', date }, edition);
    }
    await ranking.changes.flush();
    const months = days.filter((day) => day.endsWith('-15')).map((day) => day.slice(0, 7));
    const pages = [
      ...['score', 'time', 'votes', 'front', 'interesting'].flatMap((order) =>
        [1, 2, 3].map((page) => `?order=${order}&page=${page}`),
      ),
      '/digest',
      ...days.slice(0, 30).map((day) => `/day/${day}`),
      ...days.slice(0, 30).map((day) => `/digest/daily/${day}`),
      ...months.map((month) => `/month/${month}`),
    ];
    const feeds = ['', '?order=time', '/digest', '/digest?format=json', '/digest/daily'];
    return [
      ...LANGUAGES.flatMap((language) =>
        pages.map((page) => `/g/${guild}${page}${page.includes('?') ? '&' : '?'}lang=${language}`),
      ),
      ...feeds.map((feed) => `/feeds/${guild}${feed}`),
    ];
  }
}

async function compare(
  sandbox: Community,
  on: { address: string; crowd: Crowd; asked: number },
): Promise<Row> {
  const { what, perSecond, paths } = on.crowd;
  const calm: number[] = [];
  const flooded: number[] = [];
  const came = { answered: 0, pages: 0, told: 0, seconds: 0 };
  for (let n = 0; n < ROUNDS; n += 1) {
    calm.push(...(await waits(sandbox, on.asked)));
    const crowd = fork(new URL('flood-process.ts', import.meta.url), [
      on.address,
      String(perSecond),
      paths.join(' '),
    ]);
    let counts = { answered: 0, pages: 0, told: 0 };
    crowd.on('message', (told) => (counts = told as typeof counts));
    await pause(2000);
    const before = { ...counts, atMs: performance.now() };
    flooded.push(...(await waits(sandbox, on.asked)));
    await once(crowd, 'message');
    for (const kind of ['answered', 'pages', 'told'] as const) {
      came[kind] += counts[kind] - before[kind];
    }
    came.seconds += (performance.now() - before.atMs) / 1000;
    crowd.disconnect();
  }
  const rate = (kind: 'answered' | 'pages' | 'told') =>
    grouped(Math.round(came[kind] / came.seconds));
  return {
    what: `/top beside ${what}, p95`,
    of: `${rate('answered')} answers/s, ${rate('pages')} of them pages, ${rate('told')} told when to come again, without visitors ${round(p95(calm))} ms`,
    result: p95(flooded),
    unit: 'ms',
    limits: { atLeast: perSecond > 1000 ? 300 : 100, aim: 50 },
  };
}

/** The times from the command until its answer is there, in ms. */
async function waits(sandbox: Community, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    times.push((await askTop(sandbox)).tookMs);
    await pause(20);
  }
  return times;
}

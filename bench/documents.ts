import { writeEdition } from '../src/editions/stored-editions.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { TopLists } from '../src/ranking/lists/top-lists.ts';
import { DAY_MS } from '../src/runtime/clock.ts';
import { createLog } from '../src/runtime/log.ts';
import { snowflakeAt } from '../src/runtime/snowflake.ts';
import { pageRoutes } from '../src/web/page-routes.ts';
import { storeDraft } from '../src/web/newsletter-draft.ts';
import { writeWebSettings } from '../src/web/web-settings.ts';
import type { Bench } from './bench.ts';
import { repeat } from './load.ts';
import { CHANNELS, newArticle } from './material.ts';
import { APPLICATION } from './server.ts';
import { grouped, type Row } from './table.ts';

/** The processor's time that each kind of page and feed takes, made anew each time, in a large guild. */
export async function measureDocuments({ server, clock, quick }: Bench): Promise<Row[]> {
  const articles = quick ? 2000 : 24_000;
  const now = clock.now();
  const guild = snowflakeAt(now - 400 * DAY_MS);
  const redis = await server.connect();
  const ranking = await server.openRanking();
  const store = { redis, applicationId: APPLICATION, log: createLog('silent') };
  const ids: string[] = [];
  await repeat(articles, 64, async () => {
    const article = newArticle(guild, ids.length + 1, { count: articles + 100, now });
    ids.push(article.id);
    await postArticle(ranking, article);
  });
  await writeWebSettings(store, guild, { open: true });
  const dayOf = (n: number) => new Date(now - n * DAY_MS).toISOString().slice(0, 10);
  const channel = CHANNELS[0]!;
  for (let n = 0; n < 300; n += 1) {
    const shown = ids.slice(25 * n, 25 * n + 25).map((id) => ({ id, net: 1, replies: 0 }));
    const rest = { rising: [], firstPosts: [], discussed: [], channel, message: null };
    const times = { postedAtMs: now - n * DAY_MS, fromMs: 0, isPublic: true };
    const edition = { articles: shown, ...rest, ...times };
    await writeEdition(store, guild, { name: 'daily', date: dayOf(n) }, edition);
  }
  const which = { name: 'daily', date: dayOf(3) };
  const secret = await storeDraft(store, guild, { ...which, intro: '', order: '' });
  const lists = new TopLists(ranking, clock);
  const groups = CHANNELS.map((id, at) => ({ id, name: `channel-${at}` }));
  const community = { name: 'Large', locale: 'en-US', icon: null, groups, hidden: [] };
  const app = pageRoutes({
    ranking,
    lists,
    store,
    clock,
    community: () => community,
    isAway: () => false,
    icon: async () => null,
    zone: async () => 'UTC',
    names: { known: () => new Map(), isPending: () => false, version: () => 0 },
    log: createLog('silent'),
    address: 'https://front.example',
    pictures: [],
  });
  const [g, feeds] = [`/g/${guild}`, `/feeds/${guild}`];
  const kinds = {
    'the best': g,
    'the newest': `${g}?order=time`,
    'the week by votes': `${g}?order=votes`,
    'a day': `${g}/day/${dayOf(1)}`,
    'a month': `${g}/month/${dayOf(0).slice(0, 7)}`,
    'a year': `${g}/year/${dayOf(0).slice(0, 4)}`,
    editions: `${g}/digest`,
    'an edition': `${g}/digest/daily/${dayOf(3)}`,
    'a search': `${g}/search?q=headline`,
    'a site': `${g}/site/example.com`,
    'the feed of the best': feeds,
    'the feed of the front page': `${feeds}/front`,
    'the feed of editions': `${feeds}/digest`,
    'a newsletter’s draft': `${g}/newsletter/${secret}/html`,
  };
  const rows: Row[] = [];
  for (const [what, path] of Object.entries(kinds)) {
    const times: number[] = [];
    let bytes = 0;
    for (let n = 0; n < (quick ? 3 : 9); n += 1) {
      ranking.changes.note(guild);
      await ranking.changes.flush();
      const before = process.cpuUsage();
      const answer = await app.request(path);
      bytes = (await answer.text()).length;
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    rows.push({
      what: `web, ${what}, processor’s time`,
      of: `${grouped(bytes)} characters, in a guild of ${grouped(articles)}`,
      result: times.toSorted((a, b) => a - b)[times.length >> 1]!,
      unit: 'ms',
      limits: { atLeast: 300, aim: 100 },
    });
  }
  lists.stop();
  return rows;
}

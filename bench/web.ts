import { createLog } from '../src/log.ts';
import { openPage } from '../src/records/web-settings.ts';
import { openStore } from '../src/redis/store.ts';
import { listArticles } from '../src/ranking/lists/ranked.ts';
import { TopLists } from '../src/ranking/cache/top-lists.ts';
import { pageRoutes } from '../src/web/pages/pages.ts';
import { type Bench, fillGuild } from './bench.ts';
import { throughput } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { APPLICATION } from './server.ts';
import { grouped, type Row } from './table.ts';

const ARTICLES = 1000;

/**
 * The first page of a guild as the web serves it, against the same routes where each visitor asks
 * Redis and has the page written. Without sending them, which
 * costs both the same.
 */
export async function measureWeb(bench: Bench): Promise<Row[]> {
  const { server, sliceMs, rounds, clock } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const log = createLog('error');
  const store = openStore(await server.connect(), APPLICATION, log);
  await fillGuild(bench, ranking, guild, ARTICLES);
  await ranking.changes.flush();
  await openPage(store, guild, false);
  const lists = new TopLists(ranking);
  const asking = {
    stamp: () => null,
    page: (list: Parameters<TopLists['page']>[0]) => listArticles(ranking, list),
  } as unknown as TopLists;
  const community = { name: 'Harbour', locale: 'en', groups: [] };
  const edge = { community: async () => community, displayName: async () => null };
  const metrics = { served: () => {} };
  const address = 'https://front.example';
  const parts = { ranking, store, edge, clock, log, metrics, address };
  const kept = pageRoutes({ ...parts, lists });
  const asked = pageRoutes({ ...parts, lists: asking });

  const rows: Row[] = [];
  for (const [order, inFlight] of [
    ['score', 1],
    ['score', 64],
    ['front', 1],
  ] as const) {
    const address = `https://front.example/g/${guild}?order=${order}`;
    const etag = (await kept.request(address)).headers.get('etag') ?? '';
    const get = (app: typeof kept, headers = {}) =>
      throughput(inFlight, sliceMs, async () => {
        const response = await app.request(address, { headers });
        if (response.status !== 200 && response.status !== 304) throw new Error('No page.');
      });
    const results = await race(
      [
        { name: 'kept', slice: () => get(kept) },
        { name: 'known', slice: () => get(kept, { 'if-none-match': etag }) },
        { name: 'asked', slice: () => get(asked) },
      ],
      rounds,
    );
    const rate = (name: keyof typeof results) => grouped(Math.round(median(results[name])));
    const row = { unit: '×' as const, other: `asking each time ${rate('asked')}/s` };
    const what = `web page of 25, ${order}, ${inFlight} in flight`;
    rows.push({
      ...row,
      what,
      frontpage: `${rate('kept')}/s`,
      result: ratio(results, 'kept', 'asked'),
      limits: { atLeast: 20, aim: 20 },
    });
    rows.push({
      ...row,
      what: `${what}, not changed (304)`,
      frontpage: `${rate('known')}/s`,
      result: ratio(results, 'known', 'asked'),
    });
  }
  lists.stop();
  return rows;
}

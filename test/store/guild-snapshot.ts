import { unannounced } from '../../src/store/announcing.ts';
import { readBlocks } from '../../src/store/blocks.ts';
import { readDeeds } from '../../src/store/deeds.ts';
import { readEditions } from '../../src/store/digests.ts';
import { importedAmong } from '../../src/store/imported.ts';
import { readErasing, readLeftOut } from '../../src/store/opted-out.ts';
import { readSettings } from '../../src/store/settings.ts';
import type { Store } from '../../src/store/store.ts';
import { readWebSettings } from '../../src/store/web-settings.ts';
import { allLinkNames, walkArticles } from '../../src/voting/all-articles.ts';
import { openArticles } from '../../src/voting/closing.ts';
import { listFront } from '../../src/voting/front.ts';
import { listArticles, ORDERS, type Page } from '../../src/voting/lists.ts';
import { listByVotes, PERIODS } from '../../src/voting/periods.ts';
import { findByLink } from '../../src/voting/postings.ts';
import type { Ranking } from '../../src/voting/ranking.ts';
import { readUncounted } from '../../src/voting/uncounted.ts';
import { readVoters } from '../../src/voting/voters.ts';

/** All that can be asked about a guild, asked through the functions that the product asks with. */
export async function snapshot(
  { ranking, store }: { ranking: Ranking; store: Store },
  guild: string,
  groups: readonly string[],
  now: number,
): Promise<Record<string, unknown>> {
  const asked: Record<string, unknown> = {
    settings: await readSettings(store, guild),
    web: await readWebSettings(store, guild),
    blocks: sorted(await readBlocks(store, guild)),
    leftOut: [...(await readLeftOut(store, guild)).optedOut].sort(),
    erased: sorted((await readLeftOut(store, guild)).erased),
    erasing: sorted(await readErasing(store, guild)),
    deeds: await readDeeds(store, guild),
    digests: await readEditions(store, guild),
    open: await openArticles(ranking, guild),
  };
  for (const group of [undefined, ...groups]) {
    const place = { guild, ...(group === undefined ? {} : { group }), page: 1, pageSize: 1000 };
    for (const order of ORDERS) {
      asked[`${order} ${group ?? 'all'}`] = await whole(listArticles(ranking, { ...place, order }));
    }
    for (const period of PERIODS) {
      asked[`${period} ${group ?? 'all'}`] = await whole(
        listByVotes(ranking, { ...place, period }, now),
      );
    }
  }
  asked['front'] = await whole(listFront(ranking, { guild, page: 1, pageSize: 200 }, now));
  for await (const { article, removedAtMs, linkName } of walkArticles(ranking, guild)) {
    const { id } = article;
    const voters = await readVoters(ranking, guild, id);
    const uncounted = [...(await readUncounted(ranking, guild, id))];
    // As what a removed one is listed is asked again when it is put back.
    const plain = removedAtMs === null ? article : { ...article, listed: null };
    asked[id] = {
      plain,
      removedAtMs,
      linkName: removedAtMs === null ? linkName : null,
      links: await Promise.all(
        allLinkNames(article).map((name) => findByLink(ranking, guild, name)),
      ),
      voters: sorted(voters),
      uncounted: sorted(new Map(uncounted.filter(([member]) => !voters.has(member)))),
      announced: (await unannounced(store, guild, [id])).length === 0,
      imported: (await importedAmong(store, guild, [id])).has(id),
    };
  }
  return asked;
}

/** Without the version, which counts how often changes were told. */
async function whole(page: Promise<Page>): Promise<Page> {
  const { articles, total } = await page;
  return { articles, total };
}

function sorted<T>(entries: ReadonlyMap<string, T>): [string, T][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

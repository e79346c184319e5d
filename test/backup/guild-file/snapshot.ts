import { unannounced } from '../../../src/articles/announced.ts';
import { readBoard } from '../../../src/board/stored-board.ts';
import { listEditions } from '../../../src/editions/stored-editions.ts';
import { readBlocks } from '../../../src/community/blocks.ts';
import { readDigests } from '../../../src/digests/stored-digests.ts';
import { isImported } from '../../../src/articles/imported.ts';
import { readOptedOut } from '../../../src/community/opted-out.ts';
import { readUnnamed } from '../../../src/community/unnamed.ts';
import { readSettings } from '../../../src/community/settings.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import type { Store } from '../../../src/redis/store.ts';
import { readWebSettings } from '../../../src/web/web-settings.ts';
import { readScale } from '../../../src/ranking/articles/mark.ts';
import { walkArticles } from '../../../src/ranking/articles/walk-articles.ts';
import { articlesInVoting } from '../../../src/ranking/articles/closing.ts';
import type { Page } from '../../../src/ranking/lists/ranked.ts';
import { ORDERS } from '../../../src/ranking/lists/orders.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import { PERIODS } from '../../../src/ranking/lists/by-votes.ts';
import { readOutcomes } from '../../../src/ranking/outcomes.ts';
import { findByLink, linkNames } from '../../../src/ranking/links/reservations.ts';
import type { Ranking } from '../../../src/ranking/ranking.ts';
import { readVoters } from '../../../src/ranking/ballots/voters.ts';

/** All that can be asked about a guild, asked through the functions that the product asks with. */
export async function snapshot(
  { ranking, store }: { ranking: Ranking; store: Store },
  guild: string,
  groups: readonly string[],
  now: number,
): Promise<Record<string, unknown>> {
  const asked: Record<string, unknown> = {
    settings: await readSettings(store, guild),
    scale: await readScale(ranking, guild),
    web: await readWebSettings(store, guild),
    editions: await listEditions(store, guild),
    board: (await readBoard(store, guild))?.choice ?? null,
    blocks: sorted(await readBlocks(store, guild)),
    leftOut: [...(await readOptedOut(store, guild))].sort(),
    unnamed: [...(await readUnnamed(store, guild))].sort(),
    erased: await store.redis.hgetall(storeKeys(store, guild).erased),
    digests: await readDigests(store, guild),
    open: await articlesInVoting(ranking, guild),
  };
  for (const group of [undefined, ...groups]) {
    const place = { guild, ...(group === undefined ? {} : { group }), page: 1, pageSize: 1000 };
    for (const order of ORDERS) {
      for (const period of order === 'votes' ? PERIODS : ['ever' as const]) {
        const list = { ...place, order, period };
        asked[`${order} ${period} ${group ?? 'all'}`] = await whole(readList(ranking, list, now));
      }
    }
  }
  for await (const { article, removedAtMs, isOwn } of walkArticles(ranking, guild)) {
    const { id } = article;
    const voters = await readVoters(ranking, guild, id);
    // As what a removed one is listed is asked again when it is put back.
    const plain = removedAtMs === null ? article : { ...article, listed: null };
    asked[id] = {
      plain,
      removedAtMs,
      isOwn,
      links: await Promise.all(
        linkNames({ ...article, listed: true }).map((name) => findByLink(ranking, guild, name)),
      ),
      voters: sorted(voters),
      became: await readOutcomes(ranking, guild, [id]),
      announced: (await unannounced(store, guild, [id])).length === 0,
      imported: await isImported(store, guild, id),
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

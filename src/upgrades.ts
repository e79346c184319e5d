import { readGuilds } from './community/known-guilds.ts';
import { storeKeys } from './redis/store-keys.ts';
import { openRanking } from './ranking/ranking.ts';
import { sweepVotersLater } from './ranking/ballots/voters.ts';
import type { Upgrades } from './redis/startup-checks/schema-version.ts';

/** What makes the data of each version that was stored once that of the next one. */
export const upgrades: Upgrades = {
  async 3(store) {
    const ranking = openRanking(store);
    for (const guild of await readGuilds(store)) {
      await sweepVotersLater(ranking, guild);
      // It was off where nothing is stored. A new guild gets threads with first replies.
      await store.redis.hsetnx(storeKeys(store, guild).settings, 'discussion', 'false');
    }
  },
};

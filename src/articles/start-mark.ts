import type { Guild } from 'discord.js';
import { markByMembers } from '../ranking/articles/fit-mark.ts';
import { startMark } from '../ranking/articles/mark.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { readSetting } from '../records/settings.ts';
import type { Store } from '../redis/store.ts';

/** Gives a guild that has no mark yet the fixed one, or the step by its number of members. */
export async function startGuildMark(
  { store, ranking }: { store: Store; ranking: Ranking },
  guild: Guild,
): Promise<void> {
  const fixed = await readSetting(store, guild.id, 'mark');
  // A guild that was fetched over REST has only the approximate number.
  const members = guild.memberCount || (guild.approximateMemberCount ?? 1);
  await startMark(ranking, guild.id, fixed ?? markByMembers(members));
}

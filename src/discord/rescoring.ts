import { type Client, Events, type Guild } from 'discord.js';
import { finishRescoring } from '../voting/mark.ts';
import type { Ranking } from '../voting/ranking.ts';
import type { Chores } from './chores.ts';

/** Goes on with re-scorings that a process began after a new mark and did not finish. */
export function followRescoring(client: Client, ranking: Ranking, chores: Chores): void {
  const follow = ({ id }: Guild): void => {
    chores.add(`re-scoring of ${id}`, () => finishRescoring(ranking, id));
  };
  client.on(Events.GuildAvailable, follow);
  client.on(Events.GuildCreate, follow);
}

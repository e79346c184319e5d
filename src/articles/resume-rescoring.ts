import { type Client, Events, type Guild } from 'discord.js';
import { finishRescoring } from '../ranking/articles/mark.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { TaskQueue } from '../discord/requests/tasks.ts';

/** Continues re-scorings that a process began after a new mark and did not finish. */
export function resumeRescoring(client: Client, ranking: Ranking, tasks: TaskQueue): void {
  const follow = ({ id }: Guild): void => {
    tasks.add(`re-scoring of ${id}`, () => finishRescoring(ranking, id));
  };
  client.on(Events.GuildAvailable, follow);
  client.on(Events.GuildCreate, follow);
}

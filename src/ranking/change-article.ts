import type { Script } from '../redis/script.ts';
import { guildKeys } from './keys.ts';
import type { Ranking } from './ranking.ts';
import type { Reply } from './scripts.ts';
import type { Snowflake } from './snowflake.ts';

/**
 * Runs a script on one article, whose id is the script's first argument. If its status is `done`, readers
 * are told of a change. One round trip.
 */
export async function changeArticle<Status extends string>(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  script: Script<Reply<Status>>,
  done: NoInfer<Status>,
  ...given: (string | number)[]
): Promise<{ status: Status; detail: string | undefined }> {
  const { ofScripts } = guildKeys(ranking, guild);
  const work = script(ranking.redis, ...ofScripts, article, ...given);
  const [status, detail] = await work.catch((error: unknown) => {
    ranking.onUnconfirmed(guild, article);
    throw error;
  });
  if (status === done) ranking.changes.note(guild);
  return { status, detail: detail?.toString() };
}

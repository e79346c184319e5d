import type { Script } from '../../redis/script.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { asOneLine, listingOf } from '../row.ts';
import { type Reply, scripts } from '../scripts.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

type Of = { guild: Snowflake; article: Snowflake };

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
  ...args: (string | number)[]
): Promise<{ status: Status; detail: string | undefined }> {
  const { ofScripts } = guildKeys(ranking, guild);
  const work = script(ranking.redis, ...ofScripts, article, ...args);
  const [status, detail] = await work.catch((error: unknown) => {
    ranking.onPlanned(guild, 0);
    throw error;
  });
  if (status === done) {
    ranking.changes.note(guild);
    ranking.onPlanned(guild, 0);
  }
  return { status, detail: detail?.toString() };
}

/**
 * Gives an article another home group; its message stays in its channel. `listed`: whether the new
 * home is listed.
 * One round trip; idempotent.
 */
export function moveArticle(
  ranking: Ranking,
  { guild, article, home, listed }: Of & { home: Snowflake; listed: boolean },
) {
  const target = [home, listingOf(listed), ''];
  return changeArticle(ranking, guild, article, scripts.setHome, 'moved', ...target);
}

/**
 * Gives an article another title; line feeds in it become spaces. `from`: replace only this title.
 * One round trip; idempotent.
 */
export function retitleArticle(
  ranking: Ranking,
  { guild, article, title, from = '' }: Of & { title: string; from?: string },
) {
  const titles = [asOneLine(title), from];
  return changeArticle(ranking, guild, article, scripts.retitleArticle, 'retitled', ...titles);
}

/** Gives an article another comment of its poster; an empty one takes it away. One round trip; idempotent. */
export function commentArticle(
  ranking: Ranking,
  { guild, article, comment }: Of & { comment: string },
) {
  return changeArticle(ranking, guild, article, scripts.commentArticle, 'commented', comment);
}

/** Stops the voting on an article, or opens it again. Existing votes stay. */
export function lockArticle(
  ranking: Ranking,
  { guild, article, locked }: Of & { locked: boolean },
) {
  const state = locked ? 'k' : 'o';
  return changeArticle(ranking, guild, article, scripts.lockArticle, 'changed', state);
}

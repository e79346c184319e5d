import { guildKeys } from '../keys.ts';
import { digestOf } from '../links/reservations.ts';
import type { Ranking } from '../ranking.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

type ChangeOutcome<Done extends string> = { status: Done | 'unchanged' | 'unknown' };

/**
 * Gives an article another home group; its message stays in its channel. `listed`: whether the new
 * home is listed.
 * One round trip; idempotent.
 */
export async function moveArticle(
  ranking: Ranking,
  move: { guild: Snowflake; article: Snowflake; home: Snowflake; listed: boolean },
): Promise<ChangeOutcome<'moved'>> {
  const { guild, article, home, listed } = move;
  const keys = guildKeys(ranking.applicationId, guild);
  const [status] = await scripts.moveArticle(
    ranking.redis,
    keys.articles,
    ...keys.rankings,
    article,
    secondsOf(article),
    home,
    listed ? 'l' : 'h',
  );
  if (status === 'moved') ranking.changes.note(guild, article);
  return { status: status as ChangeOutcome<'moved'>['status'] };
}

/**
 * Gives an article another title; line feeds in it become spaces. `from`: replace only this title.
 * One round trip; idempotent.
 */
export async function retitleArticle(
  ranking: Ranking,
  change: { guild: Snowflake; article: Snowflake; title: string; from?: string },
): Promise<ChangeOutcome<'retitled'>> {
  const { guild, article, title, from = '' } = change;
  const { texts } = guildKeys(ranking.applicationId, guild);
  const line = title.replace(/[\n\r]+/g, ' ');
  const [status] = await scripts.retitleArticle(ranking.redis, texts, article, line, from);
  if (status === 'retitled') ranking.changes.note(guild, article);
  return { status: status as ChangeOutcome<'retitled'>['status'] };
}

/** Stops the voting on an article, or opens it again. Existing votes stay. */
export async function lockArticle(
  ranking: Ranking,
  { guild, article, locked }: { guild: Snowflake; article: Snowflake; locked: boolean },
): Promise<ChangeOutcome<'changed' | 'closed'>> {
  const { articles } = guildKeys(ranking.applicationId, guild);
  const [status] = await scripts.lockArticle(ranking.redis, articles, article, locked ? 'k' : 'o');
  if (status === 'changed') ranking.changes.note(guild, article);
  return { status: status as ChangeOutcome<'changed' | 'closed'>['status'] };
}

/** Allows a link to be posted again while its article stays. */
export async function freeLink(
  ranking: Ranking,
  { guild, canonical, article }: { guild: Snowflake; canonical: string; article: Snowflake },
): Promise<void> {
  const { links } = guildKeys(ranking.applicationId, guild);
  await scripts.freeLink(ranking.redis, links, digestOf(canonical), article);
}

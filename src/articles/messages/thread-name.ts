import { type APIMessage, Routes } from 'discord.js';
import { limits } from '../../discord/limits.ts';
import type { PacedRequests } from '../../discord/requests/paced-requests.ts';
import { fault, type Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Article } from '../../ranking/row.ts';
import { cleanLine, titleOfLink } from '../../text/clean.ts';

export function threadName(title: string): string {
  return cleanLine(title, limits.nameLength);
}

/** Whether the thread still has the name that it got before the article's title was found. */
export function lacksTitle(
  thread: APIMessage['thread'],
  { title, link }: Pick<Article, 'title' | 'link'>,
): boolean {
  const placeholder = titleOfLink(link);
  return title !== placeholder && thread?.name === threadName(placeholder);
}

/**
 * Gives the thread the article's new title, unless a moderator named it otherwise. A failure is logged:
 * the next recount finds a thread that still lacks its first title.
 */
export async function renameThread(
  { requests, log }: { requests: PacedRequests; log: Log },
  guild: Snowflake,
  { id, title, link }: Pick<Article, 'id' | 'title' | 'link'>,
  { thread, title: before }: { thread: APIMessage['thread']; title: string | undefined },
): Promise<void> {
  const isOld = before !== undefined && before !== title && thread?.name === threadName(before);
  if (!isOld && !lacksTitle(thread, { title, link })) return;
  try {
    const body = { name: threadName(title) };
    await requests.patch({ guild, channel: id }, Routes.channel(id), body);
  } catch (error) {
    log.info({ ...fault(error), article: id }, 'A discussion could not be renamed.');
  }
}

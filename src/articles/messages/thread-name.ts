import { type APIMessage, Routes } from 'discord.js';
import { limits } from '../../discord/limits.ts';
import type { PacedRequests } from '../../discord/requests/paced-requests.ts';
import { fault, type Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { cleanLine } from '../../text/clean.ts';

/** The name of the thread for an article's discussion. */
export function threadName(title: string): string {
  return cleanLine(title, limits.nameLength);
}

/**
 * Gives the thread the article's new title, unless a moderator named it otherwise. A failure is logged:
 * the article has its title without it.
 */
export async function renameThread(
  { requests, log }: { requests: PacedRequests; log: Log },
  guild: Snowflake,
  { id, title }: { id: Snowflake; title: string },
  { thread, title: before }: { thread: APIMessage['thread']; title: string | undefined },
): Promise<void> {
  if (before === undefined || before === title || thread?.name !== threadName(before)) return;
  try {
    const body = { name: threadName(title) };
    await requests.patch({ guild, channel: id }, Routes.channel(id), body);
  } catch (error) {
    log.info({ ...fault(error), article: id }, 'A discussion could not be renamed.');
  }
}

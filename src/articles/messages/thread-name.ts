import { type APIMessage, Routes } from 'discord.js';
import { limits } from '../../discord/limits.ts';
import { isLastingRefusal } from '../../discord/api-errors.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { fault, type Log } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { languages, translate } from '../../text/catalogue.ts';
import { cleanLine, isSpoiler, shownHost } from '../../text/clean.ts';

/** The name of an article's thread: its title, or of a spoiler the site. */
export function threadName({ title, link }: { title: string; link: string }): string {
  const name = isSpoiler(title) ? shownHost(new URL(link).host) : title;
  return cleanLine(name, limits.nameLength);
}

/** The name of the thread of a removed or erased article, which keeps nothing of its title. */
export function removedThreadName(locale: string | null): string {
  return translate(locale, 'removed-message.thread');
}

/** Whether a thread has the name of a removed article's, in any language. */
export function isRemovedThreadName(name: string | null | undefined): boolean {
  return [...languages.keys()].some((language) => removedThreadName(language) === name);
}

/**
 * Renames the thread of an article. An archived thread is opened for that and archived again, because
 * Discord takes no other edit of it. A failure is logged. False if another try can succeed, such as after a
 * rate limit: Discord lets a thread be renamed twice in ten minutes.
 */
export async function renameThread(
  { requests, log }: { requests: Requests; log: Log },
  guild: Snowflake,
  thread: NonNullable<APIMessage['thread']>,
  name: string,
): Promise<boolean> {
  const { id } = thread;
  const archived = 'thread_metadata' in thread && thread.thread_metadata.archived;
  const patch = (body: object) => requests.patch({ guild, channel: id }, Routes.channel(id), body);
  try {
    await patch(archived ? { name, archived: false } : { name });
    if (archived) await patch({ archived: true });
    return true;
  } catch (error) {
    log.info({ ...fault(error), article: id }, 'A discussion could not be renamed.');
    return error instanceof ChannelRefused || isLastingRefusal(error);
  }
}

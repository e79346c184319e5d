import { Routes } from 'discord.js';
import { isApiError } from '../api-errors.ts';
import type { Target } from './refusals.ts';
import type { Requests } from './requests.ts';

/**
 * Changes something in a channel. Where it is an archived thread, which takes no change, the thread is opened
 * for it, and archived again if the bot may (Manage Threads). A locked one stays as it is: Discord refuses.
 */
export async function inOpenThread(
  requests: Requests,
  { guild, channel }: Target,
  change: () => Promise<unknown>,
): Promise<void> {
  try {
    await change();
    return;
  } catch (error) {
    if (!isApiError(error, 'InvalidActionOnArchivedThread')) throw error;
  }
  const archive = (archived: boolean) =>
    requests.patch({ guild, channel }, Routes.channel(channel), { archived });
  await archive(false);
  try {
    await change();
  } finally {
    // Else Discord archives it by itself, when nobody writes there.
    await archive(true).catch(() => {});
  }
}

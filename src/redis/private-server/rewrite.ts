import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { parseInfo } from '../server-info.ts';

const POLL_MS = 50;

/** Writes all data of a server from its memory into a folder, whose files were deleted. */
export async function rewriteData(redis: Redis, folder: string): Promise<void> {
  await redis.config('SET', 'dir', folder);
  await redis.config('SET', 'appendonly', 'no');
  await redis.config('SET', 'appendonly', 'yes');
  for (;;) {
    const info = parseInfo(await redis.info('persistence'));
    const underWay = ['aof_rewrite_in_progress', 'aof_rewrite_scheduled'];
    if (underWay.every((field) => info.get(field) === '0')) {
      if (info.get('aof_last_bgrewrite_status') === 'ok') return;
      throw new Error('The data could not be written.');
    }
    await pause(POLL_MS);
  }
}

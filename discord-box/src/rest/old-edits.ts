import type { Message } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { snowflakeMs, type Snowflake } from '../model/snowflakes.ts';
import { ApiError, refuse } from './errors.ts';
import { isWithin } from './limits.ts';

const OLD_AFTER_MS = 3_600_000;
const EDITS = 30;
const WINDOW_MS = 60_000;

/**
 * Edits of messages over an hour old have a limit of their own, 30046, whose size Discord does not
 * publish. Here it is 30 a minute and channel.
 */
export function oldEdits(world: World): (message: Message) => void {
  const windows = new Map<Snowflake, { startedMs: number; count: number }>();
  return (message) => {
    if (world.clock.now() - snowflakeMs(message.id) < OLD_AFTER_MS) return;
    const nowMs = world.clock.now();
    let window = windows.get(message.channelId);
    if (window === undefined || !isWithin(window.startedMs, WINDOW_MS, nowMs)) {
      window = { startedMs: nowMs, count: 0 };
      windows.set(message.channelId, window);
    }
    window.count += 1;
    if (window.count <= EDITS) return;
    const { status, code, message: text } = refuse('tooManyOldEdits');
    const retryAfterSeconds = (window.startedMs + WINDOW_MS - nowMs) / 1000;
    throw new ApiError(status, code, text, { retryAfterSeconds });
  };
}

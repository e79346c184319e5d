import { RateLimitError } from 'discord.js';
import { isEditLimit } from '../../discord/api-errors.ts';
import { remember } from '../../discord/remember.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { openMutex } from '../../runtime/mutex.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';

/** Discord takes no edit of an older message in this channel for some time (30046). */
export class EditsLimited extends Error {
  override readonly name = 'EditsLimited';
}

/**
 * Discord limits the edits of messages over an hour old, by channel and in a way that it does not publish. Each
 * refused one counts toward the limit after which it bans the bot's address.
 */
export interface EditLimits {
  /**
   * Edits a message, one at a time in a channel. Throws `EditsLimited`, after the first refusal without asking,
   * for as long as Discord said and twice as long each time.
   */
  edit(of: { id: Snowflake; channel: Snowflake }, request: () => Promise<unknown>): Promise<void>;
  /** Whether an edit of this message would throw `EditsLimited` without asking. */
  isLimited(of: { id: Snowflake; channel: Snowflake }): boolean;
}

const CHANNELS_AT_MOST = 10_000;

export function openEditLimits(clock: Clock): EditLimits {
  const inTurn = openMutex();
  const rests = new Map<Snowflake, { forMs: number; untilMs: number }>();

  function isLimited({ id, channel }: { id: Snowflake; channel: Snowflake }): boolean {
    const now = clock.now();
    return now - snowflakeTimeMs(id) >= HOUR_MS && now < (rests.get(channel)?.untilMs ?? 0);
  }

  return {
    isLimited,
    edit: (of, request) =>
      inTurn(of.channel, async () => {
        if (isLimited(of)) throw new EditsLimited('Discord limited the edits of older messages.');
        try {
          await request();
          rests.delete(of.channel);
        } catch (error) {
          if (!isEditLimit(error)) throw error;
          const askedMs = error instanceof RateLimitError ? error.retryAfter : MINUTE_MS;
          const before = rests.get(of.channel)?.forMs ?? 0;
          const forMs = Math.max(askedMs, Math.min(before * 2, HOUR_MS));
          remember(rests, of.channel, { forMs, untilMs: clock.now() + forMs }, CHANNELS_AT_MOST);
          throw new EditsLimited('Discord limits the edits of older messages.');
        }
      }),
  };
}

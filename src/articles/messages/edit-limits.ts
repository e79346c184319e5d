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

/** The message of an edit. `isUrgent`: it waits for as long as Discord said, and no longer. */
type Edited = { id: Snowflake; channel: Snowflake; isUrgent?: boolean };

/**
 * Discord limits the edits of messages over an hour old, by channel and in a way that it does not publish. Each
 * refused one counts toward the limit after which it bans the bot's address.
 */
export interface EditLimits {
  /**
   * Edits a message, one at a time in a channel. Throws `EditsLimited`, after the first refusal without asking,
   * for as long as Discord said and twice as long each time.
   */
  edit(of: Edited, request: () => Promise<unknown>): Promise<void>;
  /** Whether an edit of this message would throw `EditsLimited` without asking. */
  isLimited(of: Edited): boolean;
}

const CHANNELS_AT_MOST = 10_000;

export function openEditLimits(clock: Clock): EditLimits {
  const inTurn = openMutex();
  const rests = new Map<Snowflake, { forMs: number; untilMs: number; askedUntilMs: number }>();

  const isOlder = (id: Snowflake) => clock.now() - snowflakeTimeMs(id) >= HOUR_MS;

  function isLimited({ id, channel, isUrgent = false }: Edited): boolean {
    const { untilMs = 0, askedUntilMs = 0 } = rests.get(channel) ?? {};
    return isOlder(id) && clock.now() < (isUrgent ? askedUntilMs : untilMs);
  }

  return {
    isLimited,
    edit: (of, request) =>
      inTurn(of.channel, async () => {
        if (isLimited(of)) throw new EditsLimited('Discord limited the edits of older messages.');
        try {
          await request();
          // Of a younger message nothing is learned about the limit.
          if (isOlder(of.id)) rests.delete(of.channel);
        } catch (error) {
          if (!isEditLimit(error)) throw error;
          const askedMs = error instanceof RateLimitError ? error.retryAfter : MINUTE_MS;
          const before = rests.get(of.channel)?.forMs ?? 0;
          const forMs = Math.max(askedMs, Math.min(before * 2, HOUR_MS));
          const now = clock.now();
          const rest = { forMs, untilMs: now + forMs, askedUntilMs: now + askedMs };
          remember(rests, of.channel, rest, CHANNELS_AT_MOST);
          throw new EditsLimited('Discord limits the edits of older messages.');
        }
      }),
  };
}

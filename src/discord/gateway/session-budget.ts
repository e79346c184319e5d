import { setTimeout as pause } from 'node:timers/promises';
import { type REST, Routes } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { readAnswer } from '../api-errors.ts';

/** Discord allows a thousand sessions a day. If fewer are left, something restarts the bot in a loop. */
const FEW = 50;

const zGateway = z.object({
  url: z.url(),
  shards: z.int(),
  session_start_limit: z.object({ remaining: z.int(), reset_after: z.number() }),
});

/**
 * Resolves when the process may begin its sessions. If few are left, it waits, so that they last until
 * Discord allows new ones. Discord resets the token of a bot that begins more.
 */
export async function awaitSessions(
  rest: REST,
  /** The shards of this process; null for as many as Discord advises. */
  shards: number | null,
  clock: Clock,
  log: Log,
): Promise<void> {
  for (;;) {
    const info = readAnswer(zGateway, await rest.get(Routes.gatewayBot()));
    const { remaining, reset_after: resetMs } = info.session_start_limit;
    const wanted = shards ?? info.shards;
    if (remaining - wanted >= FEW) return;
    const isEnough = remaining >= wanted;
    const waitMs = isEnough ? (resetMs * wanted) / (remaining + 1) : resetMs;
    const at = (inMs: number) => new Date(clock.now() + inMs).toISOString().slice(0, 19);
    log.warn(
      { remaining },
      `Discord allows this bot few more sessions until ${at(resetMs)} UTC, since it was started too often: stop what starts it again and again. It connects at ${at(waitMs)} UTC.`,
    );
    await pause(waitMs);
    if (isEnough) return;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { type REST, RESTEvents, Routes } from 'discord.js';
import type { StoppableClock } from '../../clock.ts';
import type { Log } from '../../log.ts';

/**
 * Discord's time, which all rules of the game use, because message ids contain it. Each answer of Discord
 * has it, and between answers it runs on with the process. So a machine's clock that is wrong or jumps
 * closes, posts, hides and deletes nothing.
 */
export type DiscordClock = StoppableClock & {
  /** Reads the time from the answers to this client's requests. */
  follow(rest: REST): void;
  /** Compares the machine's clock with Discord's. Call it once a minute. */
  compare(): Promise<void>;
};

/** The date of an answer is a whole second, and the answer takes time. */
const LEEWAY_MS = 30_000;
/** In development, the sandbox stands for Discord and notices a moved clock later. */
const MOVED = { everyMs: 300, times: 10 };

export function openDiscordClock(machine: StoppableClock, log: Log): DiscordClock {
  /** Discord's time minus the time since the process began; null before Discord's first answer. */
  let offsetMs: number | null = null;
  /** How far the machine's clock was ahead of Discord's time when a date was last believed. */
  let aheadMs = 0;
  let isOddTold = false;
  let rest: REST | null = null;
  let isWrong = false;
  const listeners: (() => void)[] = [];
  const now = () => (offsetMs === null ? machine.now() : Math.round(performance.now() + offsetMs));

  function readDate(date: string | null): void {
    const discordMs = Date.parse(date ?? '');
    if (Number.isNaN(discordMs) || (offsetMs !== null && isNear(now(), discordMs))) return;
    if (offsetMs !== null && isOdd(discordMs)) {
      if (!isOddTold) log.warn({ date }, "An answer's date is wrong, and is not used.");
      isOddTold = true;
      return;
    }
    const isMoved = !isNear(now(), discordMs);
    // The date has whole seconds, so a machine's clock that is right is more exact.
    const exactMs = isNear(machine.now(), discordMs) ? machine.now() : discordMs;
    offsetMs = exactMs - performance.now();
    aheadMs = machine.now() - exactMs;
    if (isMoved) for (const listener of listeners) listener();
  }

  /** Neither the machine nor its clock has noticed what this date says, as behind a proxy that is wrong. */
  function isOdd(discordMs: number): boolean {
    return !isNear(machine.now(), discordMs) && isNear(machine.now() - now(), aheadMs);
  }

  const differs = () => !isNear(machine.now(), now());

  async function ask(): Promise<void> {
    await rest?.get(Routes.gateway()).catch(() => {});
  }

  async function compare(): Promise<void> {
    // After a sleep, the machine's clock is right, and this one is behind.
    if (differs()) await ask();
    const offSeconds = Math.round((machine.now() - now()) / 1000);
    const wasWrong = isWrong;
    isWrong = differs();
    if (isWrong && !wasWrong) {
      log.warn(
        { offSeconds },
        "This machine's clock is wrong. Discord's time is used; set the clock.",
      );
    }
    if (wasWrong && !isWrong) log.info("This machine's clock is right again.");
  }

  async function compareMoved(): Promise<void> {
    for (let times = 0; times < MOVED.times && differs(); times += 1) {
      await pause(MOVED.everyMs);
      await ask();
    }
    await compare();
  }

  machine.onMove(() => void compareMoved());
  return {
    now,
    compare,
    follow(followed) {
      rest = followed;
      followed.on(RESTEvents.Response, (_, { headers }) => readDate(headers.get('date')));
    },
    onMove: (listener) => void listeners.push(listener),
    stop: () => machine.stop(),
  };
}

function isNear(oneMs: number, otherMs: number): boolean {
  return Math.abs(oneMs - otherMs) <= LEEWAY_MS;
}

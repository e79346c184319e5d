import { setTimeout as pause } from 'node:timers/promises';
import { type REST, Routes } from 'discord.js';
import type { Clock, StoppableClock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';

/** The date of an answer is a whole second, and the answer takes time. */
const LEEWAY_MS = 30_000;
/** How much the machine's clock may be off and still confirm Discord's time. */
const CONFIRMS_MS = 300_000;
/** In development, the sandbox stands for Discord and notices a moved clock later. */
const MOVED = { everyMs: 300, times: 10 };

/**
 * Discord's time, which all rules of the game use, because message ids contain it. Each answer of Discord
 * has it, and between answers it runs on with the process. So a machine's clock that is wrong or jumps
 * closes, posts, hides and deletes nothing.
 */
export interface DiscordClock extends Clock {
  /** Compares the machine's clock with Discord's. Call it once a minute. */
  compare(): Promise<void>;
  /** Reads the time from the id of something that Discord has just made. */
  readId(id: Snowflake): void;
  /**
   * Whether the machine's clock or such an id agrees with this time. An answer's date alone may come
   * from a proxy, and a closing or deletion by a wrong time cannot be undone.
   */
  isConfirmed(): boolean;
  /** How far the machine's clock is ahead of this time (s). */
  offSeconds(): number;
  /** Reads the time from the answers to this client's requests. */
  follow(rest: REST): void;
  /** Stops following the machine's clock. */
  stop(): void;
}

export function openDiscordClock(machine: StoppableClock, log: Log): DiscordClock {
  /** Discord's time minus the time since the process began; null before Discord's first answer. */
  let offsetMs: number | null = null;
  /** An id has agreed with the time since it was set. */
  let isIdNear = false;
  let isOddTold = false;
  let rest: REST | null = null;
  let isWrong = false;
  const now = (): number =>
    offsetMs === null ? machine.now() : Math.round(performance.now() + offsetMs);

  function readDate(date: string | null): void {
    const discordMs = Date.parse(date ?? '');
    if (Number.isNaN(discordMs) || (offsetMs !== null && isNear(now(), discordMs))) return;
    // A proxy can send a wrong date. After a sleep of the machine, its clock and the date agree.
    if (offsetMs !== null && !isNear(machine.now(), discordMs, CONFIRMS_MS)) {
      if (!isOddTold) log.warn({ date }, "An answer's date is wrong, and is not used.");
      isOddTold = true;
      return;
    }
    setTime(discordMs);
  }

  function readId(id: Snowflake): void {
    const madeMs = snowflakeTimeMs(id);
    // After an outage, Discord sends events of the time before; it sends none of the future.
    if (!isNear(now(), madeMs)) {
      if (madeMs < now() && isConfirmed()) return;
      setTime(madeMs);
    }
    isIdNear = true;
  }

  function setTime(discordMs: number): void {
    // The date has whole seconds, so a machine's clock that is right is more exact.
    const exactMs = isNear(machine.now(), discordMs) ? machine.now() : discordMs;
    offsetMs = exactMs - performance.now();
    isIdNear = false;
  }

  const differs = () => !isNear(machine.now(), now());
  const isConfirmed = (): boolean => isIdNear || isNear(machine.now(), now(), CONFIRMS_MS);

  async function ask(): Promise<void> {
    await rest?.get(Routes.gateway()).catch(() => {});
  }

  async function compare(): Promise<void> {
    // After a sleep, the machine's clock is right, and this one is behind.
    if (differs()) await ask();
    if (isWrong === differs()) return;
    isWrong = !isWrong;
    if (!isWrong) return log.info("This machine's clock is right again.");
    const offSeconds = Math.round((machine.now() - now()) / 1000);
    const meanwhile = isConfirmed()
      ? "Discord's time is used"
      : "Or Discord's answers have a wrong date. Until a message or a command shows which, no voting ends and no digest is posted";
    log.warn({ offSeconds }, `This machine's clock is wrong. ${meanwhile}; set the clock.`);
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
    readId,
    isConfirmed,
    offSeconds: () => (machine.now() - now()) / 1000,
    follow(followed: REST): void {
      rest = followed;
      followed.on('response', (_, { headers }) => readDate(headers.get('date')));
    },
    stop: () => machine.stop(),
  };
}

function isNear(oneMs: number, otherMs: number, leewayMs = LEEWAY_MS): boolean {
  return Math.abs(oneMs - otherMs) <= leewayMs;
}

import { setTimeout as pause } from 'node:timers/promises';
import { isFaultOfRedis, openWarnings } from '../redis/errors.ts';
import { pairs } from '../redis/scan.ts';
import type { Store } from '../redis/store.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { type Clock, MINUTE_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { openArrivals } from './arrivals.ts';
import { OUTAGE_MS, type RowNeeds, SWEEP_SECONDS, type Tried } from './do-row.ts';
import { heldRow, type Kind, type Row, rowOf } from './kind.ts';
import { openRows, type Rows } from './rows.ts';
import type { Trouble } from './troubles.ts';

const PAGE = 100;
/** What is planned within this time is begun by one look. */
const TOGETHER_MS = 10;
/** Under the two seconds in which a member gets an answer. */
const WAIT_MS = 1500;

export interface DueNeeds extends RowNeeds {
  /** Discord's time. While it is not confirmed, only what ignores it begins: a closing at a wrong time cannot be undone. */
  clock: Clock & { isConfirmed?(): boolean };
  /** Tells other processes that a guild has a row due then (ms). By default nobody is told. */
  tell?: (guild: Snowflake, atMs: number) => void;
  /** A key of the guild's rows is of another type. By default nobody is told. */
  onDamage?: (guild: Snowflake) => void;
  /** Looks by itself when something is due. Else only `look` does, as in a command of the host. */
  follows: boolean;
}

/** The table of what is due: what the bot does by itself, and when. */
export interface Due {
  /** A feature says how rows of its kind are done. Once a kind. */
  handle(kind: Kind): void;
  /** Has a row done by then (ms), unless it is due sooner. 0: now. */
  plan(guild: Snowflake, row: Row, atMs: number): Promise<void>;
  /** Has a row done exactly then (ms), such as after a change of its schedule; null: never. */
  planAt(guild: Snowflake, row: Row, atMs: number | null): Promise<void>;
  /**
   * Hands notes to whoever does the row next. Call it before the row is planned. False: the same were waiting there.
   */
  note(guild: Snowflake, row: Row, notes: Record<string, string>): Promise<boolean>;
  /** A script or another process planned a row: looks by then (ms). Asks Redis nothing before. */
  wake(guild: Snowflake, atMs?: number): void;
  /** The guild has come, or Redis has lost rows: plans the rows that it has by its own data. */
  arrive(guild: Snowflake): Promise<void>;
  /**
   * Does a row at once, for somebody who waits, and hands it notes. Says what hinders it; null: nothing. `later`: it
   * is not done within a moment, and stays due.
   */
  now(
    guild: Snowflake,
    row: Row,
    notes?: Record<string, string>,
  ): Promise<Trouble | null | 'later'>;
  /** Begins all that is due by the clock. Resolves when it has begun: what a guild imports can take hours. */
  begin(): Promise<void>;
  /** Does all that is due by the clock, and what that made due. Resolves when it has ended. */
  look(): Promise<void>;
  /** Begins nothing any more. Resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** Opens the table of the guilds of this process. */
export function openDue(needs: DueNeeds): Due {
  const { store, clock, log, stopping } = needs;
  const warn = openWarnings(log);
  const rows = openRows(needs, (guild, atMs) => wake(guild, atMs));
  /** When each guild's first row is due, as far as this process knows (ms). Without it, the guild is looked at. */
  const firstMs = new Map<Snowflake, number>();
  /** The guilds' rows that are being read. */
  const beginning = new Set<Promise<void>>();
  const arrivals = openArrivals(needs, rows);
  const note = openNote(store);
  const { plan, planAt } = openPlanning(needs, (guild, atMs) => wake(guild, atMs));

  function wake(guild: Snowflake, atMs = 0): void {
    const known = firstMs.get(guild);
    if (known !== undefined) firstMs.set(guild, Math.min(known, atMs));
    lookBy(atMs);
  }

  const lookBy = openAlarm(needs, () => void beginAll());

  const firstOf = (guild: Snowflake): number => firstMs.get(guild) ?? 0;

  function dueGuilds(now: number): Snowflake[] {
    if (stopping.aborted) return [];
    return [...needs.guilds()].filter((guild) => firstOf(guild) <= now);
  }

  /** Begins what is due in all guilds. Resolves when it has begun. */
  async function beginAll(): Promise<void> {
    // A row whose time comes meanwhile is a later one: by two times it could be neither.
    const now = clock.now();
    await Promise.all(dueGuilds(now).map(beginDue));
    const later = [...needs.guilds()].map(firstOf).filter((atMs) => atMs > now);
    if (later.length > 0) lookBy(Math.min(...later));
  }

  function beginDue(guild: Snowflake): Promise<void> {
    const work = readAndBegin(guild).finally(() => beginning.delete(work));
    beginning.add(work);
    return work;
  }

  async function readAndBegin(guild: Snowflake): Promise<void> {
    // Rows that are planned while this looks are found by the next look.
    firstMs.set(guild, Number.POSITIVE_INFINITY);
    try {
      if (!(await arrivals.plan(guild))) wake(guild, clock.now() + OUTAGE_MS);
      const { found, laterMs, pages } = await readDue(store, guild, clock.now());
      if (laterMs !== null) wake(guild, laterMs);
      const isSure = clock.isConfirmed?.() !== false;
      if (!isSure && found.length > 0) wake(guild, clock.now() + OUTAGE_MS);
      const begun = found.filter((row) => isSure || rows.ignoresTime(row));
      const works = begun.flatMap((row) => rows.begin(guild, row) ?? []);
      // A row that another process took meanwhile moved the pages, which then passed over some.
      if (pages > 1) void whenAgain(works, clock).then((atMs) => wake(guild, atMs));
    } catch (error) {
      if (stopping.aborted) return;
      if (isFaultOfRedis(error)) {
        needs.onDamage?.(guild);
        arrivals.note(guild);
      }
      warn(error, { guild }, 'What is due could not be read, and is looked at again soon.');
      wake(guild, clock.now() + OUTAGE_MS);
    }
  }

  return {
    handle(kind) {
      rows.handle(kind);
      // Its rows were passed over before.
      firstMs.clear();
      lookBy(0);
    },
    plan,
    planAt,
    wake,
    async arrive(guild) {
      arrivals.note(guild);
      // Of an unreachable guild nothing begins. It arrives again.
      if ([...needs.guilds()].includes(guild)) await beginDue(guild);
      else firstMs.delete(guild);
    },
    note,
    now: openNow(note, rows, plan),
    begin: beginAll,
    async look() {
      do {
        await beginAll();
        await Promise.all(beginning);
        await rows.allEnded();
      } while (beginning.size > 0 || rows.areRunning() || dueGuilds(clock.now()).length > 0);
    },
    stop: async () => void (await rows.allEnded()),
  };
}

/** Resolves when these have ended, with when their guild is looked at again (ms). */
async function whenAgain(works: Promise<Tried>[], clock: Clock): Promise<number> {
  const ended = await Promise.all(works);
  // Where none was done here, a look at once would find the same, again and again.
  return ended.some(({ status }) => status !== 'elsewhere') ? 0 : clock.now() + OUTAGE_MS;
}

function openPlanning({ store, tell }: DueNeeds, wake: Due['wake']): Pick<Due, 'plan' | 'planAt'> {
  const { redis } = store;
  const dueOf = (guild: Snowflake) => storeKeys(store, guild).due;
  const note = (guild: Snowflake, atMs: number): void => {
    tell?.(guild, atMs);
    wake(guild, atMs);
  };
  return {
    async plan(guild, row, atMs) {
      await redis.zadd(dueOf(guild), 'LT', atMs, row);
      note(guild, atMs);
    },
    async planAt(guild, row, atMs) {
      if (atMs === null) {
        // A row that is gone is hindered by nothing.
        const { due, troubles } = storeKeys(store, guild);
        const gone = redis.multi().zrem(due, row, heldRow(row)).hdel(troubles, row);
        await gone.exec();
        return;
      }
      await redis.zadd(dueOf(guild), atMs, row);
      // Whoever does it now does not say when it is due next.
      await redis.zrem(dueOf(guild), heldRow(row));
      note(guild, atMs);
    },
  };
}

/** Whoever has the row now began without them, and leaves them. */
function openNote({ redis, ...store }: Store): Due['note'] {
  return async (guild, row, notes) => {
    const lease = storeKeys(store, guild).lease(row);
    const forNext = Object.entries(notes).map(([name, note]) => [`next:${name}`, note] as const);
    if (forNext.length === 0) return false;
    const added = await redis.hset(lease, Object.fromEntries(forNext));
    await redis.expire(lease, SWEEP_SECONDS);
    return added > 0;
  };
}

function openNow(note: Due['note'], rows: Rows, plan: Due['plan']): Due['now'] {
  return async (guild, row, notes = {}) => {
    await note(guild, row, notes);
    await plan(guild, row, 0);
    const before = rows.running(guild, row);
    // It may wait for its turn, behind many others.
    if (before !== undefined && (await withinAMoment(before)) === null) return 'later';
    const tried = await withinAMoment(rows.begin(guild, row, true));
    const isOver = tried?.status === 'done' || tried?.atMs === null;
    return tried?.trouble ?? (isOver ? null : 'later');
  };
}

/** Null: it takes longer than somebody waits. */
async function withinAMoment<T>(work: Promise<T> | null): Promise<T | null> {
  const ending = new AbortController();
  const late = pause(WAIT_MS, null, { signal: ending.signal }).catch(() => null);
  return Promise.race([work, late]).finally(() => ending.abort());
}

/** Returns a function that has `ring` called by then (ms), if the process follows what is due. */
function openAlarm(
  { follows, clock, stopping }: DueNeeds,
  ring: () => void,
): (atMs: number) => void {
  let timer: { ringsAtMs: number; handle: NodeJS.Timeout } | undefined;
  return (atMs) => {
    if (!follows || stopping.aborted) return;
    // A clock that was moved is noticed by the minute's look, and what is planned by it after that is not held up.
    const inMs = Math.min(Math.max(TOGETHER_MS, atMs - clock.now()), MINUTE_MS);
    const ringsAtMs = performance.now() + inMs;
    if (timer !== undefined && timer.ringsAtMs <= ringsAtMs) return;
    clearTimeout(timer?.handle);
    const handle = setTimeout(() => {
      timer = undefined;
      ring();
    }, inMs).unref();
    timer = { ringsAtMs, handle };
  };
}

/** The rows of a guild that are due, and when the first of the others is (ms). */
async function readDue(
  store: Store,
  guild: Snowflake,
  now: number,
): Promise<{ found: Row[]; laterMs: number | null; pages: number }> {
  const { due } = storeKeys(store, guild);
  const found = new Set<Row>();
  for (let pages = 1; ; pages += 1) {
    const range = [String((pages - 1) * PAGE), String(pages * PAGE - 1)] as const;
    const page = pairs(await store.redis.zrange(due, ...range, 'WITHSCORES'));
    const later = page.find(([, score]) => Number(score) > now);
    for (const [row, score] of page) if (Number(score) <= now) found.add(rowOf(row));
    if (later !== undefined) return { found: [...found], laterMs: Number(later[1]), pages };
    if (page.length < PAGE) return { found: [...found], laterMs: null, pages };
  }
}

import type { Client } from 'discord.js';
import PQueue from 'p-queue';
import { z } from 'zod';
import { onPacket } from '../discord/gateway/packets.ts';
import { isFaultOfRedis, openWarnings } from '../redis/errors.ts';
import { withLease } from '../redis/lease.ts';
import { openMutex } from '../runtime/mutex.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import { RANKS_EVERY_MS } from './board-rules.ts';
import { bringUpToDate, deleteMessages, IDLE_MS, lookAt } from './keep-up.ts';
import { partOf } from './replacement.ts';
import {
  deleteBoard,
  NO_STATE,
  readBoard,
  type StoredBoard,
  writeBoardChoice,
  writeBoardState,
} from './stored-board.ts';
import { type KeepUpNeeds, type Known, saved } from './work.ts';

export interface BoardNeeds extends KeepUpNeeds {
  /** Aborted when the bot is stopping: no board is looked at any more. */
  stopping: AbortSignal;
}

/** The message in a channel of each guild that always shows its ten best articles. */
export interface Board {
  /** Looks at the boards that may have changed. Call it once a minute. */
  tick(): Promise<void>;
  /** Puts the board into a channel, or up again where it was deleted. `later`: it follows by itself. */
  put(guild: Snowflake, channel: Snowflake, by: Snowflake): Promise<Visited>;
  /** Takes the board down and deletes its message. */
  takeDown(guild: Snowflake): Promise<void>;
  /** What a manager chose, and what is known of the message; null: the guild has no board. */
  read(guild: Snowflake): Promise<StoredBoard | null>;
}

type Visited = 'shown' | 'later' | 'trouble';
/** `deleted`: this message is gone, and no process of the bot deleted it. `isAsked`: a manager waits. */
type News = { deleted?: Snowflake; isAsked?: boolean };

/** Boards that are looked at in parallel, since each mostly waits for its turn at Discord. */
const SIDE_BY_SIDE = 8;

const zDeleted = z.object({ id: zSnowflake, guild_id: zSnowflake });
const zDeletedMany = z.object({ ids: z.array(zSnowflake), guild_id: zSnowflake });

export function openBoard(needs: BoardNeeds): Board {
  const { client, store, ranking, clock, stopping } = needs;
  const warn = openWarnings(needs.log);
  const guilds = new Map<Snowflake, Known>();
  const inTurn = openMutex();
  const startedMs = clock.now();

  ranking.changes.listen((guild) => {
    const known = guilds.get(guild);
    if (known?.hasBoard) known.dueMs = 0;
  });
  followDeletions(client, (guild, ids) => {
    const message = guilds.get(guild)?.message ?? '';
    if (!ids.includes(message)) return;
    void visit(guild, { deleted: message }).catch((error: unknown) => {
      warn(error, { guild }, 'A deleted board could not be noted.');
    });
  });

  /** After a start, boards are looked at spread over the time between two edits. */
  function knownOf(guild: Snowflake): Known {
    const known = guilds.get(guild) ?? {
      message: null,
      hasBoard: false,
      dueMs: startedMs + partOf(guild, RANKS_EVERY_MS),
      deletedBelow: null,
      isUnsure: false,
    };
    guilds.set(guild, known);
    return known;
  }

  /** Brings the board up to date as far as its rules allow now. */
  function visit(id: Snowflake, news: News = {}): Promise<Visited> {
    return inTurn(id, () => visitNow(needs, knownOf(id), id, news));
  }

  /** What a manager chooses ends the work of another process on the board. */
  async function seize(guild: Snowflake, act: () => Promise<void>): Promise<void> {
    const seized = { guild, work: 'board', isSeized: true };
    await inTurn(guild, () => withLease(needs, seized, act));
  }

  async function visitInTick(id: Snowflake): Promise<void> {
    if (stopping.aborted) return;
    await visit(id).catch((error: unknown) => {
      if (stopping.aborted) return;
      knownOf(id).dueMs = 0;
      if (isFaultOfRedis(error)) ranking.onDamaged(id);
      warn(error, { guild: id }, 'A board could not be brought up to date; it is tried again.');
    });
  }

  return {
    async tick() {
      const queue = new PQueue({ concurrency: SIDE_BY_SIDE });
      for (const id of client.guilds.cache.keys()) {
        const isDue = knownOf(id).dueMs <= clock.now();
        if (isDue) void queue.add(() => visitInTick(id));
      }
      await queue.onIdle();
    },

    async put(guild, channel, by) {
      await seize(guild, () => choose(needs, guild, channel, by));
      return visit(guild, { isAsked: true });
    },

    async takeDown(guild) {
      await seize(guild, async () => {
        const before = await readBoard(store, guild);
        await deleteBoard(store, guild);
        guilds.delete(guild);
        if (before !== null) await deleteMessages(needs, guild, before);
      });
    },

    read: (guild) => readBoard(store, guild),
  };
}

function followDeletions(
  client: Client,
  onDeleted: (guild: Snowflake, ids: readonly Snowflake[]) => void,
): void {
  onPacket(client, 'MESSAGE_DELETE', zDeleted, ({ guild_id, id }) => onDeleted(guild_id, [id]));
  onPacket(client, 'MESSAGE_DELETE_BULK', zDeletedMany, ({ guild_id, ids }) =>
    onDeleted(guild_id, ids),
  );
}

async function visitNow(
  needs: BoardNeeds,
  known: Known,
  id: Snowflake,
  news: News,
): Promise<Visited> {
  const { client, store, clock } = needs;
  const guild = client.guilds.cache.get(id);
  const stored = await readBoard(store, id);
  known.hasBoard = stored !== null;
  known.message = stored?.state.message ?? null;
  known.dueMs = clock.now() + IDLE_MS;
  if (stored === null || !guild?.available) return 'later';
  const isNews = news.isAsked || news.deleted !== undefined;
  const act = isNews ? 'edit' : await lookAt(needs, guild, stored, known);
  if (act === 'nothing') return stored.state.trouble ? 'trouble' : 'shown';
  known.dueMs = 0;
  const done = await withLease(needs, { guild: id, work: 'board' }, async (held) => {
    const current = await readBoard(store, id);
    if (current === null) return NO_STATE;
    const work = { needs, guild, held, ...current };
    if (news.deleted !== undefined && news.deleted === current.state.message) {
      return saved(work, { message: null, articles: [], named: [], shown: '', deleted: true });
    }
    return bringUpToDate(work, known, news.isAsked === true);
  });
  if ('status' in done) return 'later';
  known.isUnsure = false;
  known.message = done.message;
  if (done.trouble) return 'trouble';
  return done.message === null ? 'later' : 'shown';
}

/** Stores a manager's choice. What hindered the board before no longer does. */
async function choose(
  needs: BoardNeeds,
  guild: Snowflake,
  channel: Snowflake,
  by: Snowflake,
): Promise<void> {
  const { store, clock } = needs;
  const before = await readBoard(store, guild);
  const isMoved = before !== null && before.choice.channel !== channel;
  const state = isMoved || before === null ? NO_STATE : before.state;
  const again = { deleted: false, trouble: null, restUntilMs: 0, restMs: 0 };
  // One may stand there of which Redis has lost what it was told.
  const search = state.message === null ? { postingMs: clock.now() } : {};
  await writeBoardState(store, guild, { ...state, ...again, ...search });
  await writeBoardChoice(store, guild, { channel, savedAtMs: clock.now(), savedBy: by });
  if (isMoved) await deleteMessages(needs, guild, before);
}

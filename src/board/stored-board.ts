import { z } from 'zod';
import { REASONS } from '../messages/messages.ts';
import { stored } from '../redis/stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { zTimeMs } from '../runtime/clock.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';

/** What a manager chose. It is exported and restored with the guild's data. */
export const zBoardChoice = z.object({
  channel: zSnowflake,
  savedAtMs: zTimeMs,
  savedBy: zSnowflake.nullable().default(null),
});
export type BoardChoice = z.infer<typeof zBoardChoice>;
const storedChoice = stored('board.choice', zBoardChoice);

/** Why the board cannot be shown, and since when. */
const zTrouble = z.object({
  reason: z.enum(REASONS),
  /** Permissions separated by commas, or Discord's own code. */
  detail: z.string().max(1000),
  sinceMs: zTimeMs,
});
export type BoardTrouble = z.infer<typeof zTrouble>;

export const BOARD_SIZE = 10;

/** What is known of the board's message. Without it, the channel is searched for the message. */
const zBoardState = z.object({
  /** The board's message; null: there is none. */
  message: zSnowflake.nullable().default(null),
  /** A message that a newer one replaced and that is still to be deleted. */
  old: zSnowflake.nullable().default(null),
  /** A message was to be posted at this time, and it is unknown whether Discord took it. */
  postingMs: zTimeMs.nullable().default(null),
  postedAtMs: zTimeMs.default(0),
  editedAtMs: zTimeMs.default(0),
  /** The articles that the message shows, the best first. */
  articles: z.array(zSnowflake).max(BOARD_SIZE).default([]),
  /** The members whom the message names. */
  named: z.array(zSnowflake).max(BOARD_SIZE).default([]),
  /** A hash of all that the message shows, without the time of its last change. */
  shown: z.string().max(64).default(''),
  /** The message was changed since it was posted, or posting the next one is overdue. */
  changed: z.boolean().default(false),
  /** Somebody deleted the message. It stays away until a manager puts the board up again. */
  deleted: z.boolean().default(false),
  trouble: zTrouble.nullable().default(null),
  /** Nothing is sent before this time, and how long the last wait was: each is twice the one before. */
  restUntilMs: zTimeMs.default(0),
  restMs: z.int().min(0).default(0),
  /** When the requests of the last hour were sent. */
  requestsMs: z.array(zTimeMs).max(50).default([]),
});
export type BoardState = z.infer<typeof zBoardState>;
export const storedState = stored('board.state', zBoardState);

export const NO_STATE: BoardState = zBoardState.parse({});

export type StoredBoard = { choice: BoardChoice; state: BoardState };

/** A guild's board; null: it has none. A state that cannot be read is searched for anew in the channel. */
export async function readBoard(store: Store, guild: Snowflake): Promise<StoredBoard | null> {
  const [choice, state] = await store.redis.hmget(storeKeys(store, guild).board, 'choice', 'state');
  const chosen = storedChoice.read(choice);
  if (chosen === null && choice != null) {
    store.log.warn({ guild }, 'The settings of a board cannot be read; it is not kept up.');
  }
  if (chosen === null) return null;
  const known = storedState.read(state);
  return { choice: chosen, state: known ?? { ...NO_STATE, postingMs: chosen.savedAtMs } };
}

/** Stores a manager's choice. What is known of the message stays. */
export async function writeBoardChoice(
  store: Store,
  guild: Snowflake,
  choice: BoardChoice,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).board, 'choice', storedChoice.write(choice));
}

export async function writeBoardState(
  store: Store,
  guild: Snowflake,
  state: BoardState,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).board, 'state', storedState.write(state));
}

/** Stores a choice from a file. Its message is searched for in the channel. */
export async function restoreBoardChoice(
  store: Store,
  guild: Snowflake,
  choice: BoardChoice,
): Promise<void> {
  const before = await readBoard(store, guild);
  if (before?.choice.channel !== choice.channel) {
    await store.redis.hdel(storeKeys(store, guild).board, 'state');
  }
  await writeBoardChoice(store, guild, choice);
}

export async function deleteBoard(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.del(storeKeys(store, guild).board);
}

import type { Client, Guild } from 'discord.js';
import type { GuildRules } from '../community/guild-rules.ts';
import { languageOfGuild } from '../community/settings.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { HeldLease } from '../redis/lease.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { type BoardState, type StoredBoard, storedState } from './stored-board.ts';

/** What keeping one board up needs. */
export interface KeepUpNeeds {
  /** Tells how Discord limits the board's edits. */
  client: Client;
  /** Where boards and digests are. */
  store: Store;
  /** The articles that may be shown. */
  ranking: Ranking;
  /** The first pages of lists, from the process's memory. */
  lists: TopLists;
  /** The settings of each guild: its language. */
  rules: GuildRules;
  /** Requests that wait behind members' answers and digests. */
  requests: Requests;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be shown. */
  log: Log;
}

/** Whether a guild has a board, and when to look at it next. */
export type Known = {
  message: Snowflake | null;
  hasBoard: boolean;
  dueMs: number;
  /** The latest message of the board's channel that is known to be deleted, with all between it and the board. */
  deletedBelow: Snowflake | null;
  /** Another process took the board over while an edit was on its way, which may show what has left it since. */
  isUnsure: boolean;
};

/** A board that this process alone works on. */
export type Work = StoredBoard & { needs: KeepUpNeeds; guild: Guild; held: HeldLease };

export async function saved(work: Work, change: Partial<BoardState>): Promise<BoardState> {
  const { needs, guild, held, state } = work;
  const next = { ...state, ...change };
  await held.write(storeKeys(needs.store, guild.id).board, { state: storedState.write(next) });
  return next;
}

/** The language that the board is written in. */
export async function localeOf({ rules }: KeepUpNeeds, guild: Guild): Promise<string> {
  return languageOfGuild(await rules.read(guild.id), guild) ?? 'en';
}

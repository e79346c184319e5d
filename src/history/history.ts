import type { APIMessage, Guild } from 'discord.js';
import type { Article } from '../ranking/articles/articles.ts';
import type { Due } from '../due/due.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Imports } from './import/import-needs.ts';
import { openImports } from './import/imports.ts';
import type { RecountNeeds } from '../votes/recount-needs.ts';
import { mayLackArticles } from './rebuild/may-lack-articles.ts';
import { openAfterLoss } from './rebuild/after-loss.ts';
import { scanKind, takeInRecent, takeInSoon } from './rebuild/take-in-recent.ts';
import { readRebuildState, type RebuildStep, rescanFrom } from './rebuild/stored-rebuilds.ts';
import { takeInAnew } from './take-in-message.ts';

/** Articles that are taken in get their votes as in a recount. */
export interface HistoryNeeds extends RecountNeeds {
  /** What is to be looked for, and imports that go on, are planned. */
  due: Due;
  /** Whether the host has switched on the Message Content intent, without which imports see no links. */
  messageContent: boolean;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

/** From Discord's messages back to articles. */
export interface History {
  /** The rebuilds of guilds that this process knows of. */
  rebuilding: Map<Snowflake, RebuildStep>;
  /** Whether a list should say that articles may be missing; `isEmpty`: nothing is in it. */
  mayLackArticles(guild: Snowflake, isEmpty: boolean): Promise<boolean>;
  /** Looks for messages of the last minutes that were sent but not committed. */
  takeIn(guild: Guild): Promise<unknown>;
  /** The same, a few times with growing pauses. */
  takeInSoon(guild: Snowflake): void;
  /** Replaces an article by what its message says. Null if the message is none of an article. */
  takeInAnew(guild: Snowflake, message: APIMessage): Promise<Article | null>;
  /** Resolves when the messages are taken in of which Redis may have lost the articles. */
  takenIn(guild: Snowflake): Promise<void>;
  /** Calls back for a guild whose articles Redis may have lost, or their changes. */
  onLoss(listener: (guild: Snowflake) => void): void;
  /** Has the messages since this time (ms) searched again for articles. */
  searchAgainFrom(guild: Snowflake, fromMs: number): Promise<void>;
  /** Takes in the links that a guild posted before the bot came. */
  imports: Imports;
}

/** Many articles of one recount are searched for in one look. */
const AGAIN_MS = 10_000;

export function openHistory(needs: HistoryNeeds): History {
  const { store, clock, due } = needs;
  const rebuilding = new Map<Snowflake, RebuildStep>();
  const imports = openImports({
    ...needs,
    isComplete: async (guild) => (await readRebuildState(store, guild)).complete,
  });
  const afterLoss = openAfterLoss(needs);
  due.handle(scanKind(needs));
  return {
    takenIn: (guild) => afterLoss.takenIn(guild),
    onLoss: (listener) => afterLoss.onLoss(listener),
    rebuilding,
    mayLackArticles: (guild, isEmpty) => mayLackArticles({ rebuilding, store }, guild, isEmpty),
    takeIn: (guild) => takeInRecent(needs, guild),
    takeInSoon: (guild) => needs.hold(takeInSoon(needs, guild).catch(() => {})),
    takeInAnew: (guild, message) => takeInAnew(needs, guild, message),
    async searchAgainFrom(guild, fromMs) {
      await rescanFrom(store, guild, fromMs);
      await due.plan(guild, 'scan', clock.now() + AGAIN_MS);
    },
    imports,
  };
}

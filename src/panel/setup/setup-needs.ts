import type { Board } from '../../board/board.ts';
import type { LogChannelNeeds } from '../../community/admin-messages.ts';
import type { Digests } from '../../digests/digests.ts';
import type { Due } from '../../due/due.ts';
import type { Imports } from '../../history/import/import-needs.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import type { Clock } from '../../runtime/clock.ts';

/** What the set-up needs. */
export interface SetupNeeds extends LogChannelNeeds {
  /** Where the digests of each guild are. */
  store: Store;
  /** Has digests posted at their times. */
  due: Due;
  /** Discord's time. */
  clock: Clock;
  /** What is in the lists, and how much is posted. */
  ranking: Ranking;
  /** Put up and taken down. */
  board: Board;
  /** The edition that would come, drafted or posted at once. */
  digests: Pick<Digests, 'preview' | 'draft' | 'post'>;
  /** Whether the host has switched on the Message Content intent, without which no link is seen. */
  messageContent: boolean;
  /** Counts the links that were posted before the bot came, and knows which of them were imported. */
  imports: Pick<Imports, 'counts' | 'read'>;
}

import type { VotesParts } from '../votes/parts.ts';

export interface HistoryNeeds extends VotesParts {
  /** Whether the host has switched on the Message Content intent, without which imports see no links. */
  messageContent: boolean;
}

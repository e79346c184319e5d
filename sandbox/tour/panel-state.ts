/** What the tour's server tells its panel. Types alone: the browser reads this file too. */

import type { Phase } from './phases.ts';

/** What a new world begins with. */
export type WorldKind = 'month' | 'links' | 'empty';

export type Step =
  | 'set-up'
  | 'import'
  | 'report'
  | 'board'
  | 'post'
  | 'vote'
  | 'switch'
  | 'climb'
  | 'told'
  | 'mine'
  | 'top'
  | 'new'
  | 'needs-vote'
  | 'save'
  | 'mute'
  | 'feed'
  | 'flag'
  | 'group'
  | 'remove'
  | 'words'
  | 'digest'
  | 'recount'
  | 'signs'
  | 'check-up';

/** The bot's buttons and choices that the tour names, as they are called in a language. */
export type ButtonName =
  | 'setUpButton'
  | 'importButton'
  | 'beginButton'
  | 'boardButton'
  | 'checkUpButton'
  | 'votesSetting'
  | 'upSetting'
  | 'needsVote'
  | 'muteSelect'
  | 'flagCommand'
  | 'moderateCommand'
  | 'removeButton'
  | 'undoButton';

export type TourState = {
  kind: WorldKind;
  /** What the start still does; null: it is over. */
  phase: Phase | null;
  /** What the panel offers to its makers is shown too. */
  inside: boolean;
  /** The steps of this world, in their order. */
  steps: Step[];
  done: Step[];
  /** The ids of the channels that the tour leads to. */
  channels: Record<'general' | 'frontPage' | 'rust', string>;
  /** By Discord's names of languages. */
  buttons: Record<string, Record<ButtonName, string>>;
  /** The community's page on the web; null where the bot serves none. */
  webPage: string | null;
  /** Somebody voted while the gateway was cut, and the bot has not counted it yet. */
  isVoteMissed: boolean;
  /** A link that nobody has posted yet, for the first step. */
  freshLink: string;
};

export type TroubleState = {
  /** `cut`: no connection, and what happens meanwhile is never told. */
  gateway: 'open' | 'cut';
  redis: 'there' | 'away';
  api: 'ok' | 'slow' | 'failing';
};

/** An article as Redis has it. */
export type Ranked = {
  id: string;
  title: string;
  score: number;
  up: number;
  down: number;
  /** From 1; null for an article that is not in the guild's lists. */
  rank: number | null;
  of: number;
  closesAtMs: number;
  interesting: boolean;
  closed: boolean;
  groups: string[];
  /** What redis-cli would be asked. */
  keys: { row: string; score: string };
};

export type Look = { status: 'found'; article: Ranked } | { status: 'unknown' | 'away' };

/** A line of the guild's list, best first. */
export type FrontLine = { id: string; title: string; net: number; score: number; closed: boolean };

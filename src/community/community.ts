import type { Log } from '../runtime/log.ts';
import type { Store } from '../redis/store.ts';
import { type GuildRules, openGuildRules } from './guild-rules.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Settings } from './settings.ts';
import { type MemberLimits, openMemberLimits } from './member-limits.ts';

export interface CommunityNeeds {
  /** Where settings, blocks and opt-outs are. */
  store: Store;
  /** Says what could not be done. */
  log: Log;
  /** Called with a guild's settings whenever they were read. */
  onSettings: (guild: Snowflake, settings: Settings) => void;
}

/** What a guild decided, and how often a member may do something. */
export interface Community {
  /** Each guild's settings, blocks and opted-out members, cached in the process. */
  rules: GuildRules;
  /** The actions of members in the last minutes, counted in the process. */
  memberLimits: MemberLimits;
}

export function openCommunity({ store, log, onSettings }: CommunityNeeds): Community {
  return {
    rules: openGuildRules(store, log, undefined, onSettings),
    memberLimits: openMemberLimits(),
  };
}

import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/** A reaction of a member under an article. */
export type MemberReaction = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  member: Snowflake;
  direction: Direction;
};

/** An event that changes the votes of an article. */
export type GatewayEvent = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  /** When the event arrived, which decides whether voting was open. */
  atMs: number;
} & (
  | {
      kind: 'reaction';
      member: Snowflake;
      direction: Direction;
      shown: boolean;
      /** The variant, which the gateway sends. */
      emoji?: string;
      /** When the member joined (ms), and the member's roles, if the gateway sent them. */
      joinedAtMs?: number | null;
      roles?: readonly Snowflake[] | null;
    }
  | { kind: 'clear'; direction: Direction | 'all' }
  | { kind: 'removal' }
);

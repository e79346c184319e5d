import type { Snowflake } from '../../ranking/snowflake.ts';

/** A guild as its public page shows it. */
export type Community = {
  name: string;
  /** A Discord locale. */
  locale: string;
  /** The groups that @everyone may view and that are not age-restricted, in the guild's order. */
  groups: { id: Snowflake; name: string }[];
};

/** The facts about Discord that the pages need. */
export type Edge = {
  /** Null for a guild that this process does not serve. */
  community(guild: Snowflake): Community | null;
  /** Null if the member is unknown or Discord does not answer now. */
  displayName(guild: Snowflake, member: Snowflake): Promise<string | null>;
};

import type { Snowflake } from '../ranking/snowflake.ts';
import type { GatewayEvent } from './retry-buffer.ts';

/** What happened to an article since somebody began to look. */
export type Notes = {
  /** Who voted, repeated what was known, or took back. */
  readonly members: ReadonlySet<Snowflake>;
  /** Reactions were cleared, or the message was deleted: what was read before means nothing now. */
  readonly cleared: boolean;
  end(): void;
};

/**
 * Notes who votes on an article while it is being recounted, so that the recount leaves them alone:
 * what it read may be older than what they just did.
 *
 * Events are noted as they arrive, before the ranking is told. The ranking hears of them on the same
 * connection as of the recount's repairs, in this order. So a member is either noted when the repair
 * looks, or votes after the repair was sent; the live event wins both ways. A repeated vote is noted
 * too, which costs the vote's script nothing.
 */
export type ConcurrentVotes = {
  begin(article: Snowflake): Notes;
  note(happening: GatewayEvent): void;
};

export function openConcurrentVotes(): ConcurrentVotes {
  type Open = { members: Set<Snowflake>; cleared: boolean };
  const open = new Map<Snowflake, Set<Open>>();
  return {
    begin(article) {
      const notes: Open = { members: new Set(), cleared: false };
      const all = open.get(article) ?? new Set();
      open.set(article, all.add(notes));
      return {
        members: notes.members,
        get cleared() {
          return notes.cleared;
        },
        end() {
          all.delete(notes);
          if (all.size === 0 && open.get(article) === all) open.delete(article);
        },
      };
    },
    note(happening) {
      for (const notes of open.get(happening.article) ?? []) {
        if (happening.kind === 'reaction') notes.members.add(happening.member);
        else notes.cleared = true;
      }
    },
  };
}

import type { Snowflake } from '../ranking/snowflake.ts';
import type { GatewayEvent } from './retry-buffer.ts';

/** The events on an article since a recount of it began. */
export type Notes = {
  /** Members who voted, repeated a vote, or removed one. */
  readonly members: ReadonlySet<Snowflake>;
  /** Reactions were cleared or the message was deleted, so earlier reads are invalid. */
  readonly cleared: boolean;
  end(): void;
};

/**
 * Records which members vote on an article during its recount. The recount skips these members, because
 * its data may be older than their votes.
 *
 * Each event is recorded on arrival, before it is written to the ranking. Events and the recount's
 * repairs are written on the same connection, in order. So either the repair sees the member's record,
 * or the vote is written after the repair. The live event wins in both cases. A repeated vote is
 * recorded too, at no cost for the vote's script.
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

import type { Snowflake } from '../ranking/snowflake.ts';
import type { GatewayEvent } from './gateway-events.ts';

/** The events on an article since a recount of it began. */
export type ConcurrentEvents = {
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
  begin(article: Snowflake): ConcurrentEvents;
  record(event: GatewayEvent): void;
};

export function openConcurrentVotes(): ConcurrentVotes {
  type Open = { members: Set<Snowflake>; cleared: boolean };
  const open = new Map<Snowflake, Set<Open>>();
  return {
    begin(article) {
      const concurrent: Open = { members: new Set(), cleared: false };
      const all = open.get(article) ?? new Set();
      open.set(article, all.add(concurrent));
      return {
        members: concurrent.members,
        get cleared() {
          return concurrent.cleared;
        },
        end() {
          all.delete(concurrent);
          if (all.size === 0 && open.get(article) === all) open.delete(article);
        },
      };
    },
    record(event) {
      for (const concurrent of open.get(event.article) ?? []) {
        if (event.kind === 'reaction') concurrent.members.add(event.member);
        else concurrent.cleared = true;
      }
    },
  };
}

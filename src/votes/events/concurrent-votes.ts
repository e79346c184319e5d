import type { Snowflake } from '../../runtime/snowflake.ts';
import type { GatewayEvent } from './gateway-events.ts';

/** The events on an article since a recount of it began. Call `end` at its end. */
export type ConcurrentEvents = {
  /** Members who voted, repeated a vote, or removed one. */
  readonly members: Set<Snowflake>;
  /** Reactions were cleared or the message was deleted, so earlier reads are invalid. */
  cleared: boolean;
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
export function openConcurrentVotes() {
  const open = new Map<Snowflake, Set<ConcurrentEvents>>();
  return {
    begin(article: Snowflake): ConcurrentEvents {
      const all = open.get(article) ?? new Set();
      const concurrent: ConcurrentEvents = {
        members: new Set(),
        cleared: false,
        end() {
          all.delete(concurrent);
          if (all.size === 0 && open.get(article) === all) open.delete(article);
        },
      };
      open.set(article, all.add(concurrent));
      return concurrent;
    },
    isUnderWay: (article: Snowflake): boolean => open.has(article),
    record(event: GatewayEvent): void {
      for (const concurrent of open.get(event.article) ?? []) {
        if (event.kind === 'reaction') concurrent.members.add(event.member);
        else concurrent.cleared = true;
      }
    },
  };
}

import { readReactionCounts } from '../../ranking/ballots/voters.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { limits } from '../../discord/limits.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import type { Watch } from '../seen-reactions.ts';
import { readMessages } from './messages.ts';
import type { Counted } from './plan.ts';
import { isArchived } from './repair-message.ts';

/** A page of counts. */
export type Page = {
  counted: readonly Counted[];
  /** The events on each article since the page was requested. Whoever gets the page ends them. */
  watches: ReadonlyMap<Snowflake, Watch>;
};

/** Reads the counts of a channel's articles, and what is known of each. `ids` must be in ascending order. */
export async function* readPages(
  needs: RecountNeeds,
  guild: Snowflake,
  channel: Snowflake,
  ids: readonly Snowflake[],
): AsyncGenerator<Page> {
  const { ranking, requests, seen } = needs;
  const pages = readMessages(needs, guild, channel, ids);
  for (let next = 0; next < ids.length; ) {
    const watches = new Map(
      ids.slice(next, next + limits.pageSize).map((id) => [id, seen.watch(id)]),
    );
    try {
      const page = await pages.next();
      if (page.done === true) return;
      const found = page.value;
      next += found.length;
      const foundIds = found.map(({ id }) => id);
      const stored = await readReactionCounts(ranking, guild, foundIds);
      const counted = found.map((one, at): Counted => {
        const known = stored[at] ?? null;
        return {
          ...one,
          stored: known,
          lastReading: seen.lastReading(one.id),
          hasChanged: (watches.get(one.id)?.members.size ?? 0) > 0,
          isOwn: Boolean(one.message) && requests.see(one.message!),
          isArchived: known !== null && isArchived(needs, guild, known.article),
        };
      });
      const ofPage = new Map(foundIds.map((id) => [id, watches.get(id) ?? seen.watch(id)]));
      for (const id of foundIds) watches.delete(id);
      yield { counted, watches: ofPage };
    } finally {
      for (const watch of watches.values()) watch.end();
    }
  }
}

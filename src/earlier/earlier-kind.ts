import type { Client } from 'discord.js';
import type { Due } from '../due/due.ts';
import type { Held, Kind, Next } from '../due/kind.ts';
import {
  indexAll,
  indexArticle,
  isIndexed,
  type SubjectsNeeds,
} from '../ranking/subjects/subjects.ts';
import { type Clock, HOUR_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';

interface EarlierKindNeeds {
  /** Its cache knows the threads that are open. */
  client: Client;
  /** The index. */
  subjects: SubjectsNeeds;
  /** Has a thread told. */
  due: Due;
  /** Says whether a thread is new. */
  clock: Clock;
}

const DONE: Next = { atMs: null };
/** While old articles come, each look at them costs as much as a guild has articles. */
const AGAIN_MS = 10_000;

/**
 * Has the index find an article by what it says now: a script plans `earlier:<article>` where that changes. `earlier`
 * alone brings along all that are not indexed: what was there before, and old articles that an import or a file brings.
 */
export function earlierKind(needs: EarlierKindNeeds): Kind {
  const { subjects, clock } = needs;
  return {
    name: 'earlier',
    sideBySide: 4,
    async standing(guild) {
      return (await isIndexed(subjects.ranking, guild)) ? [] : [{ row: 'earlier', atMs: 0 }];
    },
    async run(held) {
      const { guild, id, signal } = held;
      if (id !== '') return indexOne(needs, held);
      await indexAll(subjects, guild, signal);
      // Others may have come meanwhile.
      const isAll = await isIndexed(subjects.ranking, guild);
      return isAll ? DONE : { atMs: clock.now() + AGAIN_MS };
    },
  };
}

async function indexOne(
  { client, subjects, due, clock }: EarlierKindNeeds,
  { guild, id }: Held,
): Promise<Next> {
  const article = await indexArticle(subjects, guild, id);
  if (article !== null && isNewThread(client, id, clock.now())) {
    await due.note(guild, `tell:${id}`, { earlier: '1' });
    await due.plan(guild, `tell:${id}`, 0);
  }
  return DONE;
}

/** Only the first lines of a thread tell what was before. */
function isNewThread(client: Client, article: Snowflake, now: number): boolean {
  const thread = client.channels.cache.get(article);
  if (!thread?.isThread()) return false;
  return now - (thread.createdTimestamp ?? snowflakeTimeMs(article)) < HOUR_MS;
}

import type { Snowflake } from '../../runtime/snowflake.ts';

/** The most tries of one message. Each article alone and each half of them fit into it for about 30 articles. */
export const TRIES_AT_MOST = 60;

type Search = {
  /** The articles that the message would name, if it may not name some, the most important first. */
  wanted: (refused: ReadonlySet<Snowflake>) => Promise<readonly Snowflake[]>;
  /**
   * Shows the message with only these articles, by sending or editing it. `empty`: it was not tried, since it
   * would say nothing. `ended`: nothing can be shown any more, whatever stands in it.
   */
  show: (only: ReadonlySet<Snowflake>) => Promise<'taken' | 'refused' | 'empty' | 'ended'>;
  /** What the message names already. With nothing, Discord has refused the message with all of them. */
  taken?: readonly Snowflake[];
  triesAtMost?: number;
};

/** `isOfNumber`: Discord takes so many articles at once, whichever they are, so that none of the refused is to blame. */
type Found = {
  taken: ReadonlySet<Snowflake>;
  refused: ReadonlySet<Snowflake>;
  isOfNumber: boolean;
};

type Part = { ids: readonly Snowflake[]; isRefused: boolean; other?: Part };

/**
 * Shows as many articles as Discord takes, where it refuses a message with all of them and does not say which
 * it means: halves of them, and halves of each refused half, are added to what it takes. What takes the place
 * of the refused ones is tried in the same way.
 */
export async function showWhatIsTaken(search: Search): Promise<Found> {
  const { taken, refused, hasEnded } = await findTaken(search);
  const isOfNumber = !hasEnded && (await refusesNumber(search, taken, refused));
  return { taken, refused, isOfNumber };
}

/**
 * Whether Discord takes a refused article in the place of another: then a rule counts the whole message, such as
 * its mentions. With one refused article it is not asked, which costs an edit.
 */
async function refusesNumber(
  { show }: Search,
  taken: ReadonlySet<Snowflake>,
  refused: ReadonlySet<Snowflake>,
): Promise<boolean> {
  const [other] = refused;
  if (taken.size === 0 || refused.size < 2 || other === undefined) return false;
  const outcome = await show(new Set([...[...taken].slice(0, -1), other]));
  if (outcome !== 'taken') return false;
  await show(taken);
  return true;
}

async function findTaken({ wanted, show, taken: first = [], triesAtMost = TRIES_AT_MOST }: Search) {
  const taken = new Set(first);
  const refused = new Set<Snowflake>();
  let isRefused = first.length === 0;
  for (let tries = 0; tries < triesAtMost; ) {
    const missing = (await wanted(refused)).filter((id) => !taken.has(id));
    const parts: Part[] = missing.length === 0 ? [] : [{ ids: missing, isRefused }];
    const before = taken.size + refused.size;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const { ids } = part;
      let outcome: Awaited<ReturnType<Search['show']>> = 'refused';
      if (!part.isRefused) {
        if (tries >= triesAtMost) break;
        outcome = await show(new Set([...taken, ...ids]));
        if (outcome !== 'empty') tries += 1;
      }
      if (outcome === 'ended') return { taken, refused, hasEnded: true };
      if (outcome === 'taken') {
        for (const id of ids) taken.add(id);
        // With the other half it is the message that was refused before.
        if (part.other) part.other.isRefused = true;
      } else if (outcome === 'refused' && ids.length === 1) refused.add(ids[0]!);
      else if (outcome === 'refused') {
        const half = Math.ceil(ids.length / 2);
        const other = { ids: ids.slice(half), isRefused: false };
        parts.push(other, { ids: ids.slice(0, half), isRefused: false, other });
      }
    }
    isRefused = false;
    if (taken.size + refused.size === before) break;
  }
  return { taken, refused, hasEnded: false };
}

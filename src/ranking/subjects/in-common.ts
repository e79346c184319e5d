import { type About, sectionsOf, type Word, wordsOf } from './subject-words.ts';

/** How many articles a guild has, and how many of them have a word or are of a section. */
export type Counts = { articles: number; of: (term: string) => number };

/** A word is rare that at most so many articles have, or in a large guild so small a part of them. */
const RARE_AT_MOST = 8;
const RARE_PART = 0.001;
/** Of a word that more articles have, the index does not say how many. */
const COUNTED_AT_MOST = 40;

export function isRare(count: number, articles: number): boolean {
  const most = Math.min(Math.max(RARE_AT_MOST, articles * RARE_PART), COUNTED_AT_MOST);
  return count > 0 && count <= most;
}

/** The rarer, the more a term says. In a small guild every word is rare. */
export function weightOf(term: string, { articles, of }: Counts): number {
  return Math.log(Math.max(articles, 100) / of(term));
}

/** What a rare word says of two articles: one that both have in their titles, in one title, or in no title. */
const IN_TITLES = 1;
const IN_TITLE = 0.75;
const IN_NONE = 0.5;
/** A site that is rare here says less than a section of it, and a project in a forge as much as two words. */
const SITE = 0.5;
const SECTION = 0.75;
const PROJECT = 2;
/** What the site is named after is what it is about: `DuckDB` at duckdb.org. */
const IN_HOST = 0.25;
/** Two words in common, of which one may stand in a description, or a word and a section. */
const ENOUGH = IN_TITLES + IN_TITLE;

/**
 * Compares others with an article: how much they are about the same; null: not enough to say so. It adds up the weights
 * of the rare words and of the section that both have, of which there must be two.
 */
export function comparedWith(one: About, counts: Counts): (other: About) => number | null {
  const [mine, mineWithoutSite] = [wordsOf(one), wordsOf(one, true)];
  return (other) => {
    const isOneSite = hostOf(one.link) === hostOf(other.link);
    return inCommon(isOneSite ? mineWithoutSite : mine, wordsOf(other, isOneSite), {
      counts,
      shared: sectionInCommon(one.link, other.link, counts),
    });
  };
}

type Words = ReturnType<typeof wordsOf>;

function inCommon(
  mine: Words,
  theirs: Words,
  { counts, shared }: { counts: Counts; shared: ReturnType<typeof sectionInCommon> },
): number | null {
  const [inTitle, inText] = [setOf(theirs.title), setOf(theirs.description)];
  const known = new Set<string>();
  let enough = shared?.says ?? 0;
  let score = shared === null ? 0 : shared.says * weightOf(shared.name, counts);

  function add(words: readonly Word[], isTitle: boolean): void {
    let endOfLast = 0;
    for (const { word, from, to } of words) {
      const isInTheirs = inTitle.has(word);
      if (known.has(word) || !(isInTheirs || inText.has(word))) continue;
      if (!isRare(counts.of(word), counts.articles)) continue;
      known.add(word);
      // The second pair of signs of one word, or a word of the section's name.
      if (from < endOfLast || shared?.path.includes(word)) continue;
      endOfLast = to;
      const says = isTitle && isInTheirs ? IN_TITLES : isTitle || isInTheirs ? IN_TITLE : IN_NONE;
      enough += says + (shared?.host.includes(word) && says === IN_TITLES ? IN_HOST : 0);
      score += says * weightOf(word, counts);
    }
  }
  add(mine.title, true);
  add(mine.description, false);
  return enough < ENOUGH ? null : score;
}

/** The narrowest section that both are in, where it is rare, what it says, and its path. */
function sectionInCommon(one: string, other: string, counts: Counts) {
  const theirs = new Set(sectionsOf(other).map((one) => one.name));
  const section = sectionsOf(one).findLast((mine) => theirs.has(mine.name));
  if (section === undefined || !isRare(counts.of(section.name), counts.articles)) return null;
  const { name, depth, isOfForge } = section;
  const says = depth === 0 ? SITE : depth === 2 && isOfForge ? PROJECT : SECTION;
  const [host = '', ...path] = name.split('/').slice(2);
  return { name, says, host, path: path.join('/') };
}

const hostOf = (link: string) => sectionsOf(link)[0]?.name;

const setOf = (words: readonly Word[]) => new Set(words.map(({ word }) => word));

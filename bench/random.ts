/** The articles with the highest scores, without sorting all of them each hour. */
export function highest<T>(all: readonly T[], score: (article: T) => number, count: number): T[] {
  const best: { article: T; at: number }[] = [];
  for (const article of all) {
    const at = score(article);
    if (best.length === count && at <= best.at(-1)!.at) continue;
    const place = best.findIndex((other) => other.at < at);
    best.splice(place < 0 ? best.length : place, 0, { article, at });
    if (best.length > count) best.pop();
  }
  return best.map(({ article }) => article);
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function poisson(mean: number, random: () => number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

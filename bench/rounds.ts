/** One side of a comparison: works for a short slice and returns its result in its own unit. */
export type Contender<Name extends string> = { name: Name; slice(): Promise<number> };

/** The results of each contender, one number a round. */
export type Results<Name extends string> = Record<Name, number[]>;

/**
 * Lets contenders take turns in one run, each round in another order, so that other work on the
 * machine affects all of them. The first round is a warm-up and does not count.
 */
export async function race<Name extends string>(
  contenders: readonly Contender<Name>[],
  rounds: number,
): Promise<Results<Name>> {
  const results = Object.fromEntries(contenders.map(({ name }) => [name, []])) as unknown;
  for (let round = 0; round <= rounds; round++) {
    for (const contender of rotate(contenders, round)) {
      const measured = await contender.slice();
      if (round > 0) (results as Results<Name>)[contender.name].push(measured);
    }
  }
  return results as Results<Name>;
}

/** The median of the rounds' own ratios: a disturbance of a whole round does not affect it. */
export function ratio<Name extends string>(
  results: Results<Name>,
  above: NoInfer<Name>,
  below: NoInfer<Name>,
): number {
  return median(results[above].map((measured, round) => measured / results[below][round]!));
}

export function rotate<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

export function median(numbers: readonly number[]): number {
  if (numbers.length === 0) throw new Error('There is no median of nothing.');
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle)
    ? (sorted[middle - 1]! + sorted[middle]!) / 2
    : sorted[Math.floor(middle)]!;
}

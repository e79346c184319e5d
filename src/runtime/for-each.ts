/**
 * Does the work for one item after the other. What fails stops none of the others: the first error is
 * thrown when all were tried.
 */
export async function forEach<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

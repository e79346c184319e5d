/** What is done within this time is not said to be waited for. */
const SAID_AFTER_MS = 400;

/**
 * Runs what somebody clicked, unless the same is under way: a second click does nothing. `wait` is called once
 * it takes longer than a moment.
 */
export async function oneAtATime<T>(
  underWay: Set<string>,
  key: string,
  work: { run: () => Promise<T>; wait: () => void },
): Promise<T | undefined> {
  if (underWay.has(key)) return undefined;
  underWay.add(key);
  const patience = setTimeout(work.wait, SAID_AFTER_MS);
  try {
    return await work.run();
  } finally {
    clearTimeout(patience);
    underWay.delete(key);
  }
}

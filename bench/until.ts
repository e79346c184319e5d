/** Waits until a condition holds. */
export async function until(
  holds: () => unknown,
  withinMs = 60_000,
  lookEveryMs = 2,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It does not come to hold.');
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

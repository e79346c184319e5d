/** Waits until a condition holds, a minute at most. */
export async function until(holds: () => unknown): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It does not come to hold.');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * `npm test` runs a sample of the files called `<name>.sample.test.ts`; `npm run test:slow` runs them
 * whole.
 */
export const isWhole = process.env['TEST_WHOLE'] === 'yes';

/** Evenly spread over all of them. */
export function sample<T>(all: readonly T[], count: number): T[] {
  if (isWhole || all.length <= count) return [...all];
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]!);
}

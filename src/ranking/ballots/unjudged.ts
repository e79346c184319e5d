import type { Article } from '../row.ts';

/** Whether voting is open, and nobody but its poster has judged it. */
export function isUnjudged(
  { up, down, closed, locked, closesAtMs }: Article,
  now: number,
): boolean {
  return up === 1 && down === 0 && !closed && !locked && now < closesAtMs;
}

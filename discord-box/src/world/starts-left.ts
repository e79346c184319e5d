import type { IdentifyLimit, World } from '../model/world.ts';

const DAY_MS = 86_400_000;

/** How many sessions may still begin today. */
export function startsLeft({ clock, identifies }: World): IdentifyLimit['left'] {
  const { left } = identifies;
  if (clock.now() >= left.resetAtMs) {
    Object.assign(left, { remaining: left.total, resetAtMs: clock.now() + DAY_MS });
  }
  return left;
}

import type { Random } from '../../discord/world/random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY = 8;

/**
 * Moments in the days before `nowMs`, oldest first: more on working days than at weekends, by day more
 * than at night, and a good number in the last day.
 */
export function pastMoments(
  { nowMs, days, count }: { nowMs: number; days: number; count: number },
  random: Random,
): number[] {
  const moments = Array.from({ length: Math.min(TODAY, count) }, () =>
    Math.floor(nowMs - 0.2 * HOUR_MS - random.next() * 22 * HOUR_MS),
  );
  while (moments.length < count) {
    const moment = nowMs - DAY_MS - random.next() * (days - 1) * DAY_MS;
    if (random.next() < likelihood(new Date(moment))) moments.push(Math.floor(moment));
  }
  return moments.sort((a, b) => a - b);
}

function likelihood(date: Date): number {
  const isWeekend = [0, 6].includes(date.getDay());
  const isNight = date.getHours() < 7;
  return (isWeekend ? 0.35 : 1) * (isNight ? 0.15 : 1);
}

import { DAY_MS } from '../clock.ts';

const unitDays = { d: 1, w: 7, m: 30, y: 365 };

/**
 * Parses a typed day: 2026-03-01, 2026-03 or 2026 (its beginning, in UTC), or 7d, 2w, 3m, 1y ago. Null
 * for anything else.
 */
export function parseDay(text: string, now: number): { fromMs: number } | null {
  const typed = text.trim().toLowerCase();
  const [, count, unit] = /^(\d{1,4})\s?([dwmy])$/.exec(typed) ?? [];
  if (count !== undefined && unit !== undefined) {
    const days = Number(count) * unitDays[unit as keyof typeof unitDays];
    return { fromMs: now - days * DAY_MS };
  }
  const [, year, month = '01', day = '01'] =
    /^(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?)?月?)?年?$/.exec(typed) ?? [];
  if (year === undefined) return null;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const fromMs = Date.parse(`${date}T00:00:00Z`);
  // Refuse days that do not exist, such as 31 February.
  if (Number.isNaN(fromMs) || new Date(fromMs).toISOString().slice(0, 10) !== date) return null;
  return { fromMs };
}

import { zoneNamed } from '../../digests/schedule/time-zones.ts';

/** What the set-up sets up, in the order in which it shows it. */
export const LINES = ['digest', 'discussion', 'board', 'links', 'votes', 'feeds'] as const;
export type Line = (typeof LINES)[number];

export const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** What is chosen before it takes effect. The custom ids of the set-up carry it. */
export type Chosen = { zone: string | null; time: string | null; without: readonly Line[] };

/** Reads what custom ids carry: `<zone>|<time>|<positions in `LINES` of those that stay as they are>`. */
export function readChosen([zone = '', time = '', without = '']: readonly string[]): Chosen {
  return {
    zone: zoneNamed(zone),
    time: hourNamed(time),
    without: LINES.filter((_, at) => without.includes(String(at))),
  };
}

export function carried({ zone, time, without }: Chosen): string {
  return [zone ?? '', time ?? '', without.map((line) => LINES.indexOf(line)).join('')].join('|');
}

export function hourNamed(text: string | null): string | null {
  return HOURS.find((hour) => hour === text) ?? null;
}

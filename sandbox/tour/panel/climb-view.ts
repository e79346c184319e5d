import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { get, post } from '../../page/browser/state/api.ts';
import { withEmoji } from '../../page/browser/parts/emoji.ts';
import { redraw, state } from '../../page/browser/state/state.ts';
import type { FrontLine } from '../panel-state.ts';
import { sayTour } from './words/say-tour.ts';

type Front = { lines: FrontLine[]; climbing: string | null };

const LOOK_EVERY_MS = 500;
/** A line's height in pixels, with the gap to the next one. */
const LINE = 30;
const GLIDE = { duration: 450, easing: 'ease' };

let front: Front = { lines: [], climbing: null };
/** Where a line came from that votes have just moved, from 1, and until when that is shown. */
const moved = new Map<string, { from: number; untilMs: number }>();
const MOVED_MS = 20_000;
let shownAtMs = 0;
let looking = false;

/** Only while the list is in sight. */
setInterval(() => {
  if (document.hidden || looking || performance.now() - shownAtMs > 2 * LOOK_EVERY_MS) return;
  looking = true;
  void get<Front>(`front/${state.guild.id}`)
    .then((read) => {
      const before = front.lines;
      front = read;
      noteMoves(before);
      redraw();
      // After the drawing.
      if (!matchMedia('(prefers-reduced-motion: reduce)').matches) setTimeout(glideFrom, 0, before);
    })
    .catch(() => {})
    .finally(() => {
      looking = false;
    });
}, LOOK_EVERY_MS);

export function startClimb(): Promise<unknown> {
  return post('climb', { guild: state.guild.id });
}

/** Of some articles, the one in sight of the list that lacks least to the next place. */
export function nearestToRise(ids: readonly string[]): string | undefined {
  const lacking = front.lines.slice(1).flatMap(({ id, score, closed }, at) => {
    const above = front.lines.at(at)?.score ?? score;
    return !closed && ids.includes(id) ? [{ id, lacks: above - score }] : [];
  });
  return lacking.toSorted((a, b) => a.lacks - b.lacks)[0]?.id;
}

/** A line of which the votes changed moved by them; the others made way. */
function noteMoves(before: readonly FrontLine[]): void {
  for (const [at, { id, net }] of front.lines.entries()) {
    const from = before.findIndex((line) => line.id === id);
    if (from < 0 || from === at || before.at(from)?.net === net) continue;
    const known = moved.get(id);
    const isOngoing = known !== undefined && known.untilMs > performance.now();
    const first = isOngoing ? known.from : from + 1;
    moved.set(id, { from: first, untilMs: performance.now() + MOVED_MS });
  }
}

function moveText(id: string, place: number): string {
  const { from = place, untilMs = 0 } = moved.get(id) ?? {};
  return from === place || untilMs < performance.now() ? String(place) : `${from} → ${place}`;
}

/** The server's best articles as they are now, and the one that climbs. */
export function climbView(): TemplateResult {
  shownAtMs = performance.now();
  const { lines, climbing } = front;
  if (lines.length === 0) {
    return html`<p class="note">${sayTour('climb.none')}</p>`;
  }
  return html`<div
    class="front"
    role="list"
    aria-label=${sayTour('climb.label')}
  >
    ${repeat(
      lines,
      ({ id }) => id,
      ({ id, title, net }, at) =>
        html`<div role="listitem" data-line=${id} class=${id === climbing ? 'climbing' : ''}>
          <b>${moveText(id, at + 1)}</b><span>${withEmoji(title)}</span><i>▲ ${net}</i>
        </div>`,
    )}
  </div>`;
}

/**
 * Lets each line glide from where it stood. The lines stand in the order of their ranks, which a screen
 * reader follows.
 */
function glideFrom(before: FrontLine[]): void {
  const places = new Map(before.map(({ id }, at) => [id, at]));
  for (const [at, { id }] of front.lines.entries()) {
    const from = places.get(id) ?? at;
    if (from === at) continue;
    document
      .querySelector(`[data-line="${id}"]`)
      ?.animate([{ transform: `translateY(${(from - at) * LINE}px)` }, {}], GLIDE);
  }
}

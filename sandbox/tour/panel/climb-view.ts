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
          <b>${at + 1}</b><span>${withEmoji(title)}</span><i>▲ ${net}</i>
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

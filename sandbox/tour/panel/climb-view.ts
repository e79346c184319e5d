import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { get, post } from '../../page/browser/state/api.ts';
import { withEmoji } from '../../page/browser/parts/emoji.ts';
import { redraw, state } from '../../page/browser/state/state.ts';
import { either } from '../../page/browser/state/words.ts';

type FrontLine = { id: string; title: string; net: number };
type Front = { lines: FrontLine[]; climbing: string | null };

const LOOK_EVERY_MS = 500;
/** A line's height in pixels: lines glide from one place to another. */
const LINE = 30;

let front: Front = { lines: [], climbing: null };
let shownAtMs = 0;
let looking = false;

/** Only while the list is in sight. */
setInterval(() => {
  if (document.hidden || looking || performance.now() - shownAtMs > 2 * LOOK_EVERY_MS) return;
  looking = true;
  void get<Front>(`front/${state.guild.id}`)
    .then((read) => {
      front = read;
    })
    .catch(() => {})
    .finally(() => {
      looking = false;
      redraw();
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
    return html`<p class="note">${either(['Nothing is posted yet.', '还没有人投稿。'])}</p>`;
  }
  // In one order whatever their places, so that each line is moved and not made anew.
  const inOrder = lines
    .map((line, at) => ({ line, at }))
    .sort((a, b) => (a.line.id < b.line.id ? -1 : 1));
  return html`<div
    class="front"
    role="list"
    aria-label=${either(['The front page, live', '头版，实时'])}
    style="height:${lines.length * LINE}px"
  >
    ${repeat(
      inOrder,
      ({ line }) => line.id,
      ({ line, at }) =>
        html`<div
          role="listitem"
          class=${line.id === climbing ? 'climbing' : ''}
          style="transform:translateY(${at * LINE}px)"
        >
          <b>${at + 1}</b><span>${withEmoji(line.title)}</span><i>▲ ${line.net}</i>
        </div>`,
    )}
  </div>`;
}

import { html, type TemplateResult } from 'lit';

/** Lines on a square of 16, since few fonts have signs for these. */
const LINES = {
  send: 'M2 2.5 14 8 2 13.5 4 8zM4 8h5',
  theme: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  unfold: 'M4 6l4 4 4-4',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M3 3l10 10M13 3L3 13',
  done: 'M3 8.5l3.5 3.5L13 4.5',
} as const;

/** A picture in the colour of the text beside it. What it means is the label of its button. */
export function icon(name: keyof typeof LINES): TemplateResult {
  return html`<svg class="icon ${name}" viewBox="0 0 16 16" aria-hidden="true"><path d=${LINES[name]} /></svg>`;
}

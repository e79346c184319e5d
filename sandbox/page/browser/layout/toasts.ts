import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { withEmoji } from '../messages/emoji.ts';
import { redraw } from '../state/state.ts';
import { say } from '../words.ts';

export type Toast = { text: string; under?: string; face?: string; href?: string };

const SHOWN_MS = 8000;
let toasts: (Toast & { key: number })[] = [];
let last = 0;

/** Says something in the corner for a while. */
export function toast(given: Toast): void {
  last += 1;
  const key = last;
  toasts = [...toasts, { ...given, key }].slice(-4);
  setTimeout(() => close(key), SHOWN_MS);
  redraw();
}

function close(key: number): void {
  toasts = toasts.filter((one) => one.key !== key);
  redraw();
}

export function toastsView(): TemplateResult {
  return html`<div id="toasts" role="status" aria-live="polite">
    ${repeat(
      toasts,
      ({ key }) => key,
      ({ key, text, under, face, href }) =>
        html`<div class="toast">
          ${face === undefined ? '' : html`<img src=${face} alt="" />`}
          <a href=${href ?? '#'} @click=${(event: Event) => {
            if (href === undefined) event.preventDefault();
            close(key);
          }}
            ><strong>${withEmoji(text)}</strong>${under === undefined ? '' : html`<span>${withEmoji(under)}</span>`}</a
          >
          <button type="button" aria-label=${say('close')} @click=${() => close(key)}>✕</button>
        </div>`,
    )}
  </div>`;
}

import { html, nothing, render } from 'lit';
import { withEmoji } from './emoji.ts';

export type MenuItem = { label: string; run(): unknown; danger?: boolean; under?: string };

let before: HTMLElement | null = null;

/** Opens a menu at the pointer, or at the focused element. */
export function openMenu(event: MouseEvent | KeyboardEvent, items: MenuItem[]): void {
  event.preventDefault();
  const place = document.querySelector<HTMLElement>('#menu');
  if (place === null) return;
  before = document.activeElement as HTMLElement | null;
  let heading = '';
  render(
    html`<div
      role="menu"
      @keydown=${steer}
      @focusout=${(leaving: FocusEvent) => {
        if (!place.contains(leaving.relatedTarget as Node | null)) closeMenu(false);
      }}
    >
      ${items.map((item) => {
        const first = item.under !== undefined && item.under !== heading;
        heading = item.under ?? '';
        return html`${first ? html`<div class="heading" role="presentation">${heading}</div>` : nothing}
          <button
            type="button"
            role="menuitem"
            class=${item.danger === true ? 'danger' : nothing}
            @click=${() => {
              closeMenu();
              item.run();
            }}
          >
            ${withEmoji(item.label)}
          </button>`;
      })}
    </div>`,
    place,
  );
  place.hidden = false;
  const at = pointOf(event);
  place.style.left = `${Math.max(4, Math.min(at.x, innerWidth - place.offsetWidth - 4))}px`;
  place.style.top = `${Math.max(4, Math.min(at.y, innerHeight - place.offsetHeight - 4))}px`;
  place.querySelector('button')?.focus();
}

function pointOf(event: MouseEvent | KeyboardEvent): { x: number; y: number } {
  // A click by keyboard is at 0, 0.
  if ('clientX' in event && event.clientX + event.clientY > 0) {
    return { x: event.clientX, y: event.clientY };
  }
  const { left, top } = (event.target as HTMLElement).getBoundingClientRect();
  return { x: left + 24, y: top + 24 };
}

function closeMenu(back = true): void {
  const place = document.querySelector<HTMLElement>('#menu');
  if (place === null || place.hidden) return;
  place.hidden = true;
  render(nothing, place);
  if (back) before?.focus();
}

function steer(event: KeyboardEvent): void {
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
  const next = steps[event.key];
  if (event.key === 'Escape') closeMenu();
  else if (next !== undefined) items.at(next % items.length)?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

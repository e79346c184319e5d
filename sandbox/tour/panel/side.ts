import { html, nothing, type TemplateResult } from 'lit';
import { redraw, state } from '../../page/browser/state/state.ts';
import { either, say } from '../../page/browser/state/words.ts';
import { controlsView } from './controls.ts';
import { inspectView, wantInspection } from './inspect.ts';
import { tourDone, tourView } from './steps-view.ts';

const TABS = ['tour', 'inspect', 'controls'] as const;
type Tab = (typeof TABS)[number];

const NAMES: Record<Tab, readonly [string, string]> = {
  tour: ['Tour', '导览'],
  inspect: ['Inside', '内部'],
  controls: ['Controls', '控制'],
};

let open: Tab = (sessionStorage.getItem('tab') as Tab | null) ?? 'tour';

function openTab(tab: Tab): void {
  open = tab;
  sessionStorage.setItem('tab', tab);
  wantInspection(tab === 'inspect');
  redraw();
}

const VIEWS: Record<Tab, () => TemplateResult> = {
  tour: tourView,
  inspect: inspectView,
  controls: controlsView,
};

/** Beside Discord: the tour, what is under the hood, and the controls. */
export function sideView(): TemplateResult {
  const turn = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(open) + step) % TABS.length];
    if (next === undefined) return;
    openTab(next);
    setTimeout(() => document.querySelector<HTMLElement>(`#tab-${next}`)?.focus(), 20);
  };
  return html`<div class="tabs" role="tablist" @keydown=${turn}>
      ${TABS.map(
        (tab) =>
          html`<button
            type="button"
            role="tab"
            id="tab-${tab}"
            aria-selected=${tab === open}
            aria-controls="panel"
            tabindex=${tab === open ? 0 : -1}
            @click=${() => openTab(tab)}
          >
            ${either(NAMES[tab])}${tab === 'tour' ? html`<span class="count">${tourDone()}</span>` : nothing}
          </button>`,
      )}
      <button
        type="button"
        class="drawer-button"
        aria-label=${say('close')}
        @click=${() => {
          state.drawer = '';
          redraw();
        }}
      >
        ✕
      </button>
    </div>
    <div id="panel" role="tabpanel" aria-labelledby="tab-${open}" tabindex="0">${VIEWS[open]()}</div>`;
}

wantInspection(open === 'inspect');

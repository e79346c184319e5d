import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../page/browser/parts/icon.ts';
import { redraw, state } from '../../page/browser/state/state.ts';
import { either, say } from '../../page/browser/state/words.ts';
import { controlsView } from './controls.ts';
import { inspectView, wantInspection } from './inspect.ts';
import { isInside, tourDone, tourView } from './steps-view.ts';
import { sayTour } from './words/say-tour.ts';

const TABS = ['tour', 'inspect', 'controls'] as const;
type Tab = (typeof TABS)[number];

function nameOf(tab: Tab): string {
  if (tab === 'tour') return sayTour('tour');
  return either(tab === 'inspect' ? ['Inside', '内部'] : ['Controls', '控制']);
}

/** A newcomer sees the tour alone: the others serve those who work on the bot. */
const tabs = (): readonly Tab[] => (isInside() ? TABS : ['tour']);

let chosen: Tab = (sessionStorage.getItem('tab') as Tab | null) ?? 'tour';

function openTab(tab: Tab): void {
  chosen = tab;
  sessionStorage.setItem('tab', tab);
  wantInspection(tab === 'inspect');
  redraw();
}

const VIEWS: Record<Tab, () => TemplateResult> = {
  tour: tourView,
  inspect: inspectView,
  controls: controlsView,
};

/** Beside Discord: the tour, and for the sandbox's makers what is under the hood, and the controls. */
export function sideView(): TemplateResult {
  const shown = tabs();
  const open = shown.includes(chosen) ? chosen : 'tour';
  const turn = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: shown.length - 1 }[event.key];
    if (step === undefined) return;
    const next = shown[(shown.indexOf(open) + step) % shown.length];
    if (next === undefined) return;
    openTab(next);
    setTimeout(() => document.querySelector<HTMLElement>(`#tab-${next}`)?.focus(), 20);
  };
  return html`<div class="tabs" role="tablist" @keydown=${turn}>
      ${shown.map(
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
            ${nameOf(tab)}${tab === 'tour' ? html`<span class="count">${tourDone()}</span>` : nothing}
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
        ${icon('close')}
      </button>
    </div>
    <div id="panel" role="tabpanel" aria-labelledby="tab-${open}" tabindex="0">${VIEWS[open]()}</div>`;
}

wantInspection(chosen === 'inspect');

import { html, nothing, type TemplateResult } from 'lit';
import { read } from '../../page/browser/state/api.ts';
import { withEmoji } from '../../page/browser/parts/emoji.ts';
import { icon } from '../../page/browser/parts/icon.ts';
import { language } from '../../page/browser/state/words.ts';
import { type Phase, PHASE_NAMES, PHASES } from '../phases.ts';
import { redraw } from '../../page/browser/state/state.ts';
import { hear } from '../../page/browser/stream.ts';
import type { Step, TourState } from '../panel-state.ts';
import { outcomeView, pressed } from './pressed.ts';
import { GUIDES, namesIn } from './tour-steps.ts';
import { sayTour } from './words/say-tour.ts';

/** undefined until it is read. */
let tour: TourState | undefined;
/** A step that was opened by hand; otherwise the first that is not done is open. */
let chosen: Step | null = null;

hear('tour', (state: TourState) => {
  if (chosen !== null && state.done.includes(chosen)) chosen = null;
  tour = state;
});

export async function readTour(): Promise<void> {
  tour = await read<TourState>('tour');
  redraw();
}

export function isInside(): boolean {
  return tour?.inside === true;
}

export function tourDone(): string {
  return tour === undefined ? '' : `${tour.done.length}/${tour.steps.length}`;
}

export function tourView(): TemplateResult {
  if (tour === undefined) return html``;
  const { steps, done, kind, webPage, phase } = tour;
  const next = steps.find((step) => !done.includes(step));
  const open = chosen ?? next;
  const lead = next === undefined ? 'after' : (`lead.${kind}` as const);
  const state = tour;
  return html`<div class="tour">
    ${phase === null ? nothing : phaseView(phase)}
    <p class="lead">${sayTour(lead, { steps: steps.length })}</p>
    <ol>
      ${steps.map((step, at) => stepView(state, step, at, step === open))}
    </ol>
    ${
      webPage === null
        ? nothing
        : html`<a class="web-page" href=${webPage} target="_blank" rel="noreferrer noopener">
          ${sayTour('webPage')} ↗
        </a>`
    }
  </div>`;
}

/** The start goes on while the page is looked at already. */
function phaseView(now: Phase): TemplateResult {
  const at = PHASES.indexOf(now);
  const names = PHASE_NAMES[language()];
  return html`<ol class="phases" role="status">
    ${PHASES.map((phase, n) => {
      const state = n < at ? 'over' : n === at ? 'now' : '';
      return html`<li class=${state}>${names[phase]}</li>`;
    })}
  </ol>`;
}

function stepView(state: TourState, step: Step, at: number, open: boolean): TemplateResult {
  const done = state.done.includes(step);
  return html`<li class="step ${done ? 'done' : ''} ${open ? 'open' : ''}" data-step=${step}>
    <button
      type="button"
      class="head"
      aria-expanded=${open}
      @click=${() => {
        chosen = open ? null : step;
        redraw();
      }}
    >
      <span class="tick" role="img" aria-label=${sayTour(done ? 'done' : 'toDo')}
        >${done ? icon('done') : at + 1}</span
      >
      <span>${sayTour(`${step}.title`)}</span>
    </button>
    ${open ? howView(state, step) : nothing}
  </li>`;
}

function howView(state: TourState, step: Step): TemplateResult {
  const guide = GUIDES[step];
  const names = namesIn(state);
  const text = guide.text?.(state) ?? (`${step}.text` as const);
  return html`<div class="how">
    <p>${withEmoji(sayTour(text, names))}</p>
    ${guide.view?.(state) ?? nothing}
    ${guide.actions(state).map(
      (action) =>
        html`<button
          type="button"
          class=${action.main === false ? nothing : 'primary'}
          @click=${pressed(step, () => action.run(), { names, button: action.label })}
        >
          ${sayTour(action.label)}
        </button>`,
    )}
    ${outcomeView(step)}
  </div>`;
}

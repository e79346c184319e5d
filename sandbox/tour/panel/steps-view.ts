import { html, nothing, type TemplateResult } from 'lit';
import { get } from '../../page/browser/state/api.ts';
import { withEmoji } from '../../page/browser/parts/emoji.ts';
import { redraw } from '../../page/browser/state/state.ts';
import { hear } from '../../page/browser/stream.ts';
import { either } from '../../page/browser/state/words.ts';
import type { Step, TourState } from '../panel-state.ts';
import { outcomeView, pressed } from './pressed.ts';
import { type Guide, GUIDES } from './tour-steps.ts';

let tour: TourState = { done: [], webPage: null, isVoteMissed: false, freshLink: '' };
/** A step that was opened by hand; otherwise the first that is not done is open. */
let chosen: Step | null = null;

hear('tour', (state: TourState) => {
  if (chosen !== null && state.done.includes(chosen)) chosen = null;
  tour = state;
});

export async function readTour(): Promise<void> {
  tour = await get<TourState>('tour');
  redraw();
}

export function tourDone(): string {
  return `${tour.done.length}/${GUIDES.length}`;
}

export function tourView(): TemplateResult {
  const next = GUIDES.find(({ step }) => !tour.done.includes(step));
  const open = chosen ?? next?.step;
  const all = next === undefined;
  return html`<div class="tour">
    <p class="lead">
      ${either(
        all
          ? [
              'That was the tour. Everything here keeps working: break it, and see it heal.',
              '导览到此结束。这里的一切都会继续运行：随便弄坏它，看它自己恢复。',
            ]
          : [
              'Members post links and vote; the best reach the front page. Try it in nine steps.',
              '成员投稿链接并投票，最好的登上头版。来试试吧，一共九步。',
            ],
      )}
    </p>
    <ol>
      ${GUIDES.map((guide, at) => stepView(guide, at, guide.step === open))}
    </ol>
    ${
      tour.webPage === null
        ? nothing
        : html`<a class="web-page" href=${tour.webPage} target="_blank" rel="noreferrer noopener">
          ${either(['The same front page on the web', '网页版的头版'])} ↗
        </a>`
    }
  </div>`;
}

function stepView(guide: Guide, at: number, open: boolean): TemplateResult {
  const { step, title } = guide;
  const done = tour.done.includes(step);
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
      <span class="tick" role="img" aria-label=${either(done ? ['done', '已完成'] : ['to do', '待完成'])}
        >${done ? '✓' : at + 1}</span
      >
      <span>${either(title)}</span>
    </button>
    ${
      open
        ? html`<div class="how">
          <p>${withEmoji(either(guide.text))}</p>
          ${guide.view?.(tour) ?? nothing}
          ${guide.actions(tour).map(
            (action) =>
              html`<button
                type="button"
                class=${action.main === false ? nothing : 'primary'}
                @click=${pressed(step, () => action.run())}
              >
                ${either(action.label)}
              </button>`,
          )}
          ${outcomeView(step)}
        </div>`
        : nothing
    }
  </li>`;
}

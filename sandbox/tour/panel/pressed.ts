import { html, nothing, type TemplateResult } from 'lit';
import { redraw } from '../../page/browser/state/state.ts';
import { either, say } from '../../page/browser/state/words.ts';
import { sayTour, type TourWord } from './words/say-tour.ts';

export type Text = readonly [string, string];

/** Why the sandbox did nothing; its server gives the names. */
const REASONS: Record<string, TourWord> = {
  'no-digest': 'digest.none',
  'nothing-to-climb': 'climb.few',
};

/** The place of the button that was pressed last, and what came of it. */
let outcome: { place: string; text: string } | null = null;

/** For a button that does something in the sandbox: what came of it is shown at its place. */
export function pressed(
  place: string,
  run: () => unknown,
  { done, names = {} }: { done?: Text; names?: Record<string, string> } = {},
): () => Promise<void> {
  return async () => {
    outcome = null;
    try {
      await run();
      if (done !== undefined) outcome = { place, text: either(done) };
    } catch (error) {
      const { message } = error as Error;
      const reason = REASONS[message];
      // Nobody answers: the sandbox has ended.
      if (error instanceof TypeError) outcome = { place, text: say('lost') };
      else outcome = { place, text: reason === undefined ? message : sayTour(reason, names) };
    }
    redraw();
  };
}

/** Stands right below the buttons of a place. */
export function outcomeView(place: string): TemplateResult | typeof nothing {
  if (outcome?.place !== place) return nothing;
  return html`<p class="outcome" role="status">${outcome.text}</p>`;
}

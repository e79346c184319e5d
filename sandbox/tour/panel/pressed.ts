import { html, nothing, type TemplateResult } from 'lit';
import { oneAtATime } from '../../page/browser/one-at-a-time.ts';
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
/** The buttons that still work, by their place and name. */
const working = new Set<string>();

/**
 * For a button that does something in the sandbox: what came of it is shown at its place. Until then, a second
 * press there does nothing.
 */
export function pressed(
  place: string,
  run: () => unknown,
  {
    done,
    names = {},
    button = '',
  }: { done?: Text; names?: Record<string, string>; button?: string } = {},
): () => Promise<void> {
  async function runHere(): Promise<void> {
    outcome = null;
    try {
      await run();
      if (done !== undefined) outcome = { place, text: either(done) };
      else if (isShownAt(place)) outcome = null;
    } catch (error) {
      const { message } = error as Error;
      const reason = REASONS[message];
      // Nobody answers: the sandbox has ended.
      if (error instanceof TypeError) outcome = { place, text: say('lost') };
      else outcome = { place, text: reason === undefined ? message : sayTour(reason, names) };
    }
  }
  function wait(): void {
    outcome = { place, text: sayTour('busy') };
    redraw();
  }
  return async () => {
    await oneAtATime(working, `${place} ${button}`, { run: runHere, wait });
    redraw();
  };
}

function isShownAt(place: string): boolean {
  return outcome?.place === place;
}

/** Stands right below the buttons of a place. */
export function outcomeView(place: string): TemplateResult {
  return html`${isShownAt(place) ? html`<p class="outcome" role="status">${outcome?.text}</p>` : nothing}`;
}

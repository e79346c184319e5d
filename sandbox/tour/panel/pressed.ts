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
/** The buttons that still work, by their place and name. */
const working = new Set<string>();
/** What is done within this time is not said to be waited for. */
const SAID_AFTER_MS = 400;

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
  return async () => {
    const key = `${place} ${button}`;
    if (working.has(key)) return;
    working.add(key);
    outcome = null;
    const patience = setTimeout(() => {
      outcome = { place, text: sayTour('busy') };
      redraw();
    }, SAID_AFTER_MS);
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
    } finally {
      clearTimeout(patience);
      working.delete(key);
    }
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

import { html, nothing, type TemplateResult } from 'lit';
import { redraw } from '../../page/browser/state/state.ts';
import { either, say } from '../../page/browser/state/words.ts';

export type Text = readonly [string, string];

/** Why the sandbox did nothing; its server gives the names. */
const REASONS: Record<string, Text> = {
  'no-digest': [
    'There is no digest yet. The admin sets one up with /frontpage panel or /digest set.',
    '还没有精选。管理员可以用 /头版 面板 或 /精选 设置 来设置。',
  ],
  'nothing-to-climb': [
    'An article needs another one above it to climb. Post two links first.',
    '至少要有两篇文章，才有一篇能往上升。请先投稿两个链接。',
  ],
};

/** The place of the button that was pressed last, and what came of it. */
let outcome: { place: string; text: string } | null = null;

/** For a button that does something in the sandbox: what came of it is shown at its place. */
export function pressed(place: string, run: () => unknown, done?: Text): () => Promise<void> {
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
      else outcome = { place, text: reason === undefined ? message : either(reason) };
    }
    redraw();
  };
}

/** Stands right below the buttons of a place. */
export function outcomeView(place: string): TemplateResult | typeof nothing {
  if (outcome?.place !== place) return nothing;
  return html`<p class="outcome" role="status">${outcome.text}</p>`;
}

import type { Answerable } from '../commands/command.ts';
import type { ActionRow } from './components.ts';
import { MINUTE_MS } from '../../clock.ts';
import { limits } from '../limits.ts';

/** The content of an answer. Without `components`, the present components stay. */
export type Shown = { content: string; components?: ActionRow[] };

/** A minute is left so that the last edit arrives. */
const EDITABLE_MS = limits.interactionMs - MINUTE_MS;
const EDIT_EVERY_MS = 5000;

/** Edits the answer during long work, at most every 5 s and as long as Discord allows it. */
export function showProgress(interaction: Answerable) {
  const startedMs = performance.now();
  let editedMs = startedMs;
  let editing: Promise<boolean> = Promise.resolve(true);
  const edit = (shown: Shown): Promise<boolean> => {
    if (performance.now() - startedMs > EDITABLE_MS) return Promise.resolve(false);
    editing = editing
      .then(() => interaction.editReply({ ...shown, allowedMentions: { parse: [] } }))
      .then(
        () => true,
        // The answer cannot be edited any more.
        () => false,
      );
    return editing;
  };
  return {
    /** Shows a state. Skipped if it comes less than 5 s after the last one. */
    show(shown: () => Shown): void {
      if (performance.now() - editedMs < EDIT_EVERY_MS) return;
      editedMs = performance.now();
      void edit(shown());
    },
    /** Shows the last state. False if it was too late to show it. */
    end: edit,
  };
}

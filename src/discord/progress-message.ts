import type { APIActionRowComponent, APIButtonComponentWithCustomId } from 'discord.js';
import type { Answerable } from './commands/command.ts';

/** What the answer to an interaction shows; without components it keeps those that it has. */
export type Shown = {
  content: string;
  components?: APIActionRowComponent<APIButtonComponentWithCustomId>[];
};

export type ProgressShown = {
  /** Now and then; what comes too soon after the last is left out. */
  show(shown: () => Shown): void;
  /** The last word. False where it came too late to be shown. */
  end(shown: Shown): Promise<boolean>;
};

/** An interaction can be edited for 15 minutes; the last edit is to arrive. */
const editableMs = 14 * 60_000;
const editEveryMs = 5000;

/** Edits the answer as long work goes on, not too often, as long as Discord allows it. */
export function showProgress(interaction: Answerable): ProgressShown {
  const startedMs = performance.now();
  let editedMs = startedMs;
  let editing: Promise<boolean> = Promise.resolve(true);
  const edit = (shown: Shown): Promise<boolean> => {
    if (performance.now() - startedMs > editableMs) return Promise.resolve(false);
    editing = editing
      .then(() => interaction.editReply({ ...shown, allowedMentions: { parse: [] } }))
      .then(
        () => true,
        // Nobody reads it any more.
        () => false,
      );
    return editing;
  };
  return {
    show(shown) {
      if (performance.now() - editedMs < editEveryMs) return;
      editedMs = performance.now();
      void edit(shown());
    },
    end: edit,
  };
}

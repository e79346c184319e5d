import { oneAtATime } from './one-at-a-time.ts';
import { post } from './state/api.ts';
import { openModal } from './parts/modal.ts';
import { type Component, redraw, state } from './state/state.ts';
import { say } from './state/words.ts';

export type Answer = {
  interactionId: string;
  kind: 'message' | 'update' | 'deferred' | 'modal' | 'deleted' | 'failed';
  modal?: { title: string; components: Component[] };
};

type Place = { channel_id: string; id: string };

/** The interactions that the bot has not answered yet, by what was asked and as whom. */
const unanswered = new Set<string>();

/** Runs what the member does. A refusal is not thrown but shown in a line over the composer. */
export function attempt<T>(what: () => Promise<T>): Promise<T | undefined> {
  state.refusal = '';
  if (unanswered.size === 0) state.status = '';
  return attemptUnasked(what);
}

/** Runs what nobody has clicked, such as reading anew what changed: what the member was told stays there. */
export async function attemptUnasked<T>(what: () => Promise<T>): Promise<T | undefined> {
  try {
    return await what();
  } catch (error) {
    // The sandbox has ended.
    state.refusal = error instanceof TypeError ? say('lost') : (error as Error).message;
    return undefined;
  } finally {
    redraw();
  }
}

/** Does something as the acting member. */
export function does<T = unknown>(verb: string, body: object): Promise<T | undefined> {
  return attempt(() => post<T>(`as/${state.me}/${verb}`, body));
}

/**
 * Sends an interaction to the bot as the acting member, and waits for the answer. A second click on what is
 * not answered yet does nothing.
 */
export async function ask(verb: string, body: object): Promise<Answer | undefined> {
  const { me } = state;
  const answer = await oneAtATime(unanswered, JSON.stringify([me, verb, body]), {
    run: () => does<Answer>(verb, body),
    wait() {
      state.status = say('waiting');
      redraw();
    },
  });
  if (unanswered.size === 0) state.status = '';
  redraw();
  // The answer is for the member who asked, and somebody else may act by now.
  if (state.me !== me) return undefined;
  if (answer?.kind === 'failed') state.refusal = say('failed');
  if (answer?.modal !== undefined) {
    const { interactionId } = answer;
    openModal(answer.modal, (fields) => void ask('submit', { interaction: interactionId, fields }));
  }
  return answer;
}

const at = (message: Place) => ({ channel: message.channel_id, message: message.id });

export const react = (message: Place, emoji: string) => does('react', { ...at(message), emoji });
export const unreact = (message: Place, emoji: string) =>
  does('unreact', { ...at(message), emoji });
export const remove = (message: Place) => does('delete', at(message));
export const removeEmbeds = (message: Place) => does('suppress-embeds', at(message));
export const dismiss = (message: Place) => does('dismiss', at(message));
export const press = (message: Place, customId: string) =>
  ask('press', { ...at(message), customId });
export const choose = (message: Place, customId: string, values: string[]) =>
  ask('choose', { ...at(message), customId, values });
export const messageCommand = (message: Place, name: string) =>
  ask('message-command', { ...at(message), name });

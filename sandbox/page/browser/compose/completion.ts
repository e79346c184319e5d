import { html, nothing, type TemplateResult } from 'lit';
import { post } from '../state/api.ts';
import { type Option, redraw, state } from '../state/state.ts';
import { say } from '../state/words.ts';

type Choice = { name: string; value: string | number };

let field = '';
let choices: Choice[] = [];
let active = -1;
let asked = 0;
/** The values of names that were picked from the list. */
const picked = new Map<string, Choice>();

/** Asks the bot for choices while the member types. A late answer is dropped. */
export function wantCompletion(
  words: string,
  option: Option,
  text: string,
  values: Record<string, unknown>,
): void {
  asked += 1;
  const turn = asked;
  const body = {
    channel: state.channelId,
    words,
    focused: option.name,
    values: { ...values, [option.name]: text },
  };
  void post<Choice[]>(`as/${state.me}/complete`, body)
    .catch(() => [])
    .then((found) => {
      if (turn !== asked) return;
      field = option.name;
      choices = found;
      active = -1;
      redraw();
    });
}

export function forgetCompletion(): void {
  asked += 1;
  field = '';
  choices = [];
  redraw();
}

/** The value of a picked name, or the text as it was typed. */
export function asCompleted(name: string, text: string): string {
  const choice = picked.get(name);
  return choice?.name === text ? String(choice.value) : text;
}

function pick(choice: Choice, put: (name: string) => void): void {
  picked.set(field, choice);
  put(choice.name);
  forgetCompletion();
}

export function keysOfCompletion(event: KeyboardEvent, put: (name: string) => void): void {
  if (choices.length === 0) return;
  const choice = choices[active];
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const step = event.key === 'ArrowDown' ? 1 : choices.length - 1;
    active = (Math.max(active, event.key === 'ArrowDown' ? -1 : 0) + step) % choices.length;
    redraw();
  } else if (event.key === 'Enter' && choice !== undefined) pick(choice, put);
  else if (event.key === 'Escape') forgetCompletion();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Shows the list above the field and outside of the form, which would clip it. */
function besideField(name: string): string {
  const box = document.querySelector(`#option-${name}`)?.getBoundingClientRect();
  if (box === undefined) return '';
  const { left, top, width } = box;
  const height = Math.min(280, top - 12);
  const wide = Math.max(width, Math.min(420, innerWidth - left - 12));
  return `bottom:${innerHeight - top + 4}px;left:${left}px;max-height:${height}px;width:${wide}px`;
}

export function completionView(
  name: string,
  id: string,
  put: (name: string) => void,
): TemplateResult | typeof nothing {
  if (field !== name || choices.length === 0) return nothing;
  return html`<span
    class="choices"
    id=${id}
    role="listbox"
    aria-label=${say('choose')}
    style=${besideField(name)}
  >
    ${choices.map(
      (choice, at) =>
        html`<button
          type="button"
          role="option"
          tabindex="-1"
          aria-selected=${at === active}
          @mousedown=${(event: Event) => event.preventDefault()}
          @click=${() => pick(choice, put)}
        >
          ${choice.name}
        </button>`,
    )}
  </span>`;
}

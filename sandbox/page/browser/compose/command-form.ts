import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { ask } from '../acts.ts';
import { optionChoices } from '../parts/choices.ts';
import {
  asCompleted,
  completionView,
  forgetCompletion,
  keysOfCompletion,
  wantCompletion,
} from './completion.ts';
import { type ChosenFile, fileOf, fileView } from './file-option.ts';
import { locale, localized, type Option, redraw, state } from '../state/state.ts';
import { say } from '../state/words.ts';

/** A command that was chosen: `group add`, what it is called here, and what it takes. */
export type Chosen = { words: string; label: string; description: string; options: Option[] };

export type Value = string | number | boolean | ChosenFile;

/** Discord's numbers for an option that is text, and for one that is a file. */
const string = 3;
const attachment = 11;

let command: Chosen | null = null;
let texts: Record<string, string> = {};
let showAll = false;
let close = (): void => {};

export function openCommandForm(
  chosen: Chosen,
  values: Record<string, string>,
  whenClosed: () => void,
): void {
  command = chosen;
  texts = { ...values };
  showAll = false;
  close = whenClosed;
  forgetCompletion();
  // Drawn by then: `forgetCompletion` has asked for it before.
  setTimeout(() => {
    const form = document.querySelector('#command');
    if (form?.contains(document.activeElement) === true) return;
    const empty = [...(form?.querySelectorAll<HTMLInputElement>('input, select') ?? [])].find(
      (field) => field.value === '',
    );
    (empty ?? form?.querySelector<HTMLElement>('button.primary'))?.focus();
  });
}

/** What the member has given so far, in the types that the command wants. */
function valuesOf(options: Option[]): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const option of options) {
    const text = asCompleted(option.name, texts[option.name] ?? '');
    if (text === '') continue;
    if (option.type === 4 || option.type === 10) values[option.name] = Number(text);
    else if (option.type === 5) values[option.name] = text === 'true';
    else if (option.type === attachment) values[option.name] = fileOf(text);
    else values[option.name] = option.type === string ? withMentions(text) : text;
  }
  return values;
}

/** Discord's client turns the typed name of a channel into a mention. */
function withMentions(text: string): string {
  return text.replace(/#([^\s#,，、;]+)/g, (typed, name: string) => {
    const channel = state.channels.find((other) => other.name === name);
    return channel === undefined ? typed : `<#${channel.id}>`;
  });
}

async function run(): Promise<void> {
  if (command === null) return;
  const { words, options } = command;
  const { channelId: channel } = state;
  const closeThis = close;
  const answer = await ask('command', { channel, words, values: valuesOf(options) });
  // What was refused can be changed and run again.
  if (answer !== undefined) closeThis();
}

export function commandFormView(): TemplateResult | typeof nothing {
  if (command === null) return nothing;
  const { label, options } = command;
  const few = options.filter(
    (option, at) => option.required === true || at < 2 || (texts[option.name] ?? '') !== '',
  );
  const shown = showAll ? options : few;
  const hidden = options.length - shown.length;
  return html`<form
    id="command"
    @scroll=${redraw}
    @submit=${(event: Event) => {
      event.preventDefault();
      void run();
    }}
    @keydown=${(event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    }}
  >
    <div class="title"><strong>/${label}</strong><small>${command.description}</small></div>
    <div class="options">
      ${shown.map((option) => optionView(option, options))}
      ${
        hidden > 0
          ? html`<button
            type="button"
            class="quiet"
            @click=${() => {
              showAll = true;
              redraw();
            }}
          >
            ${say('more', { n: hidden })}
          </button>`
          : nothing
      }
    </div>
    <div class="ends">
      <button type="button" class="quiet" @click=${close}>${say('cancel')}</button>
      <button class="primary">${say('run')}</button>
    </div>
  </form>`;
}

function optionView(option: Option, options: Option[]): TemplateResult {
  const text = texts[option.name] ?? '';
  const id = `option-${option.name}`;
  return html`<div class="option">
    <label for=${id}
      >${localized(option.name, option.name_localizations)}${
        option.required === true ? html`<span class="star" aria-hidden="true"> *</span>` : nothing
      }</label
    >
    ${controlView(option, options, id, text)}
    <small id="${id}-note"
      >${localized(option.description, option.description_localizations)}</small
    >
  </div>`;
}

function setText(name: string, text: string): void {
  texts[name] = text;
  redraw();
}

function controlView(option: Option, options: Option[], id: string, text: string): TemplateResult {
  const required = option.required === true;
  const choices = optionChoices(option, locale());
  if (choices !== undefined) {
    return html`<select
      id=${id}
      ?required=${required}
      aria-describedby="${id}-note"
      @change=${(event: Event) => setText(option.name, (event.target as HTMLSelectElement).value)}
    >
      <option value="">—</option>
      ${choices.map(
        ({ label, value }) =>
          html`<option value=${value} ?selected=${value === text}>${label}</option>`,
      )}
    </select>`;
  }
  if (option.type === attachment) {
    return fileView({ id, required }, (chosen) => setText(option.name, chosen));
  }
  const complete = option.autocomplete === true;
  const ask = (): void => {
    if (complete && command !== null) {
      wantCompletion(command.words, option, texts[option.name] ?? '', valuesOf(options));
    }
  };
  const pick = (name: string): void => setText(option.name, name);
  return html`<span class="field">
    <input
      id=${id}
      type=${option.type === 4 || option.type === 10 ? 'number' : 'text'}
      step=${option.type === 10 ? 'any' : nothing}
      min=${option.min_value ?? nothing}
      max=${option.max_value ?? nothing}
      minlength=${option.min_length ?? nothing}
      maxlength=${option.max_length ?? nothing}
      autocomplete="off"
      spellcheck="false"
      ?required=${required}
      aria-describedby="${id}-note"
      role=${complete ? 'combobox' : nothing}
      aria-expanded=${complete ? 'true' : nothing}
      aria-controls=${complete ? `${id}-choices` : nothing}
      .value=${live(text)}
      @input=${(event: Event) => {
        setText(option.name, (event.target as HTMLInputElement).value);
        ask();
      }}
      @focus=${ask}
      @blur=${() => forgetCompletion()}
      @keydown=${(event: KeyboardEvent) => keysOfCompletion(event, pick)}
    />
    ${complete ? completionView(option.name, `${id}-choices`, pick) : nothing}
  </span>`;
}

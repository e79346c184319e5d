import { html, nothing, render, type TemplateResult } from 'lit';
import { selectOptions } from './choices.ts';
import type { Component } from '../state/state.ts';
import { say } from '../state/words.ts';

type Modal = { title: string; components: Component[] };
type Fields = Record<string, string>;

/** Shows a form that the bot asked for; `submit` gets its fields by custom id. */
export function openModal(modal: Modal, submit: (fields: Fields) => void): void {
  const parts = modal.components.flatMap(({ component, label = '', description }) =>
    component === undefined ? [] : [field(component, label, description)],
  );
  openForm(modal.title, parts, submit);
}

/** Opens a dialog with fields. `submit` gets their values by the fields' names. */
export function openForm(
  title: string,
  parts: TemplateResult[],
  submit: (fields: Fields) => void,
): void {
  const dialog = document.querySelector<HTMLDialogElement>('#dialog');
  if (dialog === null) return;
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const fields: Fields = {};
    for (const name of data.keys()) fields[name] = data.getAll(name).map(textOf).join(',');
    dialog.close();
    submit(fields);
  };
  render(
    html`<form @submit=${send}>
      <h2 id="dialog-title">${title}</h2>
      ${parts}
      <div class="ends">
        <button type="button" class="quiet" @click=${() => dialog.close()}>${say('cancel')}</button>
        <button class="primary">${say('submit')}</button>
      </div>
    </form>`,
    dialog,
  );
  // What was typed before is gone; a reset leaves what the form gives.
  dialog.querySelector('form')?.reset();
  dialog.showModal();
}

export function textField(
  name: string,
  label: string,
  more: { long?: boolean; max?: number } = {},
): TemplateResult {
  const style = more.long === true ? 2 : 1;
  return field({ type: 4, custom_id: name, style, max_length: more.max ?? 2000 }, label);
}

function textOf(entry: FormDataEntryValue): string {
  return typeof entry === 'string' ? entry : entry.name;
}

function field(part: Component, label: string, explained?: string): TemplateResult {
  if (part.type === CHECKBOXES) return checkboxes(part, label, explained);
  return html`<label
    >${label}${part.required === false ? nothing : html`<span class="star" aria-hidden="true"> *</span>`}
    ${explained === undefined ? nothing : html`<small>${explained}</small>`} ${control(part)}</label
  >`;
}

/** Discord's type of a group of boxes, of which any can be ticked. */
const CHECKBOXES = 22;

function checkboxes(part: Component, label: string, explained?: string): TemplateResult {
  return html`<fieldset>
    <legend>${label}</legend>
    ${explained === undefined ? nothing : html`<small>${explained}</small>`}
    ${selectOptions(part).map(
      (option) =>
        html`<label
          ><input
            type="checkbox"
            name=${part.custom_id}
            value=${option.value}
            ?checked=${option.default === true}
          />
          ${option.label}</label
        >`,
    )}
  </fieldset>`;
}

function control(part: Component): TemplateResult {
  const required = part.required !== false;
  if (part.type !== 4) {
    return html`<select name=${part.custom_id} ?multiple=${(part.max_values ?? 1) > 1} ?required=${required}>
      ${selectOptions(part).map(
        (option) =>
          html`<option value=${option.value} ?selected=${option.default === true}>${option.label}</option>`,
      )}
    </select>`;
  }
  const [min, max] = [part.min_length ?? nothing, part.max_length ?? nothing];
  return part.style === 2
    ? html`<textarea
        name=${part.custom_id}
        rows="4"
        ?required=${required}
        minlength=${min}
        maxlength=${max}
        placeholder=${part.placeholder ?? nothing}
        .defaultValue=${part.value ?? ''}
      ></textarea>`
    : html`<input
        name=${part.custom_id}
        autocomplete="off"
        ?required=${required}
        minlength=${min}
        maxlength=${max}
        placeholder=${part.placeholder ?? nothing}
        .defaultValue=${part.value ?? ''}
      />`;
}

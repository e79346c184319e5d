import { h } from './api.js';
import { selectOptions } from './message.js';

/** Shows a form that the bot asked for; `submit` gets its fields by custom id. */
export function openModal(dialog, modal, submit) {
  const inputs = new Map();
  const label = (part, text) => h('label', {}, text, makeInput(part, inputs));
  const parts = modal.components.flatMap((row) => {
    if (row.type === 18) return [label(row.component, row.label)];
    if (row.type === 10) return [h('p', {}, row.content)];
    return (row.components ?? []).map((part) => label(part, part.label));
  });
  const form = h(
    'form',
    {
      method: 'dialog',
      onsubmit: () => submit(Object.fromEntries([...inputs].map(([id, read]) => [id, read()]))),
    },
    h('h3', {}, modal.title),
    ...parts,
    h(
      'div',
      { class: 'row' },
      h('button', {}, 'Submit'),
      h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
    ),
  );
  dialog.replaceChildren(form);
  dialog.showModal();
}

function makeInput(part, inputs) {
  if (part.type !== 4) {
    const options = selectOptions(part).map((option) =>
      h('option', { value: option.value, selected: option.default === true }, option.label),
    );
    const select = h('select', { multiple: (part.max_values ?? 1) > 1 }, ...options);
    inputs.set(part.custom_id, () =>
      [...select.selectedOptions].map((option) => option.value).join(','),
    );
    return select;
  }
  const input = h(part.style === 2 ? 'textarea' : 'input', {
    required: part.required !== false,
    minlength: part.min_length,
    maxlength: part.max_length,
    placeholder: part.placeholder,
  });
  input.value = part.value ?? '';
  inputs.set(part.custom_id, () => input.value);
  return input;
}

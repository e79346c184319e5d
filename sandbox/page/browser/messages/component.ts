import { html, nothing, type TemplateResult } from 'lit';
import { choose, press } from '../acts.ts';
import { selectOptions } from '../parts/choices.ts';
import { withEmoji } from '../parts/emoji.ts';
import type { Component, Message } from '../state/state.ts';
import { say } from '../state/words.ts';

const STYLES = ['secondary', 'primary', 'secondary', 'success', 'destructive', 'secondary'];

/** A component of a message, with the components inside it. */
export function componentView(part: Component, message: Message): TemplateResult {
  switch (part.type) {
    case 1:
      return html`<discord-action-row
        >${(part.components ?? []).map((child) => componentView(child, message))}</discord-action-row
      >`;
    case 2:
      return buttonView(part, message);
    case 3:
    case 5:
    case 6:
    case 8:
      return selectView(part, message);
    default:
      return html`<div class="note">${say('unknownPart')}</div>`;
  }
}

function buttonView(part: Component, message: Message): TemplateResult {
  const label = `${part.emoji?.name ?? ''} ${part.label ?? ''}`.trim();
  return html`<discord-button
    .type=${STYLES[part.style ?? 2] ?? 'secondary'}
    .url=${part.url}
    data-custom-id=${part.custom_id ?? nothing}
    ?disabled=${part.disabled === true}
    @click=${() => {
      const { custom_id: customId } = part;
      if (customId !== undefined && part.disabled !== true) void press(message, customId);
    }}
    >${withEmoji(label)}</discord-button
  >`;
}

function selectView(part: Component, message: Message): TemplateResult {
  const many = (part.max_values ?? 1) > 1;
  const label = part.placeholder ?? say('chooseHere');
  const send = (select: HTMLSelectElement): void => {
    const values = [...select.selectedOptions].map(({ value }) => value).filter(Boolean);
    void choose(message, part.custom_id ?? '', values);
  };
  return html`<span class="select">
    ${many ? html`<span class="name" aria-hidden="true">${label}</span>` : nothing}
    <select
      aria-label=${label}
      ?multiple=${many}
      ?disabled=${part.disabled === true}
      @change=${(event: Event) => {
        if (!many) send(event.target as HTMLSelectElement);
      }}
    >
      ${many ? nothing : html`<option value="">${label}</option>`}
      ${selectOptions(part).map(
        (option) =>
          html`<option
            value=${option.value}
            title=${option.description ?? nothing}
            ?selected=${option.default === true}
          >
            ${option.label}
          </option>`,
      )}
    </select>
    ${
      many
        ? html`<button
          type="button"
          @click=${(event: Event) => {
            const select = (event.target as HTMLElement).parentElement?.querySelector('select');
            if (select) send(select);
          }}
        >
          ${say('choose')}
        </button>`
        : nothing
    }
  </span>`;
}
